/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that must not run: the tasks leave with status 1, one line per node tells why, and the
 * stepd asks once, from task_exit, for the step's end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/wait.h>

#include "program/plugin/cases.h"
#include "program/plugin/expect.h"
#include "program/plugin/world.h"

/* ---------------------------------------------------------------- what a refusal is */

static bool refused(const struct host_task *task)
{
    return !task->returned && WIFEXITED(task->status) && WEXITSTATUS(task->status) == 1;
}

static size_t count_lines(const struct host_result *result, size_t node, const char *says)
{
    size_t lines = 0;
    for (size_t i = 0; i < result->message_count; i++) {
        const struct host_message *message = &result->messages[i];
        if (message->node != node)
            continue;
        lines++;
        expect(message->kind == HOST_ERROR && message->hook == HOST_TASK_INIT &&
                   strstr(message->text, says) && strstr(message->text, "the step ends here"),
               "node %zu does not say '%s'", node, says);
        expect(strstr(message->text, result->nodes[node].recorded->name) != NULL,
               "the line does not name its node");
    }
    return lines;
}

static void expect_step_ended(const struct host_node *node, bool ended)
{
    const struct recorded_item *items = node->recorded->user_init.items;
    unsigned kills = node->calls[HOST_TASK_EXIT].kills;
    expect(kills == (ended ? HOST_KILL_REQUESTS : 0), "%s asked %u times to end the step",
           node->recorded->name, kills);
    expect(!ended ||
               (node->kill.job_id == items[S_JOB_ID].value &&
                node->kill.step_id == items[S_JOB_STEPID].value && node->kill.signal == SIGKILL),
           "%s ended step %u.%u with signal %u", node->recorded->name, node->kill.job_id,
           node->kill.step_id, node->kill.signal);
}

/* Each task leaves or comes to its command; `wanted`: how many of each node leave. */
static void expect_refusal(const struct host_result *result, const size_t *wanted, const char *says)
{
    expect_calm(result);
    for (size_t n = 0; n < result->node_count; n++) {
        const struct host_node *node = &result->nodes[n];
        size_t left = 0;
        for (size_t t = 0; t < node->task_count; t++) {
            left += refused(&node->tasks[t]);
            expect(refused(&node->tasks[t]) || node->tasks[t].status == 0,
                   "task %zu of %s ended with status %x", t, node->recorded->name,
                   (unsigned)node->tasks[t].status);
        }
        expect(left == wanted[n], "%zu tasks of %s left, expected %zu", left, node->recorded->name,
               wanted[n]);
        size_t lines = count_lines(result, n, says);
        expect(lines == (left > 0), "%zu lines of %s", lines, node->recorded->name);
        expect_step_ended(node, left > 0);
    }
}

static void run_refused(const struct recording *recording, const size_t *wanted, const char *says)
{
    struct host_setup setup = world_setup(recording);
    struct host_result *result = host_run(&setup);
    expect_refusal(result, wanted, says);
    expect_done(result);
}

static void run_all_refused(const struct recording *recording, const char *says)
{
    size_t wanted[16];
    for (size_t n = 0; n < recording->node_count; n++)
        wanted[n] = recording->nodes[n].task_count;
    run_refused(recording, wanted, says);
}

/* ---------------------------------------------------------------- node order */

static void wrong_order_in(struct recording *recording)
{
    recording_set(recording, "SLURM_STEP_NODELIST", "zeta1,n[10,9],alpha");
    run_all_refused(recording, "node order does not check");
}

static void wrong_order(void **state)
{
    (void)state;
    world_each_series("srun-1x4", wrong_order_in);
    world_each_series("srun-8x4", wrong_order_in);
}

/* Two nodes changed places: the others cannot know, and need not. */
static void two_swapped_in(struct recording *recording)
{
    const size_t wanted[] = {0, recording->nodes[1].task_count, recording->nodes[2].task_count, 0};
    recording_set(recording, "SLURM_STEP_NODELIST", "alpha,n[10,9],zeta1");
    run_refused(recording, wanted, "node order does not check");
}

static void two_swapped(void **state)
{
    (void)state;
    world_each_series("srun-8x4", two_swapped_in);
}

static void arbitrary_in(struct recording *recording)
{
    recording_set(recording, "SLURM_DISTRIBUTION", "arbitrary");
    run_all_refused(recording, "-m arbitrary");
}

static void arbitrary(void **state)
{
    (void)state;
    world_each_series("srun-8x4", arbitrary_in);
}

/* ---------------------------------------------------------------- the primary's address */

static void stale_book_in(struct recording *recording)
{
    /* Only where the ranks begin can it be seen. */
    const size_t wanted[16] = {1};
    world_write_book(recording->nodes[0].name, "10.9.0.99");
    run_refused(recording, wanted, "10.9.0.99");
    world_write_book(NULL, NULL);
}

static void stale_book(void **state)
{
    (void)state;
    world_each_series("srun-1x4", stale_book_in);
    world_each_series("srun-8x4", stale_book_in);
}

/* An address outside the cluster's network is not taken from the book at all. */
static void foreign_address_in(struct recording *recording)
{
    struct host_setup setup = world_setup(recording);
    world_write_book(recording->nodes[0].name, "192.0.2.1");
    struct host_result *result = host_run(&setup);
    expect_launched(result);
    expect_variable(&result->nodes[1], 0, "MASTER_ADDR", recording->nodes[0].name);
    expect_line_of_rank_0(result, "not in the address book");
    expect_done(result);
    world_write_book(NULL, NULL);
}

static void foreign_address(void **state)
{
    (void)state;
    world_each_series("srun-1x4", foreign_address_in);
}

/* ---------------------------------------------------------------- a replaced environment */

/* As a plugin that gives every task of a node the first one's environment. */
static void clobbered_in(struct recording *recording)
{
    size_t wanted[16];
    for (size_t n = 0; n < recording->node_count; n++)
        wanted[n] = recording->nodes[n].task_count - 1;
    recording_set(recording, "SLURM_LOCALID", "0");
    run_refused(recording, wanted, "another plugin replaced the task's environment");
}

static void clobbered(void **state)
{
    (void)state;
    world_each_series("srun-8x4", clobbered_in);
}

static const char *unset_name;

static void unset_variable_in(struct recording *recording)
{
    recording_set(recording, unset_name, NULL);
    run_all_refused(recording, unset_name);
}

static void unset_variable(void **state)
{
    static const char *const names[] = {"SLURM_PROCID", "SLURM_NODEID", "SLURM_LOCALID"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unset_name = names[i];
        world_each_series("srun-1x4", unset_variable_in);
    }
}

static void no_list_in(struct recording *recording)
{
    recording_set(recording, "SLURM_STEP_NODELIST", NULL);
    run_all_refused(recording, "SLURM_STEP_NODELIST is not set");
}

static void no_list(void **state)
{
    (void)state;
    world_each_series("srun-8x4", no_list_in);
}

/* ---------------------------------------------------------------- what is not refused */

static void batch_runs_in(struct recording *recording)
{
    struct host_setup setup = world_setup(recording);
    recording_set(recording, "SLURM_JOB_NODELIST", "n[1-");
    recording_set(recording, "SLURM_NODELIST", NULL);
    struct host_result *result = host_run(&setup);
    expect_launched(result);
    expect_unchanged(result);
    expect_line_of_rank_0(result, "nothing is set");
    expect_done(result);
}

static void batch_runs(void **state)
{
    (void)state;
    world_each_series("batch-4", batch_runs_in);
    world_each_series("batch-1", batch_runs_in);
}

const struct plugin_case refusal_cases[] = {
    {"a node order that does not check ends the step", wrong_order},
    {"only the nodes that are out of order refuse", two_swapped},
    {"-m arbitrary is refused", arbitrary},
    {"a primary that does not own its address is refused, by its first task", stale_book},
    {"an address outside the cluster's network is not taken from the book", foreign_address},
    {"a task with another one's environment is refused", clobbered},
    {"a task without its place is refused", unset_variable},
    {"a step without a node list is refused", no_list},
    {"a batch script runs whatever its node list is", batch_runs},
    {NULL, NULL},
};

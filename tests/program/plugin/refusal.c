/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that must not run: the tasks leave with status 1, one line per node tells why, and the
 * stepd asks once, from task_exit, for the step's end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/plugin/cases.h"
#include "program/plugin/expect.h"
#include "program/plugin/world.h"

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

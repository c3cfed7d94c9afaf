/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that must not run: the tasks leave with status 1, one line per node tells why, and the
 * stepd asks once, from task_exit, for the step's end. */
#include <slurm/slurm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* ---------------------------------------------------------------- a prolog that failed */

static const char *this_boot(void)
{
    static char id[64];
    FILE *file = must(fopen("/proc/sys/kernel/random/boot_id", "re"));
    must(fgets(id, sizeof id, file));
    fclose(file);
    id[strcspn(id, "\n")] = '\0';
    return id;
}

#define FAULT "mlx5_4/1 DOWN (Polling), expected ACTIVE; check cable and switch port [cluster-env ib.port.state]"

/* What the prolog of `job` leaves on that node, in the file of the job that runs there. */
static const char *leave_fault(const struct recorded_node *node, uint32_t job, const char *boot)
{
    char name[64], text[512];
    snprintf(text, sizeof text, "format=1\njob=%u\nrestarts=0\nboot.id=%s\nreason=" FAULT "\nend=1\n", job, boot);
    mkdir(world_path(node->name, "refused"), 0755);
    chmod(world_path(node->name, "refused"), 0755);
    snprintf(name, sizeof name, "refused/%u", node->user_init.items[S_JOB_ID].value);
    world_write(node->name, name, text);
    return world_path(node->name, name);
}

static void remove_faults(const struct recording *recording)
{
    char name[64];
    for (size_t n = 0; n < recording->node_count; n++) {
        snprintf(name, sizeof name, "refused/%u", recording->nodes[n].user_init.items[S_JOB_ID].value);
        remove(world_path(recording->nodes[n].name, name));
        rmdir(world_path(recording->nodes[n].name, "refused"));
    }
}

static uint32_t job_of(const struct recorded_node *node)
{
    return node->user_init.items[S_JOB_ID].value;
}

/* Only a file of root counts. */
static bool is_root(void)
{
    if (geteuid() != 0)
        printf("# not root: no prolog's file can be made\n");
    return geteuid() == 0;
}

static void failed_prolog_in(struct recording *recording)
{
    size_t wanted[16] = {0};
    const size_t last = recording->node_count - 1;
    wanted[last] = recording->nodes[last].task_count;
    leave_fault(&recording->nodes[last], job_of(&recording->nodes[last]), this_boot());
    run_refused(recording, wanted, "the prolog found a fault on this node: " FAULT "; start the job again; the step ends here");
    remove_faults(recording);
}

static void failed_prolog(void **state)
{
    (void)state;
    if (!is_root())
        return;
    world_each_series("srun-1x4", failed_prolog_in);
    world_each_series("srun-8x4", failed_prolog_in);
}

/* The variable SLURM_JOB_ID is the first component's. */
static void failed_component_in(struct recording *recording)
{
    struct recorded_node *node = &recording->nodes[1];
    expect(job_of(node) != job_of(&recording->nodes[0]), "both components have one number");
    leave_fault(node, job_of(node), this_boot());
    struct host_setup setup = world_setup(recording);
    struct host_result *result = host_run(&setup);
    for (size_t n = 0; n < result->node_count; n++)
        expect(result->nodes[n].tasks[0].returned == (n != 1), "node %zu", n);
    expect_done(result);
    remove_faults(recording);
}

static void failed_component(void **state)
{
    (void)state;
    if (is_root())
        world_each_series("het", failed_component_in);
}

static void others_job(struct recorded_node *node) { leave_fault(node, job_of(node) + 1, this_boot()); }
static void others_boot(struct recorded_node *node) { leave_fault(node, job_of(node), "00000000-0000-4000-8000-000000000000"); }
static void users(struct recorded_node *node)
{
    if (chown(leave_fault(node, job_of(node), this_boot()), 65534, 65534) < 0)
        abort();
}
static void anybodys(struct recorded_node *node)
{
    if (chmod(leave_fault(node, job_of(node), this_boot()), 0666) < 0)
        abort();
}
static void a_link(struct recorded_node *node)
{
    char target[4096];
    const char *path = leave_fault(node, job_of(node), this_boot());
    snprintf(target, sizeof target, "%s", world_job_file("target"));
    if (rename(path, target) < 0 || symlink(target, path) < 0)
        abort();
}
static void garbage(struct recorded_node *node)
{
    FILE *file = must(fopen(leave_fault(node, job_of(node), this_boot()), "we"));
    fputs("\001\033[2J", file);
    fclose(file);
}
static void too_long(struct recorded_node *node)
{
    FILE *file = must(fopen(leave_fault(node, job_of(node), this_boot()), "ae"));
    for (int i = 0; i < 4096; i++)
        fputc('\n', file);
    fclose(file);
}

static void (*bend)(struct recorded_node *);

static void not_believed_in(struct recording *recording)
{
    struct host_setup setup = world_setup(recording);
    for (size_t n = 0; n < recording->node_count; n++)
        bend(&recording->nodes[n]);
    struct host_result *result = host_run(&setup);
    expect_launched(result);
    expect_lines(result, 0);
    expect_done(result);
    remove_faults(recording);
}

static void not_believed(void **state)
{
    static void (*const bends[])(struct recorded_node *) = {others_job, others_boot, users, anybodys,
                                                            a_link, garbage, too_long};
    (void)state;
    for (size_t i = 0; i < sizeof bends / sizeof *bends && is_root(); i++) {
        bend = bends[i];
        world_one_series("srun-1x4", not_believed_in);
    }
}

/* Also if Slurm does not requeue it: the prolog's result is about this node. */
static void failed_batch_in(struct recording *recording)
{
    static const struct {
        struct host_controller controller;
        unsigned requeues;
        const char *says; /* after the first line; NULL: nothing */
    } rows[] = {
        {{.job_state = JOB_RUNNING}, 1, NULL},
        {{.job_state = JOB_PENDING | JOB_REQUEUE | JOB_COMPLETING}, 0, NULL},
        {{.job_state = JOB_RUNNING, .keeps_job = true}, 1, "Slurm does not requeue the job: "},
        {{.silent = true}, 0, "slurmctld does not tell the state of job "},
    };
    leave_fault(&recording->nodes[0], job_of(&recording->nodes[0]), this_boot());
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct host_setup setup = world_setup(recording);
        setup.controller = &rows[i].controller;
        struct host_result *result = host_run(&setup);
        expect_calm(result);
        expect(!result->nodes[0].tasks[0].returned && result->nodes[0].tasks[0].status != 0, "the script ran");
        expect_lines(result, rows[i].says ? 2 : 1);
        expect(strstr(result->messages[0].text,
                      "the prolog found a fault on this node: " FAULT "; the batch script does not start") != NULL,
               "it said '%s'", result->messages[0].text);
        if (rows[i].says)
            expect(strstr(result->messages[1].text, rows[i].says) != NULL, "it said '%s'", result->messages[1].text);
        expect(result->nodes[0].calls[HOST_TASK_EXIT].requeues == rows[i].requeues &&
                   result->nodes[0].calls[HOST_TASK_EXIT].kills == 0, "requeued %u times",
               result->nodes[0].calls[HOST_TASK_EXIT].requeues);
        expect_done(result);
    }
    remove_faults(recording);
}

static void failed_batch(void **state)
{
    (void)state;
    if (is_root())
        world_each_series("batch-1", failed_batch_in);
}

/* A step without the option is not refused. */
static void not_asked_in(struct recording *recording)
{
    const char *off = "off";
    struct host_setup setup = world_setup(recording);
    recording_set_callbacks(recording, 1, &off);
    leave_fault(&recording->nodes[0], job_of(&recording->nodes[0]), this_boot());
    struct host_result *result = host_run(&setup);
    expect_nothing_done(result);
    expect_done(result);
    remove_faults(recording);
}

static void not_asked(void **state)
{
    (void)state;
    if (is_root())
        world_each_series("srun-1x4", not_asked_in);
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
    {"no task runs on a node where the prolog of its job failed", failed_prolog},
    {"a component of a heterogeneous job is refused by its own prolog only", failed_component},
    {"a file of another job, boot or owner, or a malformed one, refuses nothing", not_believed},
    {"a batch script whose prolog failed does not run, its job is requeued", failed_batch},
    {"without the option a prolog that failed refuses nothing", not_asked},
    {NULL, NULL},
};

/* SPDX-License-Identifier: Apache-2.0 */
/* retries=N: which batch jobs come back, who inherits it, and what is refused at submission. */
#include <slurm/slurm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/plugin/cases.h"
#include "program/plugin/expect.h"
#include "program/plugin/failure.h"
#include "program/plugin/world.h"

static const struct retry_row {
    struct host_controller controller;
    int (*command)(const struct recorded_hook *);
    unsigned questions, requeues;
    const char *says[2];
} retries[] = {
    {{.job_state = JOB_RUNNING}, NULL, 0, 0, {NULL}},
    {{.job_state = JOB_RUNNING}, task_fails, 1, 1,
     {"the batch script ended with status 3; asking Slurm to requeue the job, retry 1 of 2"}},
    {{.job_state = JOB_RUNNING, .restarts = 1}, task_is_killed, 1, 1,
     {"the batch script was ended by signal 9; asking Slurm to requeue the job, retry 2 of 2"}},
    {{.job_state = JOB_RUNNING, .restarts = 2}, task_fails, 1, 0,
     {"the batch script ended with status 3; retries=2 are used up"}},
    {{.job_state = JOB_RUNNING, .keeps_job = true}, task_fails, 1, 1,
     {"asking Slurm to requeue the job, retry 1 of 2", "Slurm does not requeue the job: "}},
    {{.job_state = JOB_CANCELLED | JOB_COMPLETING}, task_is_killed, 1, 0, {NULL}},
    {{.job_state = JOB_TIMEOUT | JOB_COMPLETING}, task_is_killed, 1, 0, {NULL}},
    {{.job_state = JOB_PENDING | JOB_REQUEUE | JOB_COMPLETING}, task_is_killed, 1, 0, {NULL}},
    {{.job_state = JOB_RUNNING | JOB_SIGNALING | JOB_UPDATE_DB}, task_fails, 1, 1,
     {"asking Slurm to requeue the job, retry 1 of 2"}},
    {{.job_state = JOB_RUNNING | JOB_COMPLETING}, task_fails, 1, 0, {NULL}},
    {{.job_state = JOB_RUNNING, .array_job_id = 70, .array_task_id = 3}, task_fails, 1, 1,
     {"asking Slurm to requeue the job, retry 1 of 2"}},
    {{.silent = true}, task_fails, 1, 0,
     {"slurmctld does not tell the state of job "}},
};

/* Of an array one task: the number that it has beside may be the whole array's. */
static void expect_requeued(const struct host_result *result, const struct host_controller *controller)
{
    const struct host_node *node = &result->nodes[0];
    char wanted[32];
    if (controller->array_job_id)
        snprintf(wanted, sizeof wanted, "%u_%u", controller->array_job_id, controller->array_task_id);
    else
        snprintf(wanted, sizeof wanted, "%u", node->recorded->user_init.items[S_JOB_ID].value);
    expect(strcmp(node->requeued, wanted) == 0, "requeued '%s', not '%s'", node->requeued, wanted);
}

static void retries_in(struct recording *recording)
{
    for (size_t i = 0; i < sizeof retries / sizeof *retries; i++) {
        const struct retry_row *row = &retries[i];
        size_t lines = !row->says[0] ? 0 : !row->says[1] ? 1 : 2;
        struct host_result *result =
            run_tasks(recording, "gang,retries=2", row->command, &row->controller);
        expect_lines(result, lines);
        for (size_t k = 0; k < lines; k++)
            expect_said(result, row->says[k]);
        expect_calls(result, 0, row->questions, 0, 0, row->requeues);
        if (row->requeues)
            expect_requeued(result, &row->controller);
        expect_done(result);
    }
}

static void a_batch_job_that_failed_is_requeued_as_often_as_was_said(void **state)
{
    (void)state;
    world_each_series("batch-1", retries_in);
}

static void steps_retry_nothing_in(struct recording *recording)
{
    struct host_result *result = run_tasks(recording, "retries=2", task_fails, NULL);
    expect_lines(result, 0);
    expect_calls_of_each(result, 0, 0, 0);
    expect_done(result);
}

static void a_step_of_srun_requeues_nothing(void **state)
{
    (void)state;
    world_one_series("srun-1x4", steps_retry_nothing_in);
}

static void inheritance_in(struct recording *recording)
{
    struct host_setup setup = world_setup(recording);
    const char *option = "gang,retries=2,output=primary,port=4711";
    recording_set_callbacks(recording, 1, &option);
    recording_set(recording, OPTION_VARIABLE, option);
    struct host_result *result = host_run(&setup);
    expect_launched(result);
    expect_variable(&result->nodes[0], 0, OPTION_VARIABLE, "on,port=4711,gang");
    expect_variable(&result->nodes[0], 0, "CLUSTER_ENV_OPTION",
                    "on,port=4711,output=primary,gang,retries=2");
    expect_done(result);
}

static void what_a_batch_script_starts_does_not_inherit_retries(void **state)
{
    (void)state;
    world_each_series("batch-1", inheritance_in);
}

/* ---------------------------------------------------------------- at submission */

static const struct submission_row {
    spank_context_t context;
    const char *text, *outer; /* outer: the variable of a job around it; NULL: none */
    int rc;
    const char *says; /* NULL: nothing */
} submissions[] = {
    {S_CTX_LOCAL, "gang,output=primary", NULL, 0, NULL},
    {S_CTX_ALLOCATOR, "gang", NULL, 0, NULL},
    {S_CTX_ALLOCATOR, "output=primary", NULL, -1, "output=primary is for one srun"},
    {S_CTX_LOCAL, "retries=2", NULL, -1, "retries=2 is for batch jobs"},
    {S_CTX_ALLOCATOR, "retries=2", NULL, 0, "each run overwrites the output of the one before"},
    {S_CTX_LOCAL, "retries=2", "retries=2", 0, NULL},
    {S_CTX_LOCAL, "retries=2", "gang", -1, "retries=2 is for batch jobs"},
};

static void submit_in(struct recording *recording)
{
    for (size_t i = 0; i < sizeof submissions / sizeof *submissions; i++) {
        const struct submission_row *row = &submissions[i];
        struct host_setup setup = world_setup(recording);
        setup.context = row->context;
        recording_set_callbacks(recording, 1, &row->text);
        if (row->outer)
            setenv(OPTION_VARIABLE, row->outer, 1);
        struct host_result *result = host_run(&setup);
        unsetenv(OPTION_VARIABLE);
        expect(result->nodes[0].calls[HOST_CALLBACK].rc == row->rc, "'%s' gives %d", row->text,
               result->nodes[0].calls[HOST_CALLBACK].rc);
        expect_lines(result, row->says ? result->node_count : 0);
        if (row->says)
            expect_said(result, row->says);
        expect_done(result);
    }
}

static void what_would_have_no_effect_is_refused_at_submission(void **state)
{
    (void)state;
    world_one_series("batch-1", submit_in);
}

const struct plugin_case retry_cases[] = {
    {"a batch job that failed is requeued as often as was said",
     a_batch_job_that_failed_is_requeued_as_often_as_was_said},
    {"a step of srun requeues nothing", a_step_of_srun_requeues_nothing},
    {"what a batch script starts does not inherit retries or output=primary",
     what_a_batch_script_starts_does_not_inherit_retries},
    {"what would have no effect is refused at submission",
     what_would_have_no_effect_is_refused_at_submission},
    {NULL, NULL},
};

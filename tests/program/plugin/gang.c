/* SPDX-License-Identifier: Apache-2.0 */
/* gang: what follows when a task fails, and when none does. */
#include <errno.h>
#include <signal.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "program/plugin/cases.h"
#include "program/plugin/expect.h"
#include "program/plugin/failure.h"
#include "program/plugin/world.h"

static void gang_in(struct recording *recording)
{
    struct host_result *result = run_tasks(recording, "gang", task_second_fails, NULL);
    expect_lines(result, 1);
    expect_said(result, ": rank 1 ended with status 3; gang: the whole step ends");
    expect_calls(result, 0, 2, 1, HOST_KILL_REQUESTS, 0);
    expect_calls(result, 1, 0, 0, 0, 0);
    expect(result->nodes[0].kill.signal == SIGKILL, "signal %u", result->nodes[0].kill.signal);
    expect_done(result);
}

static void a_failed_task_of_a_gang_ends_the_step(void **state)
{
    (void)state;
    world_each_series("srun-8x4", gang_in);
}

static void killed_in(struct recording *recording)
{
    struct host_result *result = run_tasks(recording, "gang", task_is_killed, NULL);
    expect_lines(result, result->node_count);
    expect_said(result, ": rank 0 was ended by signal 9; gang: the whole step ends");
    expect_calls_of_each(result, 2, 1, HOST_KILL_REQUESTS);
    expect_done(result);
}

static void so_does_one_that_was_killed(void **state)
{
    (void)state;
    world_one_series("srun-1x4", killed_in);
}

static void all_fail_in(struct recording *recording)
{
    struct host_result *result = run_tasks(recording, "gang", task_fails, NULL);
    expect_lines(result, result->node_count);
    expect_calls_of_each(result, 2, 1, HOST_KILL_REQUESTS);
    expect_done(result);
}

static void all_tasks_of_a_node_fail_and_it_asks_once(void **state)
{
    (void)state;
    world_one_series("srun-8x4", all_fail_in);
}

static void quiet_in(struct recording *recording)
{
    struct host_result *result = run_tasks(recording, "gang", NULL, NULL);
    expect_launched(result);
    expect_done(result);
    result = run_tasks(recording, "on", task_fails, NULL);
    expect_lines(result, 0);
    expect_calls_of_each(result, 0, 0, 0);
    expect_done(result);
    result = run_tasks(recording, "off", task_fails, NULL);
    expect_lines(result, 0);
    expect_calls_of_each(result, 0, 0, 0);
    expect_done(result);
}

static void without_failure_or_without_gang_slurmctld_is_asked_nothing(void **state)
{
    (void)state;
    world_each_series("srun-1x4", quiet_in);
}

/* Slurm counts a component's ranks by themselves: no rank is better than a wrong one. */
static void components_in(struct recording *recording)
{
    struct host_result *result = run_tasks(recording, "gang", task_fails, NULL);
    expect_lines(result, result->node_count);
    expect_said(result, ": a task ended with status 3; gang: the whole step ends");
    expect_calls_of_each(result, 2, 1, HOST_KILL_REQUESTS);
    expect_done(result);
}

static void of_a_heterogeneous_step_no_rank_is_told(void **state)
{
    (void)state;
    world_each_series("het", components_in);
}

static void all_components_in(struct recording *recording)
{
    static const struct host_controller three = {.job_state = JOB_RUNNING, .components = 3};
    static const struct host_controller absent = {.job_state = JOB_RUNNING,
                                                  .components = 2,
                                                  .kills_failing = 1,
                                                  .kill_error = ESLURM_INVALID_JOB_ID};
    struct host_result *result = run_tasks(recording, "gang", task_fails, &three);
    expect_lines(result, result->node_count);
    expect_calls_of_each(result, 3, 3, 3 * HOST_KILL_REQUESTS);
    expect_done(result);
    result = run_tasks(recording, "gang", task_fails, &absent);
    expect_lines(result, result->node_count);
    expect_calls_of_each(result, 3, 2, 2 * HOST_KILL_REQUESTS);
    expect_done(result);
}

static void each_component_of_the_job_is_asked_to_end_its_part(void **state)
{
    (void)state;
    world_each_series("het", all_components_in);
}

static void alone_in(struct recording *recording)
{
    struct host_result *result;
    recording_set(recording, "SLURM_NTASKS", "1");
    recording_set(recording, "SLURM_STEP_NUM_TASKS", "1");
    result = run_tasks(recording, "gang", task_fails, NULL);
    expect_lines(result, 0);
    expect_calls_of_each(result, 0, 0, 0);
    expect_done(result);
}

static void one_task_is_the_whole_step(void **state)
{
    (void)state;
    world_one_series("option-in-srun", alone_in);
}

static void followers_in(struct recording *recording)
{
    static const struct host_controller taken = {.step_is_taken = true, .job_state = JOB_RUNNING};
    static const struct host_controller beside = {
        .step_is_taken = true, .more_records = true, .job_state = JOB_RUNNING};
    static const struct host_controller over = {.step_is_over = true};
    static const struct host_controller cancelled = {.job_state = JOB_CANCELLED | JOB_COMPLETING};
    struct host_result *result = run_tasks(recording, "gang", task_is_killed, &taken);
    expect_lines(result, 0);
    expect_calls_of_each(result, 1, 0, 0);
    expect_done(result);
    result = run_tasks(recording, "gang", task_is_killed, &beside);
    expect_lines(result, 0);
    expect_calls_of_each(result, 1, 0, 0);
    expect_done(result);
    result = run_tasks(recording, "gang", task_is_killed, &over);
    expect_lines(result, 0);
    expect_calls_of_each(result, 1, 0, 0);
    expect_done(result);
    result = run_tasks(recording, "gang", task_is_killed, &cancelled);
    expect_lines(result, 0);
    expect_calls_of_each(result, 2, 0, 0);
    expect_done(result);
}

static void a_step_that_ends_anyway_is_left_alone(void **state)
{
    (void)state;
    world_one_series("srun-1x4", followers_in);
}

static void silent_in(struct recording *recording)
{
    static const struct host_controller silent = {.silent = true};
    struct host_result *result = run_tasks(recording, "gang", task_fails, &silent);
    expect_lines(result, result->node_count);
    expect_calls_of_each(result, 2, 0, HOST_KILL_REQUESTS);
    expect_done(result);
}

static void slurmctld_does_not_answer_and_is_asked_to_end_the_step(void **state)
{
    (void)state;
    world_one_series("srun-1x4", silent_in);
}

/* The requests of which one succeeds, and those that failed before. */
static const struct kill_row {
    struct host_controller controller;
    unsigned kills;
    const char *says; /* beside the rank's line; NULL: nothing */
} kills[] = {
    {{.job_state = JOB_RUNNING, .kills_failing = 1, .kill_error = ESLURM_ALREADY_DONE}, 1, NULL},
    {{.job_state = JOB_RUNNING, .kills_failing = 1, .kill_error = ETIMEDOUT},
     1 + HOST_KILL_REQUESTS,
     NULL},
    {{.job_state = JOB_RUNNING, .kills_failing = 99, .kill_error = ETIMEDOUT},
     3,
     ": could not end the step: Connection timed out; scancel it"},
};

static void refused_in(struct recording *recording)
{
    for (size_t i = 0; i < sizeof kills / sizeof *kills; i++) {
        const struct kill_row *row = &kills[i];
        struct host_result *result = run_tasks(recording, "gang", task_second_fails, &row->controller);
        expect_lines(result, row->says ? 2 : 1);
        if (row->says)
            expect_said(result, row->says);
        expect_calls(result, 0, 2, 1, row->kills, 0);
        expect_done(result);
    }
}

static void a_request_that_fails_is_repeated_then_the_user_is_told(void **state)
{
    (void)state;
    world_one_series("srun-8x4", refused_in);
}

const struct plugin_case gang_cases[] = {
    {"a failed task of a gang ends the step", a_failed_task_of_a_gang_ends_the_step},
    {"so does one that was killed", so_does_one_that_was_killed},
    {"all tasks of a node fail: it asks once", all_tasks_of_a_node_fail_and_it_asks_once},
    {"without failure or without gang slurmctld is asked nothing",
     without_failure_or_without_gang_slurmctld_is_asked_nothing},
    {"of a heterogeneous step no rank is told", of_a_heterogeneous_step_no_rank_is_told},
    {"each component of a heterogeneous job is asked to end its part", each_component_of_the_job_is_asked_to_end_its_part},
    {"a step that ends anyway is left alone", a_step_that_ends_anyway_is_left_alone},
    {"slurmctld does not answer and is asked to end the step all the same",
     slurmctld_does_not_answer_and_is_asked_to_end_the_step},
    {"a request to end the step that fails is repeated; then the user is told",
     a_request_that_fails_is_repeated_then_the_user_is_told},
    {"one task is the whole step", one_task_is_the_whole_step},
    {NULL, NULL},
};

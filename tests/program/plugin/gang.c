/* SPDX-License-Identifier: Apache-2.0 */
/* gang, retries=N, output=primary: what follows when a task fails, and when none does. */
#include <errno.h>
#include <signal.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program/plugin/cases.h"
#include "program/plugin/expect.h"
#include "program/plugin/world.h"

#define OPTION_VARIABLE "SLURM_SPANK__SLURM_SPANK_OPTION_cluster_env_cluster_env"

/* ---------------------------------------------------------------- commands */

static int fails(const struct recorded_hook *task)
{
    (void)task;
    return 3;
}

static int second_fails(const struct recorded_hook *task)
{
    return task->items[S_TASK_GLOBAL_ID].value == 1 ? 3 : 0;
}

static int is_killed(const struct recorded_hook *task)
{
    (void)task;
    return kill(getpid(), SIGKILL);
}

/* ---------------------------------------------------------------- runs */

static struct host_result *run(struct recording *recording, const char *option,
                               int (*command)(const struct recorded_hook *),
                               const struct host_controller *controller)
{
    struct host_setup setup = world_setup(recording);
    setup.command = command;
    setup.controller = controller;
    recording_set_callbacks(recording, 1, &option);
    recording_set(recording, OPTION_VARIABLE, NULL);
    struct host_result *result = host_run(&setup);
    expect_calm(result);
    return result;
}

static void expect_calls(const struct host_result *result, size_t n, unsigned questions,
                         unsigned claims, unsigned kills, unsigned requeues)
{
    const struct host_calls *calls = &result->nodes[n].calls[HOST_TASK_EXIT];
    expect(calls->questions == questions, "%u questions", calls->questions);
    expect(calls->claims == claims, "%u claims", calls->claims);
    expect(calls->kills == kills, "%u calls to end the step", calls->kills);
    expect(calls->requeues == requeues, "%u requests to requeue", calls->requeues);
}

/* Every node is asked the same: each runs by itself here. */
static void expect_calls_of_each(const struct host_result *result, unsigned questions,
                                 unsigned claims, unsigned kills)
{
    for (size_t n = 0; n < result->node_count; n++)
        expect_calls(result, n, questions, claims, kills, 0);
}

static void expect_said(const struct host_result *result, const char *text)
{
    for (size_t i = 0; i < result->message_count; i++)
        if (strstr(result->messages[i].text, text))
            return;
    expect_lines(result, SIZE_MAX); /* shows what was said */
}

/* ---------------------------------------------------------------- gang */

static void gang_in(struct recording *recording)
{
    struct host_result *result = run(recording, "gang", second_fails, NULL);
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
    struct host_result *result = run(recording, "gang", is_killed, NULL);
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
    struct host_result *result = run(recording, "gang", fails, NULL);
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
    struct host_result *result = run(recording, "gang", NULL, NULL);
    expect_launched(result);
    expect_done(result);
    result = run(recording, "on", fails, NULL);
    expect_lines(result, 0);
    expect_calls_of_each(result, 0, 0, 0);
    expect_done(result);
    result = run(recording, "off", fails, NULL);
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
    struct host_result *result = run(recording, "gang", fails, NULL);
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

static void alone_in(struct recording *recording)
{
    struct host_result *result;
    recording_set(recording, "SLURM_NTASKS", "1");
    recording_set(recording, "SLURM_STEP_NUM_TASKS", "1");
    result = run(recording, "gang", fails, NULL);
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
    struct host_result *result = run(recording, "gang", is_killed, &taken);
    expect_lines(result, 0);
    expect_calls_of_each(result, 1, 0, 0);
    expect_done(result);
    result = run(recording, "gang", is_killed, &beside);
    expect_lines(result, 0);
    expect_calls_of_each(result, 1, 0, 0);
    expect_done(result);
    result = run(recording, "gang", is_killed, &over);
    expect_lines(result, 0);
    expect_calls_of_each(result, 1, 0, 0);
    expect_done(result);
    result = run(recording, "gang", is_killed, &cancelled);
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
    struct host_result *result = run(recording, "gang", fails, &silent);
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
        struct host_result *result = run(recording, "gang", second_fails, &row->controller);
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

/* ---------------------------------------------------------------- output */

/* What rank 1 writes and how it ends; rank 0 would write where the test does. */
static int speaks_and_fails(const struct recorded_hook *task)
{
    static const char text[] = "one\ntwo\n\033[31mTraceback";
    if (task->items[S_TASK_GLOBAL_ID].value != 1)
        return 0;
    return write(STDOUT_FILENO, text, 4) == 4 &&
                   write(STDERR_FILENO, text + 4, sizeof text - 5) == sizeof text - 5
               ? 4
               : 5;
}

static void expect_log(const struct recording *recording, const char *wanted)
{
    const struct recorded_item *items = recording->nodes[0].user_init.items;
    char name[64], text[256] = "";
    snprintf(name, sizeof name, "cluster-env-%u.%u/1.log", items[S_JOB_ID].value,
             items[S_JOB_STEPID].value);
    FILE *file = fopen(world_job_file(name), "re");
    expect(file != NULL, "no %s", name);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    expect(length == strlen(wanted) && strcmp(text, wanted) == 0, "%s holds: %s", name, text);
}

static void output_in(struct recording *recording)
{
    struct host_result *result = run(recording, "output=primary", speaks_and_fails, NULL);
    expect_lines(result, 4);
    expect_said(result, ": rank 1 ended with status 4; the end of cluster-env-");
    expect_said(result, "cluster-env: rank 1: one");
    expect_said(result, "cluster-env: rank 1: two");
    expect_said(result, "cluster-env: rank 1: ?[31mTraceback");
    expect_calls_of_each(result, 0, 0, 0);
    expect_log(recording, "one\ntwo\n\033[31mTraceback");
    expect_done(result);
    /* the same step again, as after a requeue: of its log only what is new is shown */
    result = run(recording, "gang,output=primary", speaks_and_fails, NULL);
    expect_lines(result, 4);
    expect_said(result, "; gang: the whole step ends; the end of cluster-env-");
    expect_log(recording, "one\ntwo\n\033[31mTracebackone\ntwo\n\033[31mTraceback");
    expect_done(result);
}

static void the_output_of_other_ranks_goes_to_files_whose_end_is_shown(void **state)
{
    (void)state;
    world_one_series("srun-8x4", output_in);
}

/* Rank 0 writes where it did before. */
static int all_fail_and_others_speak(const struct recorded_hook *task)
{
    static const char text[] = "last words\n";
    return task->items[S_TASK_GLOBAL_ID].value == 0 ||
                   write(STDOUT_FILENO, text, sizeof text - 1) == sizeof text - 1
               ? 4
               : 5;
}

static void all_speak_in(struct recording *recording)
{
    struct host_result *result = run(recording, "output=primary", all_fail_and_others_speak, NULL);
    expect_lines(result, 2 * result->node_count);
    expect_said(result, "cluster-env: rank 1: last words");
    expect_done(result);
}

static void a_rank_without_a_file_does_not_keep_the_next_ones_to_itself(void **state)
{
    (void)state;
    world_one_series("srun-8x4", all_speak_in);
}

static void no_room_in(struct recording *recording)
{
    const struct recorded_item *items = recording->nodes[0].user_init.items;
    char name[64];
    snprintf(name, sizeof name, "cluster-env-%u.%u", items[S_JOB_ID].value,
             items[S_JOB_STEPID].value);
    if (symlink("/etc", world_job_file(name)) < 0)
        abort();
    struct host_result *result = run(recording, "output=primary", NULL, NULL);
    expect_lines(result, result->node_count - 1);
    expect_said(result, ": Not a directory; its output stays with that of rank 0");
    expect_done(result);
}

static void a_folder_that_is_a_link_is_not_followed(void **state)
{
    (void)state;
    world_one_series("srun-1x4", no_room_in);
}

/* ---------------------------------------------------------------- retries */

static const struct retry_row {
    struct host_controller controller;
    int (*command)(const struct recorded_hook *);
    unsigned questions, requeues;
    const char *says[2];
} retries[] = {
    {{.job_state = JOB_RUNNING}, NULL, 0, 0, {NULL}},
    {{.job_state = JOB_RUNNING}, fails, 1, 1,
     {"the batch script ended with status 3; asking Slurm to requeue the job, retry 1 of 2"}},
    {{.job_state = JOB_RUNNING, .restarts = 1}, is_killed, 1, 1,
     {"the batch script was ended by signal 9; asking Slurm to requeue the job, retry 2 of 2"}},
    {{.job_state = JOB_RUNNING, .restarts = 2}, fails, 1, 0,
     {"the batch script ended with status 3; retries=2 are used up"}},
    {{.job_state = JOB_RUNNING, .keeps_job = true}, fails, 1, 1,
     {"asking Slurm to requeue the job, retry 1 of 2", "Slurm does not requeue the job: "}},
    {{.job_state = JOB_CANCELLED | JOB_COMPLETING}, is_killed, 1, 0, {NULL}},
    {{.job_state = JOB_TIMEOUT | JOB_COMPLETING}, is_killed, 1, 0, {NULL}},
    {{.job_state = JOB_PENDING | JOB_REQUEUE | JOB_COMPLETING}, is_killed, 1, 0, {NULL}},
    {{.job_state = JOB_RUNNING | JOB_SIGNALING | JOB_UPDATE_DB}, fails, 1, 1,
     {"asking Slurm to requeue the job, retry 1 of 2"}},
    {{.job_state = JOB_RUNNING | JOB_COMPLETING}, fails, 1, 0, {NULL}},
    {{.job_state = JOB_RUNNING, .array_job_id = 70, .array_task_id = 3}, fails, 1, 1,
     {"asking Slurm to requeue the job, retry 1 of 2"}},
    {{.silent = true}, fails, 1, 0,
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
            run(recording, "gang,retries=2", row->command, &row->controller);
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
    struct host_result *result = run(recording, "retries=2", fails, NULL);
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

const struct plugin_case gang_cases[] = {
    {"a failed task of a gang ends the step", a_failed_task_of_a_gang_ends_the_step},
    {"so does one that was killed", so_does_one_that_was_killed},
    {"all tasks of a node fail: it asks once", all_tasks_of_a_node_fail_and_it_asks_once},
    {"without failure or without gang slurmctld is asked nothing",
     without_failure_or_without_gang_slurmctld_is_asked_nothing},
    {"of a heterogeneous step no rank is told", of_a_heterogeneous_step_no_rank_is_told},
    {"a step that ends anyway is left alone", a_step_that_ends_anyway_is_left_alone},
    {"slurmctld does not answer and is asked to end the step all the same",
     slurmctld_does_not_answer_and_is_asked_to_end_the_step},
    {"a request to end the step that fails is repeated; then the user is told",
     a_request_that_fails_is_repeated_then_the_user_is_told},
    {"one task is the whole step", one_task_is_the_whole_step},
    {"a rank without a file does not keep the next one's to itself",
     a_rank_without_a_file_does_not_keep_the_next_ones_to_itself},
    {"the output of other ranks goes to files whose end is shown",
     the_output_of_other_ranks_goes_to_files_whose_end_is_shown},
    {"a folder that is a link is not followed", a_folder_that_is_a_link_is_not_followed},
    {"a batch job that failed is requeued as often as was said",
     a_batch_job_that_failed_is_requeued_as_often_as_was_said},
    {"a step of srun requeues nothing", a_step_of_srun_requeues_nothing},
    {"what a batch script starts does not inherit retries or output=primary",
     what_a_batch_script_starts_does_not_inherit_retries},
    {"what would have no effect is refused at submission",
     what_would_have_no_effect_is_refused_at_submission},
    {NULL, NULL},
};

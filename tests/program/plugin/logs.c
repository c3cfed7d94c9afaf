/* SPDX-License-Identifier: Apache-2.0 */
/* output=primary: the files of the other ranks, and whose end is shown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program/plugin/cases.h"
#include "program/plugin/expect.h"
#include "program/plugin/failure.h"
#include "program/plugin/world.h"

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
    struct host_result *result = run_tasks(recording, "output=primary", speaks_and_fails, NULL);
    expect_lines(result, 4);
    expect_said(result, ": rank 1 ended with status 4; the end of cluster-env-");
    expect_said(result, "cluster-env: rank 1: one");
    expect_said(result, "cluster-env: rank 1: two");
    expect_said(result, "cluster-env: rank 1: ?[31mTraceback");
    expect_calls_of_each(result, 0, 0, 0);
    expect_log(recording, "one\ntwo\n\033[31mTraceback");
    expect_done(result);
    /* the same step again, as after a requeue: of its log only what is new is shown */
    result = run_tasks(recording, "gang,output=primary", speaks_and_fails, NULL);
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
    struct host_result *result = run_tasks(recording, "output=primary", all_fail_and_others_speak, NULL);
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
    struct host_result *result = run_tasks(recording, "output=primary", NULL, NULL);
    expect_lines(result, result->node_count - 1);
    expect_said(result, ": Not a directory; its output stays with that of rank 0");
    expect_done(result);
}

static void a_folder_that_is_a_link_is_not_followed(void **state)
{
    (void)state;
    world_one_series("srun-1x4", no_room_in);
}

const struct plugin_case log_cases[] = {
    {"a rank without a file does not keep the next one's to itself",
     a_rank_without_a_file_does_not_keep_the_next_ones_to_itself},
    {"the output of other ranks goes to files whose end is shown",
     the_output_of_other_ranks_goes_to_files_whose_end_is_shown},
    {"a folder that is a link is not followed", a_folder_that_is_a_link_is_not_followed},
    {NULL, NULL},
};

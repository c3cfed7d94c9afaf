/* SPDX-License-Identifier: Apache-2.0 */
/* The real cluster_env.so in a stand-in for slurmstepd (tests/doubles/spank_host.h), answered with
 * what real stepds of each Slurm series said (tests/fixtures/spank), and then with worse.
 * CLUSTER_ENV_PLUGIN names another plugin than the one just built. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "program/plugin/cases.h"
#include "program/plugin/expect.h"
#include "program/plugin/world.h"

/* What a sanitizer finds must not look like a refusal, whose exit status is 1.  Memory that is kept
 * back after free() makes each of thousands of forks slower. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "exitcode=99:quarantine_size_mb=4";
}

enum { TESTS_MAX = 512 };

/* ---------------------------------------------------------------- recordings */

static void check_recording(void **state)
{
    struct recording *recording = recording_read(*state);
    expect(recording != NULL, "%s cannot be read", (const char *)*state);
    expect_where(recording->name);
    struct host_setup setup = world_setup(recording);
    struct host_result *result = host_run(&setup);
    expect_as_recorded(result);
    expect_done(result);
    recording_free(recording);
    expect_where(NULL);
}

/* ---------------------------------------------------------------- what it costs */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A diagnostic, not a test: under a sanitizer or valgrind the number means nothing. */
static void print_cost(void **state)
{
    struct recording *recording = recording_read(world_recording("srun-8x4"));
    struct host_setup setup = world_setup(recording);
    struct host_result *result = host_run(&setup);
    double times[1024];
    size_t count = 0;
    (void)state;
    for (size_t n = 0; n < result->node_count; n++)
        for (size_t t = 0; t < result->nodes[n].task_count && count < 1024; t++)
            times[count++] = result->nodes[n].tasks[t].microseconds;
    qsort(times, count, sizeof *times, by_size);
    printf("# task_init: %.0f us of CPU in the median of %zu tasks, %.0f us at most\n",
           times[count / 2], count, times[count - 1]);
    expect_done(result);
    recording_free(recording);
}

/* ---------------------------------------------------------------- all tests */

static struct CMUnitTest tests[TESTS_MAX];
static size_t test_count;

static void add(const char *name, CMUnitTestFunction run, void *state)
{
    if (test_count == TESTS_MAX)
        abort();
    tests[test_count++] = (struct CMUnitTest){name, run, world_create, world_destroy, state};
}

/* The newest series has the most variables; valgrind, which makes each fork slow, runs it alone. */
static char **recordings(void)
{
    char **path = world_recordings(), **last = path;
    if (!getenv("CLUSTER_ENV_TEST_ONE_SERIES"))
        return path;
    while (last[0] && last[1])
        last++;
    size_t folder = *last ? (size_t)(strrchr(*last, '/') - *last) : 0;
    while (*path && strncmp(*path, *last, folder))
        path++;
    return path;
}

static void add_recordings(void)
{
    for (char **path = recordings(); *path; path++) {
        char *name = must(malloc(strlen(*path) + 64));
        const char *short_name = strstr(*path, "fixtures/spank/");
        sprintf(name, "as recorded: %s", short_name ? short_name + 15 : *path);
        add(name, check_recording, *path);
    }
}

static void add_cases(const struct plugin_case *cases)
{
    for (; cases->name; cases++)
        add(cases->name, cases->run, NULL);
}

static void free_names(size_t count)
{
    for (size_t i = 0; i < count; i++)
        free((char *)(uintptr_t)tests[i].name);
}

/* Thousands of forks, each as long as an exec under valgrind; ASan runs them. */
static void add_long_cases(void)
{
    add_cases(order_cases);
    add_cases(refusal_cases);
    add_cases(gang_cases);
    add_cases(log_cases);
    add_cases(retry_cases);
    add_cases(lifetime_cases);
    add_cases(hostile_cases); /* they make this process large and its forks slow */
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0); /* what was tested is known where a test hangs */
    cmocka_set_message_output(CM_OUTPUT_TAP);
    add_recordings();
    size_t recordings = test_count;
    add_cases(option_cases);
    add_cases(text_cases);
    add_cases(rails_cases);
    add("the cost of a task is told", print_cost, NULL);
    if (!getenv("CLUSTER_ENV_TEST_ONE_SERIES"))
        add_long_cases();
    int failed = _cmocka_run_group_tests("plugin", tests, test_count, NULL, NULL);
    free_names(recordings);
    return failed != 0;
}

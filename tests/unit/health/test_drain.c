/* SPDX-License-Identifier: Apache-2.0 */
/* Draining: real children, with shell scripts in the place of slurm-node. */
#include "health/drain.h"

#include <time.h>

#include "../unit.h"

/* Where the tests run: /tmp may be mounted noexec. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[4096] = "test_drain.XXXXXX", script[4200], words[4200];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(script, sizeof script, "%s/slurm-node", folder);
    snprintf(words, sizeof words, "%s/words", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(script);
    unlink(words);
    return rmdir(folder);
}

static const struct ce_guard_limit limit = {10, 24};

static const struct row {
    const char *name, *script; /* NULL: there is none */
    enum ce_change change;
    const char *error;
} rows[] = {
    {"a_node_is_drained_where_the_helper_says_so", "exit 0", CE_CHANGED, ""},
    {"the_guard_holds_it_back", "exit 3", CE_CHANGE_HELD_BACK, ""},
    {"a_reason_stands_there", "exit 4", CE_CHANGE_NOT_OURS, ""},
    {"a_slip_is_a_failure", "exit 2", CE_CHANGE_FAILED, "slurm-node drain n1: exit status 2"},
    {"a_refusal_is_told", "echo 'slurm-node: slurmctld knows no node n1' >&2; exit 1", CE_CHANGE_FAILED,
     "slurm-node drain n1: exit status 1: slurm-node: slurmctld knows no node n1"},
    {"a_helper_that_is_not_there_is_told", NULL, CE_CHANGE_FAILED, "slurm-node: No such file or directory"},
    {"a_helper_that_hangs_is_given_up", "exec sleep 60", CE_CHANGE_FAILED, "no answer in 0.3 s"},
    {"a_helper_that_does_not_listen_is_given_up", "trap '' TERM INT; while :; do sleep 1; done",
     CE_CHANGE_FAILED,
     "no answer in 0.3 s"},
    {"a_helper_that_crashes_is_told", "kill -SEGV $$", CE_CHANGE_FAILED, "ignal"},
};

static void write_script(const char *lines)
{
    FILE *file = fopen(script, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", lines);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(script, 0755), 0);
}

static void drains(void **state)
{
    const struct row *row = *state;
    struct ce_error err = {""};
    struct timespec start, end;
    unlink(script);
    if (row->script)
        write_script(row->script);
    clock_gettime(CLOCK_MONOTONIC, &start);
    assert_int_equal(ce_drain_node(folder, "n1", "why", &limit, 300, &err), row->change);
    clock_gettime(CLOCK_MONOTONIC, &end);
    unit_holds(err.text, row->error);
    assert_true(end.tv_sec - start.tv_sec < 3);
}

static void keep_words(void)
{
    FILE *file = fopen(script, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\nprintf '%%s|' \"$@\" >\"${0%%/*}/words\"\n");
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(script, 0755), 0);
}

static void assert_words(const char *expected)
{
    char got[200] = "";
    FILE *file = fopen(words, "r");
    assert_non_null(file);
    assert_non_null(fgets(got, sizeof got, file));
    fclose(file);
    assert_string_equal(got, expected);
}

static void the_helper_gets_node_and_reason_as_they_are(void **state)
{
    static const char reason[] = "a 'b' $(c); %s";
    struct ce_error err = {""};
    (void)state;
    keep_words();
    assert_int_equal(ce_drain_node(folder, "n1", reason, &limit, 10000, &err), CE_CHANGED);
    assert_words("drain|n1|a 'b' $(c); %s|10|24|");
    assert_int_equal(ce_drain_lift(folder, "n1", reason, 10000, &err), CE_CHANGED);
    assert_words("resume|n1|a 'b' $(c); %s|");
}

static void a_job_is_requeued_by_its_number(void **state)
{
    struct ce_error err = {""};
    (void)state;
    keep_words();
    assert_int_equal(ce_requeue_job(folder, 4294967294, 10000, &err), CE_CHANGED);
    assert_words("requeue|4294967294|");
    unlink(script);
    assert_int_equal(ce_requeue_job(folder, 7, 1000, &err), CE_CHANGE_FAILED);
    unit_holds(err.text, "slurm-node requeue 7: ");
}

static const struct requeue_row {
    const char *name, *script;
    enum ce_change change;
} requeues[] = {
    {"a_job_is_requeued", "exit 0", CE_CHANGED},
    {"slurm_requeues_no_such_job", "exit 4", CE_CHANGE_NOT_OURS},
    {"slurmctld_does_not_answer", "exit 1", CE_CHANGE_FAILED},
};

static void what_becomes_of_a_job_is_told(void **state)
{
    const struct requeue_row *row = *state;
    struct ce_error err = {""};
    write_script(row->script);
    assert_int_equal(ce_requeue_job(folder, 7, 10000, &err), row->change);
}

static void a_refused_job_is_told_by_its_number_with_words_for_its_user(void **state)
{
    struct ce_error err = {""};
    (void)state;
    keep_words();
    assert_int_equal(ce_refuse_job(folder, 7, "n1 'is' $(drained)", 10000, &err), CE_CHANGED);
    assert_words("refuse|7|n1 'is' $(drained)|");
    write_script("exit 4");
    assert_int_equal(ce_refuse_job(folder, 7, "why", 10000, &err), CE_CHANGE_NOT_OURS);
    unlink(script);
    assert_int_equal(ce_refuse_job(folder, 7, "why", 1000, &err), CE_CHANGE_FAILED);
    unit_holds(err.text, "slurm-node refuse 7: ");
}

static void a_folder_with_too_long_a_name_is_an_error(void **state)
{
    static char longest[8000];
    struct ce_error err = {""};
    (void)state;
    memset(longest, 'x', sizeof longest - 1);
    assert_int_equal(ce_drain_node(longest, "n1", "why", &limit, 300, &err), CE_CHANGE_FAILED);
    unit_holds(err.text, "too long a name");
}

int main(void)
{
    UNIT_TABLE(rows, drains);
    UNIT_TABLE(requeues, what_becomes_of_a_job_is_told);
    UNIT_RULE(the_helper_gets_node_and_reason_as_they_are);
    UNIT_RULE(a_job_is_requeued_by_its_number);
    UNIT_RULE(a_refused_job_is_told_by_its_number_with_words_for_its_user);
    UNIT_RULE(a_folder_with_too_long_a_name_is_an_error);
    return cmocka_run_group_tests_name("health/drain", unit_tests, make_folder, remove_folder);
}

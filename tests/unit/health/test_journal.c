/* SPDX-License-Identifier: Apache-2.0 */
#include "health/journal.h"

#include "../unit_dir.h"
#include "base/file.h"

enum { IN_TIME = 5000 };

static struct unit_dir dir;
static struct ce_policy policy;
static struct ce_error err;

static const struct ce_findings findings = {.count = 0};
static const struct ce_notes notes = {.count = 0};

static const struct ce_run *run_of(const char *phase)
{
    static struct ce_run run;
    run = (struct ce_run){
        .phase = phase, .node = "n9", .reason = "", .findings = &findings, .notes = &notes};
    return &run;
}

static int make_dir(void **state)
{
    (void)state;
    dir = unit_dir_make();
    ce_policy_default(&policy);
    snprintf(policy.log, sizeof policy.log, "%.90s/log/h.jsonl", dir.path);
    snprintf(policy.metrics, sizeof policy.metrics, "%.100s", dir.path);
    err.text[0] = '\0';
    return 0;
}

static int remove_dir(void **state)
{
    (void)state;
    unit_dir_remove(&dir);
    return 0;
}

static unsigned lines_of(const char *name)
{
    ce_autotext struct ce_text text = CE_TEXT(1 << 20);
    unsigned count = 0;
    if (ce_file_read(dir.fd, name, CE_TRUST_ANY, &text, NULL) != CE_READ_OK)
        return 0;
    for (const char *p = ce_text_string(&text); (p = strchr(p, '\n')) != NULL; p++)
        count++;
    return count;
}

static void each_run_is_a_line_each_phase_a_textfile(void **state)
{
    struct stat st;
    (void)state;
    assert_int_equal(ce_journal_keep(run_of("prolog"), &policy, IN_TIME, &err), 0);
    assert_int_equal(ce_journal_keep(run_of("prolog"), &policy, IN_TIME, &err), 0);
    unsigned lines = lines_of("cluster_env_prolog.prom");
    assert_int_equal(ce_journal_keep(run_of("epilog"), &policy, IN_TIME, &err), 0);
    assert_int_equal(lines_of("log/h.jsonl"), 3);
    assert_true(lines > 10);
    assert_int_equal(lines_of("cluster_env_prolog.prom"), lines);
    assert_int_equal(lines_of("cluster_env_epilog.prom"), lines);
    assert_int_equal(fstatat(dir.fd, "cluster_env_prolog.prom", &st, 0), 0);
    assert_int_equal(st.st_mode & 07777, 0644);
    assert_int_equal(fstatat(dir.fd, "log/h.jsonl", &st, 0), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
}

static void each_test_by_hand_has_a_textfile_of_its_own(void **state)
{
    struct ce_run run = *run_of("bench");
    (void)state;
    run.test = "rdma";
    assert_int_equal(ce_journal_keep(&run, &policy, IN_TIME, &err), 0);
    run.test = "gpu";
    assert_int_equal(ce_journal_keep(&run, &policy, IN_TIME, &err), 0);
    assert_int_equal(lines_of("log/h.jsonl"), 2);
    assert_true(lines_of("cluster_env_bench_rdma.prom") > 10);
    assert_true(lines_of("cluster_env_bench_gpu.prom") > 10);
    assert_int_equal(lines_of("cluster_env_bench.prom"), 0);
}

static void neither_is_wanted(void **state)
{
    (void)state;
    policy.log[0] = policy.metrics[0] = '\0';
    assert_int_equal(ce_journal_keep(run_of("prolog"), &policy, IN_TIME, &err), 0);
    assert_int_equal(lines_of("log/h.jsonl"), 0);
    assert_int_equal(lines_of("cluster_env_prolog.prom"), 0);
}

static void what_cannot_be_written_does_not_keep_from_the_other(void **state)
{
    (void)state;
    unit_dir_write(&dir, "log", "a file\n");
    assert_int_equal(ce_journal_keep(run_of("prolog"), &policy, IN_TIME, &err), -1);
    unit_holds(err.text, "not all of this run is kept: ");
    unit_holds(err.text, "log/h.jsonl: cannot write: Not a directory");
    assert_true(lines_of("cluster_env_prolog.prom") > 10);
}

static void a_folder_that_was_named_must_be_there(void **state)
{
    (void)state;
    strcat(policy.metrics, "/none");
    assert_int_equal(ce_journal_keep(run_of("prolog"), &policy, IN_TIME, &err), -1);
    unit_holds(err.text, "/none: cannot open: No such file or directory");
    assert_int_equal(lines_of("log/h.jsonl"), 1);
}

static void both_troubles_are_told(void **state)
{
    (void)state;
    unit_dir_write(&dir, "log", "a file\n");
    strcat(policy.metrics, "/none");
    assert_int_equal(ce_journal_keep(run_of("prolog"), &policy, IN_TIME, &err), -1);
    unit_holds(err.text, "Not a directory; ");
    unit_holds(err.text, "/none: cannot open");
}

#define RULE(function)                                                                             \
    unit_tests[unit_count++] = (struct CMUnitTest){#function, function, make_dir, remove_dir, NULL}

int main(void)
{
    RULE(each_run_is_a_line_each_phase_a_textfile);
    RULE(each_test_by_hand_has_a_textfile_of_its_own);
    RULE(neither_is_wanted);
    RULE(what_cannot_be_written_does_not_keep_from_the_other);
    RULE(a_folder_that_was_named_must_be_there);
    RULE(both_troubles_are_told);
    return UNIT_RUN("health/journal");
}

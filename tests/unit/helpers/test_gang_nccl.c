/* SPDX-License-Identifier: Apache-2.0 */
/* The child that adds up with those of other nodes: a shell script in its place, beside this program. */
#include "../../../helpers/gang_nccl.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit.h"
#include "base/clock.h"
#include "model/record.h"

enum { MS = CE_NS_PER_MS, SOON = 1500, LONG = 60000, PATH = 4096 };

#define SAYS(lines) "printf '" lines "'\n"
#define READY SAYS("nccl.began.start=1\\nnccl.gpus=8\\nnccl.ready=4711\\n") "read -r word\n"
#define DONE(wrong)                                                                                \
    SAYS("nccl.ranks=16\\nnccl.size.0.bytes=1048576\\nnccl.size.0.ns=1000\\nnccl.size.0.wrong=" wrong \
         "\\nnccl.outcome=done\\n")
/* Alone it is not told to wait. */
#define ALONE(script, together) "case $* in *--wait*) " together " ;; *) " script " ;; esac\n"

static char program[PATH];

static int find_program(void **state)
{
    (void)state;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 16);
    char *slash = length > 0 ? strrchr(program, '/') : NULL;
    if (!slash)
        return -1;
    strcpy(slash, "/bench-nccl");
    return 0;
}

static int remove_program(void **state)
{
    (void)state;
    return unlink(program);
}

static void write_program(const char *script)
{
    FILE *file = fopen(program, "w");
    assert_non_null(file);
    assert_true(fprintf(file, "#!/bin/sh\n%s", script) > 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(program, 0755), 0);
}

static struct ce_address addresses[2];
static const struct ce_gang_task usual = {
    .job = 7, .self = 0, .count = 2, .addresses = addresses, .nccl_mib = 1, .name = "n1", .facts.whole = true};

static uint64_t after(unsigned ms)
{
    return ce_clock_ns() + (uint64_t)ms * MS;
}

static void settle(struct gang_nccl *nccl)
{
    while (nccl->part.ready == CE_GANG_NCCL_PREPARING) {
        bool settled = gang_nccl_tick(nccl, ce_clock_ns());
        assert_int_equal(settled, nccl->part.ready != CE_GANG_NCCL_PREPARING);
        usleep(2000);
    }
}

/* Neither runs nor waits to be collected. */
static void assert_nothing_runs(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

/* ---------------------------------------------------------------- can this node? */

static const struct ready_row {
    const char *name, *script;
    unsigned time_ms;
    enum ce_gang_nccl_ready ready;
    const char *why;
} readies[] = {
    {"who_waits_for_the_word_is_ready", READY, LONG, CE_GANG_NCCL_READY, ""},
    {"who_skips_cannot", SAYS("nccl.outcome=skipped\\nnccl.reason=CUDA shows no GPU\\n"), LONG, CE_GANG_NCCL_CANNOT,
     "CUDA shows no GPU"},
    {"who_fails_is_not_known", SAYS("nccl.outcome=failed\\nnccl.reason=NVML\\n"), LONG, CE_GANG_NCCL_UNSURE, "NVML"},
    {"who_ends_without_a_word", "exit 1", LONG, CE_GANG_NCCL_UNSURE, "bench-nccl ended without a word"},
    {"garbage", SAYS("nccl.outcome=never\\n"), LONG, CE_GANG_NCCL_UNSURE, "bench-nccl ended without a word"},
    {"who_hangs_is_given_up_at_half_time", "exec sleep 60", SOON, CE_GANG_NCCL_UNSURE,
     "its libraries and GPUs did not answer in time"},
};

static void says_whether_it_can(void **state)
{
    const struct ready_row *row = *state;
    struct gang_nccl nccl;
    write_program(row->script);
    gang_nccl_begin(&nccl, &usual, after(row->time_ms));
    settle(&nccl);
    assert_int_equal(nccl.part.ready, row->ready);
    assert_string_equal(nccl.part.why, row->why);
    assert_int_equal(nccl.part.port, row->ready == CE_GANG_NCCL_READY ? 4711 : 0);
    assert_int_equal(nccl.in >= 0, row->ready == CE_GANG_NCCL_READY);
    gang_nccl_end(&nccl);
    assert_nothing_runs();
}

static void one_that_ends_while_it_waits_is_noticed(void **state)
{
    struct gang_nccl nccl;
    (void)state;
    write_program(READY SAYS("nccl.outcome=failed\\nnccl.reason=no\\n"));
    gang_nccl_begin(&nccl, &usual, after(LONG));
    settle(&nccl);
    gang_nccl_look(&nccl);
    assert_int_equal(nccl.part.ready, CE_GANG_NCCL_READY);
    assert_int_equal(write(nccl.in, "\n", 1), 1);
    while (nccl.part.ready == CE_GANG_NCCL_READY) {
        usleep(2000);
        gang_nccl_look(&nccl);
    }
    assert_int_equal(nccl.part.ready, CE_GANG_NCCL_UNSURE);
    assert_string_equal(nccl.part.why, "no");
    gang_nccl_end(&nccl);
    assert_nothing_runs();
}

static void on_a_shared_node_nothing_runs(void **state)
{
    struct gang_nccl nccl;
    struct ce_gang_task task = usual;
    (void)state;
    write_program(READY);
    task.facts.whole = false;
    gang_nccl_begin(&nccl, &task, after(LONG));
    assert_int_equal(nccl.part.ready, CE_GANG_NCCL_CANNOT);
    assert_string_equal(nccl.part.why, "other jobs may be on the node");
    assert_int_equal(nccl.pid, 0);
    task.nccl_mib = 0;
    gang_nccl_begin(&nccl, &task, after(LONG));
    assert_int_equal(nccl.part.ready, CE_GANG_NCCL_OFF);
    assert_int_equal(nccl.pid, 0);
    gang_nccl_end(&nccl);
}

static void each_gang_has_a_token_of_its_own(void **state)
{
    const struct gang_nccl nccl = {.part.port = 4711};
    struct ce_gang_nccl_word one = {.plan = CE_GANG_NCCL_GO}, other = one;
    (void)state;
    assert_int_equal(gang_nccl_arrange(&nccl, &one), 0);
    assert_int_equal(gang_nccl_arrange(&nccl, &other), 0);
    assert_int_equal(one.port, 4711);
    assert_int_equal(strspn(one.token, "0123456789abcdef"), CE_GANG_NCCL_TOKEN - 1);
    assert_string_not_equal(one.token, other.token);
}

/* ---------------------------------------------------------------- the all-reduce */

static const struct run_row {
    const char *name, *script;
    unsigned time_ms;
    enum ce_nccl_outcome outcome;
    const char *reason;
    uint64_t wrong;
    bool repeated, hardware;
    uint64_t wrong_alone;
} runs[] = {
    {"adds_up", READY "case $word in '4711 secret '*) " DONE("0") " ;; esac\n", LONG, CE_NCCL_DONE, "", 0, false, false, 0},
    {"right_sums_are_not_repeated", ALONE("exit 1", READY DONE("0")), LONG, CE_NCCL_DONE, "", 0, false, false, 0},
    {"wrong_ones_are", ALONE(DONE("2"), READY DONE("3")), LONG, CE_NCCL_DONE, "", 3, true, false, 2},
    {"and_may_be_right_alone", ALONE(DONE("0"), READY DONE("3")), LONG, CE_NCCL_DONE, "", 3, true, false, 0},
    {"but_not_where_time_is_short", READY DONE("3"), SOON - 100, CE_NCCL_DONE, "", 3, false, false, 0},
    {"what_failed_is_not_repeated", READY SAYS("nccl.outcome=failed\\nnccl.hardware=1\\nnccl.reason=ECC\\n"), LONG,
     CE_NCCL_FAILED, "ECC", 0, false, true, 0},
    {"a_crash", READY "exit 1", LONG, CE_NCCL_SILENT, "it does not say how it ended", 0, false, false, 0},
    {"a_hang_is_over_in_time", READY "exec sleep 60", SOON, CE_NCCL_LATE, "it does not end", 0, false, false, 0},
    {"a_hang_after_wrong_sums_alone",
     ALONE("exec sleep 60", READY DONE("3")), SOON + 1000, CE_NCCL_DONE, "", 3, true, false, 0},
};

static void runs_together_and_alone(void **state)
{
    const struct run_row *row = *state;
    const struct ce_gang_nccl_word word = {
        .plan = CE_GANG_NCCL_GO, .port = 4711, .token = "secret", .left_ms = LONG};
    struct gang_nccl nccl;
    struct ce_gang_nccl result = {.ran = false};
    write_program(row->script);
    gang_nccl_begin(&nccl, &usual, after(LONG));
    settle(&nccl);
    assert_int_equal(nccl.part.ready, CE_GANG_NCCL_READY);
    uint64_t until = after(row->time_ms);
    gang_nccl_run(&nccl, &usual, &word, until, &result);
    if (row->time_ms != LONG) /* and a machine that is busy */
        assert_true(ce_clock_ns() < until + (uint64_t)5000 * MS);
    assert_true(result.ran);
    assert_int_equal(result.together.outcome, row->outcome);
    assert_string_equal(result.together.reason, row->reason);
    assert_int_equal(result.together.hardware, row->hardware);
    assert_int_equal(result.together.wrong, row->wrong);
    assert_int_equal(result.repeated, row->repeated);
    assert_int_equal(result.alone.wrong, row->wrong_alone);
    assert_nothing_runs();
    gang_nccl_end(&nccl);
}

int main(void)
{
    UNIT_TABLE(readies, says_whether_it_can);
    UNIT_RULE(one_that_ends_while_it_waits_is_noticed);
    UNIT_RULE(on_a_shared_node_nothing_runs);
    UNIT_RULE(each_gang_has_a_token_of_its_own);
    UNIT_TABLE(runs, runs_together_and_alone);
    return cmocka_run_group_tests_name("helpers/gang_nccl", unit_tests, find_program, remove_program);
}

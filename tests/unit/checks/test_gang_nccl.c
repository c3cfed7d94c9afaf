/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "../unit.h"
#include "judged.h"
#include "model/gang.h"

#define MEASURED(of, took) .ran = true, .gpu = "NVIDIA H100 80GB HBM3", .gpus = 8, .ranks = of, .bytes = 512 << 20, .ns = took
#define DONE MEASURED(24, 4000000)
#define WELL .together = {.outcome = CE_NCCL_DONE, .at = CE_NCCL_MEASURE}
#define ALONE(...) .repeated = true, .alone = {.outcome = CE_NCCL_DONE, .at = CE_NCCL_MEASURE, __VA_ARGS__}
#define RAN(...) {.end = CE_GANG_JUDGED, .own.facts.rail_count = 8, .nccl = {__VA_ARGS__}}
#define PLAN(...) {.end = CE_GANG_JUDGED, .verdict.nccl = {__VA_ARGS__}}

static const struct row {
    const char *name, *check;
    struct ce_gang gang;
    uint32_t floor;
    const char *says;
} rows[] = {
    {"added_up", "gang.nccl.start", RAN(DONE, WELL), 0, "pass 24 GPUs of 3 nodes added up\n"},
    {"nothing_was_arranged", "gang.nccl.start", PLAN(.plan = CE_GANG_NCCL_NONE), 0,
     "unknown the first node of the job arranged none\n"},
    {"arranged_and_not_begun", "gang.nccl.start", PLAN(.plan = CE_GANG_NCCL_GO), 0,
     "unknown it was arranged, and did not begin here\n"},
    {"one_cannot", "gang.nccl.start",
     PLAN(.plan = CE_GANG_NCCL_SKIP, .named = true, .node = 2, .why = "CUDA shows no GPU"), 0,
     "skip c CUDA shows no GPU\n"},
    {"of_one_it_is_not_known", "gang.nccl.start",
     PLAN(.plan = CE_GANG_NCCL_NOT_KNOWN, .named = true, .node = 1, .why = "it was not ready in time"), 0,
     "unknown b it was not ready in time\n"},
    {"no_time_is_left", "gang.nccl.start",
     PLAN(.plan = CE_GANG_NCCL_NOT_KNOWN, .why = "7 ms are left of preflight.deadline, too little"), 0,
     "unknown 7 ms are left of preflight.deadline, too little\n"},
    {"no_verdict", "gang.nccl.start", {.end = CE_GANG_UNKNOWN, .why = "no verdict came in time"}, 0,
     "unknown no verdict came in time\n"},
    {"isolated", "gang.nccl.start", {.end = CE_GANG_ISOLATED}, 0, "skip no other node was heard\n"},
    {"hangs", "gang.nccl.start",
     RAN(.ran = true, .together = {.outcome = CE_NCCL_LATE, .at = CE_NCCL_INIT, .reason = "NCCL does not get its ranks connected"}), 0,
     "unknown it hangs when NCCL connects: NCCL does not get its ranks connected\n"},
    {"another_node_gave_up", "gang.nccl.start",
     RAN(.ran = true, .together = {.outcome = CE_NCCL_OTHERS, .at = CE_NCCL_INIT, .reason = "b: ncclCommInitRank: no"}), 0,
     "unknown b: ncclCommInitRank: no\n"},
    {"it_is_in_use_by_now", "gang.nccl.start",
     RAN(.ran = true, .together = {.outcome = CE_NCCL_SKIPPED, .at = CE_NCCL_START, .reason = "in use"}), 0, "unknown in use\n"},
    {"a_crash_is_nobodys_fault", "gang.nccl.start",
     RAN(.ran = true, .together = {.outcome = CE_NCCL_SILENT, .at = CE_NCCL_INIT, .reason = "it does not say how it ended"}), 0,
     "unknown it does not say how it ended\n"},
    {"NCCL_that_gives_up_is_no_fault_of_the_node", "gang.nccl.start",
     RAN(.ran = true, .together = {.outcome = CE_NCCL_FAILED, .at = CE_NCCL_INIT, .reason = "ncclCommInitRank: unhandled cuda error (1)"},
         .log.warning = "driver too old"), 0,
     "unknown ncclCommInitRank: unhandled cuda error (1); NCCL: driver too old\n"},
    {"a_GPU_that_the_driver_gives_up_is", "gang.nccl.start",
     RAN(.ran = true, .together = {.outcome = CE_NCCL_FAILED, .at = CE_NCCL_MEASURE, .reason = "CUDA_ERROR_ECC_UNCORRECTABLE", .hardware = true}), 0,
     "fail CUDA_ERROR_ECC_UNCORRECTABLE\n"},

    {"sums_are_right", "gang.nccl.sum", RAN(DONE, WELL), 0, "pass all sums are right, of 24 GPUs\n"},
    {"wrong_also_alone", "gang.nccl.sum",
     RAN(DONE, .together = {.outcome = CE_NCCL_DONE, .wrong = 7}, ALONE(.wrong = 5)), 0,
     "fail 7 wrong sums, also without the other nodes: 5\n"},
    {"right_alone", "gang.nccl.sum", RAN(DONE, .together = {.outcome = CE_NCCL_DONE, .wrong = 7}, ALONE(.wrong = 0)), 0,
     "unknown 7 wrong sums, right ones without the other nodes: a rail, or another node\n"},
    {"alone_the_driver_gives_a_GPU_up", "gang.nccl.sum",
     RAN(DONE, .together = {.outcome = CE_NCCL_DONE, .wrong = 7}, .repeated = true,
         .alone = {.outcome = CE_NCCL_FAILED, .reason = "CUDA_ERROR_ECC_UNCORRECTABLE", .hardware = true}), 0,
     "fail 7 wrong sums, and without the other nodes: CUDA_ERROR_ECC_UNCORRECTABLE\n"},
    {"alone_it_fails", "gang.nccl.sum",
     RAN(DONE, .together = {.outcome = CE_NCCL_DONE, .wrong = 7}, .repeated = true,
         .alone = {.outcome = CE_NCCL_FAILED, .reason = "ncclCommInitRank: no"}), 0,
     "unknown 7 wrong sums, whose fault it is cannot be told\n"},
    {"alone_it_hangs", "gang.nccl.sum",
     RAN(DONE, .together = {.outcome = CE_NCCL_DONE, .wrong = 7}, .repeated = true, .alone = {.outcome = CE_NCCL_LATE}), 0,
     "unknown 7 wrong sums, whose fault it is cannot be told\n"},
    {"not_repeated", "gang.nccl.sum", RAN(DONE, .together = {.outcome = CE_NCCL_DONE, .wrong = 7}), 0,
     "unknown 7 wrong sums, whose fault it is cannot be told\n"},
    {"no_sums", "gang.nccl.sum", RAN(.ran = true, .together = {.outcome = CE_NCCL_LATE}), 0, "skip no sums were made\n"},
    {"not_run", "gang.nccl.sum", PLAN(.plan = CE_GANG_NCCL_SKIP, .why = "no GPU"), 0, "skip no all-reduce was made\n"},

    {"half_of_what_the_model_has", "gang.nccl.bandwidth", RAN(DONE, WELL), 0, "pass 3 nodes 257.25 GB/s over 24 GPUs\n"},
    {"below_half", "gang.nccl.bandwidth", RAN(DONE, WELL), 515,
     "warn 3 nodes 257.25 GB/s over 24 GPUs, expected at least 257.5\n"},
    {"below_half_of_the_model", "gang.nccl.bandwidth", RAN(MEASURED(24, 4700000), WELL), 0,
     "warn 3 nodes 218.93 GB/s over 24 GPUs, expected at least 220\n"},
    {"other_nodes_have_fewer_GPUs", "gang.nccl.bandwidth", RAN(MEASURED(18, 4700000), WELL), 0,
     "pass 3 nodes 215.76 GB/s over 18 GPUs\n"},
    {"nothing_measured", "gang.nccl.bandwidth", RAN(.ran = true, .together = {.outcome = CE_NCCL_LATE}), 0,
     "skip nothing was measured\n"},

    {"rails", "gang.nccl.transport", RAN(DONE, WELL, .log = {.network = "IB", .via = "NET/IB,GDRDMA"}), 0,
     "pass 3 nodes IB: NET/IB,GDRDMA\n"},
    {"sockets", "gang.nccl.transport", RAN(DONE, WELL, .log = {.network = "Socket"}), 0,
     "warn NCCL fell back to sockets, expected its 8 rails\n"},
    {"sockets_where_there_are_no_rails", "gang.nccl.transport",
     {.end = CE_GANG_JUDGED, .nccl = {DONE, WELL, .log = {.network = "Socket"}}}, 0, "pass 3 nodes Socket\n"},
    {"the_log_does_not_say", "gang.nccl.transport", RAN(DONE, WELL), 0, "unknown NCCL's log does not say\n"},
    {"nothing_connected", "gang.nccl.transport", RAN(.ran = true, .together = {.outcome = CE_NCCL_LATE}), 0,
     "skip NCCL's log does not say\n"},
};

static void says(void **state)
{
    const struct row *row = *state;
    struct ce_error err;
    ce_auto(ce_hostlist_destroy) struct ce_hostlist *nodes = ce_hostlist_parse("a,b,c", &err);
    const struct ce_check_view view = {
        .gang = &row->gang, .gang_nodes = nodes, .gang_nccl = true, .gang_gbytes = row->floor};
    assert_non_null(nodes);
    judged_are(judged_check(ce_gang_nccl_checks, ce_gang_nccl_check_count, row->check), &view, row->says);
}

/* What is unknown of the gang is said once; in another mode nothing is. */
static void without_one_each_says_why(void **state)
{
    const struct ce_gang gang = {.end = CE_GANG_JUDGED};
    const struct ce_check_view none = {.gang = NULL},
                               off = {.gang = &gang},
                               unknown = {.gang_unknown = "there is no address book", .gang_nccl = true};
    (void)state;
    for (size_t i = 0; i < ce_gang_nccl_check_count; i++) {
        judged_are(&ce_gang_nccl_checks[i], &none, "skip the nodes of a job tell it each other before it starts\n");
        judged_are(&ce_gang_nccl_checks[i], &off, "skip preflight.mode is not \"nccl\"\n");
        judged_are(&ce_gang_nccl_checks[i], &unknown,
                   i == 0 ? "unknown there is no address book\n" : "skip no all-reduce was made\n");
    }
}

/* Only what a node has done wrong itself drains it. */
static void only_start_and_sum_drain(void **state)
{
    (void)state;
    for (size_t i = 0; i < ce_gang_nccl_check_count; i++) {
        assert_int_equal(ce_gang_nccl_checks[i].fault, i < 2 ? CE_DRAIN : CE_TELL);
        assert_int_equal(ce_gang_nccl_checks[i].unknown, CE_TELL);
    }
}

int main(void)
{
    UNIT_TABLE(rows, says);
    UNIT_RULE(without_one_each_says_why);
    UNIT_RULE(only_start_and_sum_drain);
    return UNIT_RUN("checks/gang_nccl");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "checks/bench_nccl.h"
#include "checks/bench_nccl_own.h"

#include "../unit.h"
#include "base/text.h"
#include "seen.h"

enum { PARTS = 4, US = 1000 };
#define H100 "NVIDIA H100 80GB HBM3"
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

/* An all-reduce of 4 GiB over 8 ranks in so many us: 2 * 7 / 8 of 4294967296 bytes.  16000: 469.76 GB/s */
#define MEASURED(us) .sizes = {{MIB, 100 * US, 0}, {4 * GIB, (us) * US, 0}}, .size_count = 2
#define NODE(named, us)                                                                            \
    {.name = named, .gpu = H100, .gpus = 8, .ranks = 8, .outcome = CE_NCCL_DONE, .at = CE_NCCL_MEASURE, \
     .log = {"IB", "P2P/CUMEM,NVLS", ""}, MEASURED(us)}
/* One of a gang of four. */
#define PART(named, us)                                                                            \
    {.name = named, .gpu = H100, .gpus = 8, .ranks = 32, .outcome = CE_NCCL_DONE, .rails = 8,       \
     .at = CE_NCCL_MEASURE, .log = {"IB", "P2P/CUMEM,NET/IB,GDRDMA", ""}, MEASURED(us)}
#define ENDED(named, how, when, why)                                                               \
    {.name = named, .gpus = 8, .outcome = how, .at = when, .reason = why}

static const struct row {
    const char *name;
    bool alone;
    struct ce_nccl_limits limits;
    struct ce_nccl_node parts[PARTS];
    const char *says;
} rows[] = {
    {"well", true, {.below_percent = 5}, {NODE("a", 16000)},
     "pass sum a all sums are right, of 8 GPUs\n"
     "pass bandwidth a 469.76 GB/s with 4 GiB over 8 GPUs, at least 440\n"
     "pass transport a P2P/CUMEM,NVLS\n"},
    {"below_the_floor_of_the_model", true, {.below_percent = 5}, {NODE("a", 18000)},
     "pass sum a all sums are right, of 8 GPUs\n"
     "fail bandwidth a 417.56 GB/s with 4 GiB over 8 GPUs, expected at least 440\n"
     "pass transport a P2P/CUMEM,NVLS\n"},
    {"the_site_has_another_floor", true, {.node_gbytes = 400}, {NODE("a", 18000)},
     "pass sum a all sums are right, of 8 GPUs\n"
     "pass bandwidth a 417.56 GB/s with 4 GiB over 8 GPUs, at least 400\n"
     "pass transport a P2P/CUMEM,NVLS\n"},
    {"only_the_largest_size_counts", true, {.node_gbytes = 400},
     {{.name = "a", .gpus = 8, .ranks = 8, .outcome = CE_NCCL_DONE,
       .sizes = {{MIB, 9000 * US, 0}, {4 * GIB, 16000 * US, 0}}, .size_count = 2}},
     "pass sum a all sums are right, of 8 GPUs\n"
     "pass bandwidth a 469.76 GB/s with 4 GiB over 8 GPUs, at least 400\n"},
    {"no_floor_is_known_of_seven_gpus", true, {.below_percent = 5},
     {{.name = "a", .gpu = H100, .gpus = 7, .ranks = 7, .outcome = CE_NCCL_DONE, MEASURED(90000)}},
     "pass sum a all sums are right, of 7 GPUs\n"
     "pass bandwidth a 81.80 GB/s with 4 GiB over 7 GPUs\n"},
    {"nor_of_another_model", true, {.below_percent = 5},
     {{.name = "a", .gpu = "Tesla T4", .gpus = 8, .ranks = 8, .outcome = CE_NCCL_DONE, MEASURED(90000)}},
     "pass sum a all sums are right, of 8 GPUs\n"
     "pass bandwidth a 83.51 GB/s with 4 GiB over 8 GPUs\n"},
    {"below_the_other_nodes", true, {.below_percent = 5},
     {NODE("a", 15000), NODE("b", 15000), NODE("c", 16500)},
     "pass sum a all sums are right, of 8 GPUs\n"
     "pass bandwidth a 501.07 GB/s with 4 GiB over 8 GPUs, at least 440\n"
     "pass transport a P2P/CUMEM,NVLS\n"
     "pass sum b all sums are right, of 8 GPUs\n"
     "pass bandwidth b 501.07 GB/s with 4 GiB over 8 GPUs, at least 440\n"
     "pass transport b P2P/CUMEM,NVLS\n"
     "pass sum c all sums are right, of 8 GPUs\n"
     "warn bandwidth c 455.52 GB/s with 4 GiB over 8 GPUs, 9 % below the median of 501.07\n"
     "pass transport c P2P/CUMEM,NVLS\n"},
    {"of_two_nobody_is_the_odd_one", true, {.below_percent = 5}, {NODE("a", 15000), NODE("b", 16500)},
     "pass sum a all sums are right, of 8 GPUs\n"
     "pass bandwidth a 501.07 GB/s with 4 GiB over 8 GPUs, at least 440\n"
     "pass transport a P2P/CUMEM,NVLS\n"
     "pass sum b all sums are right, of 8 GPUs\n"
     "pass bandwidth b 455.52 GB/s with 4 GiB over 8 GPUs, at least 440\n"
     "pass transport b P2P/CUMEM,NVLS\n"},
    {"one_gpu", true, {.below_percent = 5},
     {{.name = "a", .gpu = H100, .gpus = 1, .ranks = 1, .outcome = CE_NCCL_DONE, MEASURED(100)}},
     "pass sum a all sums are right, of 1 GPUs\nskip bandwidth a one GPU has nobody to add up with\n"},
    {"wrong_sums", true, {.below_percent = 0},
     {{.name = "a", .gpu = H100, .gpus = 8, .ranks = 8, .outcome = CE_NCCL_DONE,
       .sizes = {{MIB, 100 * US, 0}, {4 * GIB, 16000 * US, 3}}, .size_count = 2}},
     "fail sum a 3 wrong sums in 4 GiB\n"
     "pass bandwidth a 469.76 GB/s with 4 GiB over 8 GPUs, at least 440\n"},
    {"no_library", true, {.below_percent = 5},
     {ENDED("a", CE_NCCL_SKIPPED, CE_NCCL_START, "libnccl.so.2: cannot open")},
     "skip start a libnccl.so.2: cannot open\n"},
    {"before_nccl_it_is_nobodys_fault", true, {.below_percent = 5},
     {ENDED("a", CE_NCCL_FAILED, CE_NCCL_START, "making a context: busy")},
     "unknown start a making a context: busy\n"},
    {"nccl_that_gives_up_is_a_fault", true, {.below_percent = 5},
     {{.name = "a", .outcome = CE_NCCL_FAILED, .at = CE_NCCL_INIT, .reason = "ncclCommInitRank: (2)",
       .log.warning = "Call to ibv_create_cq failed"}},
     "fail start a ncclCommInitRank: (2); NCCL: Call to ibv_create_cq failed\n"},
    {"a_hang", true, {.below_percent = 5}, {ENDED("a", CE_NCCL_LATE, CE_NCCL_INIT, "no answer in 9 s")},
     "unknown start a it hangs when NCCL connects: no answer in 9 s\n"},
    {"silence", true, {.below_percent = 5}, {{.name = "a"}}, "unknown start a no word came of it\n"},

    {"a_gang", false, {.below_percent = 5},
     {PART("a", 18000), PART("b", 17500), PART("c", 18000), PART("d", 18000)},
     "pass sum 4 nodes all sums are right, of 32 GPUs\n"
     "pass bandwidth 4 nodes 462.30 GB/s with 4 GiB over 32 GPUs, at least 440\n"
     "pass transport 4 nodes IB: P2P/CUMEM,NET/IB,GDRDMA\n"},
    {"a_gang_below_what_others_ask_of_theirs", false, {.below_percent = 5},
     {PART("a", 22000), PART("b", 22000), PART("c", 22000), PART("d", 22000)},
     "pass sum 4 nodes all sums are right, of 32 GPUs\n"
     "warn bandwidth 4 nodes 378.24 GB/s with 4 GiB over 32 GPUs, expected at least 440\n"
     "pass transport 4 nodes IB: P2P/CUMEM,NET/IB,GDRDMA\n"},
    {"a_gang_below_the_sites_own", false, {.gang_gbytes = 380},
     {PART("a", 22000), PART("b", 22000), PART("c", 22000), PART("d", 22000)},
     "pass sum 4 nodes all sums are right, of 32 GPUs\n"
     "fail bandwidth 4 nodes 378.24 GB/s with 4 GiB over 32 GPUs, expected at least 380\n"
     "pass transport 4 nodes IB: P2P/CUMEM,NET/IB,GDRDMA\n"},
    {"no_size_of_all_nodes", false, {.gang_gbytes = 400},
     {PART("a", 18000), {.name = "b", .gpus = 8, .ranks = 32, .outcome = CE_NCCL_DONE,
       .sizes = {{MIB, 100 * US, 0}}, .size_count = 1}, {.name = "c", .gpus = 8, .ranks = 32, .outcome = CE_NCCL_DONE,
       .sizes = {{2 * MIB, 100 * US, 0}}, .size_count = 1}},
     "pass sum 3 nodes all sums are right, of 32 GPUs\n"
     "unknown bandwidth 3 nodes no size that all of them measured\n"
     "pass transport 3 nodes IB: P2P/CUMEM,NET/IB,GDRDMA\n"},
    {"one_nodes_sums", false, {.gang_gbytes = 400},
     {PART("a", 18000), {.name = "b", .gpus = 8, .ranks = 32, .outcome = CE_NCCL_DONE,
       .sizes = {{MIB, 100 * US, 5}, {4 * GIB, 18000 * US, 7}}, .size_count = 2}},
     "fail sum b 5 wrong sums in 1 MiB\n"
     "pass bandwidth 2 nodes 462.30 GB/s with 4 GiB over 32 GPUs, at least 400\n"
     "pass transport 2 nodes IB: P2P/CUMEM,NET/IB,GDRDMA\n"},
    {"everybodys_sums", false, {.gang_gbytes = 0},
     {{.name = "a", .ranks = 2, .outcome = CE_NCCL_DONE, .sizes = {{MIB, 100 * US, 5}}, .size_count = 1,
       .log.network = "IB"},
      {.name = "b", .ranks = 2, .outcome = CE_NCCL_DONE, .sizes = {{MIB, 100 * US, 5}}, .size_count = 1}},
     "fail sum 2 nodes each has 5 wrong sums in 1 MiB\n"
     "pass bandwidth 2 nodes 10.48 GB/s with 1 MiB over 2 GPUs\npass transport 2 nodes IB\n"},
    {"sockets_where_there_are_rails", false, {.gang_gbytes = 400},
     {PART("a", 18000), {.name = "b", .gpus = 8, .ranks = 32, .outcome = CE_NCCL_DONE, .rails = 8,
       .log.network = "Socket", MEASURED(18000)}},
     "pass sum 2 nodes all sums are right, of 32 GPUs\n"
     "pass bandwidth 2 nodes 462.30 GB/s with 4 GiB over 32 GPUs, at least 400\n"
     "fail transport b NCCL fell back to sockets, expected its 8 rails\n"},
    {"told_only_by_the_ways", false, {.gang_gbytes = 400},
     {PART("a", 18000), {.name = "b", .gpus = 8, .ranks = 32, .outcome = CE_NCCL_DONE, .rails = 8,
       .log.via = "P2P/IPC,NET/Socket", MEASURED(18000)}},
     "pass sum 2 nodes all sums are right, of 32 GPUs\n"
     "pass bandwidth 2 nodes 462.30 GB/s with 4 GiB over 32 GPUs, at least 400\n"
     "fail transport b NCCL fell back to sockets, expected its 8 rails\n"},
    {"sockets_that_somebody_wants", false, {.gang_gbytes = 400},
     {PART("a", 18000), {.name = "b", .gpus = 8, .ranks = 32, .outcome = CE_NCCL_DONE, .rails = 8,
       .asked = "NCCL_IB_DISABLE=1", .log.network = "Socket", MEASURED(18000)}},
     "pass sum 2 nodes all sums are right, of 32 GPUs\n"
     "pass bandwidth 2 nodes 462.30 GB/s with 4 GiB over 32 GPUs, at least 400\n"
     "warn transport b sockets, as NCCL_IB_DISABLE=1 says, where it has 8 rails\n"},
    {"sockets_where_there_are_no_rails", false, {.gang_gbytes = 400},
     {{.name = "a", .gpus = 8, .ranks = 32, .outcome = CE_NCCL_DONE, .log = {"Socket", "NET/Socket", ""},
       MEASURED(18000)}, PART("b", 18000)},
     "pass sum 2 nodes all sums are right, of 32 GPUs\n"
     "pass bandwidth 2 nodes 462.30 GB/s with 4 GiB over 32 GPUs, at least 400\n"
     "pass transport 2 nodes Socket: NET/Socket\n"},
    {"a_log_that_does_not_say", false, {.gang_gbytes = 400},
     {{.name = "a", .gpus = 8, .ranks = 32, .outcome = CE_NCCL_DONE, MEASURED(18000)}, PART("b", 18000)},
     "pass sum 2 nodes all sums are right, of 32 GPUs\n"
     "pass bandwidth 2 nodes 462.30 GB/s with 4 GiB over 32 GPUs, at least 400\n"
     "unknown transport 2 nodes NCCL's log does not say\n"},
    {"who_gives_up_is_named_not_who_heard_of_it", false, {.gang_gbytes = 0},
     {ENDED("a", CE_NCCL_OTHERS, CE_NCCL_INIT, "b: no"), ENDED("b", CE_NCCL_FAILED, CE_NCCL_INIT, "no"),
      ENDED("c", CE_NCCL_LATE, CE_NCCL_INIT, "late")},
     "fail start b no\n"},
    {"who_says_nothing_is_named", false, {.gang_gbytes = 0},
     {ENDED("a", CE_NCCL_OTHERS, CE_NCCL_MEET, "1 of 2 nodes came"), ENDED("b", CE_NCCL_SILENT, CE_NCCL_START, "srun: gone")},
     "unknown start b srun: gone\n"},
    {"nobody_is_named_where_all_hang", false, {.gang_gbytes = 0},
     {ENDED("a", CE_NCCL_LATE, CE_NCCL_INIT, "no end"), ENDED("b", CE_NCCL_OTHERS, CE_NCCL_INIT, "a: no end")},
     "unknown start 2 nodes they hang: no end\n"},
    {"versions_that_differ", false, {.gang_gbytes = 0},
     {ENDED("a", CE_NCCL_OTHERS, CE_NCCL_MEET, "b has NCCL 2.21.5, a has 2.28.9"),
      ENDED("b", CE_NCCL_OTHERS, CE_NCCL_MEET, "b has NCCL 2.21.5, a has 2.28.9")},
     "unknown start 2 nodes b has NCCL 2.21.5, a has 2.28.9\n"},
};

static void check_says(void **state)
{
    const struct row *row = *state;
    struct ce_nccl_node parts[PARTS];
    struct ce_nccl_run run = {.alone = row->alone, .parts = parts};
    ce_autofindings struct ce_findings findings = {.count = 0};
    ce_autotext struct ce_text text = CE_TEXT(1 << 16);
    memcpy(parts, row->parts, sizeof parts);
    while (run.nodes < PARTS && parts[run.nodes].name[0])
        run.nodes++;
    ce_bench_nccl_judge(&run, &row->limits, &findings);
    for (size_t i = 0; i < findings.count; i++) {
        const struct ce_finding *finding = &findings.items[i];
        bool told = finding->verdict >= CE_WARN || finding->verdict == CE_UNKNOWN;
        assert_int_equal(finding->response, told ? CE_TELL : CE_IGNORE);
        assert_true(!told || finding->remedy[0]);
        assert_null(strpbrk(finding->remedy, ";[]"));
        assert_int_equal(strncmp(finding->check, "bench.nccl.", 11), 0);
        ce_text_addf(&text, "%s %s %s %s\n", ce_verdict_name(finding->verdict), finding->check + 11,
                     finding->subject, finding->text);
    }
    assert_string_equal(ce_text_string(&text), row->says);
    seen_all(NULL, &findings);
}

static void a_gang_that_was_not_run_is_unknown(void **state)
{
    struct ce_nccl_node parts[2] = {PART("a", 1), PART("b", 1)};
    const struct ce_nccl_run run = {.nodes = 2, .parts = parts, .not_run = "b could not be measured alone"};
    ce_autofindings struct ce_findings findings = {.count = 0};
    (void)state;
    ce_bench_nccl_judge(&run, &(struct ce_nccl_limits){.gang_gbytes = 0}, &findings);
    assert_int_equal(findings.count, 1);
    assert_int_equal(findings.items[0].verdict, CE_UNKNOWN);
    assert_string_equal(findings.items[0].text, "not run: b could not be measured alone");
}

/* What a node keeps of a run over four; d: it would be drained for that. */
static const struct own_row {
    const char *name, *node, *says;
} own_rows[] = {
    {"of_its_own_and_of_the_gang", "a", "d a nobody else\nw 4 nodes all of them\n"},
    {"also_what_the_gang_found_of_it", "b", "d b its own\nw 4 nodes all of them\nd b in the gang\n"},
    {"one_that_took_no_part_keeps_nothing", "login", ""},
};

static void a_node_keeps_what_is_said_of_it(void **state)
{
    const struct own_row *row = *state;
    struct ce_nccl_node parts[PARTS] = {{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d"}};
    const struct ce_nccl_run run = {.nodes = PARTS, .parts = parts};
    struct ce_finding all[] = {
        {"bench.nccl.sum", "node", "", CE_FAIL, CE_DRAIN, "a", "nobody else"},
        {"bench.nccl.sum", "node", "", CE_FAIL, CE_DRAIN, "b", "its own"},
        {"bench.nccl.bandwidth", "gang", "", CE_FAIL, CE_DRAIN, "4 nodes", "all of them"},
        {"bench.nccl.transport", "gang", "", CE_FAIL, CE_DRAIN, "b", "in the gang"},
    };
    ce_autofindings struct ce_findings own = {.count = 0};
    ce_autotext struct ce_text text = CE_TEXT(4096);
    ce_bench_nccl_own(&run, row->node, all, UNIT_COUNT(all), &own);
    for (size_t i = 0; i < own.count; i++)
        ce_text_addf(&text, "%c %s %s\n", own.items[i].response == CE_DRAIN ? 'd' : 'w',
                     own.items[i].subject, own.items[i].text);
    assert_string_equal(ce_text_string(&text), row->says);
    assert_int_equal(all[2].response, CE_TELL);
}

int main(void)
{
    UNIT_TABLE(rows, check_says);
    UNIT_TABLE(own_rows, a_node_keeps_what_is_said_of_it);
    UNIT_RULE(a_gang_that_was_not_run_is_unknown);
    return UNIT_RUN("checks/bench_nccl");
}

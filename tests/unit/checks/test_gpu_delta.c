/* SPDX-License-Identifier: Apache-2.0 */
/* What happened to a GPU during a job: facts of before, facts of after, what is said. */
#include "checks/check.h"

#include "view.h"

#define KEY "gpu.0.nvml."
#define GPU                                                                                        \
    "gpu.count=1\ngpu.0.pci=0000:1b:00.0\ngpu.0.pci_id=10de:2330\n" KEY "asked=answered\n"
#define AT(seconds, lines) FRAMED("boot.id=b\nboot.uptime_ms=" #seconds "000\n" GPU lines)
#define ECC(n) KEY "ecc.volatile.uncorrected=" #n "\n"
#define REMAP(pending, failure, rows)                                                              \
    KEY "remap.pending=" #pending "\n" KEY "remap.failure=" #failure "\n" KEY                      \
        "remap.uncorrected=" #rows "\n"
#define RETIRED(single, double) KEY "retired.single=" #single "\n" KEY "retired.double=" #double "\n"
#define REPLAYS(n) KEY "pcie.replays=" #n "\n" KEY "pcie.gen_max=5\n" KEY "pcie.width=16\n"
#define LINKS(replays, crc, flit)                                                                  \
    KEY "links=2\n" KEY "link.active=1 1\n" KEY "link.replays=0 " #replays "\n" KEY                \
        "link.crc_data=0 " #crc "\n" KEY "link.crc_flit=0 " #flit "\n"
#define SLOWED(thermal, hardware, brake)                                                           \
    KEY "slowed.thermal=" #thermal "\n" KEY "slowed.hw_thermal=" #hardware "\n" KEY                \
        "slowed.power_brake=" #brake "\n"
#define S "GPU 0 (0000:1b:00.0) "

static const struct row {
    const char *name, *check, *before, *now, *says;
} rows[] = {
    {"no_error", "ecc", AT(100, ECC(3)), AT(200, ECC(3)), "pass " S "+0"},
    {"an_error_is_the_jobs", "ecc", AT(100, ECC(3)), AT(200, ECC(5)),
     "fail " S "+2 uncorrected memory errors during the job"},
    {"a_driver_that_was_loaded_anew_says_nothing", "ecc", AT(100, ECC(3)), AT(200, ECC(1)),
     "unknown " S "1, was 3: reset during the job"},
    {"errors_that_were_not_told_before_are_not_the_jobs", "ecc", AT(100, ""), AT(200, ECC(1)),
     "unknown " S "it did not tell before the job"},
    {"no_ecc", "ecc", AT(100, KEY "ecc.volatile.uncorrected=none\n"),
     AT(200, KEY "ecc.volatile.uncorrected=none\n"), "skip " S "no ECC"},
    {"no_baseline", "ecc", NULL, AT(200, ECC(1)), "unknown there is no baseline of before the job"},
    {"another_gpu_was_there", "ecc", AT(100, KEY "uuid=GPU-1\n" ECC(0)),
     AT(200, KEY "uuid=GPU-2\n" ECC(1)), "unknown " S "it did not answer before the job"},
    {"it_was_lost_before", "ecc",
     FRAMED("boot.id=b\nboot.uptime_ms=1\ngpu.count=1\ngpu.0.pci=0000:1b:00.0\n" KEY
            "asked=late\n"),
     AT(200, ECC(1)), "unknown " S "it did not answer before the job"},

    {"no_remap", "remap", AT(100, REMAP(0, 0, 3)), AT(200, REMAP(0, 0, 3)), "pass " S "+0"},
    {"a_remap_became_pending", "remap", AT(100, REMAP(0, 0, 3)), AT(200, REMAP(1, 0, 4)),
     "fail " S "a row remap became pending during the job"},
    {"one_that_was_pending_is_another_checks", "remap", AT(100, REMAP(1, 0, 3)),
     AT(200, REMAP(1, 0, 3)), "pass " S "+0"},
    {"a_failure_comes_first", "remap", AT(100, REMAP(0, 0, 3)), AT(200, REMAP(1, 1, 3)),
     "fail " S "a row remap failed during the job"},
    {"a_row_that_was_remapped_warns", "remap", AT(100, REMAP(0, 0, 3)), AT(200, REMAP(0, 0, 4)),
     "warn " S "+1 rows remapped during the job"},
    {"pending_that_was_not_known_is_unknown", "remap", AT(100, ""), AT(200, REMAP(1, 0, 3)),
     "unknown " S "its remapped rows cannot be compared"},
    {"no_row_remapping", "remap", AT(100, ""), AT(200, KEY "remap.pending=none\n"),
     "skip " S "no row remapping"},

    {"no_page", "retired", AT(100, RETIRED(2, 1)), AT(200, RETIRED(2, 1)), "pass " S "+0"},
    {"pages_of_both_kinds_warn", "retired", AT(100, RETIRED(2, 1)), AT(200, RETIRED(3, 2)),
     "warn " S "+2 pages retired during the job"},
    {"pages_that_are_fewer", "retired", AT(100, RETIRED(2, 1)), AT(200, RETIRED(1, 1)),
     "unknown " S "1, was 2: reset during the job"},
    {"no_retirement", "retired", AT(100, ""), AT(200, KEY "retired.single=none\n"),
     "skip " S "no page retirement: it remaps rows"},

    {"no_replay", "pcie.replays", AT(100, REPLAYS(7)), AT(110, REPLAYS(7)), "pass " S "+0"},
    {"few_in_a_short_job", "pcie.replays", AT(100, REPLAYS(7)), AT(110, REPLAYS(99)),
     "skip " S "+92 in 10 s: too short for a rate"},
    {"gen_5_x16_may_have_31_a_minute", "pcie.replays", AT(100, REPLAYS(0)), AT(160, REPLAYS(31)),
     "pass " S "+31, 31/min"},
    {"more_warn", "pcie.replays", AT(100, REPLAYS(0)), AT(160, REPLAYS(32)),
     "warn " S "+32 PCIe replays during the job, 32/min, expected at most 31"},
    {"a_generation_of_the_future", "pcie.replays", AT(100, KEY "pcie.replays=0\n"),
     AT(160, KEY "pcie.replays=9\n" KEY "pcie.gen_max=9\n" KEY "pcie.width=16\n"),
     "unknown " S "+9, and its PCIe generation is not known"},
    {"no_counter_of_replays", "pcie.replays", AT(100, ""), AT(160, KEY "pcie.replays=none\n"),
     "skip " S "it does not count PCIe replays"},

    {"links_without_errors", "nvlink.errors", AT(100, LINKS(1, 2, 3)), AT(200, LINKS(1, 2, 3)),
     "pass " S "+0"},
    {"one_replay_warns", "nvlink.errors", AT(100, LINKS(1, 2, 3)), AT(200, LINKS(2, 2, 3)),
     "warn " S "NVLink 1 +1 errors during the job"},
    {"crc_errors_of_flits_are_usual", "nvlink.errors", AT(100, LINKS(0, 0, 0)),
     AT(200, LINKS(0, 0, 900)), "pass " S "+0"},
    {"a_hundred_in_a_second_are_not", "nvlink.errors", AT(100, LINKS(0, 0, 0)),
     AT(200, LINKS(0, 1, 9999)),
     "fail " S "NVLink 1 +10000 CRC errors during the job, 100/s, expected below 100"},
    {"ninety_nine_only_warn", "nvlink.errors", AT(100, LINKS(0, 0, 0)), AT(200, LINKS(0, 9900, 0)),
     "warn " S "NVLink 1 +9900 errors during the job"},
    {"a_short_job_has_no_rate", "nvlink.errors", AT(100, LINKS(0, 0, 0)),
     AT(110, LINKS(0, 5000, 0)), "warn " S "NVLink 1 +5000 errors during the job"},
    {"links_that_were_reset", "nvlink.errors", AT(100, LINKS(1, 1, 1)),
     AT(200, KEY "links=2\n" KEY "link.active=1 1\n" KEY "link.replays=none 0\n"),
     "unknown " S "the counters of its NVLinks were reset during the job"},
    {"links_that_do_not_tell", "nvlink.errors", AT(100, KEY "links=2\n" KEY "link.active=1 1\n"),
     AT(200, KEY "links=2\n" KEY "link.active=1 1\n"),
     "unknown " S "the counters of its NVLinks are not known"},
    {"no_nvlink", "nvlink.errors", AT(100, ""), AT(200, ""), "skip " S "no NVLink"},

    {"nothing_slowed_it", "slowed", AT(100, SLOWED(0, 0, 0)),
     AT(200, SLOWED(1000000000, 1000000000, 0)), "pass " S "nothing held its clocks down for long"},
    {"the_hardware_may_take_a_second", "slowed", AT(100, SLOWED(0, 0, 0)),
     AT(200, SLOWED(0, 1001000000, 0)),
     "fail " S "clocks were held down by heat (hardware) for 1.0 s of the job's 100 s"},
    {"the_power_brake_comes_first", "slowed", AT(100, SLOWED(0, 0, 0)),
     AT(200, SLOWED(0, 9000000000, 2000000000)),
     "fail " S "clocks were held down by the power brake for 2.0 s of the job's 100 s"},
    {"software_may_take_a_hundredth", "slowed", AT(100, SLOWED(0, 0, 0)),
     AT(200, SLOWED(1100000000, 0, 0)),
     "warn " S "clocks were held down by heat (software) for 1.1 s of the job's 100 s"},
    {"times_that_went_back", "slowed", AT(100, SLOWED(5, 5, 5)), AT(200, SLOWED(0, 0, 0)),
     "unknown " S "what held its clocks down cannot be compared"},
    {"no_times", "slowed", AT(100, ""), AT(200, KEY "slowed.thermal=none\n"),
     "skip " S "it does not count what holds its clocks down"},
};

static void says(void **state)
{
    const struct row *row = *state;
    char check[64];
    snprintf(check, sizeof check, "gpu.job.%s", row->check);
    view_says(check, row->before, row->now, NULL, row->says);
}

/* One fault is one reason: what came during the job is not told again by the check of what is. */
static const struct row once[] = {
    {"errors_that_came", "gpu.ecc.uncorrected", AT(100, ECC(0)), AT(200, ECC(1)),
     "skip " S "gpu.job.ecc tells of it"},
    {"errors_that_were_there", "gpu.ecc.uncorrected", AT(100, ECC(1)), AT(200, ECC(1)),
     "fail " S "1 uncorrected memory errors (DRAM 0, SRAM 0) since the driver was loaded"},
    {"a_pending_remap_that_came", "gpu.remap.pending", AT(100, REMAP(0, 0, 0)),
     AT(200, REMAP(1, 0, 1)), "skip " S "gpu.job.remap tells of it"},
    {"a_pending_remap_that_was_there", "gpu.remap.pending", AT(100, REMAP(1, 0, 0)),
     AT(200, REMAP(1, 0, 1)), "fail " S "a row remap is pending"},
    {"a_failure_that_came", "gpu.remap.failure", AT(100, REMAP(0, 0, 0)),
     AT(200, REMAP(0, 1, 0)), "skip " S "gpu.job.remap tells of it"},
    {"without_a_before_it_is_told", "gpu.remap.failure", NULL, AT(200, REMAP(0, 1, 0)),
     "fail " S "a row remap failed"},
};

static void says_once(void **state)
{
    const struct row *row = *state;
    view_says(row->check, row->before, row->now, NULL, row->says);
}

static void all_are_of_the_epilog(void **state)
{
    (void)state;
    for (size_t i = 0; i < ce_gpu_delta_check_count; i++)
        assert_int_equal(ce_gpu_delta_checks[i].phases, CE_EPILOG);
}

int main(void)
{
    UNIT_TABLE(rows, says);
    UNIT_TABLE(once, says_once);
    UNIT_RULE(all_are_of_the_epilog);
    return UNIT_RUN("checks/gpu_delta");
}

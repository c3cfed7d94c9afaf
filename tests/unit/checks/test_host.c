/* SPDX-License-Identifier: Apache-2.0 */
#include "checks/check.h"

#include "view.h"

#define RAIL                                                                                       \
    "ib.mlx5_0.type=MT4129\nib.mlx5_0.1.state=4\nib.mlx5_0.1.link_layer=infiniband\n"              \
    "ib.mlx5_0.1.rate_mbps=400000\n"
#define HOST(keys) FRAMED("host.name=node1\n" keys)

#define CLOCK(offset, estimated, most)                                                             \
    HOST("host.clock_synchronised=1\nhost.clock_offset_us=" #offset "\nhost.clock_esterror_us=" #estimated            \
         "\nhost.clock_maxerror_us=" #most "\n")

static const struct row {
    const char *name, *check, *now, *says;
} rows[] = {
    {"unlimited", "host.memlock", HOST(RAIL "host.memlock=unlimited\n"),
     "pass locked memory: unlimited"},
    {"as_much_as_there_is", "host.memlock",
     HOST(RAIL "host.memlock=1048576\nhost.memory_kb=1024\n"),
     "pass locked memory: 1024 kB, all there is"},
    {"the_kernels_default", "host.memlock",
     HOST(RAIL "host.memlock=8388608\nhost.memory_kb=1056964608\n"),
     "fail slurmd's limit of locked memory is 8192 kB, expected unlimited"},
    {"a_limit_that_cannot_be_read", "host.memlock", HOST(RAIL),
     "unknown the limit of locked memory cannot be read"},
    {"many_files", "host.files", HOST("host.nofile=16384\n"), "pass 16384 open files"},
    {"few_files", "host.files", HOST("host.nofile=4096\n"),
     "fail slurmd's limit of open files is 4096, expected at least 16384"},
    {"a_limit_of_files_that_cannot_be_read", "host.files", HOST(RAIL),
     "unknown the limit of open files cannot be read"},
    {"without_a_rail_the_limit_is_skipped", "host.memlock", HOST("host.memlock=8388608\n"),
     "skip there is no rail"},
    {"enough_memory", "host.memory", HOST("host.memory_kb=1056964608\n"),
     "pass 1008 GiB of memory"},
    {"a_module_less", "host.memory", HOST("host.memory_kb=989855744\n"),
     "fail 944 GiB of memory, expected 1000"},
    {"memory_that_cannot_be_read", "host.memory", HOST(""),
     "unknown the size of memory cannot be read"},
    {"enough_huge_pages", "host.hugepages", HOST("host.hugepage_kb=2048\nhost.hugepages=64\n"),
     "pass 64 huge pages"},
    {"too_few_huge_pages", "host.hugepages", HOST("host.hugepage_kb=2048\nhost.hugepages=0\n"),
     "fail 0 huge pages of 2048 kB, expected 64"},
    {"huge_pages_that_cannot_be_read", "host.hugepages", HOST(""),
     "unknown the number of huge pages cannot be read"},
    {"mounted", "host.mounts", HOST("host.mount.0=yes /home\n"), "pass /home mounted"},
    {"not_mounted", "host.mounts", HOST("host.mount.0=yes /home\nhost.mount.1=no /my data\n"),
     "pass /home mounted\nfail /my data not mounted"},
    {"no_mounts_are_expected", "host.mounts", HOST(""), "skip no mounts are expected"},
    {"a_clock_that_is_synchronised", "host.clock", HOST("host.clock_synchronised=1\n"),
     "pass the clock is synchronised"},
    {"a_clock_near_the_true_time", "host.clock", CLOCK(12, 345, 40000),
     "pass the clock is synchronised, off by about 0.345 ms"},
    {"a_clock_that_is_being_moved", "host.clock", CLOCK(50999, 0, 0), "fail the clock is off by about 50 ms, limit 50"},
    {"one_at_the_limit", "host.clock", CLOCK(50000, 50000, 40000), "pass the clock is synchronised, off by about 50 ms"},
    {"a_clock_whose_daemon_is_not_sure", "host.clock", CLOCK(0, 2000000, 3000000),
     "fail the clock is off by about 2000 ms, limit 50"},
    {"an_error_that_nobody_told_is_none", "host.clock", CLOCK(7, 16000000, 16000000),
     "pass the clock is synchronised, off by about 0.007 ms"},
    {"the_most_that_it_can_be_is_not_judged", "host.clock", CLOCK(0, 40, 15000000),
     "pass the clock is synchronised, off by about 0.04 ms"},
    {"without_the_flag_the_errors_mean_nothing", "host.clock",
     HOST("host.clock_synchronised=0\nhost.clock_offset_us=0\nhost.clock_esterror_us=16000000\n"
          "host.clock_maxerror_us=16000000\n"), "warn the clock is not synchronised"},
    {"a_clock_that_is_not", "host.clock", HOST("host.clock_synchronised=0\n"),
     "warn the clock is not synchronised"},
    {"a_clock_that_cannot_be_asked", "host.clock", HOST(""), "unknown the clock cannot be asked"},
    {"nobody_is_stuck", "host.stuck", HOST("gpu.count=1\nhost.stuck=0\n"),
     "pass no process with a GPU is stuck"},
    {"somebody_is", "host.stuck", HOST("gpu.count=1\nhost.stuck=1\nhost.stuck.0=4711 python\n"),
     "warn 4711 python is stuck in the kernel with a GPU open"},
    {"nobody_looked", "host.stuck", HOST("gpu.count=1\n"),
     "unknown the processes were not looked through"},
    {"without_a_gpu_nobody_looks", "host.stuck", HOST("gpu.count=0\n"), "skip there is no GPU"},
};

static void check_says(void **state)
{
    const struct row *row = *state;
    struct ce_policy policy;
    ce_policy_default(&policy);
    policy.memory_gb = 1000;
    policy.hugepages = 64;
    view_says(row->check, NULL, row->now, &policy, row->says);
}

static void what_is_not_expected_is_skipped(void **state)
{
    (void)state;
    const char *now = HOST("host.memory_kb=1\nhost.hugepage_kb=2048\nhost.hugepages=0\n");
    view_says("host.memory", NULL, now, NULL, "skip no size of memory is expected");
    view_says("host.hugepages", NULL, now, NULL, "skip no huge pages are expected");
}

static void a_site_says_how_far_a_clock_may_be_off(void **state)
{
    (void)state;
    struct ce_policy policy;
    ce_policy_default(&policy);
    policy.checks = (struct ce_check_rules){{{.name = "host.clock", .has_limit = true, .limit = 1}}, 1};
    view_says("host.clock", NULL, CLOCK(1500, 0, 0), &policy, "fail the clock is off by about 1 ms, limit 1");
}

/* The rule that needs no facts: the mounts of a configuration that could not be looked for. */
static void mounts_that_cannot_be_read_are_unknown(void **state)
{
    (void)state;
    ce_autofindings struct ce_findings findings = {.items = NULL};
    struct ce_node node = {.host.mount_count = 1, .host.mounts = {{"/home", CE_ANSWER_UNKNOWN}}};
    const struct ce_check_view view = {.node = &node};
    ce_health_check_find("host.mounts")->judge(&view, &findings);
    assert_int_equal(findings.count, 1);
    assert_int_equal(findings.items[0].verdict, CE_UNKNOWN);
    assert_string_equal(findings.items[0].text, "the mounts cannot be read");
    seen("host.mounts", CE_UNKNOWN);
}

int main(void)
{
    UNIT_TABLE(rows, check_says);
    UNIT_RULE(what_is_not_expected_is_skipped);
    UNIT_RULE(a_site_says_how_far_a_clock_may_be_off);
    UNIT_RULE(mounts_that_cannot_be_read_are_unknown);
    return UNIT_RUN("checks/host");
}

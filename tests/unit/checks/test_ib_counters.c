/* SPDX-License-Identifier: Apache-2.0 */
#include "checks/check.h"

#include "view.h"

/* One rail, at a moment in seconds since the boot. */
#define AT(seconds, counters)                                                                      \
    FRAMED("boot.id=b\nboot.uptime_ms=" #seconds "000\nib.mlx5_0.type=MT4129\n"                    \
           "ib.mlx5_0.pci=0000:18:00.0\nib.mlx5_0.1.state=4\nib.mlx5_0.1.link_layer=infiniband\n"  \
           "ib.mlx5_0.1.rate_mbps=400000\n" counters)
#define COUNTER(name, value) "ib.mlx5_0.1.counter." #name "=" #value "\n"

static const struct row {
    const char *name, *check, *before, *now, *says;
} rows[] = {
    {"a_link_that_stayed_up", "link_downed", AT(100, COUNTER(link_downed, 3)),
     AT(4000, COUNTER(link_downed, 3)), "pass mlx5_0/1 +0"},
    {"a_link_that_went_down_is_a_fault", "link_downed", AT(100, COUNTER(link_downed, 3)),
     AT(110, COUNTER(link_downed, 4)), "fail mlx5_0/1 link_downed +1 during the job"},
    {"a_total_is_never_judged", "link_downed", AT(100, COUNTER(link_downed, 254)),
     AT(110, COUNTER(link_downed, 254)), "pass mlx5_0/1 +0"},
    {"what_reaches_the_end_during_the_job_is_a_fault", "link_downed",
     AT(100, COUNTER(link_downed, 254)), AT(110, COUNTER(link_downed, 255)),
     "fail mlx5_0/1 link_downed +1 during the job"},
    {"a_saturated_counter_is_unknown", "link_downed", AT(100, COUNTER(link_downed, 255)),
     AT(110, COUNTER(link_downed, 255)), "unknown mlx5_0/1 saturated at 255: it counts no more"},
    {"a_narrow_one_saturates_at_15", "local_link_integrity_errors",
     AT(100, COUNTER(local_link_integrity_errors, 15)),
     AT(110, COUNTER(local_link_integrity_errors, 15)),
     "unknown mlx5_0/1 saturated at 15: it counts no more"},
    {"a_counter_that_is_wider_than_the_specification_counts_on", "link_downed",
     AT(100, COUNTER(link_downed, 256)), AT(110, COUNTER(link_downed, 257)),
     "fail mlx5_0/1 link_downed +1 during the job"},
    {"a_reset_is_no_fault", "link_downed", AT(100, COUNTER(link_downed, 9)),
     AT(110, COUNTER(link_downed, 2)), "unknown mlx5_0/1 2, was 9: reset during the job"},
    {"no_such_counter_is_skipped", "roce_slow_restart", AT(100, ""), AT(110, ""),
     "skip mlx5_0/1 it has no such counter"},
    {"a_counter_that_cannot_be_read_now_is_unknown", "link_downed",
     AT(100, COUNTER(link_downed, 9)), AT(110, ""),
     "unknown mlx5_0/1 its counter could not be read"},
    {"nor_then", "link_downed", AT(100, ""), AT(110, COUNTER(link_downed, 9)),
     "unknown mlx5_0/1 its counter could not be read"},
    {"without_a_baseline_nothing_is_known", "link_downed", NULL, AT(110, COUNTER(link_downed, 9)),
     "unknown there is no baseline of before the job"},
    {"another_card_at_this_name_is_unknown", "link_downed",
     FRAMED("boot.uptime_ms=100\nib.mlx5_0.pci=0000:19:00.0\nib.mlx5_0.1.state=4\n"
            "ib.mlx5_0.1.counter.link_downed=0\n"),
     AT(110, COUNTER(link_downed, 9)), "unknown mlx5_0/1 it was not there before the job"},
    {"another_port_is_unknown", "link_downed",
     FRAMED("boot.uptime_ms=100\nib.mlx5_0.pci=0000:18:00.0\nib.mlx5_0.2.state=4\n"
            "ib.mlx5_0.2.counter.link_downed=0\n"),
     AT(110, COUNTER(link_downed, 9)), "unknown mlx5_0/1 it was not there before the job"},
    {"without_a_rail_it_is_skipped", "link_downed", FRAMED("boot.uptime_ms=100\n"),
     FRAMED("boot.uptime_ms=200\n"), "skip there is no rail"},
    {"an_overrun_is_a_fault", "excessive_buffer_overrun_errors",
     AT(100, COUNTER(excessive_buffer_overrun_errors, 0)),
     AT(110, COUNTER(excessive_buffer_overrun_errors, 2)),
     "fail mlx5_0/1 excessive_buffer_overrun_errors +2 during the job"},
    {"a_receiver_that_never_came_is_told", "rnr_nak_retry_err",
     AT(100, COUNTER(rnr_nak_retry_err, 0)), AT(110, COUNTER(rnr_nak_retry_err, 1)),
     "fail mlx5_0/1 rnr_nak_retry_err +1 during the job"},
    {"a_rate_below_the_threshold", "symbol_error", AT(100, COUNTER(symbol_error, 0)),
     AT(200, COUNTER(symbol_error, 1000)), "pass mlx5_0/1 +1000, 10/s"},
    {"a_rate_above_it", "symbol_error", AT(100, COUNTER(symbol_error, 0)),
     AT(200, COUNTER(symbol_error, 1100)),
     "warn mlx5_0/1 symbol_error +1100 during the job, 11/s, expected at most 10/s"},
    {"a_short_job_has_no_rate", "symbol_error", AT(100, COUNTER(symbol_error, 0)),
     AT(159, COUNTER(symbol_error, 60000)), "skip mlx5_0/1 +60000 in 59 s: too short for a rate"},
    {"but_nothing_at_all_passes", "symbol_error", AT(100, COUNTER(symbol_error, 7)),
     AT(100, COUNTER(symbol_error, 7)), "pass mlx5_0/1 +0"},
    {"five_recoveries_a_minute_pass", "link_error_recovery",
     AT(100, COUNTER(link_error_recovery, 0)), AT(160, COUNTER(link_error_recovery, 5)),
     "pass mlx5_0/1 +5, 0.0833/s"},
    {"six_do_not", "link_error_recovery", AT(100, COUNTER(link_error_recovery, 0)),
     AT(160, COUNTER(link_error_recovery, 6)),
     "warn mlx5_0/1 link_error_recovery +6 during the job, 0.1/s, expected at most 0.0833/s"},
    {"one_flap_of_the_carrier_passes", "carrier_changes", AT(100, COUNTER(carrier_changes, 2)),
     AT(160, COUNTER(carrier_changes, 4)), "pass mlx5_0/1 +2"},
    {"two_do_not", "carrier_changes", AT(100, COUNTER(carrier_changes, 2)),
     AT(160, COUNTER(carrier_changes, 6)),
     "warn mlx5_0/1 carrier_changes +4 during the job, expected at most +2"},
    {"discards", "port_xmit_discards", AT(100, COUNTER(port_xmit_discards, 0)),
     AT(200, COUNTER(port_xmit_discards, 20000)),
     "warn mlx5_0/1 port_xmit_discards +20000 during the job, 200/s, expected at most 100/s"},
    {"received_errors", "port_rcv_errors", AT(100, COUNTER(port_rcv_errors, 14)),
     AT(200, COUNTER(port_rcv_errors, 14)), "pass mlx5_0/1 +0"},
    {"out_of_sequence", "out_of_sequence", AT(100, COUNTER(out_of_sequence, 0)),
     AT(200, COUNTER(out_of_sequence, 20000)),
     "warn mlx5_0/1 out_of_sequence +20000 during the job, 200/s, expected at most 100/s"},
    {"ack_timeouts", "local_ack_timeout_err", AT(100, COUNTER(local_ack_timeout_err, 0)),
     AT(200, COUNTER(local_ack_timeout_err, 200)),
     "warn mlx5_0/1 local_ack_timeout_err +200 during the job, 2/s, expected at most 1/s"},
    {"slow_restarts", "roce_slow_restart", AT(100, COUNTER(roce_slow_restart, 0)),
     AT(200, COUNTER(roce_slow_restart, 2000)),
     "warn mlx5_0/1 roce_slow_restart +2000 during the job, 20/s, expected at most 10/s"},
};

static void counter_says(void **state)
{
    const struct row *row = *state;
    char check[64];
    snprintf(check, sizeof check, "ib.counter.%s", row->check);
    view_says(check, row->before, row->now, NULL, row->says);
}

/* More of it within 100 seconds than is well. */
static const struct too_many_row {
    const char *name;
    unsigned most, over;
    const char *verdict;
} too_many[] = {
    {"link_downed", 0, 1, "fail"},
    {"local_link_integrity_errors", 0, 1, "fail"},
    {"excessive_buffer_overrun_errors", 0, 1, "fail"},
    {"rnr_nak_retry_err", 0, 1, "fail"},
    {"carrier_changes", 2, 3, "warn"},
    {"link_error_recovery", 8, 9, "warn"},
    {"symbol_error", 1000, 1001, "warn"},
    {"port_rcv_errors", 1000, 1001, "warn"},
    {"port_xmit_discards", 10000, 10001, "warn"},
    {"out_of_sequence", 10000, 10001, "warn"},
    {"local_ack_timeout_err", 100, 101, "warn"},
    {"roce_slow_restart", 1000, 1001, "warn"},
};

static void counter_begins(const char *name, unsigned from, unsigned to, const char *verdict)
{
    char check[64], before[512], now[512];
    ce_autofindings struct ce_findings findings = {.items = NULL};
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    struct ce_policy policy;
    ce_policy_default(&policy);
    snprintf(check, sizeof check, "ib.counter.%s", name);
    snprintf(before, sizeof before, AT(100, "ib.mlx5_0.1.counter.%s=%u\n"), name, from);
    snprintf(now, sizeof now, AT(200, "ib.mlx5_0.1.counter.%s=%u\n"), name, to);
    view_judge(check, before, now, &policy, &findings, &out);
    assert_int_equal(strncmp(ce_text_string(&out), verdict, strlen(verdict)), 0);
    seen_all(check, &findings);
}

static void every_counter_has_its_ends(void **state)
{
    const struct too_many_row *row = *state;
    char check[64];
    counter_begins(row->name, 1, 1 + row->most, "pass mlx5_0/1 ");
    counter_begins(row->name, 1, 1 + row->over, row->verdict);
    counter_begins(row->name, 5, 3, "unknown mlx5_0/1 3, was 5: reset during the job");
    snprintf(check, sizeof check, "ib.counter.%s", row->name);
    view_says(check, FRAMED("boot.uptime_ms=100\n"), FRAMED("boot.uptime_ms=200\n"), NULL, "skip there is no rail");
}

static void every_counter_is_one_of_these(void **state)
{
    (void)state;
    assert_int_equal(ce_ib_counter_check_count, UNIT_COUNT(too_many));
}

/* What a technician reads, and what Slurm is told. */
static void only_real_faults_drain(void **state)
{
    (void)state;
    for (size_t i = 0; i < ce_ib_counter_check_count; i++) {
        const struct ce_check *check = &ce_ib_counter_checks[i];
        assert_int_equal(check->phases, CE_EPILOG);
        assert_int_equal(check->unknown, CE_IGNORE);
        assert_false(check->traits & CE_RECOVERABLE);
        assert_int_equal(strncmp(check->name, "ib.counter.", 11), 0);
    }
    assert_int_equal(ce_health_check_find("ib.counter.link_downed")->fault, CE_DRAIN);
    assert_int_equal(ce_health_check_find("ib.counter.rnr_nak_retry_err")->fault, CE_TELL);
    assert_null(ce_health_check_find("ib.counter.port_xmit_wait"));
}

int main(void)
{
    UNIT_TABLE(rows, counter_says);
    UNIT_TABLE(too_many, every_counter_has_its_ends);
    UNIT_RULE(every_counter_is_one_of_these);
    UNIT_RULE(only_real_faults_drain);
    return UNIT_RUN("checks/ib_counters");
}

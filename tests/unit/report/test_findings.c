/* SPDX-License-Identifier: Apache-2.0 */
#include "report/findings.h"

#include "../unit.h"

#define CABLE "check cable and switch port"
#define STATE "ib.port.state"
#define DOWN "DOWN (Polling), expected ACTIVE"

/* As lib/health hands them on. */
#define DRAINED(check, what, remedy, subject, text)                                                \
    {check, what, remedy, CE_FAIL, CE_DRAIN, subject, text}
#define PORT(subject, text) DRAINED(STATE, "port", CABLE, subject, text)

enum { MAX = 8 };

static const struct reason_row {
    const char *name;
    struct ce_finding findings[MAX];
    const char *reason;
    uint32_t job;
} reasons[] = {
    {"without_a_fault_there_is_no_reason", {{.check = NULL}}, ""},
    {"one_port",
     {PORT("mlx5_4/1", DOWN)},
     "mlx5_4/1 DOWN (Polling), expected ACTIVE; check cable and switch port "
     "[cluster-env ib.port.state]"},
    {"seven_ports_are_all_named",
     {PORT("mlx5_0/1", DOWN), PORT("mlx5_1/1", DOWN), PORT("mlx5_2/1", DOWN),
      PORT("mlx5_3/1", DOWN), {STATE, "port", CABLE, CE_PASS, CE_IGNORE, "mlx5_4/1", "ACTIVE"},
      PORT("mlx5_5/1", DOWN), PORT("mlx5_6/1", DOWN), PORT("mlx5_7/1", DOWN)},
     "7 ports: mlx5_0/1, mlx5_1/1, mlx5_2/1, mlx5_3/1, mlx5_5/1, mlx5_6/1, mlx5_7/1 "
     "DOWN (Polling), expected ACTIVE; check cable and switch port [cluster-env ib.port.state]"},
    {"ports_of_which_different_things_are_to_be_said",
     {PORT("mlx5_0/1", DOWN), PORT("mlx5_1/1", "ARMED (LinkUp), expected ACTIVE"),
      PORT("mlx5_2/1", DOWN)},
     "2 ports: mlx5_0/1, mlx5_2/1 DOWN (Polling), expected ACTIVE, mlx5_1/1 ARMED (LinkUp), "
     "expected ACTIVE; check cable and switch port [cluster-env ib.port.state]"},
    {"another_remedy_is_told_apart",
     {PORT("mlx5_0/1", DOWN), DRAINED(STATE, "port", "check the subnet manager", "mlx5_1/1", "INIT"),
      PORT("mlx5_2/1", DOWN)},
     "2 ports: mlx5_0/1, mlx5_2/1 DOWN (Polling), expected ACTIVE; check cable and switch port "
     "[cluster-env ib.port.state] + mlx5_1/1 INIT; check the subnet manager "
     "[cluster-env ib.port.state]"},
    {"several_checks_follow_each_other",
     {PORT("mlx5_0/1", DOWN), DRAINED("gpu.count", "GPU", "power-cycle", "", "7 GPUs, expected 8")},
     "mlx5_0/1 DOWN (Polling), expected ACTIVE; check cable and switch port "
     "[cluster-env ib.port.state] + 7 GPUs, expected 8; power-cycle [cluster-env gpu.count]"},
    {"the_job_stands_behind_what_was_measured",
     {PORT("mlx5_0/1", DOWN), DRAINED("gpu.count", "GPU", "power-cycle", "", "7 GPUs, expected 8")},
     "mlx5_0/1 DOWN (Polling), expected ACTIVE, found after job 4294967295; check cable and switch port "
     "[cluster-env ib.port.state] + 7 GPUs, expected 8; power-cycle [cluster-env gpu.count]", UINT32_MAX},
    {"or_before_a_list_however_long",
     {PORT("mlx5_0/1", DOWN), PORT("mlx5_1/1", "INIT (LinkUp), expected ACTIVE"), PORT("mlx5_2/1", DOWN)},
     "2 ports, found after job 7: mlx5_0/1, mlx5_2/1 DOWN (Polling), expected ACTIVE, mlx5_1/1 INIT (LinkUp), "
     "expected ACTIVE; check cable and switch port [cluster-env ib.port.state]", 7},
    {"what_is_not_drained_for_is_no_reason",
     {{STATE, "port", CABLE, CE_FAIL, CE_TELL, "mlx5_0/1", DOWN},
      {STATE, "port", CABLE, CE_UNKNOWN, CE_TELL, "mlx5_1/1", "?"},
      {STATE, "port", CABLE, CE_WARN, CE_TELL, "mlx5_2/1", "slow"},
      PORT("mlx5_3/1", DOWN)},
     "mlx5_3/1 DOWN (Polling), expected ACTIVE; check cable and switch port "
     "[cluster-env ib.port.state]"},
};

static struct ce_findings listed(const struct ce_finding *rows)
{
    struct ce_findings findings = {.items = (struct ce_finding *)rows};
    while (findings.count < MAX && rows[findings.count].check)
        findings.count++;
    return findings;
}

static void gives_the_reason(void **state)
{
    const struct reason_row *row = *state;
    const struct ce_findings findings = listed(row->findings);
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    ce_report_reason(&findings, row->job, &out);
    assert_string_equal(ce_text_string(&out), row->reason);
}

/* ---------------------------------------------------------------- the table */

static const struct ce_finding some[MAX] = {
    {STATE, "port", CABLE, CE_PASS, CE_IGNORE, "mlx5_0/1", "ACTIVE"},
    PORT("mlx5_1/1", DOWN),
    {"ib.rail.count", "rail", "look", CE_SKIP, CE_IGNORE, "", "not expected"},
    {"ib.port.rate", "port", "reseat", CE_WARN, CE_TELL, "mlx5_0/1", "slow"},
    {"gpu.count", "GPU", "power", CE_UNKNOWN, CE_TELL, "", "the PCI bus cannot be read"},
};

static void the_table_has_what_is_not_well(void **state)
{
    const struct ce_findings findings = listed(some);
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    (void)state;
    ce_report_findings_text(&findings, false, false, 0, &out);
    assert_string_equal(ce_text_string(&out),
                        "fail     ib.port.state  mlx5_1/1 DOWN (Polling), expected ACTIVE; check "
                        "cable and switch port (drain)\n"
                        "warn     ib.port.rate   mlx5_0/1 slow; reseat\n"
                        "unknown  gpu.count      the PCI bus cannot be read\n"
                        "1 failed, 1 warned, 1 unknown, 1 passed, 1 skipped\n");
}

static void the_whole_table_has_all(void **state)
{
    const struct ce_findings findings = listed(some);
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    (void)state;
    ce_report_findings_text(&findings, true, false, 0, &out);
    unit_holds(ce_text_string(&out), "pass     ib.port.state  mlx5_0/1 ACTIVE\n");
    unit_holds(ce_text_string(&out), "skip     ib.rail.count  not expected\n");
}

static void colour_is_of_the_verdict_alone(void **state)
{
    const struct ce_findings findings = listed(some);
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    (void)state;
    ce_report_findings_text(&findings, false, true, 0, &out);
    unit_holds(ce_text_string(&out), "\033[31mfail   \033[0m  ib.port.state");
}

static void nothing_found_is_said(void **state)
{
    const struct ce_findings findings = {.count = 0};
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    (void)state;
    ce_report_findings_text(&findings, true, false, 0, &out);
    assert_string_equal(ce_text_string(&out),
                        "0 failed, 0 warned, 0 unknown, 0 passed, 0 skipped\n");
}

#define CRASH "probe-gpu: ended by signal 6, Aborted"
#define UNKNOWN(check, response, subject, text) {check, "GPU", "look", CE_UNKNOWN, response, subject, text}

/* One crash: unknown to many checks, of many GPUs. */
static const struct echo_row {
    const char *name;
    struct ce_finding findings[MAX];
    const char *table; /* less its summary */
} echoes[] = {
    {"one_cause_is_told_once",
     {UNKNOWN("gpu.nvml", CE_TELL, "GPU 3", CRASH), UNKNOWN("gpu.nvml", CE_TELL, "GPU 4", CRASH),
      UNKNOWN("gpu.mig", CE_TELL, "GPU 3", CRASH), UNKNOWN("gpu.mig", CE_IGNORE, "GPU 4", CRASH)},
     "unknown  gpu.nvml  GPU 3 " CRASH " (3 more say so)\n"},
    {"another_cause_is_another",
     {UNKNOWN("gpu.nvml", CE_TELL, "GPU 3", CRASH), UNKNOWN("gpu.xid", CE_TELL, "", "the kernel log was not read"),
      UNKNOWN("gpu.mig", CE_TELL, "GPU 3", CRASH)},
     "unknown  gpu.nvml  GPU 3 " CRASH " (1 more says so)\nunknown  gpu.xid   the kernel log was not read\n"},
    {"one_that_is_ignored_hides_none",
     {UNKNOWN("gpu.nvml", CE_IGNORE, "GPU 3", CRASH), UNKNOWN("gpu.mig", CE_TELL, "GPU 3", CRASH)},
     "unknown  gpu.nvml  GPU 3 " CRASH "\nunknown  gpu.mig   GPU 3 " CRASH "\n"},
    {"a_fault_tells_it_too",
     {DRAINED("gpu.nvml", "GPU", "power", "GPU 3", "GPU is lost"), UNKNOWN("gpu.mig", CE_TELL, "GPU 3", "GPU is lost")},
     "fail     gpu.nvml  GPU 3 GPU is lost (1 more says so); power (drain)\n"},
    {"faults_are_all_told",
     {DRAINED("gpu.nvml", "GPU", "power", "GPU 3", "GPU is lost"), DRAINED("gpu.nvml", "GPU", "power", "GPU 4", "GPU is lost")},
     "fail     gpu.nvml  GPU 3 GPU is lost; power (drain)\nfail     gpu.nvml  GPU 4 GPU is lost; power (drain)\n"},
    {"what_does_not_apply_tells_nothing",
     {{"gpu.ecc.mode", "GPU", "look", CE_SKIP, CE_IGNORE, "GPU 3", CRASH}, UNKNOWN("gpu.mig", CE_IGNORE, "GPU 3", CRASH)},
     "unknown  gpu.mig  GPU 3 " CRASH "\n"},
};

static void tells_one_cause_once(void **state)
{
    const struct echo_row *row = *state;
    const struct ce_findings findings = listed(row->findings);
    ce_autotext struct ce_text some_out = CE_TEXT(1 << 16), all_out = CE_TEXT(1 << 16);
    size_t rows = 0;
    ce_report_findings_text(&findings, false, false, 0, &some_out);
    unit_holds(ce_text_string(&some_out), row->table);
    assert_ptr_equal(strstr(ce_text_string(&some_out), row->table), ce_text_string(&some_out));
    assert_int_equal(strchr(ce_text_string(&some_out) + strlen(row->table), '\n')[1], '\0');
    ce_report_findings_text(&findings, true, false, 0, &all_out);
    for (const char *at = ce_text_string(&all_out); (at = strchr(at, '\n')) != NULL; at++)
        rows++;
    assert_int_equal(rows, findings.count + 1);
    assert_null(strstr(ce_text_string(&all_out), "say"));
}

/* A terminal's width; a colour takes no room. */
static void a_row_goes_on_in_the_next_line(void **state)
{
    const struct ce_findings findings = listed((const struct ce_finding[MAX]){PORT("mlx5_1/1", DOWN)});
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    (void)state;
    ce_report_findings_text(&findings, false, true, 60, &out);
    assert_string_equal(ce_text_string(&out),
                        "\033[31mfail   \033[0m  ib.port.state  mlx5_1/1 DOWN (Polling), expected\n"
                        "         ACTIVE; check cable and switch port (drain)\n"
                        "1 failed, 0 warned, 0 unknown, 0 passed, 0 skipped\n");
}

static void names_that_are_not_shown_take_no_room(void **state)
{
    const struct ce_findings findings = listed((const struct ce_finding[MAX]){
        {"ib.counter.excessive_buffer_overrun_errors", "port", CABLE, CE_PASS, CE_IGNORE, "", "0"},
        {"gpu.count", "GPU", "power", CE_UNKNOWN, CE_TELL, "", "unread"}});
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    (void)state;
    ce_report_findings_text(&findings, false, false, 80, &out);
    unit_holds(ce_text_string(&out), "unknown  gpu.count  unread\n");
}

static void what_is_ignored_says_so(void **state)
{
    const struct ce_findings findings = listed((const struct ce_finding[MAX]){
        {STATE, "port", CABLE, CE_FAIL, CE_IGNORE, "mlx5_0/1", "DOWN"}});
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    (void)state;
    ce_report_findings_text(&findings, false, false, 0, &out);
    unit_holds(ce_text_string(&out), "mlx5_0/1 DOWN; check cable and switch port (ignored)\n");
}

/* The guard counts reasons by the checks in them. */
static void a_reason_that_is_cut_keeps_its_checks(void **state)
{
    static const struct ce_finding rows[MAX] = {
        PORT("mlx5_0/1", DOWN), PORT("mlx5_1/1", "ARMED"),
        DRAINED("gpu.count", "GPU", "power-cycle", "", "7 GPUs, expected 8")};
    static const char whole[] = "0123456789012345678901234567890123456789012345678901234567890123456789"
                                "0123456789012345678901234567890123456789012345678901234567890123456789";
    static const struct {
        size_t size;
        const char *says;
    } cuts[] = {
        {sizeof whole, whole},
        {sizeof whole - 1, "01234567890123456789012345678901234567890123456789012345678901234567890123456789"
                           "0123... [cluster-env ib.port.state] [cluster-env gpu.count]"},
        {100, "01234567890123456789012345678901234567890123456789012345678901234567..."
              " [cluster-env ib.port.state]"},
    };
    (void)state;
    struct ce_findings findings = listed(rows);
    for (size_t i = 0; i < UNIT_COUNT(cuts); i++) {
        ce_autotext struct ce_text out = CE_TEXT(1000);
        ce_report_reason_cut(&findings, whole, cuts[i].size, &out);
        assert_string_equal(ce_text_string(&out), cuts[i].says);
        assert_true(out.length < cuts[i].size);
    }
}

int main(void)
{
    UNIT_TABLE(reasons, gives_the_reason);
    UNIT_TABLE(echoes, tells_one_cause_once);
    UNIT_RULE(a_reason_that_is_cut_keeps_its_checks);
    UNIT_RULE(the_table_has_what_is_not_well);
    UNIT_RULE(the_whole_table_has_all);
    UNIT_RULE(colour_is_of_the_verdict_alone);
    UNIT_RULE(nothing_found_is_said);
    UNIT_RULE(a_row_goes_on_in_the_next_line);
    UNIT_RULE(names_that_are_not_shown_take_no_room);
    UNIT_RULE(what_is_ignored_says_so);
    return UNIT_RUN("report/findings");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "status/health_line.h"

#include <stdlib.h>

#include "lines.h"
#include "report/run.h"

/* ---------------------------------------------------------------- what is no line */

static const struct bad_row {
    const char *name, *text, *message;
} bad_rows[] = {
    {"nothing_is_no_line", "", "not JSON"},
    {"words_are_no_line", "hello", "not JSON"},
    {"half_a_line_is_none", "{\"schema\":1,\"no", "not JSON"},
    {"a_member_twice_is_an_error", LINE("prolog", ",\"job\":1,\"job\":2"), "not JSON"},
    {"a_list_is_no_line", "[1]", "not a JSON object"},
    {"no_schema_is_an_error", "{\"time\":\"2026-11-21T15:10:38Z\"}", "schema: expected 1"},
    {"a_newer_schema_is_an_error", "{\"schema\":2}", "schema: expected 1"},
    {"a_schema_of_words_is_an_error", "{\"schema\":\"1\"}", "schema: expected 1"},
    {"no_time_is_an_error", "{\"schema\":1,\"phase\":\"prolog\"}", "time: expected one like"},
    {"another_time_is_an_error", "{\"schema\":1,\"time\":\"2026-11-21 15:10:38\"}", "time: "},
    {"a_month_that_is_none_is_an_error", "{\"schema\":1,\"time\":\"2026-13-21T15:10:38Z\"}", "time: "},
    {"no_phase_is_an_error", "{\"schema\":1,\"time\":\"2026-11-21T15:10:38Z\"}", "phase: expected a name"},
    {"a_number_for_a_text_is_an_error", LINE("prolog", ",\"reason\":1"), "reason: expected a text"},
    {"a_text_for_a_number_is_an_error", LINE("prolog", ",\"job\":\"1\""), "job: expected a number"},
    {"a_negative_number_is_an_error", LINE("prolog", ",\"job\":-1"), "job: expected a number"},
    {"a_number_past_32_bits_is_an_error", LINE("prolog", ",\"job\":4294967296"), "job: "},
    {"a_text_for_a_truth_is_an_error", LINE("prolog", ",\"checked\":\"yes\""), "checked: "},
    {"a_list_for_counts_is_an_error", LINE("prolog", ",\"counts\":[1]"), "counts: expected an object"},
    {"a_text_for_a_count_is_an_error", LINE("prolog", ",\"counts\":{\"fail\":\"1\"}"), "fail: "},
    {"an_object_for_findings_is_an_error", LINE("prolog", ",\"findings\":{}"), "findings: expected a list"},
    {"a_number_for_a_finding_is_an_error", LINE("prolog", ",\"findings\":[1]"), "findings: expected objects"},
    {"another_verdict_is_an_error", FOUND("bad", "warn"), "verdict: expected pass"},
    {"another_response_is_an_error", FOUND("fail", "reboot"), "response: expected ignore"},
    {"a_finding_of_no_check_is_an_error",
     LINE("prolog", ",\"findings\":[{\"verdict\":\"fail\",\"response\":\"warn\"}]"), "check: expected a name"},
    {"a_measure_without_a_value_is_an_error", LINE("bench", ",\"measured\":[{\"what\":\"x\"}]"), "value: expected a number"},
    {"a_measure_of_nothing_is_an_error", LINE("bench", ",\"measured\":[{\"value\":1}]"), "what: expected a name"},
    {"a_value_past_all_numbers_is_an_error", LINE("bench", ",\"measured\":[{\"what\":\"x\",\"value\":1e999}]"), "not JSON"},
    {"rails_that_are_a_number_are_an_error", LINE("prolog", ",\"rails\":8"), "rails: expected an object"},
};

static void is_no_line(void **state)
{
    const struct bad_row *row = *state;
    struct ce_error err = {""};
    assert_null(ce_health_line_parse(row->text, strlen(row->text), &err));
    unit_holds(err.text, row->message);
}

static void a_list_without_end_is_an_error(void **state)
{
    ce_autotext struct ce_text text = CE_TEXT(1 << 20);
    struct ce_error err;
    (void)state;
    ce_text_add(&text, "{\"schema\":1,\"time\":\"2026-11-21T15:10:38Z\",\"phase\":\"prolog\",\"findings\":[");
    for (int i = 0; i < CE_LINE_LIST_MAX; i++)
        ce_text_add(&text, FINDING("a.b", "fail", "warn") ",");
    ce_text_add(&text, FINDING("a.b", "fail", "warn") "]}");
    assert_null(ce_health_line_parse(ce_text_string(&text), text.length, &err));
    unit_holds(err.text, "findings: expected a list of at most 4096");
}

/* ---------------------------------------------------------------- what is one */

static void what_a_run_writes_is_read(void **state)
{
    struct ce_finding found = {"ib.port.state", "port", "cable", CE_FAIL, CE_DRAIN, "mlx5_1/1", "DOWN"};
    const struct ce_findings findings = {.items = &found, .count = 1};
    const struct ce_notes notes = {.count = 0};
    const struct ce_run run = {.phase = "prolog", .node = "n9", .mode = "drain", .job = 12,
                               .began = 1795273838, .took_ms = 1250, .reason = "why", .done = CE_DONE_DRAINED,
                               .equipment = {.gpus_known = true, .gpus = 7, .gpus_expected = 8,
                                             .rails_known = true, .rails = 8, .rails_up = 7},
                               .findings = &findings, .notes = &notes};
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    (void)state;
    assert_int_equal(ce_report_run_line(&run, &out), 0);
    ce_auto(ce_health_line_destroy) struct ce_health_line *line = line_of(ce_text_string(&out));
    assert_int_equal(line->time, 1795273838);
    assert_string_equal(line->node, "n9");
    assert_string_equal(line->phase, "prolog");
    assert_string_equal(line->mode, "drain");
    assert_string_equal(line->reason, "why");
    assert_string_equal(line->done, "drained");
    assert_string_equal(line->error, "");
    assert_int_equal(line->job, 12);
    assert_true(line->checked && line->counted);
    assert_int_equal(line->counts[CE_FAIL], 1);
    assert_int_equal(line->finding_count, 1);
    assert_string_equal(line->findings[0].remedy, "cable");
    assert_int_equal(line->findings[0].response, CE_DRAIN);
    assert_true(line->equipment.gpus_known && line->equipment.rails_known);
    assert_int_equal(line->equipment.gpus, 7);
    assert_int_equal(line->equipment.gpus_expected, 8);
    assert_int_equal(line->equipment.rails_up, 7);
    assert_int_equal(line->equipment.rails_expected, 8);
}

/* Before there were GPUs and rails in it; and after there will be more. */
static void older_and_newer_lines_are_read(void **state)
{
    (void)state;
    ce_auto(ce_health_line_destroy) struct ce_health_line *line =
        line_of(LINE("epilog", ",\"job\":null,\"new\":{\"a\":[1]},\"findings\":null"));
    assert_int_equal(line->job, 0);
    assert_false(line->checked || line->counted || line->equipment.gpus_known || line->equipment.rails_known);
    assert_int_equal(line->finding_count + line->measured_count, 0);
}

static void what_was_measured_is_read(void **state)
{
    (void)state;
    ce_auto(ce_health_line_destroy) struct ce_health_line *line = line_of(LINE(
        "bench", ",\"measured\":[{\"what\":\"rdma.write\",\"device\":\"mlx5_0/1\",\"value\":391.2,\"unit\":\"Gb/s\"},"
                 "{\"what\":\"x\",\"value\":-3}]"));
    assert_int_equal(line->measured_count, 2);
    assert_string_equal(line->measured[0].device, "mlx5_0/1");
    assert_true(line->measured[0].value > 391.1 && line->measured[0].value < 391.3);
    assert_string_equal(line->measured[1].unit, "");
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    UNIT_TABLE(bad_rows, is_no_line);
    UNIT_RULE(a_list_without_end_is_an_error);
    UNIT_RULE(what_a_run_writes_is_read);
    UNIT_RULE(older_and_newer_lines_are_read);
    UNIT_RULE(what_was_measured_is_read);
    return UNIT_RUN("health_line");
}

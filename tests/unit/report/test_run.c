/* SPDX-License-Identifier: Apache-2.0 */
#include "report/run.h"

#include <jansson.h>
#include <stdlib.h>

#include "../unit.h"

#define CABLE "check cable and switch port"
#define STATE "ib.port.state"
#define REASON "mlx5_1/1 DOWN; " CABLE " [cluster-env " STATE "]"

static struct ce_finding some[] = {
    {STATE, "port", CABLE, CE_PASS, CE_IGNORE, "mlx5_0/1", "ACTIVE"},
    {STATE, "port", CABLE, CE_FAIL, CE_DRAIN, "mlx5_1/1", "DOWN"},
    {STATE, "port", CABLE, CE_FAIL, CE_DRAIN, "mlx5_2/1", "DOWN"},
    {"ib.rail.count", "rail", "look", CE_SKIP, CE_IGNORE, "", "not expected"},
    {"ib.port.rate", "port", "reseat", CE_WARN, CE_TELL, "mlx5_0/1", "slow \"x\"\n"},
    {"gpu.count", "GPU", "power", CE_UNKNOWN, CE_TELL, "", "unread"},
};
static const struct ce_findings findings = {.items = some, .count = UNIT_COUNT(some)};
static struct ce_measurement figures[] = {
    {"rdma.write", "Gb/s", "mlx5_0/1", 391.2},
    {"rdma.latency", "us", "mlx\"5_1/1", 1.5},
};
static const struct ce_measured measured = {.items = figures, .count = UNIT_COUNT(figures)};
static const struct ce_findings none = {.count = 0};
static const struct ce_notes no_notes = {.count = 0};

/* 2026-11-21 15:10:38 UTC */
#define DRAINED_RUN                                                                                \
    {.phase = "prolog", .node = "n9", .boot_id = "b-1", .mode = "drain", .job = 12,                \
     .began = 1795273838, .took_ms = 1250, .reason = REASON, .done = CE_DONE_DRAINED,              \
     .equipment = {.gpus_known = true, .gpus = 7, .gpus_expected = 8, .rails_known = true,         \
                   .rails = 8, .rails_up = 6},                                                     \
     .findings = &findings, .notes = &no_notes}
#define BENCH_RUN                                                                                  \
    {.phase = "bench", .test = "rdma", .node = "n9", .mode = "observe", .reason = "",              \
     .findings = &none, .measured = &measured, .notes = &no_notes}
#define BROKEN_RUN                                                                                 \
    {.phase = "epilog", .node = "", .began = 1795273838, .error = "c.conf:1: syntax error",        \
     .misconfigured = true, .reason = "", .findings = &none, .notes = &no_notes}

/* What stands at KEY of the line, as JSON. */
static const struct member_row {
    const char *name;
    struct ce_run run;
    const char *key, *text;
} members[] = {
    {"the_schema_is_1", DRAINED_RUN, "schema", "1"},
    {"the_time_is_utc", DRAINED_RUN, "time", "\"2026-11-21T15:10:38Z\""},
    {"the_node", DRAINED_RUN, "node", "\"n9\""},
    {"the_phase", DRAINED_RUN, "phase", "\"prolog\""},
    {"the_job", DRAINED_RUN, "job", "12"},
    {"no_job_is_null", BROKEN_RUN, "job", "null"},
    {"the_boot", DRAINED_RUN, "boot_id", "\"b-1\""},
    {"a_boot_that_is_not_known_is_null", BROKEN_RUN, "boot_id", "null"},
    {"the_mode", DRAINED_RUN, "mode", "\"drain\""},
    {"a_mode_that_is_not_known_is_null", BROKEN_RUN, "mode", "null"},
    {"a_node_that_was_checked", DRAINED_RUN, "checked", "true"},
    {"one_that_was_not", BROKEN_RUN, "checked", "false"},
    {"and_why", BROKEN_RUN, "error", "\"c.conf:1: syntax error\""},
    {"it_was_the_configuration", BROKEN_RUN, "misconfigured", "true"},
    {"no_error_is_null", DRAINED_RUN, "error", "null"},
    {"the_reason", DRAINED_RUN, "reason", "\"" REASON "\""},
    {"no_reason_is_null", BROKEN_RUN, "reason", "null"},
    {"what_was_done", DRAINED_RUN, "done", "\"drained\""},
    {"nothing_was_done", BROKEN_RUN, "done", "\"nothing\""},
    {"how_long_it_took", DRAINED_RUN, "took_ms", "1250"},
    {"how_many_of_each_verdict", DRAINED_RUN, "counts",
     "{\"pass\":1,\"skip\":1,\"unknown\":1,\"warn\":1,\"fail\":2}"},
    {"which_test_it_was", BENCH_RUN, "test", "\"rdma\""},
    {"gpus", DRAINED_RUN, "gpus", "{\"found\":7,\"expected\":8}"},
    {"rails_that_nobody_counted_are_those_there", DRAINED_RUN, "rails", "{\"up\":6,\"expected\":8}"},
    {"what_is_not_known_is_null", BROKEN_RUN, "gpus", "{\"found\":null,\"expected\":null}"},
    {"also_of_rails", BROKEN_RUN, "rails", "{\"up\":null,\"expected\":null}"},
    {"none_is_left_out", DRAINED_RUN, "left_out", "0"},
};

static void has_the_member(void **state)
{
    const struct member_row *row = *state;
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    assert_int_equal(ce_report_run_line(&row->run, &out), 0);
    json_t *root = json_loads(ce_text_string(&out), 0, NULL);
    assert_non_null(root);
    char *text = json_dumps(json_object_get(root, row->key), JSON_ENCODE_ANY | JSON_COMPACT);
    assert_non_null(text);
    assert_string_equal(text, row->text);
    free(text);
    json_decref(root);
}

/* Whole, as others read it. */
static void what_was_measured_is_a_list(void **state)
{
    const struct ce_run run = BENCH_RUN;
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    (void)state;
    assert_int_equal(ce_report_run_line(&run, &out), 0);
    unit_holds(ce_text_string(&out),
               "\"measured\":[{\"what\":\"rdma.write\",\"device\":\"mlx5_0/1\",\"value\":391.2,\"unit\":\"Gb/s\"},"
               "{\"what\":\"rdma.latency\",\"device\":\"mlx\\\"5_1/1\",\"value\":1.5,\"unit\":\"us\"}]");
}

static void a_run_that_measures_nothing_does_not_say_so(void **state)
{
    const struct ce_run run = DRAINED_RUN;
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    (void)state;
    assert_int_equal(ce_report_run_line(&run, &out), 0);
    assert_null(strstr(ce_text_string(&out), "\"measured\""));
    assert_null(strstr(ce_text_string(&out), "\"test\""));
}

static void the_line_is_one_line(void **state)
{
    const struct ce_run run = DRAINED_RUN;
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    (void)state;
    assert_int_equal(ce_report_run_line(&run, &out), 0);
    assert_ptr_equal(strchr(ce_text_string(&out), '\n'), ce_text_string(&out) + out.length - 1);
}

/* The verdicts of the findings in the document, one letter each. */
static void check_verdicts(const struct ce_run *run, int (*write)(const struct ce_run *, struct ce_text *),
                           const char *expected)
{
    char verdicts[16] = "";
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    assert_int_equal(write(run, &out), 0);
    json_t *root = json_loads(ce_text_string(&out), 0, NULL);
    const json_t *list = json_object_get(root, "findings");
    for (size_t i = 0; i < json_array_size(list); i++)
        verdicts[i] = *json_string_value(json_object_get(json_array_get(list, i), "verdict"));
    assert_string_equal(verdicts, expected);
    const json_t *odd = json_array_get(list, json_array_size(list) - 2);
    assert_string_equal(json_string_value(json_object_get(odd, "text")), "slow \"x\"\n");
    assert_string_equal(json_string_value(json_object_get(odd, "subject")), "mlx5_0/1");
    assert_string_equal(json_string_value(json_object_get(odd, "check")), "ib.port.rate");
    assert_string_equal(json_string_value(json_object_get(odd, "remedy")), "reseat");
    assert_string_equal(json_string_value(json_object_get(odd, "response")), "warn");
    json_decref(root);
}

static void the_line_has_what_is_not_well_the_document_all(void **state)
{
    const struct ce_run run = DRAINED_RUN;
    (void)state;
    check_verdicts(&run, ce_report_run_line, "ffwu");
    check_verdicts(&run, ce_report_run_json, "pffswu");
}

static void a_line_does_not_grow_without_end(void **state)
{
    enum { MANY = 5000 };
    struct ce_run run = DRAINED_RUN;
    struct ce_findings many = {.count = MANY, .items = calloc(MANY, sizeof *some)};
    ce_autotext struct ce_text out = CE_TEXT(1 << 17);
    (void)state;
    for (size_t i = 0; i < MANY; i++)
        many.items[i] = some[1];
    run.findings = &many;
    assert_int_equal(ce_report_run_line(&run, &out), 0);
    assert_true(ce_text_ok(&out));
    unit_holds(ce_text_string(&out), "\"left_out\":4800,");
    unit_holds(ce_text_string(&out), "\"fail\":5000}");
    free(many.items);
}

static void notes_are_told(void **state)
{
    struct ce_notes notes = {.count = 0};
    struct ce_run run = BROKEN_RUN;
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    (void)state;
    ce_note(&notes, "probe-verbs: no answer");
    run.notes = &notes;
    assert_int_equal(ce_report_run_line(&run, &out), 0);
    unit_holds(ce_text_string(&out), "\"notes\":[\"probe-verbs: no answer\"]");
}

/* ---------------------------------------------------------------- metrics */

static const struct metric_row {
    const char *name;
    struct ce_run run;
    const char *line;
} metrics[] = {
    {"the_mode_and_version", DRAINED_RUN, "cluster_env_info{phase=\"prolog\",version=\""},
    {"the_mode", DRAINED_RUN, ",mode=\"drain\"} 1\n"},
    {"a_mode_that_is_not_known", BROKEN_RUN, ",mode=\"unknown\"} 1\n"},
    {"when", DRAINED_RUN, "\ncluster_env_run_timestamp_seconds{phase=\"prolog\"} 1795273838\n"},
    {"how_long", DRAINED_RUN, "\ncluster_env_run_duration_seconds{phase=\"prolog\"} 1.25\n"},
    {"it_was_checked", DRAINED_RUN, "\ncluster_env_run_checked{phase=\"prolog\"} 1\n"},
    {"it_was_not_checked", BROKEN_RUN, "\ncluster_env_run_checked{phase=\"epilog\"} 0\n"},
    {"the_configuration_is_well", DRAINED_RUN, "\ncluster_env_config_error{phase=\"prolog\"} 0\n"},
    {"the_configuration_is_broken", BROKEN_RUN, "\ncluster_env_config_error{phase=\"epilog\"} 1\n"},
    {"drained", DRAINED_RUN, "\ncluster_env_run_done{phase=\"prolog\",done=\"drained\"} 1\n"},
    {"so_not_held_back", DRAINED_RUN, "\ncluster_env_run_done{phase=\"prolog\",done=\"held_back\"} 0\n"},
    {"faults", DRAINED_RUN, "\ncluster_env_findings{phase=\"prolog\",verdict=\"fail\"} 2\n"},
    {"no_faults_are_0", BROKEN_RUN, "\ncluster_env_findings{phase=\"epilog\",verdict=\"fail\"} 0\n"},
    {"what_was_measured", BENCH_RUN,
     "\ncluster_env_measured{phase=\"bench\",what=\"rdma.write\",device=\"mlx5_0/1\",unit=\"Gb/s\"} 391.2\n"},
    {"a_name_cannot_end_its_label", BENCH_RUN, "device=\"mlx5_1/1\",unit=\"us\"} 1.5\n"},
    {"a_check_by_verdict", DRAINED_RUN,
     "\ncluster_env_check_findings{phase=\"prolog\",check=\"ib.port.state\",verdict=\"pass\",response=\"ignore\"} 1\n"
     "cluster_env_check_findings{phase=\"prolog\",check=\"ib.port.state\",verdict=\"fail\",response=\"drain\"} 2\n"
     "cluster_env_check_findings{phase=\"prolog\",check=\"ib.rail.count\",verdict=\"skip\",response=\"ignore\"} 1\n"},
};

static void has_the_metric(void **state)
{
    const struct metric_row *row = *state;
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    ce_report_run_metrics(&row->run, &out);
    assert_true(ce_text_ok(&out));
    unit_holds(ce_text_string(&out), row->line);
}

/* A textfile with the same line twice is refused whole. */
static void no_metric_stands_twice(void **state)
{
    const struct ce_run run = DRAINED_RUN;
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    (void)state;
    ce_report_run_metrics(&run, &out);
    for (const char *line = ce_text_string(&out); *line; line = strchr(line, '\n') + 1) {
        char key[512];
        snprintf(key, sizeof key, "\n%.*s", (int)(strcspn(line, "}\n") + 1), line);
        assert_null(strstr(line + 1, key));
    }
}

int main(void)
{
    UNIT_TABLE(members, has_the_member);
    UNIT_RULE(what_was_measured_is_a_list);
    UNIT_RULE(a_run_that_measures_nothing_does_not_say_so);
    UNIT_RULE(the_line_is_one_line);
    UNIT_RULE(the_line_has_what_is_not_well_the_document_all);
    UNIT_RULE(a_line_does_not_grow_without_end);
    UNIT_RULE(notes_are_told);
    UNIT_TABLE(metrics, has_the_metric);
    UNIT_RULE(no_metric_stands_twice);
    return UNIT_RUN("report/run");
}

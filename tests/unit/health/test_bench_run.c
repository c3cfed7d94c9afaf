/* SPDX-License-Identifier: Apache-2.0 */
#include "health/bench_run.h"

#include "../unit_dir.h"
#include "base/clock.h"
#include "base/file.h"

static struct ce_finding interleaved[] = {
    {"bench.rdma.write", "rail", "look", CE_FAIL, CE_TELL, "mlx5_0/1", "196.0 Gb/s"},
    {"bench.rdma.latency", "rail", "", CE_PASS, CE_TELL, "mlx5_0/1", "1.91 us"},
    {"bench.rdma.write", "rail", "", CE_UNKNOWN, CE_TELL, "mlx5_1/1", "no answer"},
    {"bench.rdma.latency", "rail", "", CE_WARN, CE_TELL, "mlx5_1/1", "9 us"},
    {"bench.rdma.write", "rail", "look", CE_FAIL, CE_TELL, "mlx5_2/1", "196.0 Gb/s"},
};

static const struct row {
    const char *name, *rule; /* rule NULL: none */
    enum ce_response fault, unknown;
    const char *responses, *reason; /* d, t or i for each of them */
} rows[] = {
    {"faults_drain", NULL, CE_DRAIN, CE_TELL, "dittd",
     "2 rails: mlx5_0/1, mlx5_2/1 196.0 Gb/s; look [cluster-env bench.rdma.write]"},
    {"a_site_that_only_wants_to_hear_of_them", "bench.rdma.*", CE_TELL, CE_IGNORE, "tiitt", ""},
    {"or_not_even_that", "*", CE_IGNORE, CE_IGNORE, "iiiii", ""},
    {"what_is_said_of_other_checks", "bench.gpu.*", CE_IGNORE, CE_IGNORE, "dittd",
     "2 rails: mlx5_0/1, mlx5_2/1 196.0 Gb/s; look [cluster-env bench.rdma.write]"},
};

static void set_policy(const struct row *row, struct ce_policy *policy)
{
    struct ce_check_rule rule = {
        .has_fault = true, .has_unknown = true, .fault = row->fault, .unknown = row->unknown};
    ce_policy_default(policy);
    if (!row->rule)
        return;
    snprintf(rule.name, sizeof rule.name, "%s", row->rule);
    assert_int_equal(ce_check_rules_add(&policy->checks, &rule), 0);
}

static void responds(void **state)
{
    const struct row *row = *state;
    static const char letters[] = {[CE_IGNORE] = 'i', [CE_TELL] = 't', [CE_DRAIN] = 'd'};
    struct ce_findings findings = {.items = interleaved, .count = UNIT_COUNT(interleaved)};
    struct ce_policy policy;
    char responses[UNIT_COUNT(interleaved) + 1] = "";
    ce_autotext struct ce_text reason = CE_TEXT(4096);
    set_policy(row, &policy);
    ce_bench_run_respond(&findings, &policy);
    for (size_t i = 0; i < findings.count; i++)
        responses[i] = letters[findings.items[i].response];
    assert_string_equal(responses, row->responses);
    ce_bench_run_reason(&findings, &reason);
    assert_string_equal(ce_text_string(&reason), row->reason);
}

static unsigned count(const char *text, const char *word)
{
    unsigned found = 0;
    for (; (text = strstr(text, word)) != NULL; text += strlen(word))
        found++;
    return found;
}

/* Findings come rail by rail; a textfile with the same line twice is refused whole. */
static void metrics_are_check_by_check(void **state)
{
    struct unit_dir dir = unit_dir_make();
    struct ce_findings findings = {.items = interleaved, .count = UNIT_COUNT(interleaved)};
    struct ce_measured measured = {.count = 0};
    const struct ce_notes notes = {.count = 0};
    const struct ce_bench_run run = {.test = "rdma", .node_name = "n9", .began_ns = ce_clock_ns(),
                                     .findings = &findings, .measured = &measured, .notes = &notes};
    ce_autotext struct ce_text text = CE_TEXT(1 << 16), line = CE_TEXT(1 << 16);
    struct ce_policy policy;
    struct ce_error err = {""};
    (void)state;
    set_policy(&rows[0], &policy);
    snprintf(policy.log, sizeof policy.log, "%.90s/h.jsonl", dir.path);
    snprintf(policy.metrics, sizeof policy.metrics, "%.100s", dir.path);
    ce_bench_run_respond(&findings, &policy);
    assert_int_equal(ce_bench_run_keep(&run, &policy, &err), 0);
    assert_int_equal(ce_file_read(dir.fd, "cluster_env_bench_rdma.prom", CE_TRUST_ANY, &text, NULL), CE_READ_OK);
    assert_int_equal(count(ce_text_string(&text), "check=\"bench.rdma.write\",verdict=\"fail\",response=\"drain\"} 2\n"), 1);
    assert_int_equal(count(ce_text_string(&text), "run_done{phase=\"bench_rdma\",done=\"observed\"} 1\n"), 1);
    assert_int_equal(ce_file_read(dir.fd, "h.jsonl", CE_TRUST_ANY, &line, NULL), CE_READ_OK);
    unit_holds(ce_text_string(&line), "\"phase\":\"bench\"");
    unit_holds(ce_text_string(&line), "\"reason\":\"2 rails: mlx5_0/1, mlx5_2/1 196.0 Gb/s; look");
    unit_dir_remove(&dir);
}

int main(void)
{
    UNIT_TABLE(rows, responds);
    UNIT_RULE(metrics_are_check_by_check);
    return UNIT_RUN("health/bench_run");
}

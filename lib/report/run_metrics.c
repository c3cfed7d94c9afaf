/* SPDX-License-Identifier: Apache-2.0 */
#include <config.h>
#include <string.h>

#include "report/run.h"

/* Phases, checks, verdicts, modes: our own words, which need no quoting. */

static void describe(struct ce_text *out, const char *name, const char *help)
{
    ce_text_addf(out, "# HELP cluster_env_%s %s\n# TYPE cluster_env_%s gauge\n", name, help, name);
}

/* ---------------------------------------------------------------- the run */

static const char *const version = PACKAGE_VERSION;

static double is_checked(const struct ce_run *run)
{
    return !run->error;
}

static double is_misconfigured(const struct ce_run *run)
{
    return run->misconfigured;
}

static double began(const struct ce_run *run)
{
    return (double)run->began;
}

static double took(const struct ce_run *run)
{
    return run->took_ms / 1000.0;
}

static const struct {
    const char *name, *help;
    double (*value)(const struct ce_run *run);
} gauges[] = {
    {"run_timestamp_seconds", "When the last run began, in seconds since 1970.", began},
    {"run_duration_seconds", "How long it took.", took},
    {"run_checked", "1: this node was checked; 0: it could not be, and nothing was done to it.", is_checked},
    {"config_error", "1: because of an error in cluster-env.conf.", is_misconfigured},
};

static void add_done(const struct ce_run *run, struct ce_text *out)
{
    describe(out, "run_done", "1: what was done about faults to drain for; observed: nothing, by the mode; "
                              "held_back: nothing, too many nodes are drained.");
    for (unsigned i = 0; i < CE_DONE_COUNT; i++)
        ce_text_addf(out, "cluster_env_run_done{phase=\"%s\",done=\"%s\"} %d\n", run->phase,
                     ce_done_name(i), run->done == i);
}

/* ---------------------------------------------------------------- findings */

static void add_verdicts(const struct ce_run *run, struct ce_text *out)
{
    size_t counts[CE_FAIL + 1] = {0};
    for (size_t i = 0; i < run->findings->count; i++)
        counts[run->findings->items[i].verdict]++;
    describe(out, "findings", "Findings of the last run, by verdict.");
    for (unsigned i = 0; i <= CE_FAIL; i++)
        ce_text_addf(out, "cluster_env_findings{phase=\"%s\",verdict=\"%s\"} %zu\n", run->phase,
                     ce_verdict_name(i), counts[i]);
}

/* Of the findings of one check, which stand together; returns where the next begins. */
static size_t add_check(const struct ce_run *run, size_t first, struct ce_text *out)
{
    const struct ce_finding *items = run->findings->items;
    size_t counts[CE_FAIL + 1][CE_DRAIN + 1] = {{0}}, i = first;
    for (; i < run->findings->count && strcmp(items[i].check, items[first].check) == 0; i++)
        counts[items[i].verdict][items[i].response]++;
    for (unsigned verdict = 0; verdict <= CE_FAIL; verdict++)
        for (unsigned response = 0; response <= CE_DRAIN; response++)
            if (counts[verdict][response])
                ce_text_addf(out,
                             "cluster_env_check_findings{phase=\"%s\",check=\"%s\",verdict=\"%s\","
                             "response=\"%s\"} %zu\n",
                             run->phase, items[first].check, ce_verdict_name(verdict),
                             ce_response_name(response), counts[verdict][response]);
    return i;
}

/* Whoever made the device gave it its name: what would end a label is left out. */
static const char *label_of(const char *name, char label[CE_SUBJECT])
{
    size_t length = 0;
    for (; *name && length < CE_SUBJECT - 1; name++)
        if (*name != '"' && *name != '\\' && (unsigned char)*name >= ' ')
            label[length++] = *name;
    label[length] = '\0';
    return label;
}

static void add_measured(const struct ce_measured *measured, const char *phase, struct ce_text *out)
{
    char label[CE_SUBJECT];
    if (measured->count > 0)
        describe(out, "measured", "What the last test measured of each device, in the unit that the label says.");
    for (size_t i = 0; i < measured->count; i++) {
        const struct ce_measurement *item = &measured->items[i];
        ce_text_addf(out, "cluster_env_measured{phase=\"%s\",what=\"%s\",device=\"%s\",unit=\"%s\"} %.15g\n",
                     phase, item->what, label_of(item->device, label), item->unit, item->value);
    }
}

void ce_report_run_metrics(const struct ce_run *run, struct ce_text *out)
{
    describe(out, "info", "The version of cluster-env, and the mode of the configuration.");
    ce_text_addf(out, "cluster_env_info{phase=\"%s\",version=\"%s\",mode=\"%s\"} 1\n", run->phase,
                 version, run->mode ? run->mode : "unknown");
    for (size_t i = 0; i < sizeof gauges / sizeof *gauges; i++) {
        describe(out, gauges[i].name, gauges[i].help);
        ce_text_addf(out, "cluster_env_%s{phase=\"%s\"} %.15g\n", gauges[i].name, run->phase,
                     gauges[i].value(run));
    }
    add_done(run, out);
    add_verdicts(run, out);
    if (run->findings->count > 0)
        describe(out, "check_findings",
                 "Findings of the last run, by check, verdict and what is done about them; none: no line.");
    for (size_t i = 0; i < run->findings->count;)
        i = add_check(run, i, out);
    if (run->measured)
        add_measured(run->measured, run->phase, out);
}

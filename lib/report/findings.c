/* SPDX-License-Identifier: Apache-2.0 */
#include "report/findings.h"

#include <string.h>

#include "report/json.h"

/* ---------------------------------------------------------------- the reason */

/* Findings of one check with one remedy are told together. */
static bool belongs(const struct ce_finding *finding, const struct ce_finding *lead)
{
    return finding->response == CE_DRAIN && strcmp(finding->check, lead->check) == 0 &&
           strcmp(finding->remedy, lead->remedy) == 0;
}

static bool is_same(const struct ce_finding *finding, const struct ce_finding *lead)
{
    return belongs(finding, lead) && strcmp(finding->text, lead->text) == 0;
}

static bool is_first(const struct ce_findings *findings, size_t index,
                     bool (*alike)(const struct ce_finding *, const struct ce_finding *))
{
    for (size_t i = 0; i < index; i++)
        if (alike(&findings->items[i], &findings->items[index]))
            return false;
    return findings->items[index].response == CE_DRAIN;
}

/* All things of which the same is to be said: "2 ports: a, b DOWN". */
static void add_things(const struct ce_findings *findings, size_t first, struct ce_text *out)
{
    const struct ce_finding *lead = &findings->items[first];
    size_t count = 0, added = 0;
    for (size_t i = first; i < findings->count; i++)
        count += is_same(&findings->items[i], lead);
    if (count > 1)
        ce_text_addf(out, "%zu %ss: ", count, lead->what);
    for (size_t i = first; i < findings->count; i++)
        if (is_same(&findings->items[i], lead))
            ce_text_addf(out, "%s%s", added++ ? ", " : "", findings->items[i].subject);
    ce_text_addf(out, "%s%s", lead->subject[0] ? " " : "", lead->text);
}

static void add_check(const struct ce_findings *findings, size_t first, struct ce_text *out)
{
    const struct ce_finding *lead = &findings->items[first];
    for (size_t i = first; i < findings->count; i++) {
        if (!belongs(&findings->items[i], lead) || !is_first(findings, i, is_same))
            continue;
        ce_text_add(out, i == first ? "" : ", ");
        add_things(findings, i, out);
    }
    ce_text_addf(out, "; %s [cluster-env %s]", lead->remedy, lead->check);
}

void ce_report_reason(const struct ce_findings *findings, struct ce_text *out)
{
    size_t start = out->length;
    for (size_t i = 0; i < findings->count; i++) {
        if (!is_first(findings, i, belongs))
            continue;
        ce_text_add(out, out->length > start ? " + " : "");
        add_check(findings, i, out);
    }
}

/* ---------------------------------------------------------------- for people */

static const char *colour_of(enum ce_verdict verdict)
{
    static const char *const colours[] = {
        [CE_PASS] = "\033[32m", [CE_SKIP] = "\033[2m",  [CE_UNKNOWN] = "\033[33m",
        [CE_WARN] = "\033[33m", [CE_FAIL] = "\033[31m",
    };
    return colours[verdict];
}

static int width_of_names(const struct ce_findings *findings)
{
    size_t width = 0;
    for (size_t i = 0; i < findings->count; i++)
        if (strlen(findings->items[i].check) > width)
            width = strlen(findings->items[i].check);
    return (int)width;
}

static void add_row(const struct ce_finding *finding, int width, bool colour, struct ce_text *out)
{
    ce_text_addf(out, "%s%-7s%s  %-*s  %s%s%s", colour ? colour_of(finding->verdict) : "",
                 ce_verdict_name(finding->verdict), colour ? "\033[0m" : "", width, finding->check,
                 finding->subject, finding->subject[0] ? " " : "", finding->text);
    if (finding->verdict >= CE_WARN)
        ce_text_addf(out, "; %s%s", finding->remedy,
                     finding->response == CE_DRAIN ? " (drain)" : "");
    ce_text_add(out, "\n");
}

void ce_report_findings_text(const struct ce_findings *findings, bool all, bool colour,
                             struct ce_text *out)
{
    size_t counts[CE_FAIL + 1] = {0};
    int width = width_of_names(findings);
    for (size_t i = 0; i < findings->count; i++) {
        const struct ce_finding *finding = &findings->items[i];
        counts[finding->verdict]++;
        if (all || finding->verdict > CE_SKIP)
            add_row(finding, width, colour, out);
    }
    ce_text_addf(out, "%zu failed, %zu warned, %zu unknown, %zu passed, %zu skipped\n",
                 counts[CE_FAIL], counts[CE_WARN], counts[CE_UNKNOWN], counts[CE_PASS],
                 counts[CE_SKIP]);
}

/* ---------------------------------------------------------------- for programs */

json_t *ce_finding_json(const struct ce_finding *finding)
{
    return json_pack("{so so so so so so}", "check", ce_json_text(finding->check), "subject",
                     ce_json_text(finding->subject), "verdict",
                     ce_json_text(ce_verdict_name(finding->verdict)), "text",
                     ce_json_text(finding->text), "remedy", ce_json_text(finding->remedy),
                     "response", ce_json_text(ce_response_name(finding->response)));
}

int ce_report_findings_json(const struct ce_findings *findings, const char *node_name,
                            const char *mode, struct ce_text *out)
{
    ce_autotext struct ce_text reason = CE_TEXT(1 << 16);
    json_t *list = json_array();
    for (size_t i = 0; i < findings->count; i++)
        json_array_append_new(list, ce_finding_json(&findings->items[i]));
    ce_report_reason(findings, &reason);
    json_t *root = json_pack("{si so so so so}", "schema", 1, "node", ce_json_text(node_name),
                             "mode", ce_json_text(mode), "reason",
                             reason.length ? ce_json_text(ce_text_string(&reason)) : json_null(),
                             "findings", list);
    return ce_json_write(root, out);
}

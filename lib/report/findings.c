/* SPDX-License-Identifier: Apache-2.0 */
#include "report/findings.h"

#include <string.h>

#include "report/json.h"

/* ---------------------------------------------------------------- the reason */

static bool drains_for(const struct ce_finding *finding, const char *check)
{
    return finding->response == CE_DRAIN && strcmp(finding->check, check) == 0;
}

/* What is wrong of one check: its first text stands for all that have it, others follow it. */
static void add_group(const struct ce_findings *findings, size_t first, struct ce_text *out)
{
    const struct ce_finding *lead = &findings->items[first];
    size_t count = 0, added = 0;
    for (size_t i = first; i < findings->count; i++)
        count += drains_for(&findings->items[i], lead->check) &&
                 strcmp(findings->items[i].text, lead->text) == 0;
    if (count > 1)
        ce_text_addf(out, "%zu %ss: ", count, lead->what);
    for (size_t i = first; i < findings->count; i++) {
        const struct ce_finding *finding = &findings->items[i];
        if (!drains_for(finding, lead->check) || strcmp(finding->text, lead->text) != 0)
            continue;
        ce_text_addf(out, "%s%s", added++ ? ", " : "", finding->subject);
    }
    ce_text_addf(out, "%s%s", lead->subject[0] ? " " : "", lead->text);
}

/* Is it the first of its check, or of its check with this text? */
static bool is_first(const struct ce_findings *findings, size_t index, bool with_text)
{
    const struct ce_finding *finding = &findings->items[index];
    for (size_t i = 0; i < index; i++)
        if (drains_for(&findings->items[i], finding->check) &&
            (!with_text || strcmp(findings->items[i].text, finding->text) == 0))
            return false;
    return true;
}

/* Usually one: the check's own. */
static void add_remedies(const struct ce_findings *findings, const char *check, struct ce_text *out)
{
    for (size_t i = 0; i < findings->count; i++) {
        size_t k = 0;
        if (!drains_for(&findings->items[i], check))
            continue;
        while (k < i && (!drains_for(&findings->items[k], check) ||
                         strcmp(findings->items[k].remedy, findings->items[i].remedy) != 0))
            k++;
        if (k == i)
            ce_text_addf(out, "; %s", findings->items[i].remedy);
    }
}

static void add_check(const struct ce_findings *findings, size_t first, struct ce_text *out)
{
    const char *check = findings->items[first].check;
    for (size_t i = first; i < findings->count; i++) {
        if (!drains_for(&findings->items[i], check) || !is_first(findings, i, true))
            continue;
        ce_text_add(out, i == first ? "" : ", ");
        add_group(findings, i, out);
    }
    add_remedies(findings, check, out);
    ce_text_addf(out, " [cluster-env %s]", check);
}

void ce_report_reason(const struct ce_findings *findings, struct ce_text *out)
{
    size_t start = out->length;
    for (size_t i = 0; i < findings->count; i++) {
        if (findings->items[i].response != CE_DRAIN || !is_first(findings, i, false))
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

static void add_row(const struct ce_finding *finding, bool colour, struct ce_text *out)
{
    ce_text_addf(out, "%s%-7s%s  %-19s %s%s%s", colour ? colour_of(finding->verdict) : "",
                 ce_verdict_name(finding->verdict), colour ? "\033[0m" : "", finding->check,
                 finding->subject, finding->subject[0] ? " " : "", finding->text);
    if (finding->verdict == CE_FAIL)
        ce_text_addf(out, "; %s%s", finding->remedy,
                     finding->response == CE_DRAIN ? " (drain)" : "");
    ce_text_add(out, "\n");
}

void ce_report_findings_text(const struct ce_findings *findings, bool all, bool colour,
                             struct ce_text *out)
{
    size_t counts[CE_FAIL + 1] = {0};
    for (size_t i = 0; i < findings->count; i++) {
        const struct ce_finding *finding = &findings->items[i];
        counts[finding->verdict]++;
        if (all || finding->verdict > CE_SKIP)
            add_row(finding, colour, out);
    }
    ce_text_addf(out, "%zu failed, %zu warned, %zu unknown, %zu passed, %zu skipped\n",
                 counts[CE_FAIL], counts[CE_WARN], counts[CE_UNKNOWN], counts[CE_PASS],
                 counts[CE_SKIP]);
}

/* ---------------------------------------------------------------- for programs */

static json_t *finding_json(const struct ce_finding *finding)
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
        json_array_append_new(list, finding_json(&findings->items[i]));
    ce_report_reason(findings, &reason);
    json_t *root = json_pack("{si so so so so}", "schema", 1, "node", ce_json_text(node_name),
                             "mode", ce_json_text(mode), "reason",
                             reason.length ? ce_json_text(ce_text_string(&reason)) : json_null(),
                             "findings", list);
    return ce_json_write(root, out);
}

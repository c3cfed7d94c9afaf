/* SPDX-License-Identifier: Apache-2.0 */
#include "report/findings.h"

#include <string.h>

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

static bool is_same_check(const struct ce_finding *finding, const struct ce_finding *lead)
{
    return finding->response == CE_DRAIN && strcmp(finding->check, lead->check) == 0;
}

void ce_report_reason_cut(const struct ce_findings *findings, const char *reason, size_t size,
                          struct ce_text *out)
{
    ce_autotext struct ce_text tags = CE_TEXT(size / 2);
    if (strlen(reason) < size) {
        ce_text_add(out, reason);
        return;
    }
    ce_text_add(&tags, "...");
    for (size_t i = 0; i < findings->count; i++)
        if (is_first(findings, i, is_same_check))
            ce_text_addf(&tags, " [cluster-env %s]", findings->items[i].check);
    ce_text_addn(out, reason, size - 1 - tags.length);
    ce_text_add(out, ce_text_string(&tags));
}

/* ---------------------------------------------------------------- for people */

enum { INDENT = 9, ROW_MAX = 4096 };

static const char *colour_of(enum ce_verdict verdict)
{
    static const char *const colours[] = {
        [CE_PASS] = "\033[32m", [CE_SKIP] = "\033[2m",  [CE_UNKNOWN] = "\033[33m",
        [CE_WARN] = "\033[33m", [CE_FAIL] = "\033[31m",
    };
    return colours[verdict];
}

static bool is_shown(const struct ce_finding *finding, bool all)
{
    return all || finding->verdict > CE_SKIP;
}

static size_t width_of_names(const struct ce_findings *findings, bool all)
{
    size_t width = 0;
    for (size_t i = 0; i < findings->count; i++)
        if (is_shown(&findings->items[i], all) && strlen(findings->items[i].check) > width)
            width = strlen(findings->items[i].check);
    return width;
}

/* Words, from column `at` on; what would pass the last column goes to the next line. */
static void add_words(const char *text, size_t at, unsigned columns, struct ce_text *out)
{
    const char *between = "";
    for (; *text; text += strspn(text, " ")) {
        size_t length = strcspn(text, " "), blank = strlen(between);
        bool too_long = columns && at + blank + length > columns && at > INDENT;
        if (too_long)
            ce_text_addf(out, "\n%*s", INDENT, "");
        else
            ce_text_add(out, between);
        ce_text_addn(out, text, length);
        at = (too_long ? INDENT : at + blank) + length;
        text += length;
        between = " ";
    }
}

static void add_row(const struct ce_finding *finding, size_t width, bool colour, unsigned columns,
                    struct ce_text *out)
{
    ce_autotext struct ce_text words = CE_TEXT(ROW_MAX);
    ce_text_addf(&words, "%s%s%s", finding->subject, finding->subject[0] ? " " : "", finding->text);
    if (finding->verdict >= CE_WARN)
        ce_text_addf(&words, "; %s%s", finding->remedy,
                     finding->response == CE_DRAIN    ? " (drain)"
                     : finding->response == CE_IGNORE ? " (ignored)"
                                                      : "");
    ce_text_addf(out, "%s%-*s%s%-*s  ", colour ? colour_of(finding->verdict) : "", INDENT - 2,
                 ce_verdict_name(finding->verdict), colour ? "\033[0m  " : "  ", (int)width,
                 finding->check);
    add_words(ce_text_string(&words), INDENT + width + 2, columns, out);
    ce_text_add(out, "\n");
}

void ce_report_findings_text(const struct ce_findings *findings, bool all, bool colour,
                             unsigned columns, struct ce_text *out)
{
    size_t counts[CE_FAIL + 1] = {0};
    size_t width = width_of_names(findings, all);
    for (size_t i = 0; i < findings->count; i++) {
        const struct ce_finding *finding = &findings->items[i];
        counts[finding->verdict]++;
        if (is_shown(finding, all))
            add_row(finding, width, colour, columns, out);
    }
    ce_text_addf(out, "%zu failed, %zu warned, %zu unknown, %zu passed, %zu skipped\n",
                 counts[CE_FAIL], counts[CE_WARN], counts[CE_UNKNOWN], counts[CE_PASS],
                 counts[CE_SKIP]);
}

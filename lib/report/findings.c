/* SPDX-License-Identifier: Apache-2.0 */
#include "report/findings.h"

#include <inttypes.h>
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

static void add_job(uint32_t job, struct ce_text *out)
{
    if (job)
        ce_text_addf(out, ", found after job %" PRIu32, job);
}

/* All things of which the same is to be said: "2 ports: a, b DOWN". */
static void add_things(const struct ce_findings *findings, size_t first, uint32_t job,
                       struct ce_text *out)
{
    const struct ce_finding *lead = &findings->items[first];
    size_t count = 0, added = 0;
    for (size_t i = first; i < findings->count; i++)
        count += is_same(&findings->items[i], lead);
    if (count > 1) {
        ce_text_addf(out, "%zu %ss", count, lead->what);
        add_job(job, out);
        ce_text_add(out, ": ");
    }
    for (size_t i = first; i < findings->count; i++)
        if (is_same(&findings->items[i], lead))
            ce_text_addf(out, "%s%s", added++ ? ", " : "", findings->items[i].subject);
    ce_text_addf(out, "%s%s", lead->subject[0] ? " " : "", lead->text);
    add_job(count > 1 ? 0 : job, out);
}

static void add_check(const struct ce_findings *findings, size_t first, uint32_t job,
                      struct ce_text *out)
{
    const struct ce_finding *lead = &findings->items[first];
    for (size_t i = first; i < findings->count; i++) {
        if (!belongs(&findings->items[i], lead) || !is_first(findings, i, is_same))
            continue;
        ce_text_add(out, i == first ? "" : ", ");
        add_things(findings, i, i == first ? job : 0, out);
    }
    ce_text_addf(out, "; %s [cluster-env %s]", lead->remedy, lead->check);
}

void ce_report_reason(const struct ce_findings *findings, uint32_t job, struct ce_text *out)
{
    size_t start = out->length;
    for (size_t i = 0; i < findings->count; i++) {
        if (!is_first(findings, i, belongs))
            continue;
        bool further = out->length > start;
        ce_text_add(out, further ? " + " : "");
        add_check(findings, i, further ? 0 : job, out);
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

/* ---------------------------------------------------------------- one cause, many unknown */

/* The first that tells it; index itself where none does. */
static size_t find_lead(const struct ce_findings *findings, size_t index)
{
    const struct ce_finding *finding = &findings->items[index];
    for (size_t i = 0; finding->verdict == CE_UNKNOWN && i < index; i++) {
        const struct ce_finding *lead = &findings->items[i];
        if (lead->verdict > CE_SKIP && lead->response >= finding->response &&
            strcmp(lead->text, finding->text) == 0)
            return i;
    }
    return index;
}

bool ce_report_is_echo(const struct ce_findings *findings, size_t index)
{
    return find_lead(findings, index) != index;
}

void ce_report_echoes(const struct ce_findings *findings, size_t index, struct ce_text *out)
{
    size_t count = 0;
    for (size_t i = index + 1; i < findings->count; i++)
        count += find_lead(findings, i) == index;
    if (count)
        ce_text_addf(out, " (%zu more say%s so)", count, count == 1 ? "s" : "");
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

static bool is_shown(const struct ce_findings *findings, size_t index, bool all)
{
    return all || (findings->items[index].verdict > CE_SKIP && !ce_report_is_echo(findings, index));
}

static size_t width_of_names(const struct ce_findings *findings, bool all)
{
    size_t width = 0;
    for (size_t i = 0; i < findings->count; i++)
        if (is_shown(findings, i, all) && strlen(findings->items[i].check) > width)
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

struct table {
    const struct ce_findings *findings;
    bool all, colour;
    unsigned columns;
    size_t width; /* of the names */
};

static void add_row(const struct table *table, size_t index, struct ce_text *out)
{
    const struct ce_finding *finding = &table->findings->items[index];
    ce_autotext struct ce_text words = CE_TEXT(ROW_MAX);
    ce_text_addf(&words, "%s%s%s", finding->subject, finding->subject[0] ? " " : "", finding->text);
    if (!table->all)
        ce_report_echoes(table->findings, index, &words);
    if (finding->verdict >= CE_WARN)
        ce_text_addf(&words, "; %s%s", finding->remedy,
                     finding->response == CE_DRAIN    ? " (drain)"
                     : finding->response == CE_IGNORE ? " (ignored)"
                                                      : "");
    ce_text_addf(out, "%s%-*s%s%-*s  ", table->colour ? colour_of(finding->verdict) : "", INDENT - 2,
                 ce_verdict_name(finding->verdict), table->colour ? "\033[0m  " : "  ",
                 (int)table->width, finding->check);
    add_words(ce_text_string(&words), INDENT + table->width + 2, table->columns, out);
    ce_text_add(out, "\n");
}

void ce_report_findings_text(const struct ce_findings *findings, bool all, bool colour,
                             unsigned columns, struct ce_text *out)
{
    size_t counts[CE_FAIL + 1] = {0};
    const struct table table = {findings, all, colour, columns, width_of_names(findings, all)};
    for (size_t i = 0; i < findings->count; i++) {
        counts[findings->items[i].verdict]++;
        if (is_shown(findings, i, all))
            add_row(&table, i, out);
    }
    ce_text_addf(out, "%zu failed, %zu warned, %zu unknown, %zu passed, %zu skipped\n",
                 counts[CE_FAIL], counts[CE_WARN], counts[CE_UNKNOWN], counts[CE_PASS],
                 counts[CE_SKIP]);
}

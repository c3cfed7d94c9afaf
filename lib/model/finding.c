/* SPDX-License-Identifier: Apache-2.0 */
#include "model/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const verdict_names[] = {
    [CE_PASS] = "pass", [CE_SKIP] = "skip", [CE_UNKNOWN] = "unknown",
    [CE_WARN] = "warn", [CE_FAIL] = "fail",
};
static const char *const response_names[] = {
    [CE_IGNORE] = "ignore", [CE_TELL] = "warn", [CE_DRAIN] = "drain"};

const char *ce_verdict_name(enum ce_verdict verdict)
{
    return verdict_names[verdict];
}

const char *ce_response_name(enum ce_response response)
{
    return response_names[response];
}

int ce_response_parse(const char *text, enum ce_response *ret)
{
    for (unsigned i = 0; i < sizeof response_names / sizeof *response_names; i++)
        if (strcmp(response_names[i], text) == 0) {
            *ret = (enum ce_response)i;
            return 0;
        }
    return -1;
}

void ce_findings_free(struct ce_findings *findings)
{
    free(findings->items);
    *findings = (struct ce_findings){.count = 0};
}

void ce_findings_add(struct ce_findings *findings, enum ce_verdict verdict, const char *subject,
                     const char *format, ...)
{
    va_list args;
    struct ce_finding *items =
        realloc(findings->items, (findings->count + 1) * sizeof *findings->items);
    if (!items) {
        findings->lost = true;
        return;
    }
    findings->items = items;
    struct ce_finding *finding = &items[findings->count++];
    *finding = (struct ce_finding){.check = "", .what = "", .remedy = "", .verdict = verdict};
    snprintf(finding->subject, sizeof finding->subject, "%s", subject);
    va_start(args, format);
    vsnprintf(finding->text, sizeof finding->text, format, args);
    va_end(args);
}

void ce_findings_remedy(struct ce_findings *findings, const char *remedy)
{
    if (findings->count > 0 && !findings->lost)
        findings->items[findings->count - 1].remedy = remedy;
}

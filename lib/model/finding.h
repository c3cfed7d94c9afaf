/* SPDX-License-Identifier: Apache-2.0 */
/* What a check found of one thing: the verdict, what was measured, what was expected.  Decisions
 * make findings, the policy says what is done about them, reports print them. */
#ifndef CE_MODEL_FINDING_H
#define CE_MODEL_FINDING_H

#include <stdbool.h>
#include <stddef.h>

enum ce_verdict {
    CE_PASS,
    CE_SKIP,    /* does not apply here; the text says why */
    CE_UNKNOWN, /* could not be found out; never a fault */
    CE_WARN,
    CE_FAIL,
};

/* What is done about a check's faults. */
enum ce_response { CE_IGNORE, CE_TELL, CE_DRAIN };

enum { CE_SUBJECT = 64, CE_FINDING_TEXT = 160 };

struct ce_finding {
    const char *check;  /* its dotted name; a constant */
    const char *what;   /* what its subjects are, "port"; a constant */
    const char *remedy; /* one phrase; a constant.  "": the check's */
    enum ce_verdict verdict;
    enum ce_response response;  /* to this finding: CE_DRAIN only for a fault */
    char subject[CE_SUBJECT];   /* the thing: "mlx5_4/1"; "": the node */
    char text[CE_FINDING_TEXT]; /* "DOWN (Polling), expected ACTIVE" */
};

struct ce_findings {
    struct ce_finding *items;
    size_t count;
    bool lost; /* there was no memory for all of them */
};

void ce_findings_free(struct ce_findings *findings);
#define ce_autofindings __attribute__((cleanup(ce_findings_free)))

/* Append one; text is a format.  Where there is no memory, `lost` is set. */
void ce_findings_add(struct ce_findings *findings, enum ce_verdict verdict, const char *subject,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The one added last has a remedy of its own; a constant. */
void ce_findings_remedy(struct ce_findings *findings, const char *remedy);

/* "pass", "skip", "unknown", "warn", "fail". */
const char *ce_verdict_name(enum ce_verdict verdict);
/* "ignore", "warn", "drain"; 0, or -1 for another text. */
const char *ce_response_name(enum ce_response response);
int ce_response_parse(const char *text, enum ce_response *ret);

#endif

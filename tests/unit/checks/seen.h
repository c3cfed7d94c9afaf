/* SPDX-License-Identifier: Apache-2.0 */
/* A verdict that a check gave and that the test has held against its row: a line of TAP's comments,
 * which answers.sh collects.  Said after the assertions, so that only what they saw is told. */
#ifndef CE_TESTS_UNIT_SEEN_H
#define CE_TESTS_UNIT_SEEN_H

#include <stdio.h>

#include "model/finding.h"

static inline void seen(const char *check, enum ce_verdict verdict)
{
    printf("# seen %s %s\n", check, ce_verdict_name(verdict));
}

/* `check` NULL: each finding says whose it is. */
static inline void seen_all(const char *check, const struct ce_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        seen(check ? check : findings->items[i].check, findings->items[i].verdict);
}

#endif

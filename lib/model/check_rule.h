/* SPDX-License-Identifier: Apache-2.0 */
/* What a site says of some checks: what is done about a fault, and about what could not be found
 * out.  The check's own row (checks/check.h) holds where no rule says otherwise. */
#ifndef CE_MODEL_CHECK_RULE_H
#define CE_MODEL_CHECK_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/finding.h"

enum { CE_CHECK_RULES_MAX = 64, CE_CHECK_PATTERN = 64 };

struct ce_check_rule {
    char name[CE_CHECK_PATTERN]; /* of a check, or of several: "ib.counter.*" */
    unsigned line;               /* where it stands in the configuration */
    bool has_fault, has_unknown, has_limit; /* which of these it says */
    enum ce_response fault;
    enum ce_response unknown; /* never CE_DRAIN */
    uint32_t limit;           /* the most that is well */
    uint32_t deadline_ms;     /* for its facts; 0: it says none */
};

/* Each is laid over those before it. */
struct ce_check_rules {
    struct ce_check_rule items[CE_CHECK_RULES_MAX];
    uint32_t count;
};

/* Letters, digits, '.', '_' and '*', and not too long: it could name checks. */
bool ce_check_rule_is_name(const char *name);
/* '*' stands for any characters, also for none. */
bool ce_check_rule_covers(const struct ce_check_rule *rule, const char *check);

/* -1: there are CE_CHECK_RULES_MAX already. */
int ce_check_rules_add(struct ce_check_rules *rules, const struct ce_check_rule *rule);

/* Lay what the rules say of this check over what holds without them. */
void ce_check_rules_lay(const struct ce_check_rules *rules, const char *check,
                        enum ce_response *fault, enum ce_response *unknown);
/* The limit that the rules give to this check; without one: standard. */
uint32_t ce_check_rules_limit(const struct ce_check_rules *rules, const char *check,
                              uint32_t standard);
/* The milliseconds that the rules give to its facts; 0: none say. */
uint32_t ce_check_rules_deadline(const struct ce_check_rules *rules, const char *check);

#endif

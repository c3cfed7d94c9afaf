/* SPDX-License-Identifier: Apache-2.0 */
#include "model/check_rule.h"

#include <fnmatch.h>
#include <string.h>

bool ce_check_rule_is_name(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._*");
    return length > 0 && !name[length] && length < CE_CHECK_PATTERN;
}

bool ce_check_rule_covers(const struct ce_check_rule *rule, const char *check)
{
    return fnmatch(rule->name, check, FNM_NOESCAPE) == 0;
}

int ce_check_rules_add(struct ce_check_rules *rules, const struct ce_check_rule *rule)
{
    if (rules->count == CE_CHECK_RULES_MAX)
        return -1;
    rules->items[rules->count++] = *rule;
    return 0;
}

void ce_check_rules_lay(const struct ce_check_rules *rules, const char *check,
                        enum ce_response *fault, enum ce_response *unknown)
{
    for (uint32_t i = 0; i < rules->count; i++) {
        const struct ce_check_rule *rule = &rules->items[i];
        if (!ce_check_rule_covers(rule, check))
            continue;
        *fault = rule->has_fault ? rule->fault : *fault;
        *unknown = rule->has_unknown ? rule->unknown : *unknown;
    }
}

uint32_t ce_check_rules_limit(const struct ce_check_rules *rules, const char *check,
                              uint32_t standard)
{
    for (uint32_t i = 0; i < rules->count; i++)
        if (rules->items[i].has_limit && ce_check_rule_covers(&rules->items[i], check))
            standard = rules->items[i].limit;
    return standard;
}

uint32_t ce_check_rules_deadline(const struct ce_check_rules *rules, const char *check)
{
    uint32_t ms = 0;
    for (uint32_t i = 0; i < rules->count; i++)
        if (rules->items[i].deadline_ms && ce_check_rule_covers(&rules->items[i], check))
            ms = rules->items[i].deadline_ms;
    return ms;
}

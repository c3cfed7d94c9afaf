/* SPDX-License-Identifier: Apache-2.0 */
#include "health/check_names.h"

#include <string.h>

#include "checks/limit.h"
#include "health/bench_run.h"
#include "health/health.h"

enum { LIKE_MAX = 3 }; /* characters that may be wrong */

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* How many characters to change, add or leave out to make one of the other (Levenshtein). */
static size_t difference(const char *a, const char *b)
{
    size_t row[CE_CHECK_PATTERN + 1], length = strlen(b);
    if (length > CE_CHECK_PATTERN)
        return length;
    for (size_t k = 0; k <= length; k++)
        row[k] = k;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t k = 1; k <= length; k++) {
            size_t above = row[k];
            row[k] = least(above + 1, row[k - 1] + 1, corner + (a[i - 1] != b[k - 1]));
            corner = above;
        }
    }
    return row[length];
}

const char *ce_check_names_like(const char *name)
{
    const struct ce_check *check;
    const char *best = NULL;
    size_t best_difference = LIKE_MAX + 1;
    for (size_t i = 0; (check = ce_health_check_at(i)) != NULL; i++) {
        size_t d = difference(name, check->name);
        if (d < best_difference) {
            best_difference = d;
            best = check->name;
        }
    }
    return best;
}

static bool covers_any(const struct ce_check_rule *rule)
{
    const struct ce_check *check;
    for (size_t i = 0; (check = ce_health_check_at(i)) != NULL; i++)
        if (ce_check_rule_covers(rule, check->name))
            return true;
    return ce_bench_run_covers(rule);
}

static int fail_unknown(const struct ce_site *site, const struct ce_check_rule *rule, struct ce_error *err)
{
    const char *like = ce_check_names_like(rule->name);
    if (like)
        ce_fail(err, "no check is called '%s'; did you mean '%s'?", rule->name, like);
    else
        ce_fail(err, "no check is called '%s'; 'cluster-env check --list' lists them", rule->name);
    return ce_fail_in(err, "%s:%u: checks", site->path, rule->line);
}

/* A check that the rule would give a limit, and that has none to change; NULL: there is none. */
static const struct ce_check *find_limitless(const struct ce_check_rule *rule)
{
    const struct ce_check *check;
    for (size_t i = 0; rule->has_limit && (check = ce_health_check_at(i)) != NULL; i++)
        if (ce_check_rule_covers(rule, check->name) && !ce_check_limit_find(check->name))
            return check;
    return NULL;
}

static int fail_limitless(const struct ce_site *site, const struct ce_check_rule *rule,
                          const struct ce_check *check, struct ce_error *err)
{
    ce_fail(err, "%s has no limit; 'cluster-env check --list' shows those that have one", check->name);
    return ce_fail_in(err, "%s:%u: checks", site->path, rule->line);
}

/* Whether a deadline says something of any that the rule covers. */
static bool can_be_late(const struct ce_check_rule *rule)
{
    const struct ce_check *check;
    for (size_t i = 0; (check = ce_health_check_at(i)) != NULL; i++)
        if (ce_check_rule_covers(rule, check->name) && ce_patience_concerns(check->name))
            return true;
    return false;
}

static int fail_timeless(const struct ce_site *site, const struct ce_check_rule *rule, struct ce_error *err)
{
    ce_fail(err, "%s has no deadline; checks of rails (ib.*) and GPUs (gpu.*) have one", rule->name);
    return ce_fail_in(err, "%s:%u: checks", site->path, rule->line);
}

int ce_check_names_look(const struct ce_site *site, struct ce_error *err)
{
    const struct ce_check_rules *rules = site->file ? ce_config_checks(site->file) : NULL;
    for (uint32_t i = 0; rules && i < rules->count; i++) {
        const struct ce_check *limitless = find_limitless(&rules->items[i]);
        if (!covers_any(&rules->items[i]))
            return fail_unknown(site, &rules->items[i], err);
        if (limitless)
            return fail_limitless(site, &rules->items[i], limitless, err);
        if (rules->items[i].deadline_ms && !can_be_late(&rules->items[i]))
            return fail_timeless(site, &rules->items[i], err);
    }
    return 0;
}

int ce_check_names_open(const char *path, struct ce_site *site, struct ce_error *err)
{
    return ce_site_open(path, site, err) < 0 ? -1 : ce_check_names_look(site, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "health/recovery.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "health/health.h"
#include "model/record.h"

static const uint64_t MINUTE_MS = 60 * 1000, DAY_MS = 24 * 60 * 60 * 1000;

/* ---------------------------------------------------------------- the drain */

static bool has_check(const struct ce_recovery *recovery, const char *name)
{
    for (uint32_t i = 0; i < recovery->check_count; i++)
        if (strcmp(recovery->checks[i], name) == 0)
            return true;
    return false;
}

/* Those of which there is no room for all are as good as none: it will not come back by itself. */
void ce_recovery_begin(struct ce_recovery *recovery, const char *reason,
                       const struct ce_findings *findings)
{
    recovery->passes = recovery->check_count = 0;
    recovery->first_pass_ms = 0;
    ce_copy(recovery->reason, sizeof recovery->reason, reason);
    for (size_t i = 0; i < findings->count; i++) {
        const char *name = findings->items[i].check;
        if (findings->items[i].response != CE_DRAIN || has_check(recovery, name))
            continue;
        if (recovery->check_count == CE_RECOVERY_CHECKS ||
            ce_copy(recovery->checks[recovery->check_count], CE_RECOVERY_NAME, name) < 0) {
            recovery->check_count = 0;
            return;
        }
        recovery->check_count++;
    }
}

void ce_recovery_end(struct ce_recovery *recovery, uint64_t now_ms)
{
    if (now_ms) {
        memmove(&recovery->came_back_ms[1], &recovery->came_back_ms[0],
                sizeof recovery->came_back_ms - sizeof recovery->came_back_ms[0]);
        recovery->came_back_ms[0] = now_ms;
    }
    recovery->reason[0] = '\0';
    recovery->check_count = recovery->passes = 0;
    recovery->first_pass_ms = 0;
}

/* ---------------------------------------------------------------- the way back */

static bool is_recoverable(const struct ce_recovery *recovery)
{
    for (uint32_t i = 0; i < recovery->check_count; i++) {
        const struct ce_check *check = ce_health_check_find(recovery->checks[i]);
        if (!check || !(check->traits & CE_RECOVERABLE))
            return false;
    }
    return recovery->reason[0] && recovery->check_count > 0;
}

static bool passed(const struct ce_findings *findings, const char *name)
{
    bool well = false;
    for (size_t i = 0; i < findings->count; i++) {
        const struct ce_finding *finding = &findings->items[i];
        if (strcmp(finding->check, name) != 0)
            continue;
        if (finding->verdict != CE_PASS && finding->verdict != CE_SKIP)
            return false;
        well |= finding->verdict == CE_PASS;
    }
    return well;
}

static bool is_well(const struct ce_recovery *recovery, const struct ce_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].response == CE_DRAIN)
            return false;
    for (uint32_t i = 0; i < recovery->check_count; i++)
        if (!passed(findings, recovery->checks[i]))
            return false;
    return true;
}

static bool came_back_enough(const struct ce_recovery *recovery, uint64_t now_ms)
{
    uint64_t first = recovery->came_back_ms[CE_RECOVERY_A_DAY - 1];
    return first && now_ms - first < DAY_MS;
}

enum ce_recovery_step ce_recovery_judge(struct ce_recovery *recovery,
                                        const struct ce_findings *findings, uint64_t now_ms)
{
    if (!is_recoverable(recovery))
        return CE_RECOVERY_NEVER;
    if (!is_well(recovery, findings) || now_ms < recovery->first_pass_ms) {
        recovery->passes = 0;
        recovery->first_pass_ms = 0;
        return CE_RECOVERY_UNWELL;
    }
    if (recovery->passes++ == 0)
        recovery->first_pass_ms = now_ms;
    if (recovery->passes < CE_RECOVERY_PASSES ||
        now_ms - recovery->first_pass_ms < CE_RECOVERY_MINUTES * MINUTE_MS)
        return CE_RECOVERY_WAIT;
    return came_back_enough(recovery, now_ms) ? CE_RECOVERY_ENOUGH : CE_RECOVERY_RESUME;
}

/* ---------------------------------------------------------------- the text */

void ce_recovery_write(const struct ce_recovery *recovery, struct ce_text *out)
{
    ce_record_begin(out);
    ce_record_add(out, recovery->boot_id, "boot_id");
    ce_record_add(out, recovery->reason, "reason");
    for (uint32_t i = 0; i < recovery->check_count; i++)
        ce_record_add(out, recovery->checks[i], "check.%u", i);
    ce_record_add_number(out, recovery->passes, "passes");
    ce_record_add_number(out, recovery->first_pass_ms, "first_pass_ms");
    for (unsigned i = 0; i < CE_RECOVERY_A_DAY; i++)
        ce_record_add_number(out, recovery->came_back_ms[i], "came_back_ms.%u", i);
    ce_record_end(out);
}

static int read_text(const struct ce_record *record, const char *key, char *ret, size_t size,
                     struct ce_error *err)
{
    const char *text = ce_record_get(record, "%s", key);
    return ce_copy(ret, size, text ? text : "") < 0
               ? ce_fail(err, "%s: longer than %zu bytes", key, size - 1)
               : 0;
}

static int read_checks(const struct ce_record *record, struct ce_recovery *ret,
                       struct ce_error *err)
{
    char key[32];
    for (uint32_t i = 0; i < CE_RECOVERY_CHECKS; i++) {
        snprintf(key, sizeof key, "check.%u", i);
        if (!ce_record_get(record, "%s", key))
            break;
        if (read_text(record, key, ret->checks[i], sizeof ret->checks[i], err) < 0)
            return -1;
        ret->check_count = i + 1;
    }
    return 0;
}

static int read_times(const struct ce_record *record, struct ce_recovery *ret,
                      struct ce_error *err)
{
    uint64_t passes = 0;
    if (ce_record_number(record, 0, UINT32_MAX - 1, &passes, err, "passes") < 0 ||
        ce_record_number(record, 0, UINT64_MAX, &ret->first_pass_ms, err, "first_pass_ms") < 0)
        return -1;
    ret->passes = (uint32_t)passes;
    for (unsigned i = 0; i < CE_RECOVERY_A_DAY; i++)
        if (ce_record_number(record, 0, UINT64_MAX, &ret->came_back_ms[i], err, "came_back_ms.%u",
                             i) < 0)
            return -1;
    return 0;
}

int ce_recovery_parse(const char *text, struct ce_recovery *ret, struct ce_error *err)
{
    struct ce_recovery recovery = {.reason = ""};
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(text, err);
    if (!record ||
        read_text(record, "boot_id", recovery.boot_id, sizeof recovery.boot_id, err) < 0 ||
        read_text(record, "reason", recovery.reason, sizeof recovery.reason, err) < 0 ||
        read_checks(record, &recovery, err) < 0 || read_times(record, &recovery, err) < 0)
        return -1;
    *ret = recovery;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "health/recover.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/parse.h"
#include "base/replace.h"
#include "health/drain.h"
#include "health/folder.h"
#include "health/recovery.h"

enum { STATE_MAX = 16 << 10, PATIENCE_MS = 300 };

/* Held by one process at a time: passes that two count at once would be lost.  Held for moments, but for a
 * health check that brings the node back. */
static int open_locked(const char *run_dir, struct ce_error *err)
{
    ce_autoclose int dir = ce_folder_open(run_dir, CE_RECOVER_DIR, err);
    if (dir < 0)
        return -1;
    if (ce_lock(dir, PATIENCE_MS) < 0)
        return ce_fail(err, "%s/%s: another process holds it: %s", run_dir, CE_RECOVER_DIR,
                       strerror(errno));
    int ret = dir;
    dir = -1;
    return ret;
}

/* What is there of this boot; else nothing.  -1: the boot or the time is not known, so nothing can be
 * said. */
static int load(int dir, const struct ce_phase_result *result, struct ce_recovery *ret,
                struct ce_error *err)
{
    ce_autotext struct ce_text text = CE_TEXT(STATE_MAX);
    *ret = (struct ce_recovery){.reason = ""};
    if (!result->boot_id[0] || !result->uptime_ms)
        return ce_fail(err, "the boot id or the uptime is not known");
    bool there = ce_file_read(dir, CE_RECOVER_FILE, CE_TRUST_OWNER, &text, NULL) == CE_READ_OK &&
                 ce_recovery_parse(ce_text_string(&text), ret, NULL) == 0;
    if (!there || strcmp(ret->boot_id, result->boot_id) != 0) {
        *ret = (struct ce_recovery){.reason = ""};
        ce_copy(ret->boot_id, sizeof ret->boot_id, result->boot_id);
    }
    return 0;
}

/* A file that cannot be written must not say what holds no more. */
static int store(int dir, const struct ce_recovery *recovery, struct ce_error *err)
{
    ce_autotext struct ce_text text = CE_TEXT(STATE_MAX);
    ce_recovery_write(recovery, &text);
    int failed = ce_text_ok(&text)
                     ? ce_file_replace(dir, CE_RECOVER_FILE, ce_text_string(&text), 0600, err)
                     : ce_fail(err, "%s: too long, or no memory", CE_RECOVER_FILE);
    if (failed)
        unlinkat(dir, CE_RECOVER_FILE, 0);
    return failed ? -1 : 0;
}

int ce_recover_drained(const char *run_dir, const struct ce_phase_result *result,
                       struct ce_error *err)
{
    struct ce_recovery recovery;
    ce_autoclose int dir = open_locked(run_dir, err);
    if (dir < 0 || load(dir, result, &recovery, err) < 0)
        return -1;
    ce_recovery_begin(&recovery, result->reason.text, &result->findings);
    return store(dir, &recovery, err);
}

/* ---------------------------------------------------------------- the way back */

/* It is written down before the node takes jobs: a file that cannot be written would let it come back
 * without end. */
static enum ce_recover_end lift(int dir, struct ce_recovery *recovery, const char *helper_dir,
                                const struct ce_phase_result *result, unsigned deadline_ms,
                                struct ce_error *err)
{
    struct ce_recovery after = *recovery;
    ce_recovery_end(&after, result->uptime_ms);
    if (store(dir, &after, err) < 0)
        return CE_RECOVER_FAILED;
    enum ce_change change = ce_drain_lift(helper_dir, result->node_name, recovery->reason,
                                          deadline_ms, err);
    if (change == CE_CHANGED)
        return CE_RECOVER_BACK;
    if (change == CE_CHANGE_NOT_OURS)
        ce_recovery_end(recovery, 0);
    store(dir, recovery, NULL);
    return change == CE_CHANGE_NOT_OURS ? CE_RECOVER_TAKEN : CE_RECOVER_FAILED;
}

enum ce_recover_end ce_recover_look(const char *run_dir, const char *helper_dir,
                                    const struct ce_phase_result *result, unsigned deadline_ms,
                                    struct ce_error *reason, struct ce_error *err)
{
    struct ce_recovery recovery;
    ce_autoclose int dir = open_locked(run_dir, err);
    if (dir < 0 || load(dir, result, &recovery, err) < 0)
        return CE_RECOVER_FAILED;
    if (!recovery.reason[0])
        return CE_RECOVER_NOTHING;
    ce_fail(reason, "%s", recovery.reason);
    enum ce_recovery_step step = ce_recovery_judge(&recovery, &result->findings, result->uptime_ms);
    if (step == CE_RECOVERY_RESUME)
        return lift(dir, &recovery, helper_dir, result, deadline_ms, err);
    if (store(dir, &recovery, err) < 0)
        return CE_RECOVER_FAILED;
    return step == CE_RECOVERY_ENOUGH ? CE_RECOVER_ENOUGH : CE_RECOVER_NOTHING;
}

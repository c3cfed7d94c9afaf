/* SPDX-License-Identifier: Apache-2.0 */
#include "health/drain.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "base/child.h"
#include "base/parse.h"

enum { OUTPUT_MAX = 4096, JITTER_MS = 200, ARGUMENTS_MAX = 5 };

/* A fault of the fabric shows on all nodes of a job at once, and slurmctld is one. */
static void wait_a_little(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    nanosleep(&(struct timespec){.tv_nsec = now.tv_nsec / 1000 % JITTER_MS * 1000000}, NULL);
}

/* arguments: the verb first, NULL last. */
static enum ce_change run_helper(const char *helper_dir, char *const *arguments,
                                 unsigned deadline_ms, struct ce_error *err)
{
    char path[PATH_MAX];
    char *argv[ARGUMENTS_MAX + 2] = {path};
    struct ce_child child = {.argv = argv, .deadline_ms = deadline_ms, .output_max = OUTPUT_MAX};
    if (!ce_fits(snprintf(path, sizeof path, "%s/slurm-node", helper_dir), sizeof path)) {
        ce_fail(err, "the folder of the helpers has too long a name");
        return CE_CHANGE_FAILED;
    }
    for (size_t i = 0; i < ARGUMENTS_MAX && arguments[i]; i++)
        argv[i + 1] = arguments[i];
    wait_a_little();
    ce_children_run(&child, 1, &(struct ce_children_plan){.at_once = 1});
    int failed = ce_child_check(&child, err), status = failed ? child.number : 0;
    bool told = child.end == CE_CHILD_EXITED &&
                (status == CE_CHANGE_HELD_BACK || status == CE_CHANGE_NOT_OURS);
    ce_child_free(&child);
    if (failed && !told)
        ce_fail_in(err, "slurm-node %s %.255s", arguments[0], arguments[1]);
    return !failed ? CE_CHANGED : told ? (enum ce_change)status : CE_CHANGE_FAILED;
}

enum ce_change ce_drain_node(const char *helper_dir, const char *node, const char *reason,
                             const struct ce_guard_limit *limit, unsigned deadline_ms,
                             struct ce_error *err)
{
    char percent[16], hours[16];
    char *const arguments[] = {"drain", (char *)node, (char *)reason, percent, hours, NULL};
    snprintf(percent, sizeof percent, "%u", limit->percent);
    snprintf(hours, sizeof hours, "%u", limit->hours);
    return run_helper(helper_dir, arguments, deadline_ms, err);
}

enum ce_change ce_drain_lift(const char *helper_dir, const char *node, const char *reason,
                             unsigned deadline_ms, struct ce_error *err)
{
    char *const arguments[] = {"resume", (char *)node, (char *)reason, NULL};
    return run_helper(helper_dir, arguments, deadline_ms, err);
}

enum ce_change ce_requeue_job(const char *helper_dir, uint32_t job, unsigned deadline_ms,
                              struct ce_error *err)
{
    char number[16];
    char *const arguments[] = {"requeue", number, NULL};
    snprintf(number, sizeof number, "%" PRIu32, job);
    return run_helper(helper_dir, arguments, deadline_ms, err);
}

enum ce_change ce_refuse_job(const char *helper_dir, uint32_t job, const char *words, unsigned deadline_ms,
                             struct ce_error *err)
{
    char number[16];
    char *const arguments[] = {"refuse", number, (char *)words, NULL};
    snprintf(number, sizeof number, "%" PRIu32, job);
    return run_helper(helper_dir, arguments, deadline_ms, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "health/drain.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <time.h>

#include "base/child.h"
#include "base/parse.h"

enum { OUTPUT_MAX = 4096, JITTER_MS = 200 };

/* A fault of the fabric shows on all nodes of a job at once, and slurmctld is one. */
static void wait_a_little(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    nanosleep(&(struct timespec){.tv_nsec = now.tv_nsec / 1000 % JITTER_MS * 1000000}, NULL);
}

/* argv[0] is slurm-node's place, filled in here. */
static int ask(const char *helper_dir, char **argv, unsigned deadline_ms, struct ce_error *err)
{
    char path[PATH_MAX];
    struct ce_child child = {.argv = argv, .deadline_ms = deadline_ms, .output_max = OUTPUT_MAX};
    const struct ce_children_plan plan = {.at_once = 1};
    if (!ce_fits(snprintf(path, sizeof path, "%s/slurm-node", helper_dir), sizeof path))
        return ce_fail(err, "the folder of the helpers has too long a name");
    argv[0] = path;
    ce_children_run(&child, 1, &plan);
    int failed = ce_child_check(&child, err);
    ce_child_free(&child);
    return failed;
}

int ce_drain_node(const char *helper_dir, const char *node, const char *reason,
                  unsigned deadline_ms, struct ce_error *err)
{
    char *argv[] = {NULL, "drain", (char *)node, (char *)reason, NULL};
    wait_a_little();
    return ask(helper_dir, argv, deadline_ms, err) < 0
               ? ce_fail_in(err, "slurm-node drain %.255s", node)
               : 0;
}

int ce_requeue_job(const char *helper_dir, uint32_t job, unsigned deadline_ms, struct ce_error *err)
{
    char number[16];
    char *argv[] = {NULL, "requeue", number, NULL};
    snprintf(number, sizeof number, "%" PRIu32, job);
    return ask(helper_dir, argv, deadline_ms, err) < 0
               ? ce_fail_in(err, "slurm-node requeue %s", number)
               : 0;
}

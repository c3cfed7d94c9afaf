/* SPDX-License-Identifier: Apache-2.0 */
/* After a job: wait for the processes that are left on its GPUs, and end them where the configuration
 * wants that.  Only those that ce_leftover_spare() lets, held by pidfd and named by NVML once more
 * after that, so that nobody else with a number that was used again is hit. */
#ifndef CE_HEALTH_LEFTOVER_END_H
#define CE_HEALTH_LEFTOVER_END_H

#include "health/leftover.h"
#include "health/share.h"
#include "model/node.h"
#include "model/notes.h"

struct ce_leftover_task {
    struct ce_leftover_owner owner;
    const struct ce_share *share;
    unsigned wait_ms;            /* for those that are ending */
    unsigned term_ms, kill_ms;   /* after SIGTERM, after SIGKILL */
    void (*ask)(void *ctx, struct ce_node *node); /* NVML anew, into node->gpu_states */
    void *ctx;
};

/* node->gpu_states are anew where there were processes.  A note tells what was ended, and what had to
 * be but was spared.  Takes wait_ms + term_ms + kill_ms and three times what asking takes at most. */
void ce_leftover_end(const struct ce_leftover_task *task, struct ce_node *node,
                     struct ce_notes *notes);

#endif

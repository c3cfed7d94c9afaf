/* SPDX-License-Identifier: Apache-2.0 */
/* This node's part in an all-reduce over all GPUs of the job: bench-nccl, as a child that first
 * says whether it could, and begins when all nodes can. */
#ifndef CE_HELPERS_GANG_NCCL_H
#define CE_HELPERS_GANG_NCCL_H

#include <sys/types.h>

#include "base/text.h"
#include "model/gang_nccl.h"
#include "model/gang_task.h"

struct gang_nccl {
    struct ce_gang_nccl_part part; /* what is known of this node */
    uint64_t due;                  /* ns: it is waited for no longer */
    uint64_t bound;                /* ns: the end of the preflight */
    pid_t pid;                     /* 0: none runs, and the last one is collected */
    int in, out;                   /* its stdin and stdout; -1: none */
    struct ce_text said;           /* by the child */
};

/* Begin, where the task wants it: from then on `part` says whether this node can.  until: ns, of
 * the preflight. */
void gang_nccl_begin(struct gang_nccl *nccl, const struct ce_gang_task *task, uint64_t until);
/* What is due by now: true where `part` has just been settled. */
bool gang_nccl_tick(struct gang_nccl *nccl, uint64_t now);
/* Has the child ended that said that this node can?  Then `part` says so. */
void gang_nccl_look(struct gang_nccl *nccl);
/* `word`, of the first node, whose port and token are still to be filled in.  -1: it cannot be. */
int gang_nccl_arrange(const struct gang_nccl *nccl, struct ce_gang_nccl_word *word);
/* The all-reduce, and where this node had a fault in it once more alone: both are over by `until`,
 * and what holds the GPUs then has time to the end of the preflight to give them back. */
void gang_nccl_run(struct gang_nccl *nccl, const struct ce_gang_task *task,
                   const struct ce_gang_nccl_word *word, uint64_t until, struct ce_gang_nccl *ret);
/* Not before the child is gone, or the preflight is over. */
void gang_nccl_end(struct gang_nccl *nccl);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the node's GPUs are the job's, so that nobody else's job is judged with it. */
#ifndef CE_HEALTH_SHARE_H
#define CE_HEALTH_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/node.h"
#include "model/notes.h"
#include "slurm/job.h"

/* As in struct ce_check_view; all zero: the node is the job's, whole. */
struct ce_share {
    bool shared;   /* other jobs may be on the node */
    uint64_t gpus; /* where it is: bit N: the node's GPU N is the job's */
    bool unsure;   /* which are the job's is not known: gpus has all */
};

/* Slurm's number N is the GPU /dev/nvidiaN, as NVML says which that is, now or (of a GPU that is too sick)
 * before the job, `before`, which may be NULL; not so where MIG divides GPUs or they are of several kinds.  What cannot be told leaves all GPUs, and a note where Slurm
 * had named some. */
void ce_share_find(const struct ce_slurm_job *job, const struct ce_node *node,
                   const struct ce_node *before, struct ce_share *ret, struct ce_notes *notes);

#endif

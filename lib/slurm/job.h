/* SPDX-License-Identifier: Apache-2.0 */
/* Whose prolog or epilog this is, by the environment that slurmd gives it.  docs/prolog.md tells what
 * each Slurm says there. */
#ifndef CE_SLURM_JOB_H
#define CE_SLURM_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/environ.h"

enum { CE_SLURM_JOB_GPUS_MAX = 64 };

/* Does this job have the node for itself? */
enum ce_slurm_share {
    CE_SHARE_UNTOLD, /* Slurm before 23.02 does not say */
    CE_SHARE_NODE,   /* it does */
    CE_SHARE_OTHERS, /* other jobs may run beside it */
};

enum ce_slurm_gpus {
    CE_GPUS_UNTOLD, /* it has none, or Slurm does not know of GPUs */
    CE_GPUS_TOLD,
    CE_GPUS_GARBLED, /* what is said is no list of numbers */
};

struct ce_slurm_job {
    uint32_t id; /* 0: not told */
    bool uid_known;
    uint32_t uid; /* of its user */
    enum ce_slurm_share share;
    enum ce_slurm_gpus told;
    uint64_t gpus; /* bit N: GPU N, as Slurm counts them */
    uint32_t restarts; /* how often it was requeued */
};

/* The job's nodes, as Slurm writes them, a text like any; NULL: not told.  Series before 23.02.6 have it
 * under its old name. */
const char *ce_slurm_job_nodes(const struct ce_environ *env);

void ce_slurm_job_read(const struct ce_environ *env, struct ce_slurm_job *ret);

/* "0-3,7": numbers below CE_SLURM_JOB_GPUS_MAX, ranges that go up, no blank.  0; -1, *ret untouched, for
 * anything else. */
int ce_slurm_gpus_parse(const char *text, uint64_t *ret);

#endif

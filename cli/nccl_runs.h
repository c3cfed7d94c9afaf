/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of one `cluster-env bench nccl`: this node, or the nodes of the job that it is in, first
 * each alone, then gangs of so many. */
#ifndef CE_CLI_NCCL_RUNS_H
#define CE_CLI_NCCL_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "probe/nccl_helper.h"

enum { CE_NCCL_RUNS_MAX = 32 };

struct ce_nccl_runs {
    struct ce_nccl_run items[CE_NCCL_RUNS_MAX];
    size_t count;
};

/* "2,4,8": numbers of nodes, each greater than the one before.  The count; -1 with err. */
int ce_nccl_counts_parse(const char *text, uint32_t counts[CE_NCCL_RUNS_MAX], struct ce_error *err);

/* This node alone. */
int ce_nccl_runs_here(const struct ce_nccl_test *test, struct ce_nccl_runs *runs,
                      struct ce_error *err);

/* The job's nodes: as many as the greatest count, each alone; then gangs of these counts.  No
 * count: all nodes.  A gang with a node in it that could not be measured alone is not run.  0; -1
 * with err: not in a job, or in one of its steps, or it has fewer nodes. */
int ce_nccl_runs_job(const struct ce_nccl_test *test, const uint32_t *counts, size_t count,
                     bool progress, struct ce_nccl_runs *runs, struct ce_error *err);

void ce_nccl_runs_free(struct ce_nccl_runs *runs);

#endif

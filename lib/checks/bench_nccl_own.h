/* SPDX-License-Identifier: Apache-2.0 */
/* What all-reduces over several nodes say of one of them: the one that keeps it.  Pure. */
#ifndef CE_CHECKS_BENCH_NCCL_OWN_H
#define CE_CHECKS_BENCH_NCCL_OWN_H

#include "model/finding.h"
#include "model/nccl_bench.h"

/* Was it measured here, too? */
bool ce_nccl_run_has(const struct ce_nccl_run *run, const char *node_name);

/* The findings are the run's, and have their responses.  Nobody is drained for what several nodes
 * did together.  What is said of this node, and of a gang that it was in, is appended
 * to own; what is said of another one is not. */
void ce_bench_nccl_own(const struct ce_nccl_run *run, const char *node_name,
                       struct ce_finding *findings, size_t count, struct ce_findings *own);

#endif

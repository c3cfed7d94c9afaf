/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of an allocation test together: a step of one task for each node, by srun, which says
 * what its node found. */
#ifndef CE_PROBE_NCCL_STEP_H
#define CE_PROBE_NCCL_STEP_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/nccl_helper.h"

struct ce_nccl_step {
    const char *command; /* the path of cluster-env */
    const struct ce_nccl_test *test;
    char *const *envp;
    uint32_t nodes; /* the first so many of the allocation */
    bool alone;     /* each by itself, all at once */
};

/* Run it, and fill in results[nodes], whose names are there.  Of a node that says nothing the
 * outcome is CE_NCCL_SILENT, with what srun said.  0; -1 with err: there is no memory. */
int ce_nccl_step_run(const struct ce_nccl_step *step, struct ce_nccl_node *results,
                     struct ce_error *err);

/* The lines of each task, of what `srun --label` printed: " 3: text" is the fourth's.  What is no
 * such line, or of a task that there is not, is passed over. */
void ce_nccl_labels_split(const char *output, struct ce_text *texts, size_t count);

#endif

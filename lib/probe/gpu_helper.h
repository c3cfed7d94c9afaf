/* SPDX-License-Identifier: Apache-2.0 */
/* How the GPUs are, as NVML says: by the helper probe-gpu, in a child with a deadline. */
#ifndef CE_PROBE_GPU_HELPER_H
#define CE_PROBE_GPU_HELPER_H

#include <limits.h>
#include <stdbool.h>

#include "base/child.h"
#include "model/node.h"

struct ce_gpu_helper {
    const char *dir;      /* where it is */
    unsigned deadline_ms; /* for all GPUs */
    const bool *skip;     /* by the index of node->gpus: those that must not be asked, since the
                           * kernel log says that they would hang it; NULL: none */
};

/* What the child is started with. */
struct ce_gpu_question {
    char path[PATH_MAX], arguments[CE_GPUS_MAX][sizeof "--skip=" + CE_PCI_ADDRESS];
    char *argv[CE_GPUS_MAX + 2];
};

/* The child that asks NVIDIA's GPUs of node.  Where there is none it has nothing to run. */
void ce_gpus_ask(struct ce_gpu_question *question, const struct ce_gpu_helper *helper,
                 const struct ce_node *node, struct ce_child *child);

/* Its answer into node->gpu_states.  A helper that is not there, hangs, crashes or prints what is no text leaves its cause in
 * gpu_states.error; what it said of GPUs before it hung is kept, and the GPU that it was asking is
 * CE_GPU_LATE; where it crashed, named in the cause. */
void ce_gpus_answer(const struct ce_child *child, struct ce_node *node);

#endif

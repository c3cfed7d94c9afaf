/* SPDX-License-Identifier: Apache-2.0 */
/* How the GPUs are, as NVML says: by the helper probe-gpu, in a child with a deadline. */
#ifndef CE_PROBE_GPU_HELPER_H
#define CE_PROBE_GPU_HELPER_H

#include <stdbool.h>

#include "model/node.h"

struct ce_gpu_helper {
    const char *dir;      /* where it is */
    unsigned deadline_ms; /* for all GPUs */
    const bool *skip;     /* by the index of node->gpus: those that must not be asked, since the
                           * kernel log says that they would hang it; NULL: none */
};

/* Fill in node->gpu_states for NVIDIA's GPUs of node.  Where there is none nobody is asked.  A
 * helper that is not there, hangs, crashes or prints what is no text leaves its cause in
 * gpu_states.error; what it said of GPUs before it hung is kept, and the GPU that it was asking is
 * CE_GPU_LATE. */
void ce_probe_gpus(const struct ce_gpu_helper *helper, struct ce_node *node);

#endif

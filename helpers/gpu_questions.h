/* SPDX-License-Identifier: Apache-2.0 */
/* What probe-gpu asks NVML of one GPU. */
#ifndef CE_HELPERS_GPU_QUESTIONS_H
#define CE_HELPERS_GPU_QUESTIONS_H

#include "model/gpu_state.h"
#include "model/pci.h"
#include "nvml.h"

/* How the GPU at that address is, also that it cannot be asked.  driver: its version,
 * "" where it is not known.  Each question can take seconds, or never come back. */
void gpu_ask(const struct nvml *nvml, const char *driver, const struct ce_pci *pci,
             struct ce_gpu_state *state);

#endif

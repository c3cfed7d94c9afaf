/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a GPU is somebody else's: what a test must know before it touches one. */
#ifndef CE_HELPERS_GPU_TAKEN_H
#define CE_HELPERS_GPU_TAKEN_H

#include <stdbool.h>

#include "model/gpu_bench.h"
#include "nvml.h"

/* Why this GPU must be left alone: somebody computes on it, or nobody can tell; "ours" of the
 * processes on it are this one.  False: it is free. */
bool gpu_is_taken(const struct nvml *nvml, nv_device nv, unsigned ours, char reason[CE_TEST_REASON],
                  enum ce_test_end *end);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Does somebody compute on a GPU?  What must be known before it is touched. */
#ifndef CE_HELPERS_GPU_TAKEN_H
#define CE_HELPERS_GPU_TAKEN_H

#include <stdbool.h>

#include "model/gpu_bench.h"
#include "nvml.h"

/* Why this GPU must be left alone: somebody computes on it (CE_TEST_SKIPPED), or nobody can tell
 * (CE_TEST_FAILED); "ours" of the processes on it are this one.  False: it is free. */
bool gpu_is_taken(const struct nvml *nvml, nv_device nv, unsigned ours,
                  char reason[CE_TEST_REASON], enum ce_test_end *end);

#endif

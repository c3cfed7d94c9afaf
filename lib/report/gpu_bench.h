/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of GPUs measured, for programs. */
#ifndef CE_REPORT_GPU_BENCH_H
#define CE_REPORT_GPU_BENCH_H

#include "base/text.h"
#include "model/finding.h"
#include "model/gpu_bench.h"

/* One JSON document, "schema":1.  0, or -1 for no memory. */
int ce_report_gpu_bench_json(const struct ce_gpu_bench *gpus, size_t count,
                             const struct ce_findings *findings, const char *node_name,
                             const char *reason, struct ce_text *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the rails delivered, in words. */
#ifndef CE_REPORT_RDMA_BENCH_H
#define CE_REPORT_RDMA_BENCH_H

#include <stddef.h>

#include "base/text.h"
#include "model/finding.h"
#include "model/rdma_result.h"

/* One JSON document, "schema":1.  0, or -1 for no memory. */
int ce_report_rdma_bench_json(const struct ce_rdma_result *results, size_t count,
                              const struct ce_findings *findings, const char *node_name,
                              const char *reason, struct ce_text *out);

#endif

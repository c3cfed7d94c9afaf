/* SPDX-License-Identifier: Apache-2.0 */
/* What all-reduces measured: tables for people, JSON for programs. */
#ifndef CE_REPORT_NCCL_BENCH_H
#define CE_REPORT_NCCL_BENCH_H

#include <stddef.h>

#include "base/text.h"
#include "model/finding.h"
#include "model/nccl_bench.h"

/* Bus bandwidth by message size, a column for each run; where there are several, below it their
 * efficiency against one node.  Of nodes that were alone the column is the median of them.  Nothing
 * where nothing was measured. */
void ce_report_nccl_bench_tables(const struct ce_nccl_run *runs, size_t count, struct ce_text *out);

/* One JSON document, "schema":1, written on this node, which would be drained for the reason; NULL:
 * it would not.  0, or -1 for no memory. */
int ce_report_nccl_bench_json(const struct ce_nccl_run *runs, size_t count,
                              const struct ce_findings *findings, const char *node_name,
                              const char *reason, struct ce_text *out);

#endif

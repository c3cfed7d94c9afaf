/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a phase, for programs: JSON and Prometheus' text format.  What they hold is listed in
 * docs/monitoring.md, and stable. */
#ifndef CE_REPORT_RUN_H
#define CE_REPORT_RUN_H

#include "base/text.h"
#include "model/run.h"

/* One JSON document, "schema":1, with all findings.  0, or -1 for no memory. */
int ce_report_run_json(const struct ce_run *run, struct ce_text *out);

/* The same in one line, with the findings that are neither pass nor skip, at most
 * CE_RUN_LINE_FINDINGS of them; "left_out" counts the others. */
enum { CE_RUN_LINE_FINDINGS = 200 };
int ce_report_run_line(const struct ce_run *run, struct ce_text *out);

/* Gauges for node_exporter's textfile collector, each with the label `phase`, so that the files of
 * several phases stand beside each other; of a bench that is "bench_TEST". */
void ce_report_run_metrics(const struct ce_run *run, struct ce_text *out);

#endif

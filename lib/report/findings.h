/* SPDX-License-Identifier: Apache-2.0 */
/* Findings in words. */
#ifndef CE_REPORT_FINDINGS_H
#define CE_REPORT_FINDINGS_H

#include "base/text.h"
#include "model/finding.h"

/* The drain reason, one line, the thing and the measurement first because sinfo -R shows 20
 * characters; nothing where no finding is to be drained for:
 *
 * mlx5_4/1 DOWN (Polling), expected ACTIVE; check cable and switch port [cluster-env ib.port.state]
 * 2 ports: mlx5_0/1, mlx5_4/1 DOWN (Polling), expected ACTIVE; ... [cluster-env ib.port.state]
 *
 * What has another remedy, and further checks, follow after " + ". */
void ce_report_reason(const struct ce_findings *findings, struct ce_text *out);

/* The same in less than size bytes: where it is longer it is cut, and the checks, by which reasons are
 * counted, follow as "... [cluster-env NAME]"; as many of them as fit into half of it. */
void ce_report_reason_cut(const struct ce_findings *findings, const char *reason, size_t size,
                          struct ce_text *out);

/* A table for people: a row for each finding, with `all` also for those that passed; then a summary.
 * Rows longer than `columns` go on in the next line; 0: each is one line, for grep. */
void ce_report_findings_text(const struct ce_findings *findings, bool all, bool colour,
                             unsigned columns, struct ce_text *out);

#endif

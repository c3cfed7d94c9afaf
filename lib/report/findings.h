/* SPDX-License-Identifier: Apache-2.0 */
/* Findings in words. */
#ifndef CE_REPORT_FINDINGS_H
#define CE_REPORT_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "model/finding.h"

/* The drain reason, one line, the thing and the measurement first because sinfo -R shows 20
 * characters; nothing where no finding is to be drained for:
 *
 * mlx5_4/1 DOWN (Polling), expected ACTIVE; check cable and switch port [cluster-env ib.port.state]
 * 2 ports: mlx5_0/1, mlx5_4/1 DOWN (Polling), expected ACTIVE; ... [cluster-env ib.port.state]
 *
 * What has another remedy, and further checks, follow after " + ".  The job after which it was found
 * (0: none) stands where a list of things, which may be long, begins, or behind what was measured:
 *
 * mlx5_4/1 link_downed +1 during the job, found after job 7; ... [cluster-env ib.counter.link_downed]
 * 2 ports, found after job 7: mlx5_0/1, mlx5_4/1 DOWN ... */
void ce_report_reason(const struct ce_findings *findings, uint32_t job, struct ce_text *out);

/* The same in less than size bytes: where it is longer it is cut, and the checks, by which reasons are
 * counted, follow as "... [cluster-env NAME]"; as many of them as fit into half of it. */
void ce_report_reason_cut(const struct ce_findings *findings, const char *reason, size_t size,
                          struct ce_text *out);

/* What a probe that crashed or hung leaves unknown is unknown to many checks, of many things, for one cause.
 * True where an earlier finding, not less loud, says in the same words why; who tells findings passes
 * over such. */
bool ce_report_is_echo(const struct ce_findings *findings, size_t index);
/* " (98 more say so)", of those that are told by this one; nothing where there are none. */
void ce_report_echoes(const struct ce_findings *findings, size_t index, struct ce_text *out);

/* A table for people: a row for each finding, with `all` also for those that passed or echo another; then a
 * summary.  Rows longer than `columns` go on in the next line; 0: each is one line, for grep. */
void ce_report_findings_text(const struct ce_findings *findings, bool all, bool colour,
                             unsigned columns, struct ce_text *out);

#endif

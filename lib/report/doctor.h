/* SPDX-License-Identifier: Apache-2.0 */
/* What `cluster-env doctor` found, in words. */
#ifndef CE_REPORT_DOCTOR_H
#define CE_REPORT_DOCTOR_H

#include "base/text.h"
#include "model/finding.h"
#include "model/install.h"

/* A line of what was looked at, then a row for each finding, then a summary; as
 * ce_report_findings_text() has them. */
void ce_report_doctor_text(const struct ce_install *install, const struct ce_findings *findings,
                           bool colour, unsigned columns, struct ce_text *out);

/* The same as one JSON document, "schema":1.  0, or -1 for no memory. */
int ce_report_doctor_json(const struct ce_install *install, const struct ce_findings *findings,
                          struct ce_text *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the JSON reports share.  For lib/report only: the one header that shows jansson. */
#ifndef CE_REPORT_JSON_H
#define CE_REPORT_JSON_H

#include <jansson.h>

#include "base/text.h"
#include "model/finding.h"
#include "model/measured.h"

/* A string, or null for NULL.  What is no UTF-8, which JSON cannot hold, has '?' for its bytes above
 * ASCII. */
json_t *ce_json_text(const char *text);

/* A finding, as all reports have it (report/findings.c). */
json_t *ce_json_finding(const struct ce_finding *finding);

/* A list of objects with "what", "device", "value" and "unit". */
json_t *ce_json_measured(const struct ce_measured *measured);

/* How many of them there are, by verdict. */
json_t *ce_json_counts(const struct ce_findings *findings);

/* Append the document, indented, and a newline; root (NULL: it could not be made) is released.
 * 0, or -1 for no memory. */
int ce_json_write(json_t *root, struct ce_text *out);
/* The same without line breaks and blanks. */
int ce_json_write_line(json_t *root, struct ce_text *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A plan of variables -> text, JSON, shell commands.  Computes nothing. */
#ifndef CE_REPORT_PLAN_H
#define CE_REPORT_PLAN_H

#include <stdbool.h>

#include "base/environ.h"
#include "base/text.h"
#include "launch/plan.h"

/* A table: name, value, where it came from.  Rows without a value only where `all` is set.  env
 * gives the values that are left as they are. */
void ce_report_plan_text(const struct ce_plan *plan, const struct ce_environ *env, bool all,
                         struct ce_text *out);

/* {"schema":1,"step":"12.0","variables":[{"name":...,"value":...|null,"action":"set"|"unset"|"leave",
 * "class":...,"source":...}],"notes":[...]}.  -1: no memory. */
int ce_report_plan_json(const struct ce_plan *plan, const struct ce_environ *env,
                        const struct ce_notes *notes, struct ce_text *out);

/* "export NAME='value'" and "unset NAME" lines for eval in any POSIX shell. */
void ce_report_plan_export(const struct ce_plan *plan, struct ce_text *out);

#endif

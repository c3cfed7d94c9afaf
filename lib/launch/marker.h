/* SPDX-License-Identifier: Apache-2.0 */
/* CLUSTER_ENV_SET, "NAME:hash,NAME:hash": what an outer step wrote.  A variable found in the
 * environment is ours only if its value is still the one recorded; else the user changed it. */
#ifndef CE_LAUNCH_MARKER_H
#define CE_LAUNCH_MARKER_H

#include <stdbool.h>

#include "base/text.h"

#define CE_MARKER "CLUSTER_ENV_SET"
/* Beside it: the request that it was set up with (model/request.h), for programs in the job. */
#define CE_OPTION_VARIABLE "CLUSTER_ENV_OPTION"

/* Does the marker text (NULL: none) record `name` with this value? */
bool ce_marker_holds(const char *marker, const char *name, const char *value);

/* Append one record. */
void ce_marker_add(struct ce_text *marker, const char *name, const char *value);

#endif

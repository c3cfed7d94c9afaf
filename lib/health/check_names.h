/* SPDX-License-Identifier: Apache-2.0 */
/* The names in `checks` of the configuration, held against the checks that there are. */
#ifndef CE_HEALTH_CHECK_NAMES_H
#define CE_HEALTH_CHECK_NAMES_H

#include "base/error.h"
#include "config/site.h"

/* Does every rule of the file, also those of other nodes, cover a check, and say of it what can be said?  -1
 * with err, "FILE:LINE: ...", names one that may have been meant. */
int ce_check_names_look(const struct ce_site *site, struct ce_error *err);
/* As ce_site_open(), and the same. */
int ce_check_names_open(const char *path, struct ce_site *site, struct ce_error *err);

/* The check whose name is most like this one; NULL: none is like it. */
const char *ce_check_names_like(const char *name);

#endif

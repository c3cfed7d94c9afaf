/* SPDX-License-Identifier: Apache-2.0 */
/* The address book as config/site.h reads it, where its file system may hang: sites keep it where all nodes
 * share it. */
#ifndef CE_HEALTH_SITE_BOOK_H
#define CE_HEALTH_SITE_BOOK_H

#include <stdbool.h>

#include "base/error.h"
#include "config/site.h"

/* NULL with err; *hung: it was not read within deadline_ms.  *path is set in any case. */
struct ce_book *ce_site_book_within(struct ce_config *config, unsigned deadline_ms,
                                    const char **path, bool *hung, struct ce_error *err);

#endif

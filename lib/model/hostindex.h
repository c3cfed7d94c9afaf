/* SPDX-License-Identifier: Apache-2.0 */
/* Where in a host list does a name stand?  Made once for a list that is asked for many names. */
#ifndef CE_MODEL_HOSTINDEX_H
#define CE_MODEL_HOSTINDEX_H

#include <stdbool.h>
#include <stddef.h>

#include "model/hostlist.h"

struct ce_hostindex;

/* The list must outlive it.  NULL: no memory. */
struct ce_hostindex *ce_hostindex_create(const struct ce_hostlist *list);
void ce_hostindex_destroy(struct ce_hostindex *index);
CE_DEFINE_CLEANUP(struct ce_hostindex, ce_hostindex_destroy)

/* Letters count as they are written.  *place, which may be NULL, is the first place of a name that
 * occurs twice; it stays where the name does not occur. */
bool ce_hostindex_find(const struct ce_hostindex *index, const char *name, size_t *place);

#endif

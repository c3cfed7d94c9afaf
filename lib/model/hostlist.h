/* SPDX-License-Identifier: Apache-2.0 */
/* Slurm's host list expressions, "node[01-04,7],rack[0-1]n[1-2],login", expanded in their order.
 * Strict: what Slurm itself would not print is an error.  At most CE_HOSTLIST_MAX hosts. */
#ifndef CE_MODEL_HOSTLIST_H
#define CE_MODEL_HOSTLIST_H

#include <stddef.h>

#include "base/cleanup.h"
#include "base/error.h"

enum { CE_HOSTLIST_MAX = 65536, CE_HOSTNAME_MAX = 255 };

struct ce_hostlist;

/* Names are letters, digits, '-', '_' and '.', 1 to CE_HOSTNAME_MAX bytes.  Several bracket groups
 * in one name multiply, the leftmost slowest, as in Slurm; "[01-10]" keeps its zeros.  A name that
 * occurs twice stays twice.  NULL with err: empty, malformed, nested brackets, a range that runs
 * backwards, too many hosts, no memory. */
struct ce_hostlist *ce_hostlist_parse(const char *expression, struct ce_error *err);
void ce_hostlist_destroy(struct ce_hostlist *list);
CE_DEFINE_CLEANUP(struct ce_hostlist, ce_hostlist_destroy)

size_t ce_hostlist_count(const struct ce_hostlist *list);

/* How many bytes at the start of text may stand in a host name: letters, digits, '-', '_', '.'. */
size_t ce_hostname_span(const char *text);

/* The name at index (0 <= index < count), owned by the list. */
const char *ce_hostlist_name(const struct ce_hostlist *list, size_t index);

#endif

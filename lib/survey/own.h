/* SPDX-License-Identifier: Apache-2.0 */
/* Each node checks its own entry of the book.  Pure. */
#ifndef CE_SURVEY_OWN_H
#define CE_SURVEY_OWN_H

#include <stdbool.h>

#include "base/error.h"
#include "launch/network.h"
#include "model/book.h"
#include "model/node.h"
#include "model/policy.h"

/* Is the book wrong about this node: has none of its interfaces an address that the book gives for
 * its name + suffix?  Loopback and link-local entries do not count.  Then `why` says which entry,
 * and what the cluster interface has instead.  false where the book has no such entry, or the facts
 * tell no address at all. */
bool ce_own_entry_is_stale(const struct ce_node *node, const struct ce_policy *policy,
                           const struct ce_book *book, const char *name, struct ce_error *why);

/* Which of its interfaces would be the cluster network, by its facts alone?  Points into node. */
void ce_own_network(const struct ce_node *node, const struct ce_policy *policy,
                    struct ce_network *ret);

#endif

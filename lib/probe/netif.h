/* SPDX-License-Identifier: Apache-2.0 */
/* Network interfaces: names and kinds from sysfs, default routes from /proc/net, addresses from the
 * kernel.  Judges nothing. */
#ifndef CE_PROBE_NETIF_H
#define CE_PROBE_NETIF_H

#include "base/error.h"
#include "base/root.h"
#include "model/node.h"

/* Fill node->netifs, sorted by ifindex.  On a recorded tree (root->live is false) there are no
 * addresses.  -1 with err where /sys/class/net itself cannot be read. */
int ce_probe_netifs(const struct ce_root *root, struct ce_node *node, struct ce_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel says of the host itself: its name, this boot, and the GPUs on the PCI bus,
 * NVIDIA's and AMD's (whether a driver answers or not). */
#ifndef CE_PROBE_HOST_H
#define CE_PROBE_HOST_H

#include "base/root.h"
#include "model/node.h"

/* Facts that cannot be read stay unknown. */
void ce_probe_host(const struct ce_root *root, struct ce_node *node);

/* How long this boot lasts: the moment of the facts. */
void ce_probe_uptime(const struct ce_root *root, struct ce_node *node);

#endif

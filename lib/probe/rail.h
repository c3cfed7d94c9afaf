/* SPDX-License-Identifier: Apache-2.0 */
/* What only the checks want to know of a rail: its counters, its place in PCI Express, its device
 * file, its partition keys.  Every counter is a question to the firmware, which some answer slowly and some not at all:
 * only the rails are asked, each file once. */
#ifndef CE_PROBE_RAIL_H
#define CE_PROBE_RAIL_H

#include <stddef.h>

#include "base/root.h"
#include "model/node.h"

struct ce_rail_place {
    size_t hca, port; /* index in node->hcas, in its ports */
};

/* Facts that cannot be read stay unknown. */
void ce_probe_rails(const struct ce_root *root, const struct ce_rail_place *rails, size_t count,
                    struct ce_node *node);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What a driver may be slow to tell, asked in children with a deadline: the RDMA devices in sysfs,
 * and what only foreign libraries know, by the helper programs probe-verbs (libibverbs) and
 * probe-topology (hwloc). */
#ifndef CE_PROBE_HELPERS_H
#define CE_PROBE_HELPERS_H

#include <stdbool.h>

#include "base/root.h"
#include "model/node.h"
#include "model/notes.h"
#include "probe/rail.h"

/* ce_probe_ib(): some of sysfs' files ask the firmware, and a sick one holds whoever reads them.
 * Where there was no answer in time, or an error, there is no device, and a note. */
void ce_probe_ib_within(const struct ce_root *root, unsigned deadline_ms, struct ce_node *node,
                        struct ce_notes *notes);

/* ce_probe_rails(), in a child of its own: where it hangs, what is known already stays. */
void ce_probe_rails_within(const struct ce_root *root, unsigned deadline_ms,
                           const struct ce_rail_place *rails, size_t count, struct ce_node *node,
                           struct ce_notes *notes);

struct ce_helpers {
    const char *dir;      /* where they are */
    unsigned deadline_ms; /* for each; they run side by side */
    bool topology;        /* ask probe-topology, too */
};

/* Add to the HCAs of node what the helpers say: whether libibverbs opens them, firmware where it is
 * not known, distances to GPUs.  A helper that is not there, hangs, fails or prints what is no text
 * leaves its facts as they are, and a note.  Where there is no HCA none is asked, and no distance
 * where there is no GPU. */
void ce_probe_helpers(const struct ce_helpers *helpers, struct ce_node *node,
                      struct ce_notes *notes);

/* Take the distances of `old`, facts of the same machine: true where they hold still, that is since
 * the same boot, for the same HCAs and GPUs.  Else node stays as it is. */
bool ce_probe_keep_distances(const struct ce_node *old, struct ce_node *node);

#endif

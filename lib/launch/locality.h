/* SPDX-License-Identifier: Apache-2.0 */
/* How near the HCAs of a node are to its GPUs.  Pure. */
#ifndef CE_LAUNCH_LOCALITY_H
#define CE_LAUNCH_LOCALITY_H

#include <stdbool.h>

#include "model/node.h"

/* What hwloc said when the facts were taken, or what the PCI paths say: the nearer of both, since
 * each calls far what it does not see the bridges of. */
enum ce_distance ce_locality_distance(const struct ce_node *node, const struct ce_hca *hca,
                                      unsigned gpu);

/* To the nearest GPU of the node (of the node, not of the job: all its tasks must agree).  *gpu
 * (which may be NULL): that GPU.  CE_DISTANCE_UNKNOWN where there is none, or nothing is known. */
enum ce_distance ce_locality_nearest(const struct ce_node *node, const struct ce_hca *hca,
                                     unsigned *gpu);

/* How much a distance counts when classes are compared: behind a switch with a GPU (0), under the
 * same host bridge (1), anything else (2). */
unsigned ce_locality_level(enum ce_distance distance);

/* Does the tree tell HCAs apart: is some GPU near one HCA and not another?  In most virtual
 * machines it does not: there everything hangs off one bridge, or off a bridge each. */
bool ce_locality_is_informative(const struct ce_node *node);

#endif

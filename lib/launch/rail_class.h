/* SPDX-License-Identifier: Apache-2.0 */
/* The classes among which the rails are chosen: the ports of one link layer, one type of HCA and
 * one board; boards of one type that are equally fast and equally near count as one.  For rails.c.
 */
#ifndef CE_LAUNCH_RAIL_CLASS_H
#define CE_LAUNCH_RAIL_CLASS_H

#include <stdbool.h>
#include <stddef.h>

#include "launch/rails.h"

struct ce_rail_class {
    const struct ce_rail *first; /* its member of the lowest PCI address */
    size_t members;              /* also those that are down: they come back */
    unsigned rate_mbps;          /* the greatest of the active members; with none active, what its
                                  * type of HCA is made for; 0: not known */
    unsigned long long total;    /* members times rate; one that is not known counts as the fastest
                                  * class's: "unknown" is not "slow" */
    unsigned level;              /* ce_locality_level() of the median member; 2 where the tree does
                                  * not tell */
};

/* Set members' class and fill classes (room for `count`), best class first.  in[i] says whether
 * ports[i] takes part; class_of[i] is its class afterwards.  Returns how many classes. */
size_t ce_rail_classes(const struct ce_node *node, const struct ce_rail *ports, const bool *in,
                       size_t count, struct ce_rail_class *classes, size_t *class_of);

#endif

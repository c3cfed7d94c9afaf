/* SPDX-License-Identifier: Apache-2.0 */
/* Which ports could be a rail at all, before one class of them is taken: not what is no channel adapter,
 * a virtual function of a card that is here, or management, unless all are.  Pure. */
#ifndef CE_LAUNCH_RAIL_CANDIDATES_H
#define CE_LAUNCH_RAIL_CANDIDATES_H

#include <stdbool.h>
#include <stddef.h>

#include "launch/rails.h"

/* in[i]: ports[i] could be one; where it could not, its reason is said.  ports[], in[] and management[],
 * which is room to work in, have `count` places. */
void ce_rail_candidates(const struct ce_node *node, struct ce_rail *ports, size_t count, bool *in,
                        bool *management);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* How many GPUs and rails this node has, and should have. */
#ifndef CE_HEALTH_EQUIPMENT_H
#define CE_HEALTH_EQUIPMENT_H

#include "model/node.h"
#include "model/policy.h"
#include "model/run.h"

/* The rails are those that jobs use (launch/rails.h); where the facts do not tell which, they are not
 * known. */
void ce_equipment_count(const struct ce_node *node, const struct ce_policy *policy,
                        struct ce_equipment *ret);

#endif

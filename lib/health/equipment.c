/* SPDX-License-Identifier: Apache-2.0 */
#include "health/equipment.h"

#include "launch/rails.h"

void ce_equipment_count(const struct ce_node *node, const struct ce_policy *policy,
                        struct ce_equipment *ret)
{
    struct ce_rails rails;
    *ret = (struct ce_equipment){
        .gpus_known = node->gpu_count_known,
        .gpus = node->gpu_count,
        .gpus_expected = policy->gpus,
        .rails_expected = policy->rails.count,
    };
    if (ce_rails_choose(node, &rails, NULL) < 0)
        return;
    ret->rails_known = rails.verdict == CE_RAILS_NONE || rails.count > 0;
    ret->rails = (uint32_t)rails.count;
    ret->rails_up = rails.count ? (uint32_t)rails.active : 0;
    ce_rails_free(&rails);
}

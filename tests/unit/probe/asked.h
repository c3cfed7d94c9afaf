/* SPDX-License-Identifier: Apache-2.0 */
/* One child that asks, alone. */
#ifndef CE_TESTS_ASKED_H
#define CE_TESTS_ASKED_H

#include "base/child.h"

static inline void run_alone(struct ce_child *child)
{
    ce_children_run(child, 1, &(struct ce_children_plan){.at_once = 1});
}

#endif

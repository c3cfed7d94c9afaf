/* SPDX-License-Identifier: Apache-2.0 */
/* All that a driver, a firmware or a foreign library is asked, side by side: each question is a
 * child, and those that hang cost one deadline together.  Only what an answer is needed for waits:
 * GPUs for the kernel log, rails and distances for the RDMA devices. */
#ifndef CE_HEALTH_QUESTIONS_H
#define CE_HEALTH_QUESTIONS_H

#include "base/root.h"
#include "health/machine.h"
#include "model/node.h"
#include "model/notes.h"

/* Add what they say to node, which has the host and its interfaces.  `old`: the last facts, whose
 * distances may hold still; NULL: there are none.  rails, notes: as ce_machine_facts() has them. */
void ce_questions_ask(const struct ce_machine *machine, const struct ce_root *root,
                      const struct ce_node *old, struct ce_node *node, struct ce_node **rails,
                      struct ce_notes *notes);

/* Ask NVML once more how the GPUs are, in place of what node says of it. */
void ce_questions_ask_gpus(const struct ce_machine *machine, struct ce_node *node);

#endif

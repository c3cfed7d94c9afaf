/* SPDX-License-Identifier: Apache-2.0 */
/* What only the checks need to know of this machine, and no job's launch: it is read when they run,
 * and stands in no node.facts. */
#ifndef CE_HEALTH_DETAILS_H
#define CE_HEALTH_DETAILS_H

#include "health/machine.h"
#include "model/node.h"
#include "model/notes.h"
#include "model/policy.h"

/* `policy` names the mounts to look for; `rails` is what ce_machine_facts() knows of them, or NULL;
 * the processes are not looked through in the prolog.  Add
 * it to the facts of ce_machine_facts(); to those that were replayed from a text, nothing. What
 * cannot be read, or not in time, stays unknown, and a note. */
void ce_details_read(const struct ce_machine *machine, const struct ce_policy *policy,
                     unsigned phase, const struct ce_node *rails, struct ce_node *node,
                     struct ce_notes *notes);

#endif

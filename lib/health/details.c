/* SPDX-License-Identifier: Apache-2.0 */
#include "health/details.h"

#include "base/root.h"
#include "checks/check.h"
#include "probe/helpers.h"
#include "probe/host.h"
#include "probe/host_details.h"

void ce_details_read(const struct ce_machine *machine, const struct ce_policy *policy,
                     unsigned phase, const struct ce_node *rails, struct ce_node *node,
                     struct ce_notes *notes)
{
    struct ce_root root;
    struct ce_error err;
    if (machine->facts)
        return;
    if (ce_root_open(&root, machine->root, &err) < 0) {
        ce_note(notes, "%s", err.text);
        return;
    }
    node->detailed = true;
    ce_probe_uptime(&root, node);
    ce_probe_host_details(&root, &node->host);
    ce_probe_mounts(&root, policy->mounts, policy->mount_count, &node->host);
    if (phase != CE_PROLOG)
        ce_probe_stuck(&root, &node->host);
    if (rails)
        ce_rails_merge(rails, node);
    ce_root_close(&root);
}

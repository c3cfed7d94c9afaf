/* SPDX-License-Identifier: Apache-2.0 */
#include "health/details.h"

#include <stdlib.h>

#include "base/root.h"
#include "checks/check.h"
#include "launch/rails.h"
#include "probe/helpers.h"
#include "probe/host.h"
#include "probe/host_details.h"

enum { RAILS_MS = 2000 };

static struct ce_rail_place place_of(const struct ce_node *node, const struct ce_rail *rail)
{
    return (struct ce_rail_place){(size_t)(rail->hca - node->hcas),
                                  (size_t)(rail->port - rail->hca->ports)};
}

static void read_rails(const struct ce_root *root, struct ce_node *node, struct ce_notes *notes)
{
    struct ce_rails rails;
    struct ce_error err;
    size_t count = 0;
    struct ce_rail_place *places = NULL;
    int failed = ce_rails_choose(node, &rails, &err);
    if (!failed)
        places = calloc(rails.count + 1, sizeof *places);
    for (size_t i = 0; places && i < rails.port_count; i++)
        if (rails.ports[i].chosen)
            places[count++] = place_of(node, &rails.ports[i]);
    if (places)
        ce_probe_rails_within(root, RAILS_MS, places, count, node, notes);
    else
        ce_note(notes, "the counters of the rails stay unknown: %s", "no memory");
    free(places);
    ce_rails_free(&rails);
}

void ce_details_read(const struct ce_machine *machine, const struct ce_policy *policy,
                     unsigned phase, struct ce_node *node, struct ce_notes *notes)
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
    read_rails(&root, node, notes);
    ce_root_close(&root);
}

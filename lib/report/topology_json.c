/* SPDX-License-Identifier: Apache-2.0 */
#include "report/topology.h"

#include "report/json.h"
#include "report/tree.h"
#include "report/words.h"

/* Numbers that may be unknown are null then. */
static json_t *number(bool known, long long value)
{
    return known ? json_integer(value) : json_null();
}

static json_t *text_or_null(const char *text)
{
    return ce_json_text(*text ? text : NULL);
}

/* ---------------------------------------------------------------- the tree */

static json_t *item_to_json(const struct ce_tree *item);

static json_t *children_to_json(const struct ce_tree *item)
{
    json_t *children = json_array();
    for (const struct ce_tree *child = item->children; child; child = child->next)
        json_array_append_new(children, item_to_json(child));
    return children;
}

/* A leaf names its device, whose facts stand in the lists. */
static json_t *item_to_json(const struct ce_tree *item)
{
    const char *kind = ce_tree_kind_name(item->kind);
    char name[CE_WORDS];
    switch (item->kind) {
    case CE_TREE_GPU:
        return json_pack("{s:s, s:i}", "kind", kind, "index", (int)item->number);
    case CE_TREE_HCA:
        return json_pack("{s:s, s:o, s:o}", "kind", kind, "name", ce_json_text(item->hca->name),
                         "port", number(item->port, item->port ? item->port->number : 0));
    case CE_TREE_NUMA:
        return json_pack("{s:s, s:i, s:o}", "kind", kind, "index", (int)item->number, "children",
                         children_to_json(item));
    case CE_TREE_HOST_BRIDGE:
    case CE_TREE_SWITCH:
        ce_words_clean(name, item->name, item->length);
        return json_pack("{s:s, s:s, s:o}", "kind", kind, "name", name, "children",
                         children_to_json(item));
    case CE_TREE_MACHINE:
        break;
    }
    return children_to_json(item);
}

/* ---------------------------------------------------------------- devices */

static json_t *gpus_to_json(const struct ce_node *node)
{
    json_t *gpus = json_array();
    for (unsigned i = 0; i < node->gpu_count; i++)
        json_array_append_new(
            gpus, json_pack("{s:i, s:o, s:o}", "index", (int)i, "pci",
                            text_or_null(node->gpus[i].address), "numa",
                            number(node->gpus[i].numa != CE_NUMA_UNKNOWN, node->gpus[i].numa)));
    return gpus;
}

static json_t *netdevs_to_json(const struct ce_hca *hca)
{
    json_t *netdevs = json_array();
    for (size_t i = 0; i < hca->netdev_count; i++)
        json_array_append_new(netdevs, ce_json_text(hca->netdevs[i]));
    return netdevs;
}

static json_t *port_to_json(const struct ce_rail *rail)
{
    const struct ce_hca *hca = rail->hca;
    const struct ce_hca_port *port = rail->port;
    bool active = port->state == CE_PORT_ACTIVE;
    return json_pack("{s:o, s:i, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
                     ce_json_text(hca->name), "port", (int)port->number, "link_layer",
                     ce_link_layer_name(port->link_layer), "state", ce_hca_state_name(port->state),
                     "phys_state", ce_hca_phys_name(port->phys_state), "rate_mbps",
                     number(active && port->rate_mbps, port->rate_mbps), "interfaces",
                     netdevs_to_json(hca), "pci", text_or_null(hca->pci.address), "numa",
                     number(hca->pci.numa != CE_NUMA_UNKNOWN, hca->pci.numa), "rail",
                     number(rail->chosen, rail->index), "reason", text_or_null(rail->reason));
}

static json_t *ports_to_json(const struct ce_rails *rails)
{
    json_t *ports = json_array();
    for (size_t i = 0; i < rails->port_count; i++)
        json_array_append_new(ports, port_to_json(&rails->ports[i]));
    return ports;
}

static json_t *interface_to_json(const struct ce_interface *interface)
{
    const struct ce_netif *netif = interface->netif;
    char address[CE_ADDRESS_TEXT];
    json_t *addresses = json_array();
    for (size_t i = 0; i < netif->address_count; i++)
        json_array_append_new(
            addresses, ce_json_text(ce_address_format(&netif->addresses[i].address, address)));
    return json_pack("{s:o, s:s, s:b, s:o, s:o, s:s, s:s}", "name", ce_json_text(netif->name),
                     "kind", ce_netif_kind_name(netif->kind), "up", (int)netif->up, "speed_mbps",
                     number(netif->speed_mbps, netif->speed_mbps), "addresses", addresses, "role",
                     ce_role_name(interface->role), "reason", interface->reason);
}

static json_t *interfaces_to_json(const struct ce_topology *topology)
{
    json_t *interfaces = json_array();
    for (size_t i = 0; i < topology->node->netif_count; i++)
        json_array_append_new(interfaces, interface_to_json(&topology->interfaces[i]));
    return interfaces;
}

/* ---------------------------------------------------------------- decision and variables */

static json_t *decision_to_json(const struct ce_topology *topology)
{
    const struct ce_rails *rails = topology->rails;
    return json_pack("{s:s, s:s, s:o, s:o, s:i, s:i, s:b, s:s, s:o}", "verdict",
                     ce_rails_verdict_name(rails->verdict), "confidence",
                     ce_confidence_name(rails->confidence), "reason", ce_json_text(rails->reason),
                     "finding", text_or_null(topology->finding), "rails", (int)rails->count,
                     "active", (int)rails->active, "degraded", rails->count > rails->active,
                     "link_layer", ce_link_layer_name(rails->link_layer), "rate_mbps",
                     number(rails->rate_mbps, rails->rate_mbps));
}

static json_t *variables_to_json(const struct ce_topology *topology)
{
    json_t *variables = json_array();
    for (size_t i = 0; i < topology->variable_count; i++)
        json_array_append_new(variables,
                              json_pack("{s:s, s:o, s:o}", "name", topology->variables[i].name,
                                        "value", ce_json_text(topology->variables[i].value),
                                        "reason", ce_json_text(topology->variables[i].reason)));
    return variables;
}

int ce_report_topology_json(const struct ce_topology *topology, struct ce_text *out,
                            struct ce_error *err)
{
    ce_auto(ce_tree_destroy) struct ce_tree *tree = ce_tree_create(topology->node, err);
    if (!tree)
        return -1;
    json_t *root = json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", 1, "node",
                             text_or_null(topology->name), "tree", item_to_json(tree), "gpus",
                             gpus_to_json(topology->node), "hcas", ports_to_json(topology->rails),
                             "interfaces", interfaces_to_json(topology), "decision",
                             decision_to_json(topology), "variables", variables_to_json(topology));
    return ce_json_write(root, out) < 0 || !ce_text_ok(out) ? ce_fail(err, "no memory") : 0;
}

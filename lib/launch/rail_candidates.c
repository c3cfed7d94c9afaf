/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/rail_candidates.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NODE_TYPE_CA = 1 };

struct scene {
    const struct ce_node *node;
    struct ce_rail *ports;
    size_t count;
    bool *in;         /* could be a rail */
    bool *management; /* its card carries the default route or is bonded */
};

__attribute__((format(printf, 2, 3))) static void say(struct ce_rail *rail, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(rail->reason, sizeof rail->reason, format, args);
    va_end(args);
}

/* ---------------------------------------------------------------- what cannot be a rail */

static const char *find_obstacle(const struct ce_rail *rail)
{
    const struct ce_hca *hca = rail->hca;
    if (hca->node_type && hca->node_type != NODE_TYPE_CA)
        return "not a channel adapter";
    if (strstr(hca->role, "SW_MNG"))
        return "manages the NVLink switches";
    if (hca->opens == CE_ANSWER_NO)
        return "cannot be opened";
    if (rail->port->link_layer == CE_LINK_UNKNOWN)
        return "neither InfiniBand nor Ethernet";
    return NULL;
}

static void drop_impossible(struct scene *scene)
{
    for (size_t i = 0; i < scene->count; i++) {
        const char *obstacle = find_obstacle(&scene->ports[i]);
        scene->in[i] = !obstacle;
        if (obstacle)
            say(&scene->ports[i], "%s", obstacle);
    }
}

/* ---------------------------------------------------------------- virtual functions */

/* The card itself, where a virtual function's is on this machine. */
static const struct ce_hca *find_card(const struct scene *scene, const struct ce_rail *rail)
{
    for (size_t i = 0; i < scene->count; i++) {
        const struct ce_rail *other = &scene->ports[i];
        if (scene->in[i] && !other->hca->virtual_function &&
            other->port->link_layer == rail->port->link_layer &&
            ce_pci_same_bridge(&other->hca->pci, &rail->hca->pci))
            return other->hca;
    }
    return NULL;
}

/* Made for virtual machines and containers they are many, and would win by number.  A virtual
 * machine's own have no card there. */
static void drop_virtual_functions(struct scene *scene)
{
    for (size_t i = 0; i < scene->count; i++) {
        struct ce_rail *rail = &scene->ports[i];
        const struct ce_hca *card = NULL;
        if (scene->in[i] && rail->hca->virtual_function)
            card = find_card(scene, rail);
        if (!card)
            continue;
        scene->in[i] = false;
        say(rail, "a virtual function of %s", card->name);
    }
}

/* ---------------------------------------------------------------- management cards */

static bool is_bonded(const struct ce_node *node, const struct ce_netif *netif)
{
    const struct ce_netif *master = ce_node_find_netif(node, netif->master);
    return strstr(netif->name, "bond") || (master && master->kind == CE_NETIF_ETHERNET);
}

/* Does the default route leave through it, or through the bond or bridge it is a member of? */
static bool carries_default_route(const struct ce_node *node, const struct ce_netif *netif)
{
    const struct ce_netif *master = ce_node_find_netif(node, netif->master);
    return netif->default_route || (master && master->default_route);
}

static bool is_management(const struct ce_node *node, struct ce_rail *rail)
{
    if (strstr(rail->hca->name, "bond")) {
        say(rail, "a bond");
        return true;
    }
    for (size_t i = 0; i < rail->hca->netdev_count; i++) {
        const struct ce_netif *netif = ce_node_find_netif(node, rail->hca->netdevs[i]);
        if (netif && carries_default_route(node, netif))
            say(rail, "%s carries the default route", netif->name);
        else if (netif && is_bonded(node, netif))
            say(rail, "%s is bonded", netif->name);
        else
            continue;
        return true;
    }
    return false;
}

/* The other functions of a management card are what it has its second port for. */
static void mark_siblings(struct scene *scene, size_t of)
{
    struct ce_rail *ports = scene->ports;
    for (size_t i = 0; i < scene->count; i++)
        if (scene->in[i] && !scene->management[i] && !ports[i].reason[0] &&
            ports[i].port->link_layer == ports[of].port->link_layer &&
            ce_pci_same_card(&ports[i].hca->pci, &ports[of].hca->pci))
            say(&ports[i], "on one card with %s, where %s", ports[of].hca->name, ports[of].reason);
}

static void mark_management(struct scene *scene)
{
    struct ce_rail *ports = scene->ports;
    for (size_t i = 0; i < scene->count; i++)
        scene->management[i] = scene->in[i] && is_management(scene->node, &ports[i]);
    for (size_t i = 0; i < scene->count; i++)
        if (scene->management[i])
            mark_siblings(scene, i);
    for (size_t i = 0; i < scene->count; i++)
        scene->management[i] |= scene->in[i] && ports[i].reason[0];
}

/* On a cluster of one fabric everything runs over the same cards: then the marks tell nothing. */
static void drop_management(struct scene *scene)
{
    bool other = false;
    mark_management(scene);
    for (size_t i = 0; i < scene->count; i++)
        other |= scene->in[i] && !scene->management[i];
    for (size_t i = 0; i < scene->count; i++) {
        if (!scene->management[i])
            continue;
        if (other)
            scene->in[i] = false;
        else
            scene->ports[i].reason[0] = '\0';
    }
}

void ce_rail_candidates(const struct ce_node *node, struct ce_rail *ports, size_t count, bool *in,
                        bool *management)
{
    struct scene scene = {node, ports, count, in, management};
    drop_impossible(&scene);
    drop_virtual_functions(&scene);
    drop_management(&scene);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/interface.h"

const char *ce_role_name(enum ce_role role)
{
    static const char *const names[] = {
        [CE_ROLE_CLUSTER] = "cluster", [CE_ROLE_SOCKETS] = "sockets",
        [CE_ROLE_RAIL] = "rail",       [CE_ROLE_MANAGEMENT] = "management",
        [CE_ROLE_UNUSED] = "unused",   [CE_ROLE_VIRTUAL] = "virtual",
    };
    return names[role];
}

static bool is_socket(const struct ce_netif *netif, const struct ce_network *network)
{
    for (size_t i = 0; i < network->socket_count; i++)
        if (network->sockets[i] == netif)
            return true;
    return false;
}

static const char *find_obstacle(const struct ce_netif *netif)
{
    bool usable = false;
    for (size_t i = 0; i < netif->address_count; i++)
        usable |= ce_address_is_usable(&netif->addresses[i].address);
    if (netif->master[0])
        return "a member of a bond or bridge";
    if (!netif->up)
        return "down";
    return usable ? NULL : "no address that other nodes could reach";
}

/* The first of these that holds is what a reader wants to know. */
struct ce_interface ce_interface_judge(const struct ce_netif *netif,
                                       const struct ce_network *network,
                                       const struct ce_rails *rails)
{
    const char *obstacle = find_obstacle(netif);
    if (netif == network->interface)
        return (struct ce_interface){netif, CE_ROLE_CLUSTER, network->reason};
    if (is_socket(netif, network))
        return (struct ce_interface){netif, CE_ROLE_SOCKETS, "as fast as the cluster interface"};
    if (ce_network_is_virtual(netif))
        return (struct ce_interface){netif, CE_ROLE_VIRTUAL, "virtual"};
    if (ce_rails_has_netdev(rails, netif->name))
        return (struct ce_interface){netif, CE_ROLE_RAIL, "left to RDMA"};
    if (netif->default_route)
        return (struct ce_interface){netif, CE_ROLE_MANAGEMENT, "carries the default route"};
    if (!obstacle)
        obstacle = rails->verdict == CE_RAILS_PROVIDER ? "left to the provider's plugin"
                                                       : "another was chosen";
    return (struct ce_interface){netif, CE_ROLE_UNUSED, obstacle};
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Which of this node's interfaces is the cluster network, and which address is this node's there?
 * Pure: facts, policy and book in, a choice with its reason out. */
#ifndef CE_LAUNCH_NETWORK_H
#define CE_LAUNCH_NETWORK_H

#include <stdbool.h>
#include <stddef.h>

#include "launch/rails.h"
#include "model/book.h"
#include "model/node.h"
#include "model/policy.h"

/* NCCL reads at most 16 socket interfaces. */
enum { CE_SOCKETS_MAX = 16, CE_NETWORK_PREFIXES_MAX = 64 };

struct ce_network {
    struct ce_address address;        /* of this node; family 0: none found */
    const struct ce_netif *interface; /* that owns it; points into the facts; NULL: none */
    const char *reason;               /* why this one; a constant text */
    bool in_book;                     /* the address is an entry of the book */
    /* The interfaces for NCCL's sockets: this one, or, on nodes without RDMA devices, all of equal
     * speed where every node is expected to have as many (policy->interfaces). */
    const struct ce_netif *sockets[CE_SOCKETS_MAX];
    size_t socket_count;
    /* Addresses outside these are not on the cluster network.  None: all are taken. */
    struct ce_prefix prefixes[CE_NETWORK_PREFIXES_MAX];
    size_t prefix_count;
    int family; /* AF_INET or AF_INET6 of the cluster network; 0: not known */
};

/* The order of preference: the interface the policy names; the one that owns an address of the book
 * inside the cluster's prefixes; the fastest that is up, has an address, is not a rail's and does
 * not carry the default route; the one that does; a rail's.  Where the provider's NCCL plugin
 * decides (rails), the one that carries the default route: the others are the plugin's.  Loopback,
 * link-local addresses, bridges, tunnels, container interfaces and members of a bond are never it.
 * node, book and rails may be NULL (no rails). */
void ce_network_choose(const struct ce_node *node, const struct ce_policy *policy,
                       const struct ce_book *book, const struct ce_rails *rails,
                       struct ce_network *ret);

/* Loopback, a tunnel, a bridge, or what a container engine or virtual machine manager makes: never
 * the cluster network unless the policy names it. */
bool ce_network_is_virtual(const struct ce_netif *netif);

/* Is this address on the cluster network, as far as this node knows? */
bool ce_network_contains(const struct ce_network *network, const struct ce_address *address);

/* The address of a node in the book: its first entry (name + suffix) on the cluster network in the
 * cluster's family.  false: none. */
bool ce_network_lookup(const struct ce_network *network, const struct ce_policy *policy,
                       const struct ce_book *book, const char *node_name, struct ce_address *ret);

#endif

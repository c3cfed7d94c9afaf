/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/network.h"

#include <stdio.h>
#include <string.h>

#include "base/parse.h"

/* Names that container engines, virtual machine managers and VPNs give to what they make. */
static const char *const virtual_names[] = {
    "docker",       "veth", "virbr", "vnet",   "vmnet",   "cni",    "cali",
    "cilium",       "lxc",  "lxd",   "podman", "flannel", "weave",  "kube",
    "tailscale",    "wg",   "zt",    "tun",    "tap",     "br-",    "dummy",
    "nodelocaldns", "ovs",  "incus", "vxlan",  "genev",   "antrea",
};

bool ce_network_is_virtual(const struct ce_netif *netif)
{
    if (netif->kind != CE_NETIF_ETHERNET && netif->kind != CE_NETIF_INFINIBAND)
        return true;
    for (size_t i = 0; i < sizeof virtual_names / sizeof *virtual_names; i++)
        if (strncmp(netif->name, virtual_names[i], strlen(virtual_names[i])) == 0)
            return true;
    return false;
}

static bool family_fits(const struct ce_policy *policy, const struct ce_address *address)
{
    switch (policy->family) {
    case CE_FAMILY_IPV4:
        return address->family == AF_INET;
    case CE_FAMILY_IPV6:
        return address->family == AF_INET6;
    case CE_FAMILY_AUTO:
        break;
    }
    return true;
}

static bool in_prefixes(const struct ce_prefix *prefixes, size_t count,
                        const struct ce_address *address)
{
    for (size_t i = 0; i < count; i++)
        if (ce_prefix_contains(&prefixes[i], address))
            return true;
    return count == 0;
}

/* An interface's first address that other nodes could use; IPv4 first where either would do. */
static const struct ce_address *pick_address(const struct ce_netif *netif,
                                             const struct ce_policy *policy)
{
    const struct ce_address *found = NULL;
    for (size_t i = 0; i < netif->address_count; i++) {
        const struct ce_address *address = &netif->addresses[i].address;
        if (!ce_address_is_usable(address) || !family_fits(policy, address) ||
            !in_prefixes(policy->prefixes, policy->prefix_count, address))
            continue;
        if (!found || (found->family == AF_INET6 && address->family == AF_INET))
            found = address;
    }
    return found;
}

static bool could_be_cluster(const struct ce_netif *netif, const struct ce_policy *policy)
{
    if (policy->interface[0])
        return strcmp(netif->name, policy->interface) == 0 && pick_address(netif, policy);
    return !netif->master[0] && !ce_network_is_virtual(netif) && pick_address(netif, policy);
}

/* The interfaces among which the choice is made.  The management interface is among them only
 * where nothing else is, or where the policy says (by name or prefix) what the cluster network is.
 */
struct candidates {
    const struct ce_node *node;
    const struct ce_policy *policy;
    const struct ce_rails *rails;
    bool management; /* those with the default route count too */
    bool only_management;
    bool no_rails; /* those of the rails do not count */
};

static bool is_candidate(const struct candidates *candidates, const struct ce_netif *netif)
{
    if (netif->default_route ? !candidates->management : candidates->only_management)
        return false;
    if (candidates->no_rails && ce_rails_has_netdev(candidates->rails, netif->name))
        return false;
    return could_be_cluster(netif, candidates->policy);
}

static const struct ce_netif *next_candidate(const struct candidates *candidates,
                                             const struct ce_netif *previous)
{
    const struct ce_node *node = candidates->node;
    for (size_t i = previous ? (size_t)(previous + 1 - node->netifs) : 0; i < node->netif_count; i++)
        if (is_candidate(candidates, &node->netifs[i]))
            return &node->netifs[i];
    return NULL;
}

/* Could be the cluster network by themselves: neither a rail's nor the management interface. */
static bool has_plain_candidate(const struct ce_node *node, const struct ce_policy *policy,
                                const struct ce_rails *rails)
{
    const struct candidates plain = {node, policy, rails, .no_rails = true};
    return next_candidate(&plain, NULL);
}

static struct candidates find_candidates(const struct ce_node *node, const struct ce_policy *policy,
                                         const struct ce_rails *rails)
{
    struct candidates candidates = {node, policy, rails, .management = false};
    bool named = policy->interface[0] || policy->prefix_count > 0;
    candidates.management =
        named || rails->verdict == CE_RAILS_PROVIDER || !has_plain_candidate(node, policy, rails);
    return candidates;
}

static void add_prefix(struct ce_network *network, const struct ce_prefix *prefix)
{
    if (network->prefix_count < CE_NETWORK_PREFIXES_MAX)
        network->prefixes[network->prefix_count++] = *prefix;
}

/* Clouds that route every packet give the machine its address as a network of one: what else is on
 * the network that leads out cannot be told from it. */
static bool tells_nothing(const struct ce_netif *netif, const struct ce_prefix *prefix)
{
    return netif->default_route && prefix->length == (prefix->address.family == AF_INET ? 32 : 128);
}

static void find_prefixes(const struct candidates *candidates, struct ce_network *network)
{
    const struct ce_policy *policy = candidates->policy;
    for (size_t i = 0; i < policy->prefix_count; i++)
        add_prefix(network, &policy->prefixes[i]);
    if (policy->prefix_count > 0)
        return;
    for (const struct ce_netif *n = NULL; (n = next_candidate(candidates, n));)
        for (size_t i = 0; i < n->address_count; i++)
            if (ce_address_is_usable(&n->addresses[i].address) &&
                family_fits(policy, &n->addresses[i].address) &&
                !tells_nothing(n, &n->addresses[i]))
                add_prefix(network, &n->addresses[i]);
}

static bool owns(const struct ce_netif *netif, const struct ce_address *address)
{
    for (size_t i = 0; i < netif->address_count; i++)
        if (ce_address_equal(&netif->addresses[i].address, address))
            return true;
    return false;
}

/* The first entry of the book that a candidate owns.  By address, not by name: it holds wherever
 * this runs, and a name is what the book may have wrong. */
static bool choose_by_book(const struct candidates *candidates, const struct ce_book *book,
                           struct ce_network *network)
{
    size_t count = book ? ce_book_count(book) : 0;
    for (size_t i = 0; i < count; i++) {
        const struct ce_address *address = &ce_book_at(book, i)->address;
        if (!ce_address_is_usable(address) || !family_fits(candidates->policy, address) ||
            !ce_network_contains(network, address))
            continue;
        for (const struct ce_netif *n = NULL; (n = next_candidate(candidates, n));)
            if (owns(n, address)) {
                network->interface = n;
                network->address = *address;
                network->in_book = true;
                return true;
            }
    }
    return false;
}

static bool better(const struct ce_netif *a, const struct ce_netif *b)
{
    if (a->up != b->up)
        return a->up;
    return a->speed_mbps > b->speed_mbps;
}

static const struct ce_netif *find_fastest(const struct candidates *candidates)
{
    const struct ce_netif *best = NULL;
    for (const struct ce_netif *n = NULL; (n = next_candidate(candidates, n));)
        if (!best || better(n, best))
            best = n;
    return best;
}

static struct candidates with_management(const struct candidates *candidates)
{
    struct candidates all = *candidates;
    all.management = true;
    return all;
}

static const struct ce_netif *find_best(const struct candidates *candidates)
{
    struct candidates fit = *candidates;
    const struct ce_netif *best;
    fit.no_rails = true;
    fit.only_management = candidates->rails->verdict == CE_RAILS_PROVIDER;
    best = find_fastest(&fit);
    return best ? best : find_fastest(candidates);
}

/* Where no cluster interface is up, the management interface is what there is. */
static void choose_by_speed(const struct candidates *candidates, struct ce_network *network)
{
    const struct candidates all = with_management(candidates);
    const struct ce_netif *best = find_best(candidates), *any = find_best(&all);
    if (any && !any->up)
        any = find_fastest(&all);
    if (!best)
        return;
    if (!best->up && any->up)
        best = any;
    network->interface = best;
    network->address = *pick_address(best, candidates->policy);
}

static void choose_sockets(const struct candidates *candidates, struct ce_network *network)
{
    const struct candidates all = with_management(candidates);
    const struct ce_netif *own = network->interface;
    size_t count = 0;
    /* A name that is not up is fatal to NCCL and useless to Gloo. */
    if (!own || !own->up)
        return;
    for (const struct ce_netif *n = NULL; (n = next_candidate(&all, n));)
        if (n->up && n->kind == own->kind && n->speed_mbps == own->speed_mbps &&
            n->default_route == own->default_route) {
            if (count < CE_SOCKETS_MAX)
                network->sockets[count] = n;
            count++;
        }
    network->socket_count = count;
    if (count != candidates->policy->interfaces || count > CE_SOCKETS_MAX ||
        candidates->rails->verdict != CE_RAILS_NONE) {
        network->sockets[0] = own;
        network->socket_count = 1;
    }
}

static const char *explain(const struct candidates *candidates, const struct ce_network *network)
{
    if (!network->interface)
        return "no interface of this node could be the cluster network";
    if (candidates->policy->interface[0])
        return "named in the configuration";
    if (network->in_book)
        return "owns an address of the address book";
    const struct ce_rails *rails = candidates->rails;
    if (ce_rails_has_netdev(rails, network->interface->name))
        return "the interface of a rail; no other one is fit";
    if (!network->interface->default_route)
        return "the fastest interface that does not carry the default route";
    if (rails->verdict == CE_RAILS_PROVIDER)
        return "carries the default route; the others are the provider's plugin's";
    return rails->count ? "carries the default route; no other one but those of the rails is fit"
                        : "the only interface that is up and fit; it carries the default route";
}

void ce_network_choose(const struct ce_node *node, const struct ce_policy *policy,
                       const struct ce_book *book, const struct ce_rails *rails,
                       struct ce_network *ret)
{
    const struct ce_rails none = {.verdict = CE_RAILS_NONE};
    *ret = (struct ce_network){.reason = "no facts of this node"};
    if (!node)
        return;
    struct candidates candidates = find_candidates(node, policy, rails ? rails : &none);
    find_prefixes(&candidates, ret);
    if (!choose_by_book(&candidates, book, ret))
        choose_by_speed(&candidates, ret);
    choose_sockets(&candidates, ret);
    ret->family = ret->address.family;
    ret->reason = explain(&candidates, ret);
}

bool ce_network_contains(const struct ce_network *network, const struct ce_address *address)
{
    return in_prefixes(network->prefixes, network->prefix_count, address);
}

bool ce_network_lookup(const struct ce_network *network, const struct ce_policy *policy,
                       const struct ce_book *book, const char *node_name, struct ce_address *ret)
{
    char joined[CE_POLICY_SUFFIX_MAX + 256];
    const char *name = node_name;
    if (!book)
        return false;
    if (policy->suffix[0]) {
        if (!ce_fits(snprintf(joined, sizeof joined, "%s%s", node_name, policy->suffix),
                     sizeof joined))
            return false;
        name = joined;
    }
    const struct ce_book_entry *entry = NULL;
    while ((entry = ce_book_next(book, name, entry)) != NULL) {
        const struct ce_address *address = &entry->address;
        if (ce_address_is_usable(address) && ce_network_contains(network, address) &&
            (!network->family || address->family == network->family)) {
            *ret = *address;
            return true;
        }
    }
    return false;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "survey/own.h"

#include <stdio.h>

#include "base/parse.h"
#include "launch/network.h"

static bool has(const struct ce_node *node, const struct ce_address *address)
{
    for (size_t i = 0; i < node->netif_count; i++)
        for (size_t j = 0; j < node->netifs[i].address_count; j++)
            if (ce_address_equal(&node->netifs[i].addresses[j].address, address))
                return true;
    return false;
}

static bool tells_addresses(const struct ce_node *node)
{
    for (size_t i = 0; i < node->netif_count; i++)
        if (node->netifs[i].address_count > 0)
            return true;
    return false;
}

/* The first usable entry of that name, where none of them is this node's; else NULL. */
static const struct ce_book_entry *stale_entry(const struct ce_node *node,
                                               const struct ce_book *book, const char *name)
{
    const struct ce_book_entry *first = NULL;
    for (const struct ce_book_entry *e = NULL; (e = ce_book_next(book, name, e)) != NULL;) {
        if (!ce_address_is_usable(&e->address))
            continue;
        if (has(node, &e->address))
            return NULL;
        if (!first)
            first = e;
    }
    return first;
}

void ce_own_network(const struct ce_node *node, const struct ce_policy *policy,
                    struct ce_network *ret)
{
    struct ce_rails rails;
    bool known = ce_rails_choose(node, &rails, NULL) == 0;
    ce_network_choose(node, policy, NULL, known ? &rails : NULL, ret);
    ce_rails_free(&rails);
}

bool ce_own_entry_is_stale(const struct ce_node *node, const struct ce_policy *policy,
                           const struct ce_book *book, const char *name, struct ce_error *why)
{
    char full[CE_POLICY_SUFFIX_MAX + 256], given[CE_ADDRESS_TEXT], own[CE_ADDRESS_TEXT];
    struct ce_network network;
    if (!tells_addresses(node) ||
        !ce_fits(snprintf(full, sizeof full, "%s%s", name, policy->suffix), sizeof full))
        return false;
    const struct ce_book_entry *entry = stale_entry(node, book, full);
    if (!entry)
        return false;
    ce_own_network(node, policy, &network);
    ce_address_format(&entry->address, given);
    if (network.interface)
        ce_fail(why, "it gives %s for %s, but no interface of this node has it (%s has %s)", given,
                full, network.interface->name, ce_address_format(&network.address, own));
    else
        ce_fail(why, "it gives %s for %s, but no interface of this node has it (%s)", given, full,
                network.reason);
    return true;
}

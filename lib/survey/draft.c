/* SPDX-License-Identifier: Apache-2.0 */
#include "survey/draft.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "survey/own.h"

int ce_draft_init(struct ce_draft *draft, size_t count, struct ce_error *err)
{
    *draft = (struct ce_draft){calloc(count + 1, sizeof *draft->nodes), count};
    if (!draft->nodes)
        return ce_fail(err, "no memory");
    for (size_t i = 0; i < count; i++)
        ce_draft_miss(&draft->nodes[i], "not asked");
    return 0;
}

void ce_draft_free(struct ce_draft *draft)
{
    free(draft->nodes);
    *draft = (struct ce_draft){NULL, 0};
}

const char *ce_draft_book_name(const struct ce_draft_node *node, char name[CE_DRAFT_NAME])
{
    snprintf(name, CE_DRAFT_NAME, "%s%s", node->name, node->policy.suffix); /* both are bounded */
    return name;
}

void ce_draft_miss(struct ce_draft_node *node, const char *format, ...)
{
    struct ce_error text;
    char why[CE_DRAFT_WHY];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    ce_fail(&text, "%s", why); /* nothing in it can draw on a terminal or end a line of the book */
    snprintf(node->why, sizeof node->why, "%.*s", CE_DRAFT_WHY - 1, text.text);
    node->address.family = 0;
}

static void found(struct ce_draft_node *node, const struct ce_address *address)
{
    node->address = *address;
    node->why[0] = '\0';
}

static bool in_prefixes(const struct ce_policy *policy, const struct ce_address *address)
{
    for (size_t i = 0; i < policy->prefix_count; i++)
        if (ce_prefix_contains(&policy->prefixes[i], address))
            return true;
    return policy->prefix_count == 0;
}

const char *ce_draft_objection(const struct ce_policy *policy, const struct ce_address *address)
{
    if (ce_address_is_loopback(address))
        return "is a loopback address";
    if (ce_address_is_link_local(address))
        return "is a link-local address";
    if (!ce_address_is_usable(address))
        return "is no node's address";
    if (policy->family == CE_FAMILY_IPV4 && address->family != AF_INET)
        return "is not IPv4, as network.family says";
    if (policy->family == CE_FAMILY_IPV6 && address->family != AF_INET6)
        return "is not IPv6, as network.family says";
    return in_prefixes(policy, address) ? NULL : "is outside network.prefixes";
}

void ce_draft_offer(struct ce_draft_node *node, const struct ce_address *addresses, size_t count)
{
    const struct ce_address *best = NULL;
    char text[CE_ADDRESS_TEXT];
    for (size_t i = 0; i < count; i++) {
        if (ce_draft_objection(&node->policy, &addresses[i]))
            continue;
        if (!best || (best->family == AF_INET6 && addresses[i].family == AF_INET))
            best = &addresses[i];
    }
    if (best)
        found(node, best);
    else if (count == 0)
        ce_draft_miss(node, "no address");
    else
        ce_draft_miss(node, "%s %s", ce_address_format(&addresses[0], text),
                      ce_draft_objection(&node->policy, &addresses[0]));
}

void ce_draft_facts(struct ce_draft_node *node, const struct ce_node *facts)
{
    struct ce_network network;
    ce_own_network(facts, &node->policy, &network);
    if (!network.interface) {
        ce_draft_miss(node, "%s", network.reason);
        return;
    }
    found(node, &network.address);
    ce_copy(node->interface, sizeof node->interface, network.interface->name);
    for (size_t i = 0; i < network.interface->address_count; i++)
        if (ce_address_equal(&network.interface->addresses[i].address, &network.address))
            node->network = network.interface->addresses[i];
}

const struct ce_book_entry *ce_draft_old_entry(const struct ce_draft_node *node,
                                               const struct ce_book *old,
                                               const struct ce_book_entry *previous)
{
    char name[CE_DRAFT_NAME];
    const struct ce_book_entry *entry = previous;
    do
        entry = ce_book_next(old, ce_draft_book_name(node, name), entry);
    while (entry && ce_draft_objection(&node->policy, &entry->address));
    return entry;
}

size_t ce_draft_found(const struct ce_draft *draft)
{
    size_t count = 0;
    for (size_t i = 0; i < draft->count; i++)
        count += draft->nodes[i].why[0] == '\0';
    return count;
}

size_t ce_draft_kept(const struct ce_draft *draft)
{
    size_t count = 0;
    for (size_t i = 0; i < draft->count; i++)
        count += draft->nodes[i].kept;
    return count;
}

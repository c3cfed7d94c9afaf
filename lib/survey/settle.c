/* SPDX-License-Identifier: Apache-2.0 */
#include "survey/settle.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* ---------------------------------------------------------------- duplicates */

/* The nodes for which `wanted` holds, sorted; the caller frees.  NULL: no memory. */
static struct ce_draft_node **sort_nodes(const struct ce_draft *draft, size_t *count,
                                         bool (*wanted)(const struct ce_draft_node *node),
                                         int (*order)(const void *a, const void *b))
{
    struct ce_draft_node **sorted = calloc(draft->count + 1, sizeof *sorted);
    *count = 0;
    for (size_t i = 0; sorted && i < draft->count; i++)
        if (wanted(&draft->nodes[i]))
            sorted[(*count)++] = &draft->nodes[i];
    if (sorted)
        qsort(sorted, *count, sizeof *sorted, order);
    return sorted;
}

static const struct ce_draft_node *at(const void *place)
{
    return *(struct ce_draft_node *const *)place;
}

/* Equal ones in the cluster's order: the nodes are one array. */
static int by_place(const void *a, const void *b)
{
    return at(a) < at(b) ? -1 : at(a) > at(b);
}

static int by_address(const void *a, const void *b)
{
    const struct ce_address *x = &at(a)->address, *y = &at(b)->address;
    int order = x->family - y->family;
    if (!order)
        order = memcmp(x->bytes, y->bytes, sizeof x->bytes);
    return order ? order : by_place(a, b);
}

static bool has_address(const struct ce_draft_node *node)
{
    return node->address.family != 0;
}

static void add_names(struct ce_text *out, struct ce_draft_node *const *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ce_text_add(out, i ? "," : "");
        ce_text_add(out, nodes[i]->name);
    }
}

/* One address, several nodes: of two answers neither can be believed; of an answer and old entries
 * the answer is. */
static void drop_shared(struct ce_draft_node *const *nodes, size_t count, struct ce_text *lines)
{
    char text[CE_ADDRESS_TEXT];
    size_t fresh = 0;
    ce_address_format(&nodes[0]->address, text);
    for (size_t i = 0; i < count; i++)
        fresh += !nodes[i]->kept;
    ce_text_addf(lines, "%s is the address of %zu nodes: ", text, count);
    add_names(lines, nodes, count);
    ce_text_add(lines, fresh == 1 ? "; the old book's entries with it are dropped\n"
                                  : "; none of these entries is written\n");
    for (size_t i = 0; i < count; i++) {
        if (fresh == 1 && !nodes[i]->kept)
            continue;
        if (!nodes[i]->kept)
            ce_draft_miss(nodes[i], "it has the same address as %s", nodes[i == 0]->name);
        nodes[i]->address.family = 0;
        nodes[i]->kept = false;
    }
}

static int drop_duplicates(struct ce_draft *draft, struct ce_text *lines)
{
    size_t count, next;
    ce_autofree struct ce_draft_node **sorted = sort_nodes(draft, &count, has_address, by_address);
    if (!sorted)
        return -1;
    for (size_t i = 0; i < count; i = next) {
        for (next = i + 1; next < count; next++)
            if (!ce_address_equal(&sorted[i]->address, &sorted[next]->address))
                break;
        if (next - i > 1)
            drop_shared(sorted + i, next - i, lines);
    }
    return 0;
}

/* ---------------------------------------------------------------- the old book */

static void say_not_kept(const struct ce_draft_node *node, const struct ce_book *old,
                         struct ce_text *lines)
{
    char name[CE_DRAFT_NAME], text[CE_ADDRESS_TEXT];
    const struct ce_book_entry *entry = ce_book_next(old, ce_draft_book_name(node, name), NULL);
    if (entry)
        ce_text_addf(lines, "the old entry of %s is not kept: %s %s\n", entry->name,
                     ce_address_format(&entry->address, text),
                     ce_draft_objection(&node->policy, &entry->address));
}

static void keep_old(struct ce_draft *draft, const struct ce_book *old, struct ce_text *lines)
{
    for (size_t i = 0; i < draft->count; i++) {
        struct ce_draft_node *node = &draft->nodes[i];
        if (has_address(node))
            continue;
        const struct ce_book_entry *entry = ce_draft_old_entry(node, old, NULL);
        if (!entry)
            say_not_kept(node, old, lines);
        else {
            node->address = entry->address;
            node->kept = true;
        }
    }
}

/* ---------------------------------------------------------------- what is missing */

static bool is_missing(const struct ce_draft_node *node)
{
    return node->why[0] != '\0';
}

static int by_reason(const void *a, const void *b)
{
    int order = at(a)->kept - at(b)->kept;
    if (!order)
        order = strcmp(at(a)->why, at(b)->why);
    return order ? order : by_place(a, b);
}

static bool same_reason(const struct ce_draft_node *a, const struct ce_draft_node *b)
{
    return a->kept == b->kept && strcmp(a->why, b->why) == 0;
}

/* `first` and those behind it that miss for the same reason. */
static void say_group(struct ce_draft_node *const *first, struct ce_draft_node *const *end,
                      struct ce_text *lines)
{
    size_t count = 1;
    while (first + count < end && same_reason(*first, first[count]))
        count++;
    ce_text_add(lines, (*first)->kept ? "missing, old entry kept: " : "missing: ");
    add_names(lines, first, count);
    ce_text_addf(lines, ": %s\n", (*first)->why);
}

/* In the cluster's order of each group's first node. */
static int say_missing(const struct ce_draft *draft, struct ce_text *lines)
{
    size_t count;
    ce_autofree struct ce_draft_node **sorted = sort_nodes(draft, &count, is_missing, by_reason);
    if (!sorted)
        return -1;
    for (size_t i = 0; i < draft->count; i++) {
        const struct ce_draft_node *node = &draft->nodes[i];
        struct ce_draft_node **found = bsearch(&node, sorted, count, sizeof *sorted, by_reason);
        if (is_missing(node) && (found == sorted || !same_reason(found[-1], node)))
            say_group(found, sorted + count, lines);
    }
    return 0;
}

/* ---------------------------------------------------------------- nodes unlike the others */

static bool counts_for_network(const struct ce_draft_node *node)
{
    return has_address(node) && node->network.address.family && node->policy.prefix_count == 0;
}

/* A network that more than half of the nodes are in, if there is one (majority vote). */
static const struct ce_prefix *common_network(const struct ce_draft *draft)
{
    const struct ce_prefix *common = NULL;
    size_t votes = 0, inside = 0, all = 0;
    for (size_t i = 0; i < draft->count; i++) {
        const struct ce_draft_node *node = &draft->nodes[i];
        if (!counts_for_network(node))
            continue;
        if (votes == 0)
            common = &node->network;
        votes += ce_prefix_contains(common, &node->address) ? 1 : (size_t)-1;
    }
    for (size_t i = 0; common && i < draft->count; i++)
        if (counts_for_network(&draft->nodes[i])) {
            all++;
            inside += ce_prefix_contains(common, &draft->nodes[i].address);
        }
    return inside * 2 > all ? common : NULL;
}

static void format_network(const struct ce_prefix *prefix, char text[CE_ADDRESS_TEXT])
{
    struct ce_address network = prefix->address;
    for (unsigned bit = prefix->length; bit < 128; bit++)
        network.bytes[bit / 8] &= (unsigned char)~(0x80u >> bit % 8);
    ce_address_format(&network, text);
}

/* The others would pass over such an entry; usually its cluster interface is down. */
static void say_elsewhere(const struct ce_draft *draft, struct ce_text *lines)
{
    const struct ce_prefix *common = common_network(draft);
    char network[CE_ADDRESS_TEXT], address[CE_ADDRESS_TEXT];
    if (!common)
        return;
    format_network(common, network);
    for (size_t i = 0; i < draft->count; i++) {
        const struct ce_draft_node *node = &draft->nodes[i];
        if (counts_for_network(node) && !ce_prefix_contains(common, &node->address))
            ce_text_addf(
                lines,
                "%s has %s on %s, outside %s/%u where most nodes are: they will pass over "
                "it; is its cluster interface down, or should network.prefixes name both?\n",
                node->name, ce_address_format(&node->address, address), node->interface, network,
                common->length);
    }
}

static void say_families(const struct ce_draft *draft, struct ce_text *lines)
{
    const char *first[2] = {NULL, NULL};
    for (size_t i = 0; i < draft->count; i++) {
        const char **name = &first[draft->nodes[i].address.family == AF_INET6];
        if (has_address(&draft->nodes[i]) && !*name)
            *name = draft->nodes[i].name;
    }
    if (first[0] && first[1])
        ce_text_addf(lines,
                     "%s has an IPv4 address and %s an IPv6 one: nodes of one family pass "
                     "over the other's; set network.family\n",
                     first[0], first[1]);
}

int ce_draft_settle(struct ce_draft *draft, const struct ce_book *old, struct ce_text *lines,
                    struct ce_error *err)
{
    if (drop_duplicates(draft, lines) < 0)
        return ce_fail(err, "no memory");
    if (old)
        keep_old(draft, old, lines);
    if (drop_duplicates(draft, lines) < 0 || say_missing(draft, lines) < 0)
        return ce_fail(err, "no memory");
    say_elsewhere(draft, lines);
    say_families(draft, lines);
    return 0;
}

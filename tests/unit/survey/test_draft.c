/* SPDX-License-Identifier: Apache-2.0 */
/* From answers about nodes to the lines and the book: survey/draft.h, settle.h and book_text.h. */
#include "../unit.h"
#include "base/cleanup.h"
#include "survey/book_text.h"
#include "survey/settle.h"

enum { NODES_MAX = 8 };
#define HEADER                                                                                     \
    "# The address book of srun --cluster-env: each node's address on the cluster network.\n"      \
    "# how\n"

/* What is known of a cluster, in words: an empty address is none. */
struct node {
    const char *name, *answers, *why; /* answers: addresses with a space between them */
};

struct scene {
    const char *name;
    const char *prefix, *suffix;
    enum ce_family family;
    struct node nodes[NODES_MAX];
    const char *old;          /* the old book; NULL: none */
    const char *lines, *book; /* book: behind the header's two lines */
};

static const struct scene scenes[] = {
    {.name = "a_complete_book_in_the_clusters_order",
     .nodes = {{"zeta", "10.1.0.1", NULL}, {"n10", "10.1.0.3", NULL}, {"n9", "10.1.0.2", NULL}},
     .lines = "",
     .book = "# 3 nodes: 3 found out, 0 kept from the old book, 0 missing\n"
             "10.1.0.1 zeta\n10.1.0.3 n10\n10.1.0.2 n9\n"},
    {.name = "missing_nodes_are_named_those_with_the_same_reason_on_one_line",
     .nodes =
         {{"a", "", "drained"}, {"b", "10.1.0.2", NULL}, {"c", "", "down"}, {"d", "", "drained"}},
     .lines = "missing: a,d: drained\nmissing: c: down\n",
     .book = "# 4 nodes: 1 found out, 0 kept from the old book, 3 missing\n"
             "# missing: a: drained\n10.1.0.2 b\n# missing: c: down\n# missing: d: drained\n"},
    {.name = "old_entries_of_missing_nodes_are_kept_of_others_not",
     .nodes = {{"a", "", "drained"}, {"b", "10.1.0.2", NULL}},
     .old = "10.1.0.1 a\n10.1.0.99 b\n",
     .lines = "missing, old entry kept: a: drained\n",
     .book = "# 2 nodes: 1 found out, 1 kept from the old book, 0 missing\n"
             "10.1.0.1 a # kept: drained\n10.1.0.2 b\n"},
    {.name = "all_old_entries_of_a_missing_node_are_kept_of_both_families",
     .nodes = {{"a", "", "drained"}, {"b", "10.1.0.2", NULL}},
     .old = "10.1.0.1 a\nfd00::1 a\n",
     .lines = "missing, old entry kept: a: drained\n",
     .book = "# 2 nodes: 1 found out, 1 kept from the old book, 0 missing\n"
             "10.1.0.1 a # kept: drained\nfd00::1 a # kept: drained\n10.1.0.2 b\n"},
    {.name = "an_old_entry_that_may_not_be_written_is_not_kept_and_named",
     .prefix = "10.1.0.0/16",
     .nodes = {{"a", "", "drained"}, {"b", "10.1.0.2", NULL}, {"c", "", "down"}},
     .old = "127.0.1.1 a\n10.2.0.3 c\n",
     .lines = "the old entry of a is not kept: 127.0.1.1 is a loopback address\n"
              "the old entry of c is not kept: 10.2.0.3 is outside network.prefixes\n"
              "missing: a: drained\nmissing: c: down\n",
     .book = "# 3 nodes: 1 found out, 0 kept from the old book, 2 missing\n"
             "# missing: a: drained\n10.1.0.2 b\n# missing: c: down\n"},
    {.name = "two_nodes_with_one_address_neither_is_written_both_are_named",
     .nodes = {{"a", "10.1.0.1", NULL}, {"b", "10.1.0.1", NULL}, {"c", "10.1.0.3", NULL}},
     .lines =
         "10.1.0.1 is the address of 2 nodes: a,b; none of these entries is written\n"
         "missing: a: it has the same address as b\nmissing: b: it has the same address as a\n",
     .book = "# 3 nodes: 1 found out, 0 kept from the old book, 2 missing\n"
             "# missing: a: it has the same address as b\n"
             "# missing: b: it has the same address as a\n10.1.0.3 c\n"},
    {.name = "two_nodes_with_one_address_keep_what_the_old_book_knew_of_them",
     .nodes = {{"a", "10.1.0.9", NULL}, {"b", "10.1.0.9", NULL}, {"c", "10.1.0.3", NULL}},
     .old = "10.1.0.1 a\n10.1.0.2 b\n",
     .lines = "10.1.0.9 is the address of 2 nodes: a,b; none of these entries is written\n"
              "missing, old entry kept: a: it has the same address as b\n"
              "missing, old entry kept: b: it has the same address as a\n",
     .book = "# 3 nodes: 1 found out, 2 kept from the old book, 0 missing\n"
             "10.1.0.1 a # kept: it has the same address as b\n"
             "10.1.0.2 b # kept: it has the same address as a\n10.1.0.3 c\n"},
    {.name = "an_answer_wins_over_an_old_entry_with_the_same_address",
     .nodes = {{"a", "", "drained"}, {"b", "10.1.0.1", NULL}},
     .old = "10.1.0.1 a\n",
     .lines =
         "10.1.0.1 is the address of 2 nodes: a,b; the old book's entries with it are dropped\n"
         "missing: a: drained\n",
     .book = "# 2 nodes: 1 found out, 0 kept from the old book, 1 missing\n"
             "# missing: a: drained\n10.1.0.1 b\n"},
    {.name = "old_entries_with_one_address_none_is_kept",
     .nodes = {{"a", "", "drained"}, {"b", "", "drained"}, {"c", "10.1.0.3", NULL}},
     .old = "10.1.0.1 a b\n",
     .lines = "10.1.0.1 is the address of 2 nodes: a,b; none of these entries is written\n"
              "missing: a,b: drained\n",
     .book = "# 3 nodes: 1 found out, 0 kept from the old book, 2 missing\n"
             "# missing: a: drained\n# missing: b: drained\n10.1.0.3 c\n"},
    {.name = "names_that_are_no_nodes_are_kept_but_not_their_loopback_addresses",
     .nodes = {{"a", "10.1.0.1", NULL}},
     .old = "127.0.0.1 localhost\n10.1.0.250 login login.site\n10.1.0.7 A\n",
     .lines = "",
     .book = "# 1 nodes: 1 found out, 0 kept from the old book, 0 missing\n10.1.0.1 a\n"
             "# no nodes of this cluster in Slurm; kept from the old book:\n"
             "10.1.0.250 login\n10.1.0.250 login.site\n"},
    {.name = "with_a_suffix_the_name_in_the_book_is_name_suffix",
     .suffix = "-hsn",
     .nodes = {{"a", "10.1.0.1", NULL}, {"b", "", "down"}, {"c", "", "down"}},
     .old = "10.1.0.2 b-hsn\n10.9.0.3 c\n",
     .lines = "missing, old entry kept: b: down\nmissing: c: down\n",
     .book = "# 3 nodes: 1 found out, 1 kept from the old book, 1 missing\n"
             "10.1.0.1 a-hsn\n10.1.0.2 b-hsn # kept: down\n# missing: c-hsn: down\n"
             "# no nodes of this cluster in Slurm; kept from the old book:\n10.9.0.3 c\n"},
    {.name = "of_several_addresses_the_first_that_may_be_written_counts_ipv4_before_ipv6",
     .prefix = "",
     .nodes = {{"a", "127.0.1.1 fe80::1 fd00::1 10.1.0.1 10.1.0.2", NULL}},
     .lines = "",
     .book = "# 1 nodes: 1 found out, 0 kept from the old book, 0 missing\n10.1.0.1 a\n"},
    {.name = "with_prefixes_the_first_inside",
     .prefix = "10.2.0.0/16",
     .nodes = {{"a", "10.1.0.1 10.2.0.1", NULL}},
     .lines = "",
     .book = "# 1 nodes: 1 found out, 0 kept from the old book, 0 missing\n10.2.0.1 a\n"},
    {.name = "where_ipv6_is_asked_for_ipv4_is_not_written",
     .family = CE_FAMILY_IPV6,
     .nodes = {{"a", "10.1.0.1 fd00::1", NULL}, {"b", "10.1.0.2", NULL}},
     .lines = "missing: b: 10.1.0.2 is not IPv6, as network.family says\n",
     .book = "# 2 nodes: 1 found out, 0 kept from the old book, 1 missing\nfd00::1 a\n"
             "# missing: b: 10.1.0.2 is not IPv6, as network.family says\n"},
    {.name = "loopback_link_local_unspecified_and_foreign_addresses_are_never_written",
     .prefix = "10.1.0.0/16",
     .nodes = {{"a", "127.0.1.1", NULL},
               {"b", "169.254.0.1", NULL},
               {"c", "0.0.0.0", NULL},
               {"d", "10.2.0.4", NULL},
               {"e", "10.1.0.5", NULL}},
     .lines = "missing: a: 127.0.1.1 is a loopback address\n"
              "missing: b: 169.254.0.1 is a link-local address\n"
              "missing: c: 0.0.0.0 is no node's address\n"
              "missing: d: 10.2.0.4 is outside network.prefixes\n",
     .book = "# 5 nodes: 1 found out, 0 kept from the old book, 4 missing\n"
             "# missing: a: 127.0.1.1 is a loopback address\n"
             "# missing: b: 169.254.0.1 is a link-local address\n"
             "# missing: c: 0.0.0.0 is no node's address\n"
             "# missing: d: 10.2.0.4 is outside network.prefixes\n10.1.0.5 e\n"},
    {.name = "nodes_of_different_families_are_named",
     .nodes = {{"a", "10.1.0.1", NULL}, {"b", "fd00::2", NULL}},
     .lines = "a has an IPv4 address and b an IPv6 one: nodes of one family pass over the other's; "
              "set network.family\n",
     .book = "# 2 nodes: 2 found out, 0 kept from the old book, 0 missing\n"
             "10.1.0.1 a\nfd00::2 b\n"},
    {.name = "a_reason_cannot_end_its_line_in_the_book_or_draw_on_a_terminal",
     .nodes = {{"a", "", "x\n10.1.0.9 a\033[31m"}, {"b", "10.1.0.2", NULL}},
     .lines = "missing: a: x?10.1.0.9 a?[31m\n",
     .book = "# 2 nodes: 1 found out, 0 kept from the old book, 1 missing\n"
             "# missing: a: x?10.1.0.9 a?[31m\n10.1.0.2 b\n"},
};

static size_t parse_all(const char *words, struct ce_address *ret)
{
    char word[64];
    size_t count = 0;
    int used;
    for (; sscanf(words, "%63s%n", word, &used) == 1; words += used)
        assert_int_equal(ce_address_parse(word, &ret[count++]), 0);
    return count;
}

static void set_policy(const struct scene *scene, struct ce_policy *policy)
{
    ce_policy_default(policy);
    policy->family = scene->family;
    if (scene->suffix)
        assert_int_equal(ce_suffix_parse(scene->suffix, policy->suffix), 0);
    if (scene->prefix && *scene->prefix)
        assert_int_equal(ce_prefix_parse(scene->prefix, &policy->prefixes[policy->prefix_count++]),
                         0);
}

static void answer(const struct scene *scene, struct ce_draft *draft)
{
    struct ce_address addresses[16];
    for (size_t i = 0; i < draft->count; i++) {
        const struct node *node = &scene->nodes[i];
        draft->nodes[i].name = node->name;
        set_policy(scene, &draft->nodes[i].policy);
        if (node->why)
            ce_draft_miss(&draft->nodes[i], "%s", node->why);
        else
            ce_draft_offer(&draft->nodes[i], addresses, parse_all(node->answers, addresses));
    }
}

static size_t count_nodes(const struct scene *scene)
{
    size_t count = 0;
    while (count < NODES_MAX && scene->nodes[count].name)
        count++;
    return count;
}

static void plays(void **state)
{
    const struct scene *scene = *state;
    ce_autotext struct ce_text lines = CE_TEXT(1 << 16), book = CE_TEXT(1 << 16);
    ce_autodraft struct ce_draft draft;
    struct ce_error err;
    ce_auto(ce_book_destroy) struct ce_book *old =
        scene->old ? ce_book_parse(scene->old, &err) : NULL;
    assert_int_equal(ce_draft_init(&draft, count_nodes(scene), &err), 0);
    answer(scene, &draft);
    assert_int_equal(ce_draft_settle(&draft, old, &lines, &err), 0);
    assert_string_equal(ce_text_string(&lines), scene->lines);
    ce_draft_write(&draft, old, "how", &book);
    ce_autotext struct ce_text expected = CE_TEXT(1 << 16);
    ce_text_addf(&expected, HEADER "%s", scene->book);
    assert_string_equal(ce_text_string(&book), ce_text_string(&expected));
    /* what is written can be read again */
    ce_auto(ce_book_destroy) struct ce_book *again = ce_book_parse(ce_text_string(&book), &err);
    assert_non_null(again);
}

/* ---------------------------------------------------------------- facts */

static struct ce_node *facts_with(const char *const *interfaces)
{
    struct ce_node *node = ce_node_create();
    struct ce_prefix prefix;
    for (; *interfaces; interfaces += 2) {
        struct ce_netif *netif = ce_node_add_netif(node, interfaces[0]);
        netif->kind = CE_NETIF_ETHERNET;
        netif->up = true;
        netif->speed_mbps = 10000;
        netif->default_route = strcmp(interfaces[0], "eth0") == 0;
        assert_int_equal(ce_prefix_parse(interfaces[1], &prefix), 0);
        assert_int_equal(ce_netif_add_address(netif, &prefix), 0);
    }
    return node;
}

static void tell(struct ce_draft_node *node, const char *name, const char *const *interfaces)
{
    node->name = name;
    ce_policy_default(&node->policy);
    ce_auto(ce_node_destroy) struct ce_node *facts = facts_with(interfaces);
    ce_draft_facts(node, facts);
}

static const char *address_of(const struct ce_draft_node *node)
{
    static char text[CE_ADDRESS_TEXT];
    return ce_address_format(&node->address, text);
}

#define INTERFACES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void a_nodes_facts_give_its_cluster_address(void **state)
{
    struct ce_draft_node node = {.name = NULL};
    (void)state;
    tell(&node, "a", INTERFACES("eth0", "10.10.0.1/16", "eth1", "10.20.0.1/16"));
    assert_string_equal(address_of(&node), "10.20.0.1");
    assert_string_equal(node.interface, "eth1");
    assert_string_equal(node.why, "");
}

static void the_configured_prefix_chooses_the_interface(void **state)
{
    struct ce_draft_node node = {.name = "a"};
    (void)state;
    ce_policy_default(&node.policy);
    assert_int_equal(ce_prefix_parse("10.30.0.0/16", &node.policy.prefixes[0]), 0);
    node.policy.prefix_count = 1;
    ce_auto(ce_node_destroy) struct ce_node *facts =
        facts_with(INTERFACES("eth1", "10.20.0.1/16", "eth2", "10.30.0.1/16"));
    ce_draft_facts(&node, facts);
    assert_string_equal(address_of(&node), "10.30.0.1");
}

static void a_node_without_a_cluster_interface_is_missing(void **state)
{
    struct ce_draft_node node = {.name = NULL};
    (void)state;
    tell(&node, "a", INTERFACES("docker0", "172.17.0.1/16"));
    assert_int_equal(node.address.family, 0);
    assert_string_equal(node.why, "no interface of this node could be the cluster network");
}

static void a_node_on_another_network_than_most_is_named(void **state)
{
    ce_autotext struct ce_text lines = CE_TEXT(1 << 16);
    ce_autodraft struct ce_draft draft;
    struct ce_error err;
    (void)state;
    assert_int_equal(ce_draft_init(&draft, 3, &err), 0);
    tell(&draft.nodes[0], "a", INTERFACES("eth0", "10.10.0.1/16"));
    tell(&draft.nodes[1], "b", INTERFACES("eth0", "10.10.0.2/16", "eth1", "10.20.0.2/16"));
    tell(&draft.nodes[2], "c", INTERFACES("eth0", "10.10.0.3/16", "eth1", "10.20.0.3/16"));
    assert_int_equal(ce_draft_settle(&draft, NULL, &lines, &err), 0);
    assert_string_equal(ce_text_string(&lines),
                        "a has 10.10.0.1 on eth0, outside 10.20.0.0/16 where most nodes are: they "
                        "will pass over it; is its cluster interface down, or should "
                        "network.prefixes name both?\n");
}

/* Rail-optimised fabrics give each node a network of its own. */
static void where_most_nodes_share_no_network_none_is_named(void **state)
{
    ce_autotext struct ce_text lines = CE_TEXT(1 << 16);
    ce_autodraft struct ce_draft draft;
    struct ce_error err;
    (void)state;
    assert_int_equal(ce_draft_init(&draft, 2, &err), 0);
    tell(&draft.nodes[0], "a", INTERFACES("eth1", "10.20.0.1/31"));
    tell(&draft.nodes[1], "b", INTERFACES("eth1", "10.20.0.3/31"));
    assert_int_equal(ce_draft_settle(&draft, NULL, &lines, &err), 0);
    assert_string_equal(ce_text_string(&lines), "");
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    UNIT_TABLE(scenes, plays);
    UNIT_RULE(a_nodes_facts_give_its_cluster_address);
    UNIT_RULE(the_configured_prefix_chooses_the_interface);
    UNIT_RULE(a_node_without_a_cluster_interface_is_missing);
    UNIT_RULE(a_node_on_another_network_than_most_is_named);
    UNIT_RULE(where_most_nodes_share_no_network_none_is_named);
    return UNIT_RUN("draft");
}

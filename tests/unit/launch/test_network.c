/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/network.h"

#include "base/text.h"
#include "../unit.h"

/* ---------------------------------------------------------------- machines */

#define ETHER CE_NETIF_ETHERNET
#define IB CE_NETIF_INFINIBAND
#define BRIDGE CE_NETIF_BRIDGE
#define TUN CE_NETIF_TUN
#define OTHER CE_NETIF_OTHER
#define UP true
#define DOWN false
#define GATEWAY true /* carries the default route */

struct card {
    const char *name;
    enum ce_netif_kind kind;
    bool up;
    unsigned speed;
    bool gateway;
    const char *addresses; /* separated by spaces */
    const char *master;
};

#define END {.name = NULL}
#define LO {"lo", OTHER, UP, 0, false, "127.0.0.1/8 ::1/128", NULL}

/* An Instant Cluster of RunPod: eth0 leads out, eth1 to eth8 are the cluster. */
static const struct card runpod[] = {
    LO,
    {"eth0", ETHER, UP, 10000, GATEWAY, "172.18.0.2/16", NULL},
    {"eth1", ETHER, UP, 50000, false, "10.65.1.2/24", NULL},
    {"eth2", ETHER, UP, 50000, false, "10.65.2.2/24", NULL},
    {"eth3", ETHER, UP, 50000, false, "10.65.3.2/24", NULL},
    {"eth4", ETHER, UP, 50000, false, "10.65.4.2/24", NULL},
    {"eth5", ETHER, UP, 50000, false, "10.65.5.2/24", NULL},
    {"eth6", ETHER, UP, 50000, false, "10.65.6.2/24", NULL},
    {"eth7", ETHER, UP, 50000, false, "10.65.7.2/24", NULL},
    {"eth8", ETHER, UP, 50000, false, "10.65.8.2/24", NULL},
    END,
};

/* A 1-Click Cluster of Lambda: one Ethernet for everything, the rails have no addresses. */
static const struct card lambda[] = {
    LO,
    {"eth0", ETHER, UP, 0, GATEWAY, "172.26.135.36/20 fe80::1/64", NULL},
    {"ibs1", IB, UP, 400000, false, "fe80::2/64", NULL},
    {"ibs2", IB, UP, 400000, false, NULL, NULL},
    {"docker0", BRIDGE, DOWN, 0, false, "172.17.0.1/16", NULL},
    END,
};

/* What container engines, virtual machines and VPNs leave on a node, beside its own two cards. */
#define NOISE                                                                                      \
    {"docker0", BRIDGE, UP, 10000, false, "172.17.0.1/16", NULL},                                  \
    {"br-0a1b2c3d4e5f", BRIDGE, UP, 10000, false, "172.19.0.1/16", NULL},                          \
    {"br-renamed", ETHER, UP, 10000, false, "172.20.0.1/16", NULL},                                \
    {"virbr0", BRIDGE, UP, 0, false, "192.168.122.1/24", NULL},                                    \
    {"vnet0", TUN, UP, 10000, false, "192.168.123.1/24", NULL},                                    \
    {"veth9f8e7d6", ETHER, UP, 10000, false, "10.99.0.1/16", NULL},                                \
    {"cni0", ETHER, UP, 0, false, "10.42.0.1/24", NULL},                                           \
    {"cali0123456789a", ETHER, UP, 10000, false, "10.43.0.1/32", NULL},                            \
    {"vxlan.calico", ETHER, UP, 0, false, "10.42.7.0/32", NULL},                                   \
    {"cilium_host", ETHER, UP, 10000, false, "10.44.0.1/32", NULL},                                \
    {"flannel.1", ETHER, UP, 0, false, "10.45.0.0/32", NULL},                                      \
    {"genev_sys_6081", ETHER, UP, 0, false, "10.47.0.1/16", NULL},                                 \
    {"antrea-gw0", ETHER, UP, 0, false, "10.48.0.1/24", NULL},                                     \
    {"kube-ipvs0", ETHER, UP, 0, false, "10.96.0.1/32", NULL},                                     \
    {"lxdbr0", ETHER, UP, 0, false, "10.46.0.1/24", NULL},                                         \
    {"dummy0", ETHER, UP, 0, false, "10.97.0.1/16", NULL},                                         \
    {"tailscale0", OTHER, UP, 0, false, "100.64.0.7/32", NULL},                                    \
    {"wg0", OTHER, UP, 0, false, "10.98.0.1/16", NULL},                                            \
    {"tun0", TUN, UP, 10, false, "10.8.0.2/24", NULL},                                             \
    {"gre1", OTHER, UP, 0, false, "10.95.0.1/24", NULL}

static const struct card noisy[] = {
    LO, NOISE,
    {"eth0", ETHER, UP, 1000, GATEWAY, "192.168.1.5/24", NULL},
    {"eth1", ETHER, UP, 1000, false, "10.1.0.11/16", NULL},
    END,
};

static const struct card noisy_with_one_card[] = {
    LO, NOISE, {"eth0", ETHER, UP, 1000, GATEWAY, "192.168.1.5/24", NULL}, END,
};

static const struct card bonded[] = {
    LO,
    {"eno1", ETHER, UP, 1000, GATEWAY, "192.168.1.5/24", NULL},
    {"ens1f0", ETHER, UP, 100000, false, "10.1.0.98/16", "bond0"},
    {"ens1f1", ETHER, UP, 100000, false, "10.1.0.99/16", "bond0"},
    {"bond0", ETHER, UP, 100000, false, "10.1.0.11/16", NULL},
    END,
};

/* The machine's own card is a member of the bridge its virtual machines use. */
static const struct card bridged[] = {
    LO,
    {"eno1", ETHER, UP, 10000, false, NULL, "br0"},
    {"br0", BRIDGE, UP, 10000, GATEWAY, "192.168.1.5/24", NULL},
    END,
};

static const struct card dual_stack[] = {
    LO,
    {"eth0", ETHER, UP, 1000, GATEWAY, "192.168.1.5/24 2001:db8::5/64", NULL},
    {"eth1", ETHER, UP, 100000, false, "fe80::11/64 fd00::11/64 10.1.0.11/16", NULL},
    END,
};

static const struct card ipv6_only[] = {
    LO,
    {"eth0", ETHER, UP, 1000, GATEWAY, "fe80::5/64 2001:db8::5/64", NULL},
    {"eth1", ETHER, UP, 100000, false, "fe80::11/64 fd00::11/64", NULL},
    END,
};

static const struct card link_local_only[] = {
    LO,
    {"eth0", ETHER, UP, 1000, GATEWAY, "192.168.1.5/24", NULL},
    {"usb0", ETHER, UP, 100000, false, "169.254.3.1/24 fe80::11/64", NULL},
    END,
};

static const struct card ip_over_ib[] = {
    LO,
    {"eth0", ETHER, UP, 1000, GATEWAY, "192.168.1.5/24", NULL},
    {"eth1", ETHER, UP, 25000, false, "10.2.0.11/16", NULL},
    {"ib0", IB, UP, 200000, false, "10.1.0.11/16", NULL},
    {"ib1", IB, UP, 200000, false, "10.3.0.11/16", NULL},
    END,
};

static const struct card faster_storage[] = {
    LO,
    {"eth0", ETHER, UP, 1000, GATEWAY, "192.168.1.5/24", NULL},
    {"eth1", ETHER, UP, 100000, false, "10.1.0.11/16", NULL},
    {"eth2", ETHER, UP, 100000, false, "10.2.0.11/16", NULL},
    {"ens9", ETHER, UP, 400000, false, "10.9.0.11/16", NULL},
    END,
};

static const struct card cluster_card_down[] = {
    LO,
    {"eth0", ETHER, UP, 1000, GATEWAY, "192.168.1.5/24", NULL},
    {"eth1", ETHER, DOWN, 0, false, "10.1.0.11/16", NULL},
    END,
};

static const struct card one_of_two_down[] = {
    LO,
    {"eth0", ETHER, UP, 1000, GATEWAY, "192.168.1.5/24", NULL},
    {"eth1", ETHER, DOWN, 0, false, "10.1.0.11/16", NULL},
    {"eth2", ETHER, UP, 100000, false, "10.2.0.11/16", NULL},
    END,
};

static const struct card everything_down[] = {
    LO,
    {"eth0", ETHER, DOWN, 0, GATEWAY, "192.168.1.5/24", NULL},
    {"eth1", ETHER, DOWN, 0, false, "10.1.0.11/16", NULL},
    END,
};

static const struct card nothing[] = {LO, END};

/* A machine of Google's cloud: its address is its whole network. */
static const struct card whole_address[] = {
    LO, {"ens4", ETHER, UP, 0, GATEWAY, "10.128.0.5/32 fe80::5/64", NULL}, END,
};

static const struct card vlan[] = {
    LO,
    {"eth0", ETHER, UP, 25000, GATEWAY, "192.168.1.5/24", NULL},
    {"eth0.100", ETHER, UP, 25000, false, "10.1.0.11/16", NULL},
    END,
};

static void add_card(struct ce_node *node, const struct card *card, unsigned index)
{
    struct ce_netif *netif = ce_node_add_netif(node, card->name);
    assert_non_null(netif);
    netif->index = index;
    netif->kind = card->kind;
    netif->up = card->up;
    netif->speed_mbps = card->speed;
    netif->default_route = card->gateway;
    if (card->master)
        strcpy(netif->master, card->master);
    for (const char *at = card->addresses; at && *at; at += strcspn(at, " "), at += *at == ' ') {
        char text[64];
        struct ce_prefix prefix;
        snprintf(text, sizeof text, "%.*s", (int)strcspn(at, " "), at);
        assert_int_equal(ce_prefix_parse(text, &prefix), 0);
        assert_int_equal(ce_netif_add_address(netif, &prefix), 0);
    }
}

static struct ce_node *build(const struct card *cards)
{
    struct ce_node *node = ce_node_create();
    assert_non_null(node);
    for (unsigned i = 0; cards[i].name; i++)
        add_card(node, &cards[i], i + 1);
    return node;
}

static struct ce_book *book_of(const char *text)
{
    struct ce_book *book = text ? ce_book_parse(text, NULL) : NULL;
    assert_int_equal(book != NULL, text != NULL);
    return book;
}

/* ---------------------------------------------------------------- choices */

/* What the configuration says; nothing: the default. */
struct wish {
    const char *interface;
    unsigned interfaces;
    enum ce_family family;
    const char *prefix, *second_prefix, *suffix;
};

static struct ce_policy policy_of(const struct wish *wish)
{
    const char *const prefixes[] = {wish->prefix, wish->second_prefix};
    struct ce_policy policy;
    ce_policy_default(&policy);
    if (wish->interface)
        strcpy(policy.interface, wish->interface);
    if (wish->suffix)
        strcpy(policy.suffix, wish->suffix);
    policy.interfaces = wish->interfaces;
    policy.family = wish->family;
    for (int i = 0; i < 2 && prefixes[i]; i++)
        assert_int_equal(ce_prefix_parse(prefixes[i], &policy.prefixes[policy.prefix_count++]), 0);
    return policy;
}

#define USUAL {.interface = NULL}
#define EIGHT "eth1 eth2 eth3 eth4 eth5 eth6 eth7 eth8"
#define IN_BOOK "owns an address of the address book"
#define FASTEST "the fastest interface that does not carry the default route"
#define ONLY "the only interface"
#define NAMED "named in the configuration"
#define NONE "no interface of this node could be the cluster network"

static const struct choice_row {
    const char *name;
    const struct card *machine;
    const char *book;
    struct wish wish;
    const char *interface, *address, *sockets, *reason;
} choices[] = {
    /* without a book */
    {"runpod_without_a_book_takes_the_first_cluster_card", runpod, NULL, USUAL, "eth1",
     "10.65.1.2", "eth1", FASTEST},
    {"lambda_has_one_interface", lambda, NULL, USUAL, "eth0", "172.26.135.36", "eth0", ONLY},
    {"containers_and_vpns_are_no_cluster", noisy, NULL, USUAL, "eth1", "10.1.0.11", "eth1",
     FASTEST},
    {"containers_and_vpns_are_no_cluster_even_where_nothing_else_is", noisy_with_one_card, NULL,
     USUAL, "eth0", "192.168.1.5", "eth0", ONLY},
    {"a_bond_is_one_interface_and_its_members_are_none", bonded, NULL, USUAL, "bond0",
     "10.1.0.11", "bond0", FASTEST},
    {"a_bridge_is_no_cluster", bridged, NULL, USUAL, NULL, "", "", NONE},
    {"a_card_with_link_local_addresses_only_is_no_cluster", link_local_only, NULL, USUAL, "eth0",
     "192.168.1.5", "eth0", ONLY},
    {"a_vlan_is_an_interface", vlan, NULL, USUAL, "eth0.100", "10.1.0.11", "eth0.100", FASTEST},
    {"ip_over_infiniband_is_an_interface", ip_over_ib, NULL, USUAL, "ib0", "10.1.0.11", "ib0",
     FASTEST},
    {"the_fastest_may_be_the_storage", faster_storage, NULL, USUAL, "ens9", "10.9.0.11", "ens9",
     FASTEST},
    {"of_two_families_ipv4_is_taken", dual_stack, NULL, USUAL, "eth1", "10.1.0.11", "eth1",
     FASTEST},
    {"ipv6_is_taken_where_it_is_all_there_is", ipv6_only, NULL, USUAL, "eth1", "fd00::11", "eth1",
     FASTEST},
    {"an_interface_that_is_down_yields_to_one_that_is_up", one_of_two_down, NULL, USUAL, "eth2",
     "10.2.0.11", "eth2", FASTEST},
    {"an_interface_that_is_down_yields_to_the_management", cluster_card_down, NULL, USUAL,
     "eth0", "192.168.1.5", "eth0", "carries the default route"},
    {"where_everything_is_down_the_cluster_stays_and_no_name_is_given", everything_down, NULL,
     USUAL, "eth1", "10.1.0.11", "", FASTEST},
    {"a_machine_without_cards_has_no_cluster", nothing, NULL, USUAL, NULL, "", "", NONE},
    {"a_network_of_one_address_is_an_interface", whole_address, NULL, USUAL, "ens4",
     "10.128.0.5", "ens4", ONLY},
    /* with a book */
    {"the_book_chooses_the_interface", faster_storage, "10.1.0.11 node1\n", USUAL, "eth1",
     "10.1.0.11", "eth1", IN_BOOK},
    {"the_books_order_chooses", faster_storage, "10.2.0.11 node1\n10.1.0.11 node1\n", USUAL,
     "eth2", "10.2.0.11", "eth2", IN_BOOK},
    {"the_books_name_does_not_matter", faster_storage, "10.1.0.11 other-name\n", USUAL, "eth1",
     "10.1.0.11", "eth1", IN_BOOK},
    {"a_management_address_in_the_book_is_passed_over", runpod,
     "172.18.0.2 node1\n10.65.3.2 node1\n", USUAL, "eth3", "10.65.3.2", "eth3", IN_BOOK},
    {"only_a_management_address_in_the_book_is_passed_over", runpod, "172.18.0.2 node1\n", USUAL,
     "eth1", "10.65.1.2", "eth1", FASTEST},
    {"the_only_interface_may_be_in_the_book", lambda, "172.26.135.36 node1\n", USUAL, "eth0",
     "172.26.135.36", "eth0", IN_BOOK},
    {"loopback_in_the_book_is_passed_over", runpod, "127.0.1.1 node1\n127.0.0.1 localhost\n",
     USUAL, "eth1", "10.65.1.2", "eth1", FASTEST},
    {"a_bridge_in_the_book_is_passed_over", noisy, "172.17.0.1 node1\n", USUAL, "eth1",
     "10.1.0.11", "eth1", FASTEST},
    {"a_member_of_a_bond_in_the_book_is_passed_over", bonded, "10.1.0.98 node1\n", USUAL,
     "bond0", "10.1.0.11", "bond0", FASTEST},
    {"a_book_without_this_node_does_not_choose", faster_storage, "10.1.0.12 node2\n", USUAL,
     "ens9", "10.9.0.11", "ens9", FASTEST},
    {"an_empty_book_does_not_choose", faster_storage, "", USUAL, "ens9", "10.9.0.11", "ens9",
     FASTEST},
    {"the_book_chooses_the_family", dual_stack, "fd00::11 node1\n10.1.0.11 node1\n", USUAL,
     "eth1", "fd00::11", "eth1", IN_BOOK},
    {"an_interface_in_the_book_stays_while_it_is_down_and_no_name_is_given", cluster_card_down,
     "10.1.0.11 node1\n", USUAL, "eth1", "10.1.0.11", "", IN_BOOK},
    {"a_network_of_one_address_may_be_in_the_book", whole_address, "10.128.0.5 node1\n", USUAL,
     "ens4", "10.128.0.5", "ens4", IN_BOOK},
    /* with a configuration */
    {"the_configured_interface_is_taken", faster_storage, NULL, {.interface = "eth2"}, "eth2",
     "10.2.0.11", "eth2", NAMED},
    {"the_configured_interface_comes_before_the_book", faster_storage, "10.1.0.11 node1\n",
     {.interface = "eth2"}, "eth2", "10.2.0.11", "eth2", NAMED},
    {"the_configured_interface_may_be_the_management", runpod, NULL, {.interface = "eth0"}, "eth0",
     "172.18.0.2", "eth0", NAMED},
    {"the_configured_interface_may_be_a_bridge", bridged, NULL, {.interface = "br0"}, "br0",
     "192.168.1.5", "br0", NAMED},
    {"a_configured_interface_that_is_not_there_is_not_replaced", faster_storage, NULL,
     {.interface = "eth7"}, NULL, "", "", NONE},
    {"a_configured_interface_without_address_is_not_replaced", lambda, NULL,
     {.interface = "ibs2"}, NULL, "", "", NONE},
    {"a_configured_interface_that_is_down_gives_no_name", cluster_card_down, NULL,
     {.interface = "eth1"}, "eth1", "10.1.0.11", "", NAMED},
    {"a_configured_prefix_chooses", faster_storage, NULL, {.prefix = "10.2.0.0/16"}, "eth2",
     "10.2.0.11", "eth2", FASTEST},
    {"a_configured_prefix_may_choose_the_management", runpod, NULL, {.prefix = "172.18.0.0/16"},
     "eth0", "172.18.0.2", "eth0", "carries the default route"},
    {"of_two_configured_prefixes_the_faster_network_is_taken", faster_storage, NULL,
     {.prefix = "10.2.0.0/16", .second_prefix = "10.9.0.0/16"}, "ens9", "10.9.0.11", "ens9",
     FASTEST},
    {"the_book_outside_the_configured_prefix_is_passed_over", faster_storage,
     "10.1.0.11 node1\n10.2.0.11 node1\n", {.prefix = "10.2.0.0/16"}, "eth2", "10.2.0.11", "eth2",
     IN_BOOK},
    {"a_configured_prefix_that_is_nowhere_leaves_nothing", faster_storage, NULL,
     {.prefix = "10.200.0.0/16"}, NULL, "", "", NONE},
    {"the_configured_family_is_taken", dual_stack, NULL, {.family = CE_FAMILY_IPV6}, "eth1",
     "fd00::11", "eth1", FASTEST},
    {"the_configured_family_passes_over_the_others_in_the_book", dual_stack,
     "fd00::11 node1\n10.1.0.11 node1\n", {.family = CE_FAMILY_IPV4}, "eth1", "10.1.0.11", "eth1",
     IN_BOOK},
    {"a_configured_family_that_is_nowhere_leaves_nothing", runpod, NULL,
     {.family = CE_FAMILY_IPV6}, NULL, "", "", NONE},
    /* how many interfaces NCCL gets */
    {"as_many_equal_interfaces_as_configured_are_all_given", runpod, NULL, {.interfaces = 8},
     "eth1", "10.65.1.2", EIGHT, FASTEST},
    {"as_many_as_configured_are_all_given_with_a_book", runpod, "10.65.3.2 node1\n",
     {.interfaces = 8}, "eth3", "10.65.3.2", EIGHT, IN_BOOK},
    {"fewer_than_configured_give_one", runpod, NULL, {.interfaces = 9}, "eth1", "10.65.1.2",
     "eth1", FASTEST},
    {"more_than_configured_give_one", runpod, NULL, {.interfaces = 7}, "eth1", "10.65.1.2", "eth1",
     FASTEST},
    {"one_that_is_down_is_not_counted", one_of_two_down, NULL, {.interfaces = 2}, "eth2",
     "10.2.0.11", "eth2", FASTEST},
    {"another_speed_is_not_counted", faster_storage, "10.1.0.11 node1\n", {.interfaces = 3},
     "eth1", "10.1.0.11", "eth1", IN_BOOK},
    {"equal_speed_is_counted", faster_storage, "10.1.0.11 node1\n", {.interfaces = 2}, "eth1",
     "10.1.0.11", "eth1 eth2", IN_BOOK},
    {"another_kind_is_not_counted", ip_over_ib, NULL, {.interfaces = 2}, "ib0", "10.1.0.11",
     "ib0 ib1", FASTEST},
    {"the_management_is_not_counted", lambda, NULL, {.interfaces = 2}, "eth0", "172.26.135.36",
     "eth0", ONLY},
    {"a_configured_interface_is_the_only_one", runpod, NULL,
     {.interface = "eth2", .interfaces = 8}, "eth2", "10.65.2.2", "eth2", NAMED},
};

static void join_sockets(const struct ce_network *network, struct ce_text *out)
{
    for (size_t i = 0; i < network->socket_count; i++)
        ce_text_addf(out, "%s%s", i ? " " : "", network->sockets[i]->name);
}

static void chooses(void **state)
{
    const struct choice_row *row = *state;
    const struct ce_policy policy = policy_of(&row->wish);
    ce_auto(ce_node_destroy) struct ce_node *node = build(row->machine);
    ce_auto(ce_book_destroy) struct ce_book *book = book_of(row->book);
    ce_autotext struct ce_text sockets = CE_TEXT(1000);
    struct ce_network network;
    char address[CE_ADDRESS_TEXT];
    ce_network_choose(node, &policy, book, NULL, &network);
    assert_string_equal(network.interface ? network.interface->name : "-",
                        row->interface ? row->interface : "-");
    assert_string_equal(ce_address_format(&network.address, address), row->address);
    assert_int_equal(network.family, network.address.family);
    join_sockets(&network, &sockets);
    assert_string_equal(ce_text_string(&sockets), row->sockets);
    assert_true(!network.in_book || row->book);
    unit_holds(network.reason, row->reason);
}

static void nothing_is_chosen_without_facts(void **state)
{
    struct ce_policy policy;
    struct ce_network network;
    (void)state;
    ce_policy_default(&policy);
    ce_network_choose(NULL, &policy, NULL, NULL, &network);
    assert_null(network.interface);
    assert_int_equal(network.address.family, 0);
    assert_int_equal(network.socket_count, 0);
    assert_string_equal(network.reason, "no facts of this node");
}

/* NCCL reads 16 names; of more, all or none must be meant. */
static void more_interfaces_than_nccl_reads_give_one(void **state)
{
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    struct ce_policy policy;
    struct ce_network network;
    (void)state;
    ce_policy_default(&policy);
    for (unsigned i = 0; i < CE_SOCKETS_MAX + 1; i++) {
        char name[16], address[32];
        snprintf(name, sizeof name, "eth%u", i);
        snprintf(address, sizeof address, "10.%u.0.1/16", i);
        const struct card card = {name, ETHER, UP, 100000, false, address, NULL};
        add_card(node, &card, i + 1);
        policy.interfaces = i + 1;
        ce_network_choose(node, &policy, NULL, NULL, &network);
        assert_int_equal(network.socket_count, i < CE_SOCKETS_MAX ? i + 1 : 1);
    }
}

/* ---------------------------------------------------------------- sockets beside rails */

#define PROVIDER CE_RAILS_PROVIDER
#define CHOSEN CE_RAILS_CHOSEN
#define UNSURE CE_RAILS_UNSURE
#define NO_RAILS CE_RAILS_NONE

static const struct beside_row {
    const char *name;
    const struct card *machine;
    enum ce_rails_verdict verdict;
    const char *rails; /* interfaces of rails, separated by spaces */
    const char *book;
    struct wish wish;
    const char *interface, *sockets, *reason;
} besides[] = {
    {"the_interface_of_a_rail_yields_to_a_slower_one", faster_storage, CHOSEN, "ens9", NULL, USUAL,
     "eth1", "eth1", FASTEST},
    {"the_interfaces_of_rails_yield_to_the_default_route", faster_storage, CHOSEN, "ens9 eth1 eth2",
     NULL, USUAL, "eth0", "eth0", "no other one but those of the rails is fit"},
    {"the_interface_of_a_rail_is_taken_where_nothing_else_is", ipv6_only, CHOSEN, "eth0 eth1", NULL,
     USUAL, "eth1", "eth1", "the interface of a rail; no other one is fit"},
    {"the_book_may_name_the_interface_of_a_rail", faster_storage, CHOSEN, "ens9",
     "10.9.0.11 node1\n", USUAL, "ens9", "ens9", IN_BOOK},
    {"the_configuration_may_name_the_interface_of_a_rail", faster_storage, CHOSEN, "ens9", NULL,
     {.interface = "ens9"}, "ens9", "ens9", NAMED},
    {"ip_over_infiniband_yields_too", ip_over_ib, CHOSEN, "ib0 ib1", NULL, USUAL, "eth1", "eth1",
     FASTEST},
    {"with_rails_sockets_take_one_interface", runpod, CHOSEN, "", NULL, {.interfaces = 8}, "eth1",
     "eth1", FASTEST},
    {"with_devices_that_are_not_known_sockets_take_one_interface", runpod, UNSURE, "", NULL,
     {.interfaces = 8}, "eth1", "eth1", FASTEST},
    {"without_rails_sockets_take_all", runpod, NO_RAILS, "", NULL, {.interfaces = 8}, "eth1", EIGHT,
     FASTEST},
    {"a_providers_interfaces_are_its_plugins", runpod, PROVIDER, "", NULL, {.interfaces = 8}, "eth0",
     "eth0", "carries the default route; the others are the provider's plugin's"},
    {"the_book_may_name_one_beside_a_provider", runpod, PROVIDER, "", "10.65.3.2 node1\n", USUAL,
     "eth3", "eth3", IN_BOOK},
    {"the_configuration_may_name_one_beside_a_provider", runpod, PROVIDER, "", NULL,
     {.interface = "eth2"}, "eth2", "eth2", NAMED},
};

/* One HCA for each interface named. */
static struct ce_rails rails_of(const char *names, enum ce_rails_verdict verdict,
                                struct ce_hca hcas[8])
{
    struct ce_rails rails = {.verdict = verdict, .ports = calloc(8, sizeof *rails.ports)};
    assert_non_null(rails.ports);
    for (; *names; names += strcspn(names, " "), names += *names == ' ') {
        struct ce_hca *hca = &hcas[rails.port_count];
        *hca = (struct ce_hca){.netdev_count = 1};
        snprintf(hca->netdevs[0], CE_NETIF_NAME, "%.*s", (int)strcspn(names, " "), names);
        rails.ports[rails.port_count++] = (struct ce_rail){.hca = hca, .chosen = true};
    }
    rails.count = rails.port_count;
    return rails;
}

static void chooses_beside(void **state)
{
    const struct beside_row *row = *state;
    const struct ce_policy policy = policy_of(&row->wish);
    ce_auto(ce_node_destroy) struct ce_node *node = build(row->machine);
    ce_auto(ce_book_destroy) struct ce_book *book = book_of(row->book);
    ce_autotext struct ce_text sockets = CE_TEXT(1000);
    struct ce_hca hcas[8];
    struct ce_rails rails = rails_of(row->rails, row->verdict, hcas);
    struct ce_network network;
    ce_network_choose(node, &policy, book, &rails, &network);
    assert_non_null(network.interface);
    assert_string_equal(network.interface->name, row->interface);
    join_sockets(&network, &sockets);
    assert_string_equal(ce_text_string(&sockets), row->sockets);
    unit_holds(network.reason, row->reason);
    ce_rails_free(&rails);
}

/* ---------------------------------------------------------------- other nodes in the book */

static const struct lookup_row {
    const char *name;
    const struct card *machine;
    const char *book;
    struct wish wish;
    const char *node, *address; /* "": none */
} lookups[] = {
    {"a_node_has_its_address", runpod, "10.65.1.2 node1\n10.65.1.3 node2\n", USUAL, "node2",
     "10.65.1.3"},
    {"case_does_not_count", runpod, "10.65.1.3 Node2\n", USUAL, "node2", "10.65.1.3"},
    {"a_node_that_is_not_there_has_none", runpod, "10.65.1.3 node2\n", USUAL, "node3", ""},
    {"a_nodes_management_address_is_passed_over", runpod,
     "172.18.0.3 node2\n10.65.1.3 node2\n", USUAL, "node2", "10.65.1.3"},
    {"a_node_with_a_management_address_only_has_none", runpod, "172.18.0.3 node2\n", USUAL,
     "node2", ""},
    {"the_first_of_several_cluster_addresses_counts", runpod,
     "10.65.4.3 node2\n10.65.1.3 node2\n", USUAL, "node2", "10.65.4.3"},
    {"loopback_is_passed_over", runpod, "127.0.1.1 node2\n10.65.1.3 node2\n", USUAL, "node2",
     "10.65.1.3"},
    {"link_local_is_passed_over", runpod, "169.254.1.1 node2\n10.65.1.3 node2\n", USUAL, "node2",
     "10.65.1.3"},
    {"the_suffix_is_part_of_the_name", runpod, "10.65.1.3 node2\n10.65.2.3 node2-hsn\n",
     {.suffix = "-hsn"}, "node2", "10.65.2.3"},
    {"a_name_without_the_suffix_is_another_name", runpod, "10.65.1.3 node2\n", {.suffix = "-hsn"},
     "node2", ""},
    {"a_configured_prefix_counts_in_place_of_the_nodes_own", runpod,
     "10.65.1.3 node2\n10.200.0.3 node2\n", {.prefix = "10.200.0.0/16"}, "node2", "10.200.0.3"},
    {"the_family_of_this_node_counts", dual_stack, "fd00::12 node2\n10.1.0.12 node2\n", USUAL,
     "node2", "10.1.0.12"},
    {"the_family_of_this_nodes_entry_counts", dual_stack,
     "fd00::11 node1\n10.1.0.12 node2\nfd00::12 node2\n", USUAL, "node2", "fd00::12"},
    {"the_configured_family_counts", dual_stack, "10.1.0.12 node2\nfd00::12 node2\n",
     {.family = CE_FAMILY_IPV6}, "node2", "fd00::12"},
    {"a_node_of_another_family_has_none", ipv6_only, "10.1.0.12 node2\n", USUAL, "node2", ""},
    {"a_network_of_one_address_does_not_hide_the_others", whole_address,
     "10.128.0.5 node1\n10.128.0.6 node2\n", USUAL, "node2", "10.128.0.6"},
    {"a_cluster_card_that_is_down_does_not_hide_the_others", cluster_card_down,
     "10.1.0.12 node2\n192.168.1.6 node2\n", USUAL, "node2", "10.1.0.12"},
    {"a_machine_that_knows_nothing_takes_the_first_usable", nothing,
     "127.0.1.1 node2\n10.1.0.12 node2\n", USUAL, "node2", "10.1.0.12"},
    {"without_a_book_no_node_has_an_address", runpod, NULL, USUAL, "node2", ""},
};

static void looks_up(void **state)
{
    const struct lookup_row *row = *state;
    const struct ce_policy policy = policy_of(&row->wish);
    ce_auto(ce_node_destroy) struct ce_node *node = build(row->machine);
    ce_auto(ce_book_destroy) struct ce_book *book = book_of(row->book);
    struct ce_network network;
    struct ce_address found = {.family = 0};
    char text[CE_ADDRESS_TEXT];
    ce_network_choose(node, &policy, book, NULL, &network);
    bool known = ce_network_lookup(&network, &policy, book, row->node, &found);
    assert_string_equal(ce_address_format(&found, text), row->address);
    assert_int_equal(known, row->address[0] != '\0');
}

static void a_name_too_long_with_its_suffix_is_not_found(void **state)
{
    char name[400];
    struct ce_policy policy;
    struct ce_network network;
    struct ce_address found;
    (void)state;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    ce_policy_default(&policy);
    ce_network_choose(NULL, &policy, NULL, NULL, &network);
    ce_auto(ce_book_destroy) struct ce_book *book = book_of("10.1.0.1 n\n");
    assert_false(ce_network_lookup(&network, &policy, book, name, &found));
}

int main(void)
{
    UNIT_TABLE(choices, chooses);
    UNIT_RULE(nothing_is_chosen_without_facts);
    UNIT_RULE(more_interfaces_than_nccl_reads_give_one);
    UNIT_TABLE(besides, chooses_beside);
    UNIT_TABLE(lookups, looks_up);
    UNIT_RULE(a_name_too_long_with_its_suffix_is_not_found);
    return UNIT_RUN("launch/network");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/interface.h"

#include "../unit.h"

/* One interface among others; `x` is the one that is judged. */
static const struct row {
    const char *name, *facts;
    enum ce_role role;
    const char *reason;
} rows[] = {
    {"the_one_that_was_chosen_is_the_cluster_interface",
     "netif.x.kind=ethernet\nnetif.x.up=1\nnetif.x.address.0=10.0.0.1/8\n", CE_ROLE_CLUSTER,
     "the fastest interface that does not carry the default route"},
    {"a_default_route_makes_it_management",
     "netif.x.kind=ethernet\nnetif.x.up=1\nnetif.x.address.0=10.0.0.1/8\nnetif.x.default_route=1\n"
     "netif.y.kind=ethernet\nnetif.y.up=1\nnetif.y.address.0=11.0.0.1/8\n",
     CE_ROLE_MANAGEMENT, "carries the default route"},
    {"a_slower_one_is_not_used",
     "netif.x.kind=ethernet\nnetif.x.up=1\nnetif.x.address.0=10.0.0.1/8\nnetif.x.speed_mbps=1000\n"
     "netif.y.kind=ethernet\nnetif.y.up=1\nnetif.y.address.0=11.0.0.1/8\n"
     "netif.y.speed_mbps=2000\n",
     CE_ROLE_UNUSED, "another was chosen"},
    {"one_that_is_down_is_not_used", "netif.x.kind=ethernet\n", CE_ROLE_UNUSED, "down"},
    {"one_without_an_address_is_not_used",
     "netif.x.kind=ethernet\nnetif.x.up=1\nnetif.x.address.0=fe80::1/64\n", CE_ROLE_UNUSED,
     "no address that other nodes could reach"},
    {"a_member_of_a_bond_is_not_used",
     "netif.x.kind=ethernet\nnetif.x.up=1\nnetif.x.master=bond0\n", CE_ROLE_UNUSED,
     "a member of a bond or bridge"},
    {"a_bridge_is_virtual", "netif.x.kind=bridge\nnetif.x.up=1\nnetif.x.address.0=10.0.0.1/8\n",
     CE_ROLE_VIRTUAL, "virtual"},
    {"the_interface_of_a_rail_is_left_to_rdma",
     "netif.x.kind=ethernet\nnetif.x.up=1\nib.a.netdev.0=x\nib.a.1.state=4\n"
     "ib.a.1.link_layer=infiniband\nib.a.1.rate_mbps=400000\n",
     CE_ROLE_RAIL, "left to RDMA"},
    {"what_a_provider_has_is_left_to_its_plugin",
     "netif.x.kind=ethernet\nnetif.x.up=1\nnetif.x.driver=gve\nnetif.x.address.0=10.0.0.1/8\n"
     "netif.y.kind=ethernet\nnetif.y.up=1\nnetif.y.driver=gve\nnetif.y.address.0=11.0.0.1/8\n"
     "netif.y.default_route=1\n",
     CE_ROLE_UNUSED, "left to the provider's plugin"},
};

static void judge(void **state)
{
    const struct row *row = *state;
    struct ce_error err = {""};
    struct ce_policy policy;
    struct ce_network network;
    struct ce_rails rails;
    char facts[2048];
    snprintf(facts, sizeof facts, "format=1\n%send=1\n", row->facts);
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_parse(facts, &err);
    assert_string_equal(err.text, "");
    ce_policy_default(&policy);
    assert_int_equal(ce_rails_choose(node, &rails, &err), 0);
    ce_network_choose(node, &policy, NULL, &rails, &network);
    struct ce_interface judged =
        ce_interface_judge(ce_node_find_netif(node, "x"), &network, &rails);
    assert_string_equal(ce_role_name(judged.role), ce_role_name(row->role));
    assert_string_equal(judged.reason, row->reason);
    ce_rails_free(&rails);
}

/* Where every node has two of them, NCCL's sockets use both. */
static void one_as_fast_as_the_chosen_one_is_for_sockets(void **state)
{
    struct ce_policy policy;
    struct ce_network network;
    const struct ce_rails none = {.verdict = CE_RAILS_NONE};
    (void)state;
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_parse(
        "format=1\nnetif.x.kind=ethernet\nnetif.x.up=1\nnetif.x.address.0=10.0.0.1/8\n"
        "netif.y.kind=ethernet\nnetif.y.up=1\nnetif.y.address.0=11.0.0.1/8\nend=1\n",
        NULL);
    assert_non_null(node);
    ce_policy_default(&policy);
    policy.interfaces = 2;
    ce_network_choose(node, &policy, NULL, &none, &network);
    assert_int_equal(ce_interface_judge(&node->netifs[0], &network, &none).role, CE_ROLE_CLUSTER);
    assert_int_equal(ce_interface_judge(&node->netifs[1], &network, &none).role, CE_ROLE_SOCKETS);
}

int main(void)
{
    UNIT_TABLE(rows, judge);
    UNIT_RULE(one_as_fast_as_the_chosen_one_is_for_sockets);
    return UNIT_RUN("launch/interface");
}

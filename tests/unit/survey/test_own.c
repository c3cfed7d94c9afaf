/* SPDX-License-Identifier: Apache-2.0 */
#include "survey/own.h"

#include "../unit.h"

static const struct entry_row {
    const char *name, *book, *suffix, *why; /* why: NULL: the entry is not stale */
} entry_rows[] = {
    {"an_entry_that_an_interface_owns_is_right", "10.20.0.1 a\n", "", NULL},
    {"also_that_of_the_management_interface", "10.10.0.1 a\n", "", NULL},
    {"one_right_entry_of_several_is_enough", "10.20.0.9 a\n10.20.0.1 a\n", "", NULL},
    {"a_node_that_is_not_in_the_book_is_missing_not_stale", "10.20.0.9 b\n", "", NULL},
    {"debians_own_127_0_1_1_is_no_entry", "127.0.1.1 a\n", "", NULL},
    {"an_entry_that_nobody_here_owns_is_stale", "10.20.0.9 a\n", "",
     "it gives 10.20.0.9 for a, but no interface of this node has it (eth1 has 10.20.0.1)"},
    {"also_one_far_from_the_cluster_network", "192.168.0.9 a\n", "",
     "it gives 192.168.0.9 for a, but no interface of this node has it (eth1 has 10.20.0.1)"},
    {"names_are_compared_as_in_dns", "10.20.0.9 A\n", "",
     "it gives 10.20.0.9 for a, but no interface of this node has it (eth1 has 10.20.0.1)"},
    {"the_name_is_name_suffix", "10.20.0.8 a\n10.20.0.9 a-hsn\n", "-hsn",
     "it gives 10.20.0.9 for a-hsn, but no interface of this node has it (eth1 has 10.20.0.1)"},
};

static void add(struct ce_node *node, const char *name, const char *address)
{
    struct ce_netif *netif = ce_node_add_netif(node, name);
    struct ce_prefix prefix;
    netif->kind = CE_NETIF_ETHERNET;
    netif->up = true;
    netif->default_route = strcmp(name, "eth0") == 0;
    assert_int_equal(ce_prefix_parse(address, &prefix), 0);
    assert_int_equal(ce_netif_add_address(netif, &prefix), 0);
}

static void is_judged(void **state)
{
    const struct entry_row *row = *state;
    struct ce_policy policy;
    struct ce_error err, why = {""};
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    ce_auto(ce_book_destroy) struct ce_book *book = ce_book_parse(row->book, &err);
    add(node, "eth0", "10.10.0.1/16");
    add(node, "eth1", "10.20.0.1/16");
    ce_policy_default(&policy);
    assert_int_equal(ce_suffix_parse(row->suffix, policy.suffix), 0);
    assert_int_equal(ce_own_entry_is_stale(node, &policy, book, "a", &why), row->why != NULL);
    assert_string_equal(why.text, row->why ? row->why : "");
}

/* Facts of a recorded machine have no addresses: nothing can be said. */
static void without_addresses_nothing_is_stale(void **state)
{
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    struct ce_policy policy;
    struct ce_error err;
    (void)state;
    ce_policy_default(&policy);
    assert_non_null(ce_node_add_netif(node, "eth1"));
    ce_auto(ce_book_destroy) struct ce_book *book = ce_book_parse("10.20.0.9 a\n", &err);
    assert_false(ce_own_entry_is_stale(node, &policy, book, "a", &err));
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    UNIT_TABLE(entry_rows, is_judged);
    UNIT_RULE(without_addresses_nothing_is_stale);
    return UNIT_RUN("own");
}

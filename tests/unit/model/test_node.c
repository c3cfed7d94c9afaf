/* SPDX-License-Identifier: Apache-2.0 */
#include "model/node.h"

#include "../unit.h"

#define FRAMED(lines) "format=1\n" lines "end=1\n"

/* What a machine looks like as text; each fact once. */
static const char machine[] =
    FRAMED("host.name=node1.example.com\n"
           "boot.id=5d1b6f3e-7f3a-4f0e-9d7e-0a1b2c3d4e5f\n"
           "netif.lo.index=1\nnetif.lo.kind=other\nnetif.lo.up=1\nnetif.lo.default_route=0\n"
           "netif.lo.address.0=127.0.0.1/8\nnetif.lo.address.1=::1/128\n"
           "netif.eth0%2e100.index=2\nnetif.eth0%2e100.kind=ethernet\nnetif.eth0%2e100.up=0\n"
           "netif.eth0%2e100.speed_mbps=100000\nnetif.eth0%2e100.default_route=1\n"
           "netif.eth0%2e100.master=bond0\nnetif.eth0%2e100.address.0=10.1.0.11/16\n"
           "gpu.count=8\n");

static struct ce_node *parse(const char *text)
{
    struct ce_error err = {""};
    struct ce_node *node = ce_node_parse(text, &err);
    assert_string_equal(err.text, "");
    assert_non_null(node);
    return node;
}

static char *write_node(const struct ce_node *node)
{
    ce_autotext struct ce_text text = CE_TEXT(16 << 20);
    ce_node_write(node, &text);
    char *written = ce_text_take(&text);
    assert_non_null(written);
    return written;
}

static void every_fact_is_read(void **state)
{
    (void)state;
    ce_auto(ce_node_destroy) struct ce_node *node = parse(machine);
    assert_string_equal(node->host_name, "node1.example.com");
    assert_string_equal(node->boot_id, "5d1b6f3e-7f3a-4f0e-9d7e-0a1b2c3d4e5f");
    assert_true(node->gpu_count_known);
    assert_int_equal(node->gpu_count, 8);
    assert_int_equal(node->netif_count, 2);
    const struct ce_netif *vlan = ce_node_find_netif(node, "eth0.100");
    assert_ptr_equal(vlan, &node->netifs[1]);
    assert_int_equal(vlan->index, 2);
    assert_int_equal(vlan->kind, CE_NETIF_ETHERNET);
    assert_false(vlan->up);
    assert_int_equal(vlan->speed_mbps, 100000);
    assert_true(vlan->default_route);
    assert_string_equal(vlan->master, "bond0");
    assert_int_equal(vlan->address_count, 1);
    assert_int_equal(vlan->addresses[0].length, 16);
    assert_int_equal(node->netifs[0].address_count, 2);
    assert_true(node->netifs[0].up);
    assert_null(ce_node_find_netif(node, "eth0"));
}

static void what_is_read_is_written_again(void **state)
{
    (void)state;
    ce_auto(ce_node_destroy) struct ce_node *node = parse(machine);
    char *text = write_node(node);
    assert_string_equal(text, machine);
    free(text);
}

static void facts_cut_at_any_byte_are_an_error(void **state)
{
    char text[sizeof machine];
    (void)state;
    memcpy(text, machine, sizeof machine);
    for (size_t length = strlen(text); length-- > 0;) {
        text[length] = '\0';
        assert_null(ce_node_parse(text, NULL));
    }
}

static void no_fact_at_all_is_a_node_that_knows_nothing(void **state)
{
    (void)state;
    ce_auto(ce_node_destroy) struct ce_node *node = parse(FRAMED(""));
    assert_null(node->host_name);
    assert_null(node->boot_id);
    assert_false(node->gpu_count_known);
    assert_int_equal(node->netif_count, 0);
    char *text = write_node(node);
    assert_string_equal(text, FRAMED(""));
    free(text);
}

static void devices_that_could_not_be_read_are_not_none(void **state)
{
    (void)state;
    ce_auto(ce_node_destroy) struct ce_node *node = parse(FRAMED("rdma.unread=1\n"));
    assert_true(node->hcas_unread);
    char *text = write_node(node);
    assert_string_equal(text, FRAMED("rdma.unread=1\n"));
    free(text);
}

static void no_gpu_is_another_fact_than_not_known(void **state)
{
    (void)state;
    ce_auto(ce_node_destroy) struct ce_node *node = parse(FRAMED("gpu.count=0\n"));
    assert_true(node->gpu_count_known);
    assert_int_equal(node->gpu_count, 0);
}

/* Lines and what they are as we write them. */
static const struct reads_row {
    const char *name, *lines, *written;
} reads[] = {
    {"keys_of_a_newer_writer_are_skipped", "zz.mlx5_0.1.state=4\nnetif.a.numa=1\nzzz=\n",
     "netif.a.index=0\nnetif.a.kind=other\nnetif.a.up=0\nnetif.a.default_route=0\n"},
    {"a_kind_of_a_newer_writer_is_one_no_job_should_use", "netif.a.kind=photon\n",
     "netif.a.index=0\nnetif.a.kind=other\nnetif.a.up=0\nnetif.a.default_route=0\n"},
    {"an_unknown_speed_is_not_written", "netif.a.kind=ethernet\nnetif.a.speed_mbps=0\n",
     "netif.a.index=0\nnetif.a.kind=ethernet\nnetif.a.up=0\nnetif.a.default_route=0\n"},
    {"an_interface_torn_apart_is_one_interface",
     "netif.a.up=1\nnetif.b.up=1\nnetif.a.default_route=1\n",
     "netif.a.index=0\nnetif.a.kind=other\nnetif.a.up=1\nnetif.a.default_route=1\n"
     "netif.b.index=0\nnetif.b.kind=other\nnetif.b.up=1\nnetif.b.default_route=0\n"},
    {"every_kind_has_a_name", "netif.a.kind=infiniband\nnetif.b.kind=bridge\nnetif.c.kind=tun\n",
     "netif.a.index=0\nnetif.a.kind=infiniband\nnetif.a.up=0\nnetif.a.default_route=0\n"
     "netif.b.index=0\nnetif.b.kind=bridge\nnetif.b.up=0\nnetif.b.default_route=0\n"
     "netif.c.index=0\nnetif.c.kind=tun\nnetif.c.up=0\nnetif.c.default_route=0\n"},
    {"escaped_letters_are_the_letters", "netif.%65th1.up=1\n",
     "netif.eth1.index=0\nnetif.eth1.kind=other\nnetif.eth1.up=1\nnetif.eth1.default_route=0\n"},
    {"an_interface_name_of_15_bytes_is_allowed", "netif.abcdefghijklmno.up=1\n",
     "netif.abcdefghijklmno.index=0\nnetif.abcdefghijklmno.kind=other\n"
     "netif.abcdefghijklmno.up=1\nnetif.abcdefghijklmno.default_route=0\n"},
};

static void reads_as(void **state)
{
    const struct reads_row *row = *state;
    char text[1024], expected[1024];
    snprintf(text, sizeof text, FRAMED("%s"), row->lines);
    snprintf(expected, sizeof expected, FRAMED("%s"), row->written);
    ce_auto(ce_node_destroy) struct ce_node *node = parse(text);
    char *written = write_node(node);
    assert_string_equal(written, expected);
    free(written);
}

static const struct error_row {
    const char *name, *lines, *reason;
} errors[] = {
    {"an_index_that_is_no_number_is_an_error", "netif.a.index=x\n", "netif.a.index=x"},
    {"an_index_past_31_bits_is_an_error", "netif.a.index=2147483648\n", "netif.a.index="},
    {"a_speed_that_is_no_number_is_an_error", "netif.a.speed_mbps=-1\n", "netif.a.speed_mbps=-1"},
    {"up_is_0_or_1", "netif.a.up=2\n", "netif.a.up=2"},
    {"up_is_no_word", "netif.a.up=yes\n", "netif.a.up=yes"},
    {"default_route_is_0_or_1", "netif.a.default_route=\n", "netif.a.default_route="},
    {"an_address_that_is_none_is_an_error", "netif.a.address.0=10.1.0.300/16\n",
     "netif.a.address.0=10.1.0.300/16: not an address"},
    {"a_prefix_that_is_none_is_an_error", "netif.a.address.0=10.1.0.3/40\n", "not an address"},
    {"a_count_of_gpus_that_is_none_is_an_error", "gpu.count=many\n", "gpu.count=many"},
    {"more_gpus_than_any_machine_has_are_an_error", "gpu.count=1025\n", "gpu.count=1025"},
    {"a_master_that_is_no_interface_name_is_an_error", "netif.a.master=abcdefghijklmnop\n",
     "netif.a.master="},
    {"an_interface_name_of_16_bytes_is_an_error", "netif.abcdefghijklmnop.up=1\n",
     "not an interface name"},
    {"an_escape_that_ends_is_an_error", "netif.a%2.up=1\n", "not an interface name"},
    {"an_escape_that_is_none_is_an_error", "netif.a%zz.up=1\n", "not an interface name"},
    {"an_escape_with_a_sign_is_an_error", "netif.a%-1.up=1\n", "not an interface name"},
    {"an_escape_with_a_plus_is_an_error", "netif.a%+1.up=1\n", "not an interface name"},
    {"an_escaped_nul_is_an_error", "netif.a%00b.up=1\n", "not an interface name"},
    {"one_interface_in_two_spellings_is_an_error", "netif.a%2eb.up=1\nnetif.a%2Eb.up=1\n",
     "twice"},
    {"a_key_twice_is_an_error", "netif.a.up=1\nnetif.a.up=1\n", "twice"},
};

static void is_an_error(void **state)
{
    const struct error_row *row = *state;
    char text[512];
    struct ce_error err = {""};
    snprintf(text, sizeof text, FRAMED("%s"), row->lines);
    assert_null(ce_node_parse(text, &err));
    unit_holds(err.text, row->reason);
}

/* Whatever the kernel allows in an interface name comes back. */
static const struct name_row {
    const char *name, *netif;
} names[] = {
    {"a_plain_name_comes_back", "enp129s0f0np0"},
    {"a_name_with_a_dot_comes_back", "eth0.100"},
    {"a_name_with_dashes_comes_back", "br-0a1b2c3d4e5f"},
    {"a_name_with_the_equals_sign_comes_back", "a=b"},
    {"a_name_with_a_percent_sign_comes_back", "a%62"},
    {"a_name_with_quotes_comes_back", "a'b\"c`d"},
    {"a_name_with_a_comma_comes_back", "a,b;c$d"},
    {"a_name_with_an_escape_comes_back", "a\x1b[2J"},
    {"a_name_beyond_ascii_comes_back", "\xff\xfe\xc3\xb6"},
    {"the_longest_name_comes_back", "\x01\x02\x03\x04\x05\x06\x07\x0e\x0f\x10\x11\x12\x13\x14\x15"},
};

static void comes_back(void **state)
{
    const struct name_row *row = *state;
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    assert_non_null(node);
    assert_non_null(ce_node_add_netif(node, row->netif));
    char *text = write_node(node);
    ce_auto(ce_node_destroy) struct ce_node *again = parse(text);
    free(text);
    assert_int_equal(again->netif_count, 1);
    assert_string_equal(again->netifs[0].name, row->netif);
}

static void an_interface_is_added_once_and_has_a_name_that_fits(void **state)
{
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    (void)state;
    assert_non_null(node);
    assert_non_null(ce_node_add_netif(node, "eth0"));
    assert_null(ce_node_add_netif(node, "eth0"));
    assert_null(ce_node_add_netif(node, ""));
    assert_null(ce_node_add_netif(node, "abcdefghijklmnop"));
    assert_int_equal(node->netif_count, 1);
}

static void interfaces_and_addresses_have_a_limit(void **state)
{
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    const struct ce_prefix prefix = {.address = {.family = AF_INET}, .length = 8};
    char name[CE_NETIF_NAME];
    (void)state;
    assert_non_null(node);
    for (int i = 0; i < CE_NETIF_MAX; i++) {
        snprintf(name, sizeof name, "eth%d", i);
        assert_non_null(ce_node_add_netif(node, name));
    }
    assert_null(ce_node_add_netif(node, "one-more"));
    for (int i = 0; i < CE_NETIF_ADDRESSES_MAX; i++)
        assert_int_equal(ce_netif_add_address(&node->netifs[7], &prefix), 0);
    assert_int_equal(ce_netif_add_address(&node->netifs[7], &prefix), -1);
    char *text = write_node(node);
    ce_auto(ce_node_destroy) struct ce_node *again = parse(text);
    free(text);
    assert_int_equal(again->netif_count, CE_NETIF_MAX);
    assert_int_equal(again->netifs[7].address_count, CE_NETIF_ADDRESSES_MAX);
}

int main(void)
{
    UNIT_RULE(every_fact_is_read);
    UNIT_RULE(what_is_read_is_written_again);
    UNIT_RULE(facts_cut_at_any_byte_are_an_error);
    UNIT_RULE(no_fact_at_all_is_a_node_that_knows_nothing);
    UNIT_RULE(devices_that_could_not_be_read_are_not_none);
    UNIT_RULE(no_gpu_is_another_fact_than_not_known);
    UNIT_TABLE(reads, reads_as);
    UNIT_TABLE(errors, is_an_error);
    UNIT_TABLE(names, comes_back);
    UNIT_RULE(an_interface_is_added_once_and_has_a_name_that_fits);
    UNIT_RULE(interfaces_and_addresses_have_a_limit);
    ce_node_destroy(NULL);
    return UNIT_RUN("model/node");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "model/hca.h"

#include "../unit.h"
#include "model/node.h"

#define FRAMED(lines) "format=1\n" lines "end=1\n"

/* A device of which everything is known. */
static const char known[] =
    FRAMED("ib.mlx5_0.node_type=1\nib.mlx5_0.type=MT4129\nib.mlx5_0.board_id=MT_0000000838\n"
           "ib.mlx5_0.firmware=28.39.1002\nib.mlx5_0.driver=mlx5_core\nib.mlx5_0.role=SW_MNG\n"
           "ib.mlx5_0.pci=0000:18:00.0\nib.mlx5_0.pci_id=15b3:1021\n"
           "ib.mlx5_0.path=pci0000:15/0000:15:01.0/0000:18:00.0\nib.mlx5_0.numa=0\n"
           "ib.mlx5_0.vf=1\nib.mlx5_0.opens=1\nib.mlx5_0.netdev.0=eth1\nib.mlx5_0.netdev.1=bond0\n"
           "ib.mlx5_0.gpu.0=PIX\nib.mlx5_0.gpu.1=SYS\n"
           "ib.mlx5_0.1.state=4\nib.mlx5_0.1.phys_state=5\nib.mlx5_0.1.link_layer=ethernet\n"
           "ib.mlx5_0.1.rate_mbps=400000\nib.mlx5_0.1.width=4\n"
           "ib.mlx5_0.1.gid.0=fe80::1 v1\nib.mlx5_0.1.gid.3=10.0.0.1 v2 eth1\n"
           "ib.mlx5_0.1.gid.200=fd00::1 unknown\n"
           "ib.mlx5_0.2.state=1\nib.mlx5_0.2.link_layer=infiniband\n");

static struct ce_node *parse(const char *text)
{
    struct ce_error err = {""};
    struct ce_node *node = ce_node_parse(text, &err);
    assert_string_equal(err.text, "");
    assert_non_null(node);
    return node;
}

static void is_written_as(const struct ce_node *node, const char *expected)
{
    ce_autotext struct ce_text text = CE_TEXT(1 << 20);
    ce_node_write(node, &text);
    assert_true(ce_text_ok(&text));
    assert_string_equal(ce_text_string(&text), expected);
}

static void every_fact_is_read(void **state)
{
    (void)state;
    ce_auto(ce_node_destroy) struct ce_node *node = parse(known);
    const struct ce_hca *hca = ce_node_find_hca(node, "mlx5_0");
    assert_non_null(hca);
    assert_int_equal(hca->node_type, 1);
    assert_string_equal(hca->type, "MT4129");
    assert_string_equal(hca->board_id, "MT_0000000838");
    assert_string_equal(hca->firmware, "28.39.1002");
    assert_string_equal(hca->driver, "mlx5_core");
    assert_string_equal(hca->role, "SW_MNG");
    assert_string_equal(hca->pci.address, "0000:18:00.0");
    assert_true(hca->virtual_function);
    assert_int_equal(hca->opens, CE_ANSWER_YES);
    assert_int_equal(hca->netdev_count, 2);
    assert_true(ce_hca_has_netdev(hca, "bond0"));
    assert_false(ce_hca_has_netdev(hca, "bond"));
    assert_int_equal(hca->gpus[0], CE_PIX);
    assert_int_equal(hca->gpus[1], CE_SYS);
    assert_int_equal(hca->gpus[2], CE_DISTANCE_UNKNOWN);
    assert_int_equal(hca->port_count, 2);
    assert_true(ce_hca_is_active(hca));
}

static void every_fact_of_a_port_is_read(void **state)
{
    (void)state;
    ce_auto(ce_node_destroy) struct ce_node *node = parse(known);
    const struct ce_hca_port *port = &node->hcas[0].ports[0];
    assert_int_equal(port->number, 1);
    assert_int_equal(port->state, CE_PORT_ACTIVE);
    assert_int_equal(port->phys_state, CE_PHYS_LINK_UP);
    assert_int_equal(port->link_layer, CE_LINK_ETHERNET);
    assert_int_equal(port->rate_mbps, 400000);
    assert_int_equal(port->width, 4);
    assert_int_equal(port->gid_count, 3);
    assert_int_equal(port->gids[1].index, 3);
    assert_int_equal(port->gids[1].type, CE_GID_ROCE_V2);
    assert_int_equal(port->gids[1].address.family, AF_INET);
    assert_string_equal(port->gids[1].netdev, "eth1");
    assert_int_equal(port->gids[2].type, CE_GID_UNKNOWN);
    assert_string_equal(port->gids[0].netdev, "");
    assert_int_equal(node->hcas[0].ports[1].rate_mbps, 0);
}

static void what_is_read_is_written_again(void **state)
{
    (void)state;
    ce_auto(ce_node_destroy) struct ce_node *node = parse(known);
    is_written_as(node, known);
}

static const struct reads_row {
    const char *name, *lines, *written;
} reads[] = {
    {"a_device_of_which_only_the_name_is_known", "ib.a.zz=1\n", "ib.a.vf=0\n"},
    {"that_it_does_not_open_is_another_fact_than_not_known", "ib.a.vf=0\nib.a.opens=0\n", NULL},
    {"a_link_layer_of_a_newer_writer_is_unknown", "ib.a.1.link_layer=photons\n",
     "ib.a.vf=0\nib.a.1.state=0\n"},
    {"a_gid_type_of_a_newer_writer_is_unknown", "ib.a.1.gid.0=fe80::1 v3\n",
     "ib.a.vf=0\nib.a.1.state=0\nib.a.1.gid.0=fe80::1 unknown\n"},
    {"ports_come_by_number", "ib.a.2.state=1\nib.a.1.state=4\n",
     "ib.a.vf=0\nib.a.1.state=4\nib.a.2.state=1\n"},
    {"a_port_of_two_digits_that_are_one_is_passed_over", "ib.a.01.state=4\nib.a.1.state=3\n",
     "ib.a.vf=0\nib.a.1.state=3\n"},
    {"port_0_of_a_switch_is_passed_over", "ib.a.0.state=4\n", "ib.a.vf=0\n"},
    {"a_dot_in_a_name_is_escaped", "ib.a%2eb.vf=1\n", NULL},
    {"devices_keep_their_order", "ib.mlx5_2.vf=0\nib.mlx5_10.vf=0\n", NULL},
    {"a_netdev_behind_a_gap_is_not_read", "ib.a.vf=0\nib.a.netdev.1=eth1\n", "ib.a.vf=0\n"},
};

static void reads_as(void **state)
{
    const struct reads_row *row = *state;
    char text[1024], expected[1024];
    snprintf(text, sizeof text, FRAMED("%s"), row->lines);
    snprintf(expected, sizeof expected, FRAMED("%s"), row->written ? row->written : row->lines);
    ce_auto(ce_node_destroy) struct ce_node *node = parse(text);
    is_written_as(node, expected);
}

#define LONG64 "0123456789012345678901234567890123456789012345678901234567890123"

static const struct error_row {
    const char *name, *lines, *reason;
} errors[] = {
    {"a_name_of_64_bytes_is_an_error", "ib." LONG64 ".vf=1\n", "not the name of a device"},
    {"a_name_that_is_not_escaped_rightly_is_an_error", "ib.a%zz.vf=1\n",
     "not the name of a device"},
    {"two_ways_to_write_a_name_are_one_device", "ib.a.vf=1\nib.%61.vf=0\n", "stands there twice"},
    {"a_word_of_64_bytes_is_an_error", "ib.a.type=" LONG64 "\n", "longer than 63 bytes"},
    {"a_state_is_a_number", "ib.a.1.state=ACTIVE\n", "ib.a.1.state=ACTIVE"},
    {"a_rate_below_zero_is_an_error", "ib.a.1.rate_mbps=-400\n", "ib.a.1.rate_mbps=-400"},
    {"vf_is_0_or_1", "ib.a.vf=2\n", "ib.a.vf=2"},
    {"opens_is_0_or_1", "ib.a.opens=yes\n", "ib.a.opens=yes"},
    {"a_distance_is_one_of_five", "ib.a.gpu.3=PEX\n", "ib.a.gpu.3=PEX: expected PIX"},
    {"a_gid_has_a_type", "ib.a.1.gid.0=fe80::1\n", "ib.a.1.gid.0=fe80::1"},
    {"a_gid_is_an_address", "ib.a.1.gid.0=fe80:1 v2\n", "ib.a.1.gid.0=fe80:1 v2"},
    {"a_gid_has_an_index", "ib.a.1.gid.x=fe80::1 v2\n", "ib.a.1.gid.x="},
    {"an_index_is_written_in_one_way", "ib.a.1.gid.01=fe80::1 v2\n", "ib.a.1.gid.01="},
    {"a_netdev_is_an_interface_name", "ib.a.netdev.0=0123456789012345\n", "not an interface name"},
    {"nine_ports_are_an_error",
     "ib.a.1.state=1\nib.a.2.state=1\nib.a.3.state=1\nib.a.4.state=1\nib.a.5.state=1\n"
     "ib.a.6.state=1\nib.a.7.state=1\nib.a.8.state=1\nib.a.9.state=1\n",
     "ib.a: more than 8 ports"},
};

static void is_an_error(void **state)
{
    const struct error_row *row = *state;
    struct ce_error err = {""};
    char text[1024];
    snprintf(text, sizeof text, FRAMED("%s"), row->lines);
    assert_null(ce_node_parse(text, &err));
    unit_holds(err.text, row->reason);
}

static void more_gids_than_are_kept_are_an_error(void **state)
{
    struct ce_error err = {""};
    ce_autotext struct ce_text text = CE_TEXT(4096);
    (void)state;
    ce_text_add(&text, "format=1\n");
    for (int i = 0; i <= CE_PORT_GIDS_MAX; i++)
        ce_text_addf(&text, "ib.a.1.gid.%d=fe80::1 v2\n", i);
    ce_text_add(&text, "end=1\n");
    assert_null(ce_node_parse(ce_text_string(&text), &err));
    unit_holds(err.text, "expected up to 16");
}

static void states_have_names(void **state)
{
    enum ce_link_layer read;
    (void)state;
    assert_string_equal(ce_hca_state_name(CE_PORT_ACTIVE), "ACTIVE");
    assert_string_equal(ce_hca_state_name(CE_PORT_DOWN), "DOWN");
    assert_string_equal(ce_hca_state_name(0), "unknown");
    assert_string_equal(ce_hca_state_name(255), "unknown");
    assert_string_equal(ce_hca_phys_name(CE_PHYS_POLLING), "Polling");
    assert_string_equal(ce_hca_phys_name(99), "unknown");
    assert_string_equal(ce_link_layer_name(CE_LINK_INFINIBAND), "infiniband");
    assert_int_equal(ce_link_layer_parse("ethernet", &read), 0);
    assert_int_equal(read, CE_LINK_ETHERNET);
    assert_int_equal(ce_link_layer_parse("Ethernet", &read), -1);
    assert_int_equal(ce_link_layer_parse("unknown", &read), -1);
}

static void a_port_is_added_once_and_in_its_place(void **state)
{
    struct ce_hca hca = {.pci.numa = CE_NUMA_UNKNOWN};
    (void)state;
    assert_non_null(ce_hca_add_port(&hca, 3));
    assert_int_equal(ce_hca_add_port(&hca, 1)->number, 1);
    assert_int_equal(ce_hca_add_port(&hca, 2)->number, 2);
    assert_null(ce_hca_add_port(&hca, 2));
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(hca.ports[i].number, i + 1);
    assert_false(ce_hca_is_active(&hca));
    ce_hca_free(&hca);
    assert_int_equal(hca.port_count, 0);
}

int main(void)
{
    UNIT_RULE(every_fact_is_read);
    UNIT_RULE(every_fact_of_a_port_is_read);
    UNIT_RULE(what_is_read_is_written_again);
    UNIT_TABLE(reads, reads_as);
    UNIT_TABLE(errors, is_an_error);
    UNIT_RULE(more_gids_than_are_kept_are_an_error);
    UNIT_RULE(states_have_names);
    UNIT_RULE(a_port_is_added_once_and_in_its_place);
    return UNIT_RUN("model/hca");
}

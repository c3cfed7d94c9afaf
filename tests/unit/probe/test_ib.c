/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/ib.h"

#include "tree.h"

#define DEVICE "sys/class/infiniband/mlx5_0"
#define PORT DEVICE "/ports/1"
#define PF "sys/bus/pci/devices/0000:18:00.0"

static struct ce_node *probe(struct tree *tree)
{
    struct ce_error err = {""};
    struct ce_node *node = ce_node_create();
    assert_non_null(node);
    assert_int_equal(ce_probe_ib(&tree->root, node, &err), 0);
    assert_string_equal(err.text, "");
    return node;
}

/* What is probed has a text that can be read again, whatever stood in the files. */
static void has_a_text(const struct ce_node *node)
{
    struct ce_error err = {""};
    ce_autotext struct ce_text text = CE_TEXT(16 << 20);
    ce_node_write(node, &text);
    assert_true(ce_text_ok(&text));
    ce_auto(ce_node_destroy) struct ce_node *again = ce_node_parse(ce_text_string(&text), &err);
    assert_string_equal(err.text, "");
    assert_int_equal(again->hca_count, node->hca_count);
}

/* ---------------------------------------------------------------- files of a port */

#define LONG4K "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const struct port_row {
    const char *name, *state, *phys, *link_layer, *rate; /* NULL: no such file */
    unsigned is_state, is_phys;
    enum ce_link_layer is_link_layer;
    unsigned mbps, width;
} ports[] = {
    {"an_infiniband_port", "4: ACTIVE\n", "5: LinkUp\n", "InfiniBand\n", "400 Gb/sec (4X NDR)\n", 4,
     5, CE_LINK_INFINIBAND, 400000, 4},
    {"an_ethernet_port", "4: ACTIVE\n", "5: LinkUp\n", "Ethernet\n", "25 Gb/sec (1X EDR)\n", 4, 5,
     CE_LINK_ETHERNET, 25000, 1},
    {"a_port_that_is_down", "1: DOWN\n", "2: Polling\n", "InfiniBand\n", "40 Gb/sec (4X QDR)\n", 1,
     2, CE_LINK_INFINIBAND, 40000, 4},
    {"a_rate_with_tenths", "4: ACTIVE\n", "5: LinkUp\n", "Ethernet\n", "2.5 Gb/sec (1X SDR)\n", 4,
     5, CE_LINK_ETHERNET, 2500, 1},
    {"a_rate_without_lanes", NULL, NULL, NULL, "800 Gb/sec\n", 0, 0, CE_LINK_UNKNOWN, 800000, 0},
    {"a_rate_with_odd_lanes", NULL, NULL, NULL, "800 Gb/sec (many)\n", 0, 0, CE_LINK_UNKNOWN,
     800000, 0},
    {"nothing_is_unknown", NULL, NULL, NULL, NULL, 0, 0, CE_LINK_UNKNOWN, 0, 0},
    {"empty_files_are_unknown", "", "", "", "", 0, 0, CE_LINK_UNKNOWN, 0, 0},
    {"a_number_alone_is_a_state", "4\n", "5", "InfiniBand", "", 4, 5, CE_LINK_INFINIBAND, 0, 0},
    {"a_word_alone_is_unknown", "ACTIVE\n", "LinkUp\n", "infiniband\n", "NDR\n", 0, 0,
     CE_LINK_UNKNOWN, 0, 0},
    {"numbers_below_zero_are_unknown", "-4: ACTIVE\n", "-1: x\n", "InfiniBand\n",
     "-400 Gb/sec (4X NDR)\n", 0, 0, CE_LINK_INFINIBAND, 0, 0},
    {"numbers_past_all_are_unknown", "256: ACTIVE\n", "99999999999999999999: x\n", "Ethernet\n",
     "99999999999999999999 Gb/sec (4X NDR)\n", 0, 0, CE_LINK_ETHERNET, 0, 0},
    {"lanes_past_all_are_unknown", "4: ACTIVE\n", NULL, NULL, "400 Gb/sec (400X NDR)\n", 4, 0,
     CE_LINK_UNKNOWN, 400000, 0},
    {"another_unit_is_unknown", NULL, NULL, NULL, "400 Mb/sec (4X NDR)\n", 0, 0, CE_LINK_UNKNOWN, 0,
     0},
    {"lines_of_more_than_any_name_are_unknown", LONG4K LONG4K, LONG4K LONG4K, LONG4K LONG4K,
     LONG4K LONG4K, 0, 0, CE_LINK_UNKNOWN, 0, 0},
    {"an_escape_sequence_is_unknown", "4\033[2J: ACTIVE\n", "5: \033[31m\n", "Ethernet\007\n",
     "400 Gb/sec (4X \001)\n", 0, 0, CE_LINK_UNKNOWN, 0, 0},
};

static void port_is(void **state)
{
    const struct port_row *row = *state;
    struct tree tree = tree_make();
    tree_put(&tree, PORT, "state", row->state);
    tree_put(&tree, PORT, "phys_state", row->phys);
    tree_put(&tree, PORT, "link_layer", row->link_layer);
    tree_put(&tree, PORT, "rate", row->rate);
    ce_auto(ce_node_destroy) struct ce_node *node = probe(&tree);
    tree_remove(&tree);
    assert_int_equal(node->hca_count, 1);
    assert_int_equal(node->hcas[0].port_count, 1);
    const struct ce_hca_port *port = &node->hcas[0].ports[0];
    assert_int_equal(port->state, row->is_state);
    assert_int_equal(port->phys_state, row->is_phys);
    assert_string_equal(ce_link_layer_name(port->link_layer),
                        ce_link_layer_name(row->is_link_layer));
    assert_int_equal(port->rate_mbps, row->mbps);
    assert_int_equal(port->width, row->width);
    has_a_text(node);
}

/* ---------------------------------------------------------------- GIDs */

#define ZERO "0000:0000:0000:0000:0000:0000:0000:0000\n"
#define LOCAL "fe80:0000:0000:0000:a088:c2ff:fe00:0001\n"
#define MAPPED "0000:0000:0000:0000:0000:ffff:0ae0:012a\n"

static const struct gid_row {
    const char *name, *link_layer, *gid, *type, *netdev;
    const char *written; /* "": it is none */
} gids[] = {
    {"a_mapped_address_is_one_of_ipv4", "Ethernet", MAPPED, "RoCE v2\n", "eth1\n",
     "10.224.1.42 v2 eth1"},
    {"a_link_local_gid_is_one", "Ethernet", LOCAL, "IB/RoCE v1\n", "eth1\n",
     "fe80::a088:c2ff:fe00:1 v1 eth1"},
    {"on_infiniband_the_type_is_ib", "InfiniBand", LOCAL, "IB/RoCE v1\n", NULL,
     "fe80::a088:c2ff:fe00:1 ib"},
    {"a_type_that_cannot_be_read_is_unknown", "Ethernet", LOCAL, NULL, NULL,
     "fe80::a088:c2ff:fe00:1 unknown"},
    {"a_type_of_a_newer_kernel_is_unknown", "Ethernet", LOCAL, "RoCE v3\n", NULL,
     "fe80::a088:c2ff:fe00:1 unknown"},
    {"an_interface_name_that_is_too_long_is_none", "Ethernet", LOCAL, "RoCE v2\n",
     "0123456789012345\n", "fe80::a088:c2ff:fe00:1 v2"},
    {"an_interface_name_with_a_blank_is_none", "Ethernet", LOCAL, "RoCE v2\n", "eth1 v1\n",
     "fe80::a088:c2ff:fe00:1 v2"},
    {"an_interface_of_another_namespace_is_none", "Ethernet", LOCAL, "RoCE v2\n", "eth2\n",
     "fe80::a088:c2ff:fe00:1 v2"},
    {"an_interface_that_is_a_path_is_none", "Ethernet", LOCAL, "RoCE v2\n", "../net/eth1\n",
     "fe80::a088:c2ff:fe00:1 v2"},
    {"an_empty_gid_is_none", "Ethernet", ZERO, "RoCE v2\n", "eth1\n", ""},
    {"what_is_no_gid_is_none", "Ethernet", "10.224.1.42\n", "RoCE v2\n", "eth1\n", ""},
    {"a_gid_cut_short_is_none", "Ethernet", "fe80:0000:0000:0000:a088\n", "RoCE v2\n", "eth1\n",
     ""},
    {"an_empty_file_is_none", "Ethernet", "", "RoCE v2\n", "eth1\n", ""},
};

static void gid_is(void **state)
{
    const struct gid_row *row = *state;
    struct tree tree = tree_make();
    char line[256];
    tree_put(&tree, PORT, "link_layer", row->link_layer);
    tree_put(&tree, PORT "/gids", "0", row->gid);
    tree_put(&tree, PORT "/gid_attrs/types", "0", row->type);
    tree_put(&tree, PORT "/gid_attrs/ndevs", "0", row->netdev);
    tree_folders(&tree, "sys/class/net/eth1/");
    ce_auto(ce_node_destroy) struct ce_node *node = probe(&tree);
    tree_remove(&tree);
    ce_autotext struct ce_text text = CE_TEXT(1 << 16);
    ce_node_write(node, &text);
    snprintf(line, sizeof line, "\nib.mlx5_0.1.gid.0=%s\n", row->written);
    if (row->written[0])
        unit_holds(ce_text_string(&text), line);
    else
        assert_int_equal(node->hcas[0].ports[0].gid_count, 0);
    has_a_text(node);
}

static void put_gid(const struct tree *tree, unsigned index, const char *gid)
{
    char name[16];
    snprintf(name, sizeof name, "%u", index);
    tree_put(tree, PORT "/gids", name, gid);
}

static void gids_behind_empty_ones_are_seen(void **state)
{
    struct tree tree = tree_make();
    (void)state;
    for (unsigned i = 0; i < 40; i++)
        put_gid(&tree, i, i == 1 || i == 30 ? LOCAL : ZERO);
    ce_auto(ce_node_destroy) struct ce_node *node = probe(&tree);
    tree_remove(&tree);
    const struct ce_hca_port *port = &node->hcas[0].ports[0];
    assert_int_equal(port->gid_count, 2);
    assert_int_equal(port->gids[0].index, 1);
    assert_int_equal(port->gids[1].index, 30);
}

static void of_a_full_table_the_first_are_kept(void **state)
{
    struct tree tree = tree_make();
    (void)state;
    for (unsigned i = 0; i < 256; i++)
        put_gid(&tree, i, LOCAL);
    ce_auto(ce_node_destroy) struct ce_node *node = probe(&tree);
    tree_remove(&tree);
    assert_int_equal(node->hcas[0].ports[0].gid_count, CE_PORT_GIDS_MAX);
    assert_int_equal(node->hcas[0].ports[0].gids[CE_PORT_GIDS_MAX - 1].index, CE_PORT_GIDS_MAX - 1);
    has_a_text(node);
}

/* ---------------------------------------------------------------- the device */

static const struct role_row {
    const char *name, *vpd, *vendor, *link_layer, *role;
    size_t length; /* 0: up to its end */
} roles[] = {
    {"a_management_bridge_says_so", "\x90MLX:MODL=C7:SMDL=SW_MNG:X", "0x15b3", "InfiniBand",
     "SW_MNG", 0},
    {"a_word_at_the_end_is_whole", "SMDL=SW_MNG", "0x15b3", "InfiniBand", "SW_MNG", 0},
    {"binary_around_it_does_not_matter", "\0\0\x82SMDL=SW_MNG\0\x78", "0x15b3", "InfiniBand",
     "SW_MNG", 16},
    {"the_word_alone_is_enough", "\x82 ConnectX-7 SW_MNG\x78", "0x15b3", "InfiniBand", "SW_MNG", 0},
    {"another_role_is_told_too", "SMDL=HCA2", "0x15b3", "InfiniBand", "HCA2", 0},
    {"an_empty_role_is_none", "SMDL=", "0x15b3", "InfiniBand", "", 0},
    {"a_key_cut_short_is_none", "SMDL", "0x15b3", "InfiniBand", "", 0},
    {"no_role_is_none", "MLX:MODL=C7", "0x15b3", "InfiniBand", "", 0},
    {"an_empty_file_is_none", "", "0x15b3", "InfiniBand", "", 0},
    {"other_vendors_are_not_asked", "SMDL=SW_MNG", "0x1d0f", "InfiniBand", "", 0},
    {"ethernet_is_not_asked", "SMDL=SW_MNG", "0x15b3", "Ethernet", "", 0},
    {"a_word_longer_than_all_is_cut", "SMDL=" LONG4K, "0x15b3", "InfiniBand", "0123456789", 0},
};

static struct tree with_device(const char *vendor, const char *id)
{
    struct tree tree = tree_make();
    tree_put(&tree, DEVICE, "node_type", "1: CA\n");
    tree_link(&tree, DEVICE "/device", "../../../bus/pci/devices/0000:18:00.0");
    tree_put(&tree, PF, "vendor", vendor);
    tree_put(&tree, PF, "device", id);
    return tree;
}

static void role_is(void **state)
{
    const struct role_row *row = *state;
    struct tree tree = with_device(row->vendor, "0x1021");
    tree_put(&tree, PORT, "link_layer", row->link_layer);
    unit_dir_writen(&tree.dir, PF "/vpd", row->vpd, row->length ? row->length : strlen(row->vpd),
                    0644);
    ce_auto(ce_node_destroy) struct ce_node *node = probe(&tree);
    tree_remove(&tree);
    assert_string_equal(node->hcas[0].role, row->role);
}

static const struct vf_row {
    const char *name, *vendor, *id;
    bool physfn, vf;
} vfs[] = {
    {"a_function_with_a_physical_one_is_virtual", "0x1d0f", "0xefa2", true, true},
    {"in_a_virtual_machine_the_id_tells", "0x15b3", "0x101e", false, true},
    {"a_physical_function_is_none", "0x15b3", "0x1021", false, false},
    {"the_id_of_another_vendor_tells_nothing", "0x8086", "0x101e", false, false},
    {"nothing_known_is_none", NULL, NULL, false, false},
};

static void vf_is(void **state)
{
    const struct vf_row *row = *state;
    struct tree tree = with_device(row->vendor, row->id);
    if (row->physfn)
        tree_put(&tree, PF "/physfn", "vendor", "0x1d0f\n");
    ce_auto(ce_node_destroy) struct ce_node *node = probe(&tree);
    tree_remove(&tree);
    assert_int_equal(node->hcas[0].virtual_function, row->vf);
    assert_string_equal(node->hcas[0].pci.address, "0000:18:00.0");
}

static void words_lose_blanks_at_their_end(void **state)
{
    struct tree tree = with_device("0x15b3\n", "0x1021\n");
    (void)state;
    tree_put(&tree, DEVICE, "hca_type", "MT4129  \n");
    tree_put(&tree, DEVICE, "board_id", "   \n");
    tree_put(&tree, DEVICE, "fw_ver", LONG4K "\n");
    tree_link(&tree, PF "/driver", "../../../../bus/pci/drivers/mlx5_core");
    ce_auto(ce_node_destroy) struct ce_node *node = probe(&tree);
    tree_remove(&tree);
    assert_string_equal(node->hcas[0].type, "MT4129");
    assert_string_equal(node->hcas[0].board_id, "");
    assert_string_equal(node->hcas[0].firmware, "");
    assert_string_equal(node->hcas[0].driver, "mlx5_core");
    assert_int_equal(node->hcas[0].node_type, 1);
}

static void interfaces_of_gids_come_before_representors(void **state)
{
    char name[32];
    struct tree tree = with_device("0x15b3\n", "0x1021\n");
    (void)state;
    for (unsigned i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "eth0npf0vf%u", i);
        tree_put(&tree, PF "/net", name, "");
    }
    tree_put(&tree, PF "/net", "zz0", "");
    tree_folders(&tree, "sys/class/net/zz0/");
    put_gid(&tree, 0, LOCAL);
    tree_put(&tree, PORT "/gid_attrs/ndevs", "0", "zz0\n");
    ce_auto(ce_node_destroy) struct ce_node *node = probe(&tree);
    tree_remove(&tree);
    assert_int_equal(node->hcas[0].netdev_count, CE_HCA_NETDEVS_MAX);
    assert_string_equal(node->hcas[0].netdevs[0], "zz0");
    assert_string_equal(node->hcas[0].netdevs[1], "eth0npf0vf0");
    has_a_text(node);
}

/* ---------------------------------------------------------------- absurd trees */

static void no_rdma_is_no_device(void **state)
{
    struct tree tree = tree_make();
    (void)state;
    ce_auto(ce_node_destroy) struct ce_node *node = probe(&tree);
    assert_int_equal(node->hca_count, 0);
    tree_folders(&tree, "sys/class/infiniband/");
    ce_auto(ce_node_destroy) struct ce_node *again = probe(&tree);
    assert_int_equal(again->hca_count, 0);
    tree_remove(&tree);
}

static void what_is_no_folder_is_no_device(void **state)
{
    struct tree tree = tree_make();
    (void)state;
    tree_put(&tree, "sys/class/infiniband", "mlx5_9", "a file\n");
    tree_link(&tree, "sys/class/infiniband/mlx5_8", "nowhere");
    tree_link(&tree, "sys/class/infiniband/mlx5_7", "mlx5_7");
    tree_folders(&tree, "sys/class/infiniband/" LONG4K "/");
    tree_folders(&tree, "sys/class/infiniband/mlx5_0/");
    ce_auto(ce_node_destroy) struct ce_node *node = probe(&tree);
    tree_remove(&tree);
    assert_int_equal(node->hca_count, 1);
    assert_string_equal(node->hcas[0].name, "mlx5_0");
    assert_int_equal(node->hcas[0].port_count, 0);
}

static void an_odd_name_has_a_key(void **state)
{
    struct tree tree = tree_make();
    (void)state;
    tree_folders(&tree, "sys/class/infiniband/a b\n\033=\xff./");
    ce_auto(ce_node_destroy) struct ce_node *node = probe(&tree);
    tree_remove(&tree);
    assert_int_equal(node->hca_count, 1);
    has_a_text(node);
}

static void a_state_that_never_answers_is_unknown(void **state)
{
    struct tree tree = tree_make();
    (void)state;
    tree_put(&tree, PORT, "rate", "400 Gb/sec (4X NDR)\n");
    assert_int_equal(mkfifoat(tree.dir.fd, PORT "/state", 0644), 0);
    int writer = openat(tree.dir.fd, PORT "/state", O_RDWR | O_CLOEXEC);
    ce_auto(ce_node_destroy) struct ce_node *node = probe(&tree);
    close(writer);
    tree_remove(&tree);
    assert_int_equal(node->hcas[0].ports[0].state, 0);
    assert_int_equal(node->hcas[0].ports[0].rate_mbps, 400000);
}

static void loops_and_folders_in_place_of_files_are_unknown(void **state)
{
    struct tree tree = tree_make();
    (void)state;
    tree_link(&tree, PORT "/state", "phys_state");
    tree_link(&tree, PORT "/phys_state", "state");
    tree_link(&tree, PORT "/gids", ".");
    tree_link(&tree, DEVICE "/device", "device");
    tree_folders(&tree, DEVICE "/hca_type/");
    tree_link(&tree, DEVICE "/ports/2", "../ports/1");
    tree_link(&tree, DEVICE "/ports/3", "3");
    ce_auto(ce_node_destroy) struct ce_node *node = probe(&tree);
    tree_remove(&tree);
    assert_int_equal(node->hcas[0].port_count, 2);
    assert_int_equal(node->hcas[0].ports[0].state, 0);
    assert_string_equal(node->hcas[0].type, "");
    assert_string_equal(node->hcas[0].pci.address, "");
}

static void many_devices(struct tree *tree, unsigned count)
{
    char folder[128];
    for (unsigned i = 0; i < count; i++) {
        snprintf(folder, sizeof folder, "sys/class/infiniband/mlx5_%u/ports/1", i);
        tree_put(tree, folder, "state", "4: ACTIVE\n");
    }
}

static const struct count_row {
    const char *name;
    unsigned count;
} counts[] = {
    {"64_devices_are_all_there_in_order", 64},
    {"700_virtual_functions_are_all_there_in_order", 700},
    {"as_many_devices_as_are_kept", CE_HCA_MAX},
};

static void all_are_there(void **state)
{
    const struct count_row *row = *state;
    struct tree tree = tree_make();
    char name[32];
    many_devices(&tree, row->count);
    ce_auto(ce_node_destroy) struct ce_node *node = probe(&tree);
    tree_remove(&tree);
    assert_int_equal(node->hca_count, row->count);
    for (unsigned i = 0; i < row->count; i++) {
        snprintf(name, sizeof name, "mlx5_%u", i);
        assert_string_equal(node->hcas[i].name, name);
        assert_int_equal(node->hcas[i].ports[0].state, CE_PORT_ACTIVE);
    }
    has_a_text(node);
}

static void more_devices_than_are_kept_are_an_error(void **state)
{
    struct tree tree = tree_make();
    struct ce_error err = {""};
    (void)state;
    many_devices(&tree, CE_HCA_MAX + 1);
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    assert_int_equal(ce_probe_ib(&tree.root, node, &err), -1);
    tree_remove(&tree);
    unit_holds(err.text, "/sys/class/infiniband: more than 1024 devices");
}

static void files_that_may_not_be_read_are_unknown(void **state)
{
    struct tree tree = tree_make();
    (void)state;
    tree_put(&tree, PORT, "rate", "400 Gb/sec (4X NDR)\n");
    unit_dir_writen(&tree.dir, PORT "/state", "4: ACTIVE\n", 10, 0);
    unit_leave_root();
    ce_auto(ce_node_destroy) struct ce_node *node = probe(&tree);
    unit_return_to_root();
    tree_remove(&tree);
    assert_int_equal(node->hcas[0].ports[0].state, 0);
    assert_int_equal(node->hcas[0].ports[0].rate_mbps, 400000);
}

int main(void)
{
    UNIT_TABLE(ports, port_is);
    UNIT_TABLE(gids, gid_is);
    UNIT_RULE(gids_behind_empty_ones_are_seen);
    UNIT_RULE(of_a_full_table_the_first_are_kept);
    UNIT_TABLE(roles, role_is);
    UNIT_TABLE(vfs, vf_is);
    UNIT_RULE(words_lose_blanks_at_their_end);
    UNIT_RULE(interfaces_of_gids_come_before_representors);
    UNIT_RULE(no_rdma_is_no_device);
    UNIT_RULE(what_is_no_folder_is_no_device);
    UNIT_RULE(an_odd_name_has_a_key);
    UNIT_RULE(a_state_that_never_answers_is_unknown);
    UNIT_RULE(loops_and_folders_in_place_of_files_are_unknown);
    UNIT_TABLE(counts, all_are_there);
    UNIT_RULE(more_devices_than_are_kept_are_an_error);
    UNIT_RULE(files_that_may_not_be_read_are_unknown);
    return UNIT_RUN("probe/ib");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Each step of the choice, and each trap.  test_machines.c judges whole machines. */
#include "launch/rails.h"

#include "../unit.h"
#include "base/text.h"
#include "launch/nccl_list.h"

/* ---------------------------------------------------------------- machines in a few words */

enum { DEVICES = 20, INTERFACES = 6 };

/* What is left out: a port of a ConnectX-7 that is up, as far from every GPU as from another. */
struct device {
    const char *name;
    const char *pci; /* "18:00.0" is in domain 0000 */
    enum ce_link_layer layer;
    unsigned gbps;             /* 0: down, at the 40 Gb/s that sysfs then shows */
    enum ce_distance distance; /* to one GPU; the others are SYS away */
    const char *type, *board, *netdev, *role, *driver;
    enum ce_answer opens;
    unsigned node_type, ports;
};

struct interface {
    const char *name;
    bool gateway; /* carries the default route */
    const char *master;
    enum ce_netif_kind kind;
    const char *driver;
};

#define IB CE_LINK_INFINIBAND
#define ETH CE_LINK_ETHERNET

static struct ce_hca *add_device(struct ce_node *node, const struct device *device)
{
    struct ce_hca *hca = ce_node_add_hca(node, device->name);
    assert_non_null(hca);
    bool domain = strlen(device->pci) > 7;
    snprintf(hca->pci.address, sizeof hca->pci.address, "%s%s", domain ? "" : "0000:", device->pci);
    snprintf(hca->type, sizeof hca->type, "%s", device->type ? device->type : "MT4129");
    snprintf(hca->board_id, sizeof hca->board_id, "%s", device->board ? device->board : "");
    snprintf(hca->role, sizeof hca->role, "%s", device->role ? device->role : "");
    snprintf(hca->driver, sizeof hca->driver, "%s", device->driver ? device->driver : "mlx5_core");
    hca->node_type = device->node_type;
    hca->opens = device->opens;
    if (device->netdev)
        snprintf(hca->netdevs[hca->netdev_count++], CE_NETIF_NAME, "%s", device->netdev);
    for (unsigned i = 0; device->distance && i < node->gpu_count; i++)
        hca->gpus[i] = i == (node->hca_count - 1) % node->gpu_count ? device->distance : CE_SYS;
    for (unsigned i = 1; i <= (device->ports ? device->ports : 1); i++) {
        struct ce_hca_port *port = ce_hca_add_port(hca, i);
        assert_non_null(port);
        port->link_layer = device->layer;
        port->state = device->gbps ? CE_PORT_ACTIVE : CE_PORT_DOWN;
        port->phys_state = device->gbps ? CE_PHYS_LINK_UP : CE_PHYS_POLLING;
        port->rate_mbps = device->gbps ? device->gbps * 1000 : 40000;
    }
    return hca;
}

static void add_interface(struct ce_node *node, const struct interface *interface)
{
    struct ce_netif *netif = ce_node_add_netif(node, interface->name);
    assert_non_null(netif);
    netif->kind = interface->kind ? interface->kind : CE_NETIF_ETHERNET;
    netif->default_route = interface->gateway;
    snprintf(netif->master, sizeof netif->master, "%s", interface->master ? interface->master : "");
    snprintf(netif->driver, sizeof netif->driver, "%s", interface->driver ? interface->driver : "");
}

static struct ce_node *build(unsigned gpus, const struct device *devices,
                             const struct interface *interfaces)
{
    struct ce_node *node = ce_node_create();
    assert_non_null(node);
    for (unsigned i = 0; i < gpus; i++)
        assert_non_null(ce_node_add_gpu(node));
    for (size_t i = 0; interfaces && i < INTERFACES && interfaces[i].name; i++)
        add_interface(node, &interfaces[i]);
    for (size_t i = 0; devices && i < DEVICES && devices[i].name; i++)
        add_device(node, &devices[i]);
    return node;
}

static void choose(const struct ce_node *node, struct ce_rails *rails)
{
    struct ce_error err = {""};
    assert_int_equal(ce_rails_choose(node, rails, &err), 0);
    assert_string_equal(err.text, "");
}

static const struct ce_rail *rail_of(const struct ce_rails *rails, const char *name)
{
    for (size_t i = 0; i < rails->port_count; i++)
        if (strcmp(rails->ports[i].hca->name, name) == 0)
            return &rails->ports[i];
    fail_msg("no %s", name);
    return NULL;
}

/* ---------------------------------------------------------------- what is chosen, and why */

#define FOUR_RAILS                                                                                 \
    {"mlx5_1", "18:00.0", IB, 400}, {"mlx5_2", "2a:00.0", IB, 400},                                \
        {"mlx5_3", "3a:00.0", IB, 400}, {"mlx5_4", "5d:00.0", IB, 400}
#define FOUR_ROCE_RAILS                                                                            \
    {"mlx5_1", "18:00.0", ETH, 400}, {"mlx5_2", "2a:00.0", ETH, 400},                              \
        {"mlx5_3", "3a:00.0", ETH, 400}, {"mlx5_4", "5d:00.0", ETH, 400}
#define ALL "every RDMA device is a rail"
#define TIE "two kinds of devices could be the rails"
#define NOTHING_LEFT "none of the RDMA devices could be a rail"

static const struct choice_row {
    const char *name;
    struct device devices[DEVICES];
    struct interface interfaces[INTERFACES];
    unsigned gpus;
    enum ce_rails_verdict verdict;
    enum ce_confidence confidence;
    const char *nccl;   /* NCCL_IB_HCA; "": not written */
    const char *reason; /* of all; with `device` of that one */
    const char *device;
} choices[] = {
    /* who decides */
    {"a_node_without_devices_has_no_rails", {{0}}, {{0}}, 8, CE_RAILS_NONE, 0, "",
     "no RDMA device", NULL},
    {"efa_decides_itself", {{"rdmap79s0", "4f:00.0", ETH, 100, .driver = "efa"}}, {{0}}, 8,
     CE_RAILS_PROVIDER, CE_CONFIDENCE_HIGH, "", "EFA: the provider's", NULL},
    {"efa_decides_for_its_neighbours_too",
     {FOUR_RAILS, {"rdmap79s0", "4f:00.0", ETH, 100, .driver = "efa"}}, {{0}}, 8,
     CE_RAILS_PROVIDER, CE_CONFIDENCE_HIGH, "", "left to the provider's plugin", "mlx5_1"},
    {"googles_interface_tells_of_googles_plugin", {FOUR_ROCE_RAILS}, {{"eth0", .driver = "gve"}}, 4,
     CE_RAILS_PROVIDER, CE_CONFIDENCE_HIGH, "", "gVNIC: the provider's", NULL},
    {"googles_interface_needs_no_device", {{0}}, {{"eth0", .driver = "gve"}}, 8,
     CE_RAILS_PROVIDER, CE_CONFIDENCE_HIGH, "", "gVNIC", NULL},
    /* what cannot be a rail */
    {"what_manages_nvlink_is_kept_out",
     {{"mlx5_0", "09:00.0", IB, 400, .role = "SW_MNG"}, FOUR_RAILS}, {{0}}, 4, CE_RAILS_CHOSEN,
     CE_CONFIDENCE_HIGH, "^=mlx5_0", "manages the NVLink switches", "mlx5_0"},
    {"what_cannot_be_opened_is_kept_out",
     {{"mlx5_0", "09:00.0", IB, 400, .opens = CE_ANSWER_NO}, FOUR_RAILS}, {{0}}, 4,
     CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "^=mlx5_0", "cannot be opened", "mlx5_0"},
    {"what_could_be_opened_is_a_rail",
     {{"mlx5_0", "09:00.0", IB, 400, .opens = CE_ANSWER_YES}, FOUR_RAILS}, {{0}}, 5,
     CE_RAILS_ALL, CE_CONFIDENCE_HIGH, "", ALL, NULL},
    {"a_switch_is_kept_out", {{"mlx5_0", "09:00.0", IB, 400, .node_type = 2}, FOUR_RAILS}, {{0}},
     4, CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "^=mlx5_0", "not a channel adapter", "mlx5_0"},
    {"another_link_layer_is_kept_out",
     {{"opa_0", "09:00.0", CE_LINK_UNKNOWN, 100}, FOUR_RAILS}, {{0}}, 4, CE_RAILS_CHOSEN,
     CE_CONFIDENCE_HIGH, "^=opa_0", "neither InfiniBand nor Ethernet", "opa_0"},
    {"devices_that_cannot_be_rails_leave_none",
     {{"mlx5_0", "09:00.0", IB, 400, .opens = CE_ANSWER_NO}}, {{0}}, 4, CE_RAILS_UNSURE,
     CE_CONFIDENCE_LOW, "", NOTHING_LEFT, NULL},
    {"an_interface_in_another_namespace_is_not_needed", {FOUR_ROCE_RAILS}, {{0}}, 4, CE_RAILS_ALL,
     CE_CONFIDENCE_HIGH, "", "no interface or address here", "mlx5_1"},
    /* management */
    {"the_default_route_is_kept_out",
     {{"mlx5_0", "09:00.0", ETH, 400, .netdev = "eth0"}, FOUR_ROCE_RAILS},
     {{"eth0", .gateway = true}}, 4, CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "^=mlx5_0",
     "eth0 carries the default route", "mlx5_0"},
    {"the_default_route_of_a_bond_is_its_members",
     {{"mlx5_0", "09:00.0", ETH, 400, .netdev = "eth0"}, FOUR_ROCE_RAILS},
     {{"eth0", .master = "team0"}, {"team0", .gateway = true}}, 4, CE_RAILS_CHOSEN,
     CE_CONFIDENCE_HIGH, "^=mlx5_0", "eth0 carries the default route", "mlx5_0"},
    {"the_default_route_of_a_bridge_is_its_members",
     {{"mlx5_0", "09:00.0", ETH, 400, .netdev = "eth0"}, FOUR_ROCE_RAILS},
     {{"eth0", .master = "br0"}, {"br0", .gateway = true, .kind = CE_NETIF_BRIDGE}}, 4,
     CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "^=mlx5_0", "eth0 carries the default route", "mlx5_0"},
    {"a_member_of_a_bond_is_kept_out",
     {{"mlx5_0", "09:00.0", ETH, 400, .netdev = "eth0"}, FOUR_ROCE_RAILS},
     {{"eth0", .master = "team0"}, {"team0"}}, 4, CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "^=mlx5_0",
     "eth0 is bonded", "mlx5_0"},
    {"a_member_of_a_bridge_is_not",
     {{"mlx5_0", "09:00.0", ETH, 400, .netdev = "eth0"}, FOUR_ROCE_RAILS},
     {{"eth0", .master = "br0"}, {"br0", .kind = CE_NETIF_BRIDGE}}, 5, CE_RAILS_ALL,
     CE_CONFIDENCE_HIGH, "", ALL, NULL},
    {"a_device_that_is_a_bond_is_kept_out",
     {{"mlx5_bond_0", "09:00.0", ETH, 400, .netdev = "bond0"}, FOUR_ROCE_RAILS}, {{"bond0"}}, 4,
     CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "^=mlx5_bond_0", "a bond", "mlx5_bond_0"},
    {"the_other_function_of_a_management_card_is_kept_out",
     {{"mlx5_5", "09:00.0", ETH, 400, .netdev = "eth0"}, {"mlx5_6", "09:00.1", ETH, 400},
      FOUR_ROCE_RAILS},
     {{"eth0", .gateway = true}}, 4, CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH,
     "=mlx5_1,mlx5_2,mlx5_3,mlx5_4", "on one card with mlx5_5, where eth0 carries", "mlx5_6"},
    {"the_infiniband_function_of_a_management_card_is_not",
     {{"mlx5_5", "09:00.0", ETH, 100, .netdev = "eth0"}, {"mlx5_6", "09:00.1", IB, 400},
      FOUR_RAILS},
     {{"eth0", .gateway = true}}, 5, CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "^=mlx5_5",
     "400 Gb/s InfiniBand", "mlx5_6"},
    {"where_all_is_management_nothing_is",
     {{"mlx5_0", "09:00.0", ETH, 100, .netdev = "eth0"}, {"mlx5_1", "09:00.1", ETH, 100}},
     {{"eth0", .gateway = true}}, 2, CE_RAILS_ALL, CE_CONFIDENCE_HIGH, "", "100 Gb/s Ethernet",
     "mlx5_0"},
    {"what_is_left_of_other_steps_does_not_make_all_management",
     {{"mlx5_0", "09:00.0", ETH, 400, .netdev = "eth0"},
      {"mlx5_1", "18:00.0", ETH, 400, .opens = CE_ANSWER_NO}},
     {{"eth0", .gateway = true}}, 1, CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "^=mlx5_1",
     "400 Gb/s Ethernet", "mlx5_0"},
    /* one class */
    {"an_ethernet_card_of_the_rails_rate_is_kept_out", {{"mlx5_0", "09:00.0", ETH, 400}, FOUR_RAILS},
     {{0}}, 4, CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "^=mlx5_0",
     "400 Gb/s Ethernet, the rails are InfiniBand", "mlx5_0"},
    {"another_type_is_kept_out", {{"mlx5_0", "09:00.0", IB, 100, .type = "MT4125"}, FOUR_RAILS},
     {{0}}, 4, CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "^=mlx5_0",
     "100 Gb/s MT4125 of another class: 1 of it, the rails are 4 MT4129", "mlx5_0"},
    {"another_board_of_another_rate_is_kept_out",
     {{"mlx5_0", "09:00.0", IB, 200, .board = "MT_B"}, FOUR_RAILS}, {{0}}, 4, CE_RAILS_CHOSEN,
     CE_CONFIDENCE_HIGH, "^=mlx5_0", "of another class", "mlx5_0"},
    {"the_greater_total_is_taken_not_the_greater_rate",
     {{"mlx5_0", "09:00.0", IB, 800, .type = "MT4131"}, FOUR_RAILS}, {{0}}, 4, CE_RAILS_CHOSEN,
     CE_CONFIDENCE_HIGH, "^=mlx5_0", "800 Gb/s MT4131 of another class", "mlx5_0"},
    {"link_layers_are_never_mixed",
     {FOUR_RAILS, {"mlx5_5", "9a:00.0", ETH, 400}, {"mlx5_6", "ab:00.0", ETH, 400}}, {{0}}, 4,
     CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "=mlx5_1,mlx5_2,mlx5_3,mlx5_4", "4 of 6 RDMA ports",
     NULL},
    {"an_exchanged_card_is_a_rail",
     {{"mlx5_0", "09:00.0", IB, 400, .board = "MT_A", .distance = CE_PIX},
      {"mlx5_1", "18:00.0", IB, 400, .board = "MT_A", .distance = CE_PIX},
      {"mlx5_2", "2a:00.0", IB, 400, .board = "MT_B", .distance = CE_PIX},
      {"mlx5_3", "3a:00.0", ETH, 400, .distance = CE_SYS}},
     {{0}}, 3, CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "^=mlx5_3", "PIX to GPU 2", "mlx5_2"},
    {"storage_cards_of_the_rails_type_do_not_spoil_a_number_that_fits",
     {{"mlx5_5", "09:00.0", IB, 400, .board = "MT_B"}, FOUR_RAILS}, {{0}}, 4, CE_RAILS_CHOSEN,
     CE_CONFIDENCE_HIGH, "^=mlx5_5", "of another class", "mlx5_5"},
    /* rates of ports that are down mean nothing */
    {"ports_that_are_down_count",
     {{"mlx5_0", "09:00.0", ETH, 400}, {"mlx5_1", "18:00.0", IB, 400}, {"mlx5_2", "2a:00.0", IB, 0},
      {"mlx5_3", "3a:00.0", IB, 0}, {"mlx5_4", "5d:00.0", IB, 0}},
     {{0}}, 4, CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "^=mlx5_0", "InfiniBand, DOWN (Polling)",
     "mlx5_4"},
    {"a_class_that_is_down_has_the_rate_it_is_made_for",
     {{"mlx5_0", "09:00.0", ETH, 100}, {"mlx5_1", "0a:00.0", ETH, 100},
      {"mlx5_2", "0b:00.0", ETH, 100}, {"mlx5_3", "18:00.0", IB, 0}, {"mlx5_4", "2a:00.0", IB, 0}},
     {{0}}, 2, CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "=mlx5_3,mlx5_4", "2 of 5 RDMA ports", NULL},
    {"a_class_of_no_known_rate_is_not_slow",
     {{"mlx5_0", "09:00.0", ETH, 400, .type = "MT4126"}, {"mlx5_1", "18:00.0", IB, 0, .type = "MT4126"},
      {"mlx5_2", "2a:00.0", IB, 0, .type = "MT4126"}},
     {{0}}, 2, CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "^=mlx5_0", "InfiniBand, DOWN", "mlx5_1"},
    {"rates_that_are_known_count_beside_one_that_is_not",
     {{"a_0", "01:00.0", IB, 0, .type = "A"}, {"a_1", "02:00.0", IB, 0, .type = "A"},
      {"a_2", "03:00.0", IB, 0, .type = "A"}, {"a_3", "04:00.0", IB, 0, .type = "A"},
      {"b_0", "11:00.0", IB, 400, .type = "B"}, {"b_1", "12:00.0", IB, 400, .type = "B"},
      {"c_0", "21:00.0", IB, 100, .type = "C"}, {"c_1", "22:00.0", IB, 100, .type = "C"},
      {"c_2", "23:00.0", IB, 100, .type = "C"}, {"c_3", "24:00.0", IB, 100, .type = "C"},
      {"c_4", "25:00.0", IB, 100, .type = "C"}},
     {{0}}, 4, CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "=a_0,a_1,a_2,a_3", "4 of 11", NULL},
    /* locality */
    {"a_near_class_comes_before_a_faster_one",
     {{"mlx5_0", "09:00.0", IB, 800, .type = "MT4131", .distance = CE_SYS},
      {"mlx5_1", "18:00.0", IB, 200, .distance = CE_PIX},
      {"mlx5_2", "2a:00.0", IB, 200, .distance = CE_PXB}},
     {{0}}, 2, CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "^=mlx5_0",
     "farther from the GPUs than the rails", "mlx5_0"},
    {"the_same_host_bridge_is_nearer_than_another",
     {{"mlx5_0", "09:00.0", IB, 800, .type = "MT4131", .distance = CE_NODE},
      {"mlx5_1", "18:00.0", IB, 200, .distance = CE_PHB},
      {"mlx5_2", "2a:00.0", IB, 200, .distance = CE_PHB}},
     {{0}}, 2, CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "^=mlx5_0", "PHB to GPU 1", "mlx5_1"},
    {"a_class_is_as_near_as_half_of_it",
     {{"mlx5_0", "09:00.0", IB, 400, .distance = CE_PIX},
      {"mlx5_1", "18:00.0", IB, 400, .distance = CE_SYS},
      {"mlx5_2", "2a:00.0", IB, 400, .distance = CE_SYS},
      {"mlx5_3", "3a:00.0", IB, 800, .distance = CE_PIX, .type = "MT4131"}},
     {{0}}, 4, CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "=mlx5_3", "farther from the GPUs", "mlx5_0"},
    {"where_no_gpu_is_nearer_to_one_the_tree_tells_nothing",
     {{"mlx5_0", "09:00.0", ETH, 100, .distance = CE_SYS},
      {"mlx5_1", "18:00.0", IB, 400, .distance = CE_NODE},
      {"mlx5_2", "2a:00.0", IB, 400, .distance = CE_SYS}},
     {{0}}, 2, CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "^=mlx5_0", "400 Gb/s InfiniBand", "mlx5_1"},
    {"a_member_far_from_all_gpus_is_kept_out",
     {{"mlx5_0", "09:00.0", IB, 400, .distance = CE_SYS},
      {"mlx5_1", "18:00.0", IB, 400, .distance = CE_PIX},
      {"mlx5_2", "2a:00.0", IB, 400, .distance = CE_PIX}},
     {{0}}, 2, CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "^=mlx5_0", "far from every GPU", "mlx5_0"},
    {"a_member_whose_place_is_not_known_is_a_rail",
     {{"mlx5_0", "09:00.0", IB, 400, .distance = CE_PIX},
      {"mlx5_1", "18:00.0", IB, 400, .distance = CE_PIX}, {"mlx5_2", "2a:00.0", IB, 400}},
     {{0}}, 3, CE_RAILS_ALL, CE_CONFIDENCE_HIGH, "", ALL, NULL},
    /* how sure */
    {"two_equal_classes_are_a_tie",
     {{"mlx5_0", "09:00.0", IB, 400}, {"mlx5_1", "18:00.0", IB, 400},
      {"mlx5_2", "2a:00.0", IB, 400, .type = "MT4131"}, {"mlx5_3", "3a:00.0", IB, 400, .type = "MT4131"}},
     {{0}}, 2, CE_RAILS_UNSURE, CE_CONFIDENCE_LOW, "", TIE, NULL},
    {"two_classes_within_a_fifth_are_a_tie",
     {{"mlx5_0", "09:00.0", IB, 400}, {"mlx5_1", "18:00.0", ETH, 320}}, {{0}}, 1, CE_RAILS_UNSURE,
     CE_CONFIDENCE_LOW, "", TIE, NULL},
    {"two_classes_past_a_fifth_are_none",
     {{"mlx5_0", "09:00.0", IB, 400}, {"mlx5_1", "18:00.0", ETH, 319}}, {{0}}, 1, CE_RAILS_CHOSEN,
     CE_CONFIDENCE_HIGH, "^=mlx5_1", "1 of 2 RDMA ports are rails", NULL},
    {"two_equal_classes_at_other_distances_are_no_tie",
     {{"mlx5_0", "09:00.0", IB, 400, .distance = CE_PIX},
      {"mlx5_1", "18:00.0", ETH, 400, .distance = CE_SYS}},
     {{0}}, 1, CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "^=mlx5_1", "farther", "mlx5_1"},
    {"a_number_that_does_not_fit_the_gpus_is_less_sure",
     {{"mlx5_0", "09:00.0", ETH, 100}, FOUR_RAILS}, {{0}}, 3, CE_RAILS_CHOSEN,
     CE_CONFIDENCE_MEDIUM, "^=mlx5_0", "4 of 5", NULL},
    {"fewer_rails_than_gpus_may_fit", {{"mlx5_0", "09:00.0", ETH, 100}, FOUR_RAILS}, {{0}}, 8,
     CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "^=mlx5_0", "4 of 5", NULL},
    {"without_gpus_it_is_less_sure", {FOUR_RAILS}, {{0}}, 0, CE_RAILS_ALL, CE_CONFIDENCE_MEDIUM, "",
     ALL, NULL},
    /* the order and the forms of lists */
    {"rails_come_in_pci_order_not_in_that_of_names",
     {{"mlx5_0", "09:00.0", ETH, 10}, {"mlx5_1", "c8:00.0", IB, 400}, {"mlx5_2", "0b:00.0", ETH, 10},
      {"mlx5_10", "18:00.0", IB, 400}},
     {{0}}, 2, CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "=mlx5_10,mlx5_1", "2 of 4", NULL},
    {"the_domain_comes_first",
     {{"mlx5_0", "0103:00:00.0", IB, 400}, {"mlx5_1", "0101:00:02.0", IB, 400},
      {"mlx5_2", "0102:00:00.0", IB, 400}, {"mlx5_3", "ff:00.0", IB, 400},
      {"mlx5_4", "10000:01:00.0", IB, 400}, {"mlx5_5", "01:00.0", ETH, 10}, {"mlx5_6", "02:00.0", ETH, 10}},
     {{0}}, 5, CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "=mlx5_3,mlx5_1,mlx5_2,mlx5_0,mlx5_4", "5 of 7",
     NULL},
    {"ports_stand_in_the_list_where_a_device_has_several",
     {{"mlx5_0", "09:00.0", ETH, 10}, {"mlx5_1", "0a:00.0", ETH, 10},
      {"mlx4_0", "18:00.0", IB, 56, .ports = 2}, {"mlx4_1", "2a:00.0", IB, 56}},
     {{0}}, 3, CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "=mlx4_0:1,mlx4_0:2,mlx4_1", "3 of 5", NULL},
    {"mlx5_1_kept_out_is_not_mlx5_10",
     {{"mlx5_1", "09:00.0", ETH, 400}, {"mlx5_10", "18:00.0", IB, 400}, {"mlx5_11", "2a:00.0", IB, 400}},
     {{0}}, 2, CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "^=mlx5_1", "2 of 3", NULL},
    {"names_tell_nothing",
     {{"ibp3s0", "03:00.0", IB, 400}, {"ionic_0", "09:00.0", ETH, 400, .type = ""},
      {"rocep145s0", "91:00.0", ETH, 100}, {"bnxt_re0", "0a:00.0", ETH, 25, .type = "BCM57608"},
      {"ibp59s0", "3b:00.0", IB, 400}},
     {{0}}, 2, CE_RAILS_CHOSEN, CE_CONFIDENCE_HIGH, "=ibp3s0,ibp59s0", "2 of 5", NULL},
};

static void chooses(void **state)
{
    const struct choice_row *row = *state;
    ce_autotext struct ce_text nccl = CE_TEXT(1000);
    ce_auto(ce_node_destroy) struct ce_node *node =
        build(row->gpus, row->devices, row->interfaces);
    struct ce_rails rails;
    choose(node, &rails);
    unit_holds(row->device ? rail_of(&rails, row->device)->reason : rails.reason, row->reason);
    assert_string_equal(ce_rails_verdict_name(rails.verdict), ce_rails_verdict_name(row->verdict));
    assert_string_equal(ce_confidence_name(rails.confidence), ce_confidence_name(row->confidence));
    ce_rails_nccl(&rails, 0, &nccl);
    assert_string_equal(ce_text_string(&nccl), row->nccl);
    ce_rails_free(&rails);
    assert_int_equal(rails.port_count, 0);
}

/* Of virtual machines no NUMA node is known, but bridges are. */
static void a_member_below_another_host_bridge_is_kept_out(void **state)
{
    static const struct device devices[DEVICES] = {
        {"mlx5_0", "09:00.0", IB, 400}, {"mlx5_1", "18:00.0", IB, 400, .distance = CE_PIX},
        {"mlx5_2", "2a:00.0", IB, 400, .distance = CE_PIX}};
    ce_auto(ce_node_destroy) struct ce_node *node = build(2, devices, NULL);
    struct ce_rails rails;
    (void)state;
    strcpy(node->gpus[0].path, "pci0000:15/0000:15:01.0");
    strcpy(node->hcas[0].pci.path, "pci0000:07/0000:07:01.0/0000:09:00.0");
    choose(node, &rails);
    unit_holds(rail_of(&rails, "mlx5_0")->reason, "far from every GPU");
    assert_int_equal(rails.count, 2);
    ce_rails_free(&rails);
}

/* Two for each card, made for guests: down, or up like the cards. */
static void virtual_functions_are_kept_out_where_their_card_is(void **state)
{
    (void)state;
    for (unsigned gbps = 0; gbps <= 400; gbps += 400) {
        const struct device devices[DEVICES] = {
            {"mlx5_0", "18:00.0", IB, 400},
            {"mlx5_1", "18:00.1", IB, gbps, .type = "MT4126"},
            {"mlx5_2", "18:00.2", IB, gbps, .type = "MT4126"}};
        ce_auto(ce_node_destroy) struct ce_node *node = build(1, devices, NULL);
        struct ce_rails rails;
        for (size_t i = 0; i < node->hca_count; i++) {
            struct ce_pci *pci = &node->hcas[i].pci;
            snprintf(pci->path, sizeof pci->path, "pci0000:15/0000:15:01.0/%s", pci->address);
            node->hcas[i].virtual_function = i > 0;
        }
        choose(node, &rails);
        assert_int_equal(rails.count, 1);
        assert_true(rail_of(&rails, "mlx5_0")->chosen);
        assert_string_equal(rail_of(&rails, "mlx5_2")->reason, "a virtual function of mlx5_0");
        ce_rails_free(&rails);
    }
}

/* ---------------------------------------------------------------- what holds of every choice */

static void every_port_has_a_reason_and_every_rail_its_number(void **state)
{
    (void)state;
    for (size_t i = 0; i < UNIT_COUNT(choices); i++) {
        const struct choice_row *row = &choices[i];
        ce_auto(ce_node_destroy) struct ce_node *node =
            build(row->gpus, row->devices, row->interfaces);
        struct ce_rails rails;
        size_t count = 0;
        choose(node, &rails);
        for (size_t k = 0; k < rails.port_count; k++) {
            assert_true(rails.ports[k].reason[0]);
            if (rails.ports[k].chosen)
                assert_int_equal(rails.ports[k].index, count++);
        }
        assert_int_equal(count, rails.count);
        assert_true(rails.reason[0]);
        bool some = rails.verdict == CE_RAILS_ALL || rails.verdict == CE_RAILS_CHOSEN;
        assert_int_equal(some, rails.count > 0);
        assert_int_equal(some, rails.link_layer != CE_LINK_UNKNOWN);
        ce_rails_free(&rails);
    }
}

/* Which order the probe found the devices in tells nothing. */
static void the_order_of_the_facts_does_not_matter(void **state)
{
    (void)state;
    for (size_t i = 0; i < UNIT_COUNT(choices); i++) {
        const struct choice_row *row = &choices[i];
        ce_autotext struct ce_text there = CE_TEXT(1000), back = CE_TEXT(1000);
        ce_auto(ce_node_destroy) struct ce_node *node =
            build(row->gpus, row->devices, row->interfaces);
        struct ce_rails rails;
        choose(node, &rails);
        ce_rails_nccl(&rails, 0, &there);
        ce_rails_free(&rails);
        for (size_t k = 0; k < node->hca_count / 2; k++) {
            struct ce_hca kept = node->hcas[k];
            node->hcas[k] = node->hcas[node->hca_count - 1 - k];
            node->hcas[node->hca_count - 1 - k] = kept;
        }
        choose(node, &rails);
        ce_rails_nccl(&rails, 0, &back);
        ce_rails_free(&rails);
        if (strcmp(ce_text_string(&there), ce_text_string(&back)) != 0)
            fail_msg("%s: %s, backwards %s", row->name, ce_text_string(&there),
                     ce_text_string(&back));
    }
}

static void without_facts_nothing_is_sure(void **state)
{
    struct ce_rails rails;
    (void)state;
    choose(NULL, &rails);
    assert_int_equal(rails.verdict, CE_RAILS_UNSURE);
    assert_string_equal(rails.reason, "no facts of this node");
    ce_rails_free(&rails);
}

static void devices_that_could_not_be_read_are_not_none(void **state)
{
    ce_auto(ce_node_destroy) struct ce_node *node = build(8, NULL, NULL);
    struct ce_rails rails;
    (void)state;
    node->hcas_unread = true;
    choose(node, &rails);
    assert_int_equal(rails.verdict, CE_RAILS_UNSURE);
    unit_holds(rails.reason, "could not be read");
    ce_rails_free(&rails);
}

/* ---------------------------------------------------------------- numbers */

static void add_many(struct ce_node *node, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char name[24], pci[24];
        snprintf(name, sizeof name, "mlx5_%u", i);
        snprintf(pci, sizeof pci, "%02x:00.0", i + 1);
        const struct device device = {name, pci, IB, 400};
        add_device(node, &device);
    }
}

static void more_rails_than_nccl_keeps_are_left_to_it(void **state)
{
    static const struct device other[] = {{"other", "f0:00.0", ETH, 10}, {0}};
    (void)state;
    for (unsigned count = CE_RAILS_MAX; count <= CE_RAILS_MAX + 1; count++) {
        ce_auto(ce_node_destroy) struct ce_node *node = build(8, NULL, NULL);
        ce_autotext struct ce_text nccl = CE_TEXT(1000);
        struct ce_rails rails;
        add_device(node, &other[0]);
        add_many(node, count);
        choose(node, &rails);
        ce_rails_nccl(&rails, 0, &nccl);
        assert_string_equal(ce_text_string(&nccl), count == CE_RAILS_MAX ? "^=other" : "");
        assert_int_equal(rails.count, count == CE_RAILS_MAX ? count : 0);
        if (count > CE_RAILS_MAX)
            unit_holds(rails.reason, "more rails than the 32 devices");
        ce_rails_free(&rails);
    }
}

static void rails_that_are_up_are_counted_and_the_fastest_is_their_rate(void **state)
{
    static const struct device devices[DEVICES] = {{"mlx5_0", "01:00.0", IB, 200},
                                                   {"mlx5_1", "02:00.0", IB, 400},
                                                   {"mlx5_2", "03:00.0", IB, 0},
                                                   {"mlx5_3", "04:00.0", ETH, 100}};
    ce_auto(ce_node_destroy) struct ce_node *node = build(3, devices, NULL);
    struct ce_rails rails;
    (void)state;
    choose(node, &rails);
    assert_int_equal(rails.count, 3);
    assert_int_equal(rails.active, 2);
    assert_int_equal(rails.rate_mbps, 400000);
    assert_int_equal(rails.link_layer, IB);
    ce_rails_free(&rails);
    for (size_t i = 0; i < 3; i++)
        node->hcas[i].ports[0].state = CE_PORT_DOWN;
    choose(node, &rails);
    assert_int_equal(rails.count, 3);
    assert_int_equal(rails.active, 0);
    assert_int_equal(rails.rate_mbps, 0);
    ce_rails_free(&rails);
}

/* ---------------------------------------------------------------- lists */

static const struct list_row {
    const char *name;
    unsigned others; /* devices that are no rails */
    size_t limit;
    const char *nccl, *with_ports;
} lists[] = {
    {"all_rails_of_all_devices_are_not_written_to_nccl", 0, 0, "", "mlx5_0:1,mlx5_1:1,mlx5_2:1"},
    {"all_but_one_are_written_as_that_one", 1, 0, "^=other_0", "mlx5_0:1,mlx5_1:1,mlx5_2:1"},
    {"all_but_two_are_written_as_a_list", 2, 0, "=mlx5_0,mlx5_1,mlx5_2",
     "mlx5_0:1,mlx5_1:1,mlx5_2:1"},
    {"fewer_of_all_are_written_as_a_list", 0, 2, "=mlx5_0,mlx5_1", "mlx5_0:1,mlx5_1:1"},
    {"fewer_of_all_but_one_are_written_as_a_list", 1, 2, "=mlx5_0,mlx5_1", "mlx5_0:1,mlx5_1:1"},
    {"as_many_as_there_are_is_no_fewer", 0, 3, "", "mlx5_0:1,mlx5_1:1,mlx5_2:1"},
    {"more_than_there_are_is_no_fewer", 1, 9, "^=other_0", "mlx5_0:1,mlx5_1:1,mlx5_2:1"},
};

static void lists_as(void **state)
{
    const struct list_row *row = *state;
    static const struct device other[] = {{"other_0", "f0:00.0", ETH, 10},
                                          {"other_1", "f1:00.0", ETH, 10}};
    ce_autotext struct ce_text nccl = CE_TEXT(1000), with_ports = CE_TEXT(1000);
    ce_auto(ce_node_destroy) struct ce_node *node = build(3, NULL, NULL);
    struct ce_rails rails;
    add_many(node, 3);
    for (unsigned i = 0; i < row->others; i++)
        add_device(node, &other[i]);
    choose(node, &rails);
    ce_rails_nccl(&rails, row->limit, &nccl);
    ce_rails_list(&rails, row->limit, true, &with_ports);
    assert_string_equal(ce_text_string(&nccl), row->nccl);
    assert_string_equal(ce_text_string(&with_ports), row->with_ports);
    ce_rails_free(&rails);
}

/* Rails and two devices that are kept out: NCCL reads the list as those rails, 2.18 the first 16.
 */
static const struct length_row {
    const char *name;
    unsigned count, ports; /* rails: devices, ports of each */
} lengths[] = {
    {"16_rails_are_read_by_every_nccl", 16, 1},
    {"of_17_rails_nccl_2_18_reads_16", 17, 1},
    {"of_32_rails_nccl_2_18_reads_16", 32, 1},
    {"ports_of_8_devices_are_read_by_every_nccl", 8, 2},
    {"of_the_ports_of_16_devices_nccl_2_18_reads_16", 16, 2},
};

static void is_read_back(void **state)
{
    static const struct device others[DEVICES] = {{"other_0", "f0:00.0", ETH, 10},
                                                  {"other_1", "f1:00.0", ETH, 10}};
    const struct length_row *row = *state;
    ce_autotext struct ce_text nccl = CE_TEXT(1000);
    ce_auto(ce_node_destroy) struct ce_node *node = build(8, others, NULL);
    struct ce_nccl_list list, read;
    struct ce_rails rails;
    for (unsigned i = 0; i < row->count; i++) {
        char name[16], pci[16];
        snprintf(name, sizeof name, "mlx5_%u", i);
        snprintf(pci, sizeof pci, "%02x:00.0", i + 1);
        const struct device device = {name, pci, IB, 400, .ports = row->ports};
        add_device(node, &device);
    }
    choose(node, &rails);
    ce_rails_nccl(&rails, 0, &nccl);
    ce_nccl_list_parse(ce_text_string(&nccl), &list);
    assert_int_equal(rails.count, row->count * row->ports);
    for (enum ce_nccl_version version = CE_NCCL_2_18; version <= CE_NCCL_2_30_5; version++) {
        ce_nccl_list_read_by(&list, version, &read);
        for (size_t i = 0; i < rails.port_count; i++) {
            const struct ce_rail *rail = &rails.ports[i];
            bool in = rail->chosen && (version > CE_NCCL_2_18 || rail->index < 16);
            assert_int_equal(ce_nccl_list_takes(&read, rail->hca->name, (int)rail->port->number),
                             in);
        }
    }
    ce_rails_free(&rails);
}

static void a_name_that_no_list_can_hold_is_not_written(void **state)
{
    static const char *const names[] = {"mlx5,0", "mlx5:0"};
    (void)state;
    for (size_t i = 0; i < UNIT_COUNT(names); i++) {
        const struct device devices[DEVICES] = {{names[i], "01:00.0", IB, 400},
                                                {"mlx5_1", "02:00.0", IB, 400},
                                                {"other", "03:00.0", ETH, 10}};
        ce_auto(ce_node_destroy) struct ce_node *node = build(2, devices, NULL);
        ce_autotext struct ce_text nccl = CE_TEXT(100);
        struct ce_rails rails;
        choose(node, &rails);
        ce_rails_nccl(&rails, 0, &nccl);
        assert_string_equal(ce_text_string(&nccl), "");
        unit_holds(rails.reason, "a device's name has a comma or a colon");
        ce_rails_free(&rails);
    }
}

static void a_port_that_is_kept_out_is_written_with_its_number(void **state)
{
    static const struct device devices[DEVICES] = {{"mlx5_0", "01:00.0", IB, 400},
                                                   {"mlx5_1", "02:00.0", IB, 400, .ports = 2}};
    ce_auto(ce_node_destroy) struct ce_node *node = build(1, devices, NULL);
    ce_autotext struct ce_text nccl = CE_TEXT(100);
    struct ce_rails rails;
    (void)state;
    node->hcas[1].ports[1].link_layer = ETH;
    node->hcas[1].ports[1].rate_mbps = 100000;
    choose(node, &rails);
    ce_rails_nccl(&rails, 0, &nccl);
    assert_string_equal(ce_text_string(&nccl), "^=mlx5_1:2");
    ce_rails_free(&rails);
}

/* ---------------------------------------------------------------- what others ask */

static void the_interfaces_of_rails_are_known(void **state)
{
    static const struct device devices[DEVICES] = {
        {"mlx5_0", "01:00.0", ETH, 400, .netdev = "eth1"},
        {"mlx5_1", "02:00.0", ETH, 400, .netdev = "eth2"},
        {"mlx5_2", "03:00.0", ETH, 25, .netdev = "eth3", .type = "MT4117"}};
    ce_auto(ce_node_destroy) struct ce_node *node = build(2, devices, NULL);
    struct ce_rails rails;
    (void)state;
    choose(node, &rails);
    assert_true(ce_rails_has_netdev(&rails, "eth1"));
    assert_true(ce_rails_has_netdev(&rails, "eth2"));
    assert_false(ce_rails_has_netdev(&rails, "eth3"));
    assert_false(ce_rails_has_netdev(&rails, "eth"));
    ce_rails_free(&rails);
}

/* Two rails, each with up to two GIDs. */
static const struct gid_row {
    const char *name;
    enum ce_link_layer layer;
    struct {
        enum ce_gid_type type;
        const char *address;
    } gids[2][2];
    bool ipv6;
} gids[] = {
    {"rails_of_ipv6_need_it", ETH,
     {{{CE_GID_ROCE_V2, "fd02::1"}}, {{CE_GID_ROCE_V2, "fd02::2"}}}, true},
    {"rails_of_both_do_not", ETH,
     {{{CE_GID_ROCE_V2, "fd02::1"}, {CE_GID_ROCE_V2, "10.1.0.1"}}, {{CE_GID_ROCE_V2, "fd02::2"}}},
     false},
    {"a_rail_of_ipv6_without_a_neighbour_needs_it", ETH, {{{CE_GID_ROCE_V2, "fd02::1"}}}, true},
    {"link_local_addresses_tell_nothing", ETH,
     {{{CE_GID_ROCE_V2, "fe80::1"}}, {{CE_GID_ROCE_V2, "fe80::2"}}}, false},
    {"link_local_addresses_beside_ipv6_need_it", ETH,
     {{{CE_GID_ROCE_V2, "fe80::1"}, {CE_GID_ROCE_V2, "fd02::1"}}}, true},
    {"gids_of_version_1_tell_nothing", ETH, {{{CE_GID_ROCE_V1, "fd02::1"}}}, false},
    {"an_ipv4_gid_of_version_1_is_not_used", ETH,
     {{{CE_GID_ROCE_V2, "fd02::1"}, {CE_GID_ROCE_V1, "10.1.0.1"}}}, true},
    {"rails_without_gids_tell_nothing", ETH, {{{0}}}, false},
    {"infiniband_has_no_family", IB, {{{CE_GID_ROCE_V2, "fd02::1"}}}, false},
};

static void needs_ipv6(void **state)
{
    const struct gid_row *row = *state;
    const struct device devices[DEVICES] = {{"mlx5_0", "01:00.0", row->layer, 400},
                                            {"mlx5_1", "02:00.0", row->layer, 400}};
    ce_auto(ce_node_destroy) struct ce_node *node = build(2, devices, NULL);
    struct ce_rails rails;
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < 2 && row->gids[i][k].address; k++) {
            struct ce_gid *gid = &node->hcas[i].ports[0].gids[node->hcas[i].ports[0].gid_count++];
            gid->type = row->gids[i][k].type;
            assert_int_equal(ce_address_parse(row->gids[i][k].address, &gid->address), 0);
        }
    choose(node, &rails);
    assert_int_equal(ce_rails_need_ipv6(&rails), row->ipv6);
    ce_rails_free(&rails);
}

int main(void)
{
    UNIT_TABLE(choices, chooses);
    UNIT_RULE(a_member_below_another_host_bridge_is_kept_out);
    UNIT_RULE(virtual_functions_are_kept_out_where_their_card_is);
    UNIT_RULE(every_port_has_a_reason_and_every_rail_its_number);
    UNIT_RULE(the_order_of_the_facts_does_not_matter);
    UNIT_RULE(without_facts_nothing_is_sure);
    UNIT_RULE(devices_that_could_not_be_read_are_not_none);
    UNIT_RULE(more_rails_than_nccl_keeps_are_left_to_it);
    UNIT_RULE(rails_that_are_up_are_counted_and_the_fastest_is_their_rate);
    UNIT_TABLE(lists, lists_as);
    UNIT_TABLE(lengths, is_read_back);
    UNIT_RULE(a_port_that_is_kept_out_is_written_with_its_number);
    UNIT_RULE(a_name_that_no_list_can_hold_is_not_written);
    UNIT_RULE(the_interfaces_of_rails_are_known);
    UNIT_TABLE(gids, needs_ipv6);
    return UNIT_RUN("launch/rails");
}

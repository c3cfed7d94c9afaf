/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/locality.h"

#include "../unit.h"

/* Two sockets: a switch with GPU 0 and an HCA, a root port with another HCA, GPU 1 far away. */
#define SWITCH "pci0000:15/0000:15:01.0/0000:16:00.0"
#define GPU0 SWITCH "/0000:17:00.0/0000:18:00.0"
#define BESIDE_GPU0 SWITCH "/0000:17:01.0/0000:19:00.0"
#define BELOW_A_SWITCH_MORE SWITCH "/0000:17:02.0/0000:1a:00.0/0000:1b:00.0/0000:1c:00.0"
#define ON_ITS_BRIDGE "pci0000:15/0000:15:05.0/0000:20:00.0"
#define ANOTHER_BRIDGE "pci0000:37/0000:37:01.0/0000:38:00.0"
#define GPU1 "pci0000:85/0000:85:01.0/0000:86:00.0"

static struct ce_pci place(const char *path, int numa)
{
    struct ce_pci pci = {.numa = numa};
    snprintf(pci.path, sizeof pci.path, "%s", path);
    return pci;
}

static struct ce_node *two_gpus(void)
{
    struct ce_node *node = ce_node_create();
    assert_non_null(node);
    struct ce_pci *gpu = ce_node_add_gpu(node);
    assert_non_null(gpu);
    *gpu = place(GPU0, 0);
    gpu = ce_node_add_gpu(node);
    assert_non_null(gpu);
    *gpu = place(GPU1, 1);
    return node;
}

static struct ce_hca *add_hca(struct ce_node *node, const char *path, int numa)
{
    char name[16];
    snprintf(name, sizeof name, "mlx5_%zu", node->hca_count);
    struct ce_hca *hca = ce_node_add_hca(node, name);
    assert_non_null(hca);
    hca->pci = place(path, numa);
    return hca;
}

/* ---------------------------------------------------------------- one device */

static const struct near_row {
    const char *name, *path;
    int numa;
    enum ce_distance distance; /* to the nearest */
    unsigned gpu, level;
} nears[] = {
    {"beside_a_gpu_below_one_switch", BESIDE_GPU0, 0, CE_PIX, 0, 0},
    {"below_one_switch_more", BELOW_A_SWITCH_MORE, 0, CE_PXB, 0, 0},
    {"below_the_same_host_bridge", ON_ITS_BRIDGE, 0, CE_PHB, 0, 1},
    {"below_another_bridge_of_its_numa_node", ANOTHER_BRIDGE, 0, CE_NODE, 0, 2},
    {"below_a_bridge_of_the_other_numa_node", ANOTHER_BRIDGE, 1, CE_NODE, 1, 2},
    {"on_a_third_numa_node", ANOTHER_BRIDGE, 2, CE_SYS, 0, 2},
    {"on_an_unknown_numa_node", ANOTHER_BRIDGE, CE_NUMA_UNKNOWN, CE_DISTANCE_UNKNOWN, 99, 2},
    {"at_an_unknown_place_of_a_numa_node", "", 1, CE_NODE, 1, 2},
    {"at_an_unknown_place", "", CE_NUMA_UNKNOWN, CE_DISTANCE_UNKNOWN, 99, 2},
};

static void is_near(void **state)
{
    const struct near_row *row = *state;
    unsigned gpu = 99;
    ce_auto(ce_node_destroy) struct ce_node *node = two_gpus();
    const struct ce_hca *hca = add_hca(node, row->path, row->numa);
    enum ce_distance distance = ce_locality_nearest(node, hca, &gpu);
    assert_string_equal(ce_distance_name(distance), ce_distance_name(row->distance));
    assert_int_equal(gpu, row->gpu);
    assert_int_equal(ce_locality_nearest(node, hca, NULL), distance);
    assert_int_equal(ce_locality_level(distance), row->level);
}

static void of_hwloc_and_the_paths_the_nearer_counts(void **state)
{
    unsigned gpu = 99;
    ce_auto(ce_node_destroy) struct ce_node *node = two_gpus();
    struct ce_hca *hca = add_hca(node, BESIDE_GPU0, 0);
    (void)state;
    hca->gpus[0] = CE_SYS;
    hca->gpus[1] = CE_PHB;
    assert_int_equal(ce_locality_distance(node, hca, 0), CE_PIX);
    assert_int_equal(ce_locality_distance(node, hca, 1), CE_PHB);
    hca->gpus[0] = CE_DISTANCE_UNKNOWN;
    assert_int_equal(ce_locality_nearest(node, hca, &gpu), CE_PIX);
    assert_int_equal(gpu, 0);
}

static void without_gpus_nothing_is_near(void **state)
{
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    (void)state;
    const struct ce_hca *hca = add_hca(node, BESIDE_GPU0, 0);
    assert_int_equal(ce_locality_nearest(node, hca, NULL), CE_DISTANCE_UNKNOWN);
    assert_false(ce_locality_is_informative(node));
}

/* ---------------------------------------------------------------- does the tree tell? */

static const struct tells_row {
    const char *name, *paths[4];
    bool tells;
} trees[] = {
    {"a_switch_tells", {BESIDE_GPU0, ANOTHER_BRIDGE}, true},
    {"a_switch_tells_from_its_host_bridge", {BESIDE_GPU0, ON_ITS_BRIDGE}, true},
    {"a_host_bridge_tells", {ON_ITS_BRIDGE, ANOTHER_BRIDGE}, true},
    {"all_below_the_gpus_switch_tells_nothing", {BESIDE_GPU0, BELOW_A_SWITCH_MORE}, false},
    {"all_on_one_bridge_tells_nothing", {ON_ITS_BRIDGE, "pci0000:15/0000:15:07.0"}, false},
    {"all_on_bridges_of_their_own_tells_nothing",
     {ANOTHER_BRIDGE, "pci0000:48/0000:48:01.0", "pci0000:59/0000:59:01.0"}, false},
    {"one_device_tells_nothing", {BESIDE_GPU0}, false},
    {"no_device_tells_nothing", {NULL}, false},
    {"unknown_places_tell_nothing", {"", ""}, false},
};

static void tells(void **state)
{
    const struct tells_row *row = *state;
    ce_auto(ce_node_destroy) struct ce_node *node = two_gpus();
    for (size_t i = 0; row->paths[i]; i++)
        add_hca(node, row->paths[i], 0);
    assert_int_equal(ce_locality_is_informative(node), row->tells);
}

int main(void)
{
    UNIT_TABLE(nears, is_near);
    UNIT_RULE(of_hwloc_and_the_paths_the_nearer_counts);
    UNIT_RULE(without_gpus_nothing_is_near);
    UNIT_TABLE(trees, tells);
    return UNIT_RUN("launch/locality");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/pci.h"

#include "tree.h"

#define DEVICE "sys/bus/pci/devices/0000:18:00.0"

/* One device's files, and what they say.  NULL: no such file. */
static const struct device_row {
    const char *name, *link, *vendor, *device, *numa;
    const char *path;
    unsigned vendor_id, device_id;
    int numa_node;
} devices[] = {
    {"a_device_is_read", "../../../devices/pci0000:15/0000:15:01.0/0000:18:00.0", "0x15b3\n",
     "0x1021\n", "1\n", "pci0000:15/0000:15:01.0/0000:18:00.0", 0x15b3, 0x1021, 1},
    {"a_numa_node_below_zero_is_unknown", "../../../devices/pci0000:15/0000:18:00.0", "0x15b3\n",
     "0x1021\n", "-1\n", "pci0000:15/0000:18:00.0", 0x15b3, 0x1021, CE_NUMA_UNKNOWN},
    {"a_numa_node_past_all_is_unknown", "../../../devices/pci0000:15/0000:18:00.0", "0x15b3\n",
     "0x1021\n", "4096\n", "pci0000:15/0000:18:00.0", 0x15b3, 0x1021, CE_NUMA_UNKNOWN},
    {"a_host_bridge_below_a_platform_is_found",
     "../../../devices/platform/pci-host@0/pci0018:00/0018:00:00.0/0000:18:00.0", "", "", "",
     "pci0018:00/0018:00:00.0/0000:18:00.0", 0, 0, CE_NUMA_UNKNOWN},
    {"behind_a_vmd_controller_the_first_host_bridge_counts",
     "../../../devices/pci0000:64/0000:64:00.5/pci10000:00/10000:00:02.0/0000:18:00.0", NULL, NULL,
     NULL, "pci0000:64/0000:64:00.5/pci10000:00/10000:00:02.0/0000:18:00.0", 0, 0, CE_NUMA_UNKNOWN},
    {"a_path_without_a_host_bridge_is_unknown", "../../../devices/platform/0000:18:00.0", "0x15b3",
     "0x1021", NULL, "", 0x15b3, 0x1021, CE_NUMA_UNKNOWN},
    {"a_path_of_other_letters_is_unknown", "../../../devices/pci0000:15/what is this/0000:18:00.0",
     NULL, NULL, NULL, "", 0, 0, CE_NUMA_UNKNOWN},
    {"an_id_that_is_none_is_unknown", "../../../devices/pci0000:15/0000:18:00.0", "0x15b\n",
     "1021\n", "x", "pci0000:15/0000:18:00.0", 0, 0, CE_NUMA_UNKNOWN},
    {"an_id_that_is_too_long_is_unknown", "../../../devices/pci0000:15/0000:18:00.0",
     "0x15b3ffff\n", "0x10211\n", "", "pci0000:15/0000:18:00.0", 0, 0, CE_NUMA_UNKNOWN},
};

static void is_read(void **state)
{
    const struct device_row *row = *state;
    struct tree tree = tree_make();
    struct ce_pci pci;
    char folder[256];
    snprintf(folder, sizeof folder, "sys/bus/pci/devices/%s", row->link);
    tree_link(&tree, DEVICE, row->link);
    tree_put(&tree, folder, "vendor", row->vendor);
    tree_put(&tree, folder, "device", row->device);
    tree_put(&tree, folder, "numa_node", row->numa);
    ce_probe_pci(&tree.root, "0000:18:00.0", &pci);
    tree_remove(&tree);
    assert_string_equal(pci.address, "0000:18:00.0");
    assert_string_equal(pci.path, row->path);
    assert_int_equal(pci.vendor, row->vendor_id);
    assert_int_equal(pci.device, row->device_id);
    assert_int_equal(pci.numa, row->numa_node);
}

static const struct address_row {
    const char *name, *address;
    bool is_one;
} addresses[] = {
    {"an_address_is_one", "0000:18:00.0", true},
    {"a_domain_of_five_digits_is_one", "10000:01:00.7", true},
    {"a_virtio_device_is_none", "virtio3", false},
    {"an_address_with_more_behind_it_is_none", "0000:18:00.0x", false},
    {"a_function_past_seven_is_none", "0000:18:00.8", false},
    {"a_domain_of_nine_digits_is_none", "000000000:18:00.0", false},
    {"an_address_cut_short_is_none", "0000:18:0", false},
    {"a_way_up_is_none", "../0000:18:00.0", false},
    {"nothing_is_none", "", false},
};

static void is_address(void **state)
{
    const struct address_row *row = *state;
    struct tree tree = tree_make();
    struct ce_pci pci;
    ce_probe_pci(&tree.root, row->address, &pci);
    tree_remove(&tree);
    assert_string_equal(pci.address, row->is_one ? row->address : "");
    assert_int_equal(pci.numa, CE_NUMA_UNKNOWN);
}

static const struct member_row {
    const char *name, *member, *device; /* targets of links; NULL: there is none */
    const char *address;
} members[] = {
    {"a_member_has_its_device", NULL, "../../../0000:18:00.0", "0000:18:00.0"},
    {"a_member_below_another_bus_has_the_device_above",
     "../../devices/pci0000:15/0000:18:00.0/mlx5_core.sf.2/infiniband/mlx5_0",
     "../../../mlx5_core.sf.2", "0000:18:00.0"},
    {"the_last_address_counts", NULL, "../../devices/pci0000:15/0000:15:01.0/0000:18:00.1",
     "0000:18:00.1"},
    {"a_virtual_member_has_none", "../../devices/virtual/infiniband/rxe0", NULL, ""},
    {"a_member_without_links_has_none", NULL, NULL, ""},
};

static void belongs_to(void **state)
{
    const struct member_row *row = *state;
    struct tree tree = tree_make();
    struct ce_pci pci;
    char folder[256] = "sys/class/infiniband/mlx5_0";
    if (row->member) {
        tree_link(&tree, folder, row->member);
        snprintf(folder, sizeof folder, "sys/class/infiniband/%s", row->member);
    }
    if (row->device) {
        char device[300];
        snprintf(device, sizeof device, "%s/device", folder);
        tree_link(&tree, device, row->device);
    }
    ce_probe_pci_of(&tree.root, "sys/class/infiniband/mlx5_0", &pci);
    tree_remove(&tree);
    assert_string_equal(pci.address, row->address);
}

int main(void)
{
    UNIT_TABLE(devices, is_read);
    UNIT_TABLE(addresses, is_address);
    UNIT_TABLE(members, belongs_to);
    return UNIT_RUN("probe/pci");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/host.h"

#include <limits.h>

#include "machine.h"

static const struct machine_row {
    const char *name;
    const char *host_name, *boot_id; /* NULL: unknown */
    int gpus;                        /* -1: unknown */
} machines[] = {
    {"runpod", "node-0", "0c6f0a3e-1f1b-4a52-8a54-6a1d1a9e3b10", 8},
    {"lambda", "lambda-node-001.cluster.local", "3f8a1f52-52d8-4b0e-b1d5-6f1a0a57c7e2", 8},
    {"bits", "bits", "9a1c1a52-0f3e-4b7a-8d55-1a2b3c4d5e6f", 1},
    {"container", NULL, NULL, -1},
    {"oneclick", "oneclick-node-001", "7d0c5a0e-93a7-4a53-9d5e-0b8a3f6d2c11", 8},
    {"odd", "odd", "2b7e1516-28ae-4d2a-abf7-158809cf4f3c", 2},
};

static void same(const char *found, const char *expected)
{
    assert_string_equal(found ? found : "unknown", expected ? expected : "unknown");
}

static void machine(void **state)
{
    const struct machine_row *row = *state;
    struct machine found = machine_unpack(row->name);
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    assert_non_null(node);
    ce_probe_host(&found.root, node);
    machine_remove(&found);
    same(node->host_name, row->host_name);
    same(node->boot_id, row->boot_id);
    assert_int_equal(node->gpu_count_known ? (int)node->gpu_count : -1, row->gpus);
}

/* One device on the bus: what must it say to be a GPU? */
static const struct device_row {
    const char *name, *vendor, *class; /* NULL: no such file */
    bool gpu;
} devices[] = {
    {"a_3d_controller_of_nvidia_is_a_gpu", "0x10de\n", "0x030200\n", true},
    {"a_vga_controller_of_nvidia_is_a_gpu", "0x10de\n", "0x030000\n", true},
    {"a_bridge_of_nvidia_is_none", "0x10de\n", "0x068000\n", false},
    {"the_sound_of_an_nvidia_card_is_none", "0x10de\n", "0x040300\n", false},
    {"the_vga_controller_of_a_bmc_is_none", "0x1a03\n", "0x030000\n", false},
    {"a_network_card_of_nvidia_is_none", "0x15b3\n", "0x020700\n", false},
    {"an_accelerator_of_amd_is_a_gpu", "0x1002\n", "0x120000\n", true},
    {"a_display_controller_of_amd_is_a_gpu", "0x1002\n", "0x038000\n", true},
    {"the_sound_of_an_amd_card_is_none", "0x1002\n", "0x040300\n", false},
    {"an_accelerator_of_another_vendor_is_none", "0x8086\n", "0x120000\n", false},
    {"a_device_without_vendor_is_none", NULL, "0x030200\n", false},
    {"a_device_without_class_is_none", "0x10de\n", NULL, false},
    {"a_device_with_an_empty_class_is_none", "0x10de\n", "", false},
};

static void device(void **state)
{
    static const char *const folders[] = {"sys", "sys/bus", "sys/bus/pci", "sys/bus/pci/devices",
                                          "sys/bus/pci/devices/0000:17:00.0"};
    const struct device_row *row = *state;
    struct unit_dir dir = unit_dir_make();
    struct ce_root root;
    struct ce_error err;
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    assert_non_null(node);
    for (size_t i = 0; i < UNIT_COUNT(folders); i++)
        assert_int_equal(mkdirat(dir.fd, folders[i], 0755), 0);
    if (row->vendor)
        unit_dir_write(&dir, "sys/bus/pci/devices/0000:17:00.0/vendor", row->vendor);
    if (row->class)
        unit_dir_write(&dir, "sys/bus/pci/devices/0000:17:00.0/class", row->class);
    assert_int_equal(ce_root_open(&root, dir.path, &err), 0);
    ce_probe_host(&root, node);
    ce_root_close(&root);
    unit_dir_remove(&dir);
    assert_true(node->gpu_count_known);
    assert_int_equal(node->gpu_count, row->gpu);
}

/* Only what holds on every machine. */
static void this_machine_has_its_name(void **state)
{
    struct ce_root root;
    struct ce_error err;
    char name[HOST_NAME_MAX + 1] = "";
    (void)state;
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    assert_non_null(node);
    assert_int_equal(ce_root_open(&root, "/", &err), 0);
    ce_probe_host(&root, node);
    ce_root_close(&root);
    assert_int_equal(gethostname(name, sizeof name), 0);
    same(node->host_name, name);
    assert_non_null(node->boot_id);
    assert_int_equal(strlen(node->boot_id), 36);
}

int main(void)
{
    UNIT_TABLE(machines, machine);
    UNIT_TABLE(devices, device);
    UNIT_RULE(this_machine_has_its_name);
    return UNIT_RUN("probe/host");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "checks/check.h"

#include "view.h"

#define RAIL(n, keys)                                                                              \
    "ib.mlx5_" #n ".type=MT4129\nib.mlx5_" #n ".pci=0000:1" #n ":00.0\nib.mlx5_" #n                \
    ".1.state=4\nib.mlx5_" #n ".1.link_layer=infiniband\nib.mlx5_" #n ".1.rate_mbps=400000\n" keys
#define ONE(keys) FRAMED(RAIL(0, keys))
#define THREE(a, b, c) FRAMED(RAIL(0, a) RAIL(1, b) RAIL(2, c))
#define FIRMWARE(n, version) "ib.mlx5_" #n ".firmware=" version "\n"
#define BOARD(n, id) "ib.mlx5_" #n ".board_id=" id "\n"
#define GPU "gpu.count=1\ngpu.0.pci_id=10de:2330\n"
#define NOTHING FRAMED("host.name=node1\n")

static const struct row {
    const char *name, *check, *now, *says;
} rows[] = {
    {"all_lanes", "ib.pcie.width", ONE("ib.mlx5_0.link.width=16\nib.mlx5_0.link.width_max=16\n"),
     "pass mlx5_0 PCIe 16 lanes"},
    {"lanes_that_are_missing", "ib.pcie.width",
     ONE("ib.mlx5_0.link.width=8\nib.mlx5_0.link.width_max=16\n"),
     "fail mlx5_0 PCIe 8 lanes, card and slot can 16"},
    {"lanes_that_cannot_be_read", "ib.pcie.width", ONE("ib.mlx5_0.link.width_max=16\n"),
     "unknown mlx5_0 its PCI Express link cannot be read"},
    {"a_virtual_function_has_no_lanes", "ib.pcie.width", ONE("ib.mlx5_0.vf=1\n"),
     "skip mlx5_0 a virtual function has no link of its own"},
    {"no_rail_has_no_lanes", "ib.pcie.width", NOTHING, "skip there is no rail"},
    {"full_speed", "ib.pcie.speed",
     ONE("ib.mlx5_0.link.speed_mtps=32000\nib.mlx5_0.link.speed_max_mtps=32000\n"),
     "pass mlx5_0 PCIe 32000 MT/s"},
    {"a_lower_speed", "ib.pcie.speed",
     ONE("ib.mlx5_0.link.speed_mtps=8000\nib.mlx5_0.link.speed_max_mtps=32000\n"),
     "fail mlx5_0 PCIe 8000 MT/s, card and slot can 32000"},
    {"a_speed_that_cannot_be_read", "ib.pcie.speed", ONE(""),
     "unknown mlx5_0 its PCI Express link cannot be read"},
    {"no_rail_has_no_speed", "ib.pcie.speed", NOTHING, "skip there is no rail"},
    {"the_expected_firmware", "ib.firmware", ONE(FIRMWARE(0, "28.39.1002")),
     "pass mlx5_0 firmware 28.39.1002"},
    {"another_firmware", "ib.firmware", ONE(FIRMWARE(0, "28.38.1002")),
     "fail mlx5_0 firmware 28.38.1002, expected 28.39.1002"},
    {"a_firmware_that_cannot_be_read", "ib.firmware", ONE(""),
     "unknown mlx5_0 its firmware's version cannot be read"},
    {"no_rail_has_no_firmware", "ib.firmware", NOTHING, "skip there is no rail"},
    {"siblings_of_one_firmware", "ib.firmware.siblings",
     THREE(FIRMWARE(0, "1"), FIRMWARE(1, "1"), FIRMWARE(2, "1")),
     "pass mlx5_0 firmware 1\npass mlx5_1 firmware 1\npass mlx5_2 firmware 1"},
    {"one_of_three_has_another_firmware", "ib.firmware.siblings",
     THREE(FIRMWARE(0, "1"), FIRMWARE(1, "2"), FIRMWARE(2, "1")),
     "pass mlx5_0 firmware 1\nwarn mlx5_1 firmware 2, its siblings have 1\npass mlx5_2 firmware 1"},
    {"where_all_differ_none_is_wrong", "ib.firmware.siblings",
     THREE(FIRMWARE(0, "1"), FIRMWARE(1, "2"), FIRMWARE(2, "3")),
     "pass mlx5_0 firmware 1\npass mlx5_1 firmware 2\npass mlx5_2 firmware 3"},
    {"a_siblings_firmware_is_unknown", "ib.firmware.siblings",
     THREE(FIRMWARE(0, "1"), "", FIRMWARE(2, "1")),
     "pass mlx5_0 firmware 1\nunknown mlx5_1 its firmware cannot be read\npass mlx5_2 firmware 1"},
    {"no_rail_has_no_siblings", "ib.firmware.siblings", NOTHING, "skip there is no rail"},
    {"siblings_of_one_board", "ib.board.siblings", ONE(BOARD(0, "MT_1")), "pass mlx5_0 board MT_1"},
    {"one_of_three_is_of_another_board", "ib.board.siblings",
     THREE(BOARD(0, "MT_1"), BOARD(1, "MT_2"), BOARD(2, "MT_1")),
     "pass mlx5_0 board MT_1\nwarn mlx5_1 board MT_2, its siblings have MT_1\npass mlx5_2 board MT_1"},
    {"a_board_that_cannot_be_read", "ib.board.siblings", ONE(""),
     "unknown mlx5_0 its board cannot be read"},
    {"no_rail_has_no_board", "ib.board.siblings", NOTHING, "skip there is no rail"},
    {"a_device_file", "ib.uverbs", ONE("ib.mlx5_0.uverbs=1\n"),
     "pass mlx5_0 its device file is there"},
    {"no_device_file", "ib.uverbs", ONE("ib.mlx5_0.uverbs=0\n"),
     "fail mlx5_0 no /dev/infiniband/uverbs* of it"},
    {"a_device_file_that_was_not_looked_for", "ib.uverbs", ONE(""),
     "unknown mlx5_0 its device file was not looked for"},
    {"no_rail_has_no_device_file", "ib.uverbs", NOTHING, "skip there is no rail"},
    {"peermem", "ib.gpudirect", ONE(GPU "host.nvidia=closed\nhost.peermem=1\n"),
     "pass nvidia_peermem is loaded"},
    {"dmabuf", "ib.gpudirect",
     ONE(GPU "host.nvidia=open\nhost.peermem=0\nhost.kernel=6.8.0-45-generic\n"),
     "pass dma-buf: the open driver on Linux 6.8.0-45-generic"},
    {"the_first_kernel_with_dmabuf", "ib.gpudirect",
     ONE(GPU "host.nvidia=open\nhost.peermem=0\nhost.kernel=5.12.0\n"),
     "pass dma-buf: the open driver on Linux 5.12.0"},
    {"a_kernel_before_it", "ib.gpudirect",
     ONE(GPU "host.nvidia=open\nhost.peermem=0\nhost.kernel=5.11.22\n"),
     "warn neither nvidia_peermem nor dma-buf: GPU memory goes through the host's"},
    {"the_closed_driver_has_no_dmabuf", "ib.gpudirect",
     ONE(GPU "host.nvidia=closed\nhost.peermem=0\nhost.kernel=6.8.0\n"),
     "warn neither nvidia_peermem nor dma-buf: GPU memory goes through the host's"},
    {"modules_that_cannot_be_read", "ib.gpudirect", ONE(GPU),
     "unknown the kernel's modules cannot be read"},
    {"without_the_driver_it_is_skipped", "ib.gpudirect", ONE(GPU "host.nvidia=none\n"),
     "skip NVIDIA's driver is not loaded"},
    {"without_a_gpu_it_is_skipped", "ib.gpudirect", ONE("gpu.count=0\n"),
     "skip there is no NVIDIA GPU"},
    {"a_gpu_of_amd_is_none_of_ours", "ib.gpudirect", ONE("gpu.count=1\ngpu.0.pci_id=1002:74a1\n"),
     "skip there is no NVIDIA GPU"},
};

static void check_says(void **state)
{
    const struct row *row = *state;
    struct ce_policy policy;
    ce_policy_default(&policy);
    policy.firmware_count = 2;
    policy.firmware[0] = (struct ce_firmware_expected){"MT4123", "20.1"};
    policy.firmware[1] = (struct ce_firmware_expected){"MT4129", "28.39.1002"};
    view_says(row->check, NULL, row->now, &policy, row->says);
}

static void firmware_is_expected_by_type_or_of_all(void **state)
{
    (void)state;
    struct ce_policy policy;
    ce_policy_default(&policy);
    view_says("ib.firmware", NULL, ONE(FIRMWARE(0, "2")), &policy,
              "skip mlx5_0 no firmware is expected");
    policy.firmware_count = 1;
    policy.firmware[0] = (struct ce_firmware_expected){"MT4123", "1"};
    view_says("ib.firmware", NULL, ONE(FIRMWARE(0, "2")), &policy,
              "skip mlx5_0 no firmware is expected");
    policy.firmware[0].type[0] = '\0';
    view_says("ib.firmware", NULL, ONE(FIRMWARE(0, "2")), &policy,
              "fail mlx5_0 firmware 2, expected 1");
}

int main(void)
{
    UNIT_TABLE(rows, check_says);
    UNIT_RULE(firmware_is_expected_by_type_or_of_all);
    return UNIT_RUN("checks/ib_card");
}

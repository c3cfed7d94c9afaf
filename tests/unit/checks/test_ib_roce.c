/* SPDX-License-Identifier: Apache-2.0 */
#include "checks/check.h"

#include "view.h"

#define RAIL(n, keys)                                                                              \
    "ib.mlx5_" #n ".type=MT4129\nib.mlx5_" #n ".pci=0000:1" #n ":00.0\nib.mlx5_" #n                \
    ".netdev.0=eth" #n "\nib.mlx5_" #n ".1.state=4\nib.mlx5_" #n                                   \
    ".1.link_layer=ethernet\nib.mlx5_" #n ".1.rate_mbps=400000\n" keys
#define ONE(keys) FRAMED(RAIL(0, keys))
#define GID(index, text) "ib.mlx5_0.1.gid." #index "=" text "\n"
#define MTU(n, mtu) "ib.mlx5_" #n ".1.mtu=" #mtu "\n"
#define INFINIBAND                                                                                 \
    FRAMED("ib.mlx5_0.type=MT4129\nib.mlx5_0.1.state=4\nib.mlx5_0.1.link_layer=infiniband\n"       \
           "ib.mlx5_0.1.rate_mbps=400000\n")

static const struct row {
    const char *name, *check, *now, *says;
} rows[] = {
    {"gids_of_v2", "ib.roce.gid",
     ONE(GID(0, "fe80::1 v1") GID(1, "fe80::1 v2") GID(3, "10.0.0.1 v2")),
     "pass mlx5_0/1 2 RoCE v2 GIDs"},
    {"gids_of_v1_only", "ib.roce.gid", ONE(GID(0, "fe80::1 v1")), "fail mlx5_0/1 no RoCE v2 GID"},
    {"no_gid", "ib.roce.gid", ONE(""), "fail mlx5_0/1 no RoCE v2 GID"},
    {"gids_of_no_known_type", "ib.roce.gid", ONE(GID(0, "fe80::1 unknown")),
     "unknown mlx5_0/1 the types of its GIDs cannot be read"},
    {"infiniband_needs_no_gid_of_roce", "ib.roce.gid", INFINIBAND,
     "skip there is no active RoCE rail"},
    {"an_ipv4_address", "ib.roce.address", ONE(GID(1, "fe80::1 v2") GID(3, "10.0.0.1 v2")),
     "pass mlx5_0/1 it has an IP address"},
    {"an_ipv6_address", "ib.roce.address", ONE(GID(1, "fe80::1 v2") GID(3, "fd00::1 v2")),
     "pass mlx5_0/1 it has an IP address"},
    {"link_local_is_not_enough", "ib.roce.address",
     ONE(GID(1, "fe80::1 v2") GID(3, "169.254.1.1 v2")),
     "warn mlx5_0/1 no IP address but a link-local one"},
    {"nor_is_an_address_of_v1", "ib.roce.address", ONE(GID(1, "fe80::1 v2") GID(2, "10.0.0.1 v1")),
     "warn mlx5_0/1 no IP address but a link-local one"},
    {"an_address_of_no_known_type", "ib.roce.address", ONE(GID(1, "10.0.0.1 unknown")),
     "unknown mlx5_0/1 the types of its GIDs cannot be read"},
    {"infiniband_needs_no_address", "ib.roce.address", INFINIBAND,
     "skip there is no active RoCE rail"},
    {"one_mtu", "ib.roce.mtu", ONE(MTU(0, 9000)), "pass mlx5_0/1 MTU 9000"},
    {"one_of_three_has_another", "ib.roce.mtu",
     FRAMED(RAIL(0, MTU(0, 9000)) RAIL(1, MTU(1, 9000)) RAIL(2, MTU(2, 1500))),
     "pass mlx5_0/1 MTU 9000\npass mlx5_1/1 MTU 9000\n"
     "warn mlx5_2/1 MTU 1500, its siblings have 9000"},
    {"an_mtu_that_cannot_be_read", "ib.roce.mtu", ONE(""),
     "unknown mlx5_0/1 its MTU cannot be read"},
    {"infiniband_has_no_mtu_of_ethernet", "ib.roce.mtu", INFINIBAND,
     "skip there is no active RoCE rail"},
};

static void check_says(void **state)
{
    const struct row *row = *state;
    view_says(row->check, NULL, row->now, NULL, row->says);
}

int main(void)
{
    UNIT_TABLE(rows, check_says);
    return UNIT_RUN("checks/ib_roce");
}

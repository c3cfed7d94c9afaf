/* SPDX-License-Identifier: Apache-2.0 */
#include "checks/check.h"

#include "view.h"

#define PORT(n, state, layer, keys)                                                                \
    "ib.mlx5_" #n ".type=MT4129\nib.mlx5_" #n ".pci=0000:1" #n ":00.0\nib.mlx5_" #n                \
    ".1.state=" #state "\nib.mlx5_" #n ".1.link_layer=" #layer "\nib.mlx5_" #n                     \
    ".1.rate_mbps=400000\n" keys
#define RAIL(n, pkeys) PORT(n, 4, infiniband, "ib.mlx5_" #n ".1.pkeys=" pkeys "\n")

static const struct row {
    const char *name, *now, *says;
} rows[] = {
    {"the_default_partition", FRAMED(RAIL(0, "0xffff")), "pass mlx5_0/1 partition key 0xffff"},
    {"a_tenants_partition", FRAMED(RAIL(0, "0x8007")), "pass mlx5_0/1 partition key 0x8007"},
    {"limited_in_the_default_one_of_a_tenant", FRAMED(RAIL(0, "0x8007 0x7fff")),
     "pass mlx5_0/1 partition key 0x8007"},
    {"full_membership_at_another_index", FRAMED(RAIL(0, "0x7fff 0x0000 0x8007")),
     "warn mlx5_0/1 partition key 0x7fff at index 0, full membership first at index 2 (0x8007)"},
    {"the_first_place_is_empty", FRAMED(RAIL(0, "0x0000 0xffff")),
     "warn mlx5_0/1 partition key 0x0000 at index 0, full membership first at index 1 (0xffff)"},
    {"limited_in_all", FRAMED(RAIL(0, "0xffff") RAIL(1, "0x7fff 0x0007 0x0000")),
     "pass mlx5_0/1 partition key 0xffff\n"
     "fail mlx5_1/1 partition key 0x7fff at index 0, and full membership of no partition"},
    {"no_key_at_all", FRAMED(RAIL(0, "0x0000 0x0000")),
     "fail mlx5_0/1 partition key 0x0000 at index 0, and full membership of no partition"},
    {"full_membership_of_nothing", FRAMED(RAIL(0, "0x8000")),
     "fail mlx5_0/1 partition key 0x8000 at index 0, and full membership of no partition"},
    {"keys_that_cannot_be_read", FRAMED(PORT(0, 4, infiniband, "")),
     "unknown mlx5_0/1 its partition keys cannot be read"},
    {"a_port_that_is_down_has_none", FRAMED(PORT(0, 1, infiniband, "ib.mlx5_0.1.pkeys=0x7fff\n")),
     "skip there is no active InfiniBand rail"},
    {"roce_has_none", FRAMED(PORT(0, 4, ethernet, "ib.mlx5_0.1.pkeys=0x7fff\n")),
     "skip there is no active InfiniBand rail"},
    {"no_rail_has_none", FRAMED("host.name=node1\n"), "skip there is no active InfiniBand rail"},
};

static void check_says(void **state)
{
    const struct row *row = *state;
    view_says("ib.pkey", NULL, row->now, NULL, row->says);
}

/* A site may want its nodes so: storage is full member, nodes are not. */
static void it_never_drains_by_itself(void **state)
{
    (void)state;
    assert_int_equal(ce_ib_pkey_checks[0].fault, CE_TELL);
    assert_int_equal(ce_ib_pkey_checks[0].unknown, CE_IGNORE);
}

int main(void)
{
    UNIT_TABLE(rows, check_says);
    UNIT_RULE(it_never_drains_by_itself);
    return UNIT_RUN("checks/ib_pkey");
}

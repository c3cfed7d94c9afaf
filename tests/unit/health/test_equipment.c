/* SPDX-License-Identifier: Apache-2.0 */
#include "health/equipment.h"

#include "../unit.h"

#define RAIL(n, state)                                                                             \
    "ib.mlx5_" #n ".node_type=1\nib.mlx5_" #n ".pci=0000:0" #n ":00.0\nib.mlx5_" #n                  \
    ".hca_type=MT4129\nib.mlx5_" #n ".1.state=" #state "\nib.mlx5_" #n                               \
    ".1.phys_state=5\nib.mlx5_" #n ".1.rate_mbps=400000\nib.mlx5_" #n ".1.link_layer=infiniband\n"

static const struct row {
    const char *name, *facts;
    uint32_t gpus_expected, rails_expected;
    struct ce_equipment wanted;
} rows[] = {
    {"nothing_is_known_of_nothing", "", 0, 0, {false, true, 0, 0, 0, 0, 0}},
    {"gpus", "gpu.count=8\n", 0, 0, {true, true, 8, 0, 0, 0, 0}},
    {"gpus_that_lack", "gpu.count=7\n", 8, 0, {true, true, 7, 8, 0, 0, 0}},
    {"rails", RAIL(1, 4) RAIL(2, 4), 0, 0, {false, true, 0, 0, 2, 2, 0}},
    {"a_rail_that_is_down", RAIL(1, 4) RAIL(2, 1), 0, 2, {false, true, 0, 0, 2, 1, 2}},
    {"rails_that_lack", RAIL(1, 4), 0, 8, {false, true, 0, 0, 1, 1, 8}},
};

static void is_counted(void **state)
{
    const struct row *row = *state;
    ce_autotext struct ce_text text = CE_TEXT(1 << 16);
    struct ce_policy policy;
    struct ce_equipment got;
    struct ce_error err = {""};
    ce_text_addf(&text, "format=1\nhost.name=n\n%send=1\n", row->facts);
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_parse(ce_text_string(&text), &err);
    assert_string_equal(err.text, "");
    ce_policy_default(&policy);
    policy.gpus = row->gpus_expected;
    policy.rails.count = row->rails_expected;
    ce_equipment_count(node, &policy, &got);
    assert_int_equal(got.gpus_known, row->wanted.gpus_known);
    assert_int_equal(got.rails_known, row->wanted.rails_known);
    assert_int_equal(got.gpus, row->wanted.gpus);
    assert_int_equal(got.gpus_expected, row->wanted.gpus_expected);
    assert_int_equal(got.rails, row->wanted.rails);
    assert_int_equal(got.rails_up, row->wanted.rails_up);
    assert_int_equal(got.rails_expected, row->wanted.rails_expected);
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    UNIT_TABLE(rows, is_counted);
    return UNIT_RUN("equipment");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/gid.h"

#include "../unit.h"
#include "base/cleanup.h"
#include "model/node.h"

#define GID(index, text) "ib.mlx5_0.1.gid." #index "=" text "\n"

static const struct row {
    const char *name, *gids;
    int index; /* -1: none */
} rows[] = {
    {"ipv4_of_v2", GID(0, "fe80::1 v1") GID(1, "fe80::1 v2") GID(2, "10.0.0.1 v1") GID(3, "10.0.0.1 v2"), 3},
    {"the_first_of_several", GID(3, "10.0.0.1 v2") GID(5, "10.0.5.1 v2"), 3},
    {"ipv4_before_ipv6", GID(1, "fd00::1 v2") GID(3, "10.0.0.1 v2"), 3},
    {"ipv6_before_link_local", GID(1, "fe80::1 v2") GID(2, "fd00::1 v2"), 2},
    {"a_link_local_ipv4_is_no_better", GID(1, "169.254.0.1 v2") GID(2, "fd00::1 v2"), 2},
    {"link_local_where_there_is_nothing_else", GID(0, "fe80::1 v1") GID(1, "fe80::1 v2"), 1},
    {"never_v1", GID(0, "fe80::1 v1") GID(2, "10.0.0.1 v1"), -1},
    {"infiniband", GID(0, "fe80::1 ib"), -1},
    {"none", "", -1},
};

static void check_choice(void **state)
{
    const struct row *row = *state;
    struct ce_error err = {""};
    char text[512];
    snprintf(text, sizeof text, "format=1\nib.mlx5_0.1.state=4\n%send=1\n", row->gids);
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_parse(text, &err);
    if (!node)
        fail_msg("%s", err.text);
    const struct ce_gid *gid = ce_gid_choose(&node->hcas[0].ports[0]);
    assert_int_equal(gid ? (int)gid->index : -1, row->index);
}

int main(void)
{
    UNIT_TABLE(rows, check_choice);
    return UNIT_RUN("launch/gid");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/rail.h"

#include "probe/helpers.h"
#include "asked.h"
#include "tree.h"

#define PORT "sys/class/infiniband/mlx5_0/ports/1"
#define PF "sys/bus/pci/devices/0000:18:00.0"
#define BRIDGE "sys/bus/pci/devices/0000:15:01.0"

static const char known[] =
    "format=1\nib.mlx5_0.pci=0000:18:00.0\nib.mlx5_0.path=pci0000:15/0000:15:01.0/0000:18:00.0\n"
    "ib.mlx5_0.netdev.0=ib0\nib.mlx5_0.1.state=4\nib.mlx5_0.1.link_layer=infiniband\nib.mlx5_1.1.state=4\nend=1\n";
static const struct ce_rail_place first[] = {{0, 0}};

static struct ce_node *probe(const struct tree *tree)
{
    struct ce_node *node = ce_node_parse(known, NULL);
    assert_non_null(node);
    ce_probe_rails(&tree->root, first, 1, node);
    return node;
}

static const struct counter_row {
    const char *name, *text; /* NULL: no such file */
    bool known;
    uint64_t value;
} counters[] = {
    {"a_number", "3\n", true, 3},
    {"a_great_number", "18446744073709551615\n", true, UINT64_MAX},
    {"without_a_newline", "3", true, 3},
    {"no_file", NULL, false, 0},
    {"an_empty_file", "", false, 0},
    {"a_word", "N/A\n", false, 0},
    {"below_zero", "-1\n", false, 0},
    {"past_all", "18446744073709551616\n", false, 0},
    {"with_a_unit", "3 errors\n", false, 0},
    {"an_escape_sequence", "3\033[2J\n", false, 0},
};

static void counter_is(void **state)
{
    const struct counter_row *row = *state;
    struct tree tree = tree_make();
    tree_put(&tree, PORT "/counters", "link_downed", row->text);
    tree_put(&tree, PORT "/hw_counters", "out_of_sequence", row->text);
    tree_put(&tree, "sys/class/net/ib0", "carrier_changes", row->text);
    ce_auto(ce_node_destroy) struct ce_node *node = probe(&tree);
    const struct ce_counters *read = &node->hcas[0].ports[0].counters;
    const enum ce_counter all[] = {CE_COUNTER_LINK_DOWNED, CE_COUNTER_OUT_OF_SEQUENCE,
                                   CE_COUNTER_CARRIER_CHANGES};
    for (size_t i = 0; i < UNIT_COUNT(all); i++) {
        assert_int_equal(ce_counter_known(read, all[i]), row->known);
        assert_true(read->value[all[i]] == row->value);
    }
    tree_remove(&tree);
}

static void only_the_rails_are_asked(void **state)
{
    (void)state;
    struct tree tree = tree_make();
    tree_put(&tree, "sys/class/infiniband/mlx5_1/ports/1/counters", "link_downed", "3\n");
    ce_auto(ce_node_destroy) struct ce_node *node = probe(&tree);
    assert_int_equal(node->hcas[1].ports[0].counters.known, 0);
    tree_remove(&tree);
}

static const struct link_row {
    const char *name, *width, *width_max, *speed, *speed_max, *slot_width, *slot_speed;
    struct ce_pci_link is;
} links[] = {
    {"a_card_at_its_best",
     "16\n",
     "16\n",
     "32.0 GT/s PCIe\n",
     "32.0 GT/s PCIe\n",
     "16\n",
     "32.0 GT/s PCIe\n",
     {16, 16, 32000, 32000}},
    {"a_slot_that_can_less",
     "8\n",
     "16\n",
     "16.0 GT/s PCIe\n",
     "32.0 GT/s PCIe\n",
     "8\n",
     "16.0 GT/s PCIe\n",
     {8, 8, 16000, 16000}},
    {"a_slot_that_says_nothing",
     "8\n",
     "16\n",
     "2.5 GT/s PCIe\n",
     "32.0 GT/s PCIe\n",
     NULL,
     NULL,
     {8, 16, 2500, 32000}},
    {"a_virtual_function",
     "0\n",
     "0\n",
     "Unknown\n",
     "Unknown\n",
     "16\n",
     "32.0 GT/s PCIe\n",
     {0, 16, 0, 32000}},
    {"lanes_that_cannot_be",
     "63\n",
     "255\n",
     "64.0 GT/s PCIe\n",
     "999999 GT/s\n",
     NULL,
     NULL,
     {0, 0, 64000, 0}},
    {"nothing", NULL, NULL, NULL, NULL, NULL, NULL, {0, 0, 0, 0}},
};

static void link_is(void **state)
{
    const struct link_row *row = *state;
    struct tree tree = tree_make();
    tree_put(&tree, PF, "current_link_width", row->width);
    tree_put(&tree, PF, "max_link_width", row->width_max);
    tree_put(&tree, PF, "current_link_speed", row->speed);
    tree_put(&tree, PF, "max_link_speed", row->speed_max);
    tree_put(&tree, BRIDGE, "max_link_width", row->slot_width);
    tree_put(&tree, BRIDGE, "max_link_speed", row->slot_speed);
    ce_auto(ce_node_destroy) struct ce_node *node = probe(&tree);
    assert_memory_equal(&node->hcas[0].link, &row->is, sizeof row->is);
    tree_remove(&tree);
}

static void device_files_are_found(void **state)
{
    (void)state;
    struct tree tree = tree_make();
    tree_put(&tree, "sys/class/infiniband_verbs/uverbs3", "ibdev", "mlx5_0\n");
    ce_auto(ce_node_destroy) struct ce_node *recorded = probe(&tree);
    assert_int_equal(recorded->hcas[0].uverbs, CE_ANSWER_UNKNOWN);
    tree_folders(&tree, "dev/infiniband/");
    ce_auto(ce_node_destroy) struct ce_node *without = probe(&tree);
    assert_int_equal(without->hcas[0].uverbs, CE_ANSWER_NO);
    tree_put(&tree, "dev/infiniband", "uverbs3", "");
    ce_auto(ce_node_destroy) struct ce_node *with = probe(&tree);
    assert_int_equal(with->hcas[0].uverbs, CE_ANSWER_YES);
    tree_remove(&tree);
}

static const struct pkey_row {
    const char *name, *keys[3]; /* NULL: no such file */
    unsigned count;
    uint16_t last;
} pkeys[] = {
    {"the_first_is_full", {"0xffff\n", "0x7fff\n"}, 1, 0xffff},
    {"the_third_is_full", {"0x7fff\n", "0x0000\n", "0x8007\n"}, 3, 0x8007},
    {"none_is_full", {"0x7fff\n", "0x0000\n", "0x0000\n"}, 3, 0},
    {"no_table", {NULL}, 0, 0},
    {"a_table_that_is_no_table", {"ffff\n", "0xffff\n"}, 0, 0},
    {"a_card_that_stops_to_answer", {"0x7fff\n", NULL, "0xffff\n"}, 1, 0x7fff},
};

static void pkeys_are_read(void **state)
{
    const struct pkey_row *row = *state;
    struct tree tree = tree_make();
    for (unsigned i = 0; i < UNIT_COUNT(row->keys); i++)
        tree_put(&tree, PORT "/pkeys", (char[]){(char)('0' + i), '\0'}, row->keys[i]);
    ce_auto(ce_node_destroy) struct ce_node *node = probe(&tree);
    const struct ce_pkeys *read = &node->hcas[0].ports[0].pkeys;
    assert_int_equal(read->count, row->count);
    assert_int_equal(read->count ? read->keys[read->count - 1] : 0, row->last);
    tree_remove(&tree);
}

static void roce_is_not_asked_for_pkeys(void **state)
{
    (void)state;
    struct tree tree = tree_make();
    tree_put(&tree, PORT "/pkeys", "0", "0xffff\n");
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_parse(known, NULL);
    node->hcas[0].ports[0].link_layer = CE_LINK_ETHERNET;
    ce_probe_rails(&tree.root, first, 1, node);
    assert_int_equal(node->hcas[0].ports[0].pkeys.count, 0);
    tree_remove(&tree);
}

static void a_child_tells_the_same(void **state)
{
    (void)state;
    struct tree tree = tree_make();
    struct ce_notes notes = {.count = 0};
    tree_put(&tree, PORT "/counters", "link_downed", "3\n");
    tree_put(&tree, "sys/class/net/ib0", "mtu", "4092\n");
    tree_put(&tree, PORT "/pkeys", "0", "0xffff\n");
    tree_put(&tree, PF, "current_link_width", "16\n");
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_parse(known, NULL);
    struct ce_rail_place place = {0, 0};
    struct ce_rails_question question = {&tree.root, node, &place, 1};
    struct ce_child child;
    ce_rails_ask(&question, 2000, &child);
    run_alone(&child);
    ce_auto(ce_node_destroy) struct ce_node *told = ce_rails_answer(&child, &notes);
    ce_child_free(&child);
    assert_non_null(told);
    ce_rails_merge(told, node);
    ce_auto(ce_node_destroy) struct ce_node *same = probe(&tree);
    ce_autotext struct ce_text a = CE_TEXT(1 << 16), b = CE_TEXT(1 << 16);
    ce_node_write(node, &a);
    ce_node_write(same, &b);
    assert_int_equal(notes.count, 0);
    assert_string_equal(ce_text_string(&a), ce_text_string(&b));
    unit_holds(ce_text_string(&a), "ib.mlx5_0.1.counter.link_downed=3\nib.mlx5_0.1.mtu=4092\nib.mlx5_0.1.pkeys=0xffff\n");
    unit_holds(ce_text_string(&a), "ib.mlx5_0.link.width=16\n");
    tree_remove(&tree);
}

int main(void)
{
    UNIT_TABLE(counters, counter_is);
    UNIT_RULE(only_the_rails_are_asked);
    UNIT_TABLE(links, link_is);
    UNIT_RULE(device_files_are_found);
    UNIT_TABLE(pkeys, pkeys_are_read);
    UNIT_RULE(roce_is_not_asked_for_pkeys);
    UNIT_RULE(a_child_tells_the_same);
    return UNIT_RUN("probe/rail");
}

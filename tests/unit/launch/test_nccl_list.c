/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/nccl_list.h"

#include "../unit.h"
#include "base/text.h"

/* ---------------------------------------------------------------- the grammar */

/* What NCCL makes of a text: "^" and "=" as they count, then each entry as NAME:PORT. */
static const struct parse_row {
    const char *name, *text, *meaning;
} parses[] = {
    {"a_name_is_an_entry", "mlx5_0", "mlx5_0:-1"},
    {"names_are_separated_by_commas", "mlx5_0,mlx5_1", "mlx5_0:-1 mlx5_1:-1"},
    {"an_equals_sign_in_front_means_exactly", "=mlx5_0,mlx5_1", "= mlx5_0:-1 mlx5_1:-1"},
    {"a_caret_in_front_means_all_but", "^mlx5_0,mlx5_1", "^ mlx5_0:-1 mlx5_1:-1"},
    {"a_caret_comes_before_an_equals_sign", "^=mlx5_0", "^ = mlx5_0:-1"},
    {"behind_an_equals_sign_a_caret_is_part_of_the_name", "=^lo", "= ^lo:-1"},
    {"a_caret_further_on_is_part_of_the_name", "^a,^b", "^ a:-1 ^b:-1"},
    {"an_equals_sign_further_on_is_part_of_the_name", "=a,=b", "= a:-1 =b:-1"},
    {"a_second_caret_is_part_of_the_name", "^^a", "^ ^a:-1"},
    {"a_second_equals_sign_is_part_of_the_name", "==a", "= =a:-1"},
    {"a_port_stands_behind_a_colon", "mlx5_0:1,mlx5_1:2", "mlx5_0:1 mlx5_1:2"},
    {"rail_and_plane_may_follow_the_port", "mlx5_0:1:0:3,mlx5_1:2:1", "mlx5_0:1 mlx5_1:2"},
    {"a_port_that_is_no_number_is_zero", "mlx5_0:x", "mlx5_0:0"},
    {"a_port_that_is_not_there_is_zero", "mlx5_0:,mlx5_1", "mlx5_0:0 mlx5_1:-1"},
    {"a_port_ends_where_its_digits_end", "mlx5_0:1x", "mlx5_0:1"},
    {"port_minus_one_is_any", "mlx5_0:-1", "mlx5_0:-1"},
    {"a_port_without_a_name_is_no_entry", ":1,mlx5_0", "mlx5_0:-1"},
    {"a_rail_without_a_name_is_no_entry", "::1", ""},
    {"empty_entries_are_passed_over", ",a,,b,", "a:-1 b:-1"},
    {"blanks_are_part_of_a_name", " lo, eth0", " lo:-1  eth0:-1"},
    {"nothing_is_an_empty_list", "", ""},
    {"a_caret_alone_is_an_empty_list", "^", "^"},
    {"an_equals_sign_alone_is_an_empty_list", "=", "="},
    {"commas_alone_are_an_empty_list", ",,,", ""},
};

static void parses_as(void **state)
{
    const struct parse_row *row = *state;
    ce_autotext struct ce_text meaning = CE_TEXT(1000);
    struct ce_nccl_list list;
    ce_nccl_list_parse(row->text, &list);
    ce_text_addf(&meaning, "%s%s%s", list.except ? "^" : "", list.except && list.exact ? " " : "",
                 list.exact ? "=" : "");
    for (size_t i = 0; i < list.count; i++)
        ce_text_addf(&meaning, "%s%s:%d", meaning.length ? " " : "", list.entries[i].name,
                     list.entries[i].port);
    assert_string_equal(ce_text_string(&meaning), row->meaning);
    assert_int_equal(list.dropped, 0);
}

static void entries_past_the_32nd_are_dropped_and_counted(void **state)
{
    ce_autotext struct ce_text text = CE_TEXT(1000);
    struct ce_nccl_list list;
    (void)state;
    for (unsigned i = 0; i < CE_NCCL_ENTRIES_MAX + 3; i++)
        ce_text_addf(&text, "mlx5_%u,:7,,", i);
    ce_nccl_list_parse(ce_text_string(&text), &list);
    assert_int_equal(list.count, CE_NCCL_ENTRIES_MAX);
    assert_int_equal(list.dropped, 3);
    assert_string_equal(list.entries[31].name, "mlx5_31");
}

static void a_name_of_63_bytes_is_whole_and_a_longer_one_is_cut(void **state)
{
    char text[100];
    struct ce_nccl_list list;
    (void)state;
    for (size_t length = 63; length < 65; length++) {
        memset(text, 'n', sizeof text);
        strcpy(text + length, ":1");
        ce_nccl_list_parse(text, &list);
        assert_int_equal(list.count, 1);
        assert_int_equal(strlen(list.entries[0].name), 63);
        assert_int_equal(list.entries[0].port, 1);
    }
}

/* ---------------------------------------------------------------- what it takes */

static const struct take_row {
    const char *name, *text, *device;
    int port;
    bool taken;
} takes[] = {
    {"a_name_takes_what_begins_with_it", "mlx5_1", "mlx5_10", 1, true},
    {"an_exact_name_does_not", "=mlx5_1", "mlx5_10", 1, false},
    {"an_exact_name_takes_itself", "=mlx5_1", "mlx5_1", 1, true},
    {"a_longer_name_takes_nothing_shorter", "mlx5_10", "mlx5_1", 1, false},
    {"case_counts", "MLX5_1", "mlx5_1", 1, false},
    {"a_caret_takes_the_others", "^mlx5_0", "mlx5_1", 1, true},
    {"a_caret_keeps_out_what_begins_with_it", "^mlx5_1", "mlx5_10", 1, false},
    {"an_exact_caret_keeps_out_only_the_name", "^=mlx5_1", "mlx5_10", 1, true},
    {"an_exact_caret_keeps_out_the_name", "^=mlx5_1", "mlx5_1", 1, false},
    {"a_port_takes_that_port", "mlx5_0:1", "mlx5_0", 1, true},
    {"a_port_takes_no_other", "mlx5_0:1", "mlx5_0", 2, false},
    {"any_port_of_an_interface_is_taken", "eth0:1", "eth0", -1, true},
    {"port_zero_takes_no_port", "mlx5_0:x", "mlx5_0", 1, false},
    {"a_port_may_stand_behind_a_prefix", "mlx5:2", "mlx5_7", 2, true},
    {"any_entry_is_enough", "mlx5_9,mlx5_1", "mlx5_1", 1, true},
    {"an_empty_list_takes_all", "", "mlx5_0", 1, true},
    {"an_empty_exact_list_takes_all", "=", "mlx5_0", 1, true},
    {"a_caret_alone_takes_none", "^", "mlx5_0", 1, false},
    {"empty_entries_take_nothing", "mlx5_9,,", "mlx5_0", 1, false},
    {"a_port_without_a_name_takes_nothing", "mlx5_9,:1", "mlx5_0", 1, false},
    {"a_blank_in_front_takes_nothing", " mlx5_0", "mlx5_0", 1, false},
};

static void takes_or_not(void **state)
{
    const struct take_row *row = *state;
    struct ce_nccl_list list;
    ce_nccl_list_parse(row->text, &list);
    assert_int_equal(ce_nccl_list_takes(&list, row->device, row->port), row->taken);
}

/* ---------------------------------------------------------------- what matches nothing */

static const char node_text[] =
    "format=1\nnetif.lo.index=1\nnetif.eth0.index=2\nnetif.eth10.index=3\n"
    "ib.mlx5_0.1.state=4\nib.mlx5_1.1.state=1\nib.mlx5_10.1.state=4\nib.mlx5_10.2.state=4\n"
    "ib.mlx5_11.driver=mlx5_core\nend=1\n";

static const struct unknown_row {
    const char *name;
    unsigned variable; /* 0: NCCL_IB_HCA, 1: NCCL_SOCKET_IFNAME */
    const char *text, *unknown; /* NULL: each matches something */
} unknowns[] = {
    {"a_device_is_known", 0, "mlx5_0", NULL},
    {"a_device_that_is_down_is_known", 0, "=mlx5_1", NULL},
    {"the_beginning_of_devices_is_known", 0, "mlx5", NULL},
    {"the_beginning_of_a_device_is_no_exact_name", 0, "=mlx5", "mlx5"},
    {"a_slip_is_told", 0, "m1x5_0", "m1x5_0"},
    {"a_slip_in_what_is_kept_out_is_told", 0, "^m1x5_0", "m1x5_0"},
    {"the_first_of_several_is_told", 0, "=mlx5_0,mlx5_7,mlx5_8", "mlx5_7"},
    {"a_port_is_known", 0, "mlx5_10:2", NULL},
    {"a_port_that_is_not_there_is_told", 0, "mlx5_0:2", "mlx5_0"},
    {"a_device_whose_ports_are_not_known_is_known", 0, "=mlx5_11:1", NULL},
    {"an_interface_is_no_device", 0, "eth0", "eth0"},
    {"a_list_of_nothing_is_known", 0, "^", NULL},
    {"an_interface_is_known", 1, "=eth0", NULL},
    {"the_beginning_of_interfaces_is_known", 1, "eth", NULL},
    {"an_interface_that_is_not_there_is_told", 1, "=eth1", "eth1"},
    {"a_blank_in_front_is_told", 1, " lo", " lo"},
    {"behind_an_equals_sign_a_caret_is_told", 1, "=^lo", "^lo"},
    {"what_only_some_nodes_have_may_be_kept_out", 1, "^docker,lo,veth", NULL},
    {"a_device_is_no_interface", 1, "mlx5_0", "mlx5_0"},
};

static void is_unknown(void **state)
{
    const struct unknown_row *row = *state;
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_parse(node_text, NULL);
    struct ce_nccl_list list;
    assert_non_null(node);
    ce_nccl_list_parse(row->text, &list);
    const struct ce_nccl_entry *entry = ce_nccl_variables[row->variable].find_unknown(&list, node);
    assert_string_equal(entry ? entry->name : "-", row->unknown ? row->unknown : "-");
}

static void the_variables_are_those_of_nccl(void **state)
{
    (void)state;
    assert_int_equal(ce_nccl_variable_count, 2);
    assert_string_equal(ce_nccl_variables[0].name, "NCCL_IB_HCA");
    assert_int_equal(ce_nccl_variables[0].max, 32);
    assert_string_equal(ce_nccl_variables[1].name, "NCCL_SOCKET_IFNAME");
    assert_int_equal(ce_nccl_variables[1].max, 16);
}

int main(void)
{
    UNIT_TABLE(parses, parses_as);
    UNIT_RULE(entries_past_the_32nd_are_dropped_and_counted);
    UNIT_RULE(a_name_of_63_bytes_is_whole_and_a_longer_one_is_cut);
    UNIT_TABLE(takes, takes_or_not);
    UNIT_TABLE(unknowns, is_unknown);
    UNIT_RULE(the_variables_are_those_of_nccl);
    return UNIT_RUN("launch/nccl_list");
}

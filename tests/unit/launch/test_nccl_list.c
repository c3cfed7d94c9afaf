/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/nccl_list.h"

#include "../unit.h"
#include "base/text.h"

/* ---------------------------------------------------------------- the grammar */

/* What NCCL makes of a text: "^" and "=" as they count, then each entry as NAME:PORT; "?": the port
 * is empty. */
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
    {"an_empty_port_is_any", "mlx5_0:,mlx5_1", "mlx5_0:-1? mlx5_1:-1"},
    {"an_empty_port_may_precede_rail_and_plane", "=mlx5_0::0:0,mlx5_3::0:1",
     "= mlx5_0:-1? mlx5_3:-1?"},
    {"a_rail_and_a_plane_may_be_empty", "mlx5_0:1::", "mlx5_0:1"},
    {"parts_after_the_plane_are_ignored", "mlx5_0:1:x:y:z:w", "mlx5_0:1"},
    {"a_blank_port_is_zero_and_not_empty", "mlx5_0: :0", "mlx5_0:0"},
    {"a_blank_before_a_port_is_ignored", "mlx5_0: 1", "mlx5_0:1"},
    {"a_port_may_have_a_sign_and_zeros", "mlx5_0:+01", "mlx5_0:1"},
    {"a_port_is_not_hexadecimal", "mlx5_0:0x2", "mlx5_0:0"},
    {"a_port_wraps_as_that_of_atoi", "a:4294967295,b:4294967298", "a:-1 b:2"},
    {"a_port_beyond_a_long_is_any", "mlx5_0:99999999999999999999", "mlx5_0:-1"},
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
        ce_text_addf(&meaning, "%s%s:%d%s", meaning.length ? " " : "", list.entries[i].name,
                     list.entries[i].port, list.entries[i].empty_port ? "?" : "");
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

/* ---------------------------------------------------------------- forms and versions */

/* The ports that NCCL takes with this NCCL_IB_HCA on a node with mlx5_0, mlx5_1, mlx5_10 (2 ports),
 * ^lo and =odd.  These rows are what NCCL's own InfiniBand transport printed when it started on
 * such devices (a stand-in for libibverbs), in NVIDIA's packages 2.18.1, 2.18.3, 2.19.3, 2.20.5,
 * 2.21.5, 2.22.3, 2.23.4, 2.24.3, 2.25.1, 2.26.2, 2.27.7, 2.28.3, 2.28.9, 2.29.2, 2.29.3, 2.29.7,
 * 2.30.3, 2.30.4, 2.30.7, 2.31.2 and 2.32.3: all up to 2.30.4 agree, and all later ones. */
#define ALL "mlx5_0:1 mlx5_1:1 mlx5_10:1 mlx5_10:2 ^lo:1 =odd:1"
static const struct form_row {
    const char *name, *text;
    const char *taken;
    const char *before; /* by NCCL before 2.30.5; NULL: the same */
} forms[] = {
    {"nothing_takes_all", "", ALL, NULL},
    {"an_equals_sign_takes_all", "=", ALL, NULL},
    {"a_caret_takes_nothing", "^", "", NULL},
    {"a_caret_and_an_equals_sign_take_nothing", "^=", "", NULL},
    {"an_equals_sign_and_a_caret_are_a_name_that_is_not_there", "=^", "", NULL},
    {"a_prefix_takes_all_that_begin_with_it", "mlx5_1", "mlx5_1:1 mlx5_10:1 mlx5_10:2", NULL},
    {"a_short_prefix_takes_all_that_begin_with_it", "m", "mlx5_0:1 mlx5_1:1 mlx5_10:1 mlx5_10:2",
     NULL},
    {"an_exact_name_takes_that_hca", "=mlx5_1", "mlx5_1:1", NULL},
    {"an_exact_name_takes_no_longer_one", "=mlx5", "", NULL},
    {"a_caret_leaves_out_a_prefix", "^mlx5_1", "mlx5_0:1 ^lo:1 =odd:1", NULL},
    {"an_exact_caret_leaves_out_that_hca", "^=mlx5_1", "mlx5_0:1 mlx5_10:1 mlx5_10:2 ^lo:1 =odd:1",
     NULL},
    {"a_caret_after_an_equals_sign_is_of_the_name", "=^lo", "^lo:1", NULL},
    {"an_equals_sign_does_not_invert_later", "=^mlx5_1", "", NULL},
    {"a_second_caret_is_of_the_name", "^^lo", "mlx5_0:1 mlx5_1:1 mlx5_10:1 mlx5_10:2 =odd:1", NULL},
    {"a_second_equals_sign_is_of_the_name", "==odd", "=odd:1", NULL},
    {"a_caret_of_a_later_entry_is_of_the_name", "^a,^lo",
     "mlx5_0:1 mlx5_1:1 mlx5_10:1 mlx5_10:2 =odd:1", NULL},
    {"an_equals_sign_of_a_later_entry_is_of_the_name", "=a,=odd", "=odd:1", NULL},
    {"a_port_of_a_prefix", "mlx5_10:2", "mlx5_10:2", NULL},
    {"a_port_of_an_exact_name", "=mlx5_10:2", "mlx5_10:2", NULL},
    {"a_port_is_left_out", "^=mlx5_10:2", "mlx5_0:1 mlx5_1:1 mlx5_10:1 ^lo:1 =odd:1", NULL},
    {"an_empty_port", "mlx5_0:", "mlx5_0:1", ""},
    {"an_empty_port_among_others", "=mlx5_0:,mlx5_1", "mlx5_0:1 mlx5_1:1", "mlx5_1:1"},
    {"an_empty_port_after_a_caret", "^mlx5_0:", "mlx5_1:1 mlx5_10:1 mlx5_10:2 ^lo:1 =odd:1", ALL},
    {"an_empty_port_after_an_exact_caret", "^=mlx5_0:", "mlx5_1:1 mlx5_10:1 mlx5_10:2 ^lo:1 =odd:1",
     ALL},
    {"port_minus_one", "mlx5_0:-1", "mlx5_0:1", NULL},
    {"port_minus_two", "mlx5_0:-2", "", NULL},
    {"port_zero", "mlx5_0:0", "", NULL},
    {"a_port_of_letters", "mlx5_0:x", "", NULL},
    {"a_port_and_letters", "mlx5_10:2x", "mlx5_10:2", NULL},
    {"a_port_after_a_blank", "mlx5_10: 2", "mlx5_10:2", NULL},
    {"a_port_with_a_sign", "mlx5_10:+2", "mlx5_10:2", NULL},
    {"a_port_with_a_zero", "mlx5_10:02", "mlx5_10:2", NULL},
    {"a_hexadecimal_port", "mlx5_10:0x2", "", NULL},
    {"a_port_of_32_bits", "mlx5_10:4294967295", "mlx5_10:1 mlx5_10:2", NULL},
    {"a_port_that_wraps", "mlx5_10:4294967298", "mlx5_10:2", NULL},
    {"a_port_beyond_64_bits", "mlx5_10:99999999999999999999", "mlx5_10:1 mlx5_10:2", NULL},
    {"a_port_below_64_bits", "mlx5_10:-99999999999999999999", "", NULL},
    {"a_port_and_a_rail", "=mlx5_10:2:1", "mlx5_10:2", NULL},
    {"a_port_a_rail_and_a_plane", "=mlx5_10:2:1:0", "mlx5_10:2", NULL},
    {"rails_and_planes_without_ports", "=mlx5_0::0:0,mlx5_1::0:1", "mlx5_0:1 mlx5_1:1", ""},
    {"an_exception_with_a_rail_without_a_port", "^=mlx5_0::0",
     "mlx5_1:1 mlx5_10:1 mlx5_10:2 ^lo:1 =odd:1", ALL},
    {"an_empty_port_and_an_empty_rail", "mlx5_10::", "mlx5_10:1 mlx5_10:2", ""},
    {"an_empty_port_rail_and_plane", "mlx5_10:::", "mlx5_10:1 mlx5_10:2", ""},
    {"a_port_an_empty_rail_and_plane", "mlx5_10:2:::", "mlx5_10:2", NULL},
    {"five_parts", "mlx5_10:2:1:0:7", "mlx5_10:2", NULL},
    {"parts_that_are_not_numbers", "mlx5_10:2:x:y:z:w", "mlx5_10:2", NULL},
    {"a_port_without_a_name_is_no_entry", ":1", ALL, NULL},
    {"a_rail_without_a_name_is_no_entry", "::1", ALL, NULL},
    {"a_name_after_a_port_without_a_name", ":1,mlx5_0", "mlx5_0:1", NULL},
    {"a_name_in_place_of_a_port", ":mlx5_0", ALL, NULL},
    {"a_port_without_a_name_takes_nothing", "mlx5_9,:1", "", NULL},
    {"an_empty_first_entry", ",mlx5_0", "mlx5_0:1", NULL},
    {"an_empty_last_entry", "mlx5_0,", "mlx5_0:1", NULL},
    {"empty_entries", ",,mlx5_0,,mlx5_1,,", "mlx5_0:1 mlx5_1:1 mlx5_10:1 mlx5_10:2", NULL},
    {"commas_take_all", ",,,", ALL, NULL},
    {"a_caret_and_commas_take_nothing", "^,,,", "", NULL},
    {"an_equals_sign_and_commas_take_all", "=,,,", ALL, NULL},
    {"a_caret_and_a_port_without_a_name_take_nothing", "^:1", "", NULL},
    {"a_blank_in_front_is_of_the_name", " mlx5_0", "", NULL},
    {"a_blank_at_the_end_is_of_the_name", "mlx5_0 ", "", NULL},
    {"a_blank_before_a_later_name", "mlx5_0, mlx5_1", "mlx5_0:1", NULL},
    {"a_blank_before_a_comma", "mlx5_0 ,mlx5_1", "mlx5_1:1 mlx5_10:1 mlx5_10:2", NULL},
    {"case_is_of_the_name", "MLX5_0", "", NULL},
    {"a_semicolon_is_of_the_name", "mlx5_0;mlx5_1", "", NULL},
};

struct hca_row {
    const char *name;
    unsigned ports;
};

static struct ce_node *node_with(const struct hca_row *hcas, size_t count)
{
    struct ce_node *node = ce_node_create();
    assert_non_null(node);
    for (size_t i = 0; i < count; i++) {
        struct ce_hca *hca = ce_node_add_hca(node, hcas[i].name);
        assert_non_null(hca);
        for (unsigned port = 1; port <= hcas[i].ports; port++)
            assert_non_null(ce_hca_add_port(hca, port));
    }
    return node;
}

static void takes_of(const struct ce_nccl_list *list, const struct ce_node *node,
                     struct ce_text *out)
{
    for (size_t i = 0; i < node->hca_count; i++)
        for (size_t k = 0; k < node->hcas[i].port_count; k++)
            if (ce_nccl_list_takes(list, node->hcas[i].name, (int)node->hcas[i].ports[k].number))
                ce_text_addf(out, "%s%s:%u", out->length ? " " : "", node->hcas[i].name,
                             node->hcas[i].ports[k].number);
}

static void is_read_as_nccl_does(void **state)
{
    static const struct hca_row hcas[] = {
        {"mlx5_0", 1}, {"mlx5_1", 1}, {"mlx5_10", 2}, {"^lo", 1}, {"=odd", 1}};
    const struct form_row *row = *state;
    ce_auto(ce_node_destroy) struct ce_node *node = node_with(hcas, 5);
    struct ce_nccl_list list, read;
    ce_nccl_list_parse(row->text, &list);
    for (enum ce_nccl_version version = CE_NCCL_2_18; version <= CE_NCCL_2_30_5; version++) {
        ce_autotext struct ce_text taken = CE_TEXT(1000);
        bool older = version < CE_NCCL_2_30_5 && row->before;
        ce_nccl_list_read_by(&list, version, &read);
        takes_of(&read, node, &taken);
        assert_string_equal(ce_text_string(&taken), older ? row->before : row->taken);
        assert_int_equal(ce_nccl_list_changes(&list, version, node),
                         version == CE_NCCL_2_19 && row->before);
    }
    assert_int_equal(ce_nccl_list_empty_port(&list, node) != NULL, row->before != NULL);
}

/* As many entries as there are, of the first HCAs of forty; NCCL took so many of their ports. */
static const struct length_row {
    const char *name, *front;
    unsigned entries;
    unsigned by_2_18, by_2_19;
} lengths[] = {
    {"16_entries_are_read_by_all", "=", 16, 16, 16},
    {"the_17th_entry_is_not_read_by_nccl_2_18", "=", 17, 16, 17},
    {"32_entries_are_read_since_nccl_2_19", "=", 32, 16, 32},
    {"the_33rd_entry_is_read_by_none", "=", 33, 16, 32},
    {"16_exceptions_are_read_by_all", "^=", 16, 24, 24},
    {"the_17th_exception_is_not_read_by_nccl_2_18", "^=", 17, 24, 23},
    {"the_33rd_exception_is_read_by_none", "^=", 33, 24, 8},
};

enum { MANY = 40 };

static void is_read_so_far(void **state)
{
    const struct length_row *row = *state;
    ce_autotext struct ce_text text = CE_TEXT(1000);
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    unsigned taken[3] = {0};
    struct ce_nccl_list list, read;
    ce_text_add(&text, row->front);
    for (unsigned i = 0; i < MANY; i++) {
        char name[16];
        snprintf(name, sizeof name, "hca%u", i);
        assert_non_null(ce_hca_add_port(ce_node_add_hca(node, name), 1));
        if (i < row->entries)
            ce_text_addf(&text, "%s%s", i ? "," : "", name);
    }
    ce_nccl_list_parse(ce_text_string(&text), &list);
    for (enum ce_nccl_version version = CE_NCCL_2_18; version <= CE_NCCL_2_30_5; version++) {
        ce_nccl_list_read_by(&list, version, &read);
        for (unsigned i = 0; i < MANY; i++)
            taken[version] += ce_nccl_list_takes(&read, node->hcas[i].name, 1);
    }
    assert_int_equal(taken[CE_NCCL_2_18], row->by_2_18);
    assert_int_equal(taken[CE_NCCL_2_19], row->by_2_19);
    assert_int_equal(taken[CE_NCCL_2_30_5], row->by_2_19);
    assert_int_equal(ce_nccl_list_changes(&list, CE_NCCL_2_18, node), row->by_2_18 != row->by_2_19);
    assert_false(ce_nccl_list_changes(&list, CE_NCCL_2_30_5, node));
}

/* ---------------------------------------------------------------- what matches nothing */

static const char node_text[] =
    "format=1\nnetif.lo.index=1\nnetif.eth0.index=2\nnetif.eth10.index=3\n"
    "ib.mlx5_0.1.state=4\nib.mlx5_1.1.state=1\nib.mlx5_10.1.state=4\nib.mlx5_10.2.state=4\n"
    "ib.mlx5_11.driver=mlx5_core\nend=1\n";

static const struct unknown_row {
    const char *name;
    unsigned variable;          /* 0: NCCL_IB_HCA, 1: NCCL_SOCKET_IFNAME */
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
    {"a_rail_without_a_port_is_known", 0, "=mlx5_0::0:0,mlx5_10::0:1", NULL},
    {"a_name_with_a_rail_that_is_not_there_is_reported", 0, "=mlx5_0::0:0,mlx5_3::0:1", "mlx5_3"},
    {"a_rail_of_an_interface_is_known", 1, "=eth0::0", NULL},
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

/* ---------------------------------------------------------------- lists whose meaning is known */

/* A generator that writes entries of which it knows what they match. */
static const struct piece {
    const char *text;
    unsigned exact, prefix; /* bits of the ports that it matches, see PORTS */
    bool empty_port;
} pieces[] = {
    {"mlx5_0", 1, 1, false},
    {"mlx5_1", 2, 2 + 4 + 8, false},
    {"mlx5_10", 4 + 8, 4 + 8, false},
    {"mlx5", 0, 1 + 2 + 4 + 8, false},
    {"mlx5_10:2", 8, 8, false},
    {"mlx5_10:2:0:1", 8, 8, false},
    {"mlx5_1:1", 2, 2 + 4, false},
    {"mlx5_0:2", 0, 0, false},
    {"mlx5_0:x", 0, 0, false},
    {"mlx5_0::0:0", 1, 1, true},
    {"mlx5_1:", 2, 2 + 4 + 8, true},
    {"mlx5_9::1", 0, 0, true},
    {"mlx5_10:-1:4", 4 + 8, 4 + 8, false},
    {" mlx5_0", 0, 0, false},
    {"mlx5_7", 0, 0, false},
};

static const struct {
    const char *name;
    int port;
} ports[] = {{"mlx5_0", 1}, {"mlx5_1", 1}, {"mlx5_10", 1}, {"mlx5_10", 2}};
enum { PORTS = 4, LISTS = 20000 };

struct model {
    bool except, exact;
    const struct piece *entries[CE_NCCL_ENTRIES_MAX];
    unsigned count;
};

static unsigned next_random(unsigned *state, unsigned below)
{
    *state = *state * 1664525U + 1013904223U;
    return (*state >> 16) % below;
}

static void generate(unsigned *random, struct model *model, struct ce_text *text)
{
    *model = (struct model){.except = next_random(random, 2), .exact = next_random(random, 2)};
    model->count = next_random(random, next_random(random, 4) ? 4 : CE_NCCL_ENTRIES_MAX + 1);
    ce_text_addf(text, "%s%s", model->except ? "^" : "", model->exact ? "=" : "");
    for (unsigned i = 0; i < model->count; i++) {
        model->entries[i] = &pieces[next_random(random, UNIT_COUNT(pieces))];
        ce_text_addf(text, "%s%s", next_random(random, 8) ? "" : ",:1,", i ? "," : "");
        ce_text_add(text, model->entries[i]->text);
    }
}

static unsigned bits_of(const struct model *model, unsigned entry)
{
    return model->exact ? model->entries[entry]->exact : model->entries[entry]->prefix;
}

static unsigned taken_by(const struct model *model, enum ce_nccl_version version)
{
    unsigned all = (1U << PORTS) - 1, found = model->count ? 0 : all;
    for (unsigned i = 0; i < model->count; i++)
        if ((version > CE_NCCL_2_18 || i < 16) &&
            (version == CE_NCCL_2_30_5 || !model->entries[i]->empty_port))
            found |= bits_of(model, i);
    return model->except ? all & ~found : found;
}

static const char *unknown_of(const struct model *model)
{
    for (unsigned i = 0; i < model->count; i++)
        if (!bits_of(model, i))
            return model->entries[i]->text;
    return NULL;
}

static void check_against(const struct model *model, const char *text, const struct ce_node *node)
{
    struct ce_nccl_list list, read;
    unsigned taken[CE_NCCL_2_30_5 + 1] = {0};
    ce_nccl_list_parse(text, &list);
    for (enum ce_nccl_version version = CE_NCCL_2_18; version <= CE_NCCL_2_30_5; version++) {
        ce_nccl_list_read_by(&list, version, &read);
        for (unsigned i = 0; i < PORTS; i++)
            taken[version] |= (unsigned)ce_nccl_list_takes(&read, ports[i].name, ports[i].port)
                              << i;
        assert_int_equal(taken[version], taken_by(model, version));
    }
    for (enum ce_nccl_version version = CE_NCCL_2_18; version < CE_NCCL_2_30_5; version++)
        assert_int_equal(ce_nccl_list_changes(&list, version, node),
                         taken[version] != taken[version + 1]);
    const struct ce_nccl_entry *entry = ce_nccl_variables[0].find_unknown(&list, node);
    const char *unknown = unknown_of(model);
    assert_int_equal(entry != NULL, unknown != NULL);
    if (entry)
        assert_memory_equal(entry->name, unknown, strlen(entry->name));
}

static void lists_of_known_meaning_are_read_so(void **state)
{
    static const struct hca_row hcas[] = {{"mlx5_0", 1}, {"mlx5_1", 1}, {"mlx5_10", 2}};
    ce_auto(ce_node_destroy) struct ce_node *node = node_with(hcas, 3);
    unsigned random = 12;
    (void)state;
    for (unsigned i = 0; i < LISTS; i++) {
        ce_autotext struct ce_text text = CE_TEXT(1000);
        struct model model;
        generate(&random, &model, &text);
        check_against(&model, ce_text_string(&text), node);
    }
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
    UNIT_TABLE(forms, is_read_as_nccl_does);
    UNIT_TABLE(lengths, is_read_so_far);
    UNIT_TABLE(unknowns, is_unknown);
    UNIT_RULE(lists_of_known_meaning_are_read_so);
    UNIT_RULE(the_variables_are_those_of_nccl);
    return UNIT_RUN("launch/nccl_list");
}

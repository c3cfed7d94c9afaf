/* SPDX-License-Identifier: Apache-2.0 */
#include "model/hostlist.h"

#include "base/text.h"
#include "../unit.h"

enum { MEGABYTE = 1 << 20 };

static const struct list_row {
    const char *name, *expression, *hosts; /* separated by spaces */
} lists[] = {
    {"one_name", "node1", "node1"},
    {"names_keep_their_order", "c,a,b", "c a b"},
    {"a_name_that_occurs_twice_stays_twice", "a,b,a", "a b a"},
    {"a_name_may_hold_dots_dashes_underscores", "gpu-1.rack_2.example.com",
     "gpu-1.rack_2.example.com"},
    {"a_range_counts_up", "n[8-11]", "n8 n9 n10 n11"},
    {"a_range_of_one", "n[7-7]", "n7"},
    {"a_single_number_in_brackets", "n[7]", "n7"},
    {"ranges_and_numbers_mix_in_their_order", "n[4,1-2,9]", "n4 n1 n2 n9"},
    {"zeros_are_kept", "n[01-03]", "n01 n02 n03"},
    {"zeros_are_kept_past_the_next_digit", "n[08-11]", "n08 n09 n10 n11"},
    {"zeros_are_kept_up_to_their_width", "n[01-10]",
     "n01 n02 n03 n04 n05 n06 n07 n08 n09 n10"},
    {"a_number_outgrows_its_zeros", "n[098-101]", "n098 n099 n100 n101"},
    {"each_range_has_its_own_width", "n[9-10,009-010]", "n9 n10 n009 n010"},
    {"a_zero_is_a_number", "n[0,00]", "n0 n00"},
    {"two_groups_multiply_leftmost_slowest", "r[0-1]n[1-2]", "r0n1 r0n2 r1n1 r1n2"},
    {"three_groups_multiply", "a[1-2]b[1-2]c[1-2]",
     "a1b1c1 a1b1c2 a1b2c1 a1b2c2 a2b1c1 a2b1c2 a2b2c1 a2b2c2"},
    {"groups_may_touch", "n[1-2][0-1]", "n10 n11 n20 n21"},
    {"text_may_follow_a_group", "n[1-2]-ib", "n1-ib n2-ib"},
    {"a_name_may_start_with_a_group", "[1-2]n", "1n 2n"},
    {"eight_groups_are_allowed", "a[1][1][1][1][1][1][1][1]", "a11111111"},
    {"lists_of_everything", "node[01-02,7],rack[0-1]n[1-2],login",
     "node01 node02 node7 rack0n1 rack0n2 rack1n1 rack1n2 login"},
    {"a_comma_in_brackets_does_not_end_a_name", "a[1,2],b", "a1 a2 b"},
    {"nine_digits_are_allowed", "n[999999998-999999999]", "n999999998 n999999999"},
};

static void expands_to(void **state)
{
    const struct list_row *row = *state;
    struct ce_error err = {""};
    ce_autotext struct ce_text joined = CE_TEXT(MEGABYTE);
    ce_auto(ce_hostlist_destroy) struct ce_hostlist *list = ce_hostlist_parse(row->expression, &err);
    assert_string_equal(err.text, "");
    assert_non_null(list);
    for (size_t i = 0; i < ce_hostlist_count(list); i++)
        ce_text_addf(&joined, "%s%s", i ? " " : "", ce_hostlist_name(list, i));
    assert_string_equal(ce_text_string(&joined), row->hosts);
}

static const struct error_row {
    const char *name, *expression, *reason;
} errors[] = {
    {"nothing_is_an_error", "", "empty name"},
    {"an_empty_first_item_is_an_error", ",a", "empty name"},
    {"an_empty_item_is_an_error", "a,,b", "empty name"},
    {"an_empty_last_item_is_an_error", "a,", "empty name"},
    {"a_lone_comma_is_an_error", ",", "empty name"},
    {"a_space_is_an_error", "a b", "unexpected character"},
    {"a_space_after_a_comma_is_an_error", "a, b", "unexpected character"},
    {"a_range_that_runs_backwards_is_an_error", "n[3-1]", "backwards"},
    {"a_bracket_that_does_not_close_is_an_error", "n[1-2", "'[' without ']' at '[1-2'"},
    {"a_range_that_does_not_end_is_an_error", "n[1-", "without ']'"},
    {"a_range_without_an_end_is_an_error", "n[1-]", "after '-'"},
    {"a_range_without_a_start_is_an_error", "n[-2]", "expected a number"},
    {"a_bracket_alone_is_an_error", "n[", "without ']'"},
    {"a_closing_bracket_alone_is_an_error", "n]", "unexpected character"},
    {"a_second_closing_bracket_is_an_error", "n[1]]", "unexpected character"},
    {"empty_brackets_are_an_error", "n[]", "expected a number"},
    {"an_empty_item_in_brackets_is_an_error", "n[1,,2]", "expected a number"},
    {"an_empty_last_item_in_brackets_is_an_error", "n[1,]", "expected a number"},
    {"nested_brackets_are_an_error", "n[1-[2-3]]", "after '-'"},
    {"nested_brackets_at_the_start_are_an_error", "n[[1-2]]", "expected a number"},
    {"two_dashes_are_an_error", "n[1--2]", "after '-'"},
    {"three_ends_are_an_error", "n[1-2-3]", "expected ',' or ']'"},
    {"letters_in_brackets_are_an_error", "n[a-b]", "expected a number"},
    {"letters_behind_a_number_are_an_error", "n[1a]", "expected ',' or ']'"},
    {"a_space_in_brackets_is_an_error", "n[1, 2]", "expected a number"},
    {"a_number_of_twenty_digits_is_an_error", "n[99999999999999999999]", "at most 9 digits"},
    {"a_number_past_64_bits_is_an_error", "n[1-18446744073709551616]", "after '-'"},
    {"a_number_of_ten_digits_is_an_error", "n[1-1000000000]", "after '-'"},
    {"ten_zeros_are_an_error", "n[0000000001]", "at most 9 digits"},
    {"nine_groups_are_an_error", "a[1][1][1][1][1][1][1][1][1]", "more than 8"},
    {"an_error_behind_a_good_item_is_an_error", "a,b,c[", "without ']'"},
    {"a_command_substitution_is_an_error", "$(reboot)", "unexpected character"},
    {"a_backquote_is_an_error", "a`id`", "unexpected character"},
    {"a_semicolon_is_an_error", "a;id", "unexpected character"},
    {"a_quote_is_an_error", "a'b", "unexpected character"},
    {"a_slash_is_an_error", "../../etc/passwd", "unexpected character"},
    {"a_wildcard_is_an_error", "n*", "unexpected character"},
    {"a_format_is_an_error_and_only_shown", "%n%n%s", "'%n%n%s'"},
    {"a_newline_is_an_error", "a\nb", "unexpected character"},
    {"a_control_character_is_an_error_and_not_shown", "a\x1b[2J", "'?[2J'"},
    {"a_letter_beyond_ascii_is_an_error", "n\xc3\xb6" "de", "unexpected character"},
    {"braces_are_not_brackets", "n{1..3}", "unexpected character"},
};

static void fails(const char *expression, const char *reason)
{
    struct ce_error err = {""};
    assert_null(ce_hostlist_parse(expression, &err));
    unit_holds(err.text, "host list: ");
    unit_holds(err.text, reason);
}

static void is_an_error(void **state)
{
    const struct error_row *row = *state;
    fails(row->expression, row->reason);
}

/* How many hosts, and the names of the first and the last. */
static const struct count_row {
    const char *name, *expression;
    size_t count;
    const char *first, *last;
} counts[] = {
    {"as_many_hosts_as_are_allowed", "n[0-65535]", 65536, "n0", "n65535"},
    {"as_many_hosts_in_two_items", "a,n[00001-65535]", 65536, "a", "n65535"},
    {"as_many_hosts_in_two_groups", "r[0-255]n[000-255]", 65536, "r0n000", "r255n255"},
    {"one_host_too_many_is_an_error", "n[0-65536]", 0, NULL, NULL},
    {"one_host_too_many_behind_the_rest_is_an_error", "n[0-65535],a", 0, NULL, NULL},
    {"one_host_too_many_in_two_groups_is_an_error", "r[0-65536]n[1]", 0, NULL, NULL},
    {"a_product_past_all_numbers_is_an_error",
     "a[0-99999999]b[0-99999999]c[0-99999999]d[0-99999999]", 0, NULL, NULL},
};

static void counts_to(void **state)
{
    const struct count_row *row = *state;
    struct ce_error err = {""};
    if (row->count == 0) {
        fails(row->expression, "more than 65536 hosts");
        return;
    }
    ce_auto(ce_hostlist_destroy) struct ce_hostlist *list = ce_hostlist_parse(row->expression, &err);
    assert_non_null(list);
    assert_int_equal(ce_hostlist_count(list), row->count);
    assert_string_equal(ce_hostlist_name(list, 0), row->first);
    assert_string_equal(ce_hostlist_name(list, row->count - 1), row->last);
}

/* `length` bytes: `unit` again and again, the last one cut. */
static char *repeat(const char *unit, size_t length)
{
    char *text = malloc(length + 1);
    assert_non_null(text);
    for (size_t i = 0; i < length; i++)
        text[i] = unit[i % strlen(unit)];
    text[length] = '\0';
    return text;
}

static const struct long_row {
    const char *name, *unit;
    size_t length;
    const char *reason; /* NULL: it is a list */
} long_ones[] = {
    {"a_name_of_255_bytes_is_allowed", "a", 255, NULL},
    {"a_name_of_256_bytes_is_an_error", "a", 256, "longer than 255 bytes"},
    {"a_megabyte_of_letters_is_an_error", "a", MEGABYTE, "longer than 255 bytes"},
    {"a_megabyte_of_names_is_an_error", "a,", MEGABYTE - 1, "more than 65536 hosts"},
    {"a_megabyte_of_commas_is_an_error", ",", MEGABYTE, "empty name"},
    {"a_megabyte_of_opening_brackets_is_an_error", "[", MEGABYTE, "without ']'"},
    {"a_megabyte_of_closing_brackets_is_an_error", "]", MEGABYTE, "unexpected character"},
    {"a_megabyte_of_groups_is_an_error", "[1]", 3 * 349525, "more than 8"},
    {"a_megabyte_of_ranges_is_an_error", "n[1-2,", MEGABYTE, "without ']'"},
    {"a_megabyte_of_digits_in_brackets_is_an_error", "n[1", MEGABYTE, "without ']'"},
};

static void long_input(void **state)
{
    const struct long_row *row = *state;
    char *text = repeat(row->unit, row->length);
    if (row->reason) {
        fails(text, row->reason);
    } else {
        ce_auto(ce_hostlist_destroy) struct ce_hostlist *list = ce_hostlist_parse(text, NULL);
        assert_non_null(list);
        assert_string_equal(ce_hostlist_name(list, 0), text);
    }
    free(text);
}

static void a_number_may_not_make_a_name_too_long(void **state)
{
    char *name = repeat("a", 254);
    char expression[300];
    (void)state;
    snprintf(expression, sizeof expression, "%s[9]", name);
    ce_auto(ce_hostlist_destroy) struct ce_hostlist *list = ce_hostlist_parse(expression, NULL);
    assert_non_null(list);
    snprintf(expression, sizeof expression, "%s[9-10]", name);
    fails(expression, "longer than 255 bytes");
    free(name);
}

static void nobody_need_listen_to_an_error(void **state)
{
    (void)state;
    assert_null(ce_hostlist_parse("n[", NULL));
    ce_hostlist_destroy(NULL);
}

int main(void)
{
    UNIT_TABLE(lists, expands_to);
    UNIT_TABLE(errors, is_an_error);
    UNIT_TABLE(counts, counts_to);
    UNIT_TABLE(long_ones, long_input);
    UNIT_RULE(a_number_may_not_make_a_name_too_long);
    UNIT_RULE(nobody_need_listen_to_an_error);
    return UNIT_RUN("model/hostlist");
}

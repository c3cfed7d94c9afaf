/* SPDX-License-Identifier: Apache-2.0 */
#include "base/parse.h"

#include "../unit.h"

enum { UNTOUCHED = 4711 };

static const struct number_row {
    const char *name, *text;
    uint64_t min, max;
    int rc;
    uint64_t value;
} numbers[] = {
    {"a_number_is_its_value", "42", 0, 100, 0, 42},
    {"zero_is_a_number", "0", 0, 0, 0, 0},
    {"leading_zeros_change_nothing", "00000000000000000000000000042", 0, 100, 0, 42},
    {"the_ends_of_the_range_belong_to_it_low", "10", 10, 20, 0, 10},
    {"the_ends_of_the_range_belong_to_it_high", "20", 10, 20, 0, 20},
    {"below_the_range_is_an_error", "9", 10, 20, -1, 0},
    {"above_the_range_is_an_error", "21", 10, 20, -1, 0},
    {"the_greatest_number_of_all", "18446744073709551615", 0, UINT64_MAX, 0, UINT64_MAX},
    {"one_more_than_the_greatest_is_an_error", "18446744073709551616", 0, UINT64_MAX, -1, 0},
    {"ten_times_the_greatest_is_an_error", "184467440737095516150", 0, UINT64_MAX, -1, 0},
    {"a_digit_greater_than_the_maximum_is_an_error", "9", 0, 3, -1, 0},
    {"no_text_is_an_error", NULL, 0, 100, -1, 0},
    {"an_empty_text_is_an_error", "", 0, 100, -1, 0},
    {"a_sign_is_an_error", "+1", 0, 100, -1, 0},
    {"a_negative_number_is_an_error", "-1", 0, 100, -1, 0},
    {"a_space_before_is_an_error", " 1", 0, 100, -1, 0},
    {"a_space_behind_is_an_error", "1 ", 0, 100, -1, 0},
    {"a_newline_behind_is_an_error", "1\n", 0, 100, -1, 0},
    {"a_letter_behind_is_an_error", "1x", 0, 100, -1, 0},
    {"hexadecimal_is_an_error", "0x10", 0, 100, -1, 0},
    {"a_point_is_an_error", "1.0", 0, 100, -1, 0},
    {"a_digit_of_another_script_is_an_error", "\xd9\xa1", 0, 100, -1, 0},
};

static void parses_as(void **state)
{
    const struct number_row *row = *state;
    uint64_t value = UNTOUCHED;
    assert_int_equal(ce_parse_uint(row->text, row->min, row->max, &value), row->rc);
    assert_true(value == (row->rc ? UNTOUCHED : row->value));
}

static void the_32_bit_form_has_the_same_rules(void **state)
{
    uint32_t value = UNTOUCHED;
    (void)state;
    assert_int_equal(ce_parse_u32("4294967296", 0, UINT32_MAX, &value), -1);
    assert_int_equal(ce_parse_u32("-1", 0, UINT32_MAX, &value), -1);
    assert_int_equal(value, UNTOUCHED);
    assert_int_equal(ce_parse_u32("4294967295", 0, UINT32_MAX, &value), 0);
    assert_true(value == UINT32_MAX);
}

static const struct digits_row {
    const char *name, *text;
    uint64_t max;
    int rc;
    uint64_t value;
    const char *rest;
} leading[] = {
    {"the_digits_end_where_something_else_starts", "12-15", 99, 0, 12, "-15"},
    {"digits_may_end_the_text", "12", 99, 0, 12, ""},
    {"a_text_without_digits_is_an_error", "-1", 99, -1, 0, NULL},
    {"nothing_is_an_error", "", 99, -1, 0, NULL},
    {"too_great_is_an_error", "100x", 99, -1, 0, NULL},
};

static void starts_with(void **state)
{
    const struct digits_row *row = *state;
    uint64_t value = UNTOUCHED;
    const char *end = NULL;
    assert_int_equal(ce_parse_digits(row->text, row->max, &value, &end), row->rc);
    assert_true(value == (row->rc ? UNTOUCHED : row->value));
    if (row->rest)
        assert_string_equal(end, row->rest);
    else
        assert_null(end);
}

/* The lines of a text, with '|' between them. */
static const struct lines_row {
    const char *name, *text, *lines;
} line_texts[] = {
    {"an_empty_text_is_one_line", "", ""},
    {"a_text_without_newline_is_one_line", "a", "a"},
    {"a_newline_parts_two_lines", "a\nb", "a|b"},
    {"an_empty_last_line_follows_the_last_newline", "a\nb\n", "a|b|"},
    {"empty_lines_are_lines", "\n\na\n\n", "||a||"},
};

static void next_lines(void **state)
{
    const struct lines_row *row = *state;
    char lines[32] = "";
    unsigned count = 0;
    for (const char *line = row->text; line; line = ce_next_line(line)) {
        assert_true(count++ < 8);
        snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%s%.*s", count > 1 ? "|" : "",
                 (int)strcspn(line, "\n"), line);
    }
    assert_string_equal(lines, row->lines);
}

static void a_copy_fits_with_its_end_or_is_empty(void **state)
{
    char dest[4] = "xxx";
    (void)state;
    assert_int_equal(ce_copy(dest, sizeof dest, "abc"), 0);
    assert_string_equal(dest, "abc");
    assert_int_equal(ce_copy(dest, sizeof dest, "abcd"), -1);
    assert_string_equal(dest, "");
    assert_int_equal(ce_copy(dest, sizeof dest, ""), 0);
    assert_string_equal(dest, "");
}

static void a_truncated_format_does_not_fit(void **state)
{
    (void)state;
    assert_true(ce_fits(3, 4));
    assert_false(ce_fits(4, 4));
    assert_false(ce_fits(-1, 4));
    assert_true(ce_fits(0, 1));
}

int main(void)
{
    UNIT_TABLE(numbers, parses_as);
    UNIT_RULE(the_32_bit_form_has_the_same_rules);
    UNIT_TABLE(leading, starts_with);
    UNIT_TABLE(line_texts, next_lines);
    UNIT_RULE(a_copy_fits_with_its_end_or_is_empty);
    UNIT_RULE(a_truncated_format_does_not_fit);
    return UNIT_RUN("base/parse");
}

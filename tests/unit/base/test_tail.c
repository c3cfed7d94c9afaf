/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tail.h"

#include "../unit.h"

static const struct tail_row {
    const char *name, *text;
    unsigned lines;
    bool cut;
    const char *tail;
} tails[] = {
    {"nothing_has_no_lines", "", 10, false, ""},
    {"no_lines_are_nothing", "a\nb\n", 0, false, ""},
    {"fewer_lines_than_asked_for_are_all", "a\nb\n", 10, false, "a\nb\n"},
    {"as_many_as_asked_for_are_all", "a\nb\n", 2, false, "a\nb\n"},
    {"more_lines_lose_the_first", "a\nb\nc\n", 2, false, "b\nc\n"},
    {"a_last_line_without_newline_counts", "a\nb\nc", 2, false, "b\nc"},
    {"one_line", "a\nb\nc", 1, false, "c"},
    {"one_line_with_its_newline", "a\nb\nc\n", 1, false, "c\n"},
    {"empty_lines_count", "a\n\n\n", 2, false, "\n\n"},
    {"a_newline_alone_is_a_line", "\n", 1, false, "\n"},
    {"half_a_line_is_left_out", "lf\nb\nc\n", 10, true, "b\nc\n"},
    {"half_a_line_alone_is_shown", "half", 10, true, "half"},
    {"half_a_line_alone_is_shown_with_its_newline", "half\n", 10, true, "half\n"},
    {"enough_whole_lines_need_no_half_one", "lf\nb\nc\n", 2, true, "b\nc\n"},
};

static void ends_in(void **state)
{
    const struct tail_row *row = *state;
    assert_string_equal(ce_tail(row->text, strlen(row->text), row->lines, row->cut), row->tail);
}

static const struct span_row {
    const char *name;
    int64_t size, start, most;
    int64_t from; /* -1: there is nothing */
    bool cut;
} spans[] = {
    {"a_short_file_is_shown_whole", 10, 0, 100, 0, false},
    {"what_was_there_before_is_left_out", 10, 4, 100, 4, false},
    {"as_much_as_fits_is_shown_whole", 104, 4, 100, 4, false},
    {"a_long_file_is_cut", 1000, 4, 100, 900, true},
    {"nothing_new_is_nothing", 10, 10, 100, -1, false},
    {"a_file_that_was_cut_short_has_nothing_new", 10, 11, 100, -1, false},
    {"an_empty_file_has_nothing", 0, 0, 100, -1, false},
    {"a_start_before_the_file_is_none", 10, INT64_MIN, 100, -1, false},
};

static void span(void **state)
{
    const struct span_row *row = *state;
    int64_t from = -1;
    bool cut = false;
    assert_int_equal(ce_tail_span(row->size, row->start, row->most, &from, &cut), row->from >= 0);
    assert_true(from == row->from && cut == row->cut);
}

static const struct line_row {
    const char *name, *text, *lines; /* with '|' after each */
} line_rows[] = {
    {"nothing_has_no_line", "", ""},
    {"lines_are_taken_one_by_one", "a\nb\n", "a|b|"},
    {"a_line_without_newline_is_one", "a\nb", "a|b|"},
    {"empty_lines_are_lines_too", "\n\na\n", "||a|"},
    {"a_line_is_made_printable", "\x1b[2J\n", "?[2J|"},
};

static void line(void **state)
{
    const struct line_row *row = *state;
    const char *at = row->text, *end = at + strlen(at);
    struct ce_error text;
    char lines[64] = "";
    for (unsigned i = 0; ce_tail_line(&at, end, &text); i++) {
        assert_true(i < 8);
        strcat(strcat(lines, text.text), "|");
    }
    assert_string_equal(lines, row->lines);
}

int main(void)
{
    UNIT_TABLE(spans, span);
    UNIT_TABLE(line_rows, line);
    UNIT_TABLE(tails, ends_in);
    return UNIT_RUN("base/tail");
}

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

int main(void)
{
    UNIT_TABLE(tails, ends_in);
    return UNIT_RUN("base/tail");
}

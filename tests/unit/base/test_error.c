/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include "../unit.h"

static void a_failure_is_minus_one_and_its_text(void **state)
{
    struct ce_error err;
    (void)state;
    assert_int_equal(ce_fail(&err, "%s: %d ports, expected %u", "mlx5_0", 1, 2u), -1);
    assert_string_equal(err.text, "mlx5_0: 1 ports, expected 2");
}

static void nobody_need_listen(void **state)
{
    (void)state;
    assert_int_equal(ce_fail(NULL, "%s", "text"), -1);
    assert_int_equal(ce_fail_in(NULL, "%s", "text"), -1);
}

static const struct {
    const char *name, *raw, *shown;
} texts[] = {
    {"plain_text_stays", "eth1: 10.0.0.1/24 'x'", "eth1: 10.0.0.1/24 'x'"},
    {"letters_beyond_ascii_stay", "/home/\xc3\xa9t\xc3\xa9", "/home/\xc3\xa9t\xc3\xa9"},
    {"an_escape_sequence_cannot_draw", "\x1b[31mred\x1b[0m", "?[31mred?[0m"},
    {"a_newline_cannot_make_a_second_line", "one\ntwo\rthree\t", "one?two?three?"},
    {"delete_is_a_control_character", "a\x7f", "a?"},
    {"the_8_bit_escapes_are_control_characters", "\xc2\x9b""31mred\xc2\x80\xc2\x9f\xc2\xa0",
     "??31mred????\xc2\xa0"},
    {"an_unfinished_letter_stays", "a\xc2", "a\xc2"},
};

static void shown_as(void **state)
{
    const char *const *row = *state;
    struct ce_error err;
    ce_fail(&err, "%s", row[1]);
    assert_string_equal(err.text, row[2]);
}

static void a_text_that_just_fits_is_whole(void **state)
{
    struct ce_error err;
    (void)state;
    int whole = (int)sizeof err.text - 1;
    ce_fail(&err, "%0*d", whole, 7);
    assert_int_equal(strlen(err.text), whole);
    assert_int_equal(err.text[whole - 1], '7');
}

static void a_text_that_does_not_fit_ends_in_dots(void **state)
{
    struct ce_error err;
    (void)state;
    int whole = (int)sizeof err.text - 1;
    ce_fail(&err, "%0*d", whole + 1, 7);
    assert_int_equal(strlen(err.text), whole);
    assert_string_equal(err.text + whole - 5, "00...");
}

static void context_stands_before_the_text(void **state)
{
    struct ce_error err;
    (void)state;
    ce_fail(&err, "expected a number");
    assert_int_equal(ce_fail_in(&err, "%s:%d", "a.conf", 7), -1);
    assert_int_equal(ce_fail_in(&err, "reading"), -1);
    assert_string_equal(err.text, "reading: a.conf:7: expected a number");
}

static void a_long_context_leaves_room_for_the_text(void **state)
{
    struct ce_error err;
    char context[1000];
    (void)state;
    memset(context, 'c', sizeof context - 1);
    context[sizeof context - 1] = '\0';
    ce_fail(&err, "the reason");
    ce_fail_in(&err, "%s", context);
    unit_holds(err.text, "cc: the reason");
}

int main(void)
{
    UNIT_RULE(a_failure_is_minus_one_and_its_text);
    UNIT_RULE(nobody_need_listen);
    UNIT_TABLE(texts, shown_as);
    UNIT_RULE(a_text_that_just_fits_is_whole);
    UNIT_RULE(a_text_that_does_not_fit_ends_in_dots);
    UNIT_RULE(context_stands_before_the_text);
    UNIT_RULE(a_long_context_leaves_room_for_the_text);
    return UNIT_RUN("base/error");
}

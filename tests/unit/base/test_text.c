/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <stdlib.h>

#include "../unit.h"

static void a_new_text_is_the_empty_string(void **state)
{
    ce_autotext struct ce_text text = CE_TEXT(10);
    (void)state;
    assert_true(ce_text_ok(&text));
    assert_string_equal(ce_text_string(&text), "");
}

static void appending_keeps_the_order(void **state)
{
    ce_autotext struct ce_text text = CE_TEXT(100);
    (void)state;
    ce_text_add(&text, "one");
    ce_text_addn(&text, "-two-", 4);
    ce_text_addf(&text, " %d%%", 3);
    ce_text_add(&text, "");
    assert_string_equal(ce_text_string(&text), "one-two 3%");
    assert_int_equal(text.length, 10);
}

/* How a text of limit 8 takes two pieces. */
static const struct limit_row {
    const char *name, *first, *second, *text;
    bool ok;
} limits[] = {
    {"a_text_may_be_as_long_as_its_limit", "1234", "5678", "12345678", true},
    {"a_byte_past_the_limit_fails", "1234", "56789", "1234", false},
    {"one_piece_past_the_limit_fails", "123456789", "", "", false},
};

static void within_limit(void **state)
{
    const struct limit_row *row = *state;
    for (int formatted = 0; formatted < 2; formatted++) {
        ce_autotext struct ce_text text = CE_TEXT(8);
        if (formatted) {
            ce_text_addf(&text, "%s", row->first);
            ce_text_addf(&text, "%s", row->second);
        } else {
            ce_text_add(&text, row->first);
            ce_text_add(&text, row->second);
        }
        assert_int_equal(ce_text_ok(&text), row->ok);
        assert_string_equal(ce_text_string(&text), row->text);
    }
}

static void after_a_failure_nothing_is_appended(void **state)
{
    ce_autotext struct ce_text text = CE_TEXT(4);
    (void)state;
    ce_text_add(&text, "12345");
    ce_text_add(&text, "1");
    ce_text_addf(&text, "%d", 1);
    ce_text_addn(&text, "1", 1);
    assert_false(ce_text_ok(&text));
    assert_string_equal(ce_text_string(&text), "");
}

static void a_length_near_the_greatest_number_does_not_wrap(void **state)
{
    ce_autotext struct ce_text text = CE_TEXT(4);
    (void)state;
    ce_text_add(&text, "12");
    ce_text_addn(&text, "", SIZE_MAX);
    assert_false(ce_text_ok(&text));
}

static void a_text_grows_to_a_megabyte(void **state)
{
    ce_autotext struct ce_text text = CE_TEXT(1 << 20);
    (void)state;
    for (int i = 0; i < 1 << 16; i++)
        ce_text_addf(&text, "%016d", i);
    assert_true(ce_text_ok(&text));
    assert_int_equal(text.length, 1 << 20);
    assert_memory_equal(ce_text_string(&text) + text.length - 16, "0000000000065535", 17);
    ce_text_add(&text, "x");
    assert_false(ce_text_ok(&text));
}

static void a_text_that_is_taken_is_empty_again(void **state)
{
    ce_autotext struct ce_text text = CE_TEXT(4);
    (void)state;
    ce_text_add(&text, "1234");
    char *taken = ce_text_take(&text);
    assert_string_equal(taken, "1234");
    free(taken);
    ce_text_add(&text, "5678");
    assert_true(ce_text_ok(&text));
    assert_string_equal(ce_text_string(&text), "5678");
}

static void taking_nothing_gives_the_empty_string(void **state)
{
    ce_autotext struct ce_text text = CE_TEXT(4);
    (void)state;
    char *taken = ce_text_take(&text);
    assert_string_equal(taken, "");
    free(taken);
}

static void a_failed_text_cannot_be_taken(void **state)
{
    ce_autotext struct ce_text text = CE_TEXT(4);
    (void)state;
    ce_text_add(&text, "1");
    ce_text_add(&text, "23456");
    assert_null(ce_text_take(&text));
    assert_true(ce_text_ok(&text));
}

int main(void)
{
    UNIT_RULE(a_new_text_is_the_empty_string);
    UNIT_RULE(appending_keeps_the_order);
    UNIT_TABLE(limits, within_limit);
    UNIT_RULE(after_a_failure_nothing_is_appended);
    UNIT_RULE(a_length_near_the_greatest_number_does_not_wrap);
    UNIT_RULE(a_text_grows_to_a_megabyte);
    UNIT_RULE(a_text_that_is_taken_is_empty_again);
    UNIT_RULE(taking_nothing_gives_the_empty_string);
    UNIT_RULE(a_failed_text_cannot_be_taken);
    return UNIT_RUN("base/text");
}

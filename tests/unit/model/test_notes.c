/* SPDX-License-Identifier: Apache-2.0 */
#include "model/notes.h"

#include "../unit.h"

static void notes_keep_their_order(void **state)
{
    struct ce_notes notes = {.count = 0};
    (void)state;
    ce_note(&notes, "%s is %d", "one", 1);
    ce_note(&notes, "two");
    assert_int_equal(notes.count, 2);
    assert_string_equal(notes.line[0].text, "one is 1");
    assert_string_equal(notes.line[1].text, "two");
    assert_int_equal(notes.lost, 0);
}

static void more_notes_than_are_kept_are_counted(void **state)
{
    struct ce_notes notes = {.count = 0};
    (void)state;
    for (int i = 0; i < CE_NOTES_MAX + 3; i++)
        ce_note(&notes, "%d", i);
    assert_int_equal(notes.count, CE_NOTES_MAX);
    assert_int_equal(notes.lost, 3);
    assert_string_equal(notes.line[CE_NOTES_MAX - 1].text, "7");
}

static void a_note_that_is_there_is_not_added_again(void **state)
{
    struct ce_notes notes = {.count = 0};
    (void)state;
    for (int i = 0; i < 2 * CE_NOTES_MAX; i++)
        ce_note(&notes, "note %d", i % 2);
    assert_int_equal(notes.count, 2);
    assert_int_equal(notes.lost, 0);
}

static void a_note_is_one_printable_line(void **state)
{
    struct ce_notes notes = {.count = 0};
    (void)state;
    ce_note(&notes, "%s", "a\nb\x1b[2J%n");
    assert_string_equal(notes.line[0].text, "a?b?[2J%n");
}

static void a_note_that_does_not_fit_ends_in_dots(void **state)
{
    struct ce_notes notes = {.count = 0};
    (void)state;
    int whole = (int)sizeof notes.line[0].text - 1;
    ce_note(&notes, "%0*d", whole, 7);
    ce_note(&notes, "%0*d", whole + 1, 7);
    ce_note(&notes, "%*d", whole + 100, 7);
    assert_string_equal(notes.line[0].text + whole - 4, "0007");
    assert_string_equal(notes.line[1].text + whole - 4, "0...");
    assert_string_equal(notes.line[2].text + whole - 4, " ...");
}

int main(void)
{
    UNIT_RULE(notes_keep_their_order);
    UNIT_RULE(more_notes_than_are_kept_are_counted);
    UNIT_RULE(a_note_that_is_there_is_not_added_again);
    UNIT_RULE(a_note_is_one_printable_line);
    UNIT_RULE(a_note_that_does_not_fit_ends_in_dots);
    return UNIT_RUN("model/notes");
}

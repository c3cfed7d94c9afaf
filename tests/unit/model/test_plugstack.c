/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plugstack.h"

#include "../unit.h"

#define LONG64 "0123456789012345678901234567890123456789012345678901234567890123"
#define LONG512 LONG64 LONG64 LONG64 LONG64 LONG64 LONG64 LONG64 LONG64

/* What is read, a line "NUMBER KIND PATH[ ARGUMENTS]" for each. */
static const struct row {
    const char *name, *text, *read;
} rows[] = {
    {"nothing", "", ""},
    {"comments_and_empty_lines", "# a\n\n  \t\n   # optional x\n", ""},
    {"the_three_words", "optional a\nrequired b\ninclude c\n", "1 optional a\n2 required b\n3 include c\n"},
    {"arguments", "optional a.so x=1  y\tz\n", "1 optional a.so x=1 y z\n"},
    {"blanks_before_and_behind", " \toptional  a.so \t\r\n", "1 optional a.so\n"},
    {"a_comment_behind", "optional a.so x # y\n", "1 optional a.so x\n"},
    {"a_comment_in_a_word", "optional a#b c\n", "1 optional a\n"},
    {"no_newline_at_the_end", "\noptional a", "2 optional a\n"},
    {"no_path", "optional\noptional # a\n", "1 wrong \n2 wrong \n"},
    {"another_word", "optionally a\nOptional a\n", "1 wrong \n2 wrong \n"},
    {"a_word_alone", "x\n", "1 wrong \n"},
    {"lines_are_counted", "\n# a\n\nrequired a\n\noptional b", "4 required a\n6 optional b\n"},
    {"arguments_that_do_not_fit", "optional a " LONG512 " " LONG512 "\n", "1 wrong a\n"},
    {"a_path_that_does_not_fit",
     "optional " LONG512 LONG512 LONG512 LONG512 LONG512 LONG512 LONG512 LONG512 "\n", "1 wrong \n"},
};

static void a_text_is_read(void **state)
{
    static const char *const kinds[] = {"optional", "required", "include", "wrong"};
    static struct ce_plugstack_line line;
    const struct row *row = *state;
    const char *at = row->text;
    char read[2 * PATH_MAX] = "";
    unsigned number = 0;
    while (ce_plugstack_next(&at, &number, &line)) {
        size_t used = strlen(read);
        snprintf(read + used, sizeof read - used, "%u %s %s%s%s\n", line.number, kinds[line.kind],
                 line.path, line.kind != CE_PLUGSTACK_WRONG && line.arguments[0] ? " " : "",
                 line.kind != CE_PLUGSTACK_WRONG ? line.arguments : "");
    }
    assert_string_equal(read, row->read);
}

int main(void)
{
    UNIT_TABLE(rows, a_text_is_read);
    return UNIT_RUN("plugstack");
}

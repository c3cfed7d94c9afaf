/* SPDX-License-Identifier: Apache-2.0 */
#include "model/record.h"

#include <inttypes.h>

#include "../unit.h"
#include "../unit_work.h"

#define FRAMED(lines) "format=1\n" lines "end=1\n"

static const struct value_row {
    const char *name, *text, *key, *value; /* value NULL: absent */
} values[] = {
    {"a_key_has_its_value", FRAMED("host.name=node1\n"), "host.name", "node1"},
    {"an_empty_record_is_a_record", FRAMED(""), "host.name", NULL},
    {"a_value_may_be_empty", FRAMED("a=\n"), "a", ""},
    {"a_value_may_hold_the_equals_sign", FRAMED("a=b=c\n"), "a", "b=c"},
    {"a_value_keeps_its_spaces", FRAMED("a= b \n"), "a", " b "},
    {"a_key_that_is_part_of_another_is_absent", FRAMED("a.b.c=1\n"), "a.b", NULL},
    {"a_key_that_goes_on_is_absent", FRAMED("a.b=1\n"), "a.b.c", NULL},
    {"keys_may_come_in_any_order", FRAMED("z=1\nm=2\na=3\n"), "a", "3"},
    {"keys_hold_what_interface_names_hold", FRAMED("netif.eth0%2e1:x@y+z_w-v=1\n"),
     "netif.eth0%2e1:x@y+z_w-v", "1"},
    {"the_first_line_is_a_key_too", FRAMED(""), "format", "1"},
};

static void has(void **state)
{
    const struct value_row *row = *state;
    struct ce_error err = {""};
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(row->text, &err);
    assert_string_equal(err.text, "");
    assert_non_null(record);
    const char *value = ce_record_get(record, "%s", row->key);
    if (!row->value)
        assert_null(value);
    else
        assert_string_equal(value, row->value);
}

static const struct error_row {
    const char *name, *text, *reason;
} errors[] = {
    {"nothing_is_no_record", "", "expected format=1"},
    {"a_newline_is_no_record", "\n", "line 1"},
    {"another_format_is_an_error", "format=2\nend=1\n", "expected format=1"},
    {"no_format_is_an_error", "a=1\nend=1\n", "expected format=1"},
    {"a_format_behind_a_key_is_an_error", "a=1\nformat=1\nend=1\n", "expected format=1"},
    {"a_dos_file_is_an_error", "format=1\r\nend=1\r\n", "expected format=1"},
    {"no_end_is_an_error", "format=1\na=1\n", "cut short"},
    {"an_end_in_the_middle_is_an_error", "format=1\nend=1\na=1\n", "cut short"},
    {"another_end_is_an_error", "format=1\nend=2\n", "cut short"},
    {"an_end_without_its_newline_is_an_error", "format=1\nend=1", "cut short"},
    {"a_format_alone_is_an_error", "format=1\n", "cut short"},
    {"a_key_twice_is_an_error", FRAMED("a=1\nb=2\na=1\n"), "the key a stands there twice"},
    {"an_end_twice_is_an_error", "format=1\nend=1\nend=1\n", "twice"},
    {"a_format_twice_is_an_error", FRAMED("format=1\n"), "twice"},
    {"an_empty_line_is_an_error", FRAMED("\n"), "line 2"},
    {"a_line_without_equals_sign_is_an_error", FRAMED("a=1\nnode1\n"), "line 3"},
    {"a_line_without_key_is_an_error", FRAMED("=1\n"), "line 2"},
    {"a_key_with_a_space_is_an_error", FRAMED("a =1\n"), "'a ' is not a key"},
    {"a_key_with_a_slash_is_an_error", FRAMED("a/b=1\n"), "'a/b' is not a key"},
    {"a_key_with_an_escape_is_an_error_and_not_shown", FRAMED("a\x1b[2J=1\n"), "'a?[2J'"},
    {"a_comment_is_an_error", FRAMED("# a=1\n"), "line 2"},
};

static void is_an_error(void **state)
{
    const struct error_row *row = *state;
    struct ce_error err = {""};
    assert_null(ce_record_parse(row->text, &err));
    unit_holds(err.text, row->reason);
}

static void a_record_cut_at_any_byte_is_an_error(void **state)
{
    char text[] = FRAMED("host.name=node1\nnetif.eth1.up=1\nend.of=1\n");
    (void)state;
    for (size_t length = strlen(text); length-- > 0;) {
        text[length] = '\0';
        assert_null(ce_record_parse(text, NULL));
    }
}

/* A record of that many lines, the first and the last included. */
static struct ce_record *of_lines(unsigned count)
{
    ce_autotext struct ce_text text = CE_TEXT(16 << 20);
    ce_record_begin(&text);
    for (unsigned i = 2; i < count; i++)
        ce_record_add_number(&text, i, "key.%u", i);
    ce_record_end(&text);
    assert_true(ce_text_ok(&text));
    return ce_record_parse(ce_text_string(&text), NULL);
}

static void a_record_has_300000_lines_at_most(void **state)
{
    (void)state;
    ce_auto(ce_record_destroy) struct ce_record *record = of_lines(CE_RECORD_MAX_LINES);
    assert_non_null(record);
    assert_string_equal(ce_record_get(record, "key.%u", CE_RECORD_MAX_LINES - 1), "499999");
    assert_null(of_lines(CE_RECORD_MAX_LINES + 1));
}

static void a_key_has_255_bytes_at_most(void **state)
{
    char text[400];
    (void)state;
    snprintf(text, sizeof text, "format=1\n%0255d=x\nend=1\n", 1);
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(text, NULL);
    assert_non_null(record);
    assert_string_equal(ce_record_get(record, "%0255d", 1), "x");
    assert_null(ce_record_get(record, "%0256d", 1));
    snprintf(text, sizeof text, "format=1\n%0256d=x\nend=1\n", 1);
    assert_null(ce_record_parse(text, NULL));
}

static const struct number_row {
    const char *name, *value;
    uint64_t min, max;
    int rc;
    uint64_t number;
} numbers[] = {
    {"a_number_within_its_range", "7", 0, 10, 1, 7},
    {"a_number_at_the_low_end", "0", 0, 10, 1, 0},
    {"a_number_at_the_high_end", "10", 0, 10, 1, 10},
    {"a_number_past_the_high_end_is_an_error", "11", 0, 10, -1, 0},
    {"a_number_below_the_low_end_is_an_error", "0", 1, 10, -1, 0},
    {"a_negative_number_is_an_error", "-1", 0, 10, -1, 0},
    {"an_empty_number_is_an_error", "", 0, 10, -1, 0},
    {"a_number_with_a_space_is_an_error", "7 ", 0, 10, -1, 0},
    {"no_key_is_no_error", NULL, 0, 10, 0, 0},
};

static void number(void **state)
{
    const struct number_row *row = *state;
    char text[64];
    struct ce_error err = {""};
    uint64_t value = 4711;
    snprintf(text, sizeof text, FRAMED("%s=%s\n"), row->value ? "gpu.count" : "other",
             row->value ? row->value : "");
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(text, NULL);
    assert_non_null(record);
    assert_int_equal(ce_record_number(record, row->min, row->max, &value, &err, "gpu.%s", "count"),
                     row->rc);
    assert_true(value == (row->rc > 0 ? row->number : 4711));
    if (row->rc < 0)
        unit_holds(err.text, "gpu.count=");
}

static const struct part_row {
    const char *name, *lines, *parts; /* separated by spaces */
} parts[] = {
    {"each_part_comes_once", "netif.a.x=1\nnetif.a.y=1\nnetif.b.x=1\n", "a b"},
    {"parts_come_in_order_of_first_mention", "netif.b.x=1\nnetif.a.x=1\n", "b a"},
    {"a_part_alone_and_with_more_comes_once", "netif.a=1\nnetif.a-b.x=1\nnetif.a.x=1\n", "a a-b"},
    {"a_part_with_more_and_then_alone_comes_once", "netif.a.x=1\nnetif.a-b.x=1\nnetif.a=1\n", "a a-b"},
    {"parts_come_in_the_order_of_lines_sorted_backwards",
     "netif.c.z=1\nnetif.c.y=1\nnetif.b.x=1\nnetif.b.w=1\nnetif.a.v=1\n", "c b a"},
    {"other_keys_are_passed_over", "x=1\nnetif.a.x=1\ny=1\nnetif.b.x=1\nz=1\n", "a b"},
    {"a_part_torn_apart_comes_once", "netif.a.x=1\nnetif.b.x=1\nnetif.a.y=1\nnetif.b.y=1\n",
     "a b"},
    {"a_part_torn_apart_by_another_key_comes_once", "netif.a.x=1\nx=1\nnetif.a.y=1\n", "a"},
    {"a_part_that_starts_like_another_is_another", "netif.eth1.x=1\nnetif.eth10.x=1\n",
     "eth1 eth10"},
    {"a_part_without_more_behind_it_is_a_part", "netif.a=1\n", "a"},
    {"an_empty_part_is_passed_over", "netif..x=1\nnetif.=1\nnetif.a.x=1\n", "a"},
    {"a_part_too_long_for_the_reader_is_passed_over", "netif.abcdefgh.x=1\nnetif.abcdefg.x=1\n",
     "abcdefg"},
    {"a_record_without_the_prefix_has_no_part", "netiff.a.x=1\nnet=1\n", ""},
};

static void part(void **state)
{
    const struct part_row *row = *state;
    char text[256], found[256] = "", name[8];
    snprintf(text, sizeof text, FRAMED("%s"), row->lines);
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(text, NULL);
    assert_non_null(record);
    for (size_t at = 0; ce_record_next_part(record, "netif.", &at, name, sizeof name);) {
        strcat(found, found[0] ? " " : "");
        strcat(found, name);
    }
    assert_string_equal(found, row->parts);
}

/* The last line is the first in the order of keys. */
static void many_lines_backwards_have_one_part(void **state)
{
    enum { LINES = 200000 };
    ce_autotext struct ce_text text = CE_TEXT(16 << 20);
    char name[8];
    size_t at = 0;
    (void)state;
    ce_record_begin(&text);
    for (unsigned i = LINES; i > 0; i--)
        ce_text_addf(&text, "netif.a.%06u=\n", i);
    ce_record_end(&text);
    unit_limit_work(10);
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(ce_text_string(&text), NULL);
    assert_non_null(record);
    assert_true(ce_record_next_part(record, "netif.", &at, name, sizeof name));
    assert_false(ce_record_next_part(record, "netif.", &at, name, sizeof name));
    unit_limit_work(0);
}

/* As a reader of many devices does, in a text that has more. */
static void parts_below_many_prefixes_are_found(void **state)
{
    enum { LINES = 400000, PREFIXES = 40000 };
    ce_autotext struct ce_text text = CE_TEXT(16 << 20);
    char name[8], prefix[16];
    (void)state;
    ce_record_begin(&text);
    for (unsigned i = 0; i < LINES; i++)
        ce_text_addf(&text, "ib.%u.x=\n", i);
    ce_record_end(&text);
    unit_limit_work(10);
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(ce_text_string(&text), NULL);
    assert_non_null(record);
    for (unsigned i = 0; i < PREFIXES; i++) {
        size_t at = 0;
        snprintf(prefix, sizeof prefix, "ib.%u.", i);
        assert_true(ce_record_next_part(record, prefix, &at, name, sizeof name));
        assert_false(ce_record_next_part(record, prefix, &at, name, sizeof name));
    }
    unit_limit_work(0);
}

static void what_is_written_is_read_again(void **state)
{
    ce_autotext struct ce_text text = CE_TEXT(1000);
    uint64_t number = 0;
    (void)state;
    ce_record_begin(&text);
    ce_record_add(&text, "a value", "key.%d", 1);
    ce_record_add_number(&text, UINT64_MAX, "key.%d", 2);
    ce_record_end(&text);
    assert_string_equal(ce_text_string(&text),
                        FRAMED("key.1=a value\nkey.2=18446744073709551615\n"));
    ce_auto(ce_record_destroy) struct ce_record *record =
        ce_record_parse(ce_text_string(&text), NULL);
    assert_non_null(record);
    assert_string_equal(ce_record_get(record, "key.1"), "a value");
    assert_int_equal(ce_record_number(record, 0, UINT64_MAX, &number, NULL, "key.2"), 1);
    assert_true(number == UINT64_MAX);
}

static const struct unwritable_row {
    const char *name, *key, *value; /* value NULL: a number */
} unwritable[] = {
    {"a_newline_in_a_value_cannot_be_written", "a", "1\nb=2"},
    {"an_odd_key_cannot_be_written", "a b", "1"},
    {"an_equals_sign_in_a_key_cannot_be_written", "a=b", "1"},
    {"an_empty_key_cannot_be_written", "", "1"},
    {"an_odd_key_of_a_number_cannot_be_written", "a b", NULL},
    {"an_empty_key_of_a_number_cannot_be_written", "", NULL},
};

static void cannot_be_written(void **state)
{
    const struct unwritable_row *row = *state;
    ce_autotext struct ce_text text = CE_TEXT(1000);
    ce_record_begin(&text);
    if (row->value)
        ce_record_add(&text, row->value, "%s", row->key);
    else
        ce_record_add_number(&text, 1, "%s", row->key);
    ce_record_end(&text);
    assert_false(ce_text_ok(&text));
}

int main(void)
{
    UNIT_TABLE(values, has);
    UNIT_TABLE(errors, is_an_error);
    UNIT_RULE(a_record_cut_at_any_byte_is_an_error);
    UNIT_RULE(a_record_has_300000_lines_at_most);
    UNIT_RULE(a_key_has_255_bytes_at_most);
    UNIT_TABLE(numbers, number);
    UNIT_TABLE(parts, part);
    UNIT_RULE(many_lines_backwards_have_one_part);
    UNIT_RULE(parts_below_many_prefixes_are_found);
    UNIT_RULE(what_is_written_is_read_again);
    UNIT_TABLE(unwritable, cannot_be_written);
    ce_record_destroy(NULL);
    return UNIT_RUN("model/record");
}

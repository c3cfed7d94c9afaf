/* SPDX-License-Identifier: Apache-2.0 */
#include "model/pkeys.h"

#include "../unit.h"

static const struct row {
    const char *name, *text; /* NULL: no line */
    unsigned count;          /* 0 with a text: it is refused */
    uint16_t last;
} rows[] = {
    {"no_line", NULL, 0, 0},
    {"one", "0xffff", 1, 0xffff},
    {"an_empty_place_counts", "0x0000 0x7fff 0x8001", 3, 0x8001},
    {"as_many_as_are_kept", "0x0001 0x0002 0x0003 0x0004 0x0005 0x0006 0x0007 0x0008", 8, 8},
    {"one_more", "0x0001 0x0002 0x0003 0x0004 0x0005 0x0006 0x0007 0x0008 0x0009", 0, 0},
    {"nothing", "", 0, 0},
    {"decimal", "65535", 0, 0},
    {"too_short", "0xfff", 0, 0},
    {"too_long", "0xfffff", 0, 0},
    {"no_digit", "0xfffg", 0, 0},
    {"a_sign", "0x-fff", 0, 0},
    {"two_blanks", "0xffff  0x7fff", 0, 0},
    {"a_blank_at_the_end", "0xffff ", 0, 0},
    {"another_separator", "0xffff,0x7fff", 0, 0},
};

static void reads(void **state)
{
    const struct row *row = *state;
    struct ce_error err = {""};
    struct ce_pkeys pkeys;
    ce_autotext struct ce_text text = CE_TEXT(4096), again = CE_TEXT(4096);
    ce_record_begin(&text);
    if (row->text)
        ce_record_add(&text, row->text, "ib.a.1.pkeys");
    ce_record_end(&text);
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(ce_text_string(&text), &err);
    assert_non_null(record);
    assert_int_equal(ce_pkeys_read(record, "ib.a.1", &pkeys, &err), row->text && !row->count ? -1 : 0);
    if (row->text && !row->count) {
        unit_holds(err.text, "expected up to 8 keys");
        return;
    }
    assert_int_equal(pkeys.count, row->count);
    assert_int_equal(pkeys.count ? pkeys.keys[pkeys.count - 1] : 0, row->last);
    ce_record_begin(&again);
    ce_pkeys_write(&pkeys, "ib.a.1", &again);
    ce_record_end(&again);
    assert_string_equal(ce_text_string(&again), ce_text_string(&text));
}

static void full_is_the_first_bit_of_a_partition(void **state)
{
    (void)state;
    assert_true(ce_pkey_is_full(0xffff));
    assert_true(ce_pkey_is_full(0x8001));
    assert_false(ce_pkey_is_full(0x7fff));
    assert_false(ce_pkey_is_full(0x8000));
    assert_false(ce_pkey_is_full(0));
}

int main(void)
{
    UNIT_TABLE(rows, reads);
    UNIT_RULE(full_is_the_first_bit_of_a_partition);
    return UNIT_RUN("model/pkeys");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "model/hostfold.h"

#include <stdlib.h>

#include "../unit.h"
#include "model/hostlist.h"

enum { NAMES = 12 };

static const struct row {
    const char *name;
    const char *names[NAMES];
    const char *folded;
} rows[] = {
    {"one_is_itself", {"node7"}, "node7"},
    {"a_range", {"n1", "n2", "n3"}, "n[1-3]"},
    {"in_any_order", {"n3", "n1", "n2"}, "n[1-3]"},
    {"each_once", {"n3", "n3", "n3"}, "n3"},
    {"a_gap", {"n1", "n2", "n4"}, "n[1-2,4]"},
    {"numbers_grow_a_digit", {"n9", "n10", "n11"}, "n[9-11]"},
    {"zeros_are_kept", {"n009", "n010"}, "n[009-010]"},
    {"zeros_do_not_mix", {"n9", "n010"}, "n[9,010]"},
    {"both_forms_of_a_number", {"n1", "n01", "n2", "n02"}, "n[1,01,2,02]"},
    {"names_without_a_number", {"login", "head"}, "head,login"},
    {"what_stands_behind", {"n1-ib", "n2-ib", "n1"}, "n1,n[1-2]-ib"},
    {"the_last_number_is_folded", {"r1n1", "r1n2", "r10n1", "r2n1"}, "r1n[1-2],r2n1,r10n1"},
    {"digits_alone", {"1", "2"}, "[1-2]"},
    {"more_digits_than_a_number_has", {"n12345678901", "n12345678902"}, "n12[345678901-345678902]"},
};

static size_t count_of(const char *const names[NAMES])
{
    size_t count = 0;
    while (count < NAMES && names[count])
        count++;
    return count;
}

static void is_folded(void **state)
{
    const struct row *row = *state;
    ce_autotext struct ce_text out = CE_TEXT(4096);
    ce_hostfold(row->names, count_of(row->names), &out);
    assert_string_equal(ce_text_string(&out), row->folded);
}

static bool holds(const struct ce_hostlist *list, const char *name)
{
    for (size_t i = 0; i < ce_hostlist_count(list); i++)
        if (strcmp(ce_hostlist_name(list, i), name) == 0)
            return true;
    return false;
}

static void a_list_is_read_as_the_same_hosts(void **state)
{
    (void)state;
    for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
        ce_autotext struct ce_text out = CE_TEXT(4096);
        struct ce_error err;
        ce_hostfold(rows[i].names, count_of(rows[i].names), &out);
        ce_auto(ce_hostlist_destroy) struct ce_hostlist *list =
            ce_hostlist_parse(ce_text_string(&out), &err);
        assert_non_null(list);
        for (size_t k = 0; k < count_of(rows[i].names); k++)
            assert_true(holds(list, rows[i].names[k]));
    }
}

static void no_names_are_nothing(void **state)
{
    ce_autotext struct ce_text out = CE_TEXT(16);
    (void)state;
    ce_hostfold(NULL, 0, &out);
    assert_string_equal(ce_text_string(&out), "");
    assert_true(ce_text_ok(&out));
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    UNIT_TABLE(rows, is_folded);
    UNIT_RULE(a_list_is_read_as_the_same_hosts);
    UNIT_RULE(no_names_are_nothing);
    return UNIT_RUN("hostfold");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "model/hostindex.h"

#include "../unit.h"

enum { NOWHERE = 99999 };

static const struct find_row {
    const char *name, *list, *wanted;
    size_t place;
} rows[] = {
    {"the_first_name_is_found", "n[1-3]", "n1", 0},
    {"the_last_name_is_found", "n[1-3]", "n3", 2},
    {"a_name_alone_is_found", "login", "login", 0},
    {"the_order_is_that_of_the_list", "c,a,b", "a", 1},
    {"of_a_name_that_occurs_twice_the_first_place_counts", "a,b,a,b", "b", 1},
    {"a_name_that_is_not_there_is_not_found", "n[1-3]", "n4", NOWHERE},
    {"no_name_is_not_found", "n[1-3]", "", NOWHERE},
    {"the_start_of_a_name_is_not_found", "node1", "node", NOWHERE},
    {"a_longer_name_is_not_found", "node1", "node12", NOWHERE},
    {"zeros_tell_names_apart", "n1,n01", "n01", 1},
    {"letters_count_as_they_are_written", "Node1,node1", "node1", 1},
};

static void is_found(void **state)
{
    const struct find_row *row = *state;
    size_t place = NOWHERE;
    ce_auto(ce_hostlist_destroy) struct ce_hostlist *list = ce_hostlist_parse(row->list, NULL);
    ce_auto(ce_hostindex_destroy) struct ce_hostindex *index = ce_hostindex_create(list);
    assert_non_null(index);
    assert_int_equal(ce_hostindex_find(index, row->wanted, &place), row->place != NOWHERE);
    assert_int_equal(place, row->place);
    assert_int_equal(ce_hostindex_find(index, row->wanted, NULL), row->place != NOWHERE);
}

static void every_name_of_the_longest_list_is_found(void **state)
{
    size_t place;
    (void)state;
    ce_auto(ce_hostlist_destroy) struct ce_hostlist *list = ce_hostlist_parse("n[0-65535]", NULL);
    ce_auto(ce_hostindex_destroy) struct ce_hostindex *index = ce_hostindex_create(list);
    assert_non_null(index);
    for (size_t i = 0; i < ce_hostlist_count(list); i++) {
        assert_true(ce_hostindex_find(index, ce_hostlist_name(list, i), &place));
        assert_int_equal(place, i);
    }
    assert_false(ce_hostindex_find(index, "n65536", &place));
}

int main(void)
{
    UNIT_TABLE(rows, is_found);
    UNIT_RULE(every_name_of_the_longest_list_is_found);
    return UNIT_RUN("model/hostindex");
}

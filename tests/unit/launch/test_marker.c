/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/marker.h"

#include "../unit.h"

/* FNV-1a of "4" is 310ca263, of "" 811c9dc5 (the offset basis): known from elsewhere. */
static const struct marker_row {
    const char *name, *marker, *variable, *value;
    bool holds;
} markers[] = {
    {"a_recorded_value_is_ours", "NUM_NODES:310ca263", "NUM_NODES", "4", true},
    {"a_changed_value_is_not_ours", "NUM_NODES:310ca263", "NUM_NODES", "5", false},
    {"a_variable_that_is_not_recorded_is_not_ours", "NUM_NODES:310ca263", "RANK", "4", false},
    {"the_end_of_a_name_is_not_the_name", "NUM_NODES:310ca263", "NODES", "4", false},
    {"the_start_of_a_name_is_not_the_name", "NUM_NODES:310ca263", "NUM", "4", false},
    {"a_longer_name_is_not_the_name", "NUM:310ca263", "NUM_NODES", "4", false},
    {"a_later_record_counts", "A:00000000,NUM_NODES:310ca263", "NUM_NODES", "4", true},
    {"the_last_of_two_records_counts_too", "NUM_NODES:00000000,NUM_NODES:310ca263", "NUM_NODES",
     "4", true},
    {"an_empty_value_can_be_ours", "A:811c9dc5", "A", "", true},
    {"no_marker_records_nothing", NULL, "A", "", false},
    {"an_empty_marker_records_nothing", "", "A", "", false},
    {"a_name_without_hash_records_nothing", "NUM_NODES", "NUM_NODES", "4", false},
    {"a_name_with_an_empty_hash_records_nothing", "NUM_NODES:", "NUM_NODES", "4", false},
    {"a_short_hash_records_nothing", "NUM_NODES:310ca26", "NUM_NODES", "4", false},
    {"a_long_hash_records_nothing", "NUM_NODES:310ca2630", "NUM_NODES", "4", false},
    {"commas_alone_record_nothing", ",,,", "A", "", false},
    {"an_empty_record_is_passed_over", ",NUM_NODES:310ca263,", "NUM_NODES", "4", true},
};

static void holds(void **state)
{
    const struct marker_row *row = *state;
    assert_int_equal(ce_marker_holds(row->marker, row->variable, row->value), row->holds);
}

static void what_is_added_is_held(void **state)
{
    ce_autotext struct ce_text marker = CE_TEXT(1000);
    (void)state;
    ce_marker_add(&marker, "NUM_NODES", "4");
    ce_marker_add(&marker, "PRIMARY_ADDR", "10.1.0.11");
    ce_marker_add(&marker, "SKYPILOT_NODE_IPS", "10.1.0.11\n10.1.0.12");
    const char *text = ce_text_string(&marker);
    assert_memory_equal(text, "NUM_NODES:310ca263,PRIMARY_ADDR:", 32);
    assert_true(ce_marker_holds(text, "NUM_NODES", "4"));
    assert_true(ce_marker_holds(text, "PRIMARY_ADDR", "10.1.0.11"));
    assert_true(ce_marker_holds(text, "SKYPILOT_NODE_IPS", "10.1.0.11\n10.1.0.12"));
    assert_false(ce_marker_holds(text, "PRIMARY_ADDR", "10.1.0.12"));
}

int main(void)
{
    UNIT_TABLE(markers, holds);
    UNIT_RULE(what_is_added_is_held);
    return UNIT_RUN("launch/marker");
}

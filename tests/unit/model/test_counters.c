/* SPDX-License-Identifier: Apache-2.0 */
#include "model/counters.h"

#include "../unit.h"

static const struct row {
    const char *name;
    enum ce_counter counter;
    uint64_t value;
    bool saturated;
} rows[] = {
    {"eight_bits_end_at_255", CE_COUNTER_LINK_DOWNED, 255, true},
    {"not_before", CE_COUNTER_LINK_DOWNED, 254, false},
    {"and_past_it_the_counter_is_wider", CE_COUNTER_LINK_DOWNED, 256, false},
    {"four_bits_end_at_15", CE_COUNTER_BUFFER_OVERRUN, 15, true},
    {"sixteen_bits_end_at_65535", CE_COUNTER_SYMBOL_ERROR, 65535, true},
    {"thirty_two_bits", CE_COUNTER_XMIT_WAIT, UINT32_MAX, true},
    {"a_healthy_port_of_an_h100", CE_COUNTER_XMIT_WAIT, 2489603687, false},
    {"sixty_four_bits_never_end", CE_COUNTER_CARRIER_CHANGES, UINT64_MAX, false},
};

static void saturation_is(void **state)
{
    const struct row *row = *state;
    struct ce_counters counters = {.known = 0};
    counters.value[row->counter] = row->value;
    assert_false(ce_counter_saturated(&counters, row->counter));
    ce_counter_set(&counters, row->counter, row->value);
    assert_true(ce_counter_known(&counters, row->counter));
    assert_int_equal(ce_counter_saturated(&counters, row->counter), row->saturated);
}

static int read_text(const char *text, struct ce_counters *counters, struct ce_error *err)
{
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(text, err);
    assert_non_null(record);
    return ce_counters_read(record, "ib.mlx5_0.1", counters, err);
}

static void every_counter_is_written_and_read(void **state)
{
    (void)state;
    struct ce_counters counters = {.known = 0}, again;
    struct ce_error err = {""};
    ce_autotext struct ce_text text = CE_TEXT(1 << 16);
    for (unsigned i = 0; i < CE_COUNTERS; i++) {
        assert_non_null(ce_counter_kinds[i].name);
        ce_counter_set(&counters, i, i * 3);
    }
    ce_record_begin(&text);
    ce_counters_write(&counters, "ib.mlx5_0.1", &text);
    ce_record_end(&text);
    unit_holds(ce_text_string(&text), "\nib.mlx5_0.1.counter.link_error_recovery=3\n");
    assert_int_equal(read_text(ce_text_string(&text), &again, &err), 0);
    assert_memory_equal(&again, &counters, sizeof again);
}

static void what_is_not_there_is_unknown(void **state)
{
    (void)state;
    struct ce_counters counters;
    struct ce_error err = {""};
    assert_int_equal(read_text("format=1\nib.mlx5_0.1.counter.link_downed=0\n"
                               "ib.mlx5_0.1.counter.of_tomorrow=-\nend=1\n",
                               &counters, &err),
                     0);
    assert_true(ce_counter_known(&counters, CE_COUNTER_LINK_DOWNED));
    assert_int_equal(counters.known, 1 << CE_COUNTER_LINK_DOWNED);
    assert_int_equal(
        read_text("format=1\nib.mlx5_0.10.counter.link_downed=0\nend=1\n", &counters, &err), 0);
    assert_int_equal(counters.known, 0);
}

static void what_is_no_number_is_an_error(void **state)
{
    (void)state;
    struct ce_counters counters;
    struct ce_error err = {""};
    assert_int_equal(
        read_text("format=1\nib.mlx5_0.1.counter.link_downed=-1\nend=1\n", &counters, &err), -1);
    unit_holds(err.text, "ib.mlx5_0.1.counter.link_downed=-1: expected a number");
}

int main(void)
{
    UNIT_TABLE(rows, saturation_is);
    UNIT_RULE(every_counter_is_written_and_read);
    UNIT_RULE(what_is_not_there_is_unknown);
    UNIT_RULE(what_is_no_number_is_an_error);
    return UNIT_RUN("model/counters");
}

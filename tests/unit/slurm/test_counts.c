/* SPDX-License-Identifier: Apache-2.0 */
#include "slurm/counts.h"

#include "../unit.h"

static const struct read_row {
    const char *name, *text, *numbers;
    bool over; /* all of it was read */
} reads[] = {
    {"no_text_has_no_number", NULL, "", true},
    {"an_empty_text_has_none", "", "", true},
    {"one_number", "8", "8", true},
    {"numbers_with_repeats", "4(x2),3", "4 4 3", true},
    {"a_number_that_is_repeated_no_time", "9(x0),7", "7", true},
    {"a_zero", "0,1", "0 1", true},
    {"a_comma_too_many_ends_it", "4,,3", "4", false},
    {"a_last_comma_is_passed_over", "4,", "4", true},
    {"another_letter_ends_it", "4,3y2", "4", false},
    {"brackets_that_do_not_close_end_it", "4,3(x2", "4", false},
    {"a_number_past_all_numbers_ends_it", "4,4294967296", "4", false},
};

static void read_numbers(void **state)
{
    const struct read_row *row = *state;
    struct ce_counts counts = ce_counts_begin(row->text);
    ce_autotext struct ce_text out = CE_TEXT(1000);
    uint32_t number;
    while (ce_counts_next(&counts, &number))
        ce_text_addf(&out, "%s%u", out.length ? " " : "", number);
    assert_string_equal(ce_text_string(&out), row->numbers);
    assert_int_equal(ce_counts_is_over(&counts), row->over);
    assert_false(ce_counts_next(&counts, &number));
}

static const struct write_row {
    const char *name;
    uint32_t numbers[8];
    size_t count;
    const char *text;
} writes[] = {
    {"nothing_is_an_empty_text", {0}, 0, ""},
    {"equal_numbers_are_one_group", {8, 8, 8}, 3, "8(x3)"},
    {"others_stay_apart", {0, 1, 1, 0, 4294967295u}, 5, "0,1(x2),0,4294967295"},
};

static void write_numbers(void **state)
{
    const struct write_row *row = *state;
    ce_autotext struct ce_text out = CE_TEXT(1000);
    ce_counts_write(row->numbers, row->count, &out);
    assert_string_equal(ce_text_string(&out), row->text);
}

int main(void)
{
    UNIT_TABLE(reads, read_numbers);
    UNIT_TABLE(writes, write_numbers);
    return UNIT_RUN("slurm/counts");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/nccl_step.h"

#include "../unit.h"

static const struct row {
    const char *name, *output, *first, *second;
} rows[] = {
    {"nothing", "", "", ""},
    {"each_line_is_its_tasks", "0: a\n1: b\n0: c\n", "a\nc\n", "b\n"},
    {"as_wide_as_the_greatest", " 0: a\n 1: b\n10: c\n", "a\n", "b\n"},
    {"what_stands_behind_is_kept", "0:  a: 1: b \n", " a: 1: b \n", ""},
    {"a_task_that_there_is_not", "2: a\n99999999999999999999: b\n", "", ""},
    {"what_has_no_label", "srun: 1: hello\n: x\n0:x\n-1: x\nx0: y\n", "", ""},
    {"a_line_without_end", "0: a\n1: b", "a\n", ""},
    {"an_empty_line", "1: \n", "", "\n"},
};

static void check_split(void **state)
{
    const struct row *row = *state;
    struct ce_text texts[2] = {CE_TEXT(64), CE_TEXT(64)};
    ce_nccl_labels_split(row->output, texts, 2);
    assert_string_equal(ce_text_string(&texts[0]), row->first);
    assert_string_equal(ce_text_string(&texts[1]), row->second);
    ce_text_free(&texts[0]);
    ce_text_free(&texts[1]);
}

int main(void)
{
    UNIT_TABLE(rows, check_split);
    return UNIT_RUN("probe/nccl_step");
}

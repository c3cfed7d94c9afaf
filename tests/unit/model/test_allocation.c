/* SPDX-License-Identifier: Apache-2.0 */
#include "model/allocation.h"

#include "../unit.h"

static const struct step_row {
    const char *name, *text;
    struct ce_step_id id;
} steps[] = {
    {"an_srun_step", "12.0", {CE_STEP_TASKS, 12, 0}},
    {"the_batch_script", "12.batch", {CE_STEP_BATCH, 12, 0}},
    {"the_interactive_step", "12.interactive", {CE_STEP_INTERACTIVE, 12, 0}},
    {"the_greatest_numbers", "4294967295.4294967295", {CE_STEP_TASKS, UINT32_MAX, UINT32_MAX}},
};

static void has_a_text(void **state)
{
    const struct step_row *row = *state;
    char text[CE_STEP_ID_TEXT];
    struct ce_step_id id;
    assert_string_equal(ce_step_id_format(&row->id, text), row->text);
    assert_int_equal(ce_step_id_parse(text, &id), 0);
    assert_int_equal(id.kind, row->id.kind);
    assert_int_equal(id.job_id, row->id.job_id);
    assert_int_equal(id.step_id, row->id.step_id);
}

static const struct error_row {
    const char *name, *text;
} errors[] = {
    {"nothing_is_no_step", ""},
    {"a_job_alone_is_no_step", "12"},
    {"a_dot_alone_is_no_step", "12."},
    {"a_step_without_job_is_no_step", ".0"},
    {"a_name_that_is_no_kind_is_no_step", "12.extern"},
    {"a_kind_with_more_behind_it_is_no_step", "12.batch0"},
    {"two_dots_are_no_step", "12.0.1"},
    {"a_job_past_32_bits_is_no_step", "4294967296.0"},
    {"a_step_past_32_bits_is_no_step", "12.4294967296"},
    {"a_negative_step_is_no_step", "12.-1"},
    {"a_space_is_no_step", "12.0 "},
};

static void is_no_step(void **state)
{
    const struct error_row *row = *state;
    struct ce_step_id id = {.job_id = 4711};
    assert_int_equal(ce_step_id_parse(row->text, &id), -1);
    assert_int_equal(id.job_id, 4711);
}

static void one_task_per_node_is_as_many_tasks_as_nodes(void **state)
{
    struct ce_allocation allocation = {.nodes = ce_hostlist_parse("n[1-4]", NULL)};
    (void)state;
    assert_int_equal(ce_allocation_node_count(&allocation), 4);
    allocation.task_count = 4;
    assert_true(ce_allocation_one_task_per_node(&allocation));
    allocation.task_count = 8;
    assert_false(ce_allocation_one_task_per_node(&allocation));
    allocation.task_count = 0;
    assert_false(ce_allocation_one_task_per_node(&allocation));
    ce_allocation_free(&allocation);
    assert_null(allocation.nodes);
    ce_allocation_free(&allocation);
}

int main(void)
{
    UNIT_TABLE(steps, has_a_text);
    UNIT_TABLE(errors, is_no_step);
    UNIT_RULE(one_task_per_node_is_as_many_tasks_as_nodes);
    return UNIT_RUN("model/allocation");
}

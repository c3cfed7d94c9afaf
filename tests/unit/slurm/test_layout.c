/* SPDX-License-Identifier: Apache-2.0 */
#include "slurm/layout.h"

#include "../unit_env.h"
#include "launch/variables.h"

static const struct ce_step_id step = {CE_STEP_TASKS, 12, 0}, script = {CE_STEP_BATCH, 12, 0};

static const struct write_row {
    const char *name, *nodes;
    uint32_t first[8];
    const char *text;
} writes[] = {
    {"one_node_has_task_0", "n1", {0}, "12.0:n1:0"},
    {"nodes_are_ordered_by_their_lowest_rank", "n[1-3]", {7, 0, 3}, "12.0:n[2-3,1]:0,3,4"},
    {"blocks_of_equal_nodes_are_short", "n[1-8]", {16, 0, 20, 4, 24, 8, 28, 12},
     "12.0:n[2,4,6,8,1,3,5,7]:0,4(x7)"},
    {"names_of_two_kinds_take_turns", "a,b[1-2],c", {1, 3, 0, 2}, "12.0:b2,a,c,b1:0,1(x3)"},
};

static void write_text(void **state)
{
    const struct write_row *row = *state;
    ce_autotext struct ce_text out = CE_TEXT(1000);
    ce_auto(ce_hostlist_destroy) struct ce_hostlist *nodes = ce_hostlist_parse(row->nodes, NULL);
    ce_slurm_layout_write(&step, nodes, row->first, &out);
    assert_string_equal(ce_text_string(&out), row->text);
}

/* ---------------------------------------------------------------- what is written is read */

static uint32_t random_state;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)random_state * below) >> 32);
}

/* order[i]: which node of the list has place i */
static void shuffle(uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint32_t i = count; i > 1; i--) {
        uint32_t k = draw(i), was = order[k];
        order[k] = order[i - 1];
        order[i - 1] = was;
    }
}

static struct ce_hostlist *read_again(const struct ce_text *text, uint32_t **first)
{
    struct unit_env array = {.count = 0};
    unit_env_set(&array, CE_LAYOUT_VARIABLE, ce_text_string(text));
    const struct ce_environ env = unit_environ(&array);
    struct ce_hostlist *nodes = ce_slurm_layout_read(&env, &step, first);
    assert_null(ce_slurm_layout_read_job(&env, &script));
    unit_env_free(&array);
    return nodes;
}

static void check_round(uint32_t count)
{
    uint32_t *order = calloc(count, sizeof *order), *ranks = calloc(count, sizeof *ranks);
    uint32_t *by_name = calloc(count, sizeof *by_name), *found = NULL;
    ce_autotext struct ce_text list = CE_TEXT(1 << 20), out = CE_TEXT(1 << 20);
    for (uint32_t i = 0; i < count; i++)
        ce_text_addf(&list, "%s%s%u", i ? "," : "", draw(2) ? "gpu" : "cpu-", i);
    ce_auto(ce_hostlist_destroy) struct ce_hostlist *nodes =
        ce_hostlist_parse(ce_text_string(&list), NULL);
    shuffle(order, count);
    for (uint32_t i = 0; i < count; i++) {
        ranks[i] = i ? ranks[i - 1] + 1 + draw(draw(2) ? 1 : 300) : 0;
        by_name[order[i]] = ranks[i];
    }
    ce_slurm_layout_write(&step, nodes, by_name, &out);
    ce_auto(ce_hostlist_destroy) struct ce_hostlist *again = read_again(&out, &found);
    assert_non_null(again);
    assert_int_equal(ce_hostlist_count(again), count);
    for (uint32_t i = 0; i < count; i++) {
        assert_string_equal(ce_hostlist_name(again, i), ce_hostlist_name(nodes, order[i]));
        assert_int_equal(found[i], ranks[i]);
    }
    free(order);
    free(ranks);
    free(by_name);
    free(found);
}

static void any_layout_that_is_written_is_read_again(void **state)
{
    (void)state;
    for (random_state = 1; random_state <= 200; random_state++) {
        uint32_t seed = random_state;
        check_round(1 + draw(40));
        random_state = seed;
    }
}

/* Blocks of a topology take every second, third, ... node, as names are assigned across racks. */
static void sixteen_thousand_nodes_of_any_blocks_fit_into_a_variable(void **state)
{
    enum { NODES = 16384 };
    uint32_t *first = calloc(NODES, sizeof *first);
    ce_auto(ce_hostlist_destroy) struct ce_hostlist *nodes =
        ce_hostlist_parse("gpu-node[00001-16384]", NULL);
    (void)state;
    for (uint32_t blocks = 1; blocks <= NODES; blocks *= 4) {
        ce_autotext struct ce_text out = CE_TEXT(CE_VALUE_MAX);
        for (uint32_t i = 0; i < NODES; i++)
            first[i] = 8 * (i % blocks * (NODES / blocks) + i / blocks);
        ce_slurm_layout_write(&step, nodes, first, &out);
        assert_true(ce_text_ok(&out));
    }
    free(first);
}

static void a_scripts_nodes_are_read_again_by_that_script_only(void **state)
{
    struct unit_env array = {.count = 0};
    ce_autotext struct ce_text out = CE_TEXT(1000);
    uint32_t *first = NULL;
    ce_auto(ce_hostlist_destroy) struct ce_hostlist *nodes = ce_hostlist_parse("n[1-3],m", NULL);
    (void)state;
    ce_slurm_layout_write_job(&script, nodes, &out);
    assert_string_equal(ce_text_string(&out), "12.batch:n[1-3],m");
    unit_env_set(&array, CE_LAYOUT_VARIABLE, ce_text_string(&out));
    const struct ce_environ env = unit_environ(&array);
    ce_auto(ce_hostlist_destroy) struct ce_hostlist *again = ce_slurm_layout_read_job(&env, &script);
    assert_int_equal(ce_hostlist_count(again), 4);
    const struct ce_step_id other = {CE_STEP_BATCH, 13, 0};
    assert_null(ce_slurm_layout_read_job(&env, &other));
    assert_null(ce_slurm_layout_read(&env, &script, &first));
    unit_env_free(&array);
}

int main(void)
{
    UNIT_TABLE(writes, write_text);
    UNIT_RULE(any_layout_that_is_written_is_read_again);
    UNIT_RULE(sixteen_thousand_nodes_of_any_blocks_fit_into_a_variable);
    UNIT_RULE(a_scripts_nodes_are_read_again_by_that_script_only);
    return UNIT_RUN("slurm/layout");
}

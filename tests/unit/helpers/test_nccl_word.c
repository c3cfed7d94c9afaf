/* SPDX-License-Identifier: Apache-2.0 */
#include "../../../helpers/nccl_word.h"

#include "../unit.h"

enum { GPUS = 8, NODES = 4 };

static const struct place_row {
    const char *name;
    uint32_t ranks, first;
    bool is_taken;
} places[] = {
    {"the_place_after_node_0_is_taken", 32, 8, true},
    {"the_last_place_is_taken", 32, 24, true},
    {"a_place_that_ends_after_the_last_rank_is_refused", 32, 25, false},
    {"a_place_after_the_last_rank_is_refused", 32, 32, false},
    {"more_ranks_than_nodes_can_have_are_refused", UINT32_MAX, 8, false},
    {"fewer_ranks_than_this_node_has_are_refused", 7, 0, false},
    {"no_ranks_are_refused", 0, 0, false},
    {"a_place_whose_end_does_not_fit_a_number_is_refused", 32, UINT32_MAX - 3, false},
};

static void place(void **state)
{
    const struct place_row *row = *state;
    const struct gang gang = {.name = "n2", .nodes = NODES, .node = 1};
    const struct word word = {.ranks = row->ranks, .first = row->first};
    struct gang_part part = {.gpus = GPUS};
    struct ce_error err = {""};
    assert_int_equal(word_place(&gang, &word, &part, &err), row->is_taken ? 0 : -1);
    assert_int_equal(part.first, row->is_taken ? row->first : 0);
    if (!row->is_taken)
        unit_holds(err.text, "node 0 says");
}

static const struct part_row {
    const char *name;
    struct word word;
    const char *says; /* NULL: it takes part */
} parts[] = {
    {"a_node_with_the_same_version_takes_part", {.gpus = 8, .version = 22005, .name = "n2"}, NULL},
    {"a_node_that_gives_up_says_why", {.gpus = 8, .version = 22005, .failed = "n2: no GPU"}, "n2: no GPU"},
    {"another_version_is_refused", {.gpus = 8, .version = 22004, .name = "n2"}, "n2 has NCCL 2.20.4, n1 has 2.20.5"},
    {"no_gpus_are_refused", {.gpus = 0, .version = 22005, .name = "n2"}, "n2 has 0 GPUs"},
    {"too_many_gpus_are_refused", {.gpus = UINT32_MAX, .version = 22005, .name = "n2"}, "GPUs"},
};

static void takes_part(void **state)
{
    const struct part_row *row = *state;
    const struct gang gang = {.name = "n1", .nodes = NODES};
    const struct gang_part part = {.gpus = GPUS, .version = 22005};
    struct ce_error err = {""};
    assert_int_equal(word_fits(&gang, &part, &row->word, &err), row->says ? -1 : 0);
    unit_holds(err.text, row->says ? row->says : "");
}

int main(void)
{
    UNIT_TABLE(places, place);
    UNIT_TABLE(parts, takes_part);
    return UNIT_RUN("helpers/nccl_word");
}

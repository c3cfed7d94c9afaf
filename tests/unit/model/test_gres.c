/* SPDX-License-Identifier: Apache-2.0 */
#include "model/gres.h"

#include "../unit.h"

static const struct row {
    const char *name, *gres;
    unsigned gpus;
} rows[] = {
    {"nothing_has_no_gpu", "", 0},
    {"no_text_has_no_gpu", NULL, 0},
    {"a_number", "gpu:8", 8},
    {"no_number_is_one", "gpu", 1},
    {"a_type_and_a_number", "gpu:a100:4", 4},
    {"a_type_alone_is_one", "gpu:tesla", 1},
    {"a_type_that_begins_with_digits", "gpu:4090d:2", 2},
    {"sockets_behind_it", "gpu:a100:4(S:0-1)", 4},
    {"commas_of_sockets_part_nothing", "gpu:a100:4(S:0,2,4),gpu:h100:4(S:1)", 8},
    {"others_are_no_gpus", "mps:400,gpu:2,nic:mlx5:8,gpus:9", 2},
    {"garbage_is_little", "gpu:::,(((gpu:99", 1},
    {"a_number_past_all_bounds_is_none", "gpu:99999999999999999999", 1},
};

static void has_as_many(void **state)
{
    const struct row *row = *state;
    assert_int_equal(ce_gres_gpus(row->gres), row->gpus);
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    UNIT_TABLE(rows, has_as_many);
    return UNIT_RUN("gres");
}

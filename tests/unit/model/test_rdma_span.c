/* SPDX-License-Identifier: Apache-2.0 */
#include "model/rdma_span.h"

#include "../unit.h"

enum { MESSAGE = 65536, LOOKS = 4 };

/* Writes begin at 1 ms; looks are at those moments (us), and find that many more that have ended. */
static const struct row {
    const char *name;
    struct {
        uint64_t at_us, count;
    } looks[LOOKS];
    bool known;
    uint64_t mbps;
} rows[] = {
    {"none_has_ended", {{0, 0}}, false, 0},
    {"one_by_one", {{1100, 1}, {1200, 1}, {1300, 1}}, true, 5243},
    {"what_is_there_at_the_first_look_is_not_counted", {{1100, 8}, {1200, 1}, {1300, 1}}, true, 5243},
    {"all_at_once_is_a_lower_bound", {{51000, 8}}, false, 84},
    {"a_look_that_finds_nothing_is_none", {{1100, 1}, {1150, 0}, {1200, 1}, {9000, 0}}, true, 5243},
    {"a_pause_counts", {{1100, 1}, {1200, 1}, {3100, 1}}, true, 524},
    {"twice_at_one_moment_is_one_look", {{1100, 1}, {1100, 3}}, false, 20972},
    {"very_slow_is_not_nothing", {{1000000, 1}, {901000000, 1}}, true, 1},
    {"as_soon_as_it_begins", {{1000, 1}}, false, 524288000},
};

static void measures(void **state)
{
    const struct row *row = *state;
    struct ce_rdma_span span = {.begin = 1000000};
    for (int i = 0; i < LOOKS; i++)
        ce_rdma_span_add(&span, row->looks[i].at_us * 1000, row->looks[i].count);
    assert_int_equal(ce_rdma_span_is_known(&span), row->known);
    assert_int_equal(ce_rdma_span_mbps(&span, MESSAGE), row->mbps);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){
            .name = rows[i].name, .test_func = measures, .initial_state = (void *)&rows[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

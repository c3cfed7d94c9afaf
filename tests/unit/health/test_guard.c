/* SPDX-License-Identifier: Apache-2.0 */
/* Who may be drained: clusters in a few words each. */
#include "health/guard.h"

#include <stdlib.h>

#include "../unit.h"

enum { NOW = 1000000, HOUR = 3600, NODES = 64 };
#define PORT "DOWN; check cable [cluster-env ib.port.state]"
#define RATE "slow; look [cluster-env ib.port.rate]"
#define WHOLE ((const int32_t[]){0, 19, -1})

/* Twenty nodes n00 to n19, of which those named here are drained; a percent of 10 lets 2 of them go. */
static const struct row {
    const char *name;
    struct ce_guard_node drained[8];
    const char *self, *reason;
    int64_t since; /* of self; 0: to be drained */
    unsigned percent;
    const int32_t *partitions[3];
    bool admitted;
} rows[] = {
    {"the_first_has_room", {{0}}, "n05", PORT, 0, 10, {WHOLE}, true},
    {"the_second_of_two", {{"n00", PORT, true, NOW}}, "n05", PORT, 0, 10, {WHOLE}, true},
    {"the_third_of_two_is_held_back", {{"n00", PORT, true, NOW}, {"n09", PORT, true, NOW}}, "n05",
     PORT, 0, 10, {WHOLE}, false},
    {"less_than_one_node_is_one", {{0}}, "n05", PORT, 0, 1, {WHOLE}, true},
    {"and_not_two", {{"n00", PORT, true, NOW}}, "n05", PORT, 0, 1, {WHOLE}, false},
    {"a_share_is_rounded_down", {{"n00", PORT, true, NOW}}, "n05", PORT, 0, 9, {WHOLE}, false},
    {"all_may_go_with_100",
     {{"n00", PORT, true, NOW}, {"n01", PORT, true, NOW}, {"n02", PORT, true, NOW}}, "n05", PORT, 0,
     100, {WHOLE}, true},
    {"other_checks_do_not_count", {{"n00", RATE, true, NOW}, {"n09", RATE, true, NOW}}, "n05", PORT,
     0, 10, {WHOLE}, true},
    {"a_check_whose_name_begins_alike_is_another",
     {{"n00", "x [cluster-env ib.port.state.more]", true, NOW},
      {"n09", "x [cluster-env more.ib.port.state]", true, NOW}},
     "n05", PORT, 0, 10, {WHOLE}, true},
    {"an_admins_drains_do_not_count",
     {{"n00", "disk (jane)", true, NOW}, {"n09", "Prolog error", true, NOW}}, "n05", PORT, 0, 10,
     {WHOLE}, true},
    {"a_reason_that_is_left_on_a_node_in_service_does_not_count",
     {{"n00", PORT, false, NOW}, {"n09", PORT, true, NOW}}, "n05", PORT, 0, 10, {WHOLE}, true},
    {"drains_before_the_hours_do_not_count",
     {{"n00", PORT, true, NOW - 24 * HOUR}, {"n09", PORT, true, NOW}}, "n05", PORT, 0, 10, {WHOLE},
     true},
    {"those_just_within_do", {{"n00", PORT, true, NOW - 24 * HOUR + 1}, {"n09", PORT, true, NOW}},
     "n05", PORT, 0, 10, {WHOLE}, false},
    {"a_drain_of_the_future_counts", {{"n00", PORT, true, NOW + 60}, {"n09", PORT, true, NOW}},
     "n05", PORT, 0, 10, {WHOLE}, false},
    {"words_behind_the_tag_are_passed_over",
     {{"n00", PORT " and more", true, NOW}, {"n09", RATE " + " PORT, true, NOW}}, "n05",
     PORT " and else", 0, 10, {WHOLE}, false},
    {"of_several_checks_one_with_room_is_enough",
     {{"n00", PORT, true, NOW}, {"n09", PORT, true, NOW}}, "n05", PORT " + " RATE, 0, 10, {WHOLE},
     true},
    {"none_of_several_has_room",
     {{"n00", PORT " + " RATE, true, NOW}, {"n09", RATE " + " PORT, true, NOW}}, "n05",
     PORT " + " RATE, 0, 10, {WHOLE}, false},
    {"a_reason_that_was_cut_is_of_the_check_of_all",
     {{"n00", RATE, true, NOW}, {"n09", PORT, true, NOW}}, "n05", "8 ports: mlx5_0/1, ml...", 0, 10,
     {WHOLE}, false},
    {"also_one_cut_within_the_tag", {{"n00", RATE, true, NOW}, {"n09", PORT, true, NOW}}, "n05",
     "DOWN; check cable [cluster-env ib.po...", 0, 10, {WHOLE}, false},
    {"and_has_room_where_there_is", {{"n00", "disk (jane)", true, NOW}}, "n05", "8 ports...", 0, 1,
     {WHOLE}, true},
    {"the_strictest_partition_rules", {{"n04", PORT, true, NOW}}, "n05", PORT, 0, 10,
     {WHOLE, (const int32_t[]){4, 7, -1}}, false},
    {"partitions_without_those_nodes_do_not_mind", {{"n00", PORT, true, NOW}}, "n05", PORT, 0, 10,
     {WHOLE, (const int32_t[]){4, 7, -1}}, true},
    {"a_partition_of_several_ranges", {{"n00", PORT, true, NOW}}, "n05", PORT, 0, 10,
     {(const int32_t[]){0, 0, 5, 6, -1}}, false},
    {"a_node_of_no_partition", {{"n00", PORT, true, NOW}, {"n01", PORT, true, NOW}}, "n05", PORT, 0,
     10, {NULL}, true},
    {"a_range_past_the_nodes", {{0}}, "n05", PORT, 0, 10, {(const int32_t[]){0, 4000, -1}}, true},
    /* afterwards: by (time, name) */
    {"who_was_first_stays", {{"n00", PORT, true, NOW}, {"n09", PORT, true, NOW}}, "n05", PORT,
     NOW - 1, 10, {WHOLE}, true},
    {"who_was_third_goes", {{"n00", PORT, true, NOW - 1}, {"n09", PORT, true, NOW - 1}}, "n05", PORT,
     NOW, 10, {WHOLE}, false},
    {"in_the_same_second_the_name_decides",
     {{"n00", PORT, true, NOW}, {"n09", PORT, true, NOW}, {"n10", PORT, true, NOW}}, "n05", PORT,
     NOW, 10, {WHOLE}, true},
    {"and_against_the_last", {{"n00", PORT, true, NOW}, {"n04", PORT, true, NOW}}, "n05", PORT, NOW,
     10, {WHOLE}, false},
};

static size_t place_of(const char *name)
{
    return (size_t)atoi(name + 1);
}

static void guard(void **state)
{
    static char names[20][8];
    struct ce_guard_node nodes[20];
    const struct row *row = *state;
    size_t self = place_of(row->self), partitions = 0;
    for (int i = 0; i < 20; i++) {
        snprintf(names[i], sizeof names[i], "n%02d", i);
        nodes[i] = (struct ce_guard_node){names[i], "", false, 0};
    }
    for (size_t i = 0; i < 8 && row->drained[i].name; i++)
        nodes[place_of(row->drained[i].name)] = row->drained[i];
    while (partitions < 3 && row->partitions[partitions])
        partitions++;
    nodes[self] = (struct ce_guard_node){row->self, row->reason, true,
                                         row->since ? row->since : CE_GUARD_TO_COME};
    const struct ce_guard_scene scene = {nodes, 20, row->partitions, partitions, NOW};
    assert_int_equal(ce_guard_admits(&scene, self, &(struct ce_guard_limit){row->percent, 24}),
                     row->admitted);
}

static void places_without_a_node_are_no_part_of_the_share(void **state)
{
    struct ce_guard_node nodes[20] = {{NULL, NULL, false, 0}};
    const int32_t *const partitions[] = {WHOLE};
    const struct ce_guard_scene scene = {nodes, 20, partitions, 1, NOW};
    (void)state;
    for (int i = 0; i < 10; i++)
        nodes[i] = (struct ce_guard_node){"n", "", false, 0};
    nodes[3] = (struct ce_guard_node){"n3", PORT, true, NOW};
    nodes[4] = (struct ce_guard_node){"n4", PORT, true, CE_GUARD_TO_COME};
    assert_false(ce_guard_admits(&scene, 4, &(struct ce_guard_limit){19, 24}));
    assert_true(ce_guard_admits(&scene, 4, &(struct ce_guard_limit){20, 24}));
}

/* Whatever second each got, once all are told, as many stay as may: neither more nor fewer. */
static void of_many_at_once_just_the_room_stays(void **state)
{
    static char names[NODES][8];
    struct ce_guard_node nodes[NODES];
    const int32_t *const partitions[] = {(const int32_t[]){0, NODES - 1, -1}};
    const struct ce_guard_scene scene = {nodes, NODES, partitions, 1, NOW};
    (void)state;
    for (int seconds = 1; seconds <= 4; seconds++) {
        unsigned stay = 0;
        for (int i = 0; i < NODES; i++) {
            snprintf(names[i], sizeof names[i], "n%d", i);
            nodes[i] = (struct ce_guard_node){names[i], PORT, true, NOW - i * 7 % seconds};
        }
        for (size_t i = 0; i < NODES; i++)
            stay += ce_guard_admits(&scene, i, &(struct ce_guard_limit){10, 24});
        assert_int_equal(stay, 6);
    }
}

int main(void)
{
    UNIT_TABLE(rows, guard);
    UNIT_RULE(places_without_a_node_are_no_part_of_the_share);
    UNIT_RULE(of_many_at_once_just_the_room_stays);
    return UNIT_RUN("health/guard");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "checks/gang_judge.h"

#include <stdio.h>

#include "../unit.h"
#include "base/parse.h"
#include "base/text.h"

enum { NODES = 8, LONG_AGO = 5000 };

/* Each node as two letters, toward the one before and the one after: g(ood), x (failed), '.' (untried);
 * "--" never came, "oo" is out, capitals came a moment ago,
 * 't' on the left: nobody can come, its ports are taken.  Expected: w(ell), s(ick), p(air), u(nsure),
 * S(ilent), o(ut). */
static const struct row {
    const char *name, *seen, *stands;
    bool held_up;
} rows[] = {
    {"all_is_well", "gg gg gg gg", "wwww", false},
    {"two_nodes", "gg gg", "ww", false},
    {"one_sick", "gx xx xg gg", "wsww", false},
    {"one_sick_of_three", "gx xx xg", "wsw", false},
    {"who_is_not_dialed_knows_nothing", "gx .x .g gg", "wsww", false},
    {"the_first_is_sick", "xx .g gg gx", "swww", false},
    {"the_last_is_sick", ".g gg gx xx", "wwws", false},
    {"a_pair", "gg gx xg gg", "wppw", false},
    {"a_pair_around_the_corner", "xg gg gg gx", "pwwp", false},
    {"a_pair_of_two_is_unsure", "xx xx", "pp", false},
    {"two_pairs", "gx xg gx xg gg gg", "ppppww", false},
    {"two_sick_apart", "gx xx xg gx xx xg", "wswwsw", false},
    {"a_row_that_fails", "gx xx xx xg gg gg", "uuuuww", false},
    {"two_sick_with_one_between", "gx xx xx xx xg gg", "uuuuuw", false},
    {"all_fail", "xx xx xx xx", "uuuu", false},
    {"one_silent", "gx -- .g gg", "wSww", true},
    {"one_silent_of_three", "gx -- .g", "wSw", true},
    {"one_silent_of_two", ".x --", "wS", false},
    {"half_are_silent", ".x -- .x --", "wSwS", false},
    {"most_are_silent", ".x -- -- --", "wSSS", false},
    {"two_of_five_are_silent", "gx -- -- .g gg", "wSSww", true},
    {"not_heard_but_there", ".x -- gg gg", "ppww", false},
    {"beside_a_silent_one_a_failure", "gx xx -- .g gg", "puSww", true},
    {"out", "gx oo .g gg", "woww", false},
    {"one_that_tried_nothing", "gx .. .g gg", "puuw", false},
    {"failed_but_one_has_just_come", "gx XX xg gg", "uuuw", false},
    {"ports_that_are_taken_are_no_fault", "gx tx tg gg", "uuuw", false},
    {"one_that_fails_beside_ports_that_are_taken", "gx xx tg gg", "puuw", false},
    {"one_way_only_is_no_way", "gg xg gg gg", "ppww", false},
};

static enum ce_gang_reach reach_of(char letter)
{
    return letter == 'g' || letter == 'G'   ? CE_GANG_GOOD
           : letter == 'x' || letter == 'X' ? CE_GANG_FAILED
                                            : CE_GANG_UNTRIED;
}

static uint32_t read_seen(const char *text, struct ce_gang_seen *seen)
{
    uint32_t count = 0;
    for (; *text; text += text[2] ? 3 : 2, count++) {
        seen[count] = (struct ce_gang_seen){.came = text[0] != '-', .heard = text[0] != '-', .age_ms = LONG_AGO};
        seen[count].view.out = text[0] == 'o';
        for (unsigned side = 0; side < 2; side++)
            seen[count].view.links[side].reach = reach_of(text[side]);
        if (text[0] == 't')
            snprintf(seen[count].view.links[CE_GANG_PREV].why, CE_GANG_WHY, "this node cannot listen");
        if (text[0] == 'X')
            seen[count].age_ms = 10;
    }
    return count;
}

static void judges(void **state)
{
    const struct row *row = *state;
    static const char letters[] = {'w', 's', 'p', 'u', 'S', 'o'};
    const struct ce_gang_limits limits = {.below_percent = 50};
    struct ce_gang_seen seen[NODES];
    struct ce_gang_verdict verdicts[NODES];
    char stands[NODES + 1] = "";
    uint32_t count = read_seen(row->seen, seen);
    ce_gang_judge(seen, count, &limits, verdicts);
    for (uint32_t i = 0; i < count; i++)
        stands[i] = letters[verdicts[i].stand];
    assert_string_equal(stands, row->stands);
    assert_int_equal(ce_gang_is_held_up(&verdicts[0], count), row->held_up);
}

static void a_sick_node_hears_of_whom(void **state)
{
    const struct ce_gang_limits limits = {.below_percent = 0};
    struct ce_gang_seen seen[NODES];
    struct ce_gang_verdict verdicts[NODES];
    (void)state;
    uint32_t count = read_seen("gg gx xx xg gg", seen);
    ce_gang_judge(seen, count, &limits, verdicts);
    assert_int_equal(verdicts[2].stand, CE_GANG_SICK);
    assert_int_equal(verdicts[2].other_count, 2);
    assert_int_equal(verdicts[2].others[0], 1);
    assert_int_equal(verdicts[2].others[1], 3);
    assert_int_equal(verdicts[1].other_count, 0);
}

static void the_silent_are_told_to_all(void **state)
{
    const struct ce_gang_limits limits = {.below_percent = 0};
    struct ce_gang_seen seen[NODES];
    struct ce_gang_verdict verdicts[NODES];
    (void)state;
    uint32_t count = read_seen("gx -- .. gg oo gg gg gg", seen);
    ce_gang_judge(seen, count, &limits, verdicts);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(verdicts[i].silent_count, 1);
        assert_int_equal(verdicts[i].silent[0], 1);
        assert_int_equal(verdicts[i].out_count, 1);
    }
}

/* ---------------------------------------------------------------- bandwidth */

/* What comes in at each node from the one before and the one after; or, `sent`, what it sends to them. */
static const struct flow_row {
    const char *name;
    bool sent;
    uint32_t floor, below, nodes;
    uint32_t mbps[5][2];
    const char *says;
} flow_rows[] = {
    {"alike", false, 0, 50, 4, {{90, 91}, {92, 90}, {93, 90}, {90, 90}}, ""},
    {"one_sends_little", false, 0, 50, 4, {{90, 10}, {90, 90}, {10, 90}, {90, 90}},
     "1 sends 10 below 45\n"},
    {"one_takes_little", false, 0, 50, 4, {{90, 90}, {10, 12}, {90, 90}, {90, 90}},
     "1 takes 10 below 45\n"},
    {"both_ways", false, 0, 50, 4, {{90, 10}, {11, 12}, {10, 90}, {90, 90}},
     "1 sends 10 below 45\n1 takes 11 below 45\n"},
    {"as_the_sender_saw_it", true, 0, 50, 4, {{90, 90}, {10, 12}, {90, 90}, {90, 90}},
     "1 sends 10 below 45\n"},
    {"one_sends_little_and_one_beyond_could_not_measure", false, 0, 50, 5,
     {{90, 10}, {90, 90}, {10, 0}, {0, 0}, {0, 90}}, "1 sends 10 below 45\n"},
    {"one_takes_little_and_one_beyond_could_not_measure", false, 0, 50, 5,
     {{90, 90}, {10, 12}, {90, 0}, {0, 0}, {0, 90}}, "1 takes 10 below 45\n"},
    {"one_sends_little_and_a_neighbour_takes_little_beyond", false, 0, 50, 5,
     {{90, 10}, {90, 90}, {10, 12}, {90, 90}, {90, 90}},
     "0 between 10 below 45 with 1\n1 between 10 below 45 with 0\n1 between 10 below 45 with 2\n"
     "2 between 10 below 45 with 1\n2 between 12 below 45 with 3\n3 between 12 below 45 with 2\n"},
    {"between_two", false, 0, 50, 4, {{90, 90}, {90, 10}, {12, 90}, {90, 90}},
     "1 between 10 below 45 with 2\n2 between 10 below 45 with 1\n"},
    {"one_way_between_two", false, 0, 50, 4, {{90, 90}, {90, 90}, {12, 90}, {90, 90}},
     "1 between 12 below 45 with 2\n2 between 12 below 45 with 1\n"},
    {"of_two_nodes", false, 50, 0, 2, {{40, 90}, {90, 90}},
     "0 between 40 floor 50 with 1\n1 between 40 floor 50 with 0\n"},
    {"a_floor", false, 95, 50, 3, {{90, 99}, {98, 90}, {98, 98}},
     "2 sends 90 floor 95\n"},
    {"no_limit", false, 0, 0, 4, {{90, 5}, {90, 90}, {5, 90}, {90, 90}}, ""},
    {"nothing_comes_through", true, 0, 0, 4, {{90, 90}, {1, 1}, {90, 90}, {90, 90}},
     "1 sends 1 below 0\n"},
    {"the_rail_of_all_is_slow", true, 50, 0, 3, {{10, 10}, {10, 10}, {10, 10}},
     "0 between 10 floor 50 with 2\n0 between 10 floor 50 with 1\n1 between 10 floor 50 with 0\n"
     "1 between 10 floor 50 with 2\n2 between 10 floor 50 with 1\n2 between 10 floor 50 with 0\n"},
    {"one_way_of_all_but_one_path_is_dead", true, 0, 50, 3, {{90, 1}, {1, 1}, {1, 1}},
     "0 between 1 below 45 with 2\n0 between 1 below 45 with 1\n1 between 1 below 45 with 0\n"
     "1 between 1 below 45 with 2\n2 between 1 below 45 with 1\n2 between 1 below 45 with 0\n"},
    {"a_row_of_two", true, 0, 50, 5, {{90, 1}, {1, 1}, {1, 1}, {1, 90}, {90, 90}},
     "0 between 1 below 45 with 1\n1 between 1 below 45 with 0\n1 between 1 below 45 with 2\n"
     "2 between 1 below 45 with 1\n2 between 1 below 45 with 3\n3 between 1 below 45 with 2\n"},
    {"the_port_of_one_is_dead", true, 0, 50, 3, {{90, 1}, {1, 1}, {1, 90}},
     "1 sends 1 below 45\n1 takes 1 below 45\n"},
    {"all_is_dead", true, 0, 50, 2, {{1, 1}, {1, 1}}, "0 between 1 below 0 with 1\n1 between 1 below 0 with 0\n"},
    {"of_the_neighbours_nothing_is_known", true, 0, 50, 3, {{0, 90}, {10, 10}, {90, 0}},
     "0 between 10 below 45 with 1\n1 between 10 below 45 with 0\n1 between 10 below 45 with 2\n"
     "2 between 10 below 45 with 1\n"},
    {"not_measured", false, 50, 50, 4, {{0, 0}, {0, 0}, {0, 0}, {0, 0}}, ""},
};

static void judges_bandwidth(void **state)
{
    static const char *const ways[] = {"sends", "takes", "between"};
    const struct flow_row *row = *state;
    const struct ce_gang_limits limits = {row->floor, row->below};
    struct ce_gang_seen seen[NODES];
    struct ce_gang_verdict verdicts[NODES];
    ce_autotext struct ce_text says = CE_TEXT(4096);
    for (uint32_t i = 0; i < row->nodes; i++) {
        seen[i] = (struct ce_gang_seen){.came = true, .heard = true, .age_ms = LONG_AGO};
        seen[i].view.sent = row->sent;
        for (unsigned side = 0; side < 2; side++) {
            seen[i].view.links[side].reach = CE_GANG_GOOD;
            seen[i].view.links[side].mbps[0] = row->mbps[i][side];
        }
    }
    ce_gang_judge(seen, row->nodes, &limits, verdicts);
    for (uint32_t i = 0; i < row->nodes; i++)
        for (uint32_t k = 0; k < verdicts[i].slow_count; k++) {
            const struct ce_gang_slow *slow = &verdicts[i].slow[k];
            ce_text_addf(&says, "%u %s %u %s %u", i, ways[slow->way], slow->mbps,
                         slow->floor ? "floor" : "below", slow->limit_mbps);
            if (slow->way == CE_GANG_BETWEEN)
                ce_text_addf(&says, " with %u", slow->other);
            ce_text_add(&says, "\n");
        }
    assert_string_equal(ce_text_string(&says), row->says);
}

/* ---------------------------------------------------------------- alike */

static const struct alike_row {
    const char *name;
    struct ce_gang_facts facts[4];
    uint32_t nodes;
    enum ce_gang_differs differs[4];
    const char *most; /* of the first that differs */
} alike_rows[] = {
    {"the_same", {{.rail_count = 8, .rails = "a"}, {.rail_count = 8, .rails = "a"}}, 2,
     {CE_GANG_SAME, CE_GANG_SAME}, ""},
    {"one_has_less", {{.rail_count = 8}, {.rail_count = 7}, {.rail_count = 8}}, 3,
     {CE_GANG_SAME, CE_GANG_COUNT, CE_GANG_SAME}, "8"},
    {"other_names", {{.rails = "b"}, {.rails = "a"}, {.rails = "a"}}, 3,
     {CE_GANG_NAMES, CE_GANG_SAME, CE_GANG_SAME}, "a"},
    {"other_firmware", {{.firmware = "2"}, {.firmware = "2"}, {.firmware = "2"}, {.firmware = "1"}}, 4,
     {CE_GANG_SAME, CE_GANG_SAME, CE_GANG_SAME, CE_GANG_FIRMWARE}, "2"},
    {"no_kind_is_most", {{.rail_count = 8}, {.rail_count = 7}}, 2, {CE_GANG_MIXED, CE_GANG_MIXED}, ""},
    {"half_is_not_most", {{.rail_count = 8}, {.rail_count = 7}, {.rail_count = 8}, {.rail_count = 6}}, 4,
     {CE_GANG_MIXED, CE_GANG_MIXED, CE_GANG_MIXED, CE_GANG_MIXED}, ""},
};

static void judges_alike(void **state)
{
    const struct alike_row *row = *state;
    const struct ce_gang_limits limits = {0, 0};
    struct ce_gang_seen seen[NODES];
    struct ce_gang_verdict verdicts[NODES];
    const char *most = "";
    for (uint32_t i = 0; i < row->nodes; i++)
        seen[i] = (struct ce_gang_seen){
            .came = true, .heard = true, .age_ms = LONG_AGO, .view.facts = row->facts[i]};
    ce_gang_judge(seen, row->nodes, &limits, verdicts);
    for (uint32_t i = 0; i < row->nodes; i++) {
        assert_int_equal(verdicts[i].differs, row->differs[i]);
        most = verdicts[i].most[0] ? verdicts[i].most : most;
    }
    assert_string_equal(most, row->most);
}

/* It came, and its view did not come in time: it has no rails that could differ. */
static void who_was_not_heard_does_not_differ(void **state)
{
    const struct ce_gang_limits limits = {0, 0};
    const struct ce_gang_facts facts = {.rail_count = 2, .rails = "mlx5_0,mlx5_1", .firmware = "MT4129=1"};
    struct ce_gang_seen seen[3];
    struct ce_gang_verdict verdicts[3];
    (void)state;
    for (uint32_t i = 0; i < 3; i++)
        seen[i] = (struct ce_gang_seen){.came = true, .heard = i < 1, .age_ms = LONG_AGO};
    seen[0].view.facts = facts;
    ce_gang_judge(seen, 3, &limits, verdicts);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(verdicts[i].differs, CE_GANG_SAME);
}

enum {
    ROWS = sizeof rows / sizeof *rows,
    FLOWS = sizeof flow_rows / sizeof *flow_rows,
    ALIKE = sizeof alike_rows / sizeof *alike_rows,
};

int main(void)
{
    struct CMUnitTest tests[ROWS + FLOWS + ALIKE + 3];
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++)
        tests[count++] =
            (struct CMUnitTest){.name = rows[i].name, .test_func = judges, .initial_state = (void *)&rows[i]};
    for (size_t i = 0; i < FLOWS; i++)
        tests[count++] = (struct CMUnitTest){.name = flow_rows[i].name,
                                             .test_func = judges_bandwidth,
                                             .initial_state = (void *)&flow_rows[i]};
    for (size_t i = 0; i < ALIKE; i++)
        tests[count++] = (struct CMUnitTest){.name = alike_rows[i].name,
                                             .test_func = judges_alike,
                                             .initial_state = (void *)&alike_rows[i]};
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(a_sick_node_hears_of_whom);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(the_silent_are_told_to_all);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(who_was_not_heard_does_not_differ);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "../unit.h"
#include "judged.h"
#include "model/gang.h"

#define JUDGED(...) {.own.facts = {.whole = true, .rail_count = 2, .rails = "mlx5_1,mlx5_2", .firmware = "MT4129=1"}, __VA_ARGS__}

static const struct row {
    const char *name, *check;
    struct ce_gang gang;
    const char *says;
} rows[] = {
    {"well", "gang.reach", JUDGED(.end = CE_GANG_JUDGED), "pass reaches the nodes of the job that came\n"},
    {"sick", "gang.reach", JUDGED(.verdict = {.stand = CE_GANG_SICK, .others = {0, 2}, .other_count = 2}),
     "fail cluster network fails toward a and c, who reach others\n"},
    {"isolated", "gang.reach", JUDGED(.end = CE_GANG_ISOLATED, .why = "eth1 is down"),
     "fail cluster network reaches no node of the job: eth1 is down\n"},
    {"a_pair", "gang.reach",
     JUDGED(.own.links = {{.reach = CE_GANG_GOOD}, {.why = "no answer"}},
            .verdict = {.stand = CE_GANG_PAIR, .others = {2}, .other_count = 1}),
     "unknown c fails with this node alone: the path, or either end: no answer\n"},
    {"unsure", "gang.reach", JUDGED(.verdict = {.stand = CE_GANG_UNSURE, .others = {0, 2}, .other_count = 2}),
     "unknown cluster network fails toward a and c, whose fault it is cannot be told\n"},
    {"others_are_silent", "gang.reach", JUDGED(.verdict = {.silent = {2}, .silent_count = 1}),
     "pass reaches the nodes of the job that came\nunknown c never came to the preflight\n"},
    {"more_are_silent_than_are_named", "gang.reach",
     JUDGED(.verdict = {.silent = {0, 1, 2, 7}, .silent_count = CE_GANG_NAMED + 3}),
     "pass reaches the nodes of the job that came\nunknown a never came to the preflight\n"
     "unknown b never came to the preflight\nunknown c never came to the preflight\n"
     "unknown ? never came to the preflight\nunknown 3 more nodes never came to the preflight\n"},
    {"it_is_silent_itself", "gang.reach", JUDGED(.verdict = {.stand = CE_GANG_SILENT}), "unknown it was not heard\n"},
    {"it_is_out_itself", "gang.reach", JUDGED(.verdict = {.stand = CE_GANG_OUT}), "unknown it was not heard\n"},
    {"no_verdict", "gang.reach", JUDGED(.end = CE_GANG_UNKNOWN, .why = "no verdict came in time"),
     "unknown no verdict came in time\n"},
    {"alike", "gang.agree", JUDGED(.end = CE_GANG_JUDGED), "pass 2 rails, as the others\n"},
    {"less_rails", "gang.agree", JUDGED(.verdict = {.differs = CE_GANG_COUNT, .most = "8"}),
     "warn 2 rails, most nodes of the job have 8\n"},
    {"other_names", "gang.agree", JUDGED(.verdict = {.differs = CE_GANG_NAMES, .most = "ibp1,ibp2"}),
     "warn rails mlx5_1,mlx5_2, most nodes of the job have ibp1,ibp2\n"},
    {"other_firmware", "gang.agree", JUDGED(.verdict = {.differs = CE_GANG_FIRMWARE, .most = "MT4129=2"}),
     "warn firmware MT4129=1, most nodes of the job have MT4129=2\n"},
    {"all_differ", "gang.agree", JUDGED(.verdict = {.differs = CE_GANG_MIXED}),
     "warn the nodes of the job differ in rails or firmware, and no kind is most\n"},
    {"nobody_to_agree_with", "gang.agree", JUDGED(.end = CE_GANG_ISOLATED), "unknown no other node was heard\n"},
    {"carries", "gang.rail.bandwidth", JUDGED(.own.links = {{.mbps = {9432}}, {.mbps = {9876}}}),
     "pass cluster network 9.43 Gb/s with the neighbours\n"},
    {"slow", "gang.rail.bandwidth",
     JUDGED(.verdict = {.median_mbps = 391900,
                        .slow = {{.rail = 0, .mbps = 18, .limit_mbps = 195000, .way = CE_GANG_SENDS}},
                        .slow_count = 1}),
     "warn cluster network 18 Mb/s to both neighbours, the median of the job's nodes is 391.9 Gb/s\n"},
    {"below_the_floor", "gang.rail.bandwidth",
     JUDGED(.own.facts.measured = 2,
            .verdict = {.slow = {{.rail = 1, .mbps = 89999, .limit_mbps = 90000, .way = CE_GANG_TAKES, .floor = true}},
                        .slow_count = 1}),
     "fail mlx5_2 89.9 Gb/s from both neighbours, expected at least 90 Gb/s\n"},
    {"a_slow_path_is_nobodys_fault", "gang.rail.bandwidth",
     JUDGED(.verdict = {.slow = {{.mbps = 500, .limit_mbps = 1000, .other = 2, .way = CE_GANG_BETWEEN, .floor = true}},
                        .slow_count = 1}),
     "warn cluster network 0.5 Gb/s with c (the path, or either end), expected at least 1 Gb/s\n"},
    {"dead", "gang.rail.bandwidth",
     JUDGED(.own.facts.measured = 2, .verdict = {.slow = {{.rail = 1, .mbps = 1, .way = CE_GANG_SENDS}}, .slow_count = 1}),
     "fail mlx5_2 nothing comes through to both neighbours\n"},
    {"not_measured", "gang.rail.bandwidth", JUDGED(.end = CE_GANG_JUDGED), "unknown nothing was measured\n"},
    {"shared", "gang.rail.bandwidth", {.own.facts.rail_count = 2}, "skip other jobs may be on the node\n"},
};

static void says(void **state)
{
    const struct row *row = *state;
    struct ce_error err;
    ce_auto(ce_hostlist_destroy) struct ce_hostlist *nodes = ce_hostlist_parse("a,b,c", &err);
    const struct ce_check_view view = {.gang = &row->gang, .gang_nodes = nodes};
    assert_non_null(nodes);
    judged_are(judged_check(ce_gang_checks, ce_gang_check_count, row->check), &view, row->says);
}

static void without_one_each_says_why(void **state)
{
    const struct ce_check_view none = {.gang = NULL},
                               unknown = {.gang_unknown = "there is no address book"};
    (void)state;
    for (size_t i = 0; i < ce_gang_check_count; i++) {
        judged_are(&ce_gang_checks[i], &none, "skip the nodes of a job tell it each other before it starts\n");
        judged_are(&ce_gang_checks[i], &unknown, "unknown there is no address book\n");
    }
}

enum { ROWS = sizeof rows / sizeof *rows };

int main(void)
{
    struct CMUnitTest tests[ROWS + 1];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] =
            (struct CMUnitTest){.name = rows[i].name, .test_func = says, .initial_state = (void *)&rows[i]};
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(without_one_each_says_why);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

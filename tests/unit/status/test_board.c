/* SPDX-License-Identifier: Apache-2.0 */
#include "status/board.h"

#include "lines.h"

#define OURS "mlx5_4/1 DOWN [cluster-env ib.port.state]"
#define DRAINS LINE("prolog", CHECKED ",\"reason\":\"" OURS "\",\"findings\":[" FINDING("ib.port.state", "fail", "drain") "]")
#define BROKEN LINE("prolog", ",\"checked\":false,\"error\":\"c.conf:1: no\"")
#define WELL LINE("prolog", CHECKED)

/* How well is a node of which this is known, and what is said of it? */
static const struct health_row {
    const char *name, *state, *reason, *line, *why;
    enum ce_health health;
    const char *word;
} health_rows[] = {
    {"idle_and_checked_is_ok", "idle", "", WELL, "", CE_NODE_OK, ""},
    {"without_slurm_checked_is_ok", "", "", WELL, "", CE_NODE_OK, ""},
    {"allocated_and_checked_is_ok", "allocated", "", WELL, "not asked: allocated", CE_NODE_OK, ""},
    {"a_reason_on_a_node_in_service_is_not_told", "idle", "once", WELL, "", CE_NODE_OK, ""},
    {"idle_alone_is_unseen", "idle", "", NULL, "", CE_NODE_UNSEEN, ""},
    {"down_is_down_whatever_it_said_before", "down", "power", WELL, "", CE_NODE_DOWN, "power"},
    {"not_responding_is_down", "not_responding", "", WELL, "", CE_NODE_DOWN, ""},
    {"down_with_a_fault_is_down", "down", "power", DRAINS, "", CE_NODE_DOWN, "power"},
    {"what_drains_is_a_fault", "idle", "", DRAINS, "", CE_NODE_FAULT, OURS},
    {"drained_by_us_is_a_fault", "drained", OURS, NULL, "", CE_NODE_FAULT, OURS},
    {"drained_by_us_is_a_fault_until_it_is_resumed", "draining", OURS, WELL, "", CE_NODE_FAULT, OURS},
    {"drained_by_others_is_out", "drained", "switch", WELL, "", CE_NODE_OUT, "switch"},
    {"drained_by_others_with_a_fault_is_a_fault", "drained", "switch", DRAINS, "", CE_NODE_FAULT, "switch"},
    {"in_maintenance_is_out", "maintenance", "", WELL, "", CE_NODE_OUT, ""},
    {"switched_off_is_out", "powered_down", "", NULL, "", CE_NODE_OUT, ""},
    {"not_checked_is_unknown", "idle", "", BROKEN, "", CE_NODE_UNKNOWN, "c.conf:1: no"},
    {"a_probe_without_answer_is_unknown", "idle", "", FOUND("unknown", "warn"), "", CE_NODE_UNKNOWN,
     "mlx5_0/1 odd [a.b]"},
    {"ignored_it_is_ok", "idle", "", FOUND("unknown", "ignore"), "", CE_NODE_OK, ""},
    {"a_warning_is_one", "idle", "", FOUND("warn", "warn"), "", CE_NODE_WARN, "mlx5_0/1 odd [a.b]"},
    {"an_ignored_warning_is_none", "idle", "", FOUND("warn", "ignore"), "", CE_NODE_OK, ""},
    {"a_fault_that_only_warns_is_a_warning", "idle", "", FOUND("fail", "warn"), "", CE_NODE_WARN,
     "mlx5_0/1 odd [a.b]"},
    {"an_ignored_fault_is_none", "idle", "", FOUND("fail", "ignore"), "", CE_NODE_OK, ""},
    {"passes_are_well", "idle", "", FOUND("pass", "ignore"), "", CE_NODE_OK, ""},
    {"one_that_does_not_answer_is_silent", "idle", "", NULL, "no answer in 10 s", CE_NODE_SILENT,
     "no answer in 10 s"},
    {"silent_though_it_was_well_once", "mixed", "", WELL, "no answer in 10 s", CE_NODE_SILENT,
     "no answer in 10 s"},
    {"a_state_that_is_not_known_is_of_a_node_in_service", "frobnicated", "", WELL, "", CE_NODE_OK, ""},
};

static void is_so(void **state)
{
    const struct health_row *row = *state;
    const struct ce_roster_node told = {.name = "n1", .state = row->state, .reason = row->reason};
    ce_autoboard struct ce_board board = {.count = 0};
    struct ce_error word;
    ce_board_slurm(&board, &told);
    if (row->line)
        ce_board_line(&board, "n1", line_of(row->line));
    struct ce_board_node *node = ce_board_find(&board, "n1");
    snprintf(node->why, sizeof node->why, "%s", row->why);
    node->asked = strncmp(row->why, "no answer", 9) == 0;
    ce_board_settle(&board);
    assert_string_equal(ce_health_name(board.nodes[0]->health), ce_health_name(row->health));
    ce_board_word(board.nodes[0], &word);
    assert_string_equal(word.text, row->word);
}

static void add(struct ce_board *board, const char *name, const char *state)
{
    ce_board_slurm(board, &(struct ce_roster_node){.name = name, .state = state});
}

static void the_worst_come_first_then_by_name(void **state)
{
    static const char *const expected[] = {"n2", "n10", "z1", "a"};
    ce_autoboard struct ce_board board = {.count = 0};
    (void)state;
    add(&board, "a", "idle");
    add(&board, "n10", "down");
    add(&board, "z1", "drained");
    add(&board, "n2", "down");
    ce_board_settle(&board);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(board.nodes[i]->name, expected[i]);
}

static void many_nodes_are_found_again(void **state)
{
    enum { MANY = 3000 };
    char name[16];
    ce_autoboard struct ce_board board = {.count = 0};
    (void)state;
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "n%d", i * 7919 % MANY);
        assert_non_null(ce_board_node(&board, name));
    }
    assert_int_equal(board.count, MANY);
    assert_string_equal(ce_board_find(&board, "n2999")->name, "n2999");
    assert_null(ce_board_find(&board, "n3000"));
}

#define AT(time, rest) "{\"schema\":1,\"time\":\"" time "\",\"phase\":\"epilog\",\"checked\":true" rest "}"

static void of_lines_the_newest_counts(void **state)
{
    ce_autoboard struct ce_board board = {.count = 0};
    (void)state;
    ce_board_line(&board, "n1", line_of(AT("2026-11-21T15:00:00Z", ",\"job\":1")));
    ce_board_line(&board, "n1", line_of(AT("2026-11-21T14:00:00Z", ",\"job\":2")));
    assert_int_equal(ce_board_find(&board, "n1")->check->job, 1);
    ce_board_line(&board, "n1", line_of(AT("2026-11-21T15:00:00Z", ",\"job\":3")));
    assert_int_equal(ce_board_find(&board, "n1")->check->job, 3);
}

#define TEST(time, test, rest) "{\"schema\":1,\"time\":\"" time "\",\"phase\":\"bench\",\"test\":\"" test "\"" rest "}"

/* A test hides what the same one found before, and no other's. */
static void of_each_test_the_newest_counts(void **state)
{
    static const char *const lines[] = {
        TEST("2026-11-21T15:00:00Z", "gpu", ",\"took_ms\":1"), TEST("2026-11-21T12:00:00Z", "rdma", ",\"took_ms\":2"),
        TEST("2026-11-21T13:00:00Z", "rdma", ",\"took_ms\":3"), TEST("2026-11-21T14:00:00Z", "gpu", ",\"took_ms\":4"),
        TEST("2026-11-21T11:00:00Z", "nccl", ",\"took_ms\":5"), TEST("2026-11-21T10:00:00Z", "fabric", ",\"took_ms\":6"),
        LINE("bench", ",\"took_ms\":7"), LINE("prolog", ",\"test\":\"gpu\",\"took_ms\":8"),
    };
    static const unsigned expected[CE_LINE_TESTS] = {3, 1, 5, 7};
    ce_autoboard struct ce_board board = {.count = 0};
    (void)state;
    for (size_t i = 0; i < UNIT_COUNT(lines); i++)
        ce_board_line(&board, "n1", line_of(lines[i]));
    const struct ce_board_node *node = ce_board_find(&board, "n1");
    for (size_t i = 0; i < CE_LINE_TESTS; i++)
        assert_int_equal(node->bench[i]->took_ms, expected[i]);
    assert_int_equal(node->check->took_ms, 8);
}

static void tests_and_facts_are_no_checks(void **state)
{
    ce_autoboard struct ce_board board = {.count = 0};
    (void)state;
    ce_board_line(&board, "n1", line_of(LINE("bench", CHECKED)));
    ce_board_line(&board, "n1", line_of(LINE("facts", ",\"error\":\"denied\",\"rails\":{\"up\":7,\"expected\":8}")));
    const struct ce_board_node *node = ce_board_find(&board, "n1");
    ce_board_settle(&board);
    assert_null(node->check);
    assert_int_equal(node->health, CE_NODE_UNSEEN);
    assert_int_equal(ce_board_equipment(node).rails_up, 7);
}

static void gpus_that_no_node_tells_are_slurms(void **state)
{
    ce_autoboard struct ce_board board = {.count = 0};
    (void)state;
    ce_board_slurm(&board, &(struct ce_roster_node){.name = "n1", .state = "idle", .gpus = 8});
    struct ce_equipment equipment = ce_board_equipment(ce_board_find(&board, "n1"));
    assert_true(equipment.gpus_known);
    assert_int_equal(equipment.gpus, 8);
    ce_board_line(&board, "n1", line_of(LINE("prolog", CHECKED ",\"gpus\":{\"found\":7,\"expected\":8}")));
    equipment = ce_board_equipment(ce_board_find(&board, "n1"));
    assert_int_equal(equipment.gpus, 7);
}

static void the_worst_finding_is_told_and_how_many_more(void **state)
{
    ce_autoboard struct ce_board board = {.count = 0};
    struct ce_error word;
    (void)state;
    ce_board_line(&board, "n1",
                  line_of(LINE("prolog", CHECKED ",\"findings\":[" FINDING("a", "unknown", "warn") "," FINDING(
                                             "b", "fail", "warn") "," FINDING("c", "fail", "ignore") "]")));
    ce_board_settle(&board);
    ce_board_word(board.nodes[0], &word);
    assert_string_equal(word.text, "mlx5_0/1 odd [a], and 1 more");
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    UNIT_TABLE(health_rows, is_so);
    UNIT_RULE(the_worst_come_first_then_by_name);
    UNIT_RULE(many_nodes_are_found_again);
    UNIT_RULE(of_lines_the_newest_counts);
    UNIT_RULE(of_each_test_the_newest_counts);
    UNIT_RULE(tests_and_facts_are_no_checks);
    UNIT_RULE(gpus_that_no_node_tells_are_slurms);
    UNIT_RULE(the_worst_finding_is_told_and_how_many_more);
    return UNIT_RUN("board");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "status/rows.h"

#include "lines.h"

static const struct age_row {
    const char *name;
    time_t ago;
    const char *text;
} age_rows[] = {
    {"seconds", 45, "45 s"},       {"two_minutes", 120, "2 min"}, {"an_hour_is_minutes", 3600, "60 min"},
    {"hours", 5 * 3600, "5 h"},    {"a_day_is_hours", 86400, "24 h"}, {"days", 3 * 86400, "3 d"},
    {"what_is_to_come_is_now", -100, "0 s"},
};

static void is_as_old(void **state)
{
    const struct age_row *row = *state;
    char text[24];
    assert_string_equal(ce_age(1795273838 - row->ago, 1795273838, text), row->text);
}

static void no_time_is_a_dash(void **state)
{
    char text[24];
    (void)state;
    assert_string_equal(ce_age(0, 1795273838, text), "-");
}

/* n0 ... : every third drained, each for another reason; every fifth down. */
static void make_board(struct ce_board *board, int nodes)
{
    char name[16], reason[64];
    for (int i = 0; i < nodes; i++) {
        snprintf(name, sizeof name, "n%d", i);
        snprintf(reason, sizeof reason, "mlx5_%d/1 DOWN [cluster-env ib.port.state]", i);
        ce_board_slurm(board, &(struct ce_roster_node){
                                  .name = name,
                                  .state = i % 5 == 0   ? "down"
                                           : i % 3 == 0 ? "drained"
                                           : i % 2 == 0 ? "idle"
                                                        : "allocated",
                                  .reason = i % 3 == 0 ? reason : "",
                                  .gpus = 8});
    }
    ce_board_settle(board);
}

static size_t nodes_in(const struct ce_rows *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++)
        count += rows->rows[i].count;
    return count;
}

static void rows_of(int nodes, size_t limit, struct ce_rows *rows)
{
    ce_autoboard struct ce_board board = {.count = 0};
    struct ce_error err;
    make_board(&board, nodes);
    assert_int_equal(ce_rows_make(&board, limit, rows, &err), 0);
    assert_int_equal(nodes_in(rows), nodes);
}

static void without_a_limit_all_that_differ_are_rows(void **state)
{
    ce_autorows struct ce_rows rows;
    (void)state;
    rows_of(30, 0, &rows);
    /* down: 0, 15 with reasons and 5, 10, 20, 25 without; drained: 3 6 9 12 18 21 24 27; idle, allocated */
    assert_int_equal(rows.count, 2 + 1 + 8 + 2);
}

static const struct limit_row {
    const char *name;
    int nodes;
    size_t limit, rows;
    const char *state; /* of the first row */
} limit_rows[] = {
    {"states_of_nodes_in_service_go_first", 30, 12, 12, "down"},
    {"then_what_was_found_but_for_the_check", 3000, 40, 4, "down"},
    {"what_is_no_more_to_be_said_is_said_of_all", 3000, 1, 3, "*"},
};

static void fits(void **state)
{
    const struct limit_row *row = *state;
    ce_autorows struct ce_rows rows;
    rows_of(row->nodes, row->limit, &rows);
    assert_int_equal(rows.count, row->rows);
    assert_string_equal(rows.rows[0].state, row->state);
    assert_int_equal(rows.rows[0].health, CE_NODE_DOWN);
    assert_int_equal(rows.rows[rows.count - 1].health, CE_NODE_UNSEEN);
}

static void coarser_rows_keep_the_checks_name(void **state)
{
    ce_autorows struct ce_rows rows;
    (void)state;
    rows_of(3000, 40, &rows);
    assert_string_equal(rows.rows[2].word.text, "... [cluster-env ib.port.state]");
    assert_string_equal(rows.rows[2].state, "drained");
    assert_string_equal(rows.rows[3].state, "up");
}

static void the_odd_ones_come_before_the_many(void **state)
{
    ce_autorows struct ce_rows rows;
    (void)state;
    rows_of(30, 0, &rows);
    assert_string_equal(ce_text_string(&rows.rows[0].names), "n0");
    assert_string_equal(ce_text_string(&rows.rows[1].names), "n15");
    assert_string_equal(ce_text_string(&rows.rows[2].names), "n[5,10,20,25]");
}

static void a_row_knows_its_oldest_check_and_whether_one_lacks(void **state)
{
    ce_autoboard struct ce_board board = {.count = 0};
    ce_autorows struct ce_rows rows;
    struct ce_error err;
    (void)state;
    ce_board_line(&board, "n1", line_of(LINE("prolog", CHECKED ",\"gpus\":{\"found\":8},\"rails\":{\"up\":7,\"expected\":8}")));
    ce_board_line(&board, "n2", line_of("{\"schema\":1,\"time\":\"2026-11-21T15:10:39Z\",\"phase\":\"epilog\",\"checked\":true,"
                                        "\"gpus\":{\"found\":8},\"rails\":{\"up\":7,\"expected\":8}}"));
    ce_board_settle(&board);
    assert_int_equal(ce_rows_make(&board, 0, &rows, &err), 0);
    assert_int_equal(rows.count, 1);
    assert_int_equal(rows.rows[0].oldest, 1795273838);
    assert_int_equal(rows.rows[0].newest, 1795273839);
    assert_false(rows.rows[0].unchecked);
    assert_string_equal(rows.rows[0].rails, "7/8");
    assert_string_equal(rows.rows[0].gpus, "8");
}

static void no_nodes_are_no_rows(void **state)
{
    ce_autoboard struct ce_board board = {.count = 0};
    ce_autorows struct ce_rows rows;
    struct ce_error err;
    (void)state;
    ce_board_settle(&board);
    assert_int_equal(ce_rows_make(&board, 10, &rows, &err), 0);
    assert_int_equal(rows.count, 0);
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    UNIT_TABLE(age_rows, is_as_old);
    UNIT_RULE(no_time_is_a_dash);
    UNIT_RULE(without_a_limit_all_that_differ_are_rows);
    UNIT_TABLE(limit_rows, fits);
    UNIT_RULE(coarser_rows_keep_the_checks_name);
    UNIT_RULE(the_odd_ones_come_before_the_many);
    UNIT_RULE(a_row_knows_its_oldest_check_and_whether_one_lacks);
    UNIT_RULE(no_nodes_are_no_rows);
    return UNIT_RUN("rows");
}

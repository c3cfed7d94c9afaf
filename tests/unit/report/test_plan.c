/* SPDX-License-Identifier: Apache-2.0 */
#include "report/plan.h"

#include <jansson.h>

#include "../unit_dir.h"
#include "../unit_env.h"
#include "launch/marker.h"

/* A plan written by hand: names and values that no step would give. */
enum { MAX = 16 };

struct hand_plan {
    struct ce_variable variables[MAX];
    struct ce_change changes[MAX];
    struct ce_plan plan;
};

static void hand_start(struct hand_plan *hand)
{
    memset(hand, 0, sizeof *hand);
    hand->plan = (struct ce_plan){
        .changes = hand->changes, .marker = (char *)"A:00000000", .step = "12.0", .option = "on"};
}

static void hand_add(struct hand_plan *hand, const char *name, enum ce_action action,
                     const char *value, const char *reason)
{
    size_t i = hand->plan.count++;
    assert_true(i < MAX);
    hand->variables[i] = (struct ce_variable){.name = name, .class = CE_IDENTITY};
    hand->changes[i] = (struct ce_change){.variable = &hand->variables[i], .action = action};
    hand->changes[i].value = (char *)value;
    snprintf(hand->changes[i].reason, sizeof hand->changes[i].reason, "%s", reason);
}

/* ---------------------------------------------------------------- text */

static const struct text_row {
    const char *name;
    enum ce_action action;
    const char *value, *in_environment;
    bool all;
    const char *line; /* NULL: no line */
} texts[] = {
    {"a_value_that_is_set_is_shown", CE_SET, "10.1.0.1", NULL, false,
     "NAME                        10.1.0.1  why\n"},
    {"a_value_that_is_left_is_shown", CE_LEAVE, NULL, "the users", false,
     "NAME                        the users  why\n"},
    {"a_value_is_shown_in_place_of_the_inherited_one", CE_SET, "new", "old", false,
     "NAME                        new    why\n"},
    {"a_letter_of_two_bytes_is_one_column", CE_SET, "\xc3\xb6", NULL, false,
     "NAME                        \xc3\xb6      why\n"},
    {"nothing_is_not_shown", CE_LEAVE, NULL, NULL, false, NULL},
    {"nothing_is_shown_where_all_is_asked_for", CE_LEAVE, NULL, NULL, true,
     "NAME                        -      why\n"},
    {"what_is_taken_out_is_not_shown", CE_UNSET, NULL, "old", false, NULL},
    {"what_is_taken_out_is_nothing_where_all_is_asked_for", CE_UNSET, NULL, "old", true,
     "NAME                        -      why\n"},
    {"several_lines_stay_on_one", CE_SET, "a\nb", NULL, false,
     "NAME                        a\\nb   why\n"},
    {"an_escape_sequence_cannot_draw", CE_LEAVE, NULL, "\x1b[2J\t\x7f", false,
     "NAME                        ?[2J??  why\n"},
    {"an_8_bit_escape_sequence_cannot_draw", CE_LEAVE, NULL, "\xc2\x9b" "2J\xc3\xb6", false,
     "NAME                        ?2J\xc3\xb6   why\n"},
    {"a_long_value_does_not_push_the_others", CE_SET,
     "a-value-that-is-longer-than-32-bytes-by-some", NULL, false,
     "NAME                        a-value-that-is-longer-than-32-bytes-by-some  why\n"},
};

static void text(void **state)
{
    const struct text_row *row = *state;
    struct unit_env array = {.count = 0};
    const struct ce_environ env = unit_environ(&array);
    ce_autotext struct ce_text out = CE_TEXT(10000);
    struct hand_plan hand;
    hand_start(&hand);
    hand_add(&hand, "NAME", row->action, row->value, "why");
    if (row->in_environment)
        unit_env_set(&array, "NAME", row->in_environment);
    ce_report_plan_text(&hand.plan, &env, row->all, &out);
    unit_env_free(&array);
    assert_true(ce_text_ok(&out));
    const char *second = strchr(ce_text_string(&out), '\n') + 1;
    assert_int_equal(strncmp(ce_text_string(&out), "VARIABLE ", 9), 0);
    assert_string_equal(second, row->line ? row->line : "");
}

/* Whichever value is the widest, the column behind it starts at one place. */
static const struct column_row {
    const char *name, *widest;
    size_t column;
} columns[] = {
    {"the_last_column_is_straight", "10.1.0.1,10.1.0.2", 28 + 17 + 2},
    {"the_last_column_is_straight_beside_two_lines", "10.1.0.1\n10.1.0.2", 28 + 18 + 2},
    {"the_last_column_is_straight_beside_three_lines", "10.1.0.1\n10.1.0.2\n10.1.0.3", 28 + 28 + 2},
    {"the_last_column_is_straight_beside_an_8_bit_escape", "10.1.0.1\xc2\x9b" "31m", 28 + 12 + 2},
    {"a_value_of_32_columns_counts", "1234567890123456789012345678\nab", 28 + 32 + 2},
};

static void is_straight(void **state)
{
    const struct column_row *row = *state;
    struct unit_env array = {.count = 0};
    const struct ce_environ env = unit_environ(&array);
    ce_autotext struct ce_text out = CE_TEXT(10000);
    struct hand_plan hand;
    hand_start(&hand);
    hand_add(&hand, "SHORT", CE_SET, "1", "FROM");
    hand_add(&hand, "WIDEST", CE_SET, row->widest, "FROM");
    ce_report_plan_text(&hand.plan, &env, false, &out);
    const char *line = ce_text_string(&out);
    for (int i = 0; i < 3; i++) {
        const char *end = strchr(line, '\n');
        assert_int_equal(end - line, row->column + strlen("FROM"));
        line = end + 1;
    }
}

static void an_escape_sequence_in_a_reason_cannot_draw(void **state)
{
    struct unit_env array = {.count = 0};
    const struct ce_environ env = unit_environ(&array);
    ce_autotext struct ce_text out = CE_TEXT(10000);
    struct hand_plan hand;
    (void)state;
    hand_start(&hand);
    hand_add(&hand, "NAME", CE_SET, "value", "set in /home/\x1b[2J\n.conf");
    ce_report_plan_text(&hand.plan, &env, false, &out);
    unit_holds(ce_text_string(&out), "  value  set in /home/?[2J\\n.conf\n");
}

/* ---------------------------------------------------------------- JSON */

static const char *string_at(const json_t *object, const char *key)
{
    const char *found = json_string_value(json_object_get(object, key));
    return found ? found : "-";
}

static json_t *json_of(const struct hand_plan *hand, const struct ce_environ *env,
                       const struct ce_notes *notes)
{
    ce_autotext struct ce_text out = CE_TEXT(1 << 20);
    json_error_t error = {.line = 0};
    assert_int_equal(ce_report_plan_json(&hand->plan, env, notes, &out), 0);
    json_t *root = json_loads(ce_text_string(&out), JSON_REJECT_DUPLICATES, &error);
    assert_string_equal(error.text, "");
    assert_non_null(root);
    return root;
}

static void json_says_what_the_plan_says(void **state)
{
    struct unit_env array = {.count = 0};
    const struct ce_environ env = unit_environ(&array);
    struct ce_notes notes = {.count = 0};
    struct hand_plan hand;
    (void)state;
    hand_start(&hand);
    hand_add(&hand, "RANK", CE_SET, "9", "SLURM_PROCID");
    hand_add(&hand, "OLD", CE_UNSET, NULL, "not in this kind of step");
    hand_add(&hand, "USERS", CE_LEAVE, NULL, "set by the user");
    hand_add(&hand, "ABSENT", CE_LEAVE, NULL, "not known on this node");
    hand.variables[2].class = CE_TUNING;
    unit_env_set(&array, "USERS", "a \"quoted\"\nvalue");
    unit_env_set(&array, "OLD", "old");
    ce_note(&notes, "a note");
    json_t *root = json_of(&hand, &env, &notes);
    assert_int_equal(json_integer_value(json_object_get(root, "schema")), 1);
    assert_string_equal(string_at(root, "step"), "12.0");
    assert_string_equal(string_at(root, "option"), "on");
    const json_t *rows = json_object_get(root, "variables");
    static const char *const expected[][5] = {
        {"RANK", "9", "set", "identity", "SLURM_PROCID"},
        {"OLD", "-", "unset", "identity", "not in this kind of step"},
        {"USERS", "a \"quoted\"\nvalue", "leave", "tuning", "set by the user"},
        {"ABSENT", "-", "leave", "identity", "not known on this node"},
    };
    static const char *const keys[] = {"name", "value", "action", "class", "source"};
    assert_int_equal(json_array_size(rows), UNIT_COUNT(expected));
    for (size_t i = 0; i < UNIT_COUNT(expected); i++)
        for (size_t j = 0; j < UNIT_COUNT(keys); j++)
            assert_string_equal(string_at(json_array_get(rows, i), keys[j]), expected[i][j]);
    assert_true(json_is_null(json_object_get(json_array_get(rows, 1), "value")));
    assert_int_equal(json_array_size(json_object_get(root, "notes")), 1);
    assert_string_equal(
        json_string_value(json_array_get(json_object_get(root, "notes"), 0)), "a note");
    json_decref(root);
    unit_env_free(&array);
}

/* JSON holds UTF-8 only; the environment holds any byte. */
static const struct json_row {
    const char *name, *value, *reason, *shown, *source;
} jsons[] = {
    {"letters_of_utf_8_stay", "\xc3\xb6", "\xc3\xb6", "\xc3\xb6", "\xc3\xb6"},
    {"a_value_that_is_no_utf_8_loses_its_bytes_not_its_row", "a\xff" "b", "why", "a?b", "why"},
    {"a_reason_that_is_no_utf_8_loses_its_bytes_not_its_row", "a", "set in /home/\xff/nccl.conf",
     "a", "set in /home/?/nccl.conf"},
    {"a_letter_cut_in_two_loses_its_bytes_not_its_row", "a", "set in /home/\xc3", "a",
     "set in /home/?"},
    {"a_control_character_is_kept", "\x01\x7f", "why", "\x01\x7f", "why"},
};

static void json(void **state)
{
    const struct json_row *row = *state;
    struct unit_env array = {.count = 0};
    const struct ce_environ env = unit_environ(&array);
    const struct ce_notes notes = {.count = 0};
    struct hand_plan hand;
    hand_start(&hand);
    hand_add(&hand, "SET", CE_SET, row->value, row->reason);
    hand_add(&hand, "LEFT", CE_LEAVE, NULL, row->reason);
    unit_env_set(&array, "LEFT", row->value);
    json_t *root = json_of(&hand, &env, &notes);
    const json_t *rows = json_object_get(root, "variables");
    assert_int_equal(json_array_size(rows), 2);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(string_at(json_array_get(rows, i), "value"), row->shown);
        assert_string_equal(string_at(json_array_get(rows, i), "source"), row->source);
    }
    json_decref(root);
    unit_env_free(&array);
}

/* ---------------------------------------------------------------- shell */

/* What the shell holds in NAME after it has run the export and `print`, the end included. */
static char *evaluate(const struct ce_plan *plan, const char *before, const char *print)
{
    struct unit_dir dir = unit_dir_make();
    ce_autotext struct ce_text script = CE_TEXT(1 << 20);
    char command[400];
    ce_text_add(&script, before);
    ce_report_plan_export(plan, &script);
    ce_text_add(&script, print);
    assert_true(ce_text_ok(&script));
    unit_dir_write(&dir, "script", ce_text_string(&script));
    snprintf(command, sizeof command, "/bin/sh %s/script >%s/out", dir.path, dir.path);
    assert_int_equal(system(command), 0);
    char *out = unit_dir_read(&dir, "out");
    unit_dir_remove(&dir);
    assert_non_null(out);
    return out;
}

static const struct shell_row {
    const char *name, *value;
} shells[] = {
    {"a_plain_value_comes_through", "10.1.0.1"},
    {"an_empty_value_comes_through", ""},
    {"spaces_come_through", "  a  b "},
    {"a_tab_comes_through", "a\tb"},
    {"a_quote_comes_through", "it's"},
    {"a_value_of_quotes_comes_through", "'''"},
    {"a_double_quote_comes_through", "\"a\""},
    {"a_backslash_comes_through", "\\n\\'\\\\"},
    {"a_dollar_comes_through", "$HOME ${HOME} $$"},
    {"a_command_is_not_run", "$(echo run)`echo run`"},
    {"a_quoted_command_is_not_run", "';echo run;'"},
    {"a_second_command_is_not_run", "a; echo run & echo run | cat"},
    {"a_wildcard_comes_through", "* ? [a-z] ~"},
    {"a_newline_comes_through", "10.1.0.1\n10.1.0.2"},
    {"a_command_behind_a_newline_is_not_run", "a\necho run\n'\necho run"},
    {"newlines_at_the_end_come_through", "a\n\n"},
    {"a_comment_comes_through", "a # b"},
    {"an_exclamation_mark_comes_through", "!!"},
    {"a_dash_comes_through", "-n"},
    {"a_percent_sign_comes_through", "%s%n"},
    {"any_byte_comes_through", "\x01\x1b\x7f\x80\xff"},
};

static void comes_through(void **state)
{
    const struct shell_row *row = *state;
    struct hand_plan hand;
    hand_start(&hand);
    hand_add(&hand, "NAME", CE_SET, row->value, "why");
    char *out = evaluate(&hand.plan, "NAME=before\n", "printf '<%s>' \"$NAME\"\n");
    char *expected = malloc(strlen(row->value) + 3);
    assert_non_null(expected);
    sprintf(expected, "<%s>", row->value);
    assert_string_equal(out, expected);
    free(expected);
    free(out);
}

static void the_longest_value_comes_through(void **state)
{
    struct hand_plan hand;
    char *value = malloc(CE_VALUE_MAX + 1);
    (void)state;
    assert_non_null(value);
    memset(value, '\'', CE_VALUE_MAX);
    value[CE_VALUE_MAX] = '\0';
    hand_start(&hand);
    hand_add(&hand, "NAME", CE_SET, value, "why");
    char *out = evaluate(&hand.plan, "", "printf '%s' \"$NAME\"\n");
    assert_string_equal(out, value);
    free(out);
    free(value);
}

static void what_is_taken_out_is_unset_and_what_is_left_stays(void **state)
{
    struct hand_plan hand;
    (void)state;
    hand_start(&hand);
    hand_add(&hand, "OLD", CE_UNSET, NULL, "why");
    hand_add(&hand, "USERS", CE_LEAVE, NULL, "why");
    hand_add(&hand, "NEW", CE_SET, "new", "why");
    char *out = evaluate(&hand.plan, "export OLD=old USERS=users\n",
                         "printf '%s %s ' \"${OLD-unset}\" \"$USERS\"; env | grep '^NEW='\n");
    assert_string_equal(out, "unset users NEW=new\n");
    free(out);
}

static void the_record_of_the_plan_is_exported(void **state)
{
    struct hand_plan hand;
    (void)state;
    hand_start(&hand);
    char *out = evaluate(&hand.plan, "",
                         "printf '%s ' \"$" CE_MARKER "\" \"$" CE_STEP_VARIABLE
                         "\" \"$" CE_OPTION_VARIABLE "\"\n");
    assert_string_equal(out, "A:00000000 12.0 on ");
    free(out);
}

int main(void)
{
    UNIT_TABLE(texts, text);
    UNIT_TABLE(columns, is_straight);
    UNIT_RULE(an_escape_sequence_in_a_reason_cannot_draw);
    UNIT_RULE(json_says_what_the_plan_says);
    UNIT_TABLE(jsons, json);
    UNIT_TABLE(shells, comes_through);
    UNIT_RULE(the_longest_value_comes_through);
    UNIT_RULE(what_is_taken_out_is_unset_and_what_is_left_stays);
    UNIT_RULE(the_record_of_the_plan_is_exported);
    return UNIT_RUN("report/plan");
}

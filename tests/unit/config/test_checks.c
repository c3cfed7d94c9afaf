/* SPDX-License-Identifier: Apache-2.0 */
#include "config/config.h"

#include "../unit.h"
#include "base/text.h"

/* What `checks` says for node gpu3, one rule after the other: NAME FAULT UNKNOWN; "-": nothing. */
static const struct row {
    const char *name, *text, *rules;
} rows[] = {
    {"none", "", ""},
    {"none_in_a_list", "checks = ( );", ""},
    {"a_fault", "checks = ( { name = \"ib.port.rate\"; fault = \"warn\"; } );", "ib.port.rate warn -\n"},
    {"what_is_unknown", "checks = ( { unknown = \"ignore\"; name = \"ib.*\"; } );", "ib.* - ignore\n"},
    {"several", "checks = ( { name = \"*\"; fault = \"drain\"; unknown = \"warn\"; },\n"
                "  { name = \"gpu.count\"; fault = \"ignore\"; } );",
     "* drain warn\ngpu.count ignore -\n"},
    {"those_of_this_node_follow",
     "nodes = ( { names = \"gpu[1-8]\"; checks = ( { name = \"a\"; fault = \"warn\"; } ); },\n"
     "          { names = \"cpu1\"; checks = ( { name = \"b\"; fault = \"warn\"; } ); } );\n"
     "checks = ( { name = \"c\"; fault = \"warn\"; } );",
     "c warn -\na warn -\n"},
};

static const char *word(bool has, enum ce_response response)
{
    return has ? ce_response_name(response) : "-";
}

static void says(void **state)
{
    const struct row *row = *state;
    struct ce_config config;
    struct ce_error err = {""};
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    assert_int_equal(ce_config_parse(row->text, "c", "gpu3", &config, &err), 0);
    for (uint32_t i = 0; i < config.policy.checks.count; i++) {
        const struct ce_check_rule *rule = &config.policy.checks.items[i];
        ce_text_addf(&out, "%s %s %s\n", rule->name, word(rule->has_fault, rule->fault),
                     word(rule->has_unknown, rule->unknown));
    }
    assert_string_equal(ce_text_string(&out), row->rules);
}

static const struct error_row {
    const char *name, *text, *error;
} errors[] = {
    {"not_a_list", "checks = { };", "c:1: expected checks = ( { name ="},
    {"no_group", "checks = ( 1 );", "c:1: checks: expected checks = ( { name ="},
    {"without_a_name", "checks = (\n { fault = \"warn\"; } );", "c:2: checks: expected checks"},
    {"a_name_that_can_be_none", "checks = ( { name = \"ib port\"; fault = \"warn\"; } );",
     "c:1: checks: 'ib port' is not the name of a check"},
    {"an_unknown_member", "checks = ( { name = \"a\"; falt = \"warn\"; } );",
     "c:1: checks: a: 'falt' is not of a check: expected name, fault, unknown, limit or deadline"},
    {"an_unknown_response", "checks = ( { name = \"a\"; fault = \"Drain\"; } );",
     "c:1: checks: a: fault: expected \"drain\", \"warn\" or \"ignore\""},
    {"a_number", "checks = ( { name = \"a\"; fault = 1; } );", "c:1: checks: a: fault: expected \"drain\""},
    {"unknown_never_drains", "checks = ( { name = \"a\"; unknown = \"drain\"; } );",
     "c:1: checks: a: unknown: what could not be found out never drains a node; expected \"warn\" or \"ignore\""},
    {"a_limit_that_is_no_number", "checks = ( { name = \"a\"; limit = \"9\"; } );",
     "c:1: checks: a: limit: expected a number, the most that is well"},
    {"a_limit_below_nothing", "checks = ( { name = \"a\"; limit = -1; } );", "c:1: checks: a: limit: expected a number"},
    {"a_deadline_that_is_no_number", "checks = ( { name = \"a\"; deadline = \"1\"; } );",
     "c:1: checks: a: deadline: expected seconds, 0.001 to 60"},
    {"a_deadline_of_nothing", "checks = ( { name = \"a\"; deadline = 0; } );", "c:1: checks: a: deadline: expected seconds"},
    {"a_deadline_below_nothing", "checks = ( { name = \"a\"; deadline = -1.5; } );", "c:1: checks: a: deadline: expected"},
    {"a_deadline_of_a_day", "checks = ( { name = \"a\"; deadline = 86400; } );", "c:1: checks: a: deadline: expected"},
    {"says_nothing", "checks = ( { name = \"a\"; } );", "c:1: checks: a: expected fault, unknown, limit or deadline"},
    {"also_in_a_section_of_another_node",
     "nodes = ( { names = \"x\";\n checks = ( { name = \"a\"; fault = \"\"; } ); } );", "c:2: checks: a: fault"},
};

static void is_an_error(void **state)
{
    const struct error_row *row = *state;
    struct ce_config config;
    struct ce_error err = {""};
    assert_int_equal(ce_config_parse(row->text, "c", "gpu3", &config, &err), -1);
    unit_holds(err.text, row->error);
}

static void a_deadline_is_of_seconds(void **state)
{
    static const struct {
        const char *text;
        uint32_t ms;
    } texts[] = {{"1", 1000}, {"0.5", 500}, {"0.001", 1}, {"60", 60000}, {"2.0004", 2000}};
    (void)state;
    for (size_t i = 0; i < UNIT_COUNT(texts); i++) {
        char text[100];
        struct ce_config config;
        struct ce_error err = {""};
        snprintf(text, sizeof text, "checks = ( { name = \"a\"; deadline = %s; } );", texts[i].text);
        assert_int_equal(ce_config_parse(text, "c", "gpu3", &config, &err), 0);
        assert_int_equal(config.policy.checks.items[0].deadline_ms, texts[i].ms);
    }
}

/* Half general, half in a section; in all, one more than there may be. */
static void too_many_are_an_error_whichever_node_they_are_for(void **state)
{
    enum { HALF = CE_CHECK_RULES_MAX / 2 };
    struct ce_error err = {""};
    (void)state;
    for (int more = 0; more <= 1; more++) {
        ce_autotext struct ce_text text = CE_TEXT(1 << 16);
        for (int part = 0; part < 2; part++) {
            ce_text_add(&text, part ? "nodes = ( { names = \"x\"; checks = ( " : "checks = ( ");
            for (int i = 0; i < HALF + (part && more); i++)
                ce_text_addf(&text, "%s{ name = \"a\"; fault = \"warn\"; }", i ? ", " : "");
            ce_text_add(&text, part ? " ); } );" : " );\n");
        }
        ce_auto(ce_config_close) struct ce_config_file *file =
            ce_config_open(ce_text_string(&text), "c", &err);
        assert_int_equal(!file, more);
        if (file)
            assert_int_equal(ce_config_checks(file)->count, CE_CHECK_RULES_MAX);
    }
    unit_holds(err.text, "c:2: checks: more than 64 in the file");
}

/* ---------------------------------------------------------------- reports, and the deadline */

static const struct value_row {
    const char *name, *text;
    unsigned deadline_s;
    const char *log, *metrics; /* deadline 0: part of the error */
} values[] = {
    {"what_holds_without", "", 10, CE_POLICY_LOG, CE_POLICY_METRICS},
    {"all_of_them", "deadline = 20; reports = { log = \"/l/x\"; metrics = \"/m\"; };", 20, "/l/x", "/m"},
    {"no_reports", "reports = { log = \"\"; metrics = \"\"; };", 10, "", ""},
    {"of_this_node", "nodes = ( { names = \"gpu3\"; deadline = 60; reports = { metrics = \"/n\"; }; } );", 60,
     CE_POLICY_LOG, "/n"},
    {"a_short_deadline", "deadline = 4;", 0, "deadline: 4: expected a number from 5 to 60", ""},
    {"a_long_deadline", "deadline = 61;", 0, "deadline: 61: expected", ""},
    {"a_relative_log", "reports = { log = \"x\"; };", 0, "reports.log: 'x': expected an absolute path", ""},
    {"a_folder_as_log", "reports = { log = \"/var/log/\"; };", 0, "expected a file, not a folder", ""},
    {"relative_metrics", "reports = { metrics = \"../m\"; };", 0, "reports.metrics: '../m'", ""},
};

static void has_the_values(void **state)
{
    const struct value_row *row = *state;
    struct ce_config config;
    struct ce_error err = {""};
    int rc = ce_config_parse(row->text, "c", "gpu3", &config, &err);
    if (!row->deadline_s) {
        unit_holds(err.text, row->log);
        return;
    }
    assert_int_equal(rc, 0);
    assert_int_equal(config.policy.deadline_s, row->deadline_s);
    assert_string_equal(config.policy.log, row->log);
    assert_string_equal(config.policy.metrics, row->metrics);
}

int main(void)
{
    UNIT_TABLE(rows, says);
    UNIT_TABLE(errors, is_an_error);
    UNIT_RULE(a_deadline_is_of_seconds);
    UNIT_RULE(too_many_are_an_error_whichever_node_they_are_for);
    UNIT_TABLE(values, has_the_values);
    return UNIT_RUN("config/checks");
}

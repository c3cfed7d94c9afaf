/* SPDX-License-Identifier: Apache-2.0 */
/* The way back of a drained node, as a story of health checks. */
#include "health/recovery.h"

#include "../unit.h"

enum { MINUTE = 60000, STEPS = 8 };
#define DAY (24ULL * 60 * MINUTE)
#define START (7ULL * DAY)

/* What a health check finds: a letter for each finding. */
static const struct {
    char letter;
    const char *check;
    enum ce_verdict verdict;
    enum ce_response response;
} finds[] = {
    {'p', "ib.port.state", CE_PASS, CE_IGNORE},    {'P', "ib.port.state", CE_FAIL, CE_DRAIN},
    {'u', "ib.port.state", CE_UNKNOWN, CE_TELL},   {'s', "ib.port.state", CE_SKIP, CE_IGNORE},
    {'w', "ib.port.state", CE_WARN, CE_TELL},      {'r', "ib.port.rate", CE_PASS, CE_IGNORE},
    {'R', "ib.port.rate", CE_FAIL, CE_DRAIN},      {'T', "ib.port.rate", CE_FAIL, CE_TELL},
    {'X', "gpu.xid", CE_FAIL, CE_DRAIN},           {'x', "gpu.xid", CE_PASS, CE_IGNORE},
    {'N', "a.check.of.yesterday", CE_FAIL, CE_DRAIN},
};

static void find(const char *letters, struct ce_findings *findings)
{
    for (; *letters; letters++)
        for (size_t i = 0; i < UNIT_COUNT(finds); i++)
            if (finds[i].letter == *letters) {
                ce_findings_add(findings, finds[i].verdict, "", "as said");
                findings->items[findings->count - 1].check = finds[i].check;
                findings->items[findings->count - 1].response = finds[i].response;
            }
}

static const struct row {
    const char *name, *drained; /* for these */
    uint64_t came_back[CE_RECOVERY_A_DAY];
    struct {
        unsigned minute;
        const char *finds;
    } checks[STEPS];
    const char *steps; /* Never, Unwell, Wait, Enough, Back */
} rows[] = {
    {"three_passes_over_15_minutes", "P", {0}, {{0, "p"}, {7, "p"}, {15, "p"}}, "WWB"},
    {"as_slurm_runs_it", "P", {0}, {{0, "p"}, {5, "p"}, {10, "p"}, {15, "p"}}, "WWWB"},
    {"three_passes_within_a_minute_are_not_enough", "P", {0}, {{0, "p"}, {0, "p"}, {1, "p"}}, "WWW"},
    {"two_passes_over_an_hour_are_not_enough", "P", {0}, {{0, "p"}, {60, "p"}}, "WW"},
    {"a_fault_between_begins_anew", "P", {0},
     {{0, "p"}, {5, "p"}, {10, "P"}, {15, "p"}, {20, "p"}, {25, "p"}, {30, "p"}}, "WWUWWWB"},
    {"so_does_an_unknown", "P", {0}, {{0, "p"}, {5, "p"}, {10, "u"}, {15, "p"}, {20, "p"}}, "WWUWW"},
    {"so_does_a_warning", "P", {0}, {{0, "p"}, {8, "p"}, {20, "w"}}, "WWU"},
    {"one_port_of_two", "P", {0}, {{0, "pp"}, {8, "pP"}, {16, "pp"}}, "WUW"},
    {"another_fault_to_drain_for", "P", {0}, {{0, "p"}, {8, "pX"}, {16, "p"}}, "WUW"},
    {"another_fault_only_to_tell", "P", {0}, {{0, "p"}, {8, "pT"}, {16, "p"}}, "WWB"},
    {"a_check_that_is_skipped_does_not_pass", "P", {0}, {{0, "s"}, {8, "s"}, {16, "s"}}, "UUU"},
    {"where_other_things_pass_it_does", "P", {0}, {{0, "ps"}, {8, "ps"}, {16, "ps"}}, "WWB"},
    {"a_check_that_does_not_run_does_not_pass", "P", {0}, {{0, "r"}, {8, "r"}, {16, "r"}}, "UUU"},
    {"two_checks_have_to_pass", "PR", {0}, {{0, "pr"}, {8, "pr"}, {16, "pr"}}, "WWB"},
    {"one_of_them_is_not_enough", "PR", {0}, {{0, "p"}, {8, "p"}, {16, "p"}}, "UUU"},
    {"an_xid_never_comes_back", "X", {0}, {{0, "x"}, {8, "x"}, {16, "x"}}, "NNN"},
    {"nor_with_a_port", "PX", {0}, {{0, "px"}, {8, "px"}, {16, "px"}}, "NNN"},
    {"nor_a_check_that_is_no_more", "N", {0}, {{0, "p"}, {8, "p"}, {16, "p"}}, "NNN"},
    {"nor_what_we_did_not_drain", "", {0}, {{0, "p"}, {8, "p"}, {16, "p"}}, "NNN"},
    {"once_today_already", "P", {START - MINUTE}, {{0, "p"}, {8, "p"}, {16, "p"}}, "WWB"},
    {"twice_today_already", "P", {START - MINUTE, START - DAY / 2}, {{0, "p"}, {8, "p"}, {16, "p"}},
     "WWE"},
    {"the_first_of_them_yesterday", "P", {START - MINUTE, START - DAY}, {{0, "p"}, {8, "p"}, {16, "p"}},
     "WWB"},
    {"until_it_is_a_day_ago", "P", {START - MINUTE, START - DAY + 17ULL * MINUTE},
     {{0, "p"}, {8, "p"}, {16, "p"}, {20, "p"}}, "WWEB"},
};

static void story(void **state)
{
    const struct row *row = *state;
    struct ce_recovery recovery = {.boot_id = "b"};
    char steps[STEPS + 1] = "";
    ce_autofindings struct ce_findings drained = {NULL, 0, false};
    memcpy(recovery.came_back_ms, row->came_back, sizeof row->came_back);
    find(row->drained, &drained);
    if (drained.count)
        ce_recovery_begin(&recovery, "why", &drained);
    for (size_t i = 0; i < STEPS && row->checks[i].finds; i++) {
        ce_autofindings struct ce_findings found = {NULL, 0, false};
        find(row->checks[i].finds, &found);
        uint64_t now = START + (uint64_t)row->checks[i].minute * MINUTE;
        steps[i] = "NUWEB"[ce_recovery_judge(&recovery, &found, now)];
    }
    assert_string_equal(steps, row->steps);
}

/* ---------------------------------------------------------------- the rest */

static void a_reason_of_too_many_checks_never_comes_back(void **state)
{
    static char names[CE_RECOVERY_CHECKS + 1][16];
    struct ce_recovery recovery = {.boot_id = "b"};
    ce_autofindings struct ce_findings findings = {NULL, 0, false};
    (void)state;
    for (size_t i = 0; i <= CE_RECOVERY_CHECKS; i++) {
        snprintf(names[i], sizeof names[i], "c%zu", i);
        ce_findings_add(&findings, CE_FAIL, "", "x");
        findings.items[i].check = names[i];
        findings.items[i].response = CE_DRAIN;
    }
    ce_recovery_begin(&recovery, "why", &findings);
    assert_int_equal(recovery.check_count, 0);
}

static void the_last_times_are_kept(void **state)
{
    struct ce_recovery recovery = {.boot_id = "b", .reason = "why", .came_back_ms = {5, 3}};
    (void)state;
    ce_recovery_end(&recovery, 9);
    assert_string_equal(recovery.reason, "");
    assert_int_equal(recovery.came_back_ms[0], 9);
    assert_int_equal(recovery.came_back_ms[1], 5);
    ce_recovery_end(&recovery, 0);
    assert_int_equal(recovery.came_back_ms[0], 9);
}

static void the_text_holds_all_of_it(void **state)
{
    struct ce_recovery read, recovery = {
        "boot", "mlx5_4/1 DOWN = [cluster-env ib.port.state]", {"ib.port.state", "gpu.xid"}, 2, 2,
        UINT64_MAX, {7, 6}};
    struct ce_error err;
    ce_autotext struct ce_text text = CE_TEXT(4096);
    (void)state;
    ce_recovery_write(&recovery, &text);
    assert_int_equal(ce_recovery_parse(ce_text_string(&text), &read, &err), 0);
    assert_memory_equal(&read, &recovery, sizeof read);
}

static const struct text {
    const char *name, *text, *error;
} texts[] = {
    {"no_text", "", ""},
    {"cut_short", "format=1\nreason=x\n", "cut short"},
    {"a_number_that_is_none", "format=1\npasses=many\nend=1\n", "passes=many"},
    {"a_negative_time", "format=1\ncame_back_ms.1=-1\nend=1\n", "came_back_ms.1=-1"},
    {"a_name_that_is_too_long",
     "format=1\ncheck.0=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\nend=1\n",
     "longer than 63 bytes"},
};

static void is_refused(void **state)
{
    const struct text *row = *state;
    struct ce_recovery recovery = {.reason = "as before"};
    struct ce_error err = {""};
    assert_int_equal(ce_recovery_parse(row->text, &recovery, &err), -1);
    unit_holds(err.text, row->error);
    assert_string_equal(recovery.reason, "as before");
}

int main(void)
{
    UNIT_TABLE(rows, story);
    UNIT_RULE(a_reason_of_too_many_checks_never_comes_back);
    UNIT_RULE(the_last_times_are_kept);
    UNIT_RULE(the_text_holds_all_of_it);
    UNIT_TABLE(texts, is_refused);
    return UNIT_RUN("health/recovery");
}

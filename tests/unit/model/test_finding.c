/* SPDX-License-Identifier: Apache-2.0 */
#include "model/finding.h"

#include "../unit.h"

static void a_finding_is_what_was_added(void **state)
{
    ce_autofindings struct ce_findings findings = {.count = 0};
    (void)state;
    ce_findings_add(&findings, CE_PASS, "a", "%d of %d", 7, 8);
    ce_findings_add(&findings, CE_FAIL, "", "%s", "100%n");
    ce_findings_remedy(&findings, "wait");
    assert_int_equal(findings.count, 2);
    assert_string_equal(findings.items[0].subject, "a");
    assert_string_equal(findings.items[0].text, "7 of 8");
    assert_string_equal(findings.items[0].remedy, "");
    assert_string_equal(findings.items[0].check, "");
    assert_int_equal(findings.items[1].verdict, CE_FAIL);
    assert_string_equal(findings.items[1].text, "100%n");
    assert_string_equal(findings.items[1].remedy, "wait");
}

static void what_is_too_long_is_cut(void **state)
{
    ce_autofindings struct ce_findings findings = {.count = 0};
    char longest[1000];
    (void)state;
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    ce_findings_add(&findings, CE_FAIL, longest, "%s", longest);
    assert_int_equal(strlen(findings.items[0].subject), CE_SUBJECT - 1);
    assert_int_equal(strlen(findings.items[0].text), CE_FINDING_TEXT - 1);
}

static void a_remedy_without_a_finding_is_nobodys(void **state)
{
    ce_autofindings struct ce_findings findings = {.count = 0};
    (void)state;
    ce_findings_remedy(&findings, "wait");
    assert_int_equal(findings.count, 0);
}

static const struct response_row {
    const char *name, *text;
    int rc;
    enum ce_response response;
} responses[] = {
    {"ignore_is_a_response", "ignore", 0, CE_IGNORE},
    {"warn_is_a_response", "warn", 0, CE_TELL},
    {"drain_is_a_response", "drain", 0, CE_DRAIN},
    {"nothing_is_no_response", "", -1, CE_IGNORE},
    {"drained_is_no_response", "drained", -1, CE_IGNORE},
};

static void responds(void **state)
{
    const struct response_row *row = *state;
    enum ce_response response = CE_IGNORE;
    assert_int_equal(ce_response_parse(row->text, &response), row->rc);
    assert_int_equal(response, row->response);
    if (row->rc == 0)
        assert_string_equal(ce_response_name(response), row->text);
}

int main(void)
{
    UNIT_RULE(a_finding_is_what_was_added);
    UNIT_RULE(what_is_too_long_is_cut);
    UNIT_RULE(a_remedy_without_a_finding_is_nobodys);
    UNIT_TABLE(responses, responds);
    return UNIT_RUN("model/finding");
}

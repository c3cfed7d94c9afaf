/* SPDX-License-Identifier: Apache-2.0 */
#include "config/options.h"

#include <stdlib.h>

#include "../unit.h"
#include "base/text.h"

static void every_option_has_a_key_of_its_own(void **state)
{
    (void)state;
    for (size_t i = 0; i < ce_option_count; i++) {
        assert_ptr_equal(ce_option_find(ce_options[i].key), &ce_options[i]);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(ce_options[i].key, ce_options[j].key);
    }
}

/* port.last is documented with port.first. */
static void every_option_is_documented(void **state)
{
    (void)state;
    for (size_t i = 0; i < ce_option_count; i++)
        if (strcmp(ce_options[i].key, "port.last") != 0 &&
            strcmp(ce_options[i].key, "preflight.port_last") != 0)
            assert_true(strlen(ce_options[i].doc) > 20);
}

static void a_list_can_be_emptied(void **state)
{
    (void)state;
    for (size_t i = 0; i < ce_option_count; i++)
        assert_int_equal(ce_options[i].clear != NULL, ce_options[i].kind == CE_OPTION_TEXTS);
}

static const struct find_row {
    const char *name, *key;
    bool option, group;
} finds[] = {
    {"a_key_is_an_option", "tuning", true, false},
    {"a_key_of_a_group_is_an_option", "network.family", true, false},
    {"a_group_is_no_option", "network", false, true},
    {"another_group_is_a_group", "port", false, true},
    {"the_start_of_a_group_is_no_group", "net", false, false},
    {"a_group_with_its_dot_is_no_group", "network.", false, false},
    {"a_key_without_its_group_is_nothing", "family", false, false},
    {"a_longer_key_is_nothing", "network.family.x", false, false},
    {"nothing_is_nothing", "", false, false},
    {"case_counts", "Tuning", false, false},
};

static void find(void **state)
{
    const struct find_row *row = *state;
    assert_int_equal(ce_option_find(row->key) != NULL, row->option);
    assert_int_equal(ce_option_is_group(row->key), row->group);
}

static char *policy_text(const struct ce_config *config)
{
    ce_autotext struct ce_text text = CE_TEXT(1 << 16);
    ce_policy_write(&config->policy, NULL, &text);
    char *taken = ce_text_take(&text);
    assert_non_null(taken);
    return taken;
}

/* The example says what holds without a file, and says it of every key. */
static void the_example_is_the_default(void **state)
{
    ce_autotext struct ce_text example = CE_TEXT(1 << 16);
    struct ce_config config, usual;
    struct ce_error err = {""};
    (void)state;
    ce_config_default(&usual);
    ce_config_example(&example);
    assert_true(ce_text_ok(&example));
    int rc = ce_config_parse(ce_text_string(&example), "example", "n", &config, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(rc, 0);
    char *found = policy_text(&config), *expected = policy_text(&usual);
    assert_string_equal(found, expected);
    assert_string_equal(config.address_book, usual.address_book);
    free(found);
    free(expected);
}

static void the_example_has_every_key_with_its_default(void **state)
{
    ce_autotext struct ce_text example = CE_TEXT(1 << 16);
    (void)state;
    ce_config_example(&example);
    for (size_t i = 0; i < ce_option_count; i++) {
        const char *dot = strchr(ce_options[i].key, '.');
        char line[200];
        snprintf(line, sizeof line, "\n%s%s = %s;\n", dot ? "    " : "",
                 dot ? dot + 1 : ce_options[i].key, ce_options[i].dflt);
        unit_holds(ce_text_string(&example), line);
    }
}

static void the_lines_of_the_example_fit_a_terminal(void **state)
{
    ce_autotext struct ce_text example = CE_TEXT(1 << 16);
    (void)state;
    ce_config_example(&example);
    for (const char *line = ce_text_string(&example); *line; line += strcspn(line, "\n") + 1)
        assert_in_range(strcspn(line, "\n"), 0, 100);
}

int main(void)
{
    UNIT_RULE(every_option_has_a_key_of_its_own);
    UNIT_RULE(every_option_is_documented);
    UNIT_RULE(a_list_can_be_emptied);
    UNIT_TABLE(finds, find);
    UNIT_RULE(the_example_is_the_default);
    UNIT_RULE(the_example_has_every_key_with_its_default);
    UNIT_RULE(the_lines_of_the_example_fit_a_terminal);
    return UNIT_RUN("config/options");
}

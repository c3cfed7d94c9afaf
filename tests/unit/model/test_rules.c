/* SPDX-License-Identifier: Apache-2.0 */
#include "model/rules.h"

#include <stdlib.h>

#include "../unit.h"
#include "model/record.h"

#define FRAMED(lines) "format=1\n" lines "end=1\n"
#define IB CE_LINK_INFINIBAND
#define ETH CE_LINK_ETHERNET

static struct ce_rules *parse(const char *text)
{
    struct ce_error err = {""};
    struct ce_rules *rules = ce_rules_parse(text, &err);
    assert_string_equal(err.text, "");
    assert_non_null(rules);
    return rules;
}

static char *write_down(const struct ce_rules *rules)
{
    ce_autotext struct ce_text text = CE_TEXT(1 << 20);
    ce_record_begin(&text);
    ce_rules_write(rules, &text);
    ce_record_end(&text);
    char *written = ce_text_take(&text);
    assert_non_null(written);
    return written;
}

static void is_written_as(const struct ce_rules *rules, const char *expected)
{
    char *written = write_down(rules);
    assert_string_equal(written, expected);
    free(written);
}

/* ---------------------------------------------------------------- variables */

static const struct name_row {
    const char *name, *text;
    bool is_name;
} names[] = {
    {"capitals_are_a_name", "NCCL_IB_TC", true},
    {"small_letters_are_a_name", "OMPI_MCA_btl", true},
    {"an_underscore_may_come_first", "_X1", true},
    {"one_letter_is_a_name", "x", true},
    {"a_digit_cannot_come_first", "1X", false},
    {"nothing_is_no_name", "", false},
    {"a_dash_is_in_no_name", "NCCL-IB", false},
    {"an_equals_sign_is_in_no_name", "A=B", false},
    {"a_dot_is_in_no_name", "A.B", false},
    {"a_blank_is_in_no_name", "A ", false},
    {"letters_past_ascii_are_in_no_name", "\xc3\xa4", false},
};

static void is_a_name(void **state)
{
    const struct name_row *row = *state;
    ce_auto(ce_rules_destroy) struct ce_rules *rules = ce_rules_create();
    struct ce_error err = {""};
    assert_int_equal(ce_rules_is_name(row->text), row->is_name);
    assert_int_equal(ce_rules_set(rules, row->text, "1", &err), row->is_name ? 0 : -1);
    if (!row->is_name)
        unit_holds(err.text, "is not the name of a variable");
}

static const struct value_row {
    const char *name, *value;
} values[] = {
    {"a_word_comes_back", "41"},
    {"an_empty_value_comes_back", ""},
    {"blanks_come_back", "  a b\t "},
    {"an_equals_sign_comes_back", "=mlx5_0,a=b"},
    {"quotes_come_back", "'\"\\"},
    {"bytes_past_ascii_come_back", "\xff\xc3\xa4"},
};

static void comes_back(void **state)
{
    const struct value_row *row = *state;
    ce_auto(ce_rules_destroy) struct ce_rules *rules = ce_rules_create();
    assert_int_equal(ce_rules_set(rules, "NAME", row->value, NULL), 0);
    char *written = write_down(rules);
    ce_auto(ce_rules_destroy) struct ce_rules *again = parse(written);
    assert_int_equal(again->variable_count, 1);
    assert_string_equal(ce_rules_get(again, "NAME"), row->value);
    free(written);
}

static void the_longest_name_and_value_come_back_and_longer_ones_are_errors(void **state)
{
    static char name[CE_KEY_PART + 2], value[CE_RULES_VALUE_MAX + 2];
    ce_auto(ce_rules_destroy) struct ce_rules *rules = ce_rules_create();
    struct ce_error err = {""};
    (void)state;
    memset(name, 'N', CE_KEY_PART - 1);
    memset(value, 'v', CE_RULES_VALUE_MAX);
    assert_int_equal(ce_rules_set(rules, name, value, NULL), 0);
    char *written = write_down(rules);
    ce_auto(ce_rules_destroy) struct ce_rules *again = parse(written);
    free(written);
    assert_non_null(ce_rules_get(again, name));
    assert_string_equal(ce_rules_get(again, name), value);
    name[CE_KEY_PART - 1] = 'N';
    assert_false(ce_rules_is_name(name));
    value[CE_RULES_VALUE_MAX] = 'v';
    assert_int_equal(ce_rules_set(rules, "NAME", value, &err), -1);
    unit_holds(err.text, "at most 4095 bytes");
    assert_int_equal(ce_rules_set(rules, "NAME", "a\nb", &err), -1);
    unit_holds(err.text, "a value of one line");
    assert_null(ce_rules_get(rules, "NAME"));
}

static void a_later_value_takes_the_place_of_an_earlier(void **state)
{
    ce_auto(ce_rules_destroy) struct ce_rules *rules = ce_rules_create();
    (void)state;
    assert_int_equal(ce_rules_set(rules, "A", "1", NULL), 0);
    assert_int_equal(ce_rules_set(rules, "B", "2", NULL), 0);
    assert_int_equal(ce_rules_set(rules, "A", "3", NULL), 0);
    assert_int_equal(rules->variable_count, 2);
    assert_string_equal(ce_rules_get(rules, "A"), "3");
    assert_null(ce_rules_get(rules, "a"));
    assert_null(ce_rules_get(NULL, "A"));
    is_written_as(rules, FRAMED("variable.A=3\nvariable.B=2\n"));
}

static void as_many_variables_as_are_allowed(void **state)
{
    ce_auto(ce_rules_destroy) struct ce_rules *rules = ce_rules_create();
    struct ce_error err = {""};
    (void)state;
    for (unsigned i = 0; i < CE_RULES_VARIABLES_MAX; i++) {
        char name[16];
        snprintf(name, sizeof name, "V%u", i);
        assert_int_equal(ce_rules_set(rules, name, "", NULL), 0);
    }
    assert_int_equal(ce_rules_set(rules, "V64", "", &err), -1);
    unit_holds(err.text, "V64: more than 64 variables");
    assert_int_equal(ce_rules_set(rules, "V63", "again", NULL), 0);
}

/* ---------------------------------------------------------------- the text form */

static const char whole[] = FRAMED(
    "variable.NCCL_IB_TC=41\nvariable.NCCL_TOPO_FILE=/etc/topo.xml\nrails.general.count=8\n"
    "rails.general.link_layer=infiniband\nrails.general.rate_gbps=400\n"
    "rails.group.0.names=gpu[31-32]\nrails.group.0.count=4\nrails.group.1.names=login[1-2]\n"
    "rails.group.1.count=0\nrails.group.1.link_layer=unknown\nrails.group.1.rate_gbps=0\n");

static void every_key_is_read_and_written_again(void **state)
{
    (void)state;
    ce_auto(ce_rules_destroy) struct ce_rules *rules = parse(whole);
    assert_string_equal(ce_rules_get(rules, "NCCL_IB_TC"), "41");
    assert_int_equal(rules->general.count, 8);
    assert_int_equal(rules->general.link_layer, IB);
    assert_int_equal(rules->general.rate_gbps, 400);
    assert_int_equal(rules->group_count, 2);
    assert_string_equal(rules->groups[0].names, "gpu[31-32]");
    assert_int_equal(rules->groups[0].rails.count, 4);
    assert_int_equal(rules->groups[0].keys, CE_RAILS_COUNT);
    assert_int_equal(rules->groups[1].keys, CE_RAILS_COUNT | CE_RAILS_LINK_LAYER | CE_RAILS_RATE);
    is_written_as(rules, whole);
}

static void no_rules_are_rules(void **state)
{
    (void)state;
    ce_auto(ce_rules_destroy) struct ce_rules *rules = parse(FRAMED("port.first=61000\nrails.count=8\n"));
    assert_int_equal(rules->variable_count, 0);
    assert_int_equal(rules->group_count, 0);
    assert_int_equal(rules->general.count, 0);
    is_written_as(rules, FRAMED(""));
    ce_rules_destroy(NULL);
}

static void as_many_groups_as_are_allowed_come_back(void **state)
{
    static const struct ce_rails_expected rails = {4, ETH, 0};
    ce_auto(ce_rules_destroy) struct ce_rules *rules = ce_rules_create();
    struct ce_error err = {""};
    (void)state;
    for (unsigned i = 0; i < CE_RULES_GROUPS_MAX; i++)
        assert_int_equal(ce_rules_add_group(rules, "n1", &rails, CE_RAILS_COUNT, NULL), 0);
    assert_int_equal(ce_rules_add_group(rules, "n1", &rails, CE_RAILS_COUNT, &err), -1);
    unit_holds(err.text, "more than 256 nodes sections");
    char *written = write_down(rules);
    ce_auto(ce_rules_destroy) struct ce_rules *again = parse(written);
    free(written);
    assert_int_equal(again->group_count, CE_RULES_GROUPS_MAX);
}

static const struct error_row {
    const char *name, *lines, *reason;
} errors[] = {
    {"a_number_that_is_none_is_an_error", "rails.general.count=x\n", "rails.general.count=x"},
    {"a_number_of_a_group_that_is_none_is_an_error",
     "rails.group.0.names=n1\nrails.group.0.rate_gbps=-1\n", "rails.group.0.rate_gbps=-1"},
    {"a_link_layer_of_a_group_that_is_none_is_an_error",
     "rails.group.0.names=n1\nrails.group.0.link_layer=ib\n", "rails.group.0.link_layer=ib"},
    {"a_name_that_is_none_is_an_error", "variable.1A=x\n", "'1A' is not the name"},
    {"a_name_with_a_dot_is_an_error", "variable.A%2eB=x\n", "is not the name"},
    {"a_variable_twice_is_an_error", "variable.A=x\nvariable.A=x\n", "twice"},
};

static void is_an_error(void **state)
{
    const struct error_row *row = *state;
    char text[256];
    struct ce_error err = {""};
    snprintf(text, sizeof text, FRAMED("%s"), row->lines);
    assert_null(ce_rules_parse(text, &err));
    unit_holds(err.text, row->reason);
}

static void rules_cut_at_any_byte_are_an_error(void **state)
{
    char text[sizeof whole];
    (void)state;
    memcpy(text, whole, sizeof whole);
    for (size_t length = strlen(text); length-- > 0;) {
        text[length] = '\0';
        assert_null(ce_rules_parse(text, NULL));
    }
}

/* ---------------------------------------------------------------- what is expected of a node */

static void groups_are_laid_one_over_the_other(void **state)
{
    struct ce_rails_expected rails = {8, IB, 400};
    const struct ce_rails_group slow = {NULL, {0, 0, 200}, CE_RAILS_RATE};
    const struct ce_rails_group unknown = {NULL, {0, 0, 0}, CE_RAILS_COUNT | CE_RAILS_LINK_LAYER};
    (void)state;
    ce_rails_lay(&slow, &rails);
    assert_int_equal(rails.count, 8);
    assert_int_equal(rails.link_layer, IB);
    assert_int_equal(rails.rate_gbps, 200);
    ce_rails_lay(&unknown, &rails);
    assert_int_equal(rails.count, 0);
    assert_int_equal(rails.link_layer, CE_LINK_UNKNOWN);
    assert_int_equal(rails.rate_gbps, 200);
}

int main(void)
{
    UNIT_TABLE(names, is_a_name);
    UNIT_TABLE(values, comes_back);
    UNIT_RULE(the_longest_name_and_value_come_back_and_longer_ones_are_errors);
    UNIT_RULE(a_later_value_takes_the_place_of_an_earlier);
    UNIT_RULE(as_many_variables_as_are_allowed);
    UNIT_RULE(every_key_is_read_and_written_again);
    UNIT_RULE(no_rules_are_rules);
    UNIT_RULE(as_many_groups_as_are_allowed_come_back);
    UNIT_TABLE(errors, is_an_error);
    UNIT_RULE(rules_cut_at_any_byte_are_an_error);
    UNIT_RULE(groups_are_laid_one_over_the_other);
    return UNIT_RUN("model/rules");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "model/request.h"

#include <stdlib.h>

#include "../unit.h"

#define ON .on = true, .torchrun = true

static const struct request_row {
    const char *name, *text;
    struct ce_request request;
} requests[] = {
    {"a_bare_option_means_on", NULL, {ON}},
    {"an_empty_text_means_on", "", {ON}},
    {"the_word_null_means_on", "(null)", {ON}},
    {"on", "on", {ON}},
    {"off", "off", {.torchrun = true}},
    {"port", "port=29500", {ON, .port = 29500}},
    {"the_least_port", "port=1", {ON, .port = 1}},
    {"the_greatest_port", "port=65535", {ON, .port = 65535}},
    {"torchrun_off", "torchrun=off", {.on = true}},
    {"torchrun_on", "torchrun=on", {ON}},
    {"rdma_auto", "rdma=auto", {ON}},
    {"rdma_off", "rdma=off", {ON, .rdma = CE_RDMA_OFF}},
    {"rdma_require", "rdma=require", {ON, .rdma = CE_RDMA_REQUIRE}},
    {"a_later_rdma_wins", "rdma=off,rdma=require,rdma=auto", {ON}},
    {"rdma_behind_off_means_on", "off,rdma=off", {ON, .rdma = CE_RDMA_OFF}},
    {"verbose", "verbose", {ON, .verbose = true}},
    {"gang", "gang", {ON, .gang = true}},
    {"output_primary", "output=primary", {ON, .primary_output = true}},
    {"output_all", "output=all", {ON}},
    {"a_later_output_wins", "output=primary,output=all", {ON}},
    {"retries", "retries=3", {ON, .retries = 3}},
    {"no_retries", "retries=0", {ON}},
    {"the_most_retries", "retries=1000", {ON, .retries = 1000}},
    {"gang_behind_off_means_on", "off,gang", {ON, .gang = true}},
    {"an_output_behind_off_means_on", "off,output=primary", {ON, .primary_output = true}},
    {"retries_behind_off_mean_on", "off,retries=1", {ON, .retries = 1}},
    {"a_gang_with_retries", "gang,retries=3", {ON, .gang = true, .retries = 3}},
    {"items_add_up", "verbose,port=7000,torchrun=off", {.on = true, .port = 7000, .verbose = true}},
    {"the_same_item_twice_is_no_error", "verbose,verbose", {ON, .verbose = true}},
    {"a_later_item_wins", "port=1000,port=2000", {ON, .port = 2000}},
    {"a_later_off_wins", "on,off", {.torchrun = true}},
    {"any_item_behind_off_means_on", "off,verbose", {ON, .verbose = true}},
    {"a_port_behind_off_means_on", "off,port=80", {ON, .port = 80}},
    {"a_choice_behind_off_means_on", "off,torchrun=on", {ON}},
    {"off_keeps_what_stands_before_it", "port=80,off", {.torchrun = true, .port = 80}},
    {"a_later_choice_wins", "torchrun=off,torchrun=on", {ON}},
};

static void same(const struct ce_request *a, const struct ce_request *b)
{
    assert_int_equal(a->on, b->on);
    assert_int_equal(a->torchrun, b->torchrun);
    assert_int_equal(a->verbose, b->verbose);
    assert_int_equal(a->port, b->port);
    assert_int_equal(a->rdma, b->rdma);
    assert_int_equal(a->gang, b->gang);
    assert_int_equal(a->primary_output, b->primary_output);
    assert_int_equal(a->retries, b->retries);
}

static void asks_for(void **state)
{
    const struct request_row *row = *state;
    struct ce_request request = {.port = 4711}, again;
    struct ce_error err = {""};
    assert_int_equal(ce_request_parse(row->text, &request, &err), 0);
    assert_string_equal(err.text, "");
    same(&request, &row->request);
    char text[CE_REQUEST_TEXT];
    assert_int_equal(ce_request_parse(ce_request_format(&request, text), &again, NULL), 0);
    same(&again, &request);
}

static const struct error_row {
    const char *name, *text, *shown;
} errors[] = {
    {"a_bogus_item_is_an_error", "bogus", "'bogus'"},
    {"a_bogus_item_behind_a_good_one_is_an_error", "on,bogus,verbose", "'bogus'"},
    {"an_item_is_written_exactly", "ON", "'ON'"},
    {"the_start_of_an_item_is_an_error", "verb", "'verb'"},
    {"a_longer_item_is_an_error", "verbose1", "'verbose1'"},
    {"a_space_is_part_of_an_item", "on, off", "' off'"},
    {"an_empty_first_item_is_an_error", ",on", "''"},
    {"an_empty_item_is_an_error", "on,,off", "''"},
    {"an_empty_last_item_is_an_error", "on,", "''"},
    {"a_value_where_none_belongs_is_an_error", "on=1", "'on=1'"},
    {"an_empty_value_where_none_belongs_is_an_error", "verbose=", "'verbose='"},
    {"a_port_without_value_is_an_error", "port", "'port'"},
    {"a_port_with_an_empty_value_is_an_error", "port=", "'port='"},
    {"port_zero_is_an_error", "port=0", "'port=0'"},
    {"a_port_past_65535_is_an_error", "port=65536", "'port=65536'"},
    {"a_negative_port_is_an_error", "port=-1", "'port=-1'"},
    {"a_port_with_a_letter_is_an_error", "port=1x", "'port=1x'"},
    {"a_port_past_all_numbers_is_an_error", "port=99999999999999999999", "'port=99999"},
    {"a_port_with_a_sign_is_an_error", "port=+80", "'port=+80'"},
    {"a_choice_that_is_none_is_an_error", "torchrun=maybe", "'torchrun=maybe'"},
    {"a_choice_without_value_is_an_error", "torchrun", "'torchrun'"},
    {"an_rdma_that_is_none_is_an_error", "rdma=on", "'rdma=on'"},
    {"an_rdma_in_capitals_is_an_error", "rdma=OFF", "'rdma=OFF'"},
    {"an_rdma_without_value_is_an_error", "rdma", "'rdma'"},
    {"an_rdma_with_an_empty_value_is_an_error", "rdma=", "'rdma='"},
    {"a_gang_with_a_value_is_an_error", "gang=on", "'gang=on'"},
    {"an_output_that_is_none_is_an_error", "output=0", "'output=0'"},
    {"an_output_without_value_is_an_error", "output", "'output'"},
    {"retries_without_number_are_an_error", "retries", "'retries'"},
    {"retries_with_an_empty_number_are_an_error", "retries=", "'retries='"},
    {"negative_retries_are_an_error", "retries=-1", "'retries=-1'"},
    {"retries_past_1000_are_an_error", "retries=1001", "'retries=1001'"},
    {"an_equals_sign_alone_is_an_error", "=", "'='"},
    {"null_among_others_is_an_error", "(null),on", "'(null)'"},
    {"a_format_is_an_error_and_only_shown", "%n%s", "'%n%s'"},
    {"an_escape_is_an_error_and_not_shown", "\x1b[2J", "'?[2J'"},
};

static void fails(const char *text, const char *shown)
{
    struct ce_request request = {.port = 4711};
    struct ce_error err = {""};
    assert_int_equal(ce_request_parse(text, &request, &err), -1);
    assert_int_equal(request.port, 4711);
    unit_holds(err.text, shown);
    unit_holds(err.text, CE_REQUEST_ITEMS);
}

static void is_an_error(void **state)
{
    const struct error_row *row = *state;
    fails(row->text, row->shown);
}

static void a_megabyte_is_an_error_that_is_shown_short(void **state)
{
    enum { SIZE = 1 << 20 };
    char *text = malloc(SIZE + 1);
    (void)state;
    assert_non_null(text);
    memset(text, 'x', SIZE);
    text[SIZE] = '\0';
    fails(text, "'xxxxx");
    for (int i = 2; i < SIZE; i += 3)
        memcpy(text + i - 2, "on,", 3);
    fails(text, "'x'");
    free(text);
}

static void every_request_has_a_text(void **state)
{
    static const uint32_t ports[] = {0, 1, 65535}, retries[] = {0, 7, 1000};
    (void)state;
    for (int i = 0; i < 864; i++) {
        struct ce_request again;
        struct ce_request request = {.on = i & 1,
                                     .torchrun = i & 2,
                                     .verbose = i & 4,
                                     .gang = i & 8,
                                     .primary_output = i & 16,
                                     .port = ports[i / 32 % 3],
                                     .rdma = (enum ce_rdma)(i / 96 % 3),
                                     .retries = retries[i / 288]};
        char text[CE_REQUEST_TEXT];
        assert_int_equal(ce_request_parse(ce_request_format(&request, text), &again, NULL), 0);
        assert_true(strlen(text) < CE_REQUEST_TEXT - 1);
        same(&again, &request);
    }
}

static void what_is_of_one_job_or_step_is_not_inherited(void **state)
{
    struct ce_request request;
    char text[CE_REQUEST_TEXT];
    (void)state;
    assert_int_equal(
        ce_request_parse("gang,retries=3,output=primary,port=80,verbose", &request, NULL), 0);
    request = ce_request_inherited(&request);
    assert_string_equal(ce_request_format(&request, text), "on,port=80,gang,verbose");
}

int main(void)
{
    UNIT_TABLE(requests, asks_for);
    UNIT_TABLE(errors, is_an_error);
    UNIT_RULE(a_megabyte_is_an_error_that_is_shown_short);
    UNIT_RULE(every_request_has_a_text);
    UNIT_RULE(what_is_of_one_job_or_step_is_not_inherited);
    return UNIT_RUN("model/request");
}

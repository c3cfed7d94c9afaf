/* SPDX-License-Identifier: Apache-2.0 */
#include "../../../helpers/gang_talk.h"

#include <errno.h>

#include "../unit.h"

static const struct answer_row {
    const char *name;
    int error;
    bool at_once;
    unsigned took_ms;
    enum gang_answer answer;
} answers[] = {
    {"connected", 0, false, 1, GANG_ANSWERED},
    {"refused", ECONNREFUSED, false, 1, GANG_ANSWERED},
    {"no_route", ENETUNREACH, true, 0, GANG_NO_PATH},
    {"the_interface_is_down", ENETDOWN, true, 0, GANG_NO_PATH},
    {"nobody_has_that_address", EHOSTUNREACH, false, 3060, GANG_NO_PATH},
    {"a_short_neighbour_lookup", EHOSTUNREACH, false, 1010, GANG_NO_PATH},
    {"a_filter_that_rejects_the_host", EHOSTUNREACH, false, 1, GANG_ANSWERED},
    {"a_filter_that_rejects_the_network", ENETUNREACH, false, 40, GANG_ANSWERED},
    {"an_address_that_it_does_not_have", EADDRNOTAVAIL, true, 0, GANG_NO_ADDRESS},
    {"no_port_is_free", EADDRINUSE, true, 0, GANG_NOT_SENT},
    {"no_file_is_free", EMFILE, true, 0, GANG_NOT_SENT},
    {"silence", ETIMEDOUT, false, 4000, GANG_SILENCE},
};

static void answers_tell(void **state)
{
    const struct answer_row *row = *state;
    assert_int_equal(gang_answer_of(row->error, row->at_once, row->took_ms), row->answer);
}

static void a_dial_from_anothers_address_says_so(void **state)
{
    struct ce_address own, other;
    (void)state;
    assert_int_equal(ce_address_parse("192.0.2.1", &own), 0); /* of documents: nobody's */
    assert_int_equal(ce_address_parse("127.0.0.1", &other), 0);
    assert_int_equal(gang_dial(&own, &other, 9), -1);
    assert_int_equal(errno, EADDRNOTAVAIL);
}

int main(void)
{
    UNIT_TABLE(answers, answers_tell);
    UNIT_RULE(a_dial_from_anothers_address_says_so);
    return UNIT_RUN("helpers/gang_talk");
}

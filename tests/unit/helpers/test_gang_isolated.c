/* SPDX-License-Identifier: Apache-2.0 */
#include "../../../helpers/gang_run.h"

#include <stdlib.h>

#include "../unit.h"

enum { PEERS = 8 };

/* Who was dialed, "ADDRESS ANSWER" each, and which of the addresses are of the job. */
static const struct row {
    const char *name;
    unsigned of_job; /* 10.0.0.1 to 10.0.0.N are */
    struct dialed {
        unsigned address; /* 10.0.0.N */
        enum gang_answer answer;
        bool tried;
    } dialed[PEERS];
    const char *interface;
    bool met, isolated;
} rows[] = {
    {"no_path_to_anybody", 3, {{1, GANG_NO_PATH, true}, {2, GANG_NO_PATH, true}, {9, GANG_NO_PATH, true}}, "", false, true},
    {"somebody_answers", 3, {{1, GANG_NO_PATH, true}, {2, GANG_NO_PATH, true}, {9, GANG_ANSWERED, true}}, "", false, false},
    {"one_is_silent", 3, {{1, GANG_NO_PATH, true}, {2, GANG_SILENCE, true}, {9, GANG_NO_PATH, true}}, "", false, false},
    {"no_port_was_free", 3, {{1, GANG_NO_PATH, true}, {2, GANG_NO_PATH, true}, {9, GANG_NOT_SENT, true}}, "", false, false},
    {"one_is_not_tried_yet", 3, {{1, GANG_NO_PATH, true}, {2, GANG_NO_PATH, true}, {9, 0, false}}, "", false, false},
    {"somebody_was_met", 3, {{1, GANG_NO_PATH, true}, {9, GANG_NO_PATH, true}}, "", true, false},
    {"its_interface_is_gone", 3, {{1, GANG_NO_ADDRESS, true}, {9, GANG_NO_ADDRESS, true}}, "nonesuch0", false, true},
    {"another_address_on_a_link_that_is_up", 3, {{1, GANG_NO_ADDRESS, true}, {9, GANG_NO_ADDRESS, true}}, "lo", false, false},
    {"two_of_the_job_are_off", 3, {{1, GANG_NO_PATH, true}, {2, GANG_NO_PATH, true}, {1, GANG_NO_PATH, true}}, "", false, false},
    {"three_of_the_job_are_off", 4, {{1, GANG_NO_PATH, true}, {2, GANG_NO_PATH, true}, {3, GANG_NO_PATH, true}}, "", false, false},
    {"no_path_to_four_of_the_job", 5, {{1, GANG_NO_PATH, true}, {2, GANG_NO_PATH, true}, {3, GANG_NO_PATH, true}, {4, GANG_NO_PATH, true}}, "", false, true},
    {"one_address_alone", 2, {{1, GANG_NO_PATH, true}, {1, GANG_NO_PATH, true}}, "", false, false},
};

static struct ce_address address_of(unsigned number)
{
    return (struct ce_address){.family = AF_INET, .bytes = {10, 0, 0, (unsigned char)number}};
}

struct gang_peer *gang_peer_add(struct gang_run *run, enum gang_role role, uint32_t node,
                                const struct ce_address *address)
{
    struct gang_peer *peer = calloc(1, sizeof *peer);
    assert_non_null(peer);
    assert_true(run->peer_count < run->peer_room);
    *peer = (struct gang_peer){.role = role, .node = node, .address = *address, .dialed = true};
    run->peers[run->peer_count++] = peer;
    return peer;
}

static void forget(struct gang_run *run)
{
    for (size_t i = 0; i < run->peer_count; i++)
        free(run->peers[i]);
}

static void judges(void **state)
{
    const struct row *row = *state;
    char why[CE_GANG_WHY];
    struct gang_peer *peers[PEERS];
    struct ce_address addresses[PEERS];
    struct gang_run run = {.peers = peers, .peer_room = PEERS, .met = row->met};
    for (unsigned i = 0; i < row->of_job; i++)
        addresses[i] = address_of(i + 1);
    run.task.addresses = addresses;
    run.task.count = row->of_job;
    snprintf(run.task.interface, sizeof run.task.interface, "%s", row->interface);
    for (size_t i = 0; i < PEERS && row->dialed[i].address; i++) {
        struct ce_address address = address_of(row->dialed[i].address);
        struct gang_peer *peer = gang_peer_add(&run, GANG_WITNESS, 0, &address);
        peer->answer = row->dialed[i].answer;
        peer->tried = row->dialed[i].tried;
    }
    assert_int_equal(gang_why_isolated(&run, why) != NULL, row->isolated);
    forget(&run);
}

static void who_is_dialed_is_no_witness(void **state)
{
    struct gang_peer *peers[PEERS];
    struct ce_address dialed = address_of(1);
    struct gang_run run = {.peers = peers, .peer_room = PEERS};
    (void)state;
    gang_peer_add(&run, GANG_TO_NEXT, 0, &dialed);
    run.task.witnesses[0] = dialed;
    run.task.witnesses[1] = address_of(2);
    run.task.witness_count = 2;
    gang_witnesses_ask(&run);
    assert_true(run.witnessed);
    assert_int_equal(run.peer_count, 2);
    assert_true(ce_address_equal(&run.peers[1]->address, &run.task.witnesses[1]));
    forget(&run);
}

int main(void)
{
    UNIT_TABLE(rows, judges);
    UNIT_RULE(who_is_dialed_is_no_witness);
    return UNIT_RUN("helpers/gang_isolated");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "../../../helpers/gang_run.h"

#include "../unit.h"

enum { NODES = 4, PEERS = 128 };

/* So many strangers of each of the first nodes are here: may one more of `from` come? */
static const struct row {
    const char *name;
    unsigned here[NODES], gone, from;
    bool admitted;
} rows[] = {
    {"the_first", {0}, 0, 0, true},
    {"none_of_the_job", {0}, 0, NODES, false},
    {"the_eighth_of_one_address", {7}, 0, 0, true},
    {"the_ninth_of_one_address", {8}, 0, 0, false},
    {"those_of_others_do_not_count_for_it", {8, 8, 7}, 0, 3, true},
    {"who_was_dropped_does_not_count", {7}, 20, 0, true},
};

static void comes(void **state)
{
    const struct row *row = *state;
    static struct gang_peer all[PEERS];
    struct gang_peer *peers[PEERS];
    struct ce_address addresses[NODES + 1];
    struct gang_run run = {.peers = peers};
    for (unsigned i = 0; i <= NODES; i++)
        addresses[i] = (struct ce_address){.family = AF_INET, .bytes = {10, 0, 0, (unsigned char)i}};
    run.task.addresses = addresses;
    run.task.count = NODES;
    for (unsigned node = 0; node < NODES; node++)
        for (unsigned i = 0; i < row->here[node] + (node ? 0 : row->gone); i++) {
            struct gang_peer *peer = &all[run.peer_count];
            *peer = (struct gang_peer){.role = GANG_STRANGER, .address = addresses[node],
                                       .step = i < row->here[node] ? GANG_WAITING : GANG_GONE};
            peers[run.peer_count++] = peer;
        }
    assert_int_equal(gang_admits(&run, &addresses[row->from]), row->admitted);
}

int main(void)
{
    UNIT_TABLE(rows, comes);
    return UNIT_RUN("helpers/gang_stranger");
}

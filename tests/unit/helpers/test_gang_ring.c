/* SPDX-License-Identifier: Apache-2.0 */
#include "../../../helpers/gang_run.h"

#include <sys/socket.h>
#include <unistd.h>

#include "../unit.h"

/* ---------------------------------------------------------------- what the ring asks of others */

uint64_t gang_ms(uint64_t ms)
{
    return ms * 1000000;
}

void gang_peer_say(struct gang_run *run, struct gang_peer *peer, struct ce_gang_message *message)
{
    (void)run, (void)peer, (void)message;
}

void gang_peer_lose(struct gang_run *run, struct gang_peer *peer, const char *why)
{
    (void)run, (void)peer;
    fail_msg("%s", why);
}

void gang_turns_open(struct gang_run *run, struct gang_peer *peer)
{
    (void)run, (void)peer;
}

void gang_turns_tick(struct gang_run *run, struct gang_peer *peer, uint64_t now)
{
    (void)run, (void)peer, (void)now;
}

/* ---------------------------------------------------------------- a neighbour that does not talk */

static const struct unfinished_row {
    const char *name;
    bool tried;
    enum gang_answer answer;
    const char *why;
    enum ce_gang_reach reach;
    const char *told;
} unfinished[] = {
    {"not_tried_yet", false, 0, "", CE_GANG_FAILED, "no answer"},
    {"silence", true, GANG_SILENCE, "Connection timed out", CE_GANG_FAILED, "Connection timed out"},
    {"no_path", true, GANG_NO_PATH, "No route to host", CE_GANG_FAILED, "No route to host"},
    {"another_program_answers", true, GANG_ANSWERED, "another program answers", CE_GANG_UNTRIED, "another program answers"},
    {"nobody_listens", true, GANG_ANSWERED, "it does not listen", CE_GANG_UNTRIED, "it does not listen"},
    {"no_own_address", true, GANG_NO_ADDRESS, "Cannot assign requested address", CE_GANG_UNTRIED, "Cannot assign requested address"},
    {"no_port_was_free", true, GANG_NOT_SENT, "Address already in use", CE_GANG_UNTRIED, "Address already in use"},
};

static void an_unfinished_link(void **state)
{
    const struct unfinished_row *row = *state;
    struct gang_peer peer = {.role = GANG_TO_NEXT, .tried = row->tried, .answer = row->answer};
    struct gang_peer *peers[] = {&peer};
    struct gang_run run = {.peers = peers, .peer_count = 1,
                           .began = ce_clock_ns() - gang_ms(2 * CE_GANG_SETTLED_MS)};
    struct ce_gang_view view;
    snprintf(peer.why, sizeof peer.why, "%s", row->why);
    gang_ring_view(&run, &view);
    assert_int_equal(view.links[CE_GANG_NEXT].reach, row->reach);
    assert_string_equal(view.links[CE_GANG_NEXT].why, row->told);
}

static void a_node_without_a_port_says_so(void **state)
{
    struct gang_run run = {.listening = -1};
    struct ce_gang_view view;
    (void)state;
    gang_ring_view(&run, &view);
    assert_string_equal(view.links[CE_GANG_PREV].why, "this node cannot listen");
    assert_int_equal(view.links[CE_GANG_PREV].reach, CE_GANG_UNTRIED);
    run.listening = 0;
    gang_ring_view(&run, &view);
    assert_string_equal(view.links[CE_GANG_PREV].why, "");
}

/* ---------------------------------------------------------------- measuring the network */

static void the_first_datum_goes_out_however_late(void **state)
{
    struct gang_peer peer = {.role = GANG_TO_NEXT, .whole = true};
    struct gang_run run = {.task.facts.whole = true};
    int ends[2];
    char bytes[64];
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    gang_talk_begin(&peer.talk, ends[0]);
    peer.opened = ce_clock_ns();
    gang_ring_open(&run, &peer);
    uint64_t late = peer.opened + gang_ms(500);
    gang_ring_tick(&run, &peer, late);
    assert_true(recv(ends[1], bytes, sizeof bytes, 0) == sizeof bytes);
    assert_true(peer.sends_end > late && peer.sends_end < late + gang_ms(1000));
    gang_talk_end(&peer.talk);
    close(ends[1]);
}

int main(void)
{
    UNIT_RULE(a_node_without_a_port_says_so);
    UNIT_RULE(the_first_datum_goes_out_however_late);
    UNIT_TABLE(unfinished, an_unfinished_link);
    return UNIT_RUN("helpers/gang_ring");
}

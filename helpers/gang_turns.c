/* SPDX-License-Identifier: Apache-2.0 */
/* Whose turn it is to write over the rails: first every node writes to the one after it, then to the one
 * before it, so that a port sends to one and takes from one at a time. */
#include <stdlib.h>
#include <string.h>

#include "gang_run.h"

/* A neighbour that fell behind is not waited for longer; the link is there all the same. */
enum { PATIENCE_MS = 7500 };

static enum ce_gang_side side_of(const struct gang_peer *peer)
{
    return peer->role == GANG_TO_NEXT ? CE_GANG_NEXT : CE_GANG_PREV;
}

void gang_turns_open(struct gang_run *run, struct gang_peer *peer)
{
    run->result.own.sent = true;
    gang_rails_begin(&peer->between, &run->task, peer->rails);
}

void gang_turns_end(struct gang_peer *peer)
{
    gang_rails_end(&peer->between);
    free(peer->ends);
    peer->ends = NULL;
    peer->ends_told = false;
    memset(peer->heard, 0, sizeof peer->heard);
    memset(peer->said, 0, sizeof peer->said);
}

void gang_turns_message(struct gang_peer *peer, struct ce_gang_message *message)
{
    if (message->kind == CE_GANG_STEP)
        peer->heard[message->step] = true;
    if (message->kind != CE_GANG_ENDS || peer->ends)
        return;
    peer->ends = message->text;
    message->text = NULL;
}

static void say_step(struct gang_run *run, struct gang_peer *peer, enum ce_gang_step step)
{
    struct ce_gang_message message = {.kind = CE_GANG_STEP, .step = (uint32_t)step};
    if (peer->said[step])
        return;
    peer->said[step] = true;
    gang_peer_say(run, peer, &message);
}

/* ---------------------------------------------------------------- getting ready */

static void tell_ends(struct gang_run *run, struct gang_peer *peer, char *ends)
{
    struct ce_gang_message message = {.kind = CE_GANG_ENDS, .text = ends};
    peer->ends_told = true;
    gang_peer_say(run, peer, &message);
}

/* Without preflight-rails there are no ends, which the other one has to hear. */
static void tell_none(struct gang_run *run, struct gang_peer *peer)
{
    ce_autotext struct ce_text none = CE_TEXT(CE_GANG_RAILS * sizeof "none\n");
    for (uint32_t i = 0; i < peer->rails; i++)
        ce_text_add(&none, "none\n");
    if (ce_text_ok(&none))
        tell_ends(run, peer, none.data);
    say_step(run, peer, CE_GANG_READY);
}

static void get_ready(struct gang_run *run, struct gang_peer *peer)
{
    struct gang_rails *between = &peer->between;
    if (between->state == GANG_RAILS_ENDS && !peer->ends_told)
        tell_ends(run, peer, between->ends.data);
    if (between->state == GANG_RAILS_NONE && !peer->ends_told)
        tell_none(run, peer);
    if (between->state == GANG_RAILS_ENDS && peer->ends && *peer->ends) {
        gang_rails_connect(between, peer->ends);
        *peer->ends = '\0';
    }
    if (between->state == GANG_RAILS_READY)
        say_step(run, peer, CE_GANG_READY);
}

/* ---------------------------------------------------------------- turns */

/* The other neighbour; NULL: it is not measured with. */
static struct gang_peer *find_other(struct gang_run *run, const struct gang_peer *peer)
{
    for (size_t i = 0; i < run->peer_count; i++) {
        struct gang_peer *other = run->peers[i];
        if ((other->role == GANG_TO_NEXT || other->role == GANG_FROM_PREV) && other != peer &&
            other->step == GANG_TALKING && other->rails && !run->done[side_of(other)])
            return other;
    }
    return NULL;
}

static bool has_written(const struct gang_peer *peer)
{
    return peer->between.state == GANG_RAILS_DONE || peer->between.state == GANG_RAILS_NONE;
}

/* To the one after it. */
static void take_first_turn(struct gang_run *run, struct gang_peer *next)
{
    struct gang_peer *prev = find_other(run, next);
    if (next->between.state == GANG_RAILS_READY && next->heard[CE_GANG_READY])
        gang_rails_go(&next->between);
    if (!has_written(next))
        return;
    say_step(run, next, CE_GANG_WRITTEN);
    if (prev && !prev->heard[CE_GANG_WRITTEN])
        return;
    say_step(run, next, CE_GANG_TURN);
    if (prev)
        say_step(run, prev, CE_GANG_TURN);
}

/* To the one before it. */
static void take_second_turn(struct gang_run *run, struct gang_peer *prev)
{
    const struct gang_peer *next = find_other(run, prev);
    bool turn = prev->heard[CE_GANG_TURN] && (!next || next->heard[CE_GANG_TURN]) &&
                prev->said[CE_GANG_TURN];
    if (!next && has_written(prev) == false && prev->heard[CE_GANG_WRITTEN])
        say_step(run, prev, CE_GANG_TURN);
    if (turn && prev->between.state == GANG_RAILS_READY && prev->heard[CE_GANG_READY])
        gang_rails_go(&prev->between);
    if (has_written(prev))
        say_step(run, prev, CE_GANG_BACK);
}

static bool is_through(const struct gang_peer *peer)
{
    return has_written(peer) &&
           peer->heard[peer->role == GANG_TO_NEXT ? CE_GANG_BACK : CE_GANG_WRITTEN];
}

void gang_turns_tick(struct gang_run *run, struct gang_peer *peer, uint64_t now)
{
    struct gang_rails *between = &peer->between;
    if (run->done[side_of(peer)])
        return;
    if (between->fd >= 0)
        gang_rails_hear(between);
    get_ready(run, peer);
    if (peer->role == GANG_TO_NEXT)
        take_first_turn(run, peer);
    else
        take_second_turn(run, peer);
    if (peer->step != GANG_TALKING || (!is_through(peer) && now < peer->opened + gang_ms(PATIENCE_MS)))
        return;
    memcpy(run->result.own.links[side_of(peer)].mbps, between->mbps, sizeof between->mbps);
    gang_rails_end(between);
    gang_ring_finish(run, peer, CE_GANG_GOOD, "");
}

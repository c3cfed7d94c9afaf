/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "gang_run.h"

/* One datum that comes through is enough to be a link; none for so long is a path that carries only
 * small packets. */
enum { SEND_MS = 120, METER_MS = 100, SPAN_MS = 15, NO_DATA_MS = 2500 };

static enum ce_gang_side side_of(const struct gang_peer *peer)
{
    return peer->role == GANG_TO_NEXT ? CE_GANG_NEXT : CE_GANG_PREV;
}

void gang_ring_finish(struct gang_run *run, struct gang_peer *peer, enum ce_gang_reach reach,
                      const char *why)
{
    struct ce_gang_link *link = &run->result.own.links[side_of(peer)];
    peer->measures = false;
    run->done[side_of(peer)] = true;
    link->reach = reach;
    snprintf(link->why, sizeof link->why, "%s", why);
    gang_ring_tell(run);
}

/* ---------------------------------------------------------------- measuring the network */

static uint32_t rate(uint64_t bytes, uint64_t ns)
{
    uint64_t mbps = ns ? bytes * 8 * 1000 / ns : 0;
    return mbps > UINT32_MAX ? UINT32_MAX : mbps > 0 ? (uint32_t)mbps : 1;
}

void gang_ring_data(struct gang_peer *peer, uint32_t bytes)
{
    struct gang_meter *meter = &peer->meter;
    uint64_t now = ce_clock_ns();
    if (!peer->measures)
        return;
    if (!meter->begin) { /* what came so far was on its way before */
        meter->begin = meter->span_begin = now;
        return;
    }
    meter->bytes += bytes;
    meter->span_bytes += bytes;
    if (now - meter->span_begin < gang_ms(SPAN_MS))
        return;
    uint32_t mbps = rate(meter->span_bytes, now - meter->span_begin);
    if (mbps > meter->best_mbps)
        meter->best_mbps = mbps;
    meter->span_begin = now;
    meter->span_bytes = 0;
}

/* Where two jobs share a node neither is disturbed by the other's measurement. */
void gang_ring_open(struct gang_run *run, struct gang_peer *peer)
{
    peer->meter = (struct gang_meter){.begin = 0};
    bool both = run->task.facts.whole && peer->whole;
    peer->measures = both && !run->task.facts.measured && !peer->rails;
    peer->rails = both && peer->rails < run->task.facts.measured ? peer->rails
                  : both                                         ? run->task.facts.measured
                                                                 : 0;
    peer->sends = peer->measures;
    peer->sends_end = 0;
    if (peer->rails)
        gang_turns_open(run, peer);
    else if (!peer->measures && !run->done[side_of(peer)])
        gang_ring_finish(run, peer, CE_GANG_GOOD, "");
}

void gang_ring_tick(struct gang_run *run, struct gang_peer *peer, uint64_t now)
{
    const struct gang_meter *meter = &peer->meter;
    if (peer->rails) {
        gang_turns_tick(run, peer, now);
        return;
    }
    if (peer->sends && !peer->sends_end) /* the first datum goes out however late it is */
        peer->sends_end = now + gang_ms(SEND_MS);
    if (peer->sends && now < peer->sends_end && !gang_talk_is_pending(&peer->talk) &&
        (gang_talk_say(&peer->talk, CE_GANG_DATA, NULL, CE_GANG_DATA_MAX) < 0 ||
         gang_talk_flush(&peer->talk) < 0)) {
        gang_peer_lose(run, peer, "it closed the connection");
        return;
    }
    if (!peer->measures || run->done[side_of(peer)])
        return;
    if (meter->begin && now >= meter->begin + gang_ms(METER_MS)) {
        run->result.own.links[side_of(peer)].mbps[0] =
            meter->best_mbps ? meter->best_mbps : rate(meter->bytes, now - meter->begin);
        gang_ring_finish(run, peer, CE_GANG_GOOD, "");
    } else if (!meter->begin && now >= peer->opened + gang_ms(NO_DATA_MS))
        gang_ring_finish(run, peer, CE_GANG_FAILED, "it answers, but data do not come through");
}

/* ---------------------------------------------------------------- the view */

/* Who answers, if only by another program, is reached: any user can have taken the ports there. */
static bool is_unreached(const struct gang_peer *peer)
{
    return !peer->tried || peer->answer == GANG_SILENCE || peer->answer == GANG_NO_PATH;
}

/* A link that is not done.  Who dials knows why it does not get through; who is not dialed knows nothing;
 * where only the rails are still measured, there is a link. */
static void view_unfinished(const struct gang_run *run, const struct gang_peer *peer,
                            struct ce_gang_link *ret)
{
    bool settled = ce_clock_ns() >= run->began + gang_ms(CE_GANG_SETTLED_MS);
    if (peer->step == GANG_TALKING && peer->rails) {
        ret->reach = CE_GANG_GOOD;
    } else if (peer->step != GANG_TALKING && peer->role == GANG_TO_NEXT && settled) {
        ret->reach = is_unreached(peer) ? CE_GANG_FAILED : CE_GANG_UNTRIED;
        snprintf(ret->why, sizeof ret->why, "%s", peer->why[0] ? peer->why : "no answer");
    }
}

void gang_ring_view(struct gang_run *run, struct ce_gang_view *ret)
{
    *ret = run->result.own;
    ret->final = gang_is_final(run);
    ret->nccl = run->nccl.part;
    if (run->listening < 0 && !run->done[CE_GANG_PREV])
        snprintf(ret->links[CE_GANG_PREV].why, sizeof ret->links[CE_GANG_PREV].why,
                 "this node cannot listen");
    for (size_t i = 0; i < run->peer_count; i++) {
        const struct gang_peer *peer = run->peers[i];
        if ((peer->role == GANG_TO_NEXT || peer->role == GANG_FROM_PREV) &&
            !run->done[side_of(peer)])
            view_unfinished(run, peer, &ret->links[side_of(peer)]);
    }
}

void gang_ring_tell(struct gang_run *run)
{
    struct ce_gang_message message = {.kind = CE_GANG_VIEW};
    if (!run->task.out && !gang_is_final(run))
        return;
    gang_ring_view(run, &message.view);
    for (size_t i = 0; i < run->peer_count; i++) {
        struct gang_peer *peer = run->peers[i];
        if (peer->role != GANG_TO_JUDGE || peer->step != GANG_TALKING || peer->told)
            continue;
        peer->told = true;
        gang_peer_say(run, peer, &message);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "gang_run.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "base/parse.h"

/* A path that does not exist is known after three seconds of questions for the link's address.  But first
 * the other ports are tried: who has taken one and accepts nothing is as silent. */
enum { DIAL_MS = 4000, PORT_MS = 500, OFFER_MS = 1000, HELLO_MS = 2500, AGAIN_MS = 40, PORT_STRIDE = 251 };
enum { FRAMES_AT_ONCE = 32 };

unsigned gang_port(const struct ce_gang_task *task, unsigned attempt)
{
    uint64_t size = task->port_last - task->port_first + 1;
    return task->port_first +
           (unsigned)((task->job + (uint64_t)(attempt % GANG_PORTS) * PORT_STRIDE) % size);
}

/* ---------------------------------------------------------------- the list */

struct gang_peer *gang_peer_add(struct gang_run *run, enum gang_role role, uint32_t node,
                                const struct ce_address *address)
{
    if (run->peer_count == run->peer_room) {
        size_t room = run->peer_room ? 2 * run->peer_room : 16;
        struct gang_peer **grown = realloc(run->peers, room * sizeof *grown);
        if (!grown)
            return NULL;
        run->peers = grown;
        run->peer_room = room;
    }
    struct gang_peer *peer = calloc(1, sizeof *peer);
    if (!peer)
        return NULL;
    peer->role = role;
    peer->node = node;
    peer->address = *address;
    peer->dialed = role <= GANG_WITNESS;
    gang_talk_begin(&peer->talk, -1);
    peer->between.fd = -1;
    run->peers[run->peer_count++] = peer;
    return peer;
}

void gang_peer_free(struct gang_peer *peer)
{
    gang_talk_end(&peer->talk);
    gang_turns_end(peer);
    free(peer);
}

struct gang_peer *gang_peer_find(const struct gang_run *run, enum gang_role role, uint32_t node)
{
    for (size_t i = 0; i < run->peer_count; i++) {
        struct gang_peer *peer = run->peers[i];
        if (peer->role == role && peer->node == node && peer->step == GANG_TALKING)
            return peer;
    }
    return NULL;
}

static void set_step(struct gang_peer *peer, enum gang_step step, unsigned patience_ms)
{
    peer->step = step;
    peer->due = ce_clock_ns() + gang_ms(patience_ms);
}

/* A dialed one is dialed again, at the next of the job's ports; after the last of them, after a pause. */
void gang_peer_lose(struct gang_run *run, struct gang_peer *peer, const char *why)
{
    snprintf(peer->why, sizeof peer->why, "%.90s", why);
    if (peer->role == GANG_STRANGER) {
        run->result.refused++;
        snprintf(run->result.refusal, sizeof run->result.refusal, "%.90s", why);
    }
    gang_talk_end(&peer->talk);
    gang_turns_end(peer);
    peer->told = false;
    peer->opened = 0;
    if (peer->dialed && peer->role != GANG_WITNESS)
        set_step(peer, GANG_IDLE, ++peer->attempts % GANG_PORTS ? 0 : AGAIN_MS);
    else
        peer->step = GANG_GONE;
}

/* ---------------------------------------------------------------- saying */

/* A number used once; its digits are the only part of it that others see. */
static void make_nonce(char ret[CE_GANG_NONCE])
{
    unsigned char bytes[(CE_GANG_NONCE - 1) / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        abort();
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(ret + 2 * i, 3, "%02x", bytes[i]);
}

void gang_peer_say(struct gang_run *run, struct gang_peer *peer, struct ce_gang_message *message)
{
    struct ce_error err;
    ce_autotext struct ce_text text = CE_TEXT(CE_GANG_FRAME_MAX),
                               sealed = CE_TEXT(CE_GANG_FRAME_MAX);
    message->job = run->task.job;
    message->from = run->task.self;
    message->to = peer->node;
    ce_copy(message->nonce, sizeof message->nonce, peer->other);
    ce_gang_message_write(message, &text);
    if (!ce_text_ok(&text))
        ce_fail(&err, "no memory");
    else if (gang_seal_close(run->seal, ce_text_string(&text), &sealed, &err) == 0) {
        if (gang_talk_say(&peer->talk, CE_GANG_SEALED, sealed.data, (uint32_t)sealed.length) == 0 &&
            gang_talk_flush(&peer->talk) == 0)
            return;
        ce_fail(&err, "it closed the connection");
    }
    gang_peer_lose(run, peer, err.text);
}

static void offer(struct gang_run *run, struct gang_peer *peer)
{
    struct ce_gang_offer offer = {.job = run->task.job, .from = run->task.self};
    ce_autotext struct ce_text text = CE_TEXT(CE_GANG_FRAME_MAX);
    make_nonce(peer->own);
    memcpy(offer.nonce, peer->own, sizeof offer.nonce);
    ce_gang_offer_write(&offer, &text);
    if (!ce_text_ok(&text) ||
        gang_talk_say(&peer->talk, CE_GANG_OPEN, text.data, (uint32_t)text.length) < 0 ||
        gang_talk_flush(&peer->talk) < 0)
        gang_peer_lose(run, peer, "it closed the connection");
}

void gang_peer_came(struct gang_run *run, int fd, const struct ce_address *from)
{
    struct gang_peer *peer = gang_peer_add(run, GANG_STRANGER, 0, from);
    if (!peer) {
        gang_talk_end(&(struct gang_talk){.fd = fd});
        return;
    }
    gang_talk_begin(&peer->talk, fd);
    set_step(peer, GANG_WAITING, HELLO_MS);
    offer(run, peer);
}

/* ---------------------------------------------------------------- dialing */

static void dial_ended(struct gang_run *run, struct gang_peer *peer, int error)
{
    bool at_once = peer->step == GANG_IDLE;
    peer->tried = true;
    peer->answer = gang_answer_of(error, at_once, at_once ? 0 : ce_clock_ms_since(peer->dialed_at));
    if (error || peer->role == GANG_WITNESS)
        gang_peer_lose(run, peer, error == ECONNREFUSED ? "it does not listen" : strerror(error));
    else
        set_step(peer, GANG_WAITING, OFFER_MS);
}

static void dial(struct gang_run *run, struct gang_peer *peer)
{
    const struct ce_gang_task *task = &run->task;
    int fd = gang_dial(&task->addresses[task->self], &peer->address,
                       gang_port(task, peer->attempts));
    if (fd < 0) {
        dial_ended(run, peer, errno);
        return;
    }
    gang_talk_begin(&peer->talk, fd);
    peer->dialed_at = ce_clock_ns();
    bool more = peer->role != GANG_WITNESS && peer->attempts < GANG_PORTS - 1;
    set_step(peer, GANG_DIALING, more ? PORT_MS : DIAL_MS);
}

/* ---------------------------------------------------------------- greeting */

static void hear_offer(struct gang_run *run, struct gang_peer *peer)
{
    struct ce_gang_offer offer;
    struct ce_gang_message hello = {.kind = CE_GANG_HELLO, .whole = run->task.facts.whole,
                                    .rails = run->task.facts.measured};
    if (peer->talk.type != CE_GANG_OPEN ||
        ce_gang_offer_parse(peer->talk.frame, &offer, NULL) < 0) {
        gang_peer_lose(run, peer, "another program answers");
        return;
    }
    if (offer.job != run->task.job || offer.from != peer->node) {
        gang_peer_lose(run, peer, "another job's preflight answers");
        return;
    }
    memcpy(peer->other, offer.nonce, sizeof peer->other);
    make_nonce(peer->own);
    memcpy(hello.own, peer->own, sizeof hello.own);
    hello.ring = peer->role == GANG_TO_NEXT;
    uint64_t now = ce_clock_ns();
    hello.left_ms = now < run->bound ? (uint32_t)((run->bound - now) / 1000000) : 0;
    set_step(peer, GANG_GREETED, HELLO_MS);
    gang_peer_say(run, peer, &hello);
}

static void open_peer(struct gang_run *run, struct gang_peer *peer, uint32_t left_ms)
{
    set_step(peer, GANG_TALKING, 0);
    peer->opened = ce_clock_ns();
    peer->why[0] = '\0';
    run->met = true;
    if (peer->role == GANG_TO_NEXT || peer->role == GANG_FROM_PREV)
        gang_ring_open(run, peer);
    else if (peer->role == GANG_FROM_NODE)
        gang_board_came(run, peer, left_ms);
    else
        gang_ring_tell(run);
}

/* NULL where the hello may be believed. */
static const char *why_not(const struct gang_run *run, const struct gang_peer *peer,
                           const struct ce_gang_message *hello)
{
    const struct ce_gang_task *task = &run->task;
    if (hello->kind != CE_GANG_HELLO || hello->from == task->self)
        return "no hello";
    if (!ce_address_equal(&peer->address, &task->addresses[hello->from]))
        return "a hello from another address than that node's";
    if (hello->ring && (hello->from + 1) % task->count != task->self)
        return "a hello of who is no neighbour";
    return hello->ring || gang_is_judge(run) ? NULL : "a hello to a judge, which this node is not";
}

static void hear_hello(struct gang_run *run, struct gang_peer *peer,
                       const struct ce_gang_message *hello)
{
    struct ce_gang_message welcome = {.kind = CE_GANG_WELCOME, .whole = run->task.facts.whole,
                                      .rails = run->task.facts.measured};
    const char *why = why_not(run, peer, hello);
    if (why) {
        gang_peer_lose(run, peer, why);
        return;
    }
    enum gang_role role = hello->ring ? GANG_FROM_PREV : GANG_FROM_NODE;
    struct gang_peer *older = gang_peer_find(run, role, hello->from);
    if (older)
        gang_peer_lose(run, older, "it came again");
    peer->role = role;
    peer->node = hello->from;
    peer->whole = hello->whole;
    peer->rails = hello->rails;
    memcpy(peer->other, hello->own, sizeof peer->other);
    gang_peer_say(run, peer, &welcome);
    if (peer->step != GANG_GONE)
        open_peer(run, peer, hello->left_ms);
}

/* ---------------------------------------------------------------- hearing */

static void hear_verdict(struct gang_run *run, const struct gang_peer *peer,
                         const struct ce_gang_verdict *verdict)
{
    if (peer->node == 0) {
        run->result.verdict = *verdict;
        run->result.end = CE_GANG_JUDGED;
        run->over = true;
    } else {
        run->deputy = *verdict;
        run->deputy_heard = true;
    }
}

/* Of somebody who is known, in an order that makes sense; all else is passed over. */
static void hear_known(struct gang_run *run, struct gang_peer *peer,
                       struct ce_gang_message *message)
{
    if (peer->step == GANG_GREETED && message->kind == CE_GANG_WELCOME) {
        peer->whole = message->whole;
        peer->rails = message->rails;
        open_peer(run, peer, 0);
    } else if (peer->role == GANG_FROM_NODE && message->kind == CE_GANG_VIEW)
        gang_board_view(run, peer->node, &message->view);
    else if (peer->role == GANG_TO_NEXT || peer->role == GANG_FROM_PREV)
        gang_turns_message(peer, message);
    else if (peer->role == GANG_TO_JUDGE && message->kind == CE_GANG_VERDICT)
        hear_verdict(run, peer, &message->verdict);
    else if (peer->role == GANG_TO_JUDGE && message->kind == CE_GANG_CALL) {
        struct ce_gang_message view = {.kind = CE_GANG_VIEW};
        gang_ring_view(run, &view.view);
        gang_peer_say(run, peer, &view);
    }
}

static void hear_sealed(struct gang_run *run, struct gang_peer *peer)
{
    struct ce_error err;
    struct ce_gang_message message = {.text = NULL};
    ce_autotext struct ce_text text = CE_TEXT(CE_GANG_FRAME_MAX);
    const struct ce_gang_task *task = &run->task;
    if (peer->talk.type != CE_GANG_SEALED ||
        gang_seal_open(run->seal, peer->talk.frame, &text, &err) < 0 ||
        ce_gang_message_parse(ce_text_string(&text), task->count, &message, &err) < 0)
        gang_peer_lose(run, peer, peer->talk.type == CE_GANG_SEALED ? err.text : "an open message");
    else if (message.job != task->job || message.to != task->self ||
             strcmp(message.nonce, peer->own) != 0)
        gang_peer_lose(run, peer, "a message of another job, or an old one");
    else if (peer->role == GANG_STRANGER)
        hear_hello(run, peer, &message);
    else if (message.from == peer->node)
        hear_known(run, peer, &message);
    else
        gang_peer_lose(run, peer, "a message of another node");
    ce_gang_message_free(&message);
}

static void hear(struct gang_run *run, struct gang_peer *peer)
{
    uint32_t bytes;
    for (int i = 0; i < FRAMES_AT_ONCE && peer->talk.fd >= 0; i++)
        switch (gang_talk_hear(&peer->talk, &bytes)) {
        case GANG_NOTHING:
            return;
        case GANG_CLOSED:
            gang_peer_lose(run, peer, "it closed the connection");
            return;
        case GANG_GARBAGE:
            gang_peer_lose(run, peer, "what came is not of cluster-env");
            return;
        case GANG_BYTES:
            if (peer->step == GANG_TALKING)
                gang_ring_data(peer, bytes);
            else
                gang_peer_lose(run, peer, "data before a greeting");
            break;
        case GANG_FRAME:
            if (peer->dialed && peer->step == GANG_WAITING)
                hear_offer(run, peer);
            else
                hear_sealed(run, peer);
            break;
        }
}

/* ---------------------------------------------------------------- work */

short gang_peer_wants(const struct gang_peer *peer)
{
    if (peer->step == GANG_DIALING)
        return POLLOUT;
    return (short)(POLLIN | (gang_talk_is_pending(&peer->talk) ? POLLOUT : 0));
}

void gang_peer_work(struct gang_run *run, struct gang_peer *peer, short events)
{
    if (peer->step == GANG_DIALING && events)
        dial_ended(run, peer, gang_dial_error(peer->talk.fd));
    else if (events & POLLOUT && gang_talk_flush(&peer->talk) < 0)
        gang_peer_lose(run, peer, "it closed the connection");
    else if (events & (POLLIN | POLLHUP | POLLERR))
        hear(run, peer);
}

void gang_peer_tick(struct gang_run *run, struct gang_peer *peer, uint64_t now)
{
    if (peer->step == GANG_TALKING) {
        if (peer->role == GANG_TO_NEXT || peer->role == GANG_FROM_PREV)
            gang_ring_tick(run, peer, now);
        return;
    }
    if (now < peer->due)
        return;
    if (peer->step == GANG_IDLE)
        dial(run, peer);
    else if (peer->step == GANG_DIALING)
        dial_ended(run, peer, ETIMEDOUT);
    else if (peer->step != GANG_GONE)
        gang_peer_lose(run, peer, "it accepts, and says nothing");
}

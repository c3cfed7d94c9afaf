/* SPDX-License-Identifier: Apache-2.0 */
/* What comes over the network to helpers/preflight, before munge has authenticated the peer and after; and the
 * lines of its child, preflight-rails.  The double of munged accepts every credential that begins with "root:". */
#include <munge.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/random.h>

#include "../../helpers/gang_run.h"
#include "base/parse.h"
#include "wire.h"

const char fuzz_name[] = "preflight";
const unsigned fuzz_runs = 15000;

enum { NODES = 4, SELF = 1, PIECE_MAX = 64 };

/* ---------------------------------------------------------------- munge */

static bool vouched; /* for one of this input's messages */

munge_ctx_t munge_ctx_create(void)
{
    return malloc(1);
}

void munge_ctx_destroy(munge_ctx_t context)
{
    free(context);
}

munge_err_t munge_ctx_set(munge_ctx_t context, int option, ...)
{
    (void)context, (void)option;
    return EMUNGE_SUCCESS;
}

const char *munge_ctx_strerror(munge_ctx_t context)
{
    (void)context;
    return "no context";
}

const char *munge_strerror(munge_err_t code)
{
    (void)code;
    return "Invalid credential";
}

munge_err_t munge_encode(char **credential, munge_ctx_t context, const void *text, int length)
{
    (void)context;
    return asprintf(credential, "root:%.*s", length, (const char *)text) < 0 ? EMUNGE_NO_MEMORY
                                                                             : EMUNGE_SUCCESS;
}

/* "NAME:text"; a '~' in the text is a NUL of it. */
munge_err_t munge_decode(const char *credential, munge_ctx_t context, void **text, int *length, uid_t *uid,
                         gid_t *gid)
{
    const char *colon = strchr(credential, ':');
    (void)context;
    *gid = 0;
    *uid = strncmp(credential, "root:", 5) == 0 ? 0 : 1000;
    if (!colon)
        return EMUNGE_CRED_INVALID;
    *text = strdup(colon + 1);
    *length = (int)strlen(colon + 1);
    for (char *at = *text; (at = strchr(at, '~')); at++)
        *at = '\0';
    vouched |= *uid == 0;
    return EMUNGE_SUCCESS;
}

/* Nonces that a seed can have. */
ssize_t getrandom(void *bytes, size_t size, unsigned flags)
{
    (void)flags;
    memset(bytes, 0xab, size);
    return (ssize_t)size;
}

/* ---------------------------------------------------------------- the rest of the helper */

uint64_t gang_ms(uint64_t ms)
{
    return ms * CE_NS_PER_MS;
}

bool gang_is_judge(const struct gang_run *run)
{
    return run->task.self < GANG_JUDGES;
}

/* Only a peer that munge has authenticated gets this far. */
void gang_ring_open(struct gang_run *run, struct gang_peer *peer)
{
    FUZZ_CHECK(vouched && peer->node < run->task.count);
}

void gang_ring_data(struct gang_peer *peer, uint32_t bytes)
{
    (void)peer;
    FUZZ_CHECK(vouched && bytes > 0);
}

void gang_ring_tick(struct gang_run *run, struct gang_peer *peer, uint64_t now)
{
    (void)run, (void)peer, (void)now;
}

void gang_ring_view(struct gang_run *run, struct ce_gang_view *ret)
{
    (void)run;
    FUZZ_CHECK(vouched);
    *ret = (struct ce_gang_view){.final = true};
}

void gang_ring_tell(struct gang_run *run)
{
    (void)run;
    FUZZ_CHECK(vouched);
}

void gang_turns_message(struct gang_peer *peer, struct ce_gang_message *message)
{
    (void)peer;
    FUZZ_CHECK(vouched && (!message->text || ce_is_printable(message->text) || strchr(message->text, '\n')));
}

void gang_turns_end(struct gang_peer *peer)
{
    (void)peer;
}

void gang_board_came(struct gang_run *run, const struct gang_peer *peer, uint32_t left_ms)
{
    (void)left_ms;
    FUZZ_CHECK(vouched && peer->node < run->task.count);
}

void gang_board_view(struct gang_run *run, uint32_t node, const struct ce_gang_view *view)
{
    FUZZ_CHECK(vouched && node < run->task.count);
    FUZZ_CHECK(ce_gang_figures(&view->facts) <= CE_GANG_RAILS);
}

/* ---------------------------------------------------------------- a connection */

static struct ce_address address_of(uint32_t node)
{
    struct ce_address address;
    char text[32];
    snprintf(text, sizeof text, "10.1.0.%u", node + 1);
    FUZZ_CHECK(ce_address_parse(text, &address) == 0);
    return address;
}

/* The peer that the first byte of the input selects: one that came, or one that this node dialed. */
static struct gang_peer *begin_peer(struct gang_run *run, unsigned kind, int fd)
{
    struct ce_address other = address_of(kind >> 2 & 3);
    FUZZ_CHECK(gang_is_of_job(&run->task, &other) && gang_admits(run, &other));
    if (kind & 1) {
        struct gang_peer *peer =
            gang_peer_add(run, kind & 2 ? GANG_TO_JUDGE : GANG_TO_NEXT, kind & 2 ? 0 : SELF + 1, &other);
        FUZZ_CHECK(peer);
        gang_talk_begin(&peer->talk, fd);
        peer->step = GANG_WAITING;
        return peer;
    }
    gang_peer_came(run, fd, &other);
    FUZZ_CHECK(run->peer_count == 1 && run->peers[0]->role == GANG_STRANGER);
    return run->peers[0];
}

static void check_peer(const struct gang_run *run, const struct gang_peer *peer)
{
    FUZZ_CHECK(peer->step != GANG_TALKING || vouched);
    FUZZ_CHECK(peer->node < run->task.count && peer->talk.pending <= peer->talk.room);
    FUZZ_CHECK(ce_is_printable(peer->why) && ce_is_printable(run->result.refusal));
    FUZZ_CHECK(!run->over || run->result.end == CE_GANG_JUDGED);
}

/* In pieces, as a network delivers it. */
static void check_conversation(const uint8_t *data, size_t size)
{
    struct ce_address addresses[NODES];
    struct gang_run run = {.task = {.job = 7, .count = NODES, .self = SELF, .addresses = addresses}};
    struct ce_error err = {""};
    struct fuzz_wire wire = fuzz_wire_open();
    size_t piece = size > 1 ? data[1] % PIECE_MAX + 1 : 1;
    for (uint32_t i = 0; i < NODES; i++)
        addresses[i] = address_of(i);
    vouched = false;
    run.seal = gang_seal_create("", &err);
    FUZZ_CHECK(run.seal);
    struct gang_peer *peer = begin_peer(&run, size > 0 ? data[0] : 0, wire.near);
    for (size_t at = 2; at < size && peer->talk.fd >= 0; at += piece) {
        fuzz_wire_send(&wire, data + at, piece < size - at ? piece : size - at);
        gang_peer_work(&run, peer, gang_peer_wants(peer));
        if (peer->talk.fd >= 0)
            gang_peer_work(&run, peer, POLLIN);
        check_peer(&run, peer);
    }
    fuzz_wire_close(&wire);
    for (int i = 0; i < 8 && peer->talk.fd >= 0; i++)
        gang_peer_work(&run, peer, POLLIN | POLLHUP);
    check_peer(&run, peer);
    FUZZ_CHECK(peer->talk.fd < 0);
    gang_peer_free(peer);
    free(run.peers);
    gang_seal_destroy(run.seal);
}

/* Frames alone, as many as there are; and what this side sends is heard unchanged. */
static void check_frames(const uint8_t *data, size_t size)
{
    struct fuzz_wire wire = fuzz_wire_open();
    struct gang_talk near, far;
    enum gang_heard heard;
    uint32_t bytes = 0;
    gang_talk_begin(&near, wire.near);
    gang_talk_begin(&far, wire.far);
    if (size > 0 && size <= CE_GANG_FRAME_MAX && !memchr(data, '\0', size)) {
        FUZZ_CHECK(gang_talk_say(&near, CE_GANG_OPEN, (const char *)data, (uint32_t)size) == 0);
        FUZZ_CHECK(gang_talk_flush(&near) == 0 && !gang_talk_is_pending(&near));
        FUZZ_CHECK(gang_talk_hear(&far, &bytes) == GANG_FRAME && far.length == size);
        FUZZ_CHECK(memcmp(far.frame, data, size) == 0);
    }
    FUZZ_CHECK(fuzz_wire_send(&wire, data, size));
    while ((heard = gang_talk_hear(&near, &bytes)) == GANG_FRAME || heard == GANG_BYTES)
        if (heard == GANG_FRAME)
            FUZZ_CHECK(near.length > 0 && strlen(near.frame) == near.length && near.type != CE_GANG_DATA);
        else
            FUZZ_CHECK(bytes > 0 && bytes <= CE_GANG_DATA_MAX && near.type == CE_GANG_DATA);
    gang_talk_end(&near);
    gang_talk_end(&far);
}

/* ---------------------------------------------------------------- preflight-rails */

static void check_rails(const uint8_t *data, size_t size)
{
    struct fuzz_wire wire = fuzz_wire_open();
    struct gang_rails rails = {.fd = wire.near, .count = 3, .ends = CE_TEXT(12000)};
    rails.state = size > 0 && data[0] & 0x80 ? GANG_RAILS_BUSY : GANG_RAILS_OPENS;
    FUZZ_CHECK(fuzz_wire_send(&wire, data, size));
    gang_rails_hear(&rails);
    FUZZ_CHECK(rails.state <= GANG_RAILS_DONE && rails.lines <= rails.count);
    FUZZ_CHECK(rails.length < sizeof rails.line && rails.ends.length <= rails.ends.limit);
    fuzz_wire_close(&wire);
    for (int i = 0; i < 8 && rails.fd >= 0; i++)
        gang_rails_hear(&rails);
    FUZZ_CHECK(rails.fd < 0 && (rails.state == GANG_RAILS_DONE || rails.state == GANG_RAILS_NONE));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 8192) /* what a socket takes at once */
        return 0;
    check_conversation(data, size);
    check_frames(data, size);
    check_rails(data, size);
    return 0;
}

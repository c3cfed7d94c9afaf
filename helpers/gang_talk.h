/* SPDX-License-Identifier: Apache-2.0 */
/* One connection between two nodes of a job, as frames (model/gang_message.h) on a socket that never
 * blocks. */
#ifndef CE_HELPERS_GANG_TALK_H
#define CE_HELPERS_GANG_TALK_H

#include "base/text.h"
#include "model/address.h"
#include "model/gang_message.h"

struct gang_talk {
    int fd; /* -1: none */
    char *out; /* what is still to be sent, from `sent` to `pending` */
    size_t sent, pending, room;
    char header[CE_GANG_HEADER];
    enum ce_gang_frame type;
    uint32_t header_got, length, got;
    char *frame; /* of `length` bytes and a NUL; NULL: the header is not whole */
};

enum gang_heard {
    GANG_NOTHING, /* no more for now */
    GANG_FRAME,   /* talk->type and talk->frame, valid until the next call */
    GANG_BYTES,   /* *bytes of data */
    GANG_CLOSED,
    GANG_GARBAGE,
};

/* How a dial ended. */
enum gang_answer {
    GANG_ANSWERED,   /* connected, refused, or rejected by a filter: somebody is there */
    GANG_SILENCE,    /* nothing came back: the path, or a filter */
    GANG_NO_PATH,    /* the network itself says that there is no way there */
    GANG_NO_ADDRESS, /* this node does not have the address that it dials from */
    GANG_NOT_SENT,   /* this node has no port or no memory for it: nothing was asked */
};
/* at_once: by gang_dial(); else after so long, which tells the question for a link's address that stays
 * without an answer from what a filter rejects. */
enum gang_answer gang_answer_of(int error, bool at_once, uint64_t took_ms);

/* Both return a socket, or -1 with errno; of a dial it may be connecting still.  EADDRNOTAVAIL is of an
 * address that this node does not have, and never of ports that are all taken. */
int gang_listen(const struct ce_address *address, unsigned port);
int gang_dial(const struct ce_address *own, const struct ce_address *other, unsigned port);
/* The next that came, and where from; -1: nobody. */
int gang_accept(int listening, struct ce_address *from);
/* The errno of a dial that has ended; 0: connected. */
int gang_dial_error(int fd);

void gang_talk_begin(struct gang_talk *talk, int fd);
void gang_talk_end(struct gang_talk *talk);

/* Queue a frame; bytes NULL: zeros.  -1: no memory. */
int gang_talk_say(struct gang_talk *talk, enum ce_gang_frame type, const char *bytes, uint32_t length);
bool gang_talk_is_pending(const struct gang_talk *talk);
/* Send what the socket takes.  -1: it is closed. */
int gang_talk_flush(struct gang_talk *talk);
enum gang_heard gang_talk_hear(struct gang_talk *talk, uint32_t *bytes);

#endif

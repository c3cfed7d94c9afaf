/* SPDX-License-Identifier: Apache-2.0 */
/* The two ends of a connection inside one process: what a peer sends is the input. */
#ifndef CE_TESTS_FUZZ_WIRE_H
#define CE_TESTS_FUZZ_WIRE_H

#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"

struct fuzz_wire {
    int near, far; /* neither blocks */
};

static inline struct fuzz_wire fuzz_wire_open(void)
{
    int ends[2];
    FUZZ_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
    return (struct fuzz_wire){ends[0], ends[1]};
}

/* From the far end; what was sent there is discarded, so that there is room.  false: the near end is closed. */
static inline bool fuzz_wire_send(const struct fuzz_wire *wire, const void *bytes, size_t size)
{
    char answer[4096];
    while (recv(wire->far, answer, sizeof answer, 0) > 0)
        ;
    return send(wire->far, bytes, size, MSG_NOSIGNAL) == (ssize_t)size;
}

/* The far end sends nothing more. */
static inline void fuzz_wire_end(struct fuzz_wire *wire)
{
    shutdown(wire->far, SHUT_WR);
}

static inline void fuzz_wire_close(struct fuzz_wire *wire)
{
    close(wire->far);
    wire->far = -1;
}

#endif

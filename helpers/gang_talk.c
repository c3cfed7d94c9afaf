/* SPDX-License-Identifier: Apache-2.0 */
#include "gang_talk.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"

/* A neighbour lookup fails after a second at the earliest; who rejects answers at once. */
enum { LOOKUP_MS = 900 };
/* Small, so that what is still on its way of a measurement does not hold up much. */
enum { BACKLOG = 1024, BUFFER = 512 << 10, SCRATCH = 65536, PENDING_MAX = 1 << 20 };

union any_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static socklen_t fill_address(const struct ce_address *address, unsigned port,
                              union any_address *ret)
{
    memset(ret, 0, sizeof *ret);
    ret->any.sa_family = (sa_family_t)address->family;
    if (address->family == AF_INET) {
        ret->v4.sin_port = htons((uint16_t)port);
        memcpy(&ret->v4.sin_addr, address->bytes, sizeof ret->v4.sin_addr);
        return sizeof ret->v4;
    }
    ret->v6.sin6_port = htons((uint16_t)port);
    memcpy(&ret->v6.sin6_addr, address->bytes, sizeof ret->v6.sin6_addr);
    return sizeof ret->v6;
}

static void read_address(const union any_address *from, struct ce_address *ret)
{
    *ret = (struct ce_address){.family = from->any.sa_family};
    if (ret->family == AF_INET)
        memcpy(ret->bytes, &from->v4.sin_addr, sizeof from->v4.sin_addr);
    else
        memcpy(ret->bytes, &from->v6.sin6_addr, sizeof from->v6.sin6_addr);
}

static void set_up(int fd)
{
    const int on = 1, size = BUFFER;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
}

/* ---------------------------------------------------------------- sockets */

enum gang_answer gang_answer_of(int error, bool at_once, uint64_t took_ms)
{
    switch (error) {
    case 0:
    case ECONNREFUSED:
    case ECONNRESET:
        return GANG_ANSWERED;
    case EHOSTUNREACH:
    case ENETUNREACH:
    case ENETDOWN:
        return at_once || took_ms >= LOOKUP_MS ? GANG_NO_PATH : GANG_ANSWERED;
    case EADDRNOTAVAIL:
        return GANG_NO_ADDRESS;
    default:
        return at_once ? GANG_NOT_SENT : GANG_SILENCE;
    }
}

int gang_listen(const struct ce_address *address, unsigned port)
{
    union any_address own;
    const int on = 1;
    socklen_t length = fill_address(address, port, &own);
    ce_autoclose int fd = socket(own.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, &own.any, length) < 0 || listen(fd, BACKLOG) < 0)
        return -1;
    int handed = fd;
    fd = -1;
    return handed;
}

/* From its own address, which the other one looks for. */
int gang_dial(const struct ce_address *own, const struct ce_address *other, unsigned port)
{
    union any_address from, to;
    const int on = 1;
    socklen_t from_length = fill_address(own, 0, &from), to_length = fill_address(other, port, &to);
    ce_autoclose int fd = socket(to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    set_up(fd);
    setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
    if (bind(fd, &from.any, from_length) < 0)
        return -1;
    if (connect(fd, &to.any, to_length) < 0 && errno != EINPROGRESS) {
        if (errno == EADDRNOTAVAIL) /* here: no port is free, which a user can bring about */
            errno = EADDRINUSE;
        return -1;
    }
    int handed = fd;
    fd = -1;
    return handed;
}

int gang_accept(int listening, struct ce_address *from)
{
    union any_address other;
    socklen_t length = sizeof other;
    memset(&other, 0, sizeof other);
    int fd = accept4(listening, &other.any, &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0)
        return -1;
    set_up(fd);
    read_address(&other, from);
    return fd;
}

int gang_dial_error(int fd)
{
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0 ? errno : error;
}

/* ---------------------------------------------------------------- frames */

void gang_talk_begin(struct gang_talk *talk, int fd)
{
    *talk = (struct gang_talk){.fd = fd};
}

void gang_talk_end(struct gang_talk *talk)
{
    if (talk->fd >= 0)
        close(talk->fd);
    free(talk->out);
    free(talk->frame);
    *talk = (struct gang_talk){.fd = -1};
}

static char *make_room(struct gang_talk *talk, size_t length)
{
    if (talk->sent > 0)
        memmove(talk->out, talk->out + talk->sent, talk->pending - talk->sent);
    talk->pending -= talk->sent;
    talk->sent = 0;
    if (talk->pending + length > PENDING_MAX)
        return NULL;
    if (talk->pending + length > talk->room) {
        char *grown = realloc(talk->out, talk->pending + length);
        if (!grown)
            return NULL;
        talk->out = grown;
        talk->room = talk->pending + length;
    }
    talk->pending += length;
    return talk->out + talk->pending - length;
}

int gang_talk_say(struct gang_talk *talk, enum ce_gang_frame type, const char *bytes, uint32_t length)
{
    char header[CE_GANG_HEADER + 1];
    uint32_t max = type == CE_GANG_DATA ? CE_GANG_DATA_MAX : CE_GANG_FRAME_MAX;
    char *at = length > 0 && length <= max ? make_room(talk, CE_GANG_HEADER + length) : NULL;
    if (!at)
        return -1;
    ce_gang_header_write(type, length, header);
    memcpy(at, header, CE_GANG_HEADER);
    if (bytes)
        memcpy(at + CE_GANG_HEADER, bytes, length);
    else
        memset(at + CE_GANG_HEADER, 0, length);
    return 0;
}

bool gang_talk_is_pending(const struct gang_talk *talk)
{
    return talk->sent < talk->pending;
}

int gang_talk_flush(struct gang_talk *talk)
{
    while (gang_talk_is_pending(talk)) {
        ssize_t n = send(talk->fd, talk->out + talk->sent, talk->pending - talk->sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EAGAIN ? 0 : -1;
        talk->sent += (size_t)n;
    }
    return 0;
}

/* Up to `want` bytes; 0: closed, -1: nothing now. */
static ssize_t take(struct gang_talk *talk, char *into, size_t want)
{
    ssize_t n;
    do
        n = recv(talk->fd, into, want, 0);
    while (n < 0 && errno == EINTR);
    return n < 0 && errno != EAGAIN ? 0 : n;
}

static enum gang_heard hear_header(struct gang_talk *talk)
{
    while (talk->header_got < CE_GANG_HEADER) {
        ssize_t n = take(talk, talk->header + talk->header_got, CE_GANG_HEADER - talk->header_got);
        if (n <= 0)
            return n == 0 ? GANG_CLOSED : GANG_NOTHING;
        talk->header_got += (uint32_t)n;
    }
    if (ce_gang_header_parse(talk->header, &talk->type, &talk->length) < 0)
        return GANG_GARBAGE;
    talk->got = 0;
    free(talk->frame);
    talk->frame = talk->type == CE_GANG_DATA ? NULL : calloc(1, talk->length + 1);
    return talk->type == CE_GANG_DATA || talk->frame ? GANG_FRAME : GANG_CLOSED;
}

static enum gang_heard hear_data(struct gang_talk *talk, uint32_t *bytes)
{
    char scratch[SCRATCH];
    size_t left = talk->length - talk->got;
    ssize_t n = take(talk, scratch, left < sizeof scratch ? left : sizeof scratch);
    if (n <= 0)
        return n == 0 ? GANG_CLOSED : GANG_NOTHING;
    talk->got += (uint32_t)n;
    if (talk->got == talk->length)
        talk->header_got = 0;
    *bytes = (uint32_t)n;
    return GANG_BYTES;
}

enum gang_heard gang_talk_hear(struct gang_talk *talk, uint32_t *bytes)
{
    if (talk->header_got < CE_GANG_HEADER) {
        enum gang_heard heard = hear_header(talk);
        if (heard != GANG_FRAME)
            return heard;
    }
    if (talk->type == CE_GANG_DATA)
        return hear_data(talk, bytes);
    while (talk->got < talk->length) {
        ssize_t n = take(talk, talk->frame + talk->got, talk->length - talk->got);
        if (n <= 0)
            return n == 0 ? GANG_CLOSED : GANG_NOTHING;
        talk->got += (uint32_t)n;
    }
    talk->header_got = 0;
    return memchr(talk->frame, '\0', talk->length) ? GANG_GARBAGE : GANG_FRAME;
}

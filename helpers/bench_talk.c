/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_talk.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "model/address.h"
#include "model/rdma_end.h"

enum { NS_IN_MS = 1000000, AGAIN_MS = 100, BACKLOG = 4 };

union any_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

/* Its length; 0: not an address. */
static socklen_t fill_address(const char *text, unsigned port, union any_address *ret)
{
    struct ce_address address;
    memset(ret, 0, sizeof *ret);
    if (ce_address_parse(text, &address) < 0)
        return 0;
    ret->any.sa_family = (sa_family_t)address.family;
    if (address.family == AF_INET) {
        ret->v4.sin_port = htons((uint16_t)port);
        memcpy(&ret->v4.sin_addr, address.bytes, sizeof ret->v4.sin_addr);
        return sizeof ret->v4;
    }
    ret->v6.sin6_port = htons((uint16_t)port);
    memcpy(&ret->v6.sin6_addr, address.bytes, sizeof ret->v6.sin6_addr);
    return sizeof ret->v6;
}

static int ms_until(uint64_t deadline)
{
    uint64_t now = ce_clock_ns();
    return now >= deadline ? 0 : (int)((deadline - now) / NS_IN_MS + 1);
}

/* 0 as soon as it can be read or written, -1 where the deadline comes first. */
static int await(int fd, short events, uint64_t deadline)
{
    struct pollfd one = {.fd = fd, .events = events};
    int n;
    do {
        n = poll(&one, 1, ms_until(deadline));
    } while (n < 0 && errno == EINTR);
    return n > 0 ? 0 : -1;
}

/* ---------------------------------------------------------------- meeting */

int bench_listen(const char *address, unsigned port, struct ce_error *err)
{
    union any_address own;
    const int on = 1;
    socklen_t length = fill_address(address, port, &own);
    if (!length)
        return ce_fail(err, "'%s' is not an address", address);
    ce_autoclose int fd = socket(own.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return ce_fail(err, "no socket: %s", strerror(errno));
    /* the next rail listens on the same port */
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, &own.any, length) < 0 || listen(fd, BACKLOG) < 0)
        return ce_fail(err, "cannot listen on %s, port %u: %s", address, port, strerror(errno));
    int handed = fd;
    fd = -1;
    return handed;
}

int bench_accept(int listening, uint64_t deadline, struct ce_error *err)
{
    while (await(listening, POLLIN, deadline) == 0) {
        int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0)
            return fd;
        if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
            return ce_fail(err, "cannot accept: %s", strerror(errno));
    }
    return ce_fail(err, "no node came");
}

/* An errno; 0: connected, and the socket is *ret. */
static int dial_once(const union any_address *other, socklen_t length, uint64_t deadline, int *ret)
{
    int error = 0;
    socklen_t size = sizeof error;
    ce_autoclose int fd =
        socket(other->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return errno;
    if (connect(fd, &other->any, length) < 0) {
        if (errno != EINPROGRESS)
            return errno;
        if (await(fd, POLLOUT, deadline) < 0)
            return ETIMEDOUT;
        if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0 || error)
            return error ? error : errno;
    }
    *ret = fd;
    fd = -1;
    return 0;
}

int bench_dial(const char *address, unsigned port, uint64_t deadline, struct ce_error *err)
{
    union any_address other;
    int fd = -1, error;
    socklen_t length = fill_address(address, port, &other);
    if (!length)
        return ce_fail(err, "'%s' is not an address", address);
    while ((error = dial_once(&other, length, deadline, &fd)) != 0) {
        if (ms_until(deadline) == 0)
            return ce_fail(err, "%s, port %u: %s", address, port, strerror(error));
        poll(NULL, 0, AGAIN_MS);
    }
    return fd;
}

/* ---------------------------------------------------------------- talking */

int bench_say(int fd, struct ce_text *text, uint64_t deadline, struct ce_error *err)
{
    const char *at = ce_text_string(text);
    size_t left = text->length;
    if (!ce_text_ok(text))
        return ce_fail(err, "no memory");
    while (left > 0) {
        ssize_t n = send(fd, at, left, MSG_NOSIGNAL);
        if (n < 0 && errno == EAGAIN && await(fd, POLLOUT, deadline) < 0)
            return ce_fail(err, "the other side does not listen");
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return ce_fail(err, "the other side is gone: %s", strerror(errno));
        at += n > 0 ? n : 0;
        left -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

static bool ends(const struct ce_text *text)
{
    static const char last[] = "\nend=1\n";
    const size_t length = sizeof last - 1;
    return text->length >= length &&
           memcmp(text->data + text->length - length, last, length) == 0;
}

/* What does not begin as every text does will not end as one either. */
static bool begins(const struct ce_text *text)
{
    static const char first[] = "format=1\n";
    size_t length = text->length < sizeof first - 1 ? text->length : sizeof first - 1;
    return memcmp(ce_text_string(text), first, length) == 0;
}

static int fail_garbage(const struct ce_text *text, struct ce_error *err)
{
    static const char word[] = "format=";
    if (text->length == sizeof word && memcmp(text->data, word, sizeof word - 1) == 0)
        return ce_fail(err, "the other side is of another version of cluster-env");
    return ce_fail(err, "what came is not of cluster-env");
}

/* Byte for byte: what follows is the next text's. */
int bench_hear(int fd, struct ce_text *text, uint64_t deadline, struct ce_error *err)
{
    char byte;
    while (!ends(text)) {
        ssize_t n = recv(fd, &byte, 1, 0);
        if (n == 0)
            return ce_fail(err, "the other side closed the connection");
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return ce_fail(err, "the other side is gone: %s", strerror(errno));
        if (n < 0 && await(fd, POLLIN, deadline) < 0)
            return ce_fail(err, "the other side said nothing in time");
        if (n == 1)
            ce_text_addn(text, &byte, 1);
        if (!begins(text) || !ce_text_ok(text))
            return fail_garbage(text, err);
        if (ms_until(deadline) == 0) /* one byte now and then is no answer */
            return ce_fail(err, "the other side said nothing in time");
    }
    return 0;
}

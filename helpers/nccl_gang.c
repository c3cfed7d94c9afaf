/* SPDX-License-Identifier: Apache-2.0 */
#include "nccl_gang.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/parse.h"
#include "model/nccl_bench.h"
#include "nccl_word.h"
#include "bench_talk.h"

enum { STRANGERS = 64, LOOK_MS = 20, TELL_MS = 2000, LEAVE_MS = 1000, MS = CE_NS_PER_MS };

#define FROM_OTHERS(gang) ((gang)->others = true)

/* ---------------------------------------------------------------- node 0: who comes */

/* Those who came and have not said yet who they are, in the order in which they came. */
struct door {
    struct gang *gang;
    int listening;
    int *waiting;
    size_t count, room;
    struct word *words; /* what each node said */
    uint32_t here;
};

/* false: it has not said yet who it is. */
static bool let_in(struct door *door, int fd)
{
    struct gang *gang = door->gang;
    struct word word;
    enum word_state state = word_peek(gang, fd, &word);
    if (state == WORD_NONE)
        return false;
    if (state != WORD_THERE || word.node == 0 || gang->links[word.node] >= 0 ||
        word_receive(gang, fd, &word, ce_clock_ns()) < 0) {
        close(fd);
        return true;
    }
    door->words[word.node] = word;
    gang->links[word.node] = fd;
    door->here++;
    return true;
}

static void hear_all(struct door *door)
{
    size_t kept = 0;
    for (size_t i = 0; i < door->count; i++)
        if (!let_in(door, door->waiting[i]))
            door->waiting[kept++] = door->waiting[i];
    door->count = kept;
}

/* Where all places are taken by people who say nothing, the one who came first goes. */
static void make_place(struct door *door)
{
    hear_all(door);
    if (door->count < door->room)
        return;
    close(door->waiting[0]);
    memmove(door->waiting, door->waiting + 1, --door->count * sizeof *door->waiting);
}

static void answer_door(struct door *door)
{
    int fd;
    for (size_t i = 0; i < door->room; i++) {
        if ((fd = accept4(door->listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) < 0)
            return;
        if (door->count == door->room)
            make_place(door);
        door->waiting[door->count++] = fd;
    }
}

static int wait_for_all(struct door *door, struct ce_error *err)
{
    struct gang *gang = door->gang;
    while (door->here < gang->nodes && ce_clock_ns() < gang->meet_by) {
        struct pollfd one = {.fd = door->listening, .events = POLLIN};
        poll(&one, 1, LOOK_MS);
        answer_door(door);
        hear_all(door);
    }
    for (size_t i = 0; i < door->count; i++)
        close(door->waiting[i]);
    if (door->here == gang->nodes)
        return 0;
    FROM_OTHERS(gang);
    uint32_t missing = 1;
    while (missing + 1 < gang->nodes && gang->links[missing] >= 0)
        missing++;
    return ce_fail(err, "%u of %u nodes came to %s, port %s, node %u did not", door->here,
                   gang->nodes, gang->address, gang->port, missing);
}

/* ---------------------------------------------------------------- node 0: what they bring */

static int compare_parts(struct gang *gang, const struct gang_part *part, const struct word *words,
                         struct ce_error *err)
{
    if (part->failed)
        return ce_fail(err, "%s", part->failed);
    for (uint32_t i = 1; i < gang->nodes; i++)
        if (word_fits(gang, part, &words[i], err) < 0)
            return FROM_OTHERS(gang), -1;
    return 0;
}

static int hand_out(struct gang *gang, struct gang_part *part, const struct word *words,
                    struct ce_error *err)
{
    uint32_t ranks = part->gpus, first = part->gpus;
    for (uint32_t i = 1; i < gang->nodes; i++)
        ranks += words[i].gpus;
    part->ranks = ranks;
    part->first = 0;
    for (uint32_t i = 1; i < gang->nodes; i++) {
        struct word word;
        word_init(gang, &word);
        word.id = part->id;
        word.ranks = ranks;
        word.first = first;
        first += words[i].gpus;
        if (word_send(gang->links[i], &word, gang->deadline) < 0) {
            FROM_OTHERS(gang);
            return ce_fail(err, "%s is gone", words[i].name);
        }
    }
    return 0;
}

/* The names that nodes have in the book may be those of loopback interfaces on the node itself. */
static int find_address(const struct gang *gang, char text[INET6_ADDRSTRLEN], struct ce_error *err)
{
    struct addrinfo *list = NULL;
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_family = AF_UNSPEC};
    int code = getaddrinfo(gang->address, NULL, &hints, &list);
    if (code != 0)
        return ce_fail(err, "%s: %s", gang->address, gai_strerror(code));
    code = getnameinfo(list->ai_addr, list->ai_addrlen, text, INET6_ADDRSTRLEN, NULL, 0,
                       NI_NUMERICHOST);
    freeaddrinfo(list);
    return code == 0 ? 0 : ce_fail(err, "%s: %s", gang->address, gai_strerror(code));
}

/* They come at once, and some before this node waits for them. */
static int listen_to_all(const char *address, uint32_t port, struct ce_error *err)
{
    int fd = bench_listen(address, port, err);
    if (fd >= 0)
        listen(fd, SOMAXCONN);
    return fd;
}

static int gather(struct gang *gang, struct gang_part *part, const char *address, uint32_t port,
                  struct ce_error *err)
{
    struct door door = {.gang = gang,
                        .here = 1,
                        .listening = gang->listening,
                        .room = gang->nodes + STRANGERS};
    gang->listening = -1;
    if (door.listening < 0)
        door.listening = listen_to_all(address, port, err);
    if (door.listening < 0)
        return -1;
    door.waiting = malloc(door.room * sizeof *door.waiting);
    door.words = calloc(gang->nodes, sizeof *door.words);
    int status =
        door.waiting && door.words ? wait_for_all(&door, err) : ce_fail(err, "no memory");
    if (status == 0)
        status = compare_parts(gang, part, door.words, err);
    if (status == 0)
        status = hand_out(gang, part, door.words, err);
    free(door.waiting);
    free(door.words);
    close(door.listening);
    return status;
}

int gang_listen(struct gang *gang, uint32_t *port, struct ce_error *err)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } own;
    socklen_t size = sizeof own;
    gang->listening = listen_to_all(gang->address, 0, err);
    if (gang->listening < 0)
        return -1;
    if (getsockname(gang->listening, &own.any, &size) < 0)
        return ce_fail(err, "%s: %s", gang->address, strerror(errno));
    *port = ntohs(own.any.sa_family == AF_INET ? own.v4.sin_port : own.v6.sin6_port);
    return 0;
}

/* ---------------------------------------------------------------- the other nodes */

static int take_word(struct gang *gang, int fd, const char *who, struct word *word,
                     uint64_t deadline, struct ce_error *err)
{
    int status = word_receive(gang, fd, word, deadline);
    if (status < 0 || word->failed[0] || word->step != gang->step)
        FROM_OTHERS(gang);
    if (status < 0)
        return ce_fail(err, ce_clock_ns() < deadline ? "%s is gone" : "no word of %s in time", who);
    if (word->failed[0])
        return ce_fail(err, "%s", word->failed);
    return word->step == gang->step ? 0 : ce_fail(err, "%s is at another step", who);
}

static int join(struct gang *gang, struct gang_part *part, const char *address, uint32_t port,
                struct ce_error *err)
{
    struct word word;
    gang->links[0] = bench_dial(address, port, gang->meet_by, err);
    if (gang->links[0] < 0) {
        FROM_OTHERS(gang);
        return -1;
    }
    word_init(gang, &word);
    word.gpus = part->gpus;
    word.version = part->version;
    if (part->failed)
        snprintf(word.failed, sizeof word.failed, "%s: %.120s", gang->name, part->failed);
    /* Node 0 waits for all before it answers. */
    uint64_t slack = (uint64_t)TELL_MS * MS;
    if (word_send(gang->links[0], &word, gang->meet_by + slack) < 0 ||
        take_word(gang, gang->links[0], "node 0", &word, gang->meet_by + slack, err) < 0)
        return gang->others ? -1 : (FROM_OTHERS(gang), ce_fail(err, "node 0 is gone"));
    return word_place(gang, &word, part, err);
}

int gang_meet(struct gang *gang, struct gang_part *part, struct ce_error *err)
{
    char address[INET6_ADDRSTRLEN];
    uint32_t port;
    gang->others = false;
    if (gang->nodes < 2) {
        part->ranks = part->gpus;
        part->first = 0;
        return part->failed ? ce_fail(err, "%s", part->failed) : 0;
    }
    gang->links = malloc(gang->nodes * sizeof *gang->links);
    if (!gang->links)
        return ce_fail(err, "no memory");
    for (uint32_t i = 0; i < gang->nodes; i++)
        gang->links[i] = -1;
    if (ce_parse_u32(gang->port, 1, 65535, &port) < 0)
        return ce_fail(err, "'%.20s' is no port", gang->port);
    if (find_address(gang, address, err) < 0)
        return -1;
    return gang->node == 0 ? gather(gang, part, address, port, err)
                           : join(gang, part, address, port, err);
}

/* ---------------------------------------------------------------- going on together */

static const char *name_link(uint32_t node, char text[32])
{
    snprintf(text, 32, "node %u", node);
    return text;
}

static int collect(struct gang *gang, uint64_t *value, struct ce_error *err)
{
    struct word word;
    char who[32];
    for (uint32_t i = 1; i < gang->nodes; i++) {
        if (take_word(gang, gang->links[i], name_link(i, who), &word, gang->deadline, err) < 0)
            return -1;
        *value = word.value > *value ? word.value : *value;
    }
    word_init(gang, &word);
    word.value = *value;
    for (uint32_t i = 1; i < gang->nodes; i++)
        if (word_send(gang->links[i], &word, gang->deadline) < 0)
            return FROM_OTHERS(gang), ce_fail(err, "%s is gone", name_link(i, who));
    return 0;
}

static int report(struct gang *gang, uint64_t *value, struct ce_error *err)
{
    struct word word;
    word_init(gang, &word);
    word.value = *value;
    if (word_send(gang->links[0], &word, gang->deadline) < 0)
        return FROM_OTHERS(gang), ce_fail(err, "node 0 is gone");
    /* Where somebody is late, node 0 says who. */
    if (take_word(gang, gang->links[0], "node 0", &word,
                  gang->deadline + (uint64_t)TELL_MS * MS / 2, err) < 0)
        return -1;
    *value = word.value;
    return 0;
}

int gang_agree(struct gang *gang, uint64_t value, uint64_t *ret, struct ce_error *err)
{
    *ret = value;
    gang->others = false;
    if (gang->nodes < 2)
        return 0;
    gang->step++;
    return gang->node == 0 ? collect(gang, ret, err) : report(gang, ret, err);
}

bool gang_is_broken(struct gang *gang, struct ce_error *err)
{
    struct word word;
    char who[32];
    uint32_t links = gang->node == 0 ? gang->nodes : 1;
    for (uint32_t i = 0; gang->links && i < links; i++) {
        enum word_state state =
            gang->links[i] < 0 ? WORD_NONE : word_peek(gang, gang->links[i], &word);
        if (state == WORD_NONE || (state == WORD_THERE && !word.failed[0]))
            continue;
        FROM_OTHERS(gang);
        if (state == WORD_THERE)
            ce_fail(err, "%s", word.failed);
        else
            ce_fail(err, "%s is gone", name_link(i, who));
        return true;
    }
    return false;
}

void gang_fail(struct gang *gang, const char *reason)
{
    uint32_t links = gang->node == 0 ? gang->nodes : 1;
    struct word word;
    word_init(gang, &word);
    if (gang->others)
        snprintf(word.failed, sizeof word.failed, "%.150s", reason);
    else
        snprintf(word.failed, sizeof word.failed, "%s: %.120s", gang->name, reason);
    for (uint32_t i = 0; gang->links && i < links; i++)
        if (gang->links[i] >= 0)
            word_send(gang->links[i], &word, ce_clock_ns() + MS);
}

/* What was said last is lost where a connection is closed before everything that came was read. */
static void hang_up(int fd, uint64_t deadline)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};
    char rest[sizeof(struct word)];
    uint64_t now;
    shutdown(fd, SHUT_WR);
    while ((now = ce_clock_ns()) < deadline &&
           poll(&one, 1, (int)((deadline - now) / MS + 1)) > 0 &&
           recv(fd, rest, sizeof rest, MSG_DONTWAIT) > 0)
        ;
    close(fd);
}

void gang_leave(struct gang *gang)
{
    uint32_t links = gang->node == 0 ? gang->nodes : 1;
    uint64_t deadline = ce_clock_ns() + (uint64_t)LEAVE_MS * MS;
    for (uint32_t i = 0; gang->links && i < links; i++)
        if (gang->links[i] >= 0)
            hang_up(gang->links[i], deadline);
    if (gang->listening >= 0)
        close(gang->listening);
    gang->listening = -1;
    free(gang->links);
    gang->links = NULL;
}

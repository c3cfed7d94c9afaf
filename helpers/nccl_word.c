/* SPDX-License-Identifier: Apache-2.0 */
#include "nccl_word.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "model/nccl_bench.h"

static const char magic[16] = "ce-bench-nccl 1";

void word_init(const struct gang *gang, struct word *ret)
{
    memset(ret, 0, sizeof *ret);
    memcpy(ret->magic, magic, sizeof magic);
    memcpy(ret->token, gang->token, sizeof ret->token);
    ret->node = gang->node;
    ret->step = gang->step;
    snprintf(ret->name, sizeof ret->name, "%s", gang->name);
}

/* As long for any token, so that none can be found out letter by letter. */
static bool is_ours(const struct gang *gang, struct word *word)
{
    unsigned char differs = 0;
    for (size_t i = 0; i < sizeof word->token; i++)
        differs |= (unsigned char)(word->token[i] ^ gang->token[i]);
    word->name[sizeof word->name - 1] = '\0';
    word->failed[sizeof word->failed - 1] = '\0';
    return !differs && gang->token[0] && memcmp(word->magic, magic, sizeof magic) == 0 &&
           word->node < gang->nodes;
}

static int await(int fd, short events, uint64_t deadline)
{
    struct pollfd one = {.fd = fd, .events = events};
    uint64_t now = ce_clock_ns();
    if (now >= deadline)
        return -1;
    int n = poll(&one, 1, (int)((deadline - now) / CE_NS_PER_MS + 1));
    return n > 0 || (n < 0 && errno == EINTR) ? 0 : -1;
}

int word_send(int fd, const struct word *word, uint64_t deadline)
{
    const char *at = (const char *)word;
    size_t left = sizeof *word;
    while (left > 0) {
        ssize_t n = send(fd, at, left, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return -1;
        if (n < 0 && await(fd, POLLOUT, deadline) < 0)
            return -1;
        at += n > 0 ? n : 0;
        left -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

int word_receive(const struct gang *gang, int fd, struct word *ret, uint64_t deadline)
{
    char *at = (char *)ret;
    size_t left = sizeof *ret;
    while (left > 0) {
        ssize_t n = recv(fd, at, left, MSG_DONTWAIT);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return -1;
        if (n < 0 && await(fd, POLLIN, deadline) < 0)
            return -1;
        at += n > 0 ? n : 0;
        left -= n > 0 ? (size_t)n : 0;
    }
    return is_ours(gang, ret) ? 0 : -1;
}

enum word_state word_peek(const struct gang *gang, int fd, struct word *ret)
{
    ssize_t n = recv(fd, ret, sizeof *ret, MSG_PEEK | MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        return WORD_CLOSED;
    if (n < (ssize_t)sizeof *ret)
        return WORD_NONE;
    return is_ours(gang, ret) ? WORD_THERE : WORD_WRONG;
}

int word_fits(const struct gang *gang, const struct gang_part *part, const struct word *word,
              struct ce_error *err)
{
    char own[CE_NCCL_VERSION_TEXT], other[CE_NCCL_VERSION_TEXT];
    if (word->failed[0])
        return ce_fail(err, "%s", word->failed);
    if (word->version != part->version)
        return ce_fail(err, "%s has NCCL %s, %s has %s", word->name,
                       ce_nccl_version_text(word->version, other), gang->name,
                       ce_nccl_version_text(part->version, own));
    if (word->gpus == 0 || word->gpus > CE_NCCL_GPUS_MAX)
        return ce_fail(err, "%s has %u GPUs", word->name, word->gpus);
    return 0;
}

int word_place(const struct gang *gang, const struct word *word, struct gang_part *part,
               struct ce_error *err)
{
    if (word->ranks > CE_NCCL_GPUS_MAX * gang->nodes || word->first > word->ranks ||
        part->gpus > word->ranks - word->first)
        return ce_fail(err, "node 0 says %u of %u ranks", word->first, word->ranks);
    part->id = word->id;
    part->ranks = word->ranks;
    part->first = word->first;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "rdma_measure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "model/rdma_span.h"

enum { POLL_MAX = 16, ROUNDS = 1000, FLAGS = 250, LAST = 255, SPINS = 256 };

/* ---------------------------------------------------------------- writing */

/* A place at the other end. */
struct target {
    uint64_t address;
    uint32_t key;
};

static int post(struct rdma_port *port, struct ibv_sge piece, struct target target, int flags,
                struct ce_rdma_result *result)
{
    struct ibv_send_wr write = {.sg_list = &piece,
                                .num_sge = 1,
                                .opcode = IBV_WR_RDMA_WRITE,
                                .send_flags = (unsigned)(flags | IBV_SEND_SIGNALED),
                                .wr.rdma = {target.address, target.key}};
    struct ibv_send_wr *bad;
    int error = ibv_post_send(port->qp, &write, &bad);
    if (error)
        return ce_rdma_fail(result, CE_RDMA_WRITE, "cannot write: %s", strerror(error));
    port->outstanding++;
    return 0;
}

/* How many writes have ended by now; -1 where one failed. */
static int take_completions(struct rdma_port *port, struct ce_rdma_result *result)
{
    struct ibv_wc done[POLL_MAX];
    int count = ibv_poll_cq(port->cq, POLL_MAX, done);
    if (count < 0)
        return ce_rdma_fail(result, CE_RDMA_WRITE, "cannot read the completions");
    for (int i = 0; i < count; i++)
        if (done[i].status != IBV_WC_SUCCESS)
            return ce_rdma_fail(result, CE_RDMA_WRITE, "a write failed: %s",
                                ibv_wc_status_str(done[i].status));
    port->outstanding -= (unsigned)count;
    return count;
}

static int check_time(uint64_t now, uint64_t last, uint64_t deadline, struct ce_rdma_result *result)
{
    if (now - last > (uint64_t)RDMA_STALL_MS * CE_NS_PER_MS)
        return ce_rdma_fail(result, CE_RDMA_WRITE, "no write came through for %d s",
                            RDMA_STALL_MS / 1000);
    if (now > deadline)
        return ce_rdma_fail(result, CE_RDMA_WRITE, "the test did not end in its time");
    return 0;
}

/* ---------------------------------------------------------------- bandwidth */

/* Out of what goes out of this end, into what comes in at the other. */
static int post_message(struct rdma_port *port, struct ce_rdma_result *result)
{
    const struct ce_rdma_end *other = &port->other;
    struct ibv_sge piece = {(uintptr_t)port->memory + RDMA_OUT, RDMA_MESSAGE, port->mr->lkey};
    struct target target = {other->address, other->key};
    if (port->gpu.mr)
        piece = (struct ibv_sge){port->gpu.address + RDMA_OUT, RDMA_MESSAGE, port->gpu.mr->lkey};
    if (other->gpu)
        target = (struct target){other->gpu_address, other->gpu_key};
    return post(port, piece, target, 0, result);
}

static int keep_writing(struct rdma_port *port, uint64_t stop, uint64_t deadline, uint64_t warm,
                        struct ce_rdma_span *span, struct ce_rdma_result *result)
{
    uint64_t now = ce_clock_ns(), last = now;
    while (now < stop || port->outstanding > 0 || !ce_rdma_span_is_known(span)) {
        bool more = now < stop || !ce_rdma_span_is_known(span); /* a very slow one gets longer */
        while (more && port->outstanding < RDMA_DEPTH)
            if (post_message(port, result) < 0)
                return -1;
        int count = take_completions(port, result);
        now = ce_clock_ns();
        if (count < 0 || (count == 0 && check_time(now, last, deadline, result) < 0))
            return -1;
        last = count > 0 ? now : last;
        if (more && now >= warm)
            ce_rdma_span_add(span, now, (uint64_t)count);
    }
    return 0;
}

int rdma_measure_write(struct rdma_port *port, unsigned time_ms, uint64_t deadline,
                       struct ce_rdma_result *result)
{
    uint64_t start = ce_clock_ns(), length = (uint64_t)time_ms * CE_NS_PER_MS,
             warm = start + length / 10, stop = warm + length;
    struct ce_rdma_span span = {.begin = start};
    if (keep_writing(port, stop, deadline, warm, &span, result) < 0)
        return -1;
    result->write_mbps = ce_rdma_span_mbps(&span, RDMA_MESSAGE);
    return 0;
}

/* ---------------------------------------------------------------- latency */

/* The flag is the last byte of eight: they are written from the first to the last. */
static volatile unsigned char *flag_of(struct rdma_port *port)
{
    return port->memory + RDMA_FLAG + 7;
}

/* As at the beginning, for the next measurement. */
static void lower_flag(struct rdma_port *port)
{
    *flag_of(port) = 0;
}

static int raise_flag(struct rdma_port *port, unsigned char value, struct ce_rdma_result *result)
{
    port->memory[RDMA_FLAG_OUT + 7] = value;
    const struct ibv_sge piece = {(uintptr_t)port->memory + RDMA_FLAG_OUT, 8, port->mr->lkey};
    const struct target target = {port->other.address + RDMA_FLAG, port->other.key};
    return post(port, piece, target, IBV_SEND_INLINE, result);
}

/* The flag that comes after `before`; -1.  It comes without a completion; completions are taken now
 * and then, for the queue is short. */
static int await_flag(struct rdma_port *port, unsigned char before, struct rdma_port *writer,
                      uint64_t deadline, struct ce_rdma_result *result)
{
    uint64_t start = 0;
    for (unsigned spins = 1; *flag_of(port) == before; spins++) {
        if (spins % SPINS)
            continue;
        uint64_t now = ce_clock_ns();
        start = start ? start : now;
        if (take_completions(port, result) < 0 || take_completions(writer, result) < 0 ||
            check_time(now, start, deadline, result) < 0)
            return -1;
    }
    return *flag_of(port);
}

static int make_room(struct rdma_port *port, uint64_t deadline, unsigned most,
                     struct ce_rdma_result *result)
{
    uint64_t start = ce_clock_ns();
    while (port->outstanding > most) {
        int count = take_completions(port, result);
        if (count < 0 || (!count && check_time(ce_clock_ns(), start, deadline, result) < 0))
            return -1;
    }
    return 0;
}

/* The flag comes, and goes back: what it is; -1. */
static int answer_flag(struct rdma_port *port, unsigned char before, struct rdma_port *writer,
                       uint64_t deadline, struct ce_rdma_result *result)
{
    if (make_room(port, deadline, RDMA_DEPTH / 2, result) < 0)
        return -1;
    int value = await_flag(port, before, writer, deadline, result);
    return value < 0 || raise_flag(port, (unsigned char)value, result) < 0 ? -1 : value;
}

/* One flag there, one back. */
static int go_round(struct rdma_port *port, struct rdma_port *to, unsigned char before,
                    unsigned char value, uint64_t deadline, struct ce_rdma_result *result)
{
    if (make_room(port, deadline, RDMA_DEPTH / 2, result) < 0 ||
        raise_flag(port, value, result) < 0)
        return -1;
    if (to && answer_flag(to, before, port, deadline, result) < 0)
        return -1;
    return await_flag(port, before, to ? to : port, deadline, result) < 0 ? -1 : 0;
}

/* Flags are 1 to 250, never 0, which the memory starts with, nor the one before; and LAST, so that
 * both ends know.  How many rounds there were; -1. */
static int go_rounds(struct rdma_port *port, struct rdma_port *to, unsigned time_ms,
                     uint64_t deadline, uint64_t took[ROUNDS], struct ce_rdma_result *result)
{
    uint64_t start = ce_clock_ns(), stop = start + (uint64_t)time_ms * CE_NS_PER_MS;
    unsigned char before = 0;
    int rounds = 0;
    while (before != LAST) {
        bool last = rounds == ROUNDS - 1 || start > stop;
        unsigned char value = last ? LAST : (unsigned char)(rounds % FLAGS + 1);
        if (go_round(port, to, before, value, deadline, result) < 0)
            return -1;
        before = value;
        uint64_t now = ce_clock_ns();
        took[rounds++] = now - start;
        start = now;
    }
    return rounds;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

int rdma_measure_latency(struct rdma_port *port, struct rdma_port *to, unsigned time_ms,
                         uint64_t deadline, struct ce_rdma_result *result)
{
    uint64_t took[ROUNDS];
    int rounds = go_rounds(port, to, time_ms, deadline, took, result);
    if (rounds < 0 || make_room(port, deadline, 0, result) < 0 ||
        (to && make_room(to, deadline, 0, result) < 0))
        return -1;
    lower_flag(port);
    if (to)
        lower_flag(to);
    qsort(took, (size_t)rounds, sizeof *took, compare);
    result->latency_ns = took[rounds / 2] / 2 ? took[rounds / 2] / 2 : 1;
    return 0;
}

int rdma_answer_latency(struct rdma_port *port, uint64_t deadline, struct ce_rdma_result *result)
{
    int value = 0;
    while (value != LAST) {
        value = answer_flag(port, (unsigned char)value, port, deadline, result);
        if (value < 0)
            return -1;
    }
    lower_flag(port);
    return make_room(port, deadline, 0, result);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* bench-rdma: what one rail carries, by RDMA writes from host memory or a GPU's: to itself, to another port of
 * this node, or to the same rail of another node that runs this, too, and is met over TCP.  Run as a
 * child with a deadline: opening asks the driver.  stdout is a text of model/rdma_result.h, whatever
 * went wrong; stderr is for people; the exit status is 0, 1 (the text could not be written), or 2
 * (usage). */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cleanup.h"
#include "base/parse.h"
#include "rdma_measure.h"
#include "rdma_port.h"
#include "bench_talk.h"

enum { LISTENER_PATIENCE_MS = 2000, DIALER_PATIENCE_MS = 10000, SLACK_MS = 2000, TURNS = 4 };
enum { LINK_LATE_MS = 200 };

struct task {
    struct rdma_place own, to;        /* to.device NULL: to itself */
    const char *listen, *peer;        /* the other node; both NULL: none */
    uint32_t tcp_port, rail, rails;
    uint32_t time_ms, wait_ms, limit_ms; /* of writing, for the other node, of all after it */
};

/* What else there is to say of a test that was done. */
static void describe(const struct rdma_port *port, struct ce_rdma_result *result)
{
    result->mtu = rdma_port_mtu(port);
    snprintf(result->gpu_name, sizeof result->gpu_name, "%s", port->gpu.name);
    snprintf(result->gpu_way, sizeof result->gpu_way, "%s", port->gpu.way);
}

/* ---------------------------------------------------------------- this node alone */

static int run_local(const struct task *task, struct ce_rdma_result *result)
{
    struct rdma_port a, b = {.context = NULL};
    const struct rdma_place *to = task->to.device ? &task->to : &task->own;
    uint64_t deadline = ce_clock_ns() + (uint64_t)task->limit_ms * CE_NS_PER_MS;
    bool same = to->gpu && task->own.gpu && strcmp(to->gpu, task->own.gpu) == 0;
    int status = rdma_port_open(&a, &task->own, 0, result);
    if (status == 0)
        status = rdma_port_open(&b, to, same, result);
    if (status == 0 && (rdma_port_connect(&a, &b.own, result) < 0 ||
                        rdma_port_connect(&b, &a.own, result) < 0))
        status = -1;
    if (status == 0 && (rdma_measure_latency(&a, &b, task->time_ms, deadline, result) < 0 ||
                        rdma_measure_write(&a, task->time_ms, deadline, result) < 0))
        status = -1;
    if (status == 0)
        describe(&a, result);
    /* A device that writes to itself does not need the link. */
    if (a.context && b.context && (status == 0 || result->outcome == CE_RDMA_WRITE) &&
        (rdma_port_check(&a, " during the test", result) < 0 ||
         rdma_port_check(&b, " during the test", result) < 0))
        status = -1;
    rdma_port_close(&a);
    rdma_port_close(&b);
    return status;
}

/* ---------------------------------------------------------------- meeting the other node */

enum met { MET, MET_AGAIN, MET_NEVER };

/* It may be of another version. */
static int understand(const struct ce_text *heard, struct ce_rdma_end *other, struct ce_error *err)
{
    if (ce_rdma_end_parse(ce_text_string(heard), other, err) == 0)
        return 0;
    return ce_fail_in(err, "the other side is not understood, is it of this version?");
}

/* A stranger on the port, or a node that is behind, is no reason to give up. */
static enum met judge_end(const struct task *task, const struct ce_rdma_end *other,
                          struct ce_rdma_result *result)
{
    if (other->rails == task->rails && other->rail == task->rail)
        return MET;
    ce_rdma_fail(result, CE_RDMA_PEER, "the other node tests rail %u of %u, this one rail %u of %u",
                 other->rail + 1, other->rails, task->rail + 1, task->rails);
    return other->rails == task->rails && other->rail < task->rail ? MET_AGAIN : MET_NEVER;
}

static enum met greet(const struct task *task, int fd, const struct ce_rdma_end *own,
                      struct ce_rdma_end *other, struct ce_rdma_result *result)
{
    struct ce_error err;
    ce_autotext struct ce_text said = CE_TEXT(CE_RDMA_TEXT_MAX), heard = CE_TEXT(CE_RDMA_TEXT_MAX);
    unsigned patience = task->listen ? LISTENER_PATIENCE_MS : DIALER_PATIENCE_MS;
    uint64_t deadline = ce_clock_ns() + (uint64_t)patience * CE_NS_PER_MS;
    ce_rdma_end_write(own, &said);
    if (bench_say(fd, &said, deadline, &err) == 0 && bench_hear(fd, &heard, deadline, &err) == 0 &&
        understand(&heard, other, &err) == 0)
        return judge_end(task, other, result);
    ce_rdma_fail(result, CE_RDMA_PEER, "%.150s", err.text);
    bool closed = !heard.length && ce_clock_ns() < deadline;
    return task->listen || closed ? MET_AGAIN : MET_NEVER;
}

/* A socket on which both ends are known; -1 with the result set. */
static int meet(const struct task *task, const struct ce_rdma_end *own, struct ce_rdma_end *other,
                struct ce_rdma_result *result)
{
    struct ce_error err;
    struct ce_rdma_result last = {.text = ""};
    uint64_t deadline = ce_clock_ns() + (uint64_t)task->wait_ms * CE_NS_PER_MS;
    ce_autoclose int listening =
        task->listen ? bench_listen(task->listen, task->tcp_port, &err) : -1;
    if (task->listen && listening < 0)
        return ce_rdma_fail(result, CE_RDMA_ALONE, "%.150s", err.text);
    for (;;) {
        int fd = task->listen ? bench_accept(listening, deadline, &err)
                              : bench_dial(task->peer, task->tcp_port, deadline, &err);
        if (fd < 0) {
            const char *colon = last.text[0] ? ", but before: " : "";
            return ce_rdma_fail(result, CE_RDMA_ALONE, "no answer in %g s: %.60s%s%.60s",
                                task->wait_ms / 1000.0, err.text, colon, last.text);
        }
        enum met met = greet(task, fd, own, other, &last);
        if (met == MET)
            return fd;
        close(fd);
        if (met == MET_NEVER)
            return ce_rdma_fail(result, CE_RDMA_PEER, "%s", last.text);
    }
}

/* ---------------------------------------------------------------- with the other node */

/* Both have come so far: 0.  status: how this one did. */
static int sync_step(const struct task *task, int fd, uint32_t number, int status,
                     struct ce_rdma_result *result)
{
    struct ce_error err;
    struct ce_rdma_step own = {.step = number}, other;
    ce_autotext struct ce_text said = CE_TEXT(CE_RDMA_TEXT_MAX), heard = CE_TEXT(CE_RDMA_TEXT_MAX);
    uint64_t deadline =
        ce_clock_ns() + (2ULL * task->time_ms + RDMA_STALL_MS + SLACK_MS) * CE_NS_PER_MS;
    if (status < 0)
        snprintf(own.failed, sizeof own.failed, "%s", result->text);
    ce_rdma_step_write(&own, &said);
    int talked = bench_say(fd, &said, deadline, &err);
    if (status < 0)
        return -1;
    if (talked < 0 || bench_hear(fd, &heard, deadline, &err) < 0 ||
        ce_rdma_step_parse(ce_text_string(&heard), &other, &err) < 0)
        return ce_rdma_fail(result, CE_RDMA_PEER, "%.150s", err.text);
    if (other.failed[0])
        return ce_rdma_fail(result, CE_RDMA_PEER, "the other node: %.130s", other.failed);
    return other.step == number ? 0
                                : ce_rdma_fail(result, CE_RDMA_PEER, "the other node is out of step");
}

static int take_turn(const struct task *task, struct rdma_port *port, unsigned turn,
                     uint64_t deadline, struct ce_rdma_result *result)
{
    bool own = (turn % 2 == 0) == !task->listen;
    if (turn < 2)
        return own ? rdma_measure_latency(port, NULL, task->time_ms, deadline, result)
                   : rdma_answer_latency(port, deadline, result);
    return own ? rdma_measure_write(port, task->time_ms, deadline, result) : 0;
}

/* First the latency, then the writes; who dialed is first in both. */
static int measure(const struct task *task, int fd, struct rdma_port *port,
                   struct ce_rdma_result *result)
{
    uint64_t deadline = ce_clock_ns() + (uint64_t)task->limit_ms * CE_NS_PER_MS;
    int status = sync_step(task, fd, 0, 0, result);
    for (unsigned turn = 0; status == 0 && turn < TURNS; turn++) {
        status = take_turn(task, port, turn, deadline, result);
        status = sync_step(task, fd, turn + 1, status, result);
    }
    return status;
}

/* Whatever went wrong, a link that went down is why; a device may give up a write a moment before it
 * tells that. */
static int blame_link(const struct rdma_port *port, int status, struct ce_rdma_result *result)
{
    const struct timespec pause = {.tv_nsec = LINK_LATE_MS * (CE_NS_PER_MS / 10)};
    for (unsigned look = 0; look <= 10; look++) {
        if (rdma_port_check(port, " during the test", result) < 0)
            return -1;
        if (status == 0 || result->outcome != CE_RDMA_WRITE)
            break;
        nanosleep(&pause, NULL);
    }
    return status;
}

static int run_pair(const struct task *task, int fd, struct rdma_port *port,
                    const struct ce_rdma_end *other, struct ce_rdma_result *result)
{
    int status = rdma_port_connect(port, other, result);
    if (status < 0)
        sync_step(task, fd, 0, status, result);
    else
        status = measure(task, fd, port, result);
    if (status == 0)
        describe(port, result);
    return blame_link(port, status, result);
}

/* Also with a rail that is down: the other node has to hear of it. */
static int run_remote(const struct task *task, struct ce_rdma_result *result)
{
    struct rdma_port port;
    struct ce_rdma_end other;
    struct ce_rdma_result opened = {.text = ""};
    int status = rdma_port_open(&port, &task->own, 0, &opened);
    port.own.rail = task->rail;
    port.own.rails = task->rails;
    memcpy(port.own.failed, opened.text, sizeof port.own.failed);
    ce_autoclose int fd = meet(task, &port.own, &other, result);
    if (status < 0)
        *result = opened;
    else if (fd < 0)
        status = -1;
    else if (other.failed[0])
        status = ce_rdma_fail(result, CE_RDMA_PEER, "the other node: %.130s", other.failed);
    else
        status = run_pair(task, fd, &port, &other, result);
    rdma_port_close(&port);
    return status;
}

/* ---------------------------------------------------------------- arguments */

static const struct option options[] = {
    {"device", required_argument, NULL, 'd'},  {"port", required_argument, NULL, 'p'},
    {"gid", required_argument, NULL, 'g'},     {"to-device", required_argument, NULL, 'D'},
    {"to-port", required_argument, NULL, 'P'}, {"to-gid", required_argument, NULL, 'G'},
    {"gpu", required_argument, NULL, 'u'},     {"to-gpu", required_argument, NULL, 'U'},
    {"listen", required_argument, NULL, 'l'},  {"peer", required_argument, NULL, 'o'},
    {"tcp-port", required_argument, NULL, 't'}, {"rail", required_argument, NULL, 'r'},
    {"rails", required_argument, NULL, 'R'},   {"time", required_argument, NULL, 'm'},
    {"wait", required_argument, NULL, 'w'},    {"limit", required_argument, NULL, 'L'},
    {NULL, 0, NULL, 0},
};

static const char **text_for(struct task *task, int key)
{
    switch (key) {
    case 'd':
        return &task->own.device;
    case 'D':
        return &task->to.device;
    case 'u':
        return &task->own.gpu;
    case 'U':
        return &task->to.gpu;
    case 'l':
        return &task->listen;
    case 'o':
        return &task->peer;
    default:
        return NULL;
    }
}

static uint32_t *number_for(struct task *task, int key, uint32_t *max)
{
    const struct {
        int key;
        uint32_t *number, max;
    } numbers[] = {
        {'p', &task->own.port, 255},      {'g', &task->own.gid, 255},
        {'P', &task->to.port, 255},       {'G', &task->to.gid, 255},
        {'t', &task->tcp_port, 65535},    {'r', &task->rail, 65535},
        {'R', &task->rails, 65535},       {'m', &task->time_ms, 600000},
        {'w', &task->wait_ms, 86400000},  {'L', &task->limit_ms, 3600000},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].key == key) {
            *max = numbers[i].max;
            return numbers[i].number;
        }
    return NULL;
}

static int read_arguments(int argc, char **argv, struct task *task)
{
    int key;
    uint32_t max, *number;
    while ((key = getopt_long(argc, argv, "", options, NULL)) != -1) {
        const char **text = text_for(task, key);
        if (text)
            *text = optarg;
        else if ((number = number_for(task, key, &max)) == NULL ||
                 ce_parse_u32(optarg, 0, max, number) < 0)
            return -1;
    }
    bool two = task->listen && task->peer, other = task->listen || task->peer;
    return optind < argc || !task->own.device || two || (other && !task->tcp_port) ||
                   task->rail >= task->rails
               ? -1
               : 0;
}

int main(int argc, char **argv)
{
    struct task task = {.own = {.port = 1},
                        .to = {.port = 1},
                        .rails = 1,
                        .time_ms = 1000,
                        .wait_ms = 60000,
                        .limit_ms = 15000};
    struct ce_rdma_result result = {.text = ""};
    ce_autotext struct ce_text out = CE_TEXT(CE_RDMA_TEXT_MAX);
    if (read_arguments(argc, argv, &task) < 0) {
        fputs("usage: bench-rdma --device=NAME [--port=N] [--gid=INDEX] [--gpu=PCI]\n"
              "           [--to-device=NAME [--to-port=N] [--to-gid=INDEX] [--to-gpu=PCI]]\n"
              "           [--listen=ADDRESS|--peer=ADDRESS --tcp-port=N --rail=N --rails=N]\n"
              "           [--time=MS] [--wait=MS] [--limit=MS]\n",
              stderr);
        return 2;
    }
    if (task.listen || task.peer)
        run_remote(&task, &result);
    else
        run_local(&task, &result);
    ce_rdma_result_write(&result, &out);
    if (!ce_text_ok(&out) || fputs(ce_text_string(&out), stdout) == EOF || fflush(stdout) == EOF) {
        fprintf(stderr, "bench-rdma: cannot write: %s\n", strerror(errno));
        return 1;
    }
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "gang_nccl.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "gang_beside.h"

enum {
    WORD = CE_GANG_NAME + CE_ADDRESS_TEXT + 32,
    WORDS = 10,
    SAID_MAX = 16 << 20, /* NCCL's log, too */
    TURN = 64 << 10,     /* bytes of it that are heard at once */
    LOOK_MS = 20,
    COLLECT_MS = 2,
    OWN_END_MS = 300,  /* so much before its end it gives up by itself, and says where it was */
    ALONE_MS = 1500,   /* less is too little to repeat it alone */
    PREPARE_SHARE = 2, /* half of the time is for the drivers, half for the all-reduce */
};

/* ---------------------------------------------------------------- the child */

/* What bench-nccl is told. */
struct line {
    char path[GANG_PATH], text[WORDS][WORD];
    char *argv[WORDS + 2];
    unsigned count;
};

__attribute__((format(printf, 2, 3))) static void add(struct line *line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(line->text[line->count], WORD, format, args);
    va_end(args);
    line->argv[line->count + 1] = line->text[line->count];
    line->count++;
}

/* All-reduces of one size, for as short as it measures. */
static int make_line(const struct ce_gang_task *task, struct line *line)
{
    uint64_t bytes = (uint64_t)task->nccl_mib << 20;
    if (gang_beside("bench-nccl", line->path) < 0)
        return -1;
    line->argv[0] = line->path;
    add(line, "--name=%s", task->name);
    add(line, "--bytes=%" PRIu64, bytes);
    add(line, "--least=%" PRIu64, bytes);
    add(line, "--seconds=1");
    return 0;
}

static void add_place(const struct ce_gang_task *task, struct line *line)
{
    char text[CE_ADDRESS_TEXT];
    add(line, "--nodes=%u", task->count);
    add(line, "--node=%u", task->self);
    add(line, "--address=%s", ce_address_format(&task->addresses[0], text));
    add(line, "--wait");
}

static void run_program(const struct line *line, int in, int out)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
        _exit(127);
    execv(line->path, line->argv);
    _exit(127);
}

/* A socket as its stdin: to write to it when it has ended must not end this program.  A pipe as its
 * stdout, which NCCL opens by its name. */
static int start(struct gang_nccl *nccl, const struct line *line)
{
    int in[2], out[2];
    nccl->said = CE_TEXT(SAID_MAX);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) < 0)
        return -1;
    nccl->in = in[0];
    if (pipe2(out, O_CLOEXEC) < 0) {
        close(in[1]);
        return -1;
    }
    nccl->out = out[0];
    nccl->pid = fork();
    if (nccl->pid == 0)
        run_program(line, in[1], out[1]);
    close(in[1]);
    close(out[1]);
    return nccl->pid < 0 || fcntl(nccl->out, F_SETFL, O_NONBLOCK) < 0 ? -1 : 0;
}

static void collect(struct gang_nccl *nccl)
{
    if (nccl->pid > 0 && waitpid(nccl->pid, NULL, WNOHANG) != 0)
        nccl->pid = 0;
}

/* To be collected later, where it takes a moment. */
static void stop(struct gang_nccl *nccl)
{
    if (nccl->in >= 0)
        close(nccl->in);
    if (nccl->out >= 0)
        close(nccl->out);
    if (nccl->pid > 0)
        kill(nccl->pid, SIGKILL);
    nccl->in = nccl->out = -1;
    collect(nccl);
}

/* Its GPUs are free, also in NVML's list, when it is gone: no job starts before.  Where a driver
 * holds it longer than the preflight may take, whoever runs this collects it. */
static void stop_and_collect(struct gang_nccl *nccl)
{
    stop(nccl);
    while (nccl->pid > 0 && ce_clock_ns() < nccl->bound) {
        poll(NULL, 0, COLLECT_MS);
        collect(nccl);
    }
}

/* One that writes on and on holds nobody up.  false: it has said its last word. */
static bool hear(struct gang_nccl *nccl)
{
    char bytes[16384];
    ssize_t n;
    for (size_t got = 0; got < TURN; got += (size_t)n) {
        n = read(nccl->out, bytes, sizeof bytes);
        if (n <= 0)
            return n < 0 && (errno == EAGAIN || errno == EINTR);
        ce_text_addn(&nccl->said, bytes, (size_t)n);
    }
    return true;
}

/* ---------------------------------------------------------------- can this node? */

static void settle(struct gang_nccl *nccl, enum ce_gang_nccl_ready ready, const char *why)
{
    struct ce_error clean;
    ce_fail(&clean, "%.*s", CE_GANG_NCCL_WHY - 1, why);
    nccl->part.ready = ready;
    snprintf(nccl->part.why, sizeof nccl->part.why, "%.*s", CE_GANG_NCCL_WHY - 1, clean.text);
    if (ready != CE_GANG_NCCL_READY)
        stop(nccl);
}

void gang_nccl_begin(struct gang_nccl *nccl, const struct ce_gang_task *task, uint64_t until)
{
    struct line line = {.count = 0};
    uint64_t now = ce_clock_ns();
    *nccl = (struct gang_nccl){.bound = until, .in = -1, .out = -1};
    if (!task->nccl_mib || task->out)
        return;
    nccl->part.ready = CE_GANG_NCCL_PREPARING;
    nccl->due = now + (until - now) / PREPARE_SHARE;
    if (!task->facts.whole) {
        settle(nccl, CE_GANG_NCCL_CANNOT, "other jobs may be on the node");
        return;
    }
    if (make_line(task, &line) < 0) {
        settle(nccl, CE_GANG_NCCL_UNSURE, "bench-nccl was not found");
        return;
    }
    add_place(task, &line);
    if (start(nccl, &line) < 0)
        settle(nccl, CE_GANG_NCCL_UNSURE, "bench-nccl could not be started");
}

/* It ended where it should have waited. */
static void settle_ended(struct gang_nccl *nccl)
{
    struct ce_nccl_node node;
    struct ce_error err;
    bool said = ce_nccl_output_read(ce_text_string(&nccl->said), &node, &err) == 0 &&
                node.outcome != CE_NCCL_SILENT;
    if (!said)
        settle(nccl, CE_GANG_NCCL_UNSURE, "bench-nccl ended without a word");
    else
        settle(nccl, node.outcome == CE_NCCL_SKIPPED ? CE_GANG_NCCL_CANNOT : CE_GANG_NCCL_UNSURE,
               node.reason);
}

bool gang_nccl_tick(struct gang_nccl *nccl, uint64_t now)
{
    if (nccl->part.ready != CE_GANG_NCCL_PREPARING)
        return false;
    bool goes_on = hear(nccl);
    if (ce_nccl_output_is_ready(ce_text_string(&nccl->said), &nccl->part.port))
        settle(nccl, CE_GANG_NCCL_READY, "");
    else if (!goes_on)
        settle_ended(nccl);
    else if (now >= nccl->due)
        settle(nccl, CE_GANG_NCCL_UNSURE, "its libraries and GPUs did not answer in time");
    return nccl->part.ready != CE_GANG_NCCL_PREPARING;
}

void gang_nccl_look(struct gang_nccl *nccl)
{
    if (nccl->part.ready == CE_GANG_NCCL_READY && !hear(nccl))
        settle_ended(nccl);
}

int gang_nccl_arrange(const struct gang_nccl *nccl, struct ce_gang_nccl_word *word)
{
    unsigned char bytes[(CE_GANG_NCCL_TOKEN - 1) / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return -1;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(word->token + 2 * i, 3, "%02x", bytes[i]);
    word->port = nccl->part.port;
    return 0;
}

/* ---------------------------------------------------------------- the all-reduce */

static unsigned ms_until(uint64_t until)
{
    uint64_t now = ce_clock_ns();
    return now < until ? (unsigned)((until - now) / CE_NS_PER_MS) : 0;
}

/* false: its time was over, and it goes on. */
static bool follow(struct gang_nccl *nccl, uint64_t until)
{
    while (hear(nccl)) {
        struct pollfd one = {.fd = nccl->out, .events = POLLIN};
        if (ms_until(until) == 0)
            return false;
        poll(&one, 1, LOOK_MS);
    }
    return true;
}

/* What it said; where it said no end of its own it hangs, or something ended it. */
static void read_end(const struct gang_nccl *nccl, bool ended, struct ce_nccl_node *node,
                     struct ce_gang_nccl_end *ret)
{
    struct ce_error err;
    if (!ce_text_ok(&nccl->said) ||
        ce_nccl_output_read(ce_text_string(&nccl->said), node, &err) < 0)
        *node = (struct ce_nccl_node){.outcome = CE_NCCL_SILENT};
    if (node->outcome == CE_NCCL_SILENT)
        ce_nccl_node_end(node, ended ? CE_NCCL_SILENT : CE_NCCL_LATE, "%s",
                         ended ? "it does not say how it ended" : "it does not end");
    *ret = (struct ce_gang_nccl_end){
        .outcome = node->outcome, .at = node->at, .hardware = node->hardware != 0};
    snprintf(ret->reason, sizeof ret->reason, "%s", node->reason);
    for (unsigned i = 0; i < node->size_count; i++)
        ret->wrong += node->sizes[i].wrong;
}

static void take_measured(const struct ce_nccl_node *node, struct ce_gang_nccl *ret)
{
    snprintf(ret->gpu, sizeof ret->gpu, "%s", node->gpu);
    ret->gpus = node->gpus;
    ret->ranks = node->ranks;
    ret->log = node->log;
    if (node->size_count) {
        ret->bytes = node->sizes[node->size_count - 1].bytes;
        ret->ns = node->sizes[node->size_count - 1].ns;
    }
}

static void run_together(struct gang_nccl *nccl, const struct ce_gang_nccl_word *word,
                         uint64_t until, struct ce_gang_nccl *ret)
{
    struct ce_nccl_node node;
    char line[96];
    uint64_t told = ce_clock_ns() + word->left_ms * (uint64_t)CE_NS_PER_MS;
    if (told < until)
        until = told;
    unsigned left = ms_until(until), own = left > 2 * OWN_END_MS ? left - OWN_END_MS : OWN_END_MS;
    int length =
        snprintf(line, sizeof line, "%u %s %u %u\n", word->port, word->token, own / 2, own);
    bool sent = send(nccl->in, line, (size_t)length, MSG_NOSIGNAL) == length;
    bool ended = !sent || follow(nccl, until);
    read_end(nccl, ended, &node, &ret->together);
    take_measured(&node, ret);
    ret->ran = true;
    stop_and_collect(nccl);
}

/* Sums that are wrong without any other node are this node's. */
static void run_alone(struct gang_nccl *nccl, const struct ce_gang_task *task, uint64_t until,
                      struct ce_gang_nccl *ret)
{
    struct ce_nccl_node node;
    struct line line = {.count = 0};
    unsigned left = ms_until(until);
    if (nccl->pid > 0 || left < ALONE_MS || make_line(task, &line) < 0)
        return;
    add(&line, "--limit=%u", left - OWN_END_MS);
    ce_text_free(&nccl->said);
    if (start(nccl, &line) == 0) {
        read_end(nccl, follow(nccl, until), &node, &ret->alone);
        ret->repeated = true;
    }
    stop_and_collect(nccl);
}

void gang_nccl_run(struct gang_nccl *nccl, const struct ce_gang_task *task,
                   const struct ce_gang_nccl_word *word, uint64_t until, struct ce_gang_nccl *ret)
{
    run_together(nccl, word, until, ret);
    if (ret->together.wrong)
        run_alone(nccl, task, until, ret);
}

void gang_nccl_end(struct gang_nccl *nccl)
{
    stop_and_collect(nccl);
    ce_text_free(&nccl->said);
}

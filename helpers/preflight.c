/* SPDX-License-Identifier: Apache-2.0 */
/* preflight: this node's part in the look that the nodes of a job take at each other before it starts.
 * cluster-prolog runs it as a child with a deadline.  stdout is a text of model/gang.h, whatever became
 * of it; stderr is for people; the exit status is 0, 1 (the text could not be written), or 2 (usage). */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "gang_run.h"

enum {
    TASK_MAX = 1 << 20,
    TICK_MS = 15,
    LISTEN_AGAIN_MS = 200,
    ACCEPTS_AT_ONCE = 64,
    LAST_WORDS_MS = 300,  /* for verdicts that are still on their way */
    DEPUTY_MS = 100,      /* before the end the second judge's word is taken */
    NCCL_END_MS = 100,    /* before the end an all-reduce is over */
    OUT_MS = 2000,        /* a node that takes no part stays so long to say so */
    WITNESS_PERCENT = 40, /* of the time, and nobody was met */
};

uint64_t gang_ms(uint64_t ms)
{
    return ms * 1000000;
}

/* ---------------------------------------------------------------- listening */

/* At the job's port, or one of the others that it may have. */
static void start_listening(struct gang_run *run, uint64_t now)
{
    const struct ce_gang_task *task = &run->task;
    for (unsigned i = 0; i < GANG_PORTS && run->listening < 0; i++) {
        run->listening = gang_listen(&task->addresses[task->self], gang_port(task, i));
        if (run->listening < 0 && errno != EADDRINUSE)
            break;
    }
    run->listen_due = now + gang_ms(LISTEN_AGAIN_MS);
}

static void accept_all(struct gang_run *run)
{
    struct ce_address from;
    for (int i = 0; i < ACCEPTS_AT_ONCE; i++) {
        int fd = gang_accept(run->listening, &from);
        if (fd < 0)
            return;
        if (gang_admits(run, &from)) {
            gang_peer_came(run, fd, &from);
            continue;
        }
        close(fd);
        run->result.refused++;
        snprintf(run->result.refusal, sizeof run->result.refusal,
                 "an address that is none of the job's, or too many at once");
    }
}

/* ---------------------------------------------------------------- the loop */

static void forget_gone(struct gang_run *run)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->peer_count; i++) {
        struct gang_peer *peer = run->peers[i];
        if (peer->step == GANG_GONE && peer->role != GANG_WITNESS)
            gang_peer_free(peer);
        else
            run->peers[kept++] = peer;
    }
    run->peer_count = kept;
}

static void tick(struct gang_run *run)
{
    uint64_t now = ce_clock_ns();
    if (run->listening < 0 && now >= run->listen_due)
        start_listening(run, now);
    if (gang_nccl_tick(&run->nccl, now))
        gang_ring_tell(run);
    for (size_t i = 0; i < run->peer_count && !run->over; i++)
        gang_peer_tick(run, run->peers[i], now);
    uint64_t wait = (run->bound - run->began) / 100 * WITNESS_PERCENT;
    if (!run->met && !run->witnessed && now >= run->began + wait)
        gang_witnesses_ask(run);
    gang_board_tick(run, ce_clock_ns());
    forget_gone(run);
}

/* What poll() says is done before the list changes: peers are added at its end only. */
static int wait_and_work(struct gang_run *run, int wait_ms)
{
    size_t count = run->peer_count;
    ce_autofree struct pollfd *fds = calloc(count + 1, sizeof *fds);
    if (!fds)
        return -1;
    for (size_t i = 0; i < count; i++)
        fds[i] = (struct pollfd){run->peers[i]->talk.fd, gang_peer_wants(run->peers[i]), 0};
    fds[count] = (struct pollfd){run->listening, POLLIN, 0};
    if (poll(fds, count + 1, wait_ms) <= 0)
        return 0;
    for (size_t i = 0; i < count && !run->over; i++)
        if (fds[i].revents && run->peers[i]->talk.fd == fds[i].fd)
            gang_peer_work(run, run->peers[i], fds[i].revents);
    if (fds[count].revents)
        accept_all(run);
    return 0;
}

/* Verdicts that the sockets did not take at once. */
static void flush_all(struct gang_run *run)
{
    uint64_t end = ce_clock_ns() + gang_ms(LAST_WORDS_MS);
    bool pending = true;
    while (pending && ce_clock_ns() < end) {
        pending = false;
        for (size_t i = 0; i < run->peer_count; i++) {
            struct gang_talk *talk = &run->peers[i]->talk;
            if (run->peers[i]->role != GANG_FROM_NODE || talk->fd < 0)
                continue;
            if (gang_talk_flush(talk) == 0)
                pending |= gang_talk_is_pending(talk);
        }
        if (pending)
            poll(NULL, 0, 1);
    }
}

static void begin_dials(struct gang_run *run)
{
    const struct ce_gang_task *task = &run->task;
    uint32_t next = (task->self + 1) % task->count;
    for (uint32_t judge = 0; judge < GANG_JUDGES && judge < task->self; judge++)
        gang_peer_add(run, GANG_TO_JUDGE, judge, &task->addresses[judge]);
    if (!task->out)
        gang_peer_add(run, GANG_TO_NEXT, next, &task->addresses[next]);
}

/* ---------------------------------------------------------------- what became of it */

static void conclude(struct gang_run *run)
{
    struct ce_gang *result = &run->result;
    char why[CE_GANG_WHY];
    const char *isolated = gang_why_isolated(run, why);
    if (isolated) {
        result->end = CE_GANG_ISOLATED;
        result->requeue = false;
        snprintf(result->why, sizeof result->why, "%s", isolated);
    } else if (!run->over && run->deputy_heard) {
        result->verdict = run->deputy;
        result->end = CE_GANG_JUDGED;
        result->judge = 1;
    } else if (!run->over) {
        result->end = CE_GANG_UNKNOWN;
        snprintf(result->why, sizeof result->why, "no verdict came in time");
    }
    gang_ring_view(run, &result->own);
    result->took_ms = (uint32_t)((ce_clock_ns() - run->began) / 1000000);
}

/* What was decided together is done together. */
static void add_up(struct gang_run *run)
{
    struct ce_gang *result = &run->result;
    struct ce_gang_nccl_word *word = &result->verdict.nccl;
    if (run->over && word->plan == CE_GANG_NCCL_GO && run->nccl.part.ready == CE_GANG_NCCL_READY)
        gang_nccl_run(&run->nccl, &run->task, word, run->bound - gang_ms(NCCL_END_MS),
                      &result->nccl);
}

static void take_part(struct gang_run *run)
{
    run->began = ce_clock_ns();
    run->bound = run->began + gang_ms(run->task.deadline_ms);
    if (run->task.out && run->task.deadline_ms > OUT_MS)
        run->bound = run->began + gang_ms(OUT_MS);
    run->result.own.facts = run->task.facts;
    run->result.own.out = run->task.out;
    if (gang_board_begin(run) < 0)
        return;
    begin_dials(run);
    gang_nccl_begin(&run->nccl, &run->task, run->bound);
    while (!run->over) {
        uint64_t end = run->bound - gang_ms(run->deputy_heard ? DEPUTY_MS : 0);
        tick(run);
        if (ce_clock_ns() >= end || run->over || wait_and_work(run, TICK_MS) < 0)
            break;
    }
    flush_all(run);
    add_up(run);
    conclude(run);
}

static void run_free(struct gang_run *run)
{
    for (size_t i = 0; i < run->peer_count; i++)
        gang_peer_free(run->peers[i]);
    free(run->peers);
    if (run->listening >= 0)
        close(run->listening);
    gang_board_end(run);
    gang_nccl_end(&run->nccl);
    gang_seal_destroy(run->seal);
    ce_gang_task_free(&run->task);
}

/* ---------------------------------------------------------------- arguments */

static const struct option options[] = {{"task", required_argument, NULL, 't'}, {NULL, 0, NULL, 0}};

/* One text in as many pieces as it needs: an argument has a length at most. */
static int read_arguments(int argc, char **argv, struct ce_text *ret)
{
    int key;
    while ((key = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (key != 't')
            return -1;
        ce_text_add(ret, optarg);
    }
    return optind < argc || !ret->length || !ce_text_ok(ret) ? -1 : 0;
}

/* Each node of the job may have two connections here. */
static void allow_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static int print(const struct ce_gang *result)
{
    ce_autotext struct ce_text out = CE_TEXT(CE_GANG_TEXT_MAX);
    ce_gang_write(result, &out);
    if (ce_text_ok(&out) && fputs(ce_text_string(&out), stdout) != EOF && fflush(stdout) != EOF)
        return 0;
    fprintf(stderr, "preflight: cannot write: %s\n", strerror(errno));
    return 1;
}

int main(int argc, char **argv)
{
    struct gang_run run = {.listening = -1, .nccl = {.in = -1, .out = -1}, .result.end = CE_GANG_UNKNOWN};
    struct ce_error err;
    ce_autotext struct ce_text task = CE_TEXT(TASK_MAX);
    if (read_arguments(argc, argv, &task) < 0) {
        fputs("usage: preflight --task=TEXT...\n", stderr);
        return 2;
    }
    if (ce_gang_task_parse(ce_text_string(&task), &run.task, &err) < 0) {
        fprintf(stderr, "preflight: --task: %s\n", err.text);
        return 2;
    }
    allow_files();
    run.seal = gang_seal_create(run.task.socket, &err);
    if (run.seal)
        take_part(&run);
    else
        snprintf(run.result.why, sizeof run.result.why, "%.180s", err.text);
    int status = print(&run.result);
    run_free(&run);
    return status;
}

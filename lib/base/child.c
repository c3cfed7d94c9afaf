/* SPDX-License-Identifier: Apache-2.0 */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child_fork.h"
#include "base/cleanup.h"
#include "base/clock.h"

enum {
    KILL_WAIT_MS = 40,   /* SIGKILL takes effect at once, or, in state D, perhaps never */
    BUSY_WAIT_MS = 1000, /* in any other state it waits for its turn to end, on a busy machine */
    TICK_MS = 50,        /* old kernels: how late an exit is seen that closes no pipe, since a
                          * grandchild holds it */
    CLOSED_TICK_MS = 1,  /* and where the pipes are closed: it is exiting */
    TAIL = 1024,         /* bytes of stderr that are kept */
    TURN = 64 * 1024,    /* bytes read of one pipe before the others' turn */
    LAST_LINES = 3,
};

enum phase { ALIVE, ASKED_TO_END, KILLED };

/* A child at work. */
struct place {
    struct ce_child *child;      /* NULL: the place is free */
    struct ce_child_pipes pipes; /* -1: closed */
    int64_t started;             /* ms */
    int64_t next;                /* when the phase ends */
    enum phase phase;
    int64_t killed;  /* when SIGKILL was sent */
    char tail[TAIL]; /* of stderr */
    size_t tail_length;
};

struct run {
    struct place places[CE_CHILDREN_MAX_AT_ONCE];
    size_t width; /* places in use at most */
    size_t running;
    int64_t over; /* when the time for all is over; INT64_MAX: never */
    const struct ce_children_plan *plan;
};

static int64_t now_ms(void)
{
    return (int64_t)(ce_clock_ns() / CE_NS_PER_MS);
}

/* ---------------------------------------------------------------- starting */

static void tell(const struct run *run, struct ce_child *child)
{
    child->over = true;
    if (run->plan->ended)
        run->plan->ended(run->plan->ctx, child);
}

static void start(struct run *run, struct place *place, struct ce_child *child)
{
    struct ce_child_pipes pipes;
    child->output = CE_TEXT(child->output_max);
    child->last_words[0] = '\0';
    if (ce_child_fork(child, &pipes) < 0) {
        child->end = CE_CHILD_NOT_STARTED;
        child->number = errno;
        tell(run, child);
        return;
    }
    int64_t now = now_ms(), next = now + child->deadline_ms;
    child->end = CE_CHILD_EXITED; /* unless something worse happens */
    *place = (struct place){
        .child = child,
        .pipes = pipes,
        .started = now,
        .next = next < run->over ? next : run->over,
        .phase = ALIVE,
    };
    run->running++;
}

static void close_pipe(int *fd)
{
    ce_cleanup_close(fd);
    *fd = -1;
}

/* ---------------------------------------------------------------- listening */

static void keep_tail(struct place *place, const char *bytes, size_t length)
{
    if (length > TAIL) {
        bytes += length - TAIL;
        length = TAIL;
    }
    if (place->tail_length + length > TAIL) {
        size_t keep = TAIL - length;
        memmove(place->tail, place->tail + place->tail_length - keep, keep);
        place->tail_length = keep;
    }
    memcpy(place->tail + place->tail_length, bytes, length);
    place->tail_length += length;
}

static void take(struct place *place, int fd, const char *bytes, size_t length)
{
    struct ce_text *output = &place->child->output;
    if (fd == place->pipes.err)
        keep_tail(place, bytes, length);
    else if (ce_text_ok(output)) {
        size_t room = output->limit - output->length;
        ce_text_addn(output, bytes, length < room ? length : room);
        output->failed |= length > room;
    }
}

/* Read what is there, up to a turn's worth; close the pipe at its end. */
static void listen_to(struct place *place, int *fd)
{
    char part[8192];
    for (size_t got = 0; *fd >= 0 && got < TURN;) {
        ssize_t n = read(*fd, part, sizeof part);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0)
            close_pipe(fd);
        else
            take(place, *fd, part, (size_t)n), got += (size_t)n;
    }
}

/* ---------------------------------------------------------------- ending */

static void send_signal(const struct place *place, int number)
{
    if (kill(-place->child->pid, number) < 0)
        kill(place->child->pid, number);
}

static void kill_it(struct place *place)
{
    place->phase = KILLED;
    place->killed = now_ms();
    place->next = place->killed + KILL_WAIT_MS;
    send_signal(place, SIGKILL);
}

static void end_it(struct place *place, enum ce_child_end why, unsigned grace_ms)
{
    place->child->end = why;
    place->child->took_ms = (unsigned)(now_ms() - place->started);
    if (grace_ms == 0) {
        kill_it(place);
        return;
    }
    place->phase = ASKED_TO_END;
    place->next = now_ms() + grace_ms;
    send_signal(place, SIGTERM);
}

/* The kernel's letter for what a process does; '?': not known. */
static char state_of(pid_t pid)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    ce_autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof line - 1);
    line[n > 0 ? n : 0] = '\0';
    const char *name_end = strrchr(line, ')');
    return name_end && name_end[1] == ' ' ? name_end[2] : '?';
}

/* A printable line of the last few of stderr. */
static void write_last_words(struct place *place)
{
    char *text = place->child->last_words;
    size_t at = place->tail_length, lines = 0, length;
    while (at > 0 && place->tail[at - 1] == '\n')
        at--;
    size_t end = at;
    while (at > 0 && !(place->tail[at - 1] == '\n' && ++lines == LAST_LINES))
        at--;
    if (end - at > (CE_CHILD_LAST_WORDS - 1) / 2) /* room for each newline to become two bytes */
        at = end - (CE_CHILD_LAST_WORDS - 1) / 2;
    for (length = 0; at < end; at++) {
        char c = place->tail[at];
        if (c == '\n') {
            text[length++] = ';';
            c = ' ';
        }
        text[length++] = (unsigned char)c < ' ' || c == 0x7f ? '?' : c;
    }
    text[length] = '\0';
}

static void release(struct run *run, struct place *place)
{
    struct ce_child *child = place->child;
    if (place->phase == ALIVE)
        child->took_ms = (unsigned)(now_ms() - place->started);
    write_last_words(place);
    close_pipe(&place->pipes.out);
    close_pipe(&place->pipes.err);
    close_pipe(&place->pipes.exec_error);
    close_pipe(&place->pipes.end);
    place->child = NULL;
    run->running--;
    tell(run, child);
}

/* An exec that failed has left its errno. */
static bool exec_failed(const struct place *place)
{
    int number;
    if (read(place->pipes.exec_error, &number, sizeof number) != sizeof number)
        return false;
    place->child->end = CE_CHILD_NOT_STARTED;
    place->child->number = number;
    return true;
}

static void judge(struct place *place, const siginfo_t *how)
{
    struct ce_child *child = place->child;
    if (child->end != CE_CHILD_EXITED || exec_failed(place))
        return;
    child->number = how->si_status;
    if (how->si_code != CLD_EXITED)
        child->end = CE_CHILD_SIGNALED;
    else if (!ce_text_ok(&child->output))
        child->end = CE_CHILD_FLOODED;
}

/* Has it ended?  It stays a zombie: so long its process group cannot become another's. */
static bool is_zombie(const struct ce_child *child, siginfo_t *how)
{
    how->si_pid = 0;
    return waitid(P_PID, (id_t)child->pid, how, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           how->si_pid == child->pid;
}

/* What it left running is killed, what it printed last is read, then it is collected. */
static void collect(struct run *run, struct place *place, const siginfo_t *how)
{
    kill(-place->child->pid, SIGKILL);
    listen_to(place, &place->pipes.out);
    listen_to(place, &place->pipes.err);
    judge(place, how);
    waitpid(place->child->pid, NULL, 0);
    release(run, place);
}

static void give_up(struct run *run, struct place *place)
{
    char state = state_of(place->child->pid);
    if (state != 'D' && now_ms() < place->killed + BUSY_WAIT_MS) {
        place->next = now_ms() + KILL_WAIT_MS;
        return;
    }
    place->child->end = CE_CHILD_ABANDONED;
    place->child->number = state;
    release(run, place);
}

static void next_phase(struct run *run, struct place *place)
{
    switch (place->phase) {
    case ALIVE:
        place->child->number = (int)(place->next - place->started);
        end_it(place, CE_CHILD_LATE, place->child->grace_ms);
        break;
    case ASKED_TO_END:
        kill_it(place);
        break;
    case KILLED:
        give_up(run, place);
        break;
    }
}

static void attend(struct run *run, struct place *place)
{
    siginfo_t how;
    listen_to(place, &place->pipes.out);
    listen_to(place, &place->pipes.err);
    if (is_zombie(place->child, &how))
        collect(run, place, &how);
    else if (place->phase == ALIVE && !ce_text_ok(&place->child->output))
        end_it(place, CE_CHILD_FLOODED, 0);
    else if (now_ms() >= place->next)
        next_phase(run, place);
}

/* ---------------------------------------------------------------- the loop */

static int time_to_wait(const struct run *run)
{
    int64_t now = now_ms(), wait = TICK_MS;
    for (size_t i = 0; i < run->width; i++) {
        const struct place *place = &run->places[i];
        if (!place->child)
            continue;
        bool closed = place->pipes.out < 0 && place->pipes.err < 0 && place->pipes.end < 0;
        int64_t left = closed ? CLOSED_TICK_MS : place->next - now;
        if (left < wait)
            wait = left > 0 ? left : 0;
    }
    return (int)wait;
}

static void wait_for_something(const struct run *run)
{
    struct pollfd fds[3 * CE_CHILDREN_MAX_AT_ONCE];
    nfds_t count = 0;
    for (size_t i = 0; i < run->width; i++)
        if (run->places[i].child) { /* poll passes over the -1 of a closed one */
            fds[count++] = (struct pollfd){.fd = run->places[i].pipes.out, .events = POLLIN};
            fds[count++] = (struct pollfd){.fd = run->places[i].pipes.err, .events = POLLIN};
            fds[count++] = (struct pollfd){.fd = run->places[i].pipes.end, .events = POLLIN};
        }
    poll(fds, count, time_to_wait(run));
}

static struct place *free_place(struct run *run)
{
    for (size_t i = 0; i < run->width; i++)
        if (!run->places[i].child)
            return &run->places[i];
    return NULL;
}

/* The first whose turn has come; it counts as begun.  NULL: none is left, or all that are left wait
 * for one that runs. */
static struct ce_child *next_child(struct ce_child *children, size_t count, size_t *first)
{
    while (*first < count && children[*first].begun)
        ++*first;
    for (size_t i = *first; i < count; i++) {
        struct ce_child *child = &children[i];
        if (child->begun || (child->after && !child->after->over))
            continue;
        child->begun = true;
        if (child->argv || child->body)
            return child;
        child->over = true;
    }
    return NULL;
}

static void start_all(struct run *run, struct ce_child *children, size_t count, size_t *first)
{
    struct place *place;
    struct ce_child *child;
    while (now_ms() < run->over && (place = free_place(run)) != NULL &&
           (child = next_child(children, count, first)) != NULL)
        start(run, place, child);
}

static void run_all(struct run *run, struct ce_child *children, size_t count)
{
    for (size_t first = 0;;) {
        start_all(run, children, count, &first);
        if (run->running == 0)
            return;
        wait_for_something(run);
        for (size_t i = 0; i < run->width; i++)
            if (run->places[i].child)
                attend(run, &run->places[i]);
    }
}

void ce_children_run(struct ce_child *children, size_t count, const struct ce_children_plan *plan)
{
    struct run run = {.plan = plan, .over = INT64_MAX, .width = plan->at_once ? plan->at_once : 1};
    const struct sigaction standard = {.sa_handler = SIG_DFL};
    struct sigaction before;
    if (run.width > CE_CHILDREN_MAX_AT_ONCE)
        run.width = CE_CHILDREN_MAX_AT_ONCE;
    if (plan->total_ms)
        run.over = now_ms() + plan->total_ms;
    for (size_t i = 0; i < count; i++) {
        children[i].end = CE_CHILD_NOT_RUN;
        children[i].begun = children[i].over = false;
    }
    /* An ignored SIGCHLD, which a daemon may hand down, would lose every exit status. */
    bool ignored = sigaction(SIGCHLD, NULL, &before) == 0 && before.sa_handler == SIG_IGN;
    if (ignored)
        sigaction(SIGCHLD, &standard, NULL);
    run_all(&run, children, count);
    if (ignored)
        sigaction(SIGCHLD, &before, NULL);
}

/* ---------------------------------------------------------------- words */

/* One that began some ms after the others, in a time for all, has no odd number. */
static void write_seconds(int ms, char *ret, size_t size)
{
    int step = ms > 500 ? 100 : 1;
    snprintf(ret, size, "%g", (ms + step / 2) / step * step / 1000.0);
}

int ce_child_check(const struct ce_child *child, struct ce_error *err)
{
    const char *words = child->last_words, *colon = *words ? ": " : "";
    char seconds[32];
    switch (child->end) {
    case CE_CHILD_NOT_RUN:
        return ce_fail(err, "not run: no time was left");
    case CE_CHILD_NOT_STARTED:
        return ce_fail(err, "cannot run %s: %s", child->argv ? child->argv[0] : "a child",
                       strerror(child->number));
    case CE_CHILD_EXITED:
        if (child->number == 0)
            return 0;
        return ce_fail(err, "exit status %d%s%s", child->number, colon, words);
    case CE_CHILD_SIGNALED:
        return ce_fail(err, "ended by signal %d, %s%s%s", child->number, strsignal(child->number),
                       colon, words);
    case CE_CHILD_LATE:
        write_seconds(child->number, seconds, sizeof seconds);
        return ce_fail(err, "no answer in %s s%s%s", seconds, colon, words);
    case CE_CHILD_FLOODED:
        return ce_fail(err, "printed more than %zu bytes", child->output_max);
    case CE_CHILD_ABANDONED:
        break;
    }
    return ce_fail(err, "cannot be killed: process %ld is left behind in state %c%s%s",
                   (long)child->pid, child->number, colon, words);
}

void ce_child_free(struct ce_child *child)
{
    ce_text_free(&child->output);
}

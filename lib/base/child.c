/* SPDX-License-Identifier: Apache-2.0 */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"

enum {
    KILL_WAIT_MS = 40,   /* SIGKILL takes effect at once, or, in state D, perhaps never */
    BUSY_WAIT_MS = 1000, /* in any other state it waits for its turn to end, on a busy machine */
    TICK_MS = 50,        /* how late an exit is seen that closes no pipe: a grandchild holds it */
    CLOSED_TICK_MS = 1,  /* the pipes are closed: it is exiting */
    TAIL = 1024,         /* bytes of stderr that are kept */
    TURN = 64 * 1024,    /* bytes read of one pipe before the others' turn */
    LAST_LINES = 3,
};

enum phase { ALIVE, ASKED_TO_END, KILLED };

/* A child at work. */
struct place {
    struct ce_child *child; /* NULL: the place is free */
    int out, err;           /* read ends; -1: closed */
    int exec_error;         /* an errno arrives where exec failed */
    int64_t started;        /* ms */
    int64_t next;           /* when the phase ends */
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
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---------------------------------------------------------------- starting */

/* Both ends of a pipe above 2: a caller without stdin must not get them as 0 to 2, where the child
 * puts its own. */
static int make_pipe(int end[2])
{
    int raw[2];
    if (pipe2(raw, O_CLOEXEC) < 0)
        return -1;
    for (int i = 0; i < 2; i++)
        end[i] = fcntl(raw[i], F_DUPFD_CLOEXEC, 3);
    int saved = errno;
    close(raw[0]);
    close(raw[1]);
    errno = saved;
    return end[0] < 0 || end[1] < 0 ? -1 : 0;
}

static void close_all(int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ce_cleanup_close(&fds[i]);
        fds[i] = -1;
    }
}

enum { OUT, OUT_CHILD, ERR, ERR_CHILD, EXEC, EXEC_CHILD, PIPE_ENDS };

static void reset_signals(void)
{
    sigset_t none;
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* What a caller left open without O_CLOEXEC is not the program's business.  Kernels before 5.11
 * cannot do it in one call; there it stays open, as it would from a shell. */
static void close_on_exec_from(int first)
{
#ifdef SYS_close_range
    enum { CLOEXEC_ONLY = 4 };
    syscall(SYS_close_range, (unsigned)first, ~0u, CLOEXEC_ONLY);
#else
    (void)first;
#endif
}

/* In the child, between fork and exec. */
noreturn static void become(const struct ce_child *child, const int *fds, pid_t parent)
{
    setpgid(0, 0);
    reset_signals();
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) /* it ended before the line above */
        _exit(127);
    int null = open("/dev/null", O_RDWR); /* may be 0 itself, where the caller has no stdin */
    if (null < 0 || dup2(null, 0) < 0 || dup2(fds[OUT_CHILD], 1) < 0 || dup2(fds[ERR_CHILD], 2) < 0)
        _exit(127);
    if (null > 2)
        close(null);
    if (!child->argv)
        _exit(child->body(child->ctx));
    close_on_exec_from(3);
    execvpe(child->argv[0], child->argv, child->envp ? child->envp : environ);
    int number = errno;
    ssize_t told = write(fds[EXEC_CHILD], &number, sizeof number);
    _exit(told < 0 ? 126 : 127);
}

/* No handler of this process may run in the child, so all signals wait until it has reset them. */
static pid_t fork_child(const struct ce_child *child, const int *fds)
{
    sigset_t all, before;
    pid_t parent = getpid();
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    pid_t pid = fork();
    if (pid == 0)
        become(child, fds, parent);
    int saved = errno;
    if (pid > 0)
        setpgid(pid, pid); /* the child does so too: whoever comes first */
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = saved;
    return pid;
}

static int set_nonblocking(const int *fds)
{
    return fcntl(fds[OUT], F_SETFL, O_NONBLOCK) < 0 || fcntl(fds[ERR], F_SETFL, O_NONBLOCK) < 0 ||
                   fcntl(fds[EXEC], F_SETFL, O_NONBLOCK) < 0
               ? -1
               : 0;
}

static int open_and_fork(struct ce_child *child, int *fds)
{
    if (make_pipe(&fds[OUT]) < 0 || make_pipe(&fds[ERR]) < 0 || make_pipe(&fds[EXEC]) < 0 ||
        set_nonblocking(fds) < 0)
        return -1;
    child->pid = fork_child(child, fds);
    return child->pid < 0 ? -1 : 0;
}

static void start(struct run *run, struct place *place, struct ce_child *child)
{
    int fds[PIPE_ENDS] = {-1, -1, -1, -1, -1, -1};
    child->output = CE_TEXT(child->output_max);
    child->last_words[0] = '\0';
    if (open_and_fork(child, fds) < 0) {
        child->end = CE_CHILD_NOT_STARTED;
        child->number = errno;
        close_all(fds, PIPE_ENDS);
        if (run->plan->ended)
            run->plan->ended(run->plan->ctx, child);
        return;
    }
    close_all(&fds[OUT_CHILD], 1);
    close_all(&fds[ERR_CHILD], 1);
    close_all(&fds[EXEC_CHILD], 1);
    int64_t now = now_ms(), next = now + child->deadline_ms;
    child->end = CE_CHILD_EXITED; /* unless something worse happens */
    place->child = child;
    place->out = fds[OUT];
    place->err = fds[ERR];
    place->exec_error = fds[EXEC];
    place->started = now;
    place->next = next < run->over ? next : run->over;
    place->phase = ALIVE;
    place->tail_length = 0;
    run->running++;
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
    if (fd == place->err)
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
            close_all(fd, 1);
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
    close_all(&place->out, 1);
    close_all(&place->err, 1);
    close_all(&place->exec_error, 1);
    place->child = NULL;
    run->running--;
    if (run->plan->ended)
        run->plan->ended(run->plan->ctx, child);
}

/* An exec that failed has left its errno. */
static bool exec_failed(const struct place *place)
{
    int number;
    if (read(place->exec_error, &number, sizeof number) != sizeof number)
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
    listen_to(place, &place->out);
    listen_to(place, &place->err);
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
    listen_to(place, &place->out);
    listen_to(place, &place->err);
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
        bool closed = place->out < 0 && place->err < 0;
        int64_t left = closed ? CLOSED_TICK_MS : place->next - now;
        if (left < wait)
            wait = left > 0 ? left : 0;
    }
    return (int)wait;
}

static void wait_for_something(const struct run *run)
{
    struct pollfd fds[2 * CE_CHILDREN_MAX_AT_ONCE];
    nfds_t count = 0;
    for (size_t i = 0; i < run->width; i++)
        if (run->places[i].child) { /* poll passes over the -1 of a closed one */
            fds[count++] = (struct pollfd){.fd = run->places[i].out, .events = POLLIN};
            fds[count++] = (struct pollfd){.fd = run->places[i].err, .events = POLLIN};
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

static void run_all(struct run *run, struct ce_child *children, size_t count)
{
    size_t next = 0;
    while (next < count || run->running > 0) {
        struct place *place;
        while (next < count && now_ms() < run->over && (place = free_place(run)) != NULL)
            start(run, place, &children[next++]);
        if (run->running == 0 && now_ms() >= run->over)
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
    for (size_t i = 0; i < count; i++)
        children[i].end = CE_CHILD_NOT_RUN;
    /* An ignored SIGCHLD, which a daemon may hand down, would lose every exit status. */
    bool ignored = sigaction(SIGCHLD, NULL, &before) == 0 && before.sa_handler == SIG_IGN;
    if (ignored)
        sigaction(SIGCHLD, &standard, NULL);
    run_all(&run, children, count);
    if (ignored)
        sigaction(SIGCHLD, &before, NULL);
}

/* ---------------------------------------------------------------- words */

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
        snprintf(seconds, sizeof seconds, "%g", child->number / 1000.0);
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

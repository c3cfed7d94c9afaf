/* SPDX-License-Identifier: Apache-2.0 */
#include "stepd_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/pidfd.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* A slurmstepd that is killed closes its ends of pipes a moment before it has ended, of which a task may
 * die.  A launcher has that long to end what it started, which may be in sessions of its own. */
enum { STEPD_ENDS_MS = 300, LAUNCHER_ENDS_MS = 3000 };
/* When all tasks are over: how often their watchers look for that, how long they are waited for, and until
 * one that has said goodbye is gone. */
enum { LOOK_MS = 1, GOODBYES_MS = 100, GONE_MS = 2 };

struct ce_stepd_watch {
    atomic_bool ended;   /* as it should */
    atomic_bool asked;   /* for the end of the step */
    atomic_int watchers; /* that are there */
};

struct ce_stepd_watch *ce_stepd_watch_create(void)
{
    void *page = mmap(NULL, sizeof(struct ce_stepd_watch), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? NULL : page;
}

static void pause_ms(int ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * CE_NS_PER_MS}, NULL);
}

void ce_stepd_watch_over(struct ce_stepd_watch *watch)
{
    atomic_store(&watch->ended, true);
    for (int ms = 0; ms < GOODBYES_MS && atomic_load(&watch->watchers) > 0; ms++)
        pause_ms(1);
    pause_ms(GONE_MS);
}

void ce_stepd_watch_end(struct ce_stepd_watch *watch)
{
    if (!watch)
        return;
    atomic_store(&watch->ended, true);
    munmap(watch, sizeof *watch);
}

/* ---------------------------------------------------------------- the process beside a task */

struct watcher {
    struct ce_stepd_watch *shared;
    int stepd, task; /* pidfds */
    pid_t pid;       /* of the task */
    pid_t group;     /* the node's tasks of the step, and what they started; 0: not known */
    char step[CE_STEP_ID_TEXT];
};

/* The group's number cannot be another's while the task is in it. */
static void signal_tasks(const struct watcher *watcher, int signal)
{
    if (watcher->group > 0 && getpgid(watcher->pid) == watcher->group)
        kill(-watcher->group, signal);
    ce_pidfd_kill(watcher->task, signal);
}

static bool has_ended(int pidfd, int wait_ms)
{
    struct pollfd end = {.fd = pidfd, .events = POLLIN};
    return poll(&end, 1, wait_ms) > 0;
}

/* A task that has ended in time leaves the others theirs: who overstays has a watcher that ends it. */
static void end_tasks(const struct watcher *watcher)
{
    signal_tasks(watcher, SIGTERM);
    if (!has_ended(watcher->task, LAUNCHER_ENDS_MS))
        signal_tasks(watcher, SIGKILL);
}

static noreturn void leave(const struct watcher *watcher, int status)
{
    atomic_fetch_sub(&watcher->shared->watchers, 1);
    _exit(status);
}

/* What is the task's has to close with the task, and slurmstepd's ends of its pipes with slurmstepd. */
static bool can_let_go(void)
{
    return syscall(SYS_close_range, UINT_MAX, UINT_MAX, 0) == 0;
}

static void close_between(unsigned first, unsigned last)
{
    if (first <= last)
        syscall(SYS_close_range, first, last, 0);
}

static void let_go(const struct watcher *watcher)
{
    sigset_t all;
    prctl(PR_SET_NAME, "cluster-env"); /* a pkill slurmstepd does not mean this copy of it, */
    prctl(PR_SET_DUMPABLE, 0);         /* which the user may not look into */
    unsigned stepd = (unsigned)watcher->stepd, task = (unsigned)watcher->task;
    unsigned low = stepd < task ? stepd : task, high = stepd < task ? task : stepd;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL); /* Slurm's signals are for all processes of a step */
    if (low > 0)
        close_between(0, low - 1);
    close_between(low + 1, high - 1);
    close_between(high + 1, UINT_MAX);
    if (setpgid(0, 0) < 0 || chdir("/") < 0)
        leave(watcher, 1);
}

/* What it says must not end up in a connection of its own. */
static void open_standard_files(void)
{
    int null = open("/dev/null", O_RDWR);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO && null >= 0; fd++)
        dup2(null, fd);
}

/* Of the same Slurm: this process is a copy of slurmstepd, PREFIX/sbin/slurmstepd. */
static noreturn void scancel(const char *step)
{
    char path[PATH_MAX + 16];
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    open_standard_files();
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
    for (int up = 0; up < 2 && length > 0; up++)
        while (length > 0 && path[--length] != '/')
            ;
    if (length >= 0) {
        memcpy(path + length, "/bin/scancel", sizeof "/bin/scancel");
        execl(path, "scancel", step, (char *)NULL);
    }
    execlp("scancel", "scancel", step, (char *)NULL);
    _exit(1);
}

static bool was_killed(const struct watcher *watcher)
{
    struct pollfd ends[] = {{.fd = watcher->stepd, .events = POLLIN}, {.fd = watcher->task, .events = POLLIN}};
    if (poll(ends, 2, -1) <= 0)
        return false;
    for (int ms = 0; ms < STEPD_ENDS_MS && !atomic_load(&watcher->shared->ended); ms += LOOK_MS)
        if (has_ended(watcher->stepd, LOOK_MS))
            return !atomic_load(&watcher->shared->ended);
    return false;
}

/* The task is ended here, and not by PR_SET_PDEATHSIG: else nobody could tell who ended first. */
static noreturn void wait_for_end(const struct watcher *watcher)
{
    let_go(watcher);
    if (!was_killed(watcher))
        leave(watcher, 0);
    end_tasks(watcher);
    if (atomic_exchange(&watcher->shared->asked, true))
        _exit(0);
    scancel(watcher->step);
}

/* ---------------------------------------------------------------- in the task */

/* No child of the task's, which may count its children. */
static bool start(const struct watcher *watcher)
{
    int status = 0;
    atomic_fetch_add(&watcher->shared->watchers, 1);
    pid_t between = fork();
    if (between == 0) {
        pid_t process = fork();
        if (process == 0)
            wait_for_end(watcher);
        _exit(process < 0);
    }
    while (between > 0 && waitpid(between, &status, 0) < 0)
        if (errno != EINTR)
            return true; /* nobody knows: SIGCHLD is ignored here */
    bool there = between > 0 && status == 0;
    if (!there)
        atomic_fetch_sub(&watcher->shared->watchers, 1);
    return there;
}

void ce_stepd_watch_begin(struct ce_stepd_watch *watch, const struct ce_allocation *step)
{
    pid_t parent = getppid();
    ce_autoclose int stepd = ce_pidfd_open(parent), task = ce_pidfd_open(getpid());
    struct watcher watcher = {.shared = watch, .stepd = stepd, .task = task, .pid = getpid()};
    if (getpgrp() != getpgid(parent))
        watcher.group = getpgrp();
    ce_step_id_format(&step->id, watcher.step);
    if (watch && stepd >= 0 && task >= 0 && ce_allocation_node_count(step) > 1 && can_let_go() &&
        start(&watcher))
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
}

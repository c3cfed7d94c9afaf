/* SPDX-License-Identifier: Apache-2.0 */
#include "stepd_watch.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/pidfd.h"

struct watch {
    int stepd, task; /* pidfds: readable when the process has ended */
    pid_t group;     /* the node's tasks of the step, and what they started; 0: not known */
    char step[CE_STEP_ID_TEXT];
};

/* What a launcher started is not to stay on the GPUs. */
static void end_tasks(const struct watch *watch)
{
    if (watch->group > 0)
        kill(-watch->group, SIGKILL);
#ifdef SYS_pidfd_send_signal
    syscall(SYS_pidfd_send_signal, watch->task, SIGKILL, NULL, 0);
#endif
}

static void close_between(unsigned first, unsigned last)
{
#ifdef SYS_close_range
    if (first <= last)
        syscall(SYS_close_range, first, last, 0);
#else
    (void)first;
    (void)last;
#endif
}

/* What is the task's, its outputs above all, has to close with the task; where the kernel has no
 * close_range() it closes a moment later. */
static void let_go(const struct watch *watch)
{
    sigset_t all;
    prctl(PR_SET_NAME, "cluster-env"); /* a pkill slurmstepd does not mean this copy of it, */
    prctl(PR_SET_DUMPABLE, 0);         /* which the user may not look into */
    unsigned low = (unsigned)(watch->stepd < watch->task ? watch->stepd : watch->task);
    unsigned high = (unsigned)(watch->stepd < watch->task ? watch->task : watch->stepd);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL); /* Slurm's signals are for all processes of a step */
    if (low > 0)
        close_between(0, low - 1);
    close_between(low + 1, high - 1);
    close_between(high + 1, UINT_MAX);
    if (setpgid(0, 0) < 0 || chdir("/") < 0)
        _exit(1);
}

/* Of the same Slurm: this process is a copy of slurmstepd, PREFIX/sbin/slurmstepd. */
static noreturn void scancel(const char *step)
{
    char path[PATH_MAX + 16];
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
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

/* The task dies here, and not of PR_SET_PDEATHSIG: else nobody could tell who ended first. */
static noreturn void wait_for_end(const struct watch *watch)
{
    struct pollfd ends[] = {{.fd = watch->stepd, .events = POLLIN}, {.fd = watch->task, .events = POLLIN}};
    let_go(watch);
    if (poll(ends, 2, -1) <= 0 || ends[1].revents)
        _exit(0);
    end_tasks(watch);
    scancel(watch->step);
}

/* No child of the task's, which may count its children. */
static bool start(const struct watch *watch)
{
    int status = -1;
    pid_t between = fork();
    if (between == 0) {
        pid_t process = fork();
        if (process == 0)
            wait_for_end(watch);
        _exit(process < 0);
    }
    return between > 0 && waitpid(between, &status, 0) == between && status == 0;
}

void ce_stepd_watch(const struct ce_allocation *step)
{
    ce_autoclose int stepd = ce_pidfd_open(getppid()), task = ce_pidfd_open(getpid());
    struct watch watch = {.stepd = stepd, .task = task};
    if (getpgrp() != getpgid(getppid()))
        watch.group = getpgrp();
    ce_step_id_format(&step->id, watch.step);
    if (stepd < 0 || task < 0 || ce_allocation_node_count(step) == 1 || !start(&watch))
        prctl(PR_SET_PDEATHSIG, SIGKILL);
}

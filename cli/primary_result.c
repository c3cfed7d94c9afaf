/* SPDX-License-Identifier: Apache-2.0 */
#include "primary_result.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void list_signals(sigset_t *set)
{
    static const int handed_on[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU};
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    for (size_t i = 0; i < sizeof handed_on / sizeof *handed_on; i++)
        sigaddset(set, handed_on[i]);
}

static void become(char *const *argv, pid_t parent, const sigset_t *mask)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it is gone already */
        _exit(127);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(argv[0], argv);
    fprintf(stderr, "cluster-env run: cannot run %s: %s\n", argv[0], strerror(errno));
    _exit(errno == ENOENT ? 127 : 126);
}

/* Slurm mostly sends a signal to all processes of a task at once: the command may then get it twice,
 * as behind timeout(1). */
static int wait_for(pid_t pid, const sigset_t *set, int *ret_status, struct ce_error *err)
{
    pid_t ended;
    while ((ended = waitpid(pid, ret_status, WNOHANG)) != pid) {
        if (ended < 0 && errno != EINTR)
            return ce_fail(err, "cannot wait for the command: %s", strerror(errno));
        int received = sigwaitinfo(set, NULL);
        if (received > 0 && received != SIGCHLD)
            kill(pid, received);
    }
    return 0;
}

int ce_run_aside(char *const *argv, int *ret_status, struct ce_error *err)
{
    sigset_t set, before;
    pid_t parent = getpid();
    list_signals(&set);
    signal(SIGCHLD, SIG_DFL); /* ignored, as it may be inherited, no child leaves a status */
    sigprocmask(SIG_BLOCK, &set, &before);
    pid_t pid = fork();
    if (pid < 0)
        return ce_fail(err, "cannot start a process: %s", strerror(errno));
    if (pid == 0)
        become(argv, parent, &before);
    return wait_for(pid, &set, ret_status, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "base/child_fork.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdnoreturn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/pidfd.h"

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

int ce_child_fork(struct ce_child *child, struct ce_child_pipes *ret)
{
    int fds[PIPE_ENDS] = {-1, -1, -1, -1, -1, -1};
    if (open_and_fork(child, fds) < 0) {
        close_all(fds, PIPE_ENDS);
        return -1;
    }
    close_all(&fds[OUT_CHILD], 1);
    close_all(&fds[ERR_CHILD], 1);
    close_all(&fds[EXEC_CHILD], 1);
    *ret = (struct ce_child_pipes){fds[OUT], fds[ERR], fds[EXEC], ce_pidfd_open(child->pid)};
    return 0;
}

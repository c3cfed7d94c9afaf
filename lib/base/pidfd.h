/* SPDX-License-Identifier: Apache-2.0 */
/* A process by a descriptor, which no other process can come to mean.  The numbers are the same on all
 * architectures; libc's functions and headers are younger than these calls. */
#ifndef CE_BASE_PIDFD_H
#define CE_BASE_PIDFD_H

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

/* Readable when the process has ended; -1 with errno: ESRCH, or ENOSYS before Linux 5.3. */
static inline int ce_pidfd_open(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

static inline int ce_pidfd_kill(int pidfd, int signal)
{
    return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A process by a descriptor, which no other process can come to mean. */
#ifndef CE_BASE_PIDFD_H
#define CE_BASE_PIDFD_H

#include <errno.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* Readable when the process has ended; -1 with errno, as on a kernel before 5.3. */
static inline int ce_pidfd_open(pid_t pid)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0);
#else
    (void)pid;
    errno = ENOSYS;
    return -1;
#endif
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The things a hook may ask the machine itself: files, bind() and to wait.  Standing in the
 * executable, these come before libc's for the plugin, so that calls are counted and the test's
 * outcome does not depend on the addresses and files of the machine it runs on. */
#undef _FORTIFY_SOURCE /* its headers define open() themselves */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "doubles/spank_calls.h"

#undef open
#undef openat

static int open_for_hook(int dirfd, const char *path, int flags, mode_t mode)
{
    if (host_now.hook != HOST_OUTSIDE) {
        host_calls_now()->opens++;
        if (strcmp(path, "/etc/nccl.conf") == 0)
            path = host_now.setup->nccl_conf ? host_now.setup->nccl_conf : "";
    }
    return (int)syscall(SYS_openat, dirfd, path, flags, mode);
}

/* The mode is there only with O_CREAT, but reading it does no harm. */
#define OPEN_AT(dirfd)                                                                             \
    va_list args;                                                                                  \
    va_start(args, flags);                                                                         \
    mode_t mode = flags & O_CREAT ? (mode_t)va_arg(args, int) : 0;                                 \
    va_end(args);                                                                                  \
    return open_for_hook(dirfd, path, flags, mode)

int open(const char *path, int flags, ...)
{
    OPEN_AT(AT_FDCWD);
}

int openat(int dirfd, const char *path, int flags, ...)
{
    OPEN_AT(dirfd);
}

static void format_address(const struct sockaddr *address, char *text, size_t size, unsigned *port)
{
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)address;
        inet_ntop(AF_INET, &in->sin_addr, text, (socklen_t)size);
        *port = ntohs(in->sin_port);
    } else {
        const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)(const void *)address;
        inet_ntop(AF_INET6, &in6->sin6_addr, text, (socklen_t)size);
        *port = ntohs(in6->sin6_port);
    }
}

static bool is_own(const char *address)
{
    const struct host_machine *machine = host_now.setup->machines;
    for (; machine && machine->node; machine++)
        if (strcmp(machine->node, host_now.node->name) == 0)
            return strcmp(machine->address, address) == 0;
    return false;
}

int bind(int fd, const struct sockaddr *address, socklen_t length)
{
    char text[INET6_ADDRSTRLEN];
    unsigned port;
    if (host_now.hook == HOST_OUTSIDE)
        return (int)syscall(SYS_bind, fd, address, length);
    host_calls_now()->binds++;
    format_address(address, text, sizeof text, &port);
    snprintf(host_now.shared->bound, sizeof host_now.shared->bound, "%s:%u", text, port);
    errno = !is_own(text) ? EADDRNOTAVAIL : EADDRINUSE;
    return is_own(text) && !(host_now.setup->flags & HOST_PORTS_TAKEN) ? 0 : -1;
}

/* A refusal asks Slurm again after a while; the test need not wait for it. */
int nanosleep(const struct timespec *pause, struct timespec *rest)
{
    if (host_now.hook != HOST_OUTSIDE)
        return 0;
    return clock_nanosleep(CLOCK_REALTIME, 0, pause, rest);
}

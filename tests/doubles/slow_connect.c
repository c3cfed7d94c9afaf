/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into slurmd: each of its connections over the network is delayed by the milliseconds in /run/slow_connect,
 * which each node has for itself.  To slurmd, slurmctld is slow.  Other programs, and connections on the node itself,
 * are not delayed. */
#undef _FORTIFY_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long delay_ms(void)
{
    char text[16] = "";
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/run/slow_connect", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    return length > 0 ? atol(text) : 0;
}

int connect(int fd, const struct sockaddr *address, socklen_t length)
{
    if (address->sa_family != AF_UNIX && strcmp(program_invocation_short_name, "slurmd") == 0) {
        const long ms = delay_ms();
        const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
        nanosleep(&pause, NULL);
    }
    return (int)syscall(SYS_connect, fd, address, length);
}

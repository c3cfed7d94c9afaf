/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into slurmd, each of its connections over the network begins as many milliseconds later as the file
 * /run/slow_connect says, a node's own: a slurmctld that is slow, as slurmd sees it.  Other programs, and connections
 * on the node itself, are as fast as ever. */
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

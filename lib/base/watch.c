/* SPDX-License-Identifier: Apache-2.0 */
#include "base/watch.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/pidfd.h"

int ce_watch_open(pid_t pid, struct ce_watch *ret)
{
    *ret = (struct ce_watch){pid, pid > 0 ? ce_pidfd_open(pid) : -1};
    return ret->fd < 0 ? -1 : 0;
}

void ce_watch_close(struct ce_watch *watch)
{
    if (watch->fd >= 0)
        close(watch->fd);
    watch->fd = -1;
}

static bool ended_within(const struct ce_watch *watch, int ms)
{
    struct pollfd poll_fd = {.fd = watch->fd, .events = POLLIN};
    int rc;
    if (watch->fd < 0)
        return true;
    do
        rc = poll(&poll_fd, 1, ms);
    while (rc < 0 && errno == EINTR && ms == 0);
    return rc > 0;
}

bool ce_watch_lives(const struct ce_watch *watch)
{
    return !ended_within(watch, 0);
}

static long now_ms(void)
{
    return (long)(ce_clock_ns() / CE_NS_PER_MS);
}

bool ce_watch_wait(const struct ce_watch *watches, size_t count, unsigned ms)
{
    long end = now_ms() + (long)ms;
    for (size_t i = 0; i < count; i++)
        while (!ended_within(&watches[i], 0)) {
            long left = end - now_ms();
            if (left <= 0)
                return false;
            ended_within(&watches[i], (int)left);
        }
    return true;
}

int ce_watch_signal(const struct ce_watch *watch, int number)
{
    return watch->fd >= 0 ? ce_pidfd_kill(watch->fd, number) : -1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A lock that others hold for moments only. */
#ifndef CE_BASE_LOCK_H
#define CE_BASE_LOCK_H

#include <errno.h>
#include <sys/file.h>

#include "base/clock.h"

/* The file's or folder's flock(), alone.  0; -1 with errno: EWOULDBLOCK where another held it for patience_ms. */
static inline int ce_lock(int fd, unsigned patience_ms)
{
    const struct timespec pause = {.tv_nsec = 2 * CE_NS_PER_MS};
    const uint64_t began = ce_clock_ns();
    while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK || ce_clock_ms_since(began) >= patience_ms)
            return -1;
        nanosleep(&pause, NULL);
    }
    return 0;
}

#endif

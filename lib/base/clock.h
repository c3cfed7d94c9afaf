/* SPDX-License-Identifier: Apache-2.0 */
/* How much time passed: a clock that nobody sets. */
#ifndef CE_BASE_CLOCK_H
#define CE_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

enum { CE_NS_PER_MS = 1000000 };

/* Nanoseconds since some moment before the programs started. */
static inline uint64_t ce_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Whole milliseconds since a ce_clock_ns() of before. */
static inline unsigned ce_clock_ms_since(uint64_t then_ns)
{
    return (unsigned)((ce_clock_ns() - then_ns) / CE_NS_PER_MS);
}

#endif

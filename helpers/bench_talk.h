/* SPDX-License-Identifier: Apache-2.0 */
/* The TCP connection over which two nodes arrange a test.  Nothing here waits longer than to its
 * deadline (ce_clock_ns()), whatever the other side does or does not. */
#ifndef CE_HELPERS_BENCH_TALK_H
#define CE_HELPERS_BENCH_TALK_H

#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* All return a socket, or -1 with err. */
int bench_listen(const char *address, unsigned port, struct ce_error *err);
int bench_accept(int listening, uint64_t deadline, struct ce_error *err);
/* Again and again until the other side listens. */
int bench_dial(const char *address, unsigned port, uint64_t deadline, struct ce_error *err);

/* A whole text, up to its last line "end=1".  0; -1 with err: closed, too late, not such a text. */
int bench_say(int fd, struct ce_text *text, uint64_t deadline, struct ce_error *err);
int bench_hear(int fd, struct ce_text *text, uint64_t deadline, struct ce_error *err);

#endif

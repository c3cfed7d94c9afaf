/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a text, as tail(1) shows it. */
#ifndef CE_BASE_TAIL_H
#define CE_BASE_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Where the last `lines` lines of text begin; a newline at its very end ends a line and begins none.
 * cut: text is itself the end of something longer, so what stands before its first newline is no
 * whole line, and counts only where there is no other.  text[length] where there is nothing. */
const char *ce_tail(const char *text, size_t length, unsigned lines, bool cut);

/* The end of a file of `size` bytes, of which those from `start` on count: its last bytes, at most `most`,
 * begin at *from.  `cut` as above.  false: there are none. */
bool ce_tail_span(int64_t size, int64_t start, int64_t most, int64_t *from, bool *cut);

/* The line at *at, made printable; *at is then the next one.  false: *at is `end`, there is none. */
bool ce_tail_line(const char **at, const char *end, struct ce_error *ret);

#endif

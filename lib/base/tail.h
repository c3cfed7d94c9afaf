/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a text, as tail(1) shows it. */
#ifndef CE_BASE_TAIL_H
#define CE_BASE_TAIL_H

#include <stdbool.h>
#include <stddef.h>

/* Where the last `lines` lines of text begin; a newline at its very end ends a line and begins none.
 * cut: text is itself the end of something longer, so what stands before its first newline is no
 * whole line, and counts only where there is no other.  text[length] where there is nothing. */
const char *ce_tail(const char *text, size_t length, unsigned lines, bool cut);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What standard output is, and what people see on standard error meanwhile. */
#ifndef CE_CLI_TERMINAL_H
#define CE_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* A terminal, and NO_COLOR is not set. */
bool ce_terminal_colour(void);

/* How wide it is; 0: it is no terminal. */
unsigned ce_terminal_columns(void);

/* How high it is; 0: it is no terminal, or not known. */
unsigned ce_terminal_lines(void);

/* "3 of 64 nodes" on standard error, in place of what it said before; nothing is left of it after the
 * last.  ctx is not used.  For a terminal. */
void ce_terminal_nodes_done(void *ctx, size_t done, size_t count);

#endif

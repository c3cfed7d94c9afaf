/* SPDX-License-Identifier: Apache-2.0 */
/* What standard output is. */
#ifndef CE_CLI_TERMINAL_H
#define CE_CLI_TERMINAL_H

#include <stdbool.h>

/* A terminal, and NO_COLOR is not set. */
bool ce_terminal_colour(void);

/* How wide it is; 0: it is no terminal. */
unsigned ce_terminal_columns(void);

/* How high it is; 0: it is no terminal, or not known. */
unsigned ce_terminal_lines(void);

#endif

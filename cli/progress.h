/* SPDX-License-Identifier: Apache-2.0 */
/* What is being done, for who sits before a command that takes long: one line on stderr, where that is
 * a terminal; nothing elsewhere. */
#ifndef CE_CLI_PROGRESS_H
#define CE_CLI_PROGRESS_H

/* In the place of the line before; at most as wide as the terminal. */
void ce_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The line goes. */
void ce_progress_end(void);

#endif

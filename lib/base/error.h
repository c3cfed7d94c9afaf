/* SPDX-License-Identifier: Apache-2.0 */
/* The one error shape: a function that can fail returns -1 (or NULL) and fills the caller's
 * struct ce_error with one line a sysadmin can act on: what, where, expected, remedy. */
#ifndef CE_BASE_ERROR_H
#define CE_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>

struct ce_error {
    char text[512];
};

/* Write the message into *err (NULL: nowhere) and return -1, so that a failure is one statement.
 * Control characters are shown as '?', so that hostile input cannot draw on a terminal; a text
 * that does not fit ends in "...". */
int ce_fail(struct ce_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Put "context: " before the text that *err holds already.  Returns -1. */
int ce_fail_in(struct ce_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* How many bytes the control character at the start of text has, 0 where there is none.  Terminals
 * take U+0080 to U+009F, two bytes in UTF-8, for escape sequences too. */
size_t ce_control_length(const char *text);

/* There is no control character in it. */
bool ce_is_printable(const char *text);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Strict, bounded parsing of small things: the whole string is used or it is an error. */
#ifndef CE_BASE_PARSE_H
#define CE_BASE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decimal digits only, no sign, no space, min <= value <= max.
 * 0 and *ret set; -1 and *ret untouched. */
int ce_parse_uint(const char *text, uint64_t min, uint64_t max, uint64_t *ret);
int ce_parse_u32(const char *text, uint32_t min, uint32_t max, uint32_t *ret);

/* The digits at the start of text, as many as there are; *end is what follows them.
 * -1 where there is no digit or the value is greater than max. */
int ce_parse_digits(const char *text, uint64_t max, uint64_t *ret, const char **end);

/* Returns the line after the one at `line`, NULL after the last.  It always moves on, so a loop over lines ends. */
const char *ce_next_line(const char *line);

/* Does snprintf's result n say that the text fitted into size bytes? */
static inline bool ce_fits(int n, size_t size)
{
    return n >= 0 && (size_t)n < size;
}

/* Copy text into dest of size bytes.  -1, dest empty, where it does not fit. */
int ce_copy(char *dest, size_t size, const char *text);

#endif

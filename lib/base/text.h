/* SPDX-License-Identifier: Apache-2.0 */
/* A text that grows, up to a stated size.  Appending after a failure (no memory, past the limit)
 * does nothing, so a writer appends freely and asks once, at the end, with ce_text_ok(). */
#ifndef CE_BASE_TEXT_H
#define CE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct ce_text {
    char *data;     /* NUL-terminated once something was appended; NULL before */
    size_t length;  /* bytes without the NUL */
    size_t limit;   /* greatest length allowed */
    size_t room;    /* bytes allocated */
    bool failed;
};

#define CE_TEXT(limit_bytes) ((struct ce_text){.limit = (limit_bytes)})

void ce_text_add(struct ce_text *text, const char *string);
void ce_text_addn(struct ce_text *text, const char *bytes, size_t length);
void ce_text_addf(struct ce_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Nothing appended was lost. */
bool ce_text_ok(const struct ce_text *text);

/* What was appended, "" where nothing was.  Valid until the next append. */
const char *ce_text_string(const struct ce_text *text);

/* Hand the string to the caller, who frees it; the text is empty again.  NULL after a failure. */
char *ce_text_take(struct ce_text *text);

void ce_text_free(struct ce_text *text);
#define ce_autotext __attribute__((cleanup(ce_text_free)))

#endif

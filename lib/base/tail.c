/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tail.h"

#include <string.h>

const char *ce_tail(const char *text, size_t length, unsigned lines, bool cut)
{
    const char *end = text + length, *start = end;
    const char *last = length && end[-1] == '\n' ? end - 1 : end;
    if (length == 0 || lines == 0)
        return end;
    for (unsigned i = 0; i < lines; i++) {
        const char *newline = memrchr(text, '\n', (size_t)(last - text));
        if (!newline)
            return cut && i > 0 ? start : text;
        start = newline + 1;
        last = newline;
    }
    return start;
}

bool ce_tail_span(int64_t size, int64_t start, int64_t most, int64_t *from, bool *cut)
{
    if (start < 0 || size <= start)
        return false;
    *cut = size - start > most;
    *from = *cut ? size - most : start;
    return true;
}

bool ce_tail_line(const char **at, const char *end, struct ce_error *ret)
{
    if (*at >= end)
        return false;
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    const char *stop = newline ? newline : end;
    ce_fail(ret, "%.*s", (int)(stop - *at), *at);
    *at = newline ? newline + 1 : end;
    return true;
}

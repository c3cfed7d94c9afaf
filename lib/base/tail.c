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

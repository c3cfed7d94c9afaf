/* SPDX-License-Identifier: Apache-2.0 */
#include "base/parse.h"

#include <string.h>

int ce_parse_digits(const char *text, uint64_t max, uint64_t *ret, const char **end)
{
    uint64_t value = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9'; p++) {
        unsigned digit = (unsigned)(*p - '0');
        if (value > (max - digit) / 10 || digit > max)
            return -1;
        value = value * 10 + digit;
    }
    if (p == text)
        return -1;
    *ret = value;
    *end = p;
    return 0;
}

int ce_parse_uint(const char *text, uint64_t min, uint64_t max, uint64_t *ret)
{
    uint64_t value;
    const char *end;
    if (!text || ce_parse_digits(text, max, &value, &end) < 0 || *end || value < min)
        return -1;
    *ret = value;
    return 0;
}

int ce_parse_u32(const char *text, uint32_t min, uint32_t max, uint32_t *ret)
{
    uint64_t value;
    if (ce_parse_uint(text, min, max, &value) < 0)
        return -1;
    *ret = (uint32_t)value;
    return 0;
}

const char *ce_next_line(const char *line)
{
    const char *newline = strchr(line, '\n');
    return newline ? newline + 1 : NULL;
}

int ce_copy(char *dest, size_t size, const char *text)
{
    size_t length = strlen(text);
    if (length >= size) {
        dest[0] = '\0';
        return -1;
    }
    memcpy(dest, text, length + 1);
    return 0;
}

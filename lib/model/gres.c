/* SPDX-License-Identifier: Apache-2.0 */
#include "model/gres.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

enum { GPUS_MAX = 4096 };

/* Up to the comma behind it; those in parentheses are of a list of sockets. */
static size_t item_length(const char *item)
{
    bool inside = false;
    size_t length = 0;
    for (; item[length] && (inside || item[length] != ','); length++)
        if (item[length] == '(' || item[length] == ')')
            inside = item[length] == '(';
    return length;
}

/* "gpu", "gpu:4", "gpu:a100:4(S:0-1)"; a type without a number is one. */
static uint32_t gpus_of(const char *item, size_t length)
{
    uint64_t count = 1, found;
    const char *end;
    if (strncmp(item, "gpu", 3) != 0 || (length > 3 && item[3] != ':' && item[3] != '('))
        return 0;
    for (size_t i = 3; i < length && item[i] != '('; i++)
        if (item[i] == ':' && ce_parse_digits(item + i + 1, GPUS_MAX, &found, &end) == 0 &&
            (end == item + length || *end == '(' || *end == ':'))
            count = found;
    return (uint32_t)count;
}

uint32_t ce_gres_gpus(const char *gres)
{
    uint32_t count = 0;
    while (gres && *gres && count <= GPUS_MAX) {
        size_t length = item_length(gres);
        count += gpus_of(gres, length);
        gres += length + (gres[length] == ',');
    }
    return count;
}

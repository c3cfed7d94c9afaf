/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plugstack.h"

#include <stdio.h>
#include <string.h>

static const char BLANK[] = " \t\r\v\f";

/* The next word before `end`; its length, 0 for none. */
static size_t next_word(const char **at, const char *end)
{
    *at += strspn(*at, BLANK);
    if (*at >= end)
        return 0;
    size_t length = strcspn(*at, BLANK);
    return *at + length > end ? (size_t)(end - *at) : length;
}

static enum ce_plugstack_kind kind_of(const char *word, size_t length)
{
    static const char *const words[] = {"optional", "required", "include"};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0)
            return i;
    return CE_PLUGSTACK_WRONG;
}

static bool copy_arguments(const char *at, const char *end, char *ret)
{
    size_t length, used = 0;
    while ((length = next_word(&at, end)) > 0) {
        if (used + length + 2 > CE_PLUGSTACK_ARGUMENTS)
            return false;
        if (used)
            ret[used++] = ' ';
        memcpy(ret + used, at, length);
        used += length;
        at += length;
    }
    ret[used] = '\0';
    return true;
}

/* The words of one line, from `at`, the first of them, to `end`. */
static void read_line(const char *at, const char *end, struct ce_plugstack_line *ret)
{
    size_t length = next_word(&at, end);
    ret->kind = kind_of(at, length);
    at += length;
    length = next_word(&at, end);
    if (length == 0 || length >= sizeof ret->path)
        ret->kind = CE_PLUGSTACK_WRONG;
    if (ret->kind == CE_PLUGSTACK_WRONG)
        return;
    memcpy(ret->path, at, length);
    ret->path[length] = '\0';
    if (!copy_arguments(at + length, end, ret->arguments))
        ret->kind = CE_PLUGSTACK_WRONG;
}

bool ce_plugstack_next(const char **text, unsigned *number, struct ce_plugstack_line *ret)
{
    while (**text) {
        const char *at = *text, *end = at + strcspn(at, "\n"), *line = at;
        const char *comment = memchr(at, '#', (size_t)(end - at));
        *text = *end ? end + 1 : end;
        ++*number;
        if (comment)
            end = comment;
        if (next_word(&at, end) == 0)
            continue;
        ret->number = *number;
        ret->path[0] = ret->arguments[0] = '\0';
        read_line(line, end, ret);
        return true;
    }
    return false;
}

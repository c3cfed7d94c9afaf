/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for `more` bytes and the NUL. */
static bool reserve(struct ce_text *text, size_t more)
{
    if (text->failed || more > text->limit || text->length > text->limit - more)
        return !(text->failed = true);
    size_t need = text->length + more + 1;
    if (need <= text->room)
        return true;
    size_t room = text->room ? text->room : 256;
    while (room < need)
        room *= 2;
    char *data = realloc(text->data, room);
    if (!data)
        return !(text->failed = true);
    text->data = data;
    text->room = room;
    return true;
}

void ce_text_addn(struct ce_text *text, const char *bytes, size_t length)
{
    if (!reserve(text, length))
        return;
    memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void ce_text_add(struct ce_text *text, const char *string)
{
    ce_text_addn(text, string, strlen(string));
}

void ce_text_addf(struct ce_text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    if (n < 0)
        text->failed = true;
    else if (reserve(text, (size_t)n)) {
        vsnprintf(text->data + text->length, (size_t)n + 1, format, again);
        text->length += (size_t)n;
    }
    va_end(again);
    va_end(args);
}

bool ce_text_ok(const struct ce_text *text)
{
    return !text->failed;
}

const char *ce_text_string(const struct ce_text *text)
{
    return text->data ? text->data : "";
}

char *ce_text_take(struct ce_text *text)
{
    char *data = NULL;
    if (!text->failed)
        data = text->data ? text->data : strdup("");
    else
        free(text->data);
    *text = CE_TEXT(text->limit);
    return data;
}

void ce_text_free(struct ce_text *text)
{
    free(text->data);
    *text = CE_TEXT(text->limit);
}

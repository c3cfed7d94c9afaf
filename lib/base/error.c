/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

size_t ce_control_length(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    if (bytes[0] == 0xc2 && bytes[1] >= 0x80 && bytes[1] <= 0x9f)
        return 2;
    return (bytes[0] > 0 && bytes[0] < ' ') || bytes[0] == 0x7f;
}

bool ce_is_printable(const char *text)
{
    while (*text && ce_control_length(text) == 0)
        text++;
    return !*text;
}

static void make_printable(char *text)
{
    for (; *text; text++) {
        size_t length = ce_control_length(text);
        memset(text, '?', length);
    }
}

__attribute__((format(printf, 2, 0))) static void write_text(struct ce_error *err, const char *format, va_list args)
{
    int n = vsnprintf(err->text, sizeof err->text, format, args);
    if (n < 0)
        strcpy(err->text, "the message itself could not be written");
    else if ((size_t)n >= sizeof err->text)
        memcpy(err->text + sizeof err->text - 4, "...", 4);
    make_printable(err->text);
}

int ce_fail(struct ce_error *err, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        write_text(err, format, args);
        va_end(args);
    }
    return -1;
}

int ce_fail_in(struct ce_error *err, const char *format, ...)
{
    if (err) {
        struct ce_error inner = *err, context;
        va_list args;
        va_start(args, format);
        write_text(&context, format, args);
        va_end(args);
        ce_fail(err, "%.200s: %s", context.text, inner.text);
    }
    return -1;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LINE = 256, USUAL = 80 };

static int columns(void)
{
    struct winsize size = {.ws_col = 0};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : USUAL;
}

void ce_progress(const char *format, ...)
{
    char line[LINE];
    va_list args;
    if (!isatty(STDERR_FILENO))
        return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    fprintf(stderr, "\r\033[K%.*s", columns() - 1, line);
    fflush(stderr);
}

void ce_progress_end(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

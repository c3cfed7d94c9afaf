/* SPDX-License-Identifier: Apache-2.0 */
#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool ce_terminal_colour(void)
{
    const char *no = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) && !(no && *no);
}

unsigned ce_terminal_columns(void)
{
    struct winsize size = {.ws_col = 0};
    if (!isatty(STDOUT_FILENO))
        return 0;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

unsigned ce_terminal_lines(void)
{
    struct winsize size = {.ws_row = 0};
    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

void ce_terminal_nodes_done(void *ctx, size_t done, size_t count)
{
    (void)ctx;
    dprintf(STDERR_FILENO, "\r%zu of %zu nodes%s", done, count, done == count ? "\r\033[K" : "");
}

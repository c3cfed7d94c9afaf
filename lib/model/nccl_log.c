/* SPDX-License-Identifier: Apache-2.0 */
#include "model/nccl_log.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

struct span {
    const char *at;
    size_t length;
};

/* What follows the word in the line; NULL: it is not there. */
static const char *find(struct span line, const char *word)
{
    const char *found = memmem(line.at, line.length, word, strlen(word));
    return found ? found + strlen(word) : NULL;
}

static void take(struct span text, char *ret, size_t size)
{
    struct ce_error clean;
    ce_fail(&clean, "%.*s", (int)(text.length < size ? text.length : size - 1), text.at);
    snprintf(ret, size, "%.*s", (int)size - 1, clean.text);
}

static struct span rest_of(struct span line, const char *at)
{
    return (struct span){at, line.length - (size_t)(at - line.at)};
}

/* ---------------------------------------------------------------- ways */

static bool has_way(const char *via, const char *way)
{
    size_t length = strlen(way);
    for (const char *at = via; (at = strstr(at, way)) != NULL; at += length)
        if ((at == via || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

static void add_way(struct ce_nccl_log *log, const char *way)
{
    size_t length = strlen(log->via);
    if (!*way || has_way(log->via, way) || length + strlen(way) + 2 > sizeof log->via)
        return;
    snprintf(log->via + length, sizeof log->via - length, "%s%s", length ? "," : "", way);
}

/* "NET/IB/0/GDRDMA" is a way "NET/IB", and one more where the network reaches into GPUs' memory. */
static void read_way(struct ce_nccl_log *log, struct span text)
{
    char way[CE_NCCL_WORD];
    size_t length = 0, slashes = 0;
    while (length < text.length && !strchr(" ,=([\t\r", text.at[length])) {
        slashes += text.at[length] == '/';
        if (slashes == 2)
            break;
        length++;
    }
    take((struct span){text.at, length}, way, sizeof way);
    add_way(log, way);
    if (find(text, "/GDRDMA"))
        add_way(log, "GDRDMA");
}

/* ---------------------------------------------------------------- lines */

static void read_line(struct ce_nccl_log *log, struct span line)
{
    const char *at;
    if ((at = find(line, "NCCL WARN ")) != NULL && !log->warning[0])
        take(rest_of(line, at), log->warning, sizeof log->warning);
    if (!find(line, "NCCL INFO "))
        return;
    if ((at = find(line, "Using network ")) != NULL)
        take(rest_of(line, at), log->network, sizeof log->network);
    if (find(line, "Channel ") || find(line, "CollNet "))
        if ((at = find(line, " via ")) != NULL)
            read_way(log, rest_of(line, at));
    if (find(line, "NVLS comm "))
        add_way(log, "NVLS");
}

void ce_nccl_log_read(const char *text, struct ce_nccl_log *ret)
{
    *ret = (struct ce_nccl_log){.network = ""};
    while (*text) {
        size_t length = strcspn(text, "\n");
        read_line(ret, (struct span){text, length});
        text += length + (text[length] == '\n');
    }
}

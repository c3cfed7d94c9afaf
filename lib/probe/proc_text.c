/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/proc_text.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/parse.h"
#include "model/host.h"

const char *ce_proc_line(const char *text, const char *start)
{
    size_t length = strlen(start);
    for (const char *line = text; line; line = ce_next_line(line))
        if (strncmp(line, start, length) == 0)
            return line + length;
    return NULL;
}

int ce_proc_number(const char *text, const char *key, uint64_t *ret)
{
    const char *at = ce_proc_line(text, key), *end;
    return at ? ce_parse_digits(at + strspn(at, " "), UINT64_MAX - 1, ret, &end) : -1;
}

/* As the kernel writes it: blanks and backslashes as three octal digits. */
static void escape(const char *path, char *ret, size_t size)
{
    size_t n = 0;
    for (ret[0] = '\0'; *path && n + 5 < size; path++)
        n += (size_t)snprintf(ret + n, size - n, strchr(" \t\n\\", *path) ? "\\%03o" : "%c",
                              (unsigned char)*path);
}

bool ce_proc_is_mounted(const char *mounts, const char *path)
{
    char wanted[4 * CE_HOST_PATH + 8];
    escape(path, wanted, sizeof wanted);
    size_t length = strlen(wanted);
    for (const char *line = mounts; line; line = ce_next_line(line)) {
        const char *place = strpbrk(line, " \n");
        if (place && *place == ' ' && strncmp(place + 1, wanted, length) == 0 &&
            place[1 + length] == ' ')
            return true;
    }
    return false;
}

int ce_proc_stat_parse(const char *text, struct ce_proc_stat *ret)
{
    const char *open = strchr(text, '('), *close = strrchr(text, ')');
    if (!open || !close || close < open || close[1] != ' ' || !close[2] || close[3] != ' ')
        return -1;
    size_t length = (size_t)(close - open) - 1;
    struct ce_error clean;
    ce_fail(&clean, "%.*s", (int)(length < CE_PROC_NAME ? length : CE_PROC_NAME), open + 1);
    *ret = (struct ce_proc_stat){.state = close[2]};
    ce_copy(ret->name, sizeof ret->name, clean.text);
    return 0;
}

bool ce_proc_is_gpu(const char *target)
{
    static const char start[] = "/dev/nvidia";
    return strncmp(target, start, sizeof start - 1) == 0;
}

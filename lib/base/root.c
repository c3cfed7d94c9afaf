/* SPDX-License-Identifier: Apache-2.0 */
#include "base/root.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/parse.h"

enum { MAX_NAMES = 65536 };

int ce_root_open(struct ce_root *root, const char *path, struct ce_error *err)
{
    root->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    root->live = strcmp(path, "/") == 0;
    return root->fd < 0 ? ce_fail(err, "%s: cannot open: %s", path, strerror(errno)) : 0;
}

void ce_root_close(struct ce_root *root)
{
    if (root->fd >= 0)
        close(root->fd);
    root->fd = -1;
}

__attribute__((format(printf, 3, 0))) static int
format_path(char *path, size_t size, const char *format, va_list args)
{
    return ce_fits(vsnprintf(path, size, format, args), size) ? 0 : -1;
}

#define FORMAT_PATH(path)                                                                          \
    (__extension__({                                                                               \
        va_list args_;                                                                             \
        va_start(args_, format);                                                                   \
        int ok_ = format_path(path, sizeof path, format, args_);                                   \
        va_end(args_);                                                                             \
        ok_;                                                                                       \
    }))

static int read_line(const struct ce_root *root, const char *path, char *line, size_t size)
{
    ce_autoclose int fd = openat(root->fd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -1;
    ssize_t n;
    do
        n = read(fd, line, size);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return -1;
    char *newline = memchr(line, '\n', (size_t)n);
    if (!newline && (size_t)n == size)
        return -1;
    line[newline ? newline - line : n] = '\0';
    return 0;
}

int ce_root_line(const struct ce_root *root, char *line, size_t size, const char *format, ...)
{
    char path[512];
    return FORMAT_PATH(path) < 0 ? -1 : read_line(root, path, line, size);
}

int ce_root_number(const struct ce_root *root, uint64_t *ret, const char *format, ...)
{
    char path[512], line[32];
    if (FORMAT_PATH(path) < 0 || read_line(root, path, line, sizeof line) < 0)
        return -1;
    return ce_parse_uint(line, 0, UINT64_MAX, ret);
}

bool ce_root_exists(const struct ce_root *root, const char *format, ...)
{
    char path[512];
    return FORMAT_PATH(path) == 0 && faccessat(root->fd, path, F_OK, 0) == 0;
}

int ce_root_link(const struct ce_root *root, char *name, size_t size, const char *format, ...)
{
    char path[512], target[512];
    if (FORMAT_PATH(path) < 0)
        return -1;
    ssize_t n = readlinkat(root->fd, path, target, sizeof target);
    if (n < 0 || (size_t)n >= sizeof target)
        return -1;
    target[n] = '\0';
    const char *slash = strrchr(target, '/');
    return ce_copy(name, size, slash ? slash + 1 : target);
}

static int by_byte(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Copy the names into one block behind their pointers: one free() for the caller. */
static char **pack(struct dirent **entries, int n)
{
    size_t bytes = 0;
    for (int i = 0; i < n; i++)
        bytes += strlen(entries[i]->d_name) + 1;
    char **names = malloc((size_t)n * sizeof *names + bytes + 1);
    char *at = names ? (char *)(names + n) : NULL;
    for (int i = 0; names && i < n; i++) {
        names[i] = at;
        at = stpcpy(at, entries[i]->d_name) + 1;
    }
    return names;
}

static int not_dot(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

int ce_root_list(const struct ce_root *root, char ***names, const char *path)
{
    struct dirent **entries = NULL;
    int n = scandirat(root->fd, path, &entries, not_dot, NULL);
    if (n < 0)
        return -1;
    char **packed = n <= MAX_NAMES ? pack(entries, n) : NULL;
    for (int i = 0; i < n; i++)
        free(entries[i]);
    free(entries);
    if (!packed)
        return -1;
    qsort(packed, (size_t)n, sizeof *packed, by_byte);
    *names = packed;
    return n;
}

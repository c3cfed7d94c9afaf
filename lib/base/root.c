/* SPDX-License-Identifier: Apache-2.0 */
#include "base/root.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef SYS_openat2
#include <linux/openat2.h>
#endif

#include "base/cleanup.h"
#include "base/parse.h"

enum { MAX_NAMES = 65536, TRIES = 1000 };

#ifdef SYS_openat2
/* A rename anywhere on the machine while it goes up a ".." makes it give up with EAGAIN. */
static int open_inside(int dir, const char *path, int flags)
{
    struct open_how how = {.flags = (unsigned)flags, .resolve = RESOLVE_IN_ROOT};
    int fd, tries = 0;
    do
        fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof how);
    while (fd < 0 && errno == EAGAIN && ++tries < TRIES);
    return fd;
}
#else
static int open_inside(int dir, const char *path, int flags)
{
    (void)dir, (void)path, (void)flags;
    errno = ENOSYS;
    return -1;
}
#endif

/* Old kernels, some sandboxes and valgrind cannot. */
static bool can_stay_inside(int dir)
{
    ce_autoclose int fd = open_inside(dir, ".", O_PATH | O_CLOEXEC);
    return fd >= 0;
}

int ce_root_open(struct ce_root *root, const char *path, struct ce_error *err)
{
    root->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    root->live = strcmp(path, "/") == 0;
    root->inside = !root->live && can_stay_inside(root->fd);
    return root->fd < 0 ? ce_fail(err, "%s: cannot open: %s", path, strerror(errno)) : 0;
}

void ce_root_close(struct ce_root *root)
{
    if (root->fd >= 0)
        close(root->fd);
    root->fd = -1;
}

__attribute__((format(printf, 3, 0))) static int format_path(char *path, size_t size,
                                                             const char *format, va_list args)
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

static int open_at(const struct ce_root *root, const char *path, int flags)
{
    flags |= O_CLOEXEC;
    return root->inside ? open_inside(root->fd, path, flags) : openat(root->fd, path, flags);
}

/* One read() is enough: these files are no longer than a page, or as long as was asked. */
static ssize_t read_bytes(const struct ce_root *root, const char *path, void *bytes, size_t size)
{
    struct stat st;
    ssize_t n;
    ce_autoclose int fd = open_at(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        return -1;
    do
        n = read(fd, bytes, size);
    while (n < 0 && errno == EINTR);
    return n;
}

/* 0; else -1, and the text is emptied. */
static int check_printable(char *text)
{
    if (ce_is_printable(text))
        return 0;
    text[0] = '\0';
    return -1;
}

static int read_line(const struct ce_root *root, const char *path, char *line, size_t size)
{
    ssize_t n = read_bytes(root, path, line, size);
    char *newline = n < 0 ? NULL : memchr(line, '\n', (size_t)n);
    bool known = newline || (n >= 0 && (size_t)n < size);
    line[!known ? 0 : newline ? newline - line : n] = '\0';
    return known ? check_printable(line) : -1;
}

int ce_root_line(const struct ce_root *root, char *line, size_t size, const char *format, ...)
{
    char path[512];
    line[0] = '\0';
    return FORMAT_PATH(path) < 0 ? -1 : read_line(root, path, line, size);
}

int ce_root_number(const struct ce_root *root, uint64_t *ret, const char *format, ...)
{
    char path[512], line[32];
    if (FORMAT_PATH(path) < 0 || read_line(root, path, line, sizeof line) < 0)
        return -1;
    return ce_parse_uint(line, 0, UINT64_MAX, ret);
}

ssize_t ce_root_bytes(const struct ce_root *root, void *bytes, size_t size, const char *format, ...)
{
    char path[512];
    return FORMAT_PATH(path) < 0 ? -1 : read_bytes(root, path, bytes, size);
}

bool ce_root_exists(const struct ce_root *root, const char *format, ...)
{
    char path[512];
    ce_autoclose int fd = FORMAT_PATH(path) < 0 ? -1 : open_at(root, path, O_PATH);
    return fd >= 0;
}

static int read_target(const struct ce_root *root, const char *path, char *target, size_t size)
{
    ce_autoclose int fd = open_at(root, path, O_PATH | O_NOFOLLOW);
    ssize_t n = fd < 0 ? -1 : readlinkat(fd, "", target, size);
    bool known = n >= 0 && (size_t)n < size;
    target[known ? n : 0] = '\0';
    return known ? check_printable(target) : -1;
}

int ce_root_target(const struct ce_root *root, char *target, size_t size, const char *format, ...)
{
    char path[512];
    target[0] = '\0';
    return FORMAT_PATH(path) < 0 ? -1 : read_target(root, path, target, size);
}

int ce_root_link(const struct ce_root *root, char *name, size_t size, const char *format, ...)
{
    char path[512], target[512];
    name[0] = '\0';
    if (FORMAT_PATH(path) < 0 || read_target(root, path, target, sizeof target) < 0)
        return -1;
    const char *slash = strrchr(target, '/');
    return ce_copy(name, size, slash ? slash + 1 : target);
}

struct names {
    char *block; /* each name with its NUL */
    size_t length, room, count;
};

static int add_name(struct names *names, const char *name)
{
    size_t size = strlen(name) + 1;
    if (names->count == MAX_NAMES)
        return -1;
    if (names->length + size > names->room) {
        size_t room = 2 * names->room + size + 1024;
        char *block = realloc(names->block, room);
        if (!block)
            return -1;
        names->block = block;
        names->room = room;
    }
    memcpy(names->block + names->length, name, size);
    names->length += size;
    names->count++;
    return 0;
}

static int read_names(DIR *dir, struct names *names)
{
    const struct dirent *entry;
    errno = 0;
    while ((entry = readdir(dir)) != NULL) {
        bool dots = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        if (!dots && add_name(names, entry->d_name) < 0)
            return -1;
        errno = 0;
    }
    return errno ? -1 : 0;
}

static int by_byte(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Pointers, sorted, with the names behind them: one free() for the caller. */
static char **pack(const struct names *names)
{
    char **packed = malloc(names->count * sizeof *packed + names->length + 1);
    if (!packed)
        return NULL;
    char *at = (char *)(packed + names->count);
    if (names->length)
        memcpy(at, names->block, names->length);
    for (size_t i = 0; i < names->count; i++, at += strlen(at) + 1)
        packed[i] = at;
    qsort(packed, names->count, sizeof *packed, by_byte);
    return packed;
}

int ce_root_list(const struct ce_root *root, char ***names, const char *format, ...)
{
    char path[512];
    struct names found = {.count = 0};
    char **packed = NULL;
    int fd = FORMAT_PATH(path) < 0 ? -1 : open_at(root, path, O_RDONLY | O_DIRECTORY);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (dir && read_names(dir, &found) == 0)
        packed = pack(&found);
    if (dir)
        closedir(dir);
    else if (fd >= 0)
        close(fd);
    free(found.block);
    if (!packed)
        return -1;
    *names = packed;
    return (int)found.count;
}

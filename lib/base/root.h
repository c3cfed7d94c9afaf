/* SPDX-License-Identifier: Apache-2.0 */
/* The machine's file tree as an argument: all of /sys and /proc is read relative to a directory,
 * "/" in production, a recorded tree in tests.  There is no environment override.  Nothing here
 * blocks on a FIFO.  Links of a recorded tree lead to places in it, never out of it (on kernels
 * before 5.6, which cannot do that, those that begin with '/' do). */
#ifndef CE_BASE_ROOT_H
#define CE_BASE_ROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct ce_root {
    int fd;
    bool live;   /* this is the machine itself, so what only the kernel can tell may be asked */
    bool inside; /* links are kept inside */
};

int ce_root_open(struct ce_root *root, const char *path, struct ce_error *err);
void ce_root_close(struct ce_root *root);

/* The first line of a small file, without its newline.  0; -1 and line "" where it cannot be read,
 * is no regular file, does not fit or holds a control character (sysfs answers EINVAL for a fact it
 * does not have: that is "unknown", not an error). */
int ce_root_line(const struct ce_root *root, char *line, size_t size, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same, as a decimal number (a negative one, sysfs' way to say unknown, is -1). */
int ce_root_number(const struct ce_root *root, uint64_t *ret, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The bytes at the start of a file, at most size.  How many, or -1 where it cannot be read. */
ssize_t ce_root_bytes(const struct ce_root *root, void *bytes, size_t size, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

bool ce_root_exists(const struct ce_root *root, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A symbolic link's target, as it stands there.  0; -1 and target "" where it is no link, does not
 * fit or holds a control character. */
int ce_root_target(const struct ce_root *root, char *target, size_t size, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The last part of it ("bond0" of ../../bond0). */
int ce_root_link(const struct ce_root *root, char *name, size_t size, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The names in a directory, sorted by byte, without "." and "..".  *names is one allocation that
 * the caller frees.  Returns how many, or -1 where the directory cannot be read. */
int ce_root_list(const struct ce_root *root, char ***names, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif

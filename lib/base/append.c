/* SPDX-License-Identifier: Apache-2.0 */
#include "base/append.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/lock.h"
#include "base/parse.h"

enum { TRIES = 3, LOCK_MS = 100, FLAGS = O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC };

/* Readable for all, whatever this process's umask. */
static void make_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path ||
        !ce_fits(snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path), sizeof folder))
        return;
    if (mkdir(folder, 0755) == 0)
        chmod(folder, 0755);
}

/* It may be rotated away, and made anew by another, at any moment. */
static int open_or_make(const char *path, unsigned mode)
{
    int fd = -1;
    for (int i = 0; i < TRIES && fd < 0; i++) {
        fd = open(path, FLAGS);
        if (fd >= 0 || errno != ENOENT)
            return fd;
        if (i == 0)
            make_folder(path);
        fd = open(path, FLAGS | O_CREAT | O_EXCL, 0600);
        if (fd >= 0)
            fchmod(fd, mode);
        else if (errno != EEXIST)
            return -1;
    }
    return fd;
}

static bool is_ours(const struct stat *st)
{
    return S_ISREG(st->st_mode) && st->st_nlink == 1 && st->st_uid == geteuid();
}

/* Does it end in half a line? */
static bool is_cut(int fd, const struct stat *st)
{
    char last = '\n';
    return st->st_size > 0 && pread(fd, &last, 1, st->st_size - 1) == 1 && last != '\n';
}

int ce_file_append(const char *path, const char *line, unsigned mode, struct ce_error *err)
{
    struct stat st;
    ce_autofree char *whole = NULL;
    ce_autoclose int fd = open_or_make(path, mode);
    if (fd < 0)
        return ce_fail(err, "%s: cannot write: %s", path, strerror(errno));
    /* A line that another process just writes is not half a line.  Whoever may read the file may lock
     * it, so nobody waits long. */
    (void)ce_lock(fd, LOCK_MS);
    if (fstat(fd, &st) < 0 || !is_ours(&st))
        return ce_fail(err, "%s: not a file of this user alone; remove it", path);
    if (asprintf(&whole, "%s%s", is_cut(fd, &st) ? "\n" : "", line) < 0) {
        whole = NULL;
        return ce_fail(err, "no memory");
    }
    ssize_t n = write(fd, whole, strlen(whole));
    if (n < 0)
        return ce_fail(err, "%s: cannot write: %s", path, strerror(errno));
    return (size_t)n == strlen(whole) ? 0 : ce_fail(err, "%s: only a part was written; is the disk full?", path);
}

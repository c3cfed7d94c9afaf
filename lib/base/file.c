/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

static int check_trust(const struct stat *st, const char *path, enum ce_trust trust, struct ce_error *err)
{
    if (st->st_uid != 0 && (trust == CE_TRUST_ROOT || st->st_uid != geteuid()))
        return ce_fail(err, "%s: not trusted: owned by uid %u, expected root", path,
                       (unsigned)st->st_uid);
    if (st->st_mode & (S_IWGRP | S_IWOTH))
        return ce_fail(err, "%s: not trusted: mode %04o lets others write it, expected 0644", path,
                       (unsigned)(st->st_mode & 07777));
    return 0;
}

static int read_all(int fd, const char *path, struct ce_text *text, struct ce_error *err)
{
    char part[16384];
    ssize_t n;
    while ((n = read(fd, part, sizeof part)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return ce_fail(err, "%s: cannot read: %s", path, strerror(errno));
        if (memchr(part, '\0', (size_t)n))
            return ce_fail(err, "%s: not a text file: holds a NUL byte", path);
        ce_text_addn(text, part, (size_t)n);
        if (!ce_text_ok(text))
            return ce_fail(err, "%s: longer than %zu bytes", path, text->limit);
    }
    return 0;
}

enum ce_read_result ce_file_read(int dirfd, const char *path, enum ce_trust trust,
                                 struct ce_text *text, struct ce_error *err)
{
    const int follow = trust == CE_TRUST_ROOT ? O_NOFOLLOW : 0;
    ce_autoclose int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | follow);
    struct stat st;
    if (fd < 0) {
        int missing = errno == ENOENT || errno == ENOTDIR;
        ce_fail(err, "%s: cannot open: %s", path, strerror(errno));
        return missing ? CE_READ_MISSING : CE_READ_FAILED;
    }
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        return (enum ce_read_result)ce_fail(err, "%s: not a regular file", path);
    if (trust != CE_TRUST_ANY && check_trust(&st, path, trust, err) < 0)
        return CE_READ_FAILED;
    return read_all(fd, path, text, err) < 0 ? CE_READ_FAILED : CE_READ_OK;
}

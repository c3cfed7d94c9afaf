/* SPDX-License-Identifier: Apache-2.0 */
#include "base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/parse.h"

static int write_all(int fd, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t n = write(fd, text, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        text += n;
        length -= (size_t)n;
    }
    return 0;
}

/* fsync before the rename: after a power cut the name must not lead to an empty file. */
static int fill(int fd, const char *text, unsigned mode, bool lasting)
{
    if (write_all(fd, text, strlen(text)) < 0 || fchmod(fd, mode) < 0)
        return -1;
    return lasting ? fsync(fd) : 0;
}

static int replace(int dirfd, const char *name, const char *text, unsigned mode, bool lasting,
                   struct ce_error *err)
{
    char temporary[256];
    int n = snprintf(temporary, sizeof temporary, ".%s.%ld", name, (long)getpid());
    if (!ce_fits(n, sizeof temporary))
        return ce_fail(err, "%s: name too long", name);
    unlinkat(dirfd, temporary, 0); /* left by a run of this pid that was killed */
    int fd = openat(dirfd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return ce_fail(err, "%s: cannot write: %s", name, strerror(errno));
    int failed = fill(fd, text, mode, lasting);
    int saved = errno;
    if (close(fd) < 0 && !failed)
        failed = -1, saved = errno;
    if (!failed && renameat(dirfd, temporary, dirfd, name) < 0)
        failed = -1, saved = errno;
    if (!failed)
        return 0;
    unlinkat(dirfd, temporary, 0);
    return ce_fail(err, "%s: cannot write: %s", name, strerror(saved));
}

int ce_file_replace(int dirfd, const char *name, const char *text, unsigned mode,
                    struct ce_error *err)
{
    return replace(dirfd, name, text, mode, true, err);
}

int ce_file_refresh(int dirfd, const char *name, const char *text, unsigned mode,
                    struct ce_error *err)
{
    return replace(dirfd, name, text, mode, false, err);
}

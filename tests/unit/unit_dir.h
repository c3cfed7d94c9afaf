/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of a test's own, and files in it. */
#ifndef CE_TESTS_UNIT_DIR_H
#define CE_TESTS_UNIT_DIR_H

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

struct unit_dir {
    char path[128];
    int fd;
};

/* Others may enter it, so that a test can look with another user's eyes. */
static inline struct unit_dir unit_dir_make(void)
{
    struct unit_dir dir = {.fd = -1};
    const char *base = getenv("TMPDIR");
    snprintf(dir.path, sizeof dir.path, "%.90s/cluster-env-unit.XXXXXX", base ? base : "/tmp");
    assert_non_null(mkdtemp(dir.path));
    assert_int_equal(chmod(dir.path, 0755), 0);
    dir.fd = open(dir.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(dir.fd >= 0);
    return dir;
}

static inline int unit_dir_remove_one(const char *path, const struct stat *st, int flag,
                                      struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

static inline void unit_dir_remove(struct unit_dir *dir)
{
    close(dir->fd);
    nftw(dir->path, unit_dir_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A file with exactly this mode, whatever the umask. */
static inline void unit_dir_writen(const struct unit_dir *dir, const char *name, const char *bytes,
                                   size_t length, mode_t mode)
{
    int fd = openat(dir->fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, length), length);
    assert_int_equal(fchmod(fd, mode), 0);
    assert_int_equal(close(fd), 0);
}

static inline void unit_dir_write(const struct unit_dir *dir, const char *name, const char *text)
{
    unit_dir_writen(dir, name, text, strlen(text), 0644);
}

/* The file's text, to be freed; NULL where there is none. */
static inline char *unit_dir_read(const struct unit_dir *dir, const char *name)
{
    struct stat st;
    int fd = openat(dir->fd, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    assert_int_equal(fstat(fd, &st), 0);
    char *text = calloc(1, (size_t)st.st_size + 1);
    assert_non_null(text);
    assert_int_equal(read(fd, text, (size_t)st.st_size), st.st_size);
    close(fd);
    return text;
}

/* Root reads and writes what it likes: be somebody else for a while. */
static inline void unit_leave_root(void)
{
    if (getuid() == 0)
        assert_int_equal(seteuid(65534), 0);
}

static inline void unit_return_to_root(void)
{
    if (getuid() == 0)
        assert_int_equal(seteuid(0), 0);
}

static inline const char *unit_needs_root(void)
{
    return getuid() == 0 ? NULL : "needs root";
}

#endif

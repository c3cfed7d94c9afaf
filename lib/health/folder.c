/* SPDX-License-Identifier: Apache-2.0 */
#include "health/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"

int ce_folder_open(const char *run_dir, const char *name, struct ce_error *err)
{
    struct stat st;
    ce_autoclose int run = open(run_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (run < 0)
        return ce_fail(err, "%s: cannot open: %s", run_dir, strerror(errno));
    if (mkdirat(run, name, 0700) < 0 && errno != EEXIST)
        return ce_fail(err, "%s/%s: cannot create: %s", run_dir, name, strerror(errno));
    ce_autoclose int dir = openat(run, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0 || fstat(dir, &st) < 0)
        return ce_fail(err, "%s/%s: cannot open: %s", run_dir, name, strerror(errno));
    if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
        return ce_fail(err, "%s/%s: others may write in it; remove it", run_dir, name);
    int ret = dir;
    dir = -1;
    return ret;
}

enum { DAY = 24 * 60 * 60 };

DIR *ce_folder_list(int dir)
{
    int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = copy < 0 ? NULL : fdopendir(copy);
    if (!stream && copy >= 0)
        close(copy);
    return stream;
}

/* A new file that ce_file_replace() never renamed begins with a dot. */
static bool is_leftover(int dir, const char *name, bool many, const struct ce_folder_rule *rule)
{
    struct stat st;
    time_t wall = time(NULL);
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return false;
    if (!S_ISREG(st.st_mode))
        return S_ISLNK(st.st_mode);
    if (st.st_mtime > wall - DAY)
        return false;
    return many || name[0] == '.' || st.st_mtime < wall - (time_t)rule->days * DAY ||
           (rule->is_stale && rule->is_stale(dir, name, rule->ctx));
}

void ce_folder_sweep(int dir, const struct ce_folder_rule *rule)
{
    size_t count = 0;
    DIR *stream = ce_folder_list(dir);
    if (!stream)
        return;
    while (readdir(stream))
        count++;
    rewinddir(stream);
    const bool many = rule->many && count > rule->many;
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            is_leftover(dir, entry->d_name, many, rule))
            unlinkat(dir, entry->d_name, 0);
    closedir(stream);
}

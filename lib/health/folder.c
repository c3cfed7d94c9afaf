/* SPDX-License-Identifier: Apache-2.0 */
#include "health/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
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

/* SPDX-License-Identifier: Apache-2.0 */
/* What Prolog= and Epilog= of slurm.conf lead to. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "probe/install.h"

enum { SCRIPT_MAX = 64 << 10 };

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The start of a script; programs hold 0 bytes, so this is no text of ours. */
static ssize_t read_start(const char *path, char *bytes, size_t size)
{
    ce_autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    return fd < 0 ? -1 : read(fd, bytes, size);
}

static enum ce_install_runs runs(const char *path, const char *ours)
{
    ce_autofree char *real = realpath(path, NULL), *bytes = malloc(SCRIPT_MAX);
    if (real && strcmp(last_part(real), ours) == 0)
        return CE_RUNS_OURS;
    ssize_t size = bytes ? read_start(path, bytes, SCRIPT_MAX) : -1;
    if (size < 0)
        return CE_RUNS_UNKNOWN;
    return size > 2 && memcmp(bytes, "#!", 2) == 0 && memmem(bytes, (size_t)size, ours, strlen(ours))
               ? CE_RUNS_OURS
               : CE_RUNS_OTHER;
}

static void add(const char *path, const char *ours, struct ce_install_programs *ret)
{
    struct stat st;
    if (ret->count == CE_INSTALL_PROGRAMS_MAX)
        return;
    struct ce_install_program *item = &ret->items[ret->count++];
    *item = (struct ce_install_program){.runs = CE_RUNS_UNKNOWN};
    snprintf(item->path, sizeof item->path, "%s", path);
    if (stat(path, &st) < 0) {
        item->hidden = errno == EACCES;
        return;
    }
    item->there = true;
    item->regular = S_ISREG(st.st_mode);
    item->executable = st.st_mode & 0111;
    item->safe = st.st_uid == 0 && !(st.st_mode & 022);
    if (item->regular)
        item->runs = runs(path, ours);
}

static void add_pattern(const char *pattern, const char *ours, struct ce_install_programs *ret)
{
    glob_t found = {.gl_pathc = 0};
    if (glob(pattern, GLOB_NOCHECK, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            add(found.gl_pathv[i], ours, ret);
    globfree(&found);
}

void ce_probe_programs(const struct ce_slurm_programs *values, const char *slurm_conf,
                       const char *ours, struct ce_install_programs *ret)
{
    char full[2 * PATH_MAX];
    ret->count = 0;
    for (size_t i = 0; i < values->count; i++) {
        const char *value = values->path[i];
        int folder = *value == '/' ? 0 : (int)(last_part(slurm_conf) - slurm_conf);
        snprintf(full, sizeof full, "%.*s%s", folder, slurm_conf, value);
        add_pattern(full, ours, ret);
    }
}

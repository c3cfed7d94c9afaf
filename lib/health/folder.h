/* SPDX-License-Identifier: Apache-2.0 */
/* A folder below the run directory for what only root may read and write. */
#ifndef CE_HEALTH_FOLDER_H
#define CE_HEALTH_FOLDER_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* RUN_DIR/NAME, mode 0700, made where it is not there; the caller closes it, and does everything
 * relative to it, so that its name matters once.  -1 with err: it cannot be made, is a link, or others
 * may write in it. */
int ce_folder_open(const char *run_dir, const char *name, struct ce_error *err);

/* Which files of a folder to remove.  Files younger than a day are neither opened nor removed. */
struct ce_folder_rule {
    unsigned days; /* older files are removed */
    size_t many;   /* if there are more entries, all files older than a day are removed; 0: no limit */
    bool (*is_stale)(int dir, const char *name, const void *ctx); /* of a file older than a day; NULL: none is */
    const void *ctx;
};

/* Remove these files, links, and what ce_file_replace() left unfinished for a day. */
void ce_folder_sweep(int dir, const struct ce_folder_rule *rule);

/* The entries of the folder; NULL: it cannot be read.  For closedir(). */
DIR *ce_folder_list(int dir);

#endif

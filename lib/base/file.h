/* SPDX-License-Identifier: Apache-2.0 */
/* Small files, read whole.  Nothing here blocks on a FIFO or a terminal. */
#ifndef CE_BASE_FILE_H
#define CE_BASE_FILE_H

#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

enum ce_trust {
    CE_TRUST_ANY,   /* any regular file */
    CE_TRUST_OWNER, /* of root or of this process's user, and writable by its owner only: a file
                     * that others can bend is not read */
    CE_TRUST_ROOT,  /* of root, writable by root only, and not a symbolic link */
};

enum ce_read_result {
    CE_READ_OK = 0,
    CE_READ_MISSING = 1, /* no such file or directory; err is set as for a failure */
    CE_READ_FAILED = -1, /* unreadable, not trusted, too long, or holds a NUL byte */
};

/* Read `path` (relative to dirfd, or absolute) into *text, whose limit is the size limit.
 * The rules are applied to the open file, not to its name.  err names the path and the reason. */
enum ce_read_result ce_file_read(int dirfd, const char *path, enum ce_trust trust,
                                 struct ce_text *text, struct ce_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Lines added to a log file by several processes at once. */
#ifndef CE_BASE_APPEND_H
#define CE_BASE_APPEND_H

#include "base/error.h"

/* Add `line`, which ends in a newline, to the file at `path` with one write(), so that lines never
 * mix; a line that a full disk cut short before is ended first.  The file is made with exactly
 * `mode` where it is not there, and its folder, not what is above, with 0755.  A link, a file with
 * another name besides, no file at all, or one that is not this process's user's: refused.
 * 0, or -1: nothing, or a part of the line, was written. */
int ce_file_append(const char *path, const char *line, unsigned mode, struct ce_error *err);

#endif

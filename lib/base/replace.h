/* SPDX-License-Identifier: Apache-2.0 */
/* Small files, replaced whole. */
#ifndef CE_BASE_REPLACE_H
#define CE_BASE_REPLACE_H

#include "base/error.h"

/* Put `text` at dirfd/name by writing a new file beside it and renaming: a reader sees the old or
 * the new text, never half of one, also on a full disk.  The file gets exactly `mode`.  0 or -1. */
int ce_file_replace(int dirfd, const char *name, const char *text, unsigned mode,
                    struct ce_error *err);

/* The same without waiting for the disk: for what is written anew all the time.  After a power cut
 * it may be empty. */
int ce_file_refresh(int dirfd, const char *name, const char *text, unsigned mode,
                    struct ce_error *err);

#endif

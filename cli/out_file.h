/* SPDX-License-Identifier: Apache-2.0 */
/* A file that a command writes because somebody named it. */
#ifndef CE_CLI_OUT_FILE_H
#define CE_CLI_OUT_FILE_H

#include "base/error.h"
#include "base/text.h"

/* Put the text there by rename, 0644.  0; -1 with err: a folder that is not there or may not be written,
 * a device, link or folder in its place. */
int ce_out_file_write(const char *path, struct ce_text *text, struct ce_error *err);

#endif

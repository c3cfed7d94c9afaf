/* SPDX-License-Identifier: Apache-2.0 */
/* A folder below the run directory for what only root may read and write. */
#ifndef CE_HEALTH_FOLDER_H
#define CE_HEALTH_FOLDER_H

#include "base/error.h"

/* RUN_DIR/NAME, mode 0700, made where it is not there; the caller closes it, and does everything
 * relative to it, so that its name matters once.  -1 with err: it cannot be made, is a link, or others
 * may write in it. */
int ce_folder_open(const char *run_dir, const char *name, struct ce_error *err);

#endif

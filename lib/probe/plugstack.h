/* SPDX-License-Identifier: Apache-2.0 */
/* plugstack.conf with all that it includes, as Slurm's programs read it. */
#ifndef CE_PROBE_PLUGSTACK_H
#define CE_PROBE_PLUGSTACK_H

#include "model/install.h"

/* ret->path, which is set, and what it leads to.  Where a file cannot be read, or there are more lines
 * than are kept, `read` stays false and `why` says it. */
void ce_probe_plugstack(struct ce_install_plugstack *ret);

/* The file that a plugin of that name is: the name itself, where it begins with '/'; else the first of
 * the folders that has it ("": none).  -1: it does not fit. */
int ce_probe_plugin_path(const char *name, const char *folders, char ret[PATH_MAX]);

/* What the library at ret->path, which is set, says of itself. */
void ce_probe_library(struct ce_install_library *ret);

#endif

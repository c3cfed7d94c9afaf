/* SPDX-License-Identifier: Apache-2.0 */
/* A file system whose server is away (NFS) holds whoever touches one of its files, for hours, and
 * only SIGKILL helps. */
#ifndef CE_PROBE_REACH_H
#define CE_PROBE_REACH_H

#include "base/error.h"

/* Try `look(ctx)`, which reads `path` and what that leads to, in a forked copy of this process:
 * what it finds is lost. 0: it came back, so that it can be done.  -1: it did not within
 * deadline_ms, and err says so. */
int ce_probe_reach(const char *path, int (*look)(void *ctx), void *ctx, unsigned deadline_ms,
                   struct ce_error *err);

#endif

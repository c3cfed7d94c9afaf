/* SPDX-License-Identifier: Apache-2.0 */
/* What only the checks want to know of the host.  Nothing here asks a driver or a file server. */
#ifndef CE_PROBE_HOST_DETAILS_H
#define CE_PROBE_HOST_DETAILS_H

#include "base/root.h"
#include "model/host.h"

/* Memory, kernel, NVIDIA's modules; of the machine itself also the clock and this process's limit
 * of locked memory.  Facts that cannot be read stay unknown. */
void ce_probe_host_details(const struct ce_root *root, struct ce_host *host);

/* Whether something is mounted at each of these paths; the paths that do not fit are left out. */
void ce_probe_mounts(const struct ce_root *root, const char (*paths)[CE_HOST_PATH], size_t count,
                     struct ce_host *host);

/* Look through all processes for those that a driver holds (state D) with a GPU open, also where only a thread of
 * a zombie is left. */
void ce_probe_stuck(const struct ce_root *root, struct ce_host *host);

#endif

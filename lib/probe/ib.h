/* SPDX-License-Identifier: Apache-2.0 */
/* RDMA devices: InfiniBand, RoCE and EFA, from sysfs alone.  Judges nothing. */
#ifndef CE_PROBE_IB_H
#define CE_PROBE_IB_H

#include "base/error.h"
#include "base/root.h"
#include "model/node.h"

/* Fill node->hcas, sorted by name; no /sys/class/infiniband is no device.  Facts that cannot be
 * read stay unknown.  -1 with err: more than CE_HCA_MAX devices, or no memory. */
int ce_probe_ib(const struct ce_root *root, struct ce_node *node, struct ce_error *err);

#endif

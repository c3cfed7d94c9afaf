/* SPDX-License-Identifier: Apache-2.0 */
/* Which GID of a port a RoCE connection should use.  Pure. */
#ifndef CE_LAUNCH_GID_H
#define CE_LAUNCH_GID_H

#include "model/hca.h"

/* Only one of RoCE v2: v1 is not routed, and is not what NCCL uses.  An IPv4 address before an IPv6
 * one, a link-local one last; the lower index first, for VLANs come behind.  NULL: there is none;
 * InfiniBand needs none. */
const struct ce_gid *ce_gid_choose(const struct ce_hca_port *port);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What each interface of this node is to the job, in the light of what was chosen; and why.  Pure.
 */
#ifndef CE_LAUNCH_INTERFACE_H
#define CE_LAUNCH_INTERFACE_H

#include "launch/network.h"
#include "launch/rails.h"

enum ce_role {
    CE_ROLE_CLUSTER,    /* the cluster interface */
    CE_ROLE_SOCKETS,    /* NCCL's sockets use it too */
    CE_ROLE_RAIL,       /* it is that of a rail */
    CE_ROLE_MANAGEMENT, /* it carries the default route */
    CE_ROLE_UNUSED,
    CE_ROLE_VIRTUAL, /* loopback, tunnels, bridges, what container engines make: never used */
};

struct ce_interface {
    const struct ce_netif *netif; /* points into the facts */
    enum ce_role role;
    const char *reason; /* one phrase; lives as long as network and facts */
};

/* network and rails are those of the node that netif is of. */
struct ce_interface ce_interface_judge(const struct ce_netif *netif,
                                       const struct ce_network *network,
                                       const struct ce_rails *rails);

/* "cluster", "sockets", "rail", "management", "unused", "virtual". */
const char *ce_role_name(enum ce_role role);

#endif

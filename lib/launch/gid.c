/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/gid.h"

static int merit(const struct ce_gid *gid)
{
    if (gid->type != CE_GID_ROCE_V2)
        return 0;
    if (ce_address_is_link_local(&gid->address))
        return 1;
    return gid->address.family == AF_INET ? 3 : 2;
}

const struct ce_gid *ce_gid_choose(const struct ce_hca_port *port)
{
    const struct ce_gid *best = NULL;
    for (size_t i = 0; i < port->gid_count; i++)
        if (merit(&port->gids[i]) > (best ? merit(best) : 0))
            best = &port->gids[i];
    return best;
}

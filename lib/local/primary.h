/* SPDX-License-Identifier: Apache-2.0 */
/* Can this node, which should be the primary, own PRIMARY_ADDR:PRIMARY_PORT?  One socket, bound and
 * closed; nothing is sent. */
#ifndef CE_LOCAL_PRIMARY_H
#define CE_LOCAL_PRIMARY_H

#include <stdint.h>

#include "model/address.h"

enum ce_primary {
    CE_PRIMARY_OK,        /* also where it could not be found out */
    CE_PRIMARY_NOT_OURS,  /* no interface of this node has the address: the book is stale */
    CE_PRIMARY_PORT_TAKEN,
    CE_PRIMARY_PORT_FORBIDDEN, /* a port below 1024 that this user may not bind */
};

enum ce_primary ce_primary_check(const struct ce_address *address, uint32_t port);

#endif

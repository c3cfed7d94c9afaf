/* SPDX-License-Identifier: Apache-2.0 */
/* One network interface as the kernel shows it. */
#ifndef CE_MODEL_NETIF_H
#define CE_MODEL_NETIF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"
#include "model/address.h"
#include "model/record.h"

enum { CE_NETIF_NAME = 16, CE_NETIF_ADDRESSES_MAX = 64, CE_NETIF_DRIVER = 32 };

enum ce_netif_kind {
    CE_NETIF_OTHER,      /* tunnels, loopback, anything no job should use */
    CE_NETIF_ETHERNET,   /* ARPHRD_ETHER, also bonds and VLANs */
    CE_NETIF_INFINIBAND, /* ARPHRD_INFINIBAND: IP over InfiniBand */
    CE_NETIF_BRIDGE,
    CE_NETIF_TUN, /* tun and tap devices: VPNs, virtual machines */
};

struct ce_netif {
    char name[CE_NETIF_NAME];
    unsigned index; /* the kernel's ifindex */
    enum ce_netif_kind kind;
    bool up;                    /* administratively up and with carrier when the facts were taken */
    unsigned speed_mbps;        /* 0: unknown (down, or the driver does not tell) */
    bool default_route;         /* carries a default route, IPv4 or IPv6 */
    char master[CE_NETIF_NAME]; /* the bond or bridge it is a member of; "" */
    char driver[CE_NETIF_DRIVER]; /* of its device: "mlx5_core", "gve"; "": none, or not known */
    struct ce_prefix *addresses;  /* address and prefix length, kernel's order */
    size_t address_count;
};

/* The text name of a kind ("ethernet"). */
const char *ce_netif_kind_name(enum ce_netif_kind kind);

/* 0, or -1 for no memory or too many. */
int ce_netif_add_address(struct ce_netif *netif, const struct ce_prefix *address);

/* The lines "netif.NAME.KEY" (model/record.h); `part` is the name as it stands in keys.  ret->name
 * is the caller's to fill. */
void ce_netif_write(const struct ce_netif *netif, struct ce_text *out);
int ce_netif_read(const struct ce_record *record, const char *part, struct ce_netif *ret,
                  struct ce_error *err);

#endif

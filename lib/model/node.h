/* SPDX-License-Identifier: Apache-2.0 */
/* Node facts: what one machine is.  Probes fill it, decisions read it, node.facts is its text.
 * Each fact that may be unreadable says so: "unknown" is a value, never 0. */
#ifndef CE_MODEL_NODE_H
#define CE_MODEL_NODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "model/address.h"

enum { CE_NETIF_NAME = 16, CE_NETIF_MAX = 4096, CE_NETIF_ADDRESSES_MAX = 64 };

enum ce_netif_kind {
    CE_NETIF_OTHER,      /* tunnels, loopback, anything no job should use */
    CE_NETIF_ETHERNET,   /* ARPHRD_ETHER, also bonds and VLANs */
    CE_NETIF_INFINIBAND, /* ARPHRD_INFINIBAND: IP over InfiniBand */
    CE_NETIF_BRIDGE,
    CE_NETIF_TUN,        /* tun and tap devices: VPNs, virtual machines */
};

struct ce_netif {
    char name[CE_NETIF_NAME];
    unsigned index;             /* the kernel's ifindex */
    enum ce_netif_kind kind;
    bool up;                    /* administratively up and with carrier when the facts were taken */
    unsigned speed_mbps;        /* 0: unknown (down, or the driver does not tell) */
    bool default_route;         /* carries a default route, IPv4 or IPv6 */
    char master[CE_NETIF_NAME]; /* the bond or bridge it is a member of; "" */
    struct ce_prefix *addresses; /* address and prefix length, kernel's order */
    size_t address_count;
};

struct ce_node {
    char *host_name;             /* what the kernel calls this host; NULL: unknown */
    char *boot_id;               /* /proc/sys/kernel/random/boot_id; NULL: unknown */
    struct ce_netif *netifs;     /* by ifindex */
    size_t netif_count;
    bool gpu_count_known;
    unsigned gpu_count;
};

struct ce_node *ce_node_create(void);
void ce_node_destroy(struct ce_node *node);
CE_DEFINE_CLEANUP(struct ce_node, ce_node_destroy)

/* Append an interface; the pointer is valid until the next one.  NULL: no memory, too many, or the
 * name is there already. */
struct ce_netif *ce_node_add_netif(struct ce_node *node, const char *name);
/* 0, or -1 for no memory or too many. */
int ce_netif_add_address(struct ce_netif *netif, const struct ce_prefix *address);
/* NULL where there is none of that name. */
const struct ce_netif *ce_node_find_netif(const struct ce_node *node, const char *name);

/* Does one of its interfaces have this address? */
bool ce_node_owns(const struct ce_node *node, const struct ce_address *address);

/* The text form (model/record.h).  Reading is strict about values of known keys. */
void ce_node_write(const struct ce_node *node, struct ce_text *out);
struct ce_node *ce_node_parse(const char *text, struct ce_error *err);

/* The text name of a kind ("ethernet"). */
const char *ce_netif_kind_name(enum ce_netif_kind kind);

#endif

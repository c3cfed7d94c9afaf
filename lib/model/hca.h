/* SPDX-License-Identifier: Apache-2.0 */
/* One RDMA device as the kernel shows it: InfiniBand, RoCE or EFA, with its ports.  Every fact that
 * could not be read says so: "", 0 or an "unknown". */
#ifndef CE_MODEL_HCA_H
#define CE_MODEL_HCA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"
#include "model/address.h"
#include "model/counters.h"
#include "model/netif.h"
#include "model/pci.h"
#include "model/pkeys.h"
#include "model/record.h"

enum {
    CE_HCA_NAME = 64, /* IBV_SYSFS_NAME_MAX */
    CE_HCA_WORD = 64,
    CE_HCA_NETDEVS_MAX = 8,
    CE_HCA_PORTS_MAX = 8,
    CE_PORT_GIDS_MAX = 16,
    CE_GPUS_MAX = 64,
};

enum ce_link_layer { CE_LINK_UNKNOWN, CE_LINK_INFINIBAND, CE_LINK_ETHERNET };
enum ce_answer { CE_ANSWER_UNKNOWN, CE_ANSWER_NO, CE_ANSWER_YES };
enum ce_gid_type { CE_GID_UNKNOWN, CE_GID_IB, CE_GID_ROCE_V1, CE_GID_ROCE_V2 };

/* As the IBTA numbers them, sysfs' "4: ACTIVE". */
enum { CE_PORT_DOWN = 1, CE_PORT_INIT = 2, CE_PORT_ARMED = 3, CE_PORT_ACTIVE = 4 };
enum { CE_PHYS_POLLING = 2, CE_PHYS_DISABLED = 3, CE_PHYS_LINK_UP = 5 };

struct ce_gid {
    unsigned index;
    struct ce_address address; /* IPv4 where the GID is a mapped one */
    enum ce_gid_type type;
    char netdev[CE_NETIF_NAME]; /* "": none visible in this network namespace */
};

struct ce_hca_port {
    unsigned number;     /* from 1 */
    unsigned state;      /* CE_PORT_*; 0: unknown */
    unsigned phys_state; /* CE_PHYS_*; 0: unknown */
    unsigned
        rate_mbps;  /* 0: unknown.  Of a port that is down it means nothing: sysfs shows 40 Gb/s */
    unsigned width; /* lanes; 0: unknown */
    enum ce_link_layer link_layer;
    struct ce_gid
        gids[CE_PORT_GIDS_MAX]; /* those that are not empty, by index, the first of them */
    size_t gid_count;
    struct ce_counters counters; /* this and mtu: only of rails, and only where asked for */
    unsigned mtu;                /* of its network interface; 0: unknown */
    struct ce_pkeys pkeys;       /* of InfiniBand: up to the first with full membership; the same */
};

/* How the card is connected, and what it can at most, together with the slot above it. */
struct ce_pci_link {
    unsigned width, width_max;           /* lanes; 0: unknown */
    unsigned speed_mtps, speed_max_mtps; /* per lane, 10^6 transfers/s: 32000 is PCIe 5; 0: unknown */
};

struct ce_hca {
    char name[CE_HCA_NAME];     /* "mlx5_0" */
    unsigned node_type;         /* sysfs' "1: CA"; 0: unknown */
    char type[CE_HCA_WORD];     /* hca_type, "MT4129"; "" also where the driver has none */
    char board_id[CE_HCA_WORD]; /* PSID; "" on virtual functions */
    char firmware[CE_HCA_WORD];
    char driver[CE_HCA_WORD]; /* of the PCI device: "mlx5_core", "efa" */
    char role[CE_HCA_WORD];   /* the vital product data's SMDL, "SW_MNG"; needs root to read */
    struct ce_pci pci;
    bool virtual_function;
    enum ce_answer opens; /* libibverbs could open it (helpers/probe-verbs) */
    struct ce_pci_link link; /* this and uverbs: only of rails, and only where asked for */
    enum ce_answer uverbs;   /* there is a /dev/infiniband/uverbs* of it */
    char netdevs[CE_HCA_NETDEVS_MAX]
                [CE_NETIF_NAME]; /* its own, visible in this network namespace */
    size_t netdev_count;
    struct ce_hca_port *ports; /* by number */
    size_t port_count;
    enum ce_distance gpus[CE_GPUS_MAX]; /* to each GPU, as hwloc says (helpers/probe-topology) */
};

const char *
ce_link_layer_name(enum ce_link_layer link_layer); /* "infiniband", "ethernet", "unknown" */
/* 0, or -1 for another text. */
int ce_link_layer_parse(const char *text, enum ce_link_layer *ret);
const char *ce_hca_state_name(unsigned state);     /* "ACTIVE", ...; "unknown" */
const char *ce_hca_phys_name(unsigned phys_state); /* "LinkUp", ...; "unknown" */

void ce_hca_free(struct ce_hca *hca); /* what it holds, not itself */

/* It takes its place by number.  NULL: no memory, too many, or it is there already; valid until the
 * next one. */
struct ce_hca_port *ce_hca_add_port(struct ce_hca *hca, unsigned number);
bool ce_hca_has_netdev(const struct ce_hca *hca, const char *netdev);
/* Is any port ACTIVE? */
bool ce_hca_is_active(const struct ce_hca *hca);

/* The lines of one device, "ib.NAME.KEY" and "ib.NAME.PORT.KEY" (model/record.h).  `part` is the
 * name as it stands in keys. */
void ce_hca_write(const struct ce_hca *hca, struct ce_text *out);
int ce_hca_read(const struct ce_record *record, const char *part, struct ce_hca *ret,
                struct ce_error *err);

#endif

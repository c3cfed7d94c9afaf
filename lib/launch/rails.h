/* SPDX-License-Identifier: Apache-2.0 */
/* Which HCAs of this node are the rails, the links that NCCL should carry GPU traffic on, and which
 * are kept out; and why.  Pure.  Decided by the devices that are present, not by the state of the
 * moment: a port that is down at boot comes back, and all nodes must say the same.
 *
 * One class is taken: the ports of one link layer, one type of HCA and one board.  Which: the one
 * nearer to the GPUs where the PCI tree tells; then the one of the greatest total rate; then
 * InfiniBand before Ethernet; then the lower PCI address.  A rate that is not known (every port of
 * the class is down) counts as the fastest that is.  A card that carries the default route, or is
 * bonded, is management, unless all are.  A virtual function is no rail where its card could be one.
 * docs/machines.md has the machines this was judged by. */
#ifndef CE_LAUNCH_RAILS_H
#define CE_LAUNCH_RAILS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"
#include "model/node.h"

/* NCCL keeps at most 32; 2.18 keeps 16: the first that its list and its order of devices give. */
enum { CE_RAILS_MAX = 32, CE_RAIL_REASON = 128 };

/* One port of one HCA, and what was decided. */
struct ce_rail {
    const struct ce_hca *hca; /* points into the facts */
    const struct ce_hca_port *port;
    bool chosen;                 /* it is a rail */
    unsigned index;              /* chosen: its number, in PCI order, as NCCL counts them */
    char reason[CE_RAIL_REASON]; /* one phrase: "400 Gb/s InfiniBand, next to GPU 3" */
};

enum ce_rails_verdict {
    CE_RAILS_NONE,     /* there is no RDMA device */
    CE_RAILS_PROVIDER, /* the provider's own NCCL plugin decides (EFA, TCPX, gIB) */
    CE_RAILS_UNSURE,   /* the facts do not tell: nothing is written */
    CE_RAILS_ALL,      /* every port present is a rail: NCCL's own choice is right */
    CE_RAILS_CHOSEN,   /* some are kept out */
};

enum ce_confidence { CE_CONFIDENCE_LOW, CE_CONFIDENCE_MEDIUM, CE_CONFIDENCE_HIGH };

struct ce_rails {
    enum ce_rails_verdict verdict;
    enum ce_confidence confidence;
    char reason[2 * CE_RAIL_REASON]; /* of the whole decision, one phrase */
    struct ce_rail *ports;           /* every port of every HCA, in PCI order */
    size_t port_count;
    size_t count;                  /* rails: ports with `chosen` */
    size_t active;                 /* of them, ACTIVE when the facts were taken; where there are none
                                    * (provider, unsure): of what NCCL may use */
    enum ce_link_layer link_layer; /* of the rails; unknown where there are none */
    unsigned rate_mbps;            /* the greatest of the active rails; 0: none is active */
};

/* node may be NULL.  0; -1 for no memory.  Free with ce_rails_free(); it points into node. */
int ce_rails_choose(const struct ce_node *node, struct ce_rails *ret, struct ce_error *err);
void ce_rails_free(struct ce_rails *rails);

/* Is this interface that of a rail?  Those carry RDMA; sockets go elsewhere where they can. */
bool ce_rails_has_netdev(const struct ce_rails *rails, const char *netdev);

/* Are the rails RoCE with addresses of IPv6 only?  NCCL looks for IPv4 ones unless told. */
bool ce_rails_need_ipv6(const struct ce_rails *rails);

/* Append the first `limit` rails (0: all), "mlx5_1,mlx5_2"; with_port: "mlx5_1:1,mlx5_2:1", else
 * the port only where a device has several. */
void ce_rails_list(const struct ce_rails *rails, size_t limit, bool with_port, struct ce_text *out);

/* The value of NCCL_IB_HCA: "^=mlx5_0" where exactly one port is kept out, else "=a,b"; nothing
 * if nothing should be written.  limit as above: fewer than all are always written as a list.
 * NCCL 2.18 to 2.32 read it alike; of more than 16 rails 2.18 uses 16. */
void ce_rails_nccl(const struct ce_rails *rails, size_t limit, struct ce_text *out);

/* "none", "provider", "unsure", "all", "chosen"; "low", "medium", "high". */
const char *ce_rails_verdict_name(enum ce_rails_verdict verdict);
const char *ce_confidence_name(enum ce_confidence confidence);

#endif

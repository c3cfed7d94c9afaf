/* SPDX-License-Identifier: Apache-2.0 */
/* One end of a test connection: a port of a device, memory that may be written, a queue pair. */
#ifndef CE_HELPERS_RDMA_PORT_H
#define CE_HELPERS_RDMA_PORT_H

#include <infiniband/verbs.h>

#include "model/rdma_end.h"
#include "model/rdma_result.h"
#include "rdma_gpu.h"

/* Its memory: what comes in, what goes out, and a flag for the round trips, each apart.  Of a GPU's
 * memory it has the first two besides. */
enum {
    RDMA_MESSAGE = 65536,
    RDMA_OUT = RDMA_MESSAGE,
    RDMA_FLAG = 2 * RDMA_MESSAGE,
    RDMA_FLAG_OUT = RDMA_FLAG + 128,
    RDMA_MEMORY = RDMA_FLAG + 4096,
    RDMA_DEPTH = 32, /* writes on their way at once: 2 MiB, many times what a fast path holds */
};

struct rdma_place {
    const char *device;
    unsigned port, gid;
    const char *gpu; /* the PCI address of the one whose memory is used; NULL: the host's is */
};

struct rdma_port {
    struct rdma_place place;
    struct ibv_context *context;
    struct ibv_pd *pd;
    struct ibv_mr *mr;
    struct ibv_cq *cq;
    struct ibv_qp *qp;
    unsigned char *memory;
    struct rdma_gpu gpu;
    struct ce_rdma_end own, other;
    unsigned outstanding; /* writes without a completion yet */
};

/* ours: how many ports with the same GPU this process has opened already.  0; -1 with the result set.
 * Close it in both cases. */
int rdma_port_open(struct rdma_port *port, const struct rdma_place *place, unsigned ours,
                   struct ce_rdma_result *result);
void rdma_port_close(struct rdma_port *port);

/* Ready to write to, and be written by, that end. */
int rdma_port_connect(struct rdma_port *port, const struct ce_rdma_end *other,
                      struct ce_rdma_result *result);

/* 0 where it is ACTIVE; else -1 and what it is, "DOWN (Polling)MORE, expected ACTIVE". */
int rdma_port_check(const struct rdma_port *port, const char *more, struct ce_rdma_result *result);

/* How many bytes a packet of the connection carries. */
unsigned rdma_port_mtu(const struct rdma_port *port);

#endif

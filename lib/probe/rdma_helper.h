/* SPDX-License-Identifier: Apache-2.0 */
/* Testing one rail with helpers/bench-rdma, in a child with a deadline. */
#ifndef CE_PROBE_RDMA_HELPER_H
#define CE_PROBE_RDMA_HELPER_H

#include <stddef.h>
#include <stdint.h>

#include "model/rdma_result.h"

/* A port, and the index of the GID to use (0 on InfiniBand). */
struct ce_rdma_place {
    const struct ce_hca *hca;
    const struct ce_hca_port *port;
    unsigned gid;
    const char *gpu; /* the PCI address of the one whose memory is used; NULL: the host's is */
};

struct ce_rdma_test {
    const char *helpers;            /* the folder of the helpers */
    struct ce_rdma_place own, to;   /* to.hca NULL: the port to itself */
    const char *listen, *peer;      /* an address: the other node, which does the reverse; NULL */
    unsigned tcp_port;
    size_t rail, rails;             /* the number of this one, from 0; only with another node */
    unsigned time_ms;               /* of writing */
    unsigned wait_ms;               /* for the other node */
};

/* Sets all of *ret; returns at most wait_ms and ce_rdma_limit_ms() after the call, and 4 s. */
void ce_rdma_test_run(const struct ce_rdma_test *test, struct ce_rdma_result *ret);

/* Set what the result says of the port alone, as it does. */
void ce_rdma_test_name(const struct ce_rdma_test *test, struct ce_rdma_result *ret);

/* How long a test may take once both ends are known. */
unsigned ce_rdma_limit_ms(unsigned time_ms);

#endif

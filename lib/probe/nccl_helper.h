/* SPDX-License-Identifier: Apache-2.0 */
/* All-reduces over the GPUs of this node, or with other nodes over all of theirs: the helper
 * bench-nccl, in a child with a deadline. */
#ifndef CE_PROBE_NCCL_HELPER_H
#define CE_PROBE_NCCL_HELPER_H

#include <stdint.h>

#include "model/nccl_bench.h"

/* The variable that has the gang's token, which is on no command line: everybody can read those. */
#define CE_NCCL_TOKEN "CLUSTER_ENV_BENCH_TOKEN"

struct ce_nccl_test {
    const char *helpers; /* where the helper is */
    const char *library; /* path of NCCL; NULL: where the loader finds it */
    uint64_t bytes;      /* the greatest size */
    unsigned seconds;    /* the most that each size is measured */
    unsigned
        timeout_s; /* the most for all that comes before: driver, the other nodes, connecting */
};

/* This node's place in a gang; of one node address and port are not looked at. */
struct ce_nccl_place {
    const char *name; /* of this node */
    uint32_t nodes, node;
    const char *address, *port; /* of node 0 */
};

/* The most that the helper takes; then it is ended. */
unsigned ce_nccl_limit_ms(const struct ce_nccl_test *test);

/* Run it, and fill in what it found.  A helper that is not there, hangs, crashes or prints what is
 * no text is what the result says. */
void ce_nccl_test_run(const struct ce_nccl_test *test, const struct ce_nccl_place *place,
                      struct ce_nccl_node *ret);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes that make one all-reduce, and the TCP connections over which they arrange it: every
 * node to node 0.  Nothing here waits longer than to the gang's deadline.  Who cannot say the token
 * takes no part, and is told nothing.
 *
 * Where a function returns -1, err says why, and gang->others whether that is another node's
 * failure; gang_fail() hands it on, so that nobody waits for a node that has given up. */
#ifndef CE_HELPERS_NCCL_GANG_H
#define CE_HELPERS_NCCL_GANG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "nccl.h"

enum { GANG_TOKEN = 40 };

struct gang {
    const char *name;           /* of this node */
    const char *address, *port; /* of node 0 */
    char token[GANG_TOKEN];
    uint32_t nodes, node; /* how many, and which this is; of one alone nothing else is looked at */
    uint64_t meet_by, deadline; /* ce_clock_ns() */
    bool others;
    int listening; /* of node 0, where it does already; -1: from gang_meet() on */
    int *links; /* node 0: to each node; another: its first is to node 0; -1: none */
    uint64_t step;
};

/* What a node brings with it, and what it gets. */
struct gang_part {
    uint32_t gpus, version;
    const char *failed; /* why it can take no part; NULL: it can */
    nc_id id;           /* node 0's, then everybody's */
    uint32_t ranks;     /* GPUs of all nodes */
    uint32_t first;     /* rank of this node's first GPU */
};

/* Node 0 listens from now on, at a port that nobody else has.  0, and which it is; -1 with err. */
int gang_listen(struct gang *gang, uint32_t *port, struct ce_error *err);

/* Wait for all nodes.  0 where each of them takes part, with the same version of NCCL. */
int gang_meet(struct gang *gang, struct gang_part *part, struct ce_error *err);

/* Wait until all nodes are here; *ret is the greatest of their values. */
int gang_agree(struct gang *gang, uint64_t value, uint64_t *ret, struct ce_error *err);

/* Has another node given up?  Does not wait.  True: err says which. */
bool gang_is_broken(struct gang *gang, struct ce_error *err);

/* Tell the others why this node gives up. */
void gang_fail(struct gang *gang, const char *reason);

void gang_leave(struct gang *gang);

#endif

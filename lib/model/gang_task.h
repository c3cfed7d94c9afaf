/* SPDX-License-Identifier: Apache-2.0 */
/* What cluster-prolog tells helpers/preflight to do: the nodes of the job, in their order, and how. */
#ifndef CE_MODEL_GANG_TASK_H
#define CE_MODEL_GANG_TASK_H

#include "model/address.h"
#include "model/gang.h"
#include "model/hca.h"

enum { CE_GANG_WITNESSES = 8, CE_GANG_SOCKET = 108, CE_GANG_NAME = 64 };
enum { CE_GANG_DEADLINE_MIN_MS = 2000, CE_GANG_DEADLINE_MAX_MS = 60000 };

struct ce_gang_rail {
    char device[CE_HCA_NAME];
    uint32_t port, gid;
};

struct ce_gang_limits {
    uint32_t floor_mbps;    /* of each rail, or of the network; 0: none */
    uint32_t below_percent; /* of the median: as much less is named; 0: nothing is */
};

struct ce_gang_task {
    uint32_t job, self, count; /* this node, of so many */
    struct ce_address *addresses;
    struct ce_address witnesses[CE_GANG_WITNESSES]; /* other nodes of the cluster */
    uint32_t witness_count;
    uint32_t port_first, port_last, deadline_ms;
    bool out;                               /* only tell the others not to wait */
    char interface[CE_NETIF_NAME];          /* that has this node's address; "": none is known */
    char socket[CE_GANG_SOCKET];            /* munge's; "": the usual one */
    uint32_t nccl_mib;                      /* of an all-reduce over all GPUs of the job; 0: none is made */
    char name[CE_GANG_NAME];                /* of this node */
    struct ce_gang_limits limits;
    struct ce_gang_facts facts;             /* of this node */
    struct ce_gang_rail rails[CE_GANG_RAILS]; /* facts.measured of them */
};

void ce_gang_task_write(const struct ce_gang_task *task, struct ce_text *out);
/* 0; -1 with err.  Free with ce_gang_task_free(), also after a failure. */
int ce_gang_task_parse(const char *text, struct ce_gang_task *ret, struct ce_error *err);
void ce_gang_task_free(struct ce_gang_task *task);

#endif

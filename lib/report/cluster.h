/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of a step or job -> text, JSON, host files.  Computes nothing. */
#ifndef CE_REPORT_CLUSTER_H
#define CE_REPORT_CLUSTER_H

#include "base/error.h"
#include "base/text.h"
#include "launch/variables.h"

/* A few lines about the whole, then one per node in rank order: node rank, name, address. */
void ce_report_info_text(const struct ce_view *view, struct ce_text *out);

/* {"schema":1,"step":"12.0","rank":n|null,"world_size":n|null,"node_rank":n|null,"num_nodes":n,
 *  "primary":{"name":text|null,"address":text|null,"port"},
 *  "nodes":[{"node_rank":n|null,"name","address":text|null},...]}; the nodes are in rank order.
 * null: a batch script has no rank, and if its steps may order the nodes in another way, no primary and
 * no node ranks; the book has no address.  0, or -1 for no memory. */
int ce_report_info_json(const struct ce_view *view, struct ce_text *out);

enum ce_hostfile {
    CE_HOSTFILE_NAMES,     /* node1 */
    CE_HOSTFILE_ADDRESSES, /* 10.1.0.11 */
    CE_HOSTFILE_MPI,       /* node1 slots=8       Open MPI, PRRTE */
    CE_HOSTFILE_MPICH,     /* node1:8             MPICH, MVAPICH, Intel MPI */
    CE_HOSTFILE_DEEPSPEED, /* node1 slots=8 */
    CE_HOSTFILE_HOROVOD,   /* node1:8,node2:8     one line, for horovodrun -H */
};

#define CE_HOSTFILE_FORMATS "names, addresses, mpi, mpich, deepspeed, horovod"
int ce_hostfile_parse(const char *name, enum ce_hostfile *ret);

/* slots[i]: processes for the node of rank i.  0; -1 with err where a format of addresses wants one
 * that the book does not have. */
int ce_report_hostfile(const struct ce_view *view, enum ce_hostfile format, const uint32_t *slots,
                       struct ce_text *out, struct ce_error *err);

#endif

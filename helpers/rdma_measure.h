/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring a connection.  Each returns 0, or -1 with the result set: a write failed, nothing came
 * for RDMA_STALL_MS, or the deadline (ce_clock_ns()) is over. */
#ifndef CE_HELPERS_RDMA_MEASURE_H
#define CE_HELPERS_RDMA_MEASURE_H

#include "rdma_port.h"

enum { RDMA_STALL_MS = 3000 };

/* Write to the other end for that long, after a tenth of it to get going; sets write_mbps. */
int rdma_measure_write(struct rdma_port *port, unsigned time_ms, uint64_t deadline,
                       struct ce_rdma_result *result);

/* Flags to and fro, 1000 times or as often as that long allows; sets latency_ns to half the median of
 * the round trips.  `to` is the other end where it is this process's, too; NULL: another node, which
 * answers at the same time. */
int rdma_measure_latency(struct rdma_port *port, struct rdma_port *to, unsigned time_ms,
                         uint64_t deadline, struct ce_rdma_result *result);
int rdma_answer_latency(struct rdma_port *port, uint64_t deadline, struct ce_rdma_result *result);

#endif

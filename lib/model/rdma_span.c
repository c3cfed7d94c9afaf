/* SPDX-License-Identifier: Apache-2.0 */
#include "model/rdma_span.h"

void ce_rdma_span_add(struct ce_rdma_span *span, uint64_t now, uint64_t count)
{
    if (count == 0)
        return;
    if (!span->first || now == span->first) {
        span->first = span->last = now;
        span->at_first += count;
        return;
    }
    span->last = now;
    span->then += count;
}

bool ce_rdma_span_is_known(const struct ce_rdma_span *span)
{
    return span->then > 0;
}

uint64_t ce_rdma_span_mbps(const struct ce_rdma_span *span, uint64_t bytes)
{
    uint64_t writes = span->then ? span->then : span->at_first,
             ns = span->then ? span->last - span->first : span->first - span->begin;
    if (writes == 0)
        return 0;
    double mbps = (double)writes * (double)bytes * 8 * 1000 / (ns > 0 ? (double)ns : 1);
    return mbps < 1 ? 1 : (uint64_t)(mbps + 0.5);
}

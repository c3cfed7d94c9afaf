/* SPDX-License-Identifier: Apache-2.0 */
/* How fast RDMA writes end, from the moments at which somebody looked.  What had ended when the first ones
 * were seen is not counted: it was on its way for longer than anybody knows, and on a busy machine several
 * are seen at once. */
#ifndef CE_MODEL_RDMA_SPAN_H
#define CE_MODEL_RDMA_SPAN_H

#include <stdbool.h>
#include <stdint.h>

struct ce_rdma_span {
    uint64_t begin;         /* ns: the first write was handed over */
    uint64_t first, last;   /* ns: when some had ended; 0: none has */
    uint64_t at_first, then; /* writes that had ended by `first`; and after it */
};

/* That many more have ended by now. */
void ce_rdma_span_add(struct ce_rdma_span *span, uint64_t now, uint64_t count);
/* There are two moments to count between. */
bool ce_rdma_span_is_known(const struct ce_rdma_span *span);
/* Mb/s, of writes of so many bytes, at least 1; of one moment alone what is sure; 0: none has ended. */
uint64_t ce_rdma_span_mbps(const struct ce_rdma_span *span, uint64_t bytes);

#endif

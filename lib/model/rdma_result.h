/* SPDX-License-Identifier: Apache-2.0 */
/* What became of the test of one rail (helpers/bench-rdma): the figures, or why there are none.  Its
 * text form is what the helper prints (model/record.h). */
#ifndef CE_MODEL_RDMA_RESULT_H
#define CE_MODEL_RDMA_RESULT_H

#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "model/finding.h"
#include "model/hca.h"

enum { CE_RDMA_WORD = 64 };

enum ce_rdma_outcome {
    CE_RDMA_DONE,
    CE_RDMA_PORT,    /* the port is not ACTIVE, or ceased to be */
    CE_RDMA_WRITE,   /* a write failed, or did not end */
    CE_RDMA_PEER,    /* the other node failed, fell silent, or said what is not understood */
    CE_RDMA_ALONE,   /* there was no other node */
    CE_RDMA_MEMLOCK, /* this process may not lock the memory that it needs */
    CE_RDMA_DEVICE,  /* the device cannot be used at all */
    CE_RDMA_NO_GPU,  /* there is no GPU for it here, or it is somebody else's */
    CE_RDMA_GPU,     /* there is, and its memory cannot be used */
};

struct ce_rdma_result {
    char subject[CE_SUBJECT]; /* "mlx5_1/1"; not part of the text */
    unsigned rate_mbps;       /* of the port, by the facts; not part of the text either */
    enum ce_link_layer link_layer; /* nor this */
    char gpu[CE_PCI_ADDRESS]; /* whose memory is written from and to; "": the host's; nor this */
    enum ce_rdma_outcome outcome;
    char text[CE_FINDING_TEXT]; /* what went wrong; "" where it is done */
    uint64_t write_mbps;        /* all these only where it is done */
    uint64_t latency_ns;        /* half of a round trip, the median */
    unsigned mtu;               /* bytes of a packet */
    char gpu_name[CE_RDMA_WORD], gpu_way[CE_RDMA_WORD]; /* "dma-buf", "peermem"; "": host memory */
};

/* Returns -1, so that a failure is one statement. */
int ce_rdma_fail(struct ce_rdma_result *result, enum ce_rdma_outcome outcome, const char *format,
                 ...) __attribute__((format(printf, 3, 4)));

/* "done", "port", ...: as the JSON has it. */
const char *ce_rdma_outcome_name(enum ce_rdma_outcome outcome);

void ce_rdma_result_write(const struct ce_rdma_result *result, struct ce_text *out);
/* Sets what is part of the text.  0; -1 with err. */
int ce_rdma_result_parse(const char *text, struct ce_rdma_result *ret, struct ce_error *err);

#endif

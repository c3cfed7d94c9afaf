/* SPDX-License-Identifier: Apache-2.0 */
/* What the user asked for: the value of --cluster-env. */
#ifndef CE_MODEL_REQUEST_H
#define CE_MODEL_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum ce_rdma {
    CE_RDMA_AUTO,
    CE_RDMA_OFF,     /* NCCL must not use RDMA */
    CE_RDMA_REQUIRE, /* a step without a usable rail must not run */
};

struct ce_request {
    bool on;
    bool torchrun;  /* write PET_* where a step has one task per node */
    bool verbose;   /* every node says what it found, not only rank 0 */
    uint32_t port;  /* 0: from the window */
    enum ce_rdma rdma;
};

/* "item[,item...]" with the items on, off, port=N, rdma=auto|off|require,
 * torchrun=on|off, verbose; a later item wins.
 * NULL, "" and "(null)" (what Slurm hands on for a bare option, depending on the path) mean "on".
 * Any item but off means on.  0; -1 with err naming the bad item and the valid ones. */
int ce_request_parse(const char *text, struct ce_request *ret, struct ce_error *err);

/* The text that ce_request_parse() makes the same request of.  Returns buf. */
enum { CE_REQUEST_TEXT = 64 };
const char *ce_request_format(const struct ce_request *request, char buf[CE_REQUEST_TEXT]);

/* The valid items for usage texts: "on, off, port=N, ...". */
#define CE_REQUEST_ITEMS "on, off, port=N (1-65535), rdma=auto|off|require, torchrun=on|off, verbose"

#endif

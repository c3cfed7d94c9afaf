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
    bool gang;           /* a task that fails ends the whole step */
    bool primary_output; /* only rank 0 writes to the job's output, the others to files */
    uint32_t retries;    /* how often a batch job that failed is requeued */
};
enum { CE_RETRIES_MAX = 1000 };

/* "item[,item...]" with the items on, off, port=N, rdma=auto|off|require,
 * torchrun=on|off, output=all|primary, gang, retries=N, verbose; a later item wins.
 * NULL, "" and "(null)" (what Slurm hands on for a bare option, depending on the path) mean "on".
 * Any item but off means on.  0; -1 with err naming the bad item and the valid ones. */
int ce_request_parse(const char *text, struct ce_request *ret, struct ce_error *err);

/* The text that ce_request_parse() makes the same request of.  Returns buf. */
enum { CE_REQUEST_TEXT = 128 };
const char *ce_request_format(const struct ce_request *request, char buf[CE_REQUEST_TEXT]);

/* What jobs and steps started from inside inherit of it: neither retries nor output=primary, which are
 * of the one job or step that they were given for. */
struct ce_request ce_request_inherited(const struct ce_request *request);

/* The valid items for usage texts: "on, off, port=N, ...". */
#define CE_REQUEST_ITEMS "on, off, port=N (1-65535), rdma=auto|off|require, torchrun=on|off, output=all|primary, gang, retries=N (0-1000), verbose"

#endif

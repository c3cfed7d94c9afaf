/* SPDX-License-Identifier: Apache-2.0 */
/* What two nodes that test a rail with each other (helpers/bench-rdma) say over TCP, in the line form
 * of model/record.h.  First each its own end of the connection, then a word after each step, so that
 * they go on together and one that fails says so to the other. */
#ifndef CE_MODEL_RDMA_END_H
#define CE_MODEL_RDMA_END_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "model/finding.h"
#include "model/hca.h"

enum { CE_RDMA_TEXT_MAX = 4096, CE_RDMA_GID = 16, CE_RDMA_MTU_MAX = 5 };

struct ce_rdma_end {
    uint32_t rail, rails;       /* the number of the rail, from 0, and how many there are */
    char failed[CE_FINDING_TEXT]; /* why there is no such end; "": what follows holds */
    enum ce_link_layer link_layer;
    uint32_t lid, queue_pair, packet, mtu; /* mtu: as verbs counts, 1 for 256 to 5 for 4096 bytes */
    unsigned char gid[CE_RDMA_GID];
    uint64_t address; /* of the memory that may be written, with its key and size */
    uint32_t key, room;
    bool gpu;             /* the writes go to a GPU's memory instead: */
    uint64_t gpu_address; /* of as much as a write has, with its key */
    uint32_t gpu_key;
};

void ce_rdma_end_write(const struct ce_rdma_end *end, struct ce_text *out);
int ce_rdma_end_parse(const char *text, struct ce_rdma_end *ret, struct ce_error *err);

struct ce_rdma_step {
    uint32_t step;
    char failed[CE_FINDING_TEXT];
};

void ce_rdma_step_write(const struct ce_rdma_step *step, struct ce_text *out);
int ce_rdma_step_parse(const char *text, struct ce_rdma_step *ret, struct ce_error *err);

#endif

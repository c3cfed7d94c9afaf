/* SPDX-License-Identifier: Apache-2.0 */
/* The all-reduce that the nodes of a job make together before it starts (preflight.mode "nccl"):
 * who can take part, what the first node arranged, and what this node saw of it. */
#ifndef CE_MODEL_GANG_NCCL_H
#define CE_MODEL_GANG_NCCL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "model/nccl_bench.h"
#include "model/record.h"

enum { CE_GANG_NCCL_WHY = 96, CE_GANG_NCCL_TOKEN = 33 /* 32 hexadecimal digits */ };

/* Can this node take part? */
enum ce_gang_nccl_ready {
    CE_GANG_NCCL_OFF,       /* it is not asked to */
    CE_GANG_NCCL_PREPARING, /* not known yet */
    CE_GANG_NCCL_READY,
    CE_GANG_NCCL_CANNOT, /* no library, no GPU, one in use; `why` tells */
    CE_GANG_NCCL_UNSURE, /* it could not be found out */
};

/* What a node tells the first one, in its view. */
struct ce_gang_nccl_part {
    enum ce_gang_nccl_ready ready;
    char why[CE_GANG_NCCL_WHY];
    uint32_t port; /* of the first node: where the others meet it */
};

enum ce_gang_nccl_plan {
    CE_GANG_NCCL_NONE, /* the first node arranged nothing */
    CE_GANG_NCCL_GO,
    CE_GANG_NCCL_SKIP, /* it does not apply; `why` tells, of `node` where that is named */
    CE_GANG_NCCL_NOT_KNOWN,
};

/* What the first node tells all, in the verdict. */
struct ce_gang_nccl_word {
    enum ce_gang_nccl_plan plan;
    bool named;
    uint32_t node;
    char why[CE_GANG_NCCL_WHY];
    uint32_t port, left_ms;         /* go: where they meet, how long it may take */
    char token[CE_GANG_NCCL_TOKEN]; /* go: by which they know each other */
};

/* How an all-reduce ended on this node. */
struct ce_gang_nccl_end {
    enum ce_nccl_outcome outcome;
    enum ce_nccl_stage at;
    char reason[CE_NCCL_REASON];
    bool hardware;  /* failed: a GPU of this node, by the driver's own word */
    uint64_t wrong; /* sums */
};

/* What this node saw. */
struct ce_gang_nccl {
    bool ran, repeated; /* with the others; then by this node alone */
    struct ce_gang_nccl_end together, alone;
    char gpu[CE_GPU_WORD]; /* the model; "": not known, or several */
    uint32_t gpus, ranks;  /* of this node, of all */
    uint64_t bytes, ns;    /* of the all-reduce; 0: none was made */
    struct ce_nccl_log log;
};

/* Lines of a record, without its begin and end: none where it is off, nothing was arranged, it did
 * not run. Reading is strict: 0; -1 with err. */
void ce_gang_nccl_part_write(const struct ce_gang_nccl_part *part, struct ce_text *out);
int ce_gang_nccl_part_read(const struct ce_record *record, struct ce_gang_nccl_part *ret,
                           struct ce_error *err);
/* `count`: of the job's nodes. */
void ce_gang_nccl_word_write(const struct ce_gang_nccl_word *word, struct ce_text *out);
int ce_gang_nccl_word_read(const struct ce_record *record, uint32_t count,
                           struct ce_gang_nccl_word *ret, struct ce_error *err);
void ce_gang_nccl_write(const struct ce_gang_nccl *nccl, struct ce_text *out);
int ce_gang_nccl_read(const struct ce_record *record, struct ce_gang_nccl *ret,
                      struct ce_error *err);

#endif

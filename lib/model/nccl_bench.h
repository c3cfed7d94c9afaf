/* SPDX-License-Identifier: Apache-2.0 */
/* What one node saw of an all-reduce over its GPUs, or over those of a gang of nodes: what
 * helpers/bench-nccl prints, and what a node hands to the one that started the test. */
#ifndef CE_MODEL_NCCL_BENCH_H
#define CE_MODEL_NCCL_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "model/gpu_state.h"
#include "model/hostlist.h"
#include "model/nccl_log.h"

/* How far it came; in this order. */
enum ce_nccl_stage {
    CE_NCCL_START,   /* libraries, GPUs that nobody else computes on, memory */
    CE_NCCL_MEET,    /* the nodes of the gang find one another */
    CE_NCCL_INIT,    /* NCCL connects the GPUs */
    CE_NCCL_MEASURE, /* all-reduces, and their sums */
    CE_NCCL_STAGES
};

enum ce_nccl_outcome {
    CE_NCCL_SILENT,  /* no word came of it */
    CE_NCCL_DONE,    /* the sizes are there */
    CE_NCCL_SKIPPED, /* it does not apply here, or must not be; the reason says why */
    CE_NCCL_FAILED,  /* something on this node, or NCCL there, did not do it */
    CE_NCCL_OTHERS,  /* another node of the gang did not do it */
    CE_NCCL_LATE,    /* its time was over */
};

enum {
    CE_NCCL_SIZES_MAX = 16,
    CE_NCCL_LEAST = 1 << 20, /* bytes; each size is CE_NCCL_STEP times the one before */
    CE_NCCL_STEP = 4,
    CE_NCCL_REASON = 160,
    CE_NCCL_NODES_MAX = CE_HOSTLIST_MAX,
    CE_NCCL_GPUS_MAX = 64,
};

/* All-reduces of one size. */
struct ce_nccl_size {
    uint64_t bytes;
    uint64_t ns;    /* that one took, on this node */
    uint64_t wrong; /* elements that were not the sum, of those that were looked at */
};

struct ce_nccl_node {
    char name[CE_HOSTNAME_MAX + 1];
    char gpu[CE_GPU_WORD]; /* the model; "": not known, or several */
    uint32_t gpus, ranks;  /* of the node, of the whole gang */
    uint32_t version;      /* of NCCL, as it counts: 22809 */
    enum ce_nccl_stage at;
    enum ce_nccl_outcome outcome;
    char reason[CE_NCCL_REASON];
    uint32_t hardware; /* 1: what failed is a GPU of this node, by the driver's own word */
    struct ce_nccl_size sizes[CE_NCCL_SIZES_MAX]; /* smallest first */
    unsigned size_count;
    uint32_t rails;             /* that NCCL should use for other nodes; 0: none are known */
    char asked[CE_NCCL_REASON]; /* the setting by which NCCL leaves them alone; "": there is none */
    struct ce_nccl_log log;
};

/* What was measured over so many nodes. */
struct ce_nccl_run {
    uint32_t nodes;
    bool alone;                   /* each by itself, all at once; else as a gang */
    struct ce_nccl_node *parts;   /* one of each node */
    char not_run[CE_NCCL_REASON]; /* why it was not; "": it was */
};

/* Of the largest size that all parts have; of one alone parts is its address and count 1.  0: there
 * is none. */
uint64_t ce_nccl_largest(const struct ce_nccl_node *parts, size_t count);
/* The bus bandwidth with messages of this size, in MB/s: that of the slowest part.  0: not
 * measured. */
uint64_t ce_nccl_rate(const struct ce_nccl_node *parts, size_t count, uint64_t bytes);

/* "start", "meet", "init", "measure". */
const char *ce_nccl_stage_name(enum ce_nccl_stage stage);
/* "silent", "done", "skipped", "failed", "others", "late". */
const char *ce_nccl_outcome_name(enum ce_nccl_outcome outcome);

/* "2.28.9", of 22809; "2.4.8", of 2408. */
enum { CE_NCCL_VERSION_TEXT = 24 };
const char *ce_nccl_version_text(uint32_t version, char text[CE_NCCL_VERSION_TEXT]);

/* A text of one line without control characters. */
void ce_nccl_node_end(struct ce_nccl_node *node, enum ce_nccl_outcome outcome, const char *reason,
                      ...) __attribute__((format(printf, 3, 4)));

/* The whole text. */
void ce_nccl_node_write(const struct ce_nccl_node *node, struct ce_text *out);
/* 0; -1 with err.  A stage or outcome that is not known is an error; a text that is longer is cut. */
int ce_nccl_node_read(const char *text, struct ce_nccl_node *ret, struct ce_error *err);

/* What helpers/bench-nccl prints while it runs: lines that begin with "nccl.", between those of
 * NCCL's log.  Each is written when it is known, so that nothing is lost where it is ended. */
void ce_nccl_say_stage(enum ce_nccl_stage stage, struct ce_text *out);
/* It waits for the word to begin; `port`: of the first node, where the others meet it, else 0. */
void ce_nccl_say_ready(uint32_t port, struct ce_text *out);
void ce_nccl_say_gpus(const struct ce_nccl_node *node, struct ce_text *out);
void ce_nccl_say_size(const struct ce_nccl_node *node, struct ce_text *out); /* the last one */
void ce_nccl_say_end(const struct ce_nccl_node *node, struct ce_text *out);
/* Has it said that it is ready?  The last whole line counts. */
bool ce_nccl_output_is_ready(const char *output, uint32_t *port);
/* Read them, up to the last whole line.  0; -1 with err. */
int ce_nccl_output_read(const char *output, struct ce_nccl_node *ret, struct ce_error *err);

/* How long one size may take, where it is measured for so many seconds at most. */
static inline unsigned ce_nccl_size_ms(unsigned seconds)
{
    return 2000 + 2000 * seconds;
}
/* How many sizes there are up to this one. */
unsigned ce_nccl_size_count(uint64_t bytes);

/* Bytes that each of the ranks sends and gets in a second of an all-reduce, divided by what the
 * algorithm cannot avoid: MB/s (10^6), at least 1.  0 for one rank, or where no time passed. */
uint64_t ce_nccl_bus_mbytes(uint64_t bytes, uint64_t ns, uint32_t ranks);

#endif

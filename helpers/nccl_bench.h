/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of bench-nccl share: the libraries, this node's GPUs, its gang, and what it found. */
#ifndef CE_HELPERS_NCCL_BENCH_H
#define CE_HELPERS_NCCL_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "cuda.h"
#include "model/nccl_bench.h"
#include "nccl.h"
#include "nccl_gang.h"
#include "nvml.h"

struct nccl_gpu {
    cu_device device;
    cu_context context;
    cu_stream stream;
    cu_pointer from, to;
    nc_comm comm;
};

struct nccl_bench {
    struct cuda cuda;
    struct nvml nvml;
    struct nccl nccl;
    struct nccl_gpu gpus[CE_NCCL_GPUS_MAX];
    struct gang gang;
    struct gang_part part;
    const char *library; /* path of NCCL; NULL: where the loader finds it */
    uint64_t bytes;      /* the greatest size; less where memory is short */
    uint64_t least;      /* sizes are quarters of it for as long as they are not less */
    bool waits;          /* for the word of who started it, before it meets the others */
    unsigned seconds;    /* the most that each size takes */
    struct ce_nccl_node result;
};

/* The test has failed, and the result says so: 0, or -1 and the rest is not to be done.  A result
 * that has an outcome already keeps it: what came first is the cause. */
int nccl_bench_cuda(struct nccl_bench *bench, cu_result code, const char *what);
int nccl_bench_nccl(struct nccl_bench *bench, nc_result code, const char *what);
int nccl_bench_fail(struct nccl_bench *bench, enum ce_nccl_outcome outcome, const char *reason);

/* Load the libraries and get hold of every GPU that CUDA shows, none of which anybody else computes
 * on.  0; -1, the result says why. */
int nccl_gpus_open(struct nccl_bench *bench);
/* Two places of bench->bytes on each, the first with what its rank adds; bench->bytes is what fits. */
int nccl_gpus_room(struct nccl_bench *bench);
int nccl_gpus_fill(struct nccl_bench *bench);
void nccl_gpus_close(struct nccl_bench *bench);

/* Say that it can begin, and wait for the word to.  0: there it is; -1: there is none, or the result
 * says why it cannot. */
int nccl_await_word(struct nccl_bench *bench);

/* Connect the ranks; all-reduces of all sizes, each told as soon as it is measured. */
int nccl_measure(struct nccl_bench *bench);

/* What rank r adds at place i is (i * 31 + r * 17) % NCCL_PERIOD: other neighbours and other ranks
 * have other numbers, and sums of 67,000 ranks are whole numbers that a float holds. */
enum { NCCL_PERIOD = 251, NCCL_PIECE = NCCL_PERIOD * 4096 };
static inline float nccl_addend(uint64_t place, uint32_t rank)
{
    return (float)((place * 31 + (uint64_t)rank * 17) % NCCL_PERIOD);
}

/* A line of what is printed, at once. */
void nccl_say(const struct ce_text *text);

#endif

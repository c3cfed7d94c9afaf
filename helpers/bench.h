/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of bench-gpu share: the GPU under test, and its tests.  Each test leaves its end
 * and its numbers in bench->result, and releases what it took. */
#ifndef CE_HELPERS_BENCH_H
#define CE_HELPERS_BENCH_H

#include <stdbool.h>

#include "cuda.h"
#include "gpu_taken.h"
#include "model/gpu_bench.h"
#include "nvml.h"

struct bench {
    struct cuda cuda;
    struct nvml nvml;
    nv_device nv;
    cu_device device;
    cu_context context;
    unsigned seconds;       /* the most that a test may measure */
    unsigned share;         /* per cent of the free memory that are tested */
    const char *const *peers; /* PCI addresses */
    unsigned peer_count;
    struct ce_gpu_bench result;
};

void bench_copies(struct bench *bench, enum ce_gpu_test test); /* H2D, D2H, D2D */
void bench_peers(struct bench *bench);
void bench_memory(struct bench *bench);
void bench_load(struct bench *bench);

/* CU_OK, or the test has failed: while doing this, with CUDA's error. */
bool bench_did(struct bench *bench, enum ce_gpu_test test, cu_result code, const char *what);

/* Seconds of a clock that only goes on. */
double bench_now(void);

/* The kernels of gpu_kernels.c. */
extern const char bench_kernels[];

#endif

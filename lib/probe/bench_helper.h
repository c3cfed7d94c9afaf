/* SPDX-License-Identifier: Apache-2.0 */
/* Testing GPUs by using them: the helper bench-gpu, one process for each GPU, in children with
 * deadlines. */
#ifndef CE_PROBE_BENCH_HELPER_H
#define CE_PROBE_BENCH_HELPER_H

#include <stddef.h>

#include "model/gpu_bench.h"

struct ce_bench_helper {
    const char *dir;   /* where it is */
    unsigned tests;    /* 1 << CE_TEST_..., of all GPUs */
    unsigned seconds;  /* the most that each test measures */
    unsigned share;    /* per cent of the free memory that are tested */
    unsigned start_ms; /* the most that a driver may need besides: to start, to end */
};

/* Run the tests on the GPUs of these addresses (ce_gpu_bench_init), and fill in what they measured.
 * Copies are measured on one GPU after the other, since they may share links; memory and load on all
 * at once, which is also what heats a node.  A helper that is not there, hangs, crashes or prints
 * what is no text is the end of the test that it was at; what it measured before is kept, and its
 * GPU is left alone from then on. */
void ce_bench_gpus(const struct ce_bench_helper *helper, struct ce_gpu_bench *gpus, size_t count);

#endif

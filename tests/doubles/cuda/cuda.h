/* SPDX-License-Identifier: Apache-2.0 */
/* A GPU of the double: cuda.c has what a driver does with it, kernels.c what runs on it. */
#ifndef CE_TESTS_CUDA_DOUBLE_H
#define CE_TESTS_CUDA_DOUBLE_H

#include <stddef.h>

typedef unsigned int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;

enum { SUCCESS, INVALID_VALUE, OUT_OF_MEMORY, ILLEGAL_ADDRESS = 700 };
enum { GPUS = 16, PIECES = 8192 };

struct gpu {
    int index, retained;
    int enabled[GPUS];
    char *arena; /* its memory */
    size_t total, free;
    struct {
        size_t at, size;
    } pieces[PIECES];
    int piece_count;
    double clock; /* ms of work done */
    CUresult broken; /* an error that stays */
};

extern struct gpu *current; /* whose context is set */
extern int kept;            /* things that are not released yet */

/* What the scenario says of a GPU: the text, NULL for none; a number above 0. */
const char *of_gpu(const struct gpu *gpu, const char *key);
double number_of(const struct gpu *gpu, const char *key, double otherwise);

/* Errors, delays and hangs happen here. */
CUresult do_on(struct gpu *gpu, const char *key);

/* The host's view of GPU memory; NULL: not all of it is one allocation. */
char *view(struct gpu *gpu, CUdeviceptr pointer, size_t size);

#endif

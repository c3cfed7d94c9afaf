/* SPDX-License-Identifier: Apache-2.0 */
/* What runs on a GPU of the double. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda.h"

enum { INVALID_IMAGE = 200, NOT_FOUND = 500 };

/* As gpu_kernels.c says that they are: what they compute is written here again. */
static char fill_kernel, check_kernel, fma_kernel;

CUresult cuModuleLoadData(char **module, const void *image)
{
    CUresult code = do_on(current, "module");
    if (code == SUCCESS && strncmp(image, ".version", 8) != 0)
        code = INVALID_IMAGE;
    if (code == SUCCESS) {
        *module = strdup(image);
        kept++;
    }
    return code;
}

CUresult cuModuleUnload(char *module)
{
    free(module);
    kept--;
    return SUCCESS;
}

CUresult cuModuleGetFunction(char **function, const char *module, const char *name)
{
    char entry[64];
    snprintf(entry, sizeof entry, ".entry %s(", name);
    if (!strstr(module, entry))
        return NOT_FOUND;
    *function = strcmp(name, "fill") == 0 ? &fill_kernel
                : strcmp(name, "check") == 0 ? &check_kernel : &fma_kernel;
    return SUCCESS;
}

static uint64_t value_of(uint64_t n, uint64_t invert, unsigned random)
{
    uint64_t z = (n + 1) * 0x9E3779B97F4A7C15u;
    if (!random)
        return (UINT64_C(1) << n % 64) ^ invert;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (z ^ z >> 31) ^ invert;
}

/* `stuck=OFFSET:BIT`: this bit of the memory is 1 whatever is written. */
static void plant(struct gpu *gpu, const char *words, uint64_t count)
{
    const char *value = of_gpu(gpu, "stuck");
    unsigned long long offset, bit;
    if (!value || sscanf(value, "%llx:%llu", &offset, &bit) != 2)
        return;
    char *at = gpu->arena + offset / 8 * 8;
    if (at >= words && at < words + count * 8)
        *(uint64_t *)at |= UINT64_C(1) << bit;
}

static CUresult run_fill(struct gpu *gpu, void **p)
{
    uint64_t count = *(uint64_t *)p[1], start = *(uint64_t *)p[2], invert = *(uint64_t *)p[3];
    unsigned random = *(unsigned *)p[4];
    uint64_t *words = (uint64_t *)view(gpu, *(CUdeviceptr *)p[0], count * 8);
    for (uint64_t i = 0; words && i < count; i++)
        words[i] = value_of(start + i, invert, random);
    if (words)
        plant(gpu, (char *)words, count);
    return words ? SUCCESS : ILLEGAL_ADDRESS;
}

static CUresult run_check(struct gpu *gpu, void **p)
{
    uint64_t count = *(uint64_t *)p[1], start = *(uint64_t *)p[2], invert = *(uint64_t *)p[3];
    unsigned random = *(unsigned *)p[4];
    CUdeviceptr base = *(CUdeviceptr *)p[0];
    uint64_t *words = (uint64_t *)view(gpu, base, count * 8);
    uint64_t *report = (uint64_t *)view(gpu, *(CUdeviceptr *)p[5], (2 + 3 * 8) * 8);
    for (uint64_t i = 0; words && report && i < count; i++) {
        uint64_t expected = value_of(start + i, invert, random), at = report[0];
        if (words[i] == expected)
            continue;
        report[0]++;
        report[1] |= words[i] ^ expected;
        if (at < 8) {
            report[2 + 3 * at] = base + i * 8;
            report[3 + 3 * at] = expected;
            report[4 + 3 * at] = words[i];
        }
    }
    return words && report ? SUCCESS : ILLEGAL_ADDRESS;
}

static CUresult run_fma(struct gpu *gpu, void **p)
{
    uint64_t *wrong = (uint64_t *)view(gpu, *(CUdeviceptr *)p[0], 8);
    unsigned rounds = *(unsigned *)p[1], all = 0;
    for (int chain = 0; chain < 8; chain++) {
        union {
            float f;
            unsigned bits;
        } x = {.f = (float)(chain + 2) / 16};
        for (unsigned i = 0; i < rounds; i++)
            x.f = 3.984375F * fmaf(-x.f, x.f, x.f);
        all ^= x.bits;
    }
    if (!wrong)
        return ILLEGAL_ADDRESS;
    gpu->clock += number_of(gpu, "fma.ms", 10);
    *wrong += all == *(unsigned *)p[2] ? (uint64_t)number_of(gpu, "miscount", 0) : 1;
    return SUCCESS;
}

CUresult cuLaunchKernel(char *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, void *stream, void **parameters,
                        void **extra)
{
    const char *name = function == &fill_kernel    ? "fill"
                       : function == &check_kernel ? "check" : "fma";
    CUresult code = do_on(current, name);
    if (code != SUCCESS)
        return code;
    if (!gx || gy != 1 || gz != 1 || !bx || bx > 1024 || by != 1 || bz != 1 || shared || stream || extra)
        return INVALID_VALUE;
    return function == &fill_kernel    ? run_fill(current, parameters)
           : function == &check_kernel ? run_check(current, parameters)
                                       : run_fma(current, parameters);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* All multiprocessors compute at once, for the seconds of a test: how much, at which clock, with
 * which power; and whether each thread has the result that the host has.  Each of a thread's chains
 * is a logistic map: chaotic, so that one wrong bit does not die out, and bits change like noise. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"

enum { ROUNDS = 32768, CHAINS = 8, THREADS = 256, GROUPS = 8, OPERATIONS = 4 /* two FMAs */ };
enum { CLOCK_OF_MULTIPROCESSORS = 1 }; /* NVML_CLOCK_SM */

struct load {
    struct bench *bench;
    cu_module module;
    cu_function function;
    cu_pointer wrong;
    unsigned groups;
    uint32_t expected;
    uint64_t launches;
    cu_event begin, end;
    double ms; /* of the GPU's own time, whatever the host was busy with */
    uint64_t clock, power; /* the highest seen; CE_NOT_MEASURED */
};

static bool did(const struct load *load, cu_result code, const char *what)
{
    return bench_did(load->bench, CE_TEST_LOAD, code, what);
}

/* The same operations in the same order, rounded alike (IEEE 754): the same bits. */
static uint32_t compute_on_host(void)
{
    uint32_t all = 0;
    for (int chain = 0; chain < CHAINS; chain++) {
        float x = 0.125F + (float)chain * 0.0625F;
        uint32_t bits;
        for (int i = 0; i < ROUNDS; i++)
            x = fmaf(fmaf(-x, x, x), 3.984375F, 0.0F);
        memcpy(&bits, &x, sizeof bits);
        all ^= bits;
    }
    return all;
}

static bool prepare(struct load *load)
{
    const struct bench *bench = load->bench;
    const struct cuda *cuda = &bench->cuda;
    int processors = 1;
    if (!did(load, cuda->load(&load->module, bench_kernels), "compiling the kernels") ||
        !did(load, cuda->function(&load->function, load->module, "fma"), "finding fma") ||
        !did(load, cuda->attribute(&processors, CU_MULTIPROCESSORS, bench->device),
             "asking for multiprocessors") ||
        !did(load, cuda->alloc(&load->wrong, sizeof(uint64_t)), "taking GPU memory") ||
        !did(load, cuda->clear(load->wrong, 0, sizeof(uint64_t)), "clearing"))
        return false;
    if (!did(load, cuda->new_event(&load->begin, 0), "making events") ||
        !did(load, cuda->new_event(&load->end, 0), "making events"))
        return false;
    load->groups = (unsigned)processors * GROUPS;
    load->expected = compute_on_host();
    return true;
}

static cu_result launch(struct load *load)
{
    uint32_t rounds = ROUNDS;
    void *arguments[] = {&load->wrong, &rounds, &load->expected};
    load->launches++;
    return load->bench->cuda.launch(load->function, load->groups, 1, 1, THREADS, 1, 1, 0, NULL,
                                    arguments, NULL);
}

static void keep_higher(uint64_t *most, unsigned number)
{
    if (*most == CE_NOT_MEASURED || number > *most)
        *most = number;
}

/* While it computes. */
static void look(struct load *load)
{
    const struct bench *bench = load->bench;
    unsigned number = 0;
    if (bench->nvml.clock &&
        bench->nvml.clock(bench->nv, CLOCK_OF_MULTIPROCESSORS, &number) == NV_OK)
        keep_higher(&load->clock, number);
    if (bench->nvml.power && bench->nvml.power(bench->nv, &number) == NV_OK)
        keep_higher(&load->power, number);
}

/* Two at a time, so that the GPU does not wait for the host. */
static bool compute_once(struct load *load)
{
    const struct cuda *cuda = &load->bench->cuda;
    float ms = 0;
    if (!did(load, cuda->record(load->begin, NULL), "computing") ||
        !did(load, launch(load), "computing") || !did(load, launch(load), "computing") ||
        !did(load, cuda->record(load->end, NULL), "computing"))
        return false;
    look(load);
    if (!did(load, cuda->wait(load->end), "computing") ||
        !did(load, cuda->elapsed(&ms, load->begin, load->end), "asking for the time"))
        return false;
    load->ms += ms;
    return true;
}

static bool compute(struct load *load)
{
    double start = bench_now();
    do {
        if (!compute_once(load))
            return false;
    } while (bench_now() - start < load->bench->seconds);
    return true;
}

static bool keep(const struct load *load)
{
    uint64_t *numbers = load->bench->result.numbers, wrong = 0;
    double operations =
        (double)load->launches * load->groups * THREADS * ROUNDS * CHAINS * OPERATIONS;
    if (!did(load, load->bench->cuda.read(&wrong, load->wrong, sizeof wrong), "reading the result"))
        return false;
    numbers[CE_NUMBER_GFLOPS] = load->ms > 0 ? (uint64_t)(operations / load->ms / 1e6) : 0;
    numbers[CE_NUMBER_CLOCK] = load->clock;
    numbers[CE_NUMBER_POWER] = load->power;
    numbers[CE_NUMBER_MISCOUNTED] = wrong;
    return true;
}

static void release(const struct load *load)
{
    const struct cuda *cuda = &load->bench->cuda;
    if (load->begin)
        cuda->free_event(load->begin);
    if (load->end)
        cuda->free_event(load->end);
    if (load->wrong)
        cuda->free(load->wrong);
    if (load->module)
        cuda->unload(load->module);
}

void bench_load(struct bench *bench)
{
    struct load load = {.bench = bench, .clock = CE_NOT_MEASURED, .power = CE_NOT_MEASURED};
    if (prepare(&load) && compute(&load) && keep(&load))
        bench->result.tests[CE_TEST_LOAD].end = CE_TEST_DONE;
    release(&load);
}

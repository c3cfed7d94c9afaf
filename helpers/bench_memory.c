/* SPDX-License-Identifier: Apache-2.0 */
/* Is what is written to a GPU's memory what is read back?  In each pass every word of the share
 * that is tested gets its own value, then every word is read and compared: one bit that walks, one
 * zero that walks, pseudo-random words and their complement, then the next positions and words. */
#include <inttypes.h>
#include <stdio.h>

#include "bench.h"

enum {
    BLOCKS_MAX = 4096,
    BLOCK = 256 << 20,
    BLOCK_MIN = 1 << 20,
    KEPT_BACK = 64 << 20, /* for the driver's own needs */
    PASSES_MAX = 64 * CE_PATTERNS,
    THREADS = 256,
    GROUPS = 16, /* for each multiprocessor */
};

/* As the kernel `check` fills it in. */
struct report {
    uint64_t count, bits;
    struct ce_wrong_word words[CE_WRONG_MAX];
};

struct pattern {
    uint64_t seed, invert;
    unsigned random;
};

struct testing {
    struct bench *bench;
    cu_module module;
    cu_function fill, check;
    cu_pointer report;
    unsigned groups;
    cu_pointer blocks[BLOCKS_MAX];
    size_t sizes[BLOCKS_MAX];
    unsigned block_count;
};

static bool did(const struct testing *testing, cu_result code, const char *what)
{
    return bench_did(testing->bench, CE_TEST_MEMORY, code, what);
}

static bool load_kernels(struct testing *testing)
{
    const struct bench *bench = testing->bench;
    const struct cuda *cuda = &bench->cuda;
    int processors = 1;
    if (!did(testing, cuda->load(&testing->module, bench_kernels), "compiling the kernels") ||
        !did(testing, cuda->function(&testing->fill, testing->module, "fill"), "finding fill") ||
        !did(testing, cuda->function(&testing->check, testing->module, "check"), "finding check") ||
        !did(testing, cuda->attribute(&processors, CU_MULTIPROCESSORS, bench->device),
             "asking for multiprocessors") ||
        !did(testing, cuda->alloc(&testing->report, sizeof(struct report)), "taking GPU memory"))
        return false;
    testing->groups = (unsigned)processors * GROUPS;
    return did(testing, cuda->clear(testing->report, 0, sizeof(struct report)), "clearing");
}

/* In blocks, since no single one may be as large as all that is free. */
static bool take_memory(struct testing *testing)
{
    struct bench *bench = testing->bench;
    size_t free = 0, total = 0, size = BLOCK, taken = 0;
    if (!did(testing, bench->cuda.memory(&free, &total), "asking for free memory"))
        return false;
    bench->result.numbers[CE_NUMBER_FREE] = free;
    size_t wanted = (free > KEPT_BACK ? free - KEPT_BACK : 0) / 100 * bench->share;
    while (testing->block_count < BLOCKS_MAX && size >= BLOCK_MIN) {
        cu_result code = CU_OUT_OF_MEMORY;
        if (taken + size <= wanted)
            code = bench->cuda.alloc(&testing->blocks[testing->block_count], size);
        if (code == CU_OUT_OF_MEMORY) {
            size /= 2;
            continue;
        }
        if (!did(testing, code, "taking GPU memory"))
            return false;
        testing->sizes[testing->block_count++] = size;
        taken += size;
    }
    if (taken == 0)
        ce_gpu_test_end(&bench->result, CE_TEST_MEMORY, CE_TEST_FAILED, 0,
                        "no free memory: %zu of %zu MiB are free", free >> 20, total >> 20);
    bench->result.numbers[CE_NUMBER_TESTED] = taken;
    return taken > 0;
}

static struct pattern pattern_of(unsigned pass)
{
    const struct pattern rows[CE_PATTERNS] = {
        {pass / CE_PATTERNS, 0, 0},
        {pass / CE_PATTERNS, ~UINT64_C(0), 0},
        {(uint64_t)(pass / CE_PATTERNS) << 48, 0, 1},
        {(uint64_t)(pass / CE_PATTERNS) << 48, ~UINT64_C(0), 1},
    };
    return rows[pass % CE_PATTERNS];
}

/* Both kernels take the same, `check` its report behind it. */
static cu_result launch(struct testing *testing, cu_function function, unsigned pass)
{
    struct pattern pattern = pattern_of(pass);
    uint64_t first = 0;
    for (unsigned i = 0; i < testing->block_count; i++) {
        uint64_t words = testing->sizes[i] / sizeof(uint64_t), start = first + pattern.seed;
        void *arguments[] = {&testing->blocks[i], &words,          &start,
                             &pattern.invert,     &pattern.random, &testing->report};
        cu_result code = testing->bench->cuda.launch(function, testing->groups, 1, 1, THREADS, 1,
                                                     1, 0, NULL, arguments, NULL);
        if (code != CU_OK)
            return code;
        first += words;
    }
    return testing->bench->cuda.synchronize();
}

static void keep(struct ce_gpu_bench *result, const struct report *report)
{
    result->numbers[CE_NUMBER_WRONG] = report->count;
    result->numbers[CE_NUMBER_BITS] = report->bits;
    result->wrong_count = report->count < CE_WRONG_MAX ? (unsigned)report->count : CE_WRONG_MAX;
    for (unsigned i = 0; i < result->wrong_count; i++)
        result->wrong[i] = report->words[i];
}

/* Until the time is over, or something was wrong; one pass at least. */
static bool run_passes(struct testing *testing)
{
    struct bench *bench = testing->bench;
    double start = bench_now();
    struct report report = {.count = 0};
    unsigned pass = 0;
    do {
        if (!did(testing, launch(testing, testing->fill, pass), "writing a pattern") ||
            !did(testing, launch(testing, testing->check, pass), "reading a pattern") ||
            !did(testing, bench->cuda.read(&report, testing->report, sizeof report),
                 "reading the result"))
            return false;
        pass++;
    } while (!report.count && pass < PASSES_MAX && bench_now() - start < bench->seconds);
    bench->result.numbers[CE_NUMBER_PASSES] = pass;
    keep(&bench->result, &report);
    return true;
}

static void release(struct testing *testing)
{
    const struct cuda *cuda = &testing->bench->cuda;
    for (unsigned i = 0; i < testing->block_count; i++)
        cuda->free(testing->blocks[i]);
    if (testing->report)
        cuda->free(testing->report);
    if (testing->module)
        cuda->unload(testing->module);
}

void bench_memory(struct bench *bench)
{
    struct testing testing = {.bench = bench};
    if (load_kernels(&testing) && take_memory(&testing) && run_passes(&testing))
        bench->result.tests[CE_TEST_MEMORY].end = CE_TEST_DONE;
    release(&testing);
}

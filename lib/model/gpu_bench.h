/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of one GPU measured: what helpers/bench-gpu prints.  Bandwidths are MB/s (10^6
 * bytes), each byte that was copied counted once. */
#ifndef CE_MODEL_GPU_BENCH_H
#define CE_MODEL_GPU_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "model/gpu_state.h"
#include "model/hca.h"
#include "model/pci.h"

/* In the order in which they run. */
enum ce_gpu_test {
    CE_TEST_START, /* getting hold of the GPU: libraries, nobody else on it, a context */
    CE_TEST_H2D,   /* copies from host memory */
    CE_TEST_D2H,   /* copies to host memory */
    CE_TEST_D2D,   /* copies within its memory */
    CE_TEST_P2P,   /* copies to its peers */
    CE_TEST_MEMORY,
    CE_TEST_LOAD,
    CE_GPU_TESTS
};

enum ce_test_end {
    CE_TEST_NOT_RUN,
    CE_TEST_DONE,    /* the numbers are there */
    CE_TEST_SKIPPED, /* it does not apply here, or must not be; the reason says why */
    CE_TEST_FAILED,  /* the driver or the machine did not do it: code and reason */
    CE_TEST_LATE,    /* it was running when its time was over */
};

enum {
    CE_TEST_REASON = 128,
    CE_TEST_CODE_MAX = 65535,
    CE_WRONG_MAX = 8,  /* wrong words kept; more are counted */
    CE_PATTERNS = 4,   /* passes after which every pattern was in every word once */
};
#define CE_NOT_MEASURED UINT64_MAX

enum ce_gpu_number {
    CE_NUMBER_H2D,
    CE_NUMBER_D2H,
    CE_NUMBER_D2D,
    CE_NUMBER_FREE,   /* bytes that were free when the memory test began */
    CE_NUMBER_TESTED, /* bytes of them that were written and read */
    CE_NUMBER_PASSES, /* how often all of them were, each time with another pattern */
    CE_NUMBER_WRONG,  /* words of 8 bytes that were read back wrong */
    CE_NUMBER_BITS,   /* all bits that were wrong in any of them */
    CE_NUMBER_GFLOPS,
    CE_NUMBER_CLOCK,      /* MHz of its multiprocessors, the highest that was seen */
    CE_NUMBER_POWER,      /* mW, the highest that was seen */
    CE_NUMBER_MISCOUNTED, /* threads of the load that had another result than the host */
    CE_NUMBER_ECC_CORRECTED, /* memory errors that came up while the tests ran */
    CE_NUMBER_ECC_UNCORRECTED,
    CE_GPU_NUMBERS
};

struct ce_test_answer {
    enum ce_test_end end;
    unsigned code;                /* CUDA's own; 0: not CUDA's */
    char reason[CE_TEST_REASON];  /* "": nothing is to be said */
};

struct ce_peer_bench {
    char address[CE_PCI_ADDRESS];
    uint64_t mbytes;             /* CE_NOT_MEASURED: see reason */
    char reason[CE_TEST_REASON]; /* "": it was measured */
};

struct ce_wrong_word {
    uint64_t address, expected, found; /* the GPU's own address of it */
};

struct ce_gpu_bench {
    char address[CE_PCI_ADDRESS], name[CE_GPU_WORD];
    struct ce_test_answer tests[CE_GPU_TESTS];
    uint64_t numbers[CE_GPU_NUMBERS]; /* CE_NOT_MEASURED */
    struct ce_peer_bench peers[CE_GPUS_MAX];
    unsigned peer_count;
    struct ce_wrong_word wrong[CE_WRONG_MAX];
    unsigned wrong_count; /* of those kept */
};

void ce_gpu_bench_init(struct ce_gpu_bench *bench, const char *address);

/* "h2d", for keys and options. */
const char *ce_gpu_test_name(enum ce_gpu_test test);
/* Comma-separated names as bits 1 << CE_TEST_...; CE_TEST_START is always among them.  0; -1 with
 * err, which lists the names. */
int ce_gpu_tests_parse(const char *text, unsigned *ret, struct ce_error *err);
/* "memory.passes", its key. */
const char *ce_gpu_number_name(enum ce_gpu_number number);

/* Record a test's end; reason is a format. */
void ce_gpu_test_end(struct ce_gpu_bench *bench, enum ce_gpu_test test, enum ce_test_end end,
                     unsigned code, const char *reason, ...) __attribute__((format(printf, 5, 6)));

/* The lines of one test, with the numbers that it gave.  Those of CE_TEST_START also say which GPU
 * this is. */
void ce_gpu_test_write(const struct ce_gpu_bench *bench, enum ce_gpu_test test,
                       struct ce_text *out);
/* What came up while all of them ran. */
void ce_gpu_bench_write_errors(const struct ce_gpu_bench *bench, struct ce_text *out);

/* A whole text.  0; -1 with err. */
int ce_gpu_bench_read(const char *text, struct ce_gpu_bench *ret, struct ce_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* bench-gpu: tests one GPU by using it: copies, memory patterns, load.  Run as a child with a
 * deadline.  A GPU that somebody else computes on is not touched.  stdout is the text of
 * model/gpu_bench.h, written test by test, so that what was measured before one that hangs is not
 * lost; the exit status is 0 (also where nothing could be tested: the text says why), 1 (the text
 * could not be written), or 2 (usage). */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/parse.h"
#include "bench.h"
#include "gpu_taken.h"

enum { OUTPUT_MAX = 1 << 20, SECONDS_MAX = 3600 };

double bench_now(void)
{
    return (double)ce_clock_ns() / 1e9;
}

bool bench_did(struct bench *bench, enum ce_gpu_test test, cu_result code, const char *what)
{
    char word[96];
    if (code == CU_OK)
        return true;
    ce_gpu_test_end(&bench->result, test, CE_TEST_FAILED, code, "%s: %s", what,
                    cuda_word(&bench->cuda, code, word, sizeof word));
    return false;
}

/* ---------------------------------------------------------------- getting hold of it */

/* End the start like this. */
#define START_ENDS(bench, ...) (ce_gpu_test_end(&(bench)->result, CE_TEST_START, __VA_ARGS__), false)

static bool load_libraries(struct bench *bench)
{
    struct ce_error err;
    enum cuda_loaded loaded = cuda_load(&bench->cuda, &err);
    if (loaded != CUDA_LOADED)
        return START_ENDS(bench, loaded == CUDA_ABSENT ? CE_TEST_SKIPPED : CE_TEST_FAILED, 0, "%s",
                          err.text);
    if (nvml_load(&bench->nvml, &err) < 0)
        return START_ENDS(bench, CE_TEST_FAILED, 0, "cannot tell whether it is in use: %s",
                          err.text);
    return true;
}

/* Nothing of CUDA before NVML said that nobody is on it. */
static bool ask_nvml(struct bench *bench)
{
    const struct nvml *nvml = &bench->nvml;
    char reason[CE_TEST_REASON];
    enum ce_test_end end;
    unsigned mig = 0, next = 0;
    nv_return code = nvml->init();
    if (code == NV_OK)
        code = nvml->by_bus(bench->result.address, &bench->nv);
    if (code != NV_OK)
        return START_ENDS(bench, CE_TEST_FAILED, 0, "NVML: %s", ce_nvml_word(code));
    if (nvml->mig && nvml->mig(bench->nv, &mig, &next) == NV_OK && mig)
        return START_ENDS(bench, CE_TEST_SKIPPED, 0, "MIG mode is on: it is not one GPU");
    if (gpu_is_taken(&bench->nvml, bench->nv, 0, reason, &end))
        return START_ENDS(bench, end, 0, "%s", reason);
    /* Host memory of the far socket would be slower, and is the default of half of the GPUs. */
    if (nvml->bind_cpu)
        nvml->bind_cpu(bench->nv);
    return true;
}

static bool open_device(struct bench *bench)
{
    const struct cuda *cuda = &bench->cuda;
    struct ce_gpu_bench *result = &bench->result;
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    cu_result code = cuda_begin(cuda);
    if (code == CU_OK)
        code = cuda->by_bus(&bench->device, result->address);
    if ((code == CU_NO_DEVICE || code == CU_INVALID_DEVICE) && visible)
        return START_ENDS(bench, CE_TEST_SKIPPED, 0, "CUDA_VISIBLE_DEVICES=%.40s hides it", visible);
    if (!bench_did(bench, CE_TEST_START, code, "finding it"))
        return false;
    if (cuda->name(result->name, sizeof result->name, bench->device) != CU_OK ||
        !ce_is_printable(result->name))
        result->name[0] = '\0';
    return bench_did(bench, CE_TEST_START, cuda->context(&bench->context, bench->device),
                     "making a context") &&
           bench_did(bench, CE_TEST_START, cuda->use(bench->context), "taking the context");
}

/* ---------------------------------------------------------------- the tests */

static void run_test(struct bench *bench, enum ce_gpu_test test)
{
    switch (test) {
    case CE_TEST_P2P:
        bench_peers(bench);
        return;
    case CE_TEST_MEMORY:
        bench_memory(bench);
        return;
    case CE_TEST_LOAD:
        bench_load(bench);
        return;
    default:
        bench_copies(bench, test);
    }
}

/* After an error of CUDA's every call would give the same one again. */
static bool goes_on(struct bench *bench, enum ce_gpu_test test, const char **broken)
{
    char reason[CE_TEST_REASON];
    enum ce_test_end end;
    if (*broken)
        ce_gpu_test_end(&bench->result, test, CE_TEST_SKIPPED, 0, "not run: %s failed", *broken);
    else if (gpu_is_taken(&bench->nvml, bench->nv, 1, reason, &end))
        ce_gpu_test_end(&bench->result, test, end, 0, "meanwhile %s", reason);
    else
        return true;
    return false;
}

static int flush(struct ce_text *out)
{
    if (!ce_text_ok(out)) {
        fputs("bench-gpu: the text does not fit\n", stderr);
        return -1;
    }
    if (fputs(ce_text_string(out), stdout) == EOF || fflush(stdout) == EOF) {
        fprintf(stderr, "bench-gpu: cannot write: %s\n", strerror(errno));
        return -1;
    }
    ce_text_free(out);
    *out = CE_TEXT(OUTPUT_MAX);
    return 0;
}

static int run_tests(struct bench *bench, unsigned tests, struct ce_text *out)
{
    const char *broken = NULL;
    for (int i = CE_TEST_START + 1; i < CE_GPU_TESTS; i++) {
        enum ce_gpu_test test = (enum ce_gpu_test)i;
        const struct ce_test_answer *answer = &bench->result.tests[test];
        if (!(tests & 1U << i))
            continue;
        if (goes_on(bench, test, &broken))
            run_test(bench, test);
        if (answer->code && answer->code != CU_OUT_OF_MEMORY)
            broken = ce_gpu_test_name(test);
        ce_gpu_test_write(&bench->result, test, out);
        if (flush(out) < 0)
            return -1;
    }
    return 0;
}

/* ---------------------------------------------------------------- errors meanwhile */

/* As NVML numbers them: corrected or not, since the driver was loaded. */
static void read_errors(const struct bench *bench, uint64_t counts[2])
{
    for (unsigned kind = 0; kind < 2; kind++) {
        unsigned long long count = 0;
        counts[kind] = CE_NOT_MEASURED;
        if (bench->nvml.ecc_total && bench->nvml.ecc_total(bench->nv, kind, 0, &count) == NV_OK)
            counts[kind] = count;
    }
}

static void compare_errors(struct bench *bench, const uint64_t before[2])
{
    uint64_t after[2];
    read_errors(bench, after);
    for (unsigned kind = 0; kind < 2; kind++)
        if (before[kind] != CE_NOT_MEASURED && after[kind] != CE_NOT_MEASURED &&
            after[kind] >= before[kind])
            bench->result.numbers[CE_NUMBER_ECC_CORRECTED + kind] = after[kind] - before[kind];
}

static int run(struct bench *bench, unsigned tests)
{
    ce_autotext struct ce_text out = CE_TEXT(OUTPUT_MAX);
    uint64_t errors[2];
    bool started = load_libraries(bench) && ask_nvml(bench) && open_device(bench);
    if (started)
        bench->result.tests[CE_TEST_START].end = CE_TEST_DONE;
    ce_record_begin(&out);
    ce_gpu_test_write(&bench->result, CE_TEST_START, &out);
    if (flush(&out) < 0)
        return 1;
    if (started) {
        read_errors(bench, errors);
        if (run_tests(bench, tests, &out) < 0)
            return 1;
        compare_errors(bench, errors);
        ce_gpu_bench_write_errors(&bench->result, &out);
    }
    if (bench->context)
        bench->cuda.release(bench->device);
    ce_record_end(&out);
    return flush(&out) < 0;
}

/* ---------------------------------------------------------------- arguments */

struct arguments {
    const char *gpu, *peers[CE_GPUS_MAX];
    unsigned peer_count, tests;
    uint32_t seconds, share;
};

static int usage(void)
{
    fputs("usage: bench-gpu --gpu=PCI [--peer=PCI]... [--tests=TEST,...] [--seconds=N] "
          "[--share=PERCENT]\n",
          stderr);
    return 2;
}

static int take(struct arguments *arguments, int option)
{
    switch (option) {
    case 'g':
        arguments->gpu = optarg;
        return strlen(optarg) < CE_PCI_ADDRESS && *optarg ? 0 : -1;
    case 'p':
        if (arguments->peer_count == CE_GPUS_MAX || strlen(optarg) >= CE_PCI_ADDRESS)
            return -1;
        arguments->peers[arguments->peer_count++] = optarg;
        return 0;
    case 't':
        return ce_gpu_tests_parse(optarg, &arguments->tests, NULL);
    case 's':
        return ce_parse_u32(optarg, 1, SECONDS_MAX, &arguments->seconds);
    case 'm':
        return ce_parse_u32(optarg, 1, 100, &arguments->share);
    default:
        return -1;
    }
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"gpu", required_argument, NULL, 'g'},
                                            {"peer", required_argument, NULL, 'p'},
                                            {"tests", required_argument, NULL, 't'},
                                            {"seconds", required_argument, NULL, 's'},
                                            {"share", required_argument, NULL, 'm'},
                                            {NULL}};
    struct arguments arguments = {.tests = ~0U, .seconds = 2, .share = 90};
    struct bench bench = {.seconds = 0};
    int option;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
        if (take(&arguments, option) < 0)
            return usage();
    if (optind < argc || !arguments.gpu)
        return usage();
    ce_gpu_bench_init(&bench.result, arguments.gpu);
    bench.peers = arguments.peers;
    bench.peer_count = arguments.peer_count;
    bench.seconds = arguments.seconds;
    bench.share = arguments.share;
    return run(&bench, arguments.tests);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What bench-gpu says of a GPU, and what is made of it. */
#include "fuzz.h"
#include "checks/bench_gpu.h"

const char fuzz_name[] = "gpu_bench";
const unsigned fuzz_runs = 100000;

static char *write_bench(const struct ce_gpu_bench *bench)
{
    ce_autotext struct ce_text text = CE_TEXT(1 << 20);
    ce_record_begin(&text);
    for (int i = 0; i < CE_GPU_TESTS; i++)
        ce_gpu_test_write(bench, (enum ce_gpu_test)i, &text);
    ce_gpu_bench_write_errors(bench, &text);
    ce_record_end(&text);
    char *written = ce_text_take(&text);
    FUZZ_CHECK(written);
    return written;
}

/* What was accepted is written, read and written again as the same text. */
static void check_text(const struct ce_gpu_bench *bench)
{
    struct ce_gpu_bench again;
    char *first = write_bench(bench);
    FUZZ_CHECK(ce_gpu_bench_read(first, &again, NULL) == 0);
    char *second = write_bench(&again);
    FUZZ_CHECK(strcmp(first, second) == 0);
    free(first);
    free(second);
}

/* Whatever the numbers are there are findings, and none drains. */
static void check_findings(const struct ce_gpu_bench *bench)
{
    const struct ce_gpu_bench gpus[3] = {*bench, *bench, *bench};
    const struct ce_bench_limits limits = {.below = 5};
    ce_autofindings struct ce_findings findings = {.count = 0};
    ce_bench_gpus_judge(gpus, 3, &limits, &findings);
    for (size_t i = 0; i < findings.count; i++) {
        FUZZ_CHECK(findings.items[i].check[0] && findings.items[i].remedy[0]);
        FUZZ_CHECK(findings.items[i].response != CE_DRAIN);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ce_error err = {""};
    struct ce_gpu_bench bench;
    char *text = fuzz_text(data, size);
    int read = ce_gpu_bench_read(text, &bench, &err);
    free(text);
    if (read < 0) {
        fuzz_check_error(err.text);
        return 0;
    }
    check_text(&bench);
    check_findings(&bench);
    return 0;
}

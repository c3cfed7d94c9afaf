/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/bench_helper.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"

enum {
    OUTPUT_MAX = 1 << 20,
    ARGUMENT = 64,
    ARGUMENTS = 6, /* besides peers */
    OUT_OF_MEMORY = 2, /* CUDA's */
    COPIES = 1 << CE_TEST_H2D | 1 << CE_TEST_D2H | 1 << CE_TEST_D2D | 1 << CE_TEST_P2P,
    TOGETHER = 1 << CE_TEST_MEMORY | 1 << CE_TEST_LOAD,
};

/* Of one GPU's helper. */
struct line {
    char gpu[ARGUMENT], tests[ARGUMENT], seconds[ARGUMENT], share[ARGUMENT];
    char *argv[CE_GPUS_MAX + ARGUMENTS];
    struct ce_gpu_bench *bench;
};

/* One after the other, or all at once. */
struct round {
    const struct ce_bench_helper *helper;
    struct ce_gpu_bench *gpus;
    size_t count;
    unsigned tests;
    char path[PATH_MAX];
    char peers[CE_GPUS_MAX][ARGUMENT];
    struct line *lines;
    struct ce_child *children;
    size_t started;
};

/* ---------------------------------------------------------------- what came back */

/* The text of a helper that was ended: its whole lines, made a whole text. */
static int read_rest(const struct ce_child *child, struct ce_gpu_bench *told)
{
    ce_autotext struct ce_text text = CE_TEXT(OUTPUT_MAX + 16);
    const char *output = ce_text_string(&child->output), *last = strrchr(output, '\n');
    ce_gpu_bench_init(told, "");
    if (!last)
        return 0;
    ce_text_addn(&text, output, (size_t)(last + 1 - output));
    ce_text_add(&text, "end=1\n");
    return ce_text_ok(&text) ? ce_gpu_bench_read(ce_text_string(&text), told, NULL) : -1;
}

/* The first test without an end is the one that it was at. */
static void blame(const struct ce_child *child, unsigned tests, const char *why,
                  struct ce_gpu_bench *told)
{
    bool late = child->end == CE_CHILD_LATE || child->end == CE_CHILD_ABANDONED;
    const char *at = NULL;
    for (int i = CE_TEST_START; i < CE_GPU_TESTS; i++) {
        if (!(tests & 1U << i) || told->tests[i].end != CE_TEST_NOT_RUN)
            continue;
        if (at)
            ce_gpu_test_end(told, (enum ce_gpu_test)i, CE_TEST_SKIPPED, 0, "not run: %s failed",
                            at);
        else
            ce_gpu_test_end(told, (enum ce_gpu_test)i, late ? CE_TEST_LATE : CE_TEST_FAILED, 0,
                            "%s", why);
        at = at ? at : ce_gpu_test_name((enum ce_gpu_test)i);
    }
}

static void merge_numbers(const struct ce_gpu_bench *told, struct ce_gpu_bench *bench)
{
    for (int i = 0; i < CE_GPU_NUMBERS; i++) {
        bool counts = i == CE_NUMBER_ECC_CORRECTED || i == CE_NUMBER_ECC_UNCORRECTED;
        if (told->numbers[i] == CE_NOT_MEASURED)
            continue;
        if (counts && bench->numbers[i] != CE_NOT_MEASURED)
            bench->numbers[i] += told->numbers[i];
        else
            bench->numbers[i] = told->numbers[i];
    }
}

static void merge(const struct ce_gpu_bench *told, unsigned tests, struct ce_gpu_bench *bench)
{
    for (int i = 0; i < CE_GPU_TESTS; i++)
        if (tests & 1U << i)
            bench->tests[i] = told->tests[i];
    if (told->name[0])
        memcpy(bench->name, told->name, sizeof bench->name);
    merge_numbers(told, bench);
    if (tests & 1 << CE_TEST_P2P) {
        memcpy(bench->peers, told->peers, sizeof bench->peers);
        bench->peer_count = told->peer_count;
    }
    if (tests & 1 << CE_TEST_MEMORY) {
        memcpy(bench->wrong, told->wrong, sizeof bench->wrong);
        bench->wrong_count = told->wrong_count;
    }
}

static void take(const struct ce_child *child, unsigned tests, struct ce_gpu_bench *bench)
{
    struct ce_gpu_bench told;
    struct ce_error err;
    bool whole = ce_child_check(child, &err) == 0;
    int read = whole ? ce_gpu_bench_read(ce_text_string(&child->output), &told, &err)
                     : read_rest(child, &told);
    if (read < 0)
        ce_gpu_bench_init(&told, "");
    if (read < 0 || !whole)
        blame(child, tests, err.text, &told);
    merge(&told, tests, bench);
}

/* ---------------------------------------------------------------- a round */

/* The test after which a GPU is not touched again; CE_GPU_TESTS: there is none.  Memory that is
 * short for one test harms no other. */
static enum ce_gpu_test broken_at(const struct ce_gpu_bench *bench)
{
    for (int i = CE_TEST_START; i < CE_GPU_TESTS; i++) {
        const struct ce_test_answer *answer = &bench->tests[i];
        bool failed = answer->end == CE_TEST_FAILED && answer->code != OUT_OF_MEMORY;
        if (failed || answer->end == CE_TEST_LATE ||
            (i == CE_TEST_START && answer->end == CE_TEST_SKIPPED))
            return (enum ce_gpu_test)i;
    }
    return CE_GPU_TESTS;
}

static void leave_alone(struct ce_gpu_bench *bench, unsigned tests, enum ce_gpu_test broken)
{
    for (int i = CE_TEST_START + 1; i < CE_GPU_TESTS; i++)
        if (tests & 1U << i)
            ce_gpu_test_end(bench, (enum ce_gpu_test)i, CE_TEST_SKIPPED, 0, "not run: %s failed",
                            ce_gpu_test_name(broken));
}

static void name_tests(unsigned tests, char text[ARGUMENT])
{
    int length = snprintf(text, ARGUMENT, "--tests=");
    for (int i = CE_TEST_START + 1; i < CE_GPU_TESTS; i++)
        if (tests & 1U << i)
            length += snprintf(text + length, ARGUMENT - (size_t)length, "%s%s",
                               text[length - 1] == '=' ? "" : ",",
                               ce_gpu_test_name((enum ce_gpu_test)i));
}

static unsigned count_tests(unsigned tests)
{
    unsigned count = 0;
    for (int i = CE_TEST_START + 1; i < CE_GPU_TESTS; i++)
        count += (tests & 1U << i) != 0;
    return count;
}

static void add_line(struct round *round, size_t index)
{
    const struct ce_bench_helper *helper = round->helper;
    struct line *line = &round->lines[round->started];
    size_t n = 0;
    line->bench = &round->gpus[index];
    snprintf(line->gpu, ARGUMENT, "--gpu=%s", line->bench->address);
    snprintf(line->seconds, ARGUMENT, "--seconds=%u", helper->seconds);
    snprintf(line->share, ARGUMENT, "--share=%u", helper->share);
    name_tests(round->tests, line->tests);
    line->argv[n++] = round->path;
    line->argv[n++] = line->gpu;
    line->argv[n++] = line->tests;
    line->argv[n++] = line->seconds;
    line->argv[n++] = line->share;
    for (size_t i = 0; i < round->count && (round->tests & 1 << CE_TEST_P2P); i++)
        if (i != index)
            line->argv[n++] = round->peers[i];
    round->children[round->started++] = (struct ce_child){
        .argv = line->argv,
        .deadline_ms = helper->start_ms + count_tests(round->tests) * helper->seconds * 1000,
        .output_max = OUTPUT_MAX,
    };
}

/* Drivers that hang one after the other do not sum up without end. */
static struct ce_children_plan plan_of(const struct round *round)
{
    const struct ce_bench_helper *helper = round->helper;
    unsigned tests_ms = count_tests(round->tests) * helper->seconds * 1000;
    if (!(round->tests & COPIES))
        return (struct ce_children_plan){.at_once = CE_CHILDREN_MAX_AT_ONCE};
    return (struct ce_children_plan){
        .at_once = 1,
        .total_ms = helper->start_ms * (1 + (unsigned)round->count / 4) +
                    tests_ms * (unsigned)round->count,
    };
}

static void run(struct round *round)
{
    struct ce_children_plan plan = plan_of(round);
    snprintf(round->path, sizeof round->path, "%s/bench-gpu", round->helper->dir);
    for (size_t i = 0; i < round->count; i++)
        snprintf(round->peers[i], ARGUMENT, "--peer=%s", round->gpus[i].address);
    for (size_t i = 0; i < round->count; i++) {
        enum ce_gpu_test broken = broken_at(&round->gpus[i]);
        if (broken == CE_GPU_TESTS)
            add_line(round, i);
        else
            leave_alone(&round->gpus[i], round->tests, broken);
    }
    ce_children_run(round->children, round->started, &plan);
    for (size_t i = 0; i < round->started; i++) {
        take(&round->children[i], round->tests, round->lines[i].bench);
        ce_child_free(&round->children[i]);
    }
}

static void run_round(const struct ce_bench_helper *helper, unsigned tests,
                      struct ce_gpu_bench *gpus, size_t count)
{
    struct round round = {.helper = helper, .gpus = gpus, .count = count};
    tests &= helper->tests;
    if (!tests || count > CE_GPUS_MAX)
        return;
    round.tests = tests | 1 << CE_TEST_START;
    round.lines = calloc(count + 1, sizeof *round.lines);
    round.children = calloc(count + 1, sizeof *round.children);
    if (round.lines && round.children)
        run(&round);
    else
        for (size_t i = 0; i < count; i++)
            ce_gpu_test_end(&gpus[i], CE_TEST_START, CE_TEST_FAILED, 0, "no memory");
    free(round.lines);
    free(round.children);
}

void ce_bench_gpus(const struct ce_bench_helper *helper, struct ce_gpu_bench *gpus, size_t count)
{
    run_round(helper, COPIES, gpus, count);
    run_round(helper, TOGETHER, gpus, count);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "model/gpu_bench.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

static const char *const tests[CE_GPU_TESTS] = {"start", "h2d", "d2h", "d2d",
                                                "p2p",   "memory", "load"};

/* Which test gives each number; CE_GPU_TESTS: it is of all of them. */
static const struct {
    enum ce_gpu_test test;
    const char *key;
} numbers[CE_GPU_NUMBERS] = {
    [CE_NUMBER_H2D] = {CE_TEST_H2D, "h2d.mbytes"},
    [CE_NUMBER_D2H] = {CE_TEST_D2H, "d2h.mbytes"},
    [CE_NUMBER_D2D] = {CE_TEST_D2D, "d2d.mbytes"},
    [CE_NUMBER_FREE] = {CE_TEST_MEMORY, "memory.free"},
    [CE_NUMBER_TESTED] = {CE_TEST_MEMORY, "memory.tested"},
    [CE_NUMBER_PASSES] = {CE_TEST_MEMORY, "memory.passes"},
    [CE_NUMBER_WRONG] = {CE_TEST_MEMORY, "memory.wrong"},
    [CE_NUMBER_BITS] = {CE_TEST_MEMORY, "memory.wrong_bits"},
    [CE_NUMBER_GFLOPS] = {CE_TEST_LOAD, "load.gflops"},
    [CE_NUMBER_CLOCK] = {CE_TEST_LOAD, "load.clock_mhz"},
    [CE_NUMBER_POWER] = {CE_TEST_LOAD, "load.power_mw"},
    [CE_NUMBER_MISCOUNTED] = {CE_TEST_LOAD, "load.miscounted"},
    [CE_NUMBER_ECC_CORRECTED] = {CE_GPU_TESTS, "ecc.corrected"},
    [CE_NUMBER_ECC_UNCORRECTED] = {CE_GPU_TESTS, "ecc.uncorrected"},
};

static const char *const ends[] = {"not_run", "done", "skipped", "failed", "late"};

void ce_gpu_bench_init(struct ce_gpu_bench *bench, const char *address)
{
    *bench = (struct ce_gpu_bench){.peer_count = 0};
    snprintf(bench->address, sizeof bench->address, "%s", address);
    for (int i = 0; i < CE_GPU_NUMBERS; i++)
        bench->numbers[i] = CE_NOT_MEASURED;
}

const char *ce_gpu_test_name(enum ce_gpu_test test)
{
    return tests[test];
}

const char *ce_gpu_number_name(enum ce_gpu_number number)
{
    return numbers[number].key;
}

static int test_of(const char *name, size_t length)
{
    for (int i = CE_TEST_START + 1; i < CE_GPU_TESTS; i++)
        if (strlen(tests[i]) == length && strncmp(tests[i], name, length) == 0)
            return i;
    return -1;
}

int ce_gpu_tests_parse(const char *text, unsigned *ret, struct ce_error *err)
{
    unsigned bits = 1 << CE_TEST_START;
    for (;;) {
        size_t length = strcspn(text, ",");
        int test = test_of(text, length);
        if (test < 0)
            return ce_fail(err,
                           "'%.*s' is no test of a GPU; expected some of "
                           "h2d,d2h,d2d,p2p,memory,load",
                           length > 40 ? 40 : (int)length, text);
        bits |= 1U << test;
        if (!text[length])
            break;
        text += length + 1;
    }
    *ret = bits;
    return 0;
}

void ce_gpu_test_end(struct ce_gpu_bench *bench, enum ce_gpu_test test, enum ce_test_end end,
                     unsigned code, const char *reason, ...)
{
    struct ce_test_answer *answer = &bench->tests[test];
    char text[CE_TEST_REASON];
    struct ce_error clean;
    va_list args;
    va_start(args, reason);
    vsnprintf(text, sizeof text, reason, args);
    va_end(args);
    ce_fail(&clean, "%s", text);
    *answer = (struct ce_test_answer){.end = end, .code = code};
    snprintf(answer->reason, sizeof answer->reason, "%.*s", CE_TEST_REASON - 1, clean.text);
}

/* ---------------------------------------------------------------- writing */

static void write_numbers(const struct ce_gpu_bench *bench, enum ce_gpu_test test,
                          struct ce_text *out)
{
    for (int i = 0; i < CE_GPU_NUMBERS; i++)
        if (numbers[i].test == test && bench->numbers[i] != CE_NOT_MEASURED)
            ce_record_add_number(out, bench->numbers[i], "%s", numbers[i].key);
}

static void write_peers(const struct ce_gpu_bench *bench, struct ce_text *out)
{
    ce_record_add_number(out, bench->peer_count, "peers");
    for (unsigned i = 0; i < bench->peer_count; i++) {
        const struct ce_peer_bench *peer = &bench->peers[i];
        ce_record_add(out, peer->address, "peer.%u.pci", i);
        if (peer->mbytes != CE_NOT_MEASURED)
            ce_record_add_number(out, peer->mbytes, "peer.%u.mbytes", i);
        if (peer->reason[0])
            ce_record_add(out, peer->reason, "peer.%u.reason", i);
    }
}

static void write_wrong(const struct ce_gpu_bench *bench, struct ce_text *out)
{
    for (unsigned i = 0; i < bench->wrong_count; i++) {
        ce_record_add_number(out, bench->wrong[i].address, "wrong.%u.address", i);
        ce_record_add_number(out, bench->wrong[i].expected, "wrong.%u.expected", i);
        ce_record_add_number(out, bench->wrong[i].found, "wrong.%u.found", i);
    }
}

void ce_gpu_test_write(const struct ce_gpu_bench *bench, enum ce_gpu_test test,
                       struct ce_text *out)
{
    const struct ce_test_answer *answer = &bench->tests[test];
    if (test == CE_TEST_START) {
        ce_record_add(out, bench->address, "gpu");
        ce_record_add(out, bench->name, "name");
    }
    ce_record_add(out, ends[answer->end], "%s", tests[test]);
    if (answer->code)
        ce_record_add_number(out, answer->code, "%s.code", tests[test]);
    if (answer->reason[0])
        ce_record_add(out, answer->reason, "%s.reason", tests[test]);
    write_numbers(bench, test, out);
    if (test == CE_TEST_P2P)
        write_peers(bench, out);
    if (test == CE_TEST_MEMORY)
        write_wrong(bench, out);
}

void ce_gpu_bench_write_errors(const struct ce_gpu_bench *bench, struct ce_text *out)
{
    write_numbers(bench, CE_GPU_TESTS, out);
}

/* ---------------------------------------------------------------- reading */

/* What a helper of a newer release says longer is cut. */
static void read_text(const struct ce_record *record, const char *key, char *ret, size_t size)
{
    const char *value = ce_record_get(record, "%s", key);
    snprintf(ret, size, "%s", value ? value : "");
}

static int read_test(const struct ce_record *record, enum ce_gpu_test test,
                     struct ce_test_answer *ret, struct ce_error *err)
{
    const char *word = ce_record_get(record, "%s", tests[test]);
    char key[32];
    uint64_t code = 0;
    if (!word)
        return 0;
    for (unsigned i = CE_TEST_NOT_RUN; i <= CE_TEST_LATE; i++)
        if (strcmp(word, ends[i]) == 0) {
            ret->end = i;
            snprintf(key, sizeof key, "%s.reason", tests[test]);
            read_text(record, key, ret->reason, sizeof ret->reason);
            int known = ce_record_number(record, 0, CE_TEST_CODE_MAX, &code, err, "%s.code",
                                         tests[test]);
            ret->code = (unsigned)code;
            return known < 0 ? -1 : 0;
        }
    return ce_fail(err, "%s=%.40s: expected done, skipped or failed", tests[test], word);
}

static int read_peer(const struct ce_record *record, unsigned index, struct ce_peer_bench *ret,
                     struct ce_error *err)
{
    char key[32];
    ret->mbytes = CE_NOT_MEASURED;
    snprintf(key, sizeof key, "peer.%u.pci", index);
    read_text(record, key, ret->address, sizeof ret->address);
    snprintf(key, sizeof key, "peer.%u.reason", index);
    read_text(record, key, ret->reason, sizeof ret->reason);
    return ce_record_number(record, 0, CE_NOT_MEASURED - 1, &ret->mbytes, err, "peer.%u.mbytes",
                            index) < 0
               ? -1
               : 0;
}

static int read_peers(const struct ce_record *record, struct ce_gpu_bench *ret,
                      struct ce_error *err)
{
    uint64_t count = 0;
    if (ce_record_number(record, 0, CE_GPUS_MAX, &count, err, "peers") < 0)
        return -1;
    for (ret->peer_count = 0; ret->peer_count < count; ret->peer_count++)
        if (read_peer(record, ret->peer_count, &ret->peers[ret->peer_count], err) < 0)
            return -1;
    return 0;
}

/* Up to the first that is not whole. */
static int read_wrong(const struct ce_record *record, struct ce_gpu_bench *ret,
                      struct ce_error *err)
{
    for (unsigned i = 0; i < CE_WRONG_MAX; i++) {
        struct ce_wrong_word *word = &ret->wrong[i];
        int address = ce_record_number(record, 0, UINT64_MAX, &word->address, err,
                                       "wrong.%u.address", i);
        int expected = ce_record_number(record, 0, UINT64_MAX, &word->expected, err,
                                        "wrong.%u.expected", i);
        int found =
            ce_record_number(record, 0, UINT64_MAX, &word->found, err, "wrong.%u.found", i);
        if (address < 0 || expected < 0 || found < 0)
            return -1;
        if (!address || !expected || !found)
            break;
        ret->wrong_count = i + 1;
    }
    return 0;
}

static int read_all(const struct ce_record *record, struct ce_gpu_bench *ret, struct ce_error *err)
{
    read_text(record, "gpu", ret->address, sizeof ret->address);
    read_text(record, "name", ret->name, sizeof ret->name);
    for (int i = 0; i < CE_GPU_TESTS; i++)
        if (read_test(record, (enum ce_gpu_test)i, &ret->tests[i], err) < 0)
            return -1;
    for (int i = 0; i < CE_GPU_NUMBERS; i++)
        if (ce_record_number(record, 0, CE_NOT_MEASURED, &ret->numbers[i], err, "%s",
                             numbers[i].key) < 0)
            return -1;
    return read_peers(record, ret, err) < 0 || read_wrong(record, ret, err) < 0 ? -1 : 0;
}

int ce_gpu_bench_read(const char *text, struct ce_gpu_bench *ret, struct ce_error *err)
{
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(text, err);
    ce_gpu_bench_init(ret, "");
    return record ? read_all(record, ret, err) : -1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* How fast a GPU copies: from and to pinned host memory, within its own memory, to its peers.  Each
 * is the best of several copies: what the link can do, not what else went over it meanwhile. */
#include <stdio.h>
#include <string.h>

#include "bench.h"

enum {
    BLOCK = 128 << 20,
    BLOCK_MIN = 1 << 20,
    ENOUGH = 20, /* copies none of which was better */
    RUNS_MIN = 3,
};
static const double settled = 0.25; /* seconds: an idle link may have to speed up first */

struct copy {
    struct bench *bench;
    enum ce_gpu_test test;
    size_t size;
    cu_pointer near, far; /* both in GPU memory */
    cu_context far_context;
    void *host;
    cu_event begin, end;
};

static cu_result copy_once(const struct copy *copy)
{
    const struct cuda *cuda = &copy->bench->cuda;
    switch (copy->test) {
    case CE_TEST_H2D:
        return cuda->copy_in(copy->near, copy->host, copy->size, NULL);
    case CE_TEST_D2H:
        return cuda->copy_out(copy->host, copy->near, copy->size, NULL);
    case CE_TEST_D2D:
        return cuda->copy_within(copy->far, copy->near, copy->size, NULL);
    default:
        return cuda->copy_peer(copy->far, copy->far_context, copy->near, copy->bench->context,
                               copy->size, NULL);
    }
}

static cu_result time_once(const struct copy *copy, float *ms)
{
    const struct cuda *cuda = &copy->bench->cuda;
    cu_result code = cuda->record(copy->begin, NULL);
    if (code == CU_OK)
        code = copy_once(copy);
    if (code == CU_OK)
        code = cuda->record(copy->end, NULL);
    if (code == CU_OK)
        code = cuda->wait(copy->end);
    return code == CU_OK ? cuda->elapsed(ms, copy->begin, copy->end) : code;
}

/* Until no copy is better any more, or the seconds are over.  MB/s. */
static cu_result measure(const struct copy *copy, double seconds, uint64_t *mbytes)
{
    double start = bench_now(), spent = 0;
    float best = 0, ms = 0;
    unsigned runs = 0, since = 0;
    while (runs < RUNS_MIN || (spent < seconds && (spent < settled || since < ENOUGH))) {
        cu_result code = time_once(copy, &ms);
        if (code != CU_OK)
            return code;
        since = best == 0 || ms < best * 0.995F ? 0 : since + 1;
        best = best == 0 || ms < best ? ms : best;
        runs++;
        spent = bench_now() - start;
    }
    *mbytes = best > 0 ? (uint64_t)((double)copy->size / best / 1000) : 0;
    return CU_OK;
}

static cu_result make_events(struct copy *copy)
{
    cu_result code = copy->bench->cuda.new_event(&copy->begin, 0);
    return code == CU_OK ? copy->bench->cuda.new_event(&copy->end, 0) : code;
}

/* Smaller where there is not so much memory. */
static cu_result make_blocks(struct copy *copy)
{
    const struct cuda *cuda = &copy->bench->cuda;
    cu_result code = CU_OUT_OF_MEMORY;
    for (copy->size = BLOCK; copy->size >= BLOCK_MIN; copy->size /= 2) {
        code = cuda->alloc(&copy->near, copy->size);
        if (code == CU_OK && copy->test == CE_TEST_D2D)
            code = cuda->alloc(&copy->far, copy->size);
        if (code != CU_OUT_OF_MEMORY)
            break;
        if (copy->near)
            cuda->free(copy->near);
        copy->near = 0;
    }
    return code;
}

static void release(struct copy *copy)
{
    const struct cuda *cuda = &copy->bench->cuda;
    if (copy->begin)
        cuda->free_event(copy->begin);
    if (copy->end)
        cuda->free_event(copy->end);
    if (copy->near)
        cuda->free(copy->near);
    if (copy->far && !copy->far_context)
        cuda->free(copy->far);
    if (copy->host)
        cuda->free_host(copy->host);
    *copy = (struct copy){.bench = copy->bench};
}

static bool prepare(struct copy *copy)
{
    struct bench *bench = copy->bench;
    if (!bench_did(bench, copy->test, make_events(copy), "making events") ||
        !bench_did(bench, copy->test, make_blocks(copy), "taking GPU memory"))
        return false;
    return copy->test == CE_TEST_P2P || copy->test == CE_TEST_D2D ||
           bench_did(bench, copy->test, bench->cuda.alloc_host(&copy->host, copy->size, 0),
                     "taking host memory");
}

/* Pages that were never written may all be one and the same. */
static void touch(const struct copy *copy)
{
    if (copy->host)
        memset(copy->host, 0x5a, copy->size);
}

void bench_copies(struct bench *bench, enum ce_gpu_test test)
{
    static const enum ce_gpu_number numbers[CE_GPU_TESTS] = {[CE_TEST_H2D] = CE_NUMBER_H2D,
                                                             [CE_TEST_D2H] = CE_NUMBER_D2H,
                                                             [CE_TEST_D2D] = CE_NUMBER_D2D};
    struct copy copy = {.bench = bench, .test = test};
    uint64_t mbytes = 0;
    if (prepare(&copy)) {
        touch(&copy);
        if (bench_did(bench, test, measure(&copy, bench->seconds, &mbytes), "copying")) {
            bench->result.numbers[numbers[test]] = mbytes;
            bench->result.tests[test].end = CE_TEST_DONE;
        }
    }
    release(&copy);
}

/* ---------------------------------------------------------------- peers */

static bool is_peer_free(const struct bench *bench, struct ce_peer_bench *peer)
{
    enum ce_test_end end;
    nv_device nv;
    if (bench->nvml.by_bus(peer->address, &nv) != NV_OK) {
        snprintf(peer->reason, sizeof peer->reason, "NVML does not have it");
        return false;
    }
    return !gpu_is_taken(&bench->nvml, nv, 0, peer->reason, &end);
}

/* Nothing is to be measured where the peer has no reason. */
static cu_result copy_to_peer(struct copy *copy, cu_device device, double seconds,
                              struct ce_peer_bench *peer)
{
    const struct cuda *cuda = &copy->bench->cuda;
    cu_result code = cuda->context(&copy->far_context, device);
    if (code != CU_OK)
        return code;
    if ((code = cuda->use(copy->far_context)) == CU_OK)
        code = cuda->alloc(&copy->far, copy->size);
    cu_result back = cuda->use(copy->bench->context);
    if (code == CU_OK && back == CU_OK) {
        code = cuda->enable_peer(copy->far_context, 0);
        if (code == CU_OK || code == CU_PEER_ALREADY_ENABLED)
            code = measure(copy, seconds, &peer->mbytes);
    }
    if (copy->far && cuda->use(copy->far_context) == CU_OK)
        cuda->free(copy->far);
    cuda->use(copy->bench->context);
    cuda->release(device);
    copy->far = 0;
    copy->far_context = NULL;
    return code != CU_OK ? code : back;
}

/* A peer that cannot be reached says why; an error of CUDA's ends the test. */
static cu_result one_peer(struct copy *copy, double seconds, struct ce_peer_bench *peer)
{
    const struct bench *bench = copy->bench;
    cu_device device;
    int can = 0;
    if (!is_peer_free(bench, peer))
        return CU_OK;
    if (bench->cuda.by_bus(&device, peer->address) != CU_OK) {
        snprintf(peer->reason, sizeof peer->reason, "CUDA does not have it");
        return CU_OK;
    }
    cu_result code = bench->cuda.can_access(&can, bench->device, device);
    if (code == CU_OK && !can)
        snprintf(peer->reason, sizeof peer->reason, "no access to it");
    return code == CU_OK && can ? copy_to_peer(copy, device, seconds, peer) : code;
}

static struct ce_peer_bench *add_peer(struct bench *bench, const char *address)
{
    struct ce_peer_bench *peer = &bench->result.peers[bench->result.peer_count++];
    *peer = (struct ce_peer_bench){.mbytes = CE_NOT_MEASURED};
    snprintf(peer->address, sizeof peer->address, "%s", address);
    return peer;
}

void bench_peers(struct bench *bench)
{
    struct copy copy = {.bench = bench, .test = CE_TEST_P2P};
    cu_result code = CU_OK;
    if (bench->peer_count == 0) {
        ce_gpu_test_end(&bench->result, CE_TEST_P2P, CE_TEST_SKIPPED, 0, "no other GPU");
        return;
    }
    if (prepare(&copy)) {
        for (unsigned i = 0; i < bench->peer_count && code == CU_OK; i++)
            code = one_peer(&copy, (double)bench->seconds / bench->peer_count,
                            add_peer(bench, bench->peers[i]));
        if (bench_did(bench, CE_TEST_P2P, code, "copying to a peer"))
            bench->result.tests[CE_TEST_P2P].end = CE_TEST_DONE;
    }
    release(&copy);
}

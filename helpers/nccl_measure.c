/* SPDX-License-Identifier: Apache-2.0 */
/* Connecting the ranks, and all-reduces over them: how long they take, and whether the sums are
 * right. */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "nccl_bench.h"

#define SECOND UINT64_C(1000000000)
enum {
    STEP = CE_NCCL_STEP,
    TIMES_MAX = 1000,
    LOOK_MS = 10,
    MAX_PIECES = 64
};

/* What is compared with what was added. */
struct sums {
    float expected[NCCL_PERIOD];
    float *piece; /* NCCL_PIECE elements, where the GPU can write fast */
};

static int failed_in_gang(struct nccl_bench *bench, const struct ce_error *err)
{
    return nccl_bench_fail(bench, bench->gang.others ? CE_NCCL_OTHERS : CE_NCCL_FAILED, err->text);
}

/* ---------------------------------------------------------------- ranks */

/* While NCCL connects, which may wait for ever for a rank that will not come, somebody else looks
 * after the gang: where that is broken, or the time over, this process ends. */
struct watch {
    struct nccl_bench *bench;
    atomic_bool over;
};

static void end_process(struct nccl_bench *bench)
{
    ce_autotext struct ce_text said = CE_TEXT(4096);
    gang_fail(&bench->gang, bench->result.reason);
    ce_nccl_say_end(&bench->result, &said);
    nccl_say(&said);
    gang_leave(&bench->gang);
    _exit(0);
}

static void *watch(void *ctx)
{
    struct watch *watch = ctx;
    struct nccl_bench *bench = watch->bench;
    struct ce_error err;
    while (!atomic_load(&watch->over)) {
        if (gang_is_broken(&bench->gang, &err))
            ce_nccl_node_end(&bench->result, CE_NCCL_OTHERS, "%s", err.text);
        else if (ce_clock_ns() > bench->gang.deadline)
            ce_nccl_node_end(&bench->result, CE_NCCL_LATE, "NCCL does not get its ranks connected");
        else {
            poll(NULL, 0, LOOK_MS);
            continue;
        }
        end_process(bench);
    }
    return NULL;
}

static int join_ranks(struct nccl_bench *bench)
{
    const struct nccl *nccl = &bench->nccl;
    int status = nccl_bench_nccl(bench, nccl->group_start(), "ncclGroupStart");
    for (uint32_t i = 0; i < bench->result.gpus && status == 0; i++) {
        status =
            nccl_bench_cuda(bench, bench->cuda.use(bench->gpus[i].context), "taking a context");
        if (status == 0)
            status = nccl_bench_nccl(bench,
                                     nccl->init_rank(&bench->gpus[i].comm, (int)bench->part.ranks,
                                                     bench->part.id, (int)(bench->part.first + i)),
                                     "ncclCommInitRank");
    }
    if (status < 0)
        return -1;
    return nccl_bench_nccl(bench, nccl->group_end(), "ncclCommInitRank");
}

static int connect_ranks(struct nccl_bench *bench)
{
    struct watch own = {.bench = bench};
    pthread_t thread;
    if (pthread_create(&thread, NULL, watch, &own) != 0)
        return nccl_bench_fail(bench, CE_NCCL_FAILED, "no thread");
    int status = join_ranks(bench);
    atomic_store(&own.over, true);
    pthread_join(thread, NULL);
    return status;
}

/* What is not well is aborted: to destroy it would wait for the others. */
static void disconnect_ranks(struct nccl_bench *bench, bool well)
{
    for (uint32_t i = 0; i < bench->result.gpus; i++) {
        struct nccl_gpu *gpu = &bench->gpus[i];
        if (!gpu->comm)
            continue;
        bench->cuda.use(gpu->context);
        if (well)
            bench->nccl.destroy(gpu->comm);
        else
            bench->nccl.abort(gpu->comm);
        gpu->comm = NULL;
    }
}

/* ---------------------------------------------------------------- one all-reduce and more */

static int enqueue(struct nccl_bench *bench, uint64_t bytes)
{
    const struct nccl *nccl = &bench->nccl;
    int status = nccl_bench_nccl(bench, nccl->group_start(), "ncclGroupStart");
    for (uint32_t i = 0; i < bench->result.gpus && status == 0; i++) {
        struct nccl_gpu *gpu = &bench->gpus[i];
        status = nccl_bench_nccl(bench,
                                 nccl->all_reduce((const void *)(uintptr_t)gpu->from,
                                                  (void *)(uintptr_t)gpu->to, bytes / sizeof(float),
                                                  NC_FLOAT, NC_SUM, gpu->comm, gpu->stream),
                                 "ncclAllReduce");
    }
    return status < 0 ? -1 : nccl_bench_nccl(bench, nccl->group_end(), "ncclAllReduce");
}

/* What ends a wait besides the GPU: an error of NCCL's, another node, the time. */
static int look_around(struct nccl_bench *bench, const struct nccl_gpu *gpu)
{
    struct ce_error err;
    nc_result code = NC_OK;
    if (gang_is_broken(&bench->gang, &err))
        return failed_in_gang(bench, &err);
    nc_result asked = bench->nccl.async_error(gpu->comm, &code);
    if (asked != NC_OK || (code != NC_OK && code != NC_IN_PROGRESS))
        return nccl_bench_nccl(bench, asked != NC_OK ? asked : code, "an all-reduce");
    if (ce_clock_ns() > bench->gang.deadline)
        return nccl_bench_fail(bench, CE_NCCL_LATE, "an all-reduce does not end");
    return 0;
}

/* A stream that is not ready is asked again at once, for as long as that is short: the time counts.
 */
static int wait_for(struct nccl_bench *bench, const struct nccl_gpu *gpu)
{
    uint64_t began = ce_clock_ns(), looked = began;
    for (;;) {
        cu_result code = bench->cuda.query(gpu->stream);
        if (code != CU_NOT_READY)
            return nccl_bench_cuda(bench, code, "waiting for an all-reduce");
        if (ce_clock_ms_since(looked) < LOOK_MS)
            continue;
        if (look_around(bench, gpu) < 0)
            return -1;
        if (ce_clock_ms_since(began) > 1000)
            poll(NULL, 0, 1);
        looked = ce_clock_ns();
    }
}

/* So many all-reduces, and the time that one took. */
static int run(struct nccl_bench *bench, uint64_t bytes, uint64_t times, uint64_t *ns)
{
    struct ce_error err;
    uint64_t all = 0;
    if (gang_agree(&bench->gang, 0, &all, &err) < 0)
        return failed_in_gang(bench, &err);
    uint64_t began = ce_clock_ns();
    for (uint64_t i = 0; i < times; i++)
        if (enqueue(bench, bytes) < 0)
            return -1;
    for (uint32_t i = 0; i < bench->result.gpus; i++)
        if (bench->cuda.use(bench->gpus[i].context) != CU_OK ||
            wait_for(bench, &bench->gpus[i]) < 0)
            return nccl_bench_fail(bench, CE_NCCL_FAILED, "waiting for an all-reduce");
    *ns = (ce_clock_ns() - began) / times + 1;
    return 0;
}

/* ---------------------------------------------------------------- sums */

static uint64_t compare(const struct sums *sums, uint64_t count)
{
    uint64_t wrong = 0;
    for (uint64_t i = 0, place = 0; i < count; i++) {
        wrong += sums->piece[i] != sums->expected[place];
        place = place + 1 == NCCL_PERIOD ? 0 : place + 1;
    }
    return wrong;
}

/* Every element of what is small; of more, pieces all over it, the first and the last among them.
 */
static int check_gpu(struct nccl_bench *bench, const struct nccl_gpu *gpu, uint64_t bytes,
                     const struct sums *sums, uint64_t *wrong)
{
    const uint64_t piece = NCCL_PIECE * sizeof(float), pieces = (bytes + piece - 1) / piece;
    const uint64_t looks = pieces < MAX_PIECES ? pieces : MAX_PIECES;
    for (uint64_t i = 0; i < looks; i++) {
        uint64_t at = (looks == 1 ? 0 : i * (pieces - 1) / (looks - 1)) * piece;
        uint64_t length = bytes - at < piece ? bytes - at : piece;
        if (nccl_bench_cuda(bench, bench->cuda.read(sums->piece, gpu->to + at, length),
                            "reading sums") < 0)
            return -1;
        *wrong += compare(sums, length / sizeof(float));
    }
    return 0;
}

static int check_sums(struct nccl_bench *bench, uint64_t bytes, const struct sums *sums,
                      uint64_t *wrong)
{
    *wrong = 0;
    for (uint32_t i = 0; i < bench->result.gpus; i++)
        if (nccl_bench_cuda(bench, bench->cuda.use(bench->gpus[i].context), "taking a context") <
                0 ||
            check_gpu(bench, &bench->gpus[i], bytes, sums, wrong) < 0)
            return -1;
    return 0;
}

/* No sum of an earlier size is taken for one of this; it is no number. */
static int clear(struct nccl_bench *bench, uint64_t bytes)
{
    for (uint32_t i = 0; i < bench->result.gpus; i++)
        if (nccl_bench_cuda(bench, bench->cuda.use(bench->gpus[i].context), "taking a context") <
                0 ||
            nccl_bench_cuda(bench, bench->cuda.clear(bench->gpus[i].to, 0xff, bytes),
                            "clearing memory") < 0 ||
            nccl_bench_cuda(bench, bench->cuda.synchronize(), "clearing memory") < 0)
            return -1;
    return 0;
}

/* ---------------------------------------------------------------- sizes */

/* All nodes have to do it equally often, and to end with the same size. */
static int choose_times(struct nccl_bench *bench, uint64_t ns, uint64_t *slowest, uint64_t *times)
{
    struct ce_error err;
    if (gang_agree(&bench->gang, ns, slowest, &err) < 0)
        return failed_in_gang(bench, &err);
    *slowest += *slowest == 0;
    *times = bench->seconds * SECOND / 2 / *slowest;
    *times = *times < 1 ? 1 : *times > TIMES_MAX ? TIMES_MAX : *times;
    return 0;
}

static int measure_size(struct nccl_bench *bench, uint64_t bytes, const struct sums *sums,
                        uint64_t *slowest)
{
    struct ce_nccl_node *result = &bench->result;
    struct ce_nccl_size size = {.bytes = bytes};
    ce_autotext struct ce_text said = CE_TEXT(4096);
    uint64_t times = 1;
    /* The first one makes connections. */
    if (clear(bench, bytes) < 0 || run(bench, bytes, 1, &size.ns) < 0 ||
        run(bench, bytes, 1, &size.ns) < 0 || choose_times(bench, size.ns, slowest, &times) < 0 ||
        run(bench, bytes, times, &size.ns) < 0 || check_sums(bench, bytes, sums, &size.wrong) < 0)
        return -1;
    result->sizes[result->size_count++] = size;
    ce_nccl_say_size(result, &said);
    nccl_say(&said);
    return 0;
}

/* From the least on, each four times the one before, up to the greatest, or to the last for which
 * there is time: each is done at least three times. */
static int measure_sizes(struct nccl_bench *bench, const struct sums *sums)
{
    const uint64_t most = ce_nccl_size_ms(bench->seconds) * (uint64_t)CE_NS_PER_MS;
    uint64_t bytes = bench->bytes, slowest = 0;
    while (bytes / STEP >= bench->least)
        bytes /= STEP;
    for (; bytes <= bench->bytes && slowest * STEP * 3 < most; bytes *= STEP)
        if (measure_size(bench, bytes / sizeof(float) * sizeof(float), sums, &slowest) < 0)
            return -1;
    return 0;
}

static void add_up(struct sums *sums, uint32_t ranks)
{
    for (uint64_t place = 0; place < NCCL_PERIOD; place++) {
        sums->expected[place] = 0;
        for (uint32_t rank = 0; rank < ranks; rank++)
            sums->expected[place] += nccl_addend(place, rank);
    }
}

/* The smallest room of all nodes is that of all. */
static int agree_on_room(struct nccl_bench *bench)
{
    struct ce_error err;
    uint64_t most;
    if (gang_agree(&bench->gang, UINT64_MAX - bench->bytes, &most, &err) < 0)
        return failed_in_gang(bench, &err);
    bench->bytes = UINT64_MAX - most;
    return 0;
}

static int measure(struct nccl_bench *bench)
{
    ce_autotext struct ce_text said = CE_TEXT(4096);
    struct sums sums = {.piece = NULL};
    struct ce_error err;
    uint64_t all;
    add_up(&sums, bench->part.ranks);
    int status = nccl_bench_cuda(
        bench, bench->cuda.alloc_host((void **)&sums.piece, NCCL_PIECE * sizeof(float), 0),
        "taking host memory");
    ce_nccl_say_stage(bench->result.at = CE_NCCL_MEASURE, &said);
    nccl_say(&said);
    if (status == 0)
        status = measure_sizes(bench, &sums);
    /* Nobody disconnects while another still measures. */
    if (status == 0 && gang_agree(&bench->gang, 0, &all, &err) < 0)
        status = failed_in_gang(bench, &err);
    if (sums.piece)
        bench->cuda.free_host(sums.piece);
    return status;
}

int nccl_measure(struct nccl_bench *bench)
{
    ce_autotext struct ce_text said = CE_TEXT(4096);
    if (agree_on_room(bench) < 0 || nccl_gpus_fill(bench) < 0)
        return -1;
    ce_nccl_say_stage(bench->result.at = CE_NCCL_INIT, &said);
    nccl_say(&said);
    int status = connect_ranks(bench);
    if (status == 0)
        status = measure(bench);
    if (status < 0)
        gang_fail(&bench->gang, bench->result.reason);
    disconnect_ranks(bench, status == 0);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Getting hold of a node's GPUs for bench-nccl, and giving them back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "gpu_taken.h"
#include "nccl_bench.h"

enum { BUS = 32, MIB = 1 << 20 };

static int use(struct nccl_bench *bench, const struct nccl_gpu *gpu)
{
    return nccl_bench_cuda(bench, bench->cuda.use(gpu->context), "taking a context");
}

/* ---------------------------------------------------------------- libraries */

static int load_libraries(struct nccl_bench *bench)
{
    struct ce_error err;
    int version = 0;
    enum cuda_loaded cuda = cuda_load(&bench->cuda, &err);
    if (cuda != CUDA_LOADED)
        return nccl_bench_fail(bench, cuda == CUDA_ABSENT ? CE_NCCL_SKIPPED : CE_NCCL_FAILED,
                               err.text);
    enum nccl_loaded nccl = nccl_load(bench->library, &bench->nccl, &version, &err);
    if (nccl != NCCL_LOADED)
        return nccl_bench_fail(bench, nccl == NCCL_ABSENT ? CE_NCCL_SKIPPED : CE_NCCL_FAILED,
                               err.text);
    bench->result.version = (uint32_t)version;
    if (nvml_load(&bench->nvml, &err) < 0) {
        ce_fail_in(&err, "cannot tell whether GPUs are in use");
        return nccl_bench_fail(bench, CE_NCCL_FAILED, err.text);
    }
    return 0;
}

/* ---------------------------------------------------------------- nobody else's */

static int name_gpu(struct nccl_bench *bench, cu_device device)
{
    char name[CE_GPU_WORD];
    if (bench->cuda.name(name, sizeof name, device) != CU_OK || !ce_is_printable(name))
        return 0;
    if (bench->result.gpus == 0)
        snprintf(bench->result.gpu, sizeof bench->result.gpu, "%s", name);
    else if (strcmp(bench->result.gpu, name) != 0)
        bench->result.gpu[0] = '\0';
    return 0;
}

/* No context is made before NVML said that nobody is on it. */
static int look_at(struct nccl_bench *bench, const char *bus)
{
    char reason[CE_TEST_REASON], text[CE_TEST_REASON + BUS + 16];
    enum ce_test_end end;
    unsigned mig = 0, next = 0;
    nv_device nv;
    nv_return code = bench->nvml.by_bus(bus, &nv);
    if (code != NV_OK) {
        snprintf(text, sizeof text, "GPU %s: NVML: %s", bus, ce_nvml_word(code));
        return nccl_bench_fail(bench, CE_NCCL_FAILED, text);
    }
    if (bench->nvml.mig && bench->nvml.mig(nv, &mig, &next) == NV_OK && mig) {
        snprintf(text, sizeof text, "GPU %s: MIG mode is on: it is not one GPU", bus);
        return nccl_bench_fail(bench, CE_NCCL_SKIPPED, text);
    }
    if (!gpu_is_taken(&bench->nvml, nv, 0, reason, &end))
        return 0;
    snprintf(text, sizeof text, "GPU %s: %s", bus, reason);
    return nccl_bench_fail(bench, end == CE_TEST_SKIPPED ? CE_NCCL_SKIPPED : CE_NCCL_FAILED, text);
}

static int add_gpu(struct nccl_bench *bench, int index)
{
    struct nccl_gpu *gpu = &bench->gpus[bench->result.gpus];
    char bus[BUS] = "";
    if (nccl_bench_cuda(bench, bench->cuda.device(&gpu->device, index), "finding a GPU") < 0 ||
        nccl_bench_cuda(bench, bench->cuda.bus(bus, sizeof bus, gpu->device), "finding a GPU") <
            0 ||
        look_at(bench, bus) < 0)
        return -1;
    name_gpu(bench, gpu->device);
    bench->result.gpus++;
    return 0;
}

static int find_gpus(struct nccl_bench *bench)
{
    int count = 0;
    cu_result code = cuda_begin(&bench->cuda);
    if (code == CU_OK)
        code = bench->cuda.count(&count);
    if (code == CU_NO_DEVICE || (code == CU_OK && count == 0))
        return nccl_bench_fail(bench, CE_NCCL_SKIPPED, "CUDA shows no GPU");
    if (nccl_bench_cuda(bench, code, "finding the GPUs") < 0)
        return -1;
    nv_return asked = bench->nvml.init();
    if (asked != NV_OK) {
        char text[96];
        snprintf(text, sizeof text, "NVML: %s", ce_nvml_word(asked));
        return nccl_bench_fail(bench, CE_NCCL_FAILED, text);
    }
    for (int i = 0; i < count && i < CE_NCCL_GPUS_MAX; i++)
        if (add_gpu(bench, i) < 0)
            return -1;
    return 0;
}

static int take_gpus(struct nccl_bench *bench)
{
    const struct cuda *cuda = &bench->cuda;
    for (uint32_t i = 0; i < bench->result.gpus; i++) {
        struct nccl_gpu *gpu = &bench->gpus[i];
        if (nccl_bench_cuda(bench, cuda->context(&gpu->context, gpu->device), "making a context") <
                0 ||
            use(bench, gpu) < 0 ||
            nccl_bench_cuda(bench, cuda->new_stream(&gpu->stream, CU_STREAM_ALONE),
                            "making a stream") < 0)
            return -1;
    }
    return 0;
}

int nccl_gpus_open(struct nccl_bench *bench)
{
    return load_libraries(bench) < 0 || find_gpus(bench) < 0 || take_gpus(bench) < 0 ? -1 : 0;
}

/* ---------------------------------------------------------------- memory */

/* What NCCL takes for itself is left: an eighth. */
static uint64_t room_for(size_t free)
{
    uint64_t half = ((uint64_t)free - free / 8) / 2;
    return half / MIB * MIB;
}

int nccl_gpus_room(struct nccl_bench *bench)
{
    size_t free = 0, total = 0;
    char text[96];
    for (uint32_t i = 0; i < bench->result.gpus; i++) {
        if (use(bench, &bench->gpus[i]) < 0 ||
            nccl_bench_cuda(bench, bench->cuda.memory(&free, &total), "asking for free memory") < 0)
            return -1;
        if (room_for(free) < bench->bytes)
            bench->bytes = room_for(free);
    }
    if (bench->bytes >= sizeof(float))
        return 0;
    snprintf(text, sizeof text, "no free memory: %zu of %zu MiB are free", free / MIB, total / MIB);
    return nccl_bench_fail(bench, CE_NCCL_FAILED, text);
}

/* One piece comes from the host, and is doubled until the place is full. */
static int fill(struct nccl_bench *bench, const struct nccl_gpu *gpu, uint32_t rank, float *piece)
{
    const struct cuda *cuda = &bench->cuda;
    uint64_t done =
        NCCL_PIECE * sizeof *piece < bench->bytes ? NCCL_PIECE * sizeof *piece : bench->bytes;
    for (uint64_t i = 0; i < NCCL_PIECE; i++)
        piece[i] = nccl_addend(i, rank);
    cu_result code = cuda->write(gpu->from, piece, done);
    while (code == CU_OK && done < bench->bytes) {
        uint64_t more = done < bench->bytes - done ? done : bench->bytes - done;
        code = cuda->repeat(gpu->from + done, gpu->from, more);
        done += more;
    }
    if (code == CU_OK)
        code = cuda->synchronize(); /* other streams do not wait for it */
    return nccl_bench_cuda(bench, code, "filling memory");
}

int nccl_gpus_fill(struct nccl_bench *bench)
{
    ce_autofree float *piece = malloc(NCCL_PIECE * sizeof *piece);
    if (!piece)
        return nccl_bench_fail(bench, CE_NCCL_FAILED, "no memory");
    for (uint32_t i = 0; i < bench->result.gpus; i++) {
        struct nccl_gpu *gpu = &bench->gpus[i];
        if (use(bench, gpu) < 0 ||
            nccl_bench_cuda(bench, bench->cuda.alloc(&gpu->from, bench->bytes), "taking memory") <
                0 ||
            nccl_bench_cuda(bench, bench->cuda.alloc(&gpu->to, bench->bytes), "taking memory") <
                0 ||
            fill(bench, gpu, bench->part.first + i, piece) < 0)
            return -1;
    }
    return 0;
}

/* Wherever the test has ended; errors change nothing any more. */
void nccl_gpus_close(struct nccl_bench *bench)
{
    const struct cuda *cuda = &bench->cuda;
    for (uint32_t i = 0; i < bench->result.gpus; i++) {
        struct nccl_gpu *gpu = &bench->gpus[i];
        if (!gpu->context)
            continue;
        cuda->use(gpu->context);
        if (gpu->from)
            cuda->free(gpu->from);
        if (gpu->to)
            cuda->free(gpu->to);
        if (gpu->stream)
            cuda->free_stream(gpu->stream);
        cuda->release(gpu->device);
    }
}

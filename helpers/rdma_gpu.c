/* SPDX-License-Identifier: Apache-2.0 */
#include "rdma_gpu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "gpu_taken.h"

enum { ACCESS = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE };

static int fail_cuda(const struct rdma_gpu *gpu, const char *address, const char *what,
                     cu_result code, struct ce_rdma_result *result)
{
    char word[96];
    return ce_rdma_fail(result, CE_RDMA_GPU, "GPU %s: %s: %s", address, what,
                        cuda_word(&gpu->cuda, code, word, sizeof word));
}

/* ---------------------------------------------------------------- getting hold of it */

static int load(struct rdma_gpu *gpu, struct ce_rdma_result *result)
{
    struct ce_error err;
    enum cuda_loaded loaded = cuda_load(&gpu->cuda, &err);
    if (loaded != CUDA_LOADED)
        return ce_rdma_fail(result, loaded == CUDA_ABSENT ? CE_RDMA_NO_GPU : CE_RDMA_GPU, "%.150s",
                            err.text);
    if (nvml_load(&gpu->nvml, &err) < 0)
        return ce_rdma_fail(result, CE_RDMA_GPU, "cannot tell whether a GPU is in use: %.100s",
                            err.text);
    return 0;
}

/* Nothing of CUDA before NVML said that nobody is on it. */
static int ask_nvml(const struct rdma_gpu *gpu, const char *address, unsigned ours,
                    struct ce_rdma_result *result)
{
    const struct nvml *nvml = &gpu->nvml;
    char reason[CE_TEST_REASON];
    enum ce_test_end end;
    unsigned mig = 0, next = 0;
    nv_device nv;
    nv_return code = nvml->init();
    if (code == NV_OK)
        code = nvml->by_bus(address, &nv);
    if (code != NV_OK)
        return ce_rdma_fail(result, CE_RDMA_GPU, "GPU %s: NVML: %s", address, ce_nvml_word(code));
    if (nvml->mig && nvml->mig(nv, &mig, &next) == NV_OK && mig)
        return ce_rdma_fail(result, CE_RDMA_NO_GPU, "GPU %s: MIG mode is on", address);
    if (gpu_is_taken(nvml, nv, ours, reason, &end))
        return ce_rdma_fail(result, end == CE_TEST_SKIPPED ? CE_RDMA_NO_GPU : CE_RDMA_GPU,
                            "GPU %s: %s", address, reason);
    return 0;
}

static int open_context(struct rdma_gpu *gpu, const char *address, struct ce_rdma_result *result)
{
    const struct cuda *cuda = &gpu->cuda;
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    cu_context context;
    cu_result code = cuda_begin(cuda);
    if (code == CU_OK)
        code = cuda->by_bus(&gpu->device, address);
    if ((code == CU_NO_DEVICE || code == CU_INVALID_DEVICE) && visible)
        return ce_rdma_fail(result, CE_RDMA_NO_GPU, "GPU %s: CUDA_VISIBLE_DEVICES=%.40s hides it",
                            address, visible);
    if (code != CU_OK)
        return fail_cuda(gpu, address, "finding it", code, result);
    if (cuda->name(gpu->name, sizeof gpu->name, gpu->device) != CU_OK ||
        !ce_is_printable(gpu->name))
        gpu->name[0] = '\0';
    code = cuda->context(&context, gpu->device);
    if (code != CU_OK)
        return fail_cuda(gpu, address, "making a context", code, result);
    gpu->context = context;
    code = cuda->use(context);
    return code == CU_OK ? 0 : fail_cuda(gpu, address, "taking the context", code, result);
}

/* A dma-buf is made of whole pages, and so is what is registered. */
static int take_memory(struct rdma_gpu *gpu, const char *address, size_t size,
                       struct ce_rdma_result *result)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    gpu->size = (size + page - 1) / page * page;
    cu_result code = gpu->cuda.alloc(&gpu->memory, gpu->size + page);
    if (code != CU_OK) {
        gpu->memory = 0;
        return fail_cuda(gpu, address, "taking GPU memory", code, result);
    }
    gpu->address = (gpu->memory + page - 1) / page * page;
    return 0;
}

int rdma_gpu_open(struct rdma_gpu *gpu, const char *address, unsigned ours, size_t size,
                  struct ce_rdma_result *result)
{
    *gpu = (struct rdma_gpu){.way = ""};
    return load(gpu, result) < 0 || ask_nvml(gpu, address, ours, result) < 0 ||
                   open_context(gpu, address, result) < 0 ||
                   take_memory(gpu, address, size, result) < 0
               ? -1
               : 0;
}

/* ---------------------------------------------------------------- registering */

/* An errno; 0: registered. */
static int register_dma_buf(struct rdma_gpu *gpu, struct ibv_pd *pd)
{
    int can = 0, handle = -1;
    if (!gpu->cuda.range ||
        gpu->cuda.attribute(&can, CU_DMA_BUF_SUPPORTED, gpu->device) != CU_OK || !can)
        return ENOSYS;
    if (gpu->cuda.range(&handle, gpu->address, gpu->size, CU_RANGE_DMA_BUF, 0) != CU_OK)
        return EIO;
    ce_autoclose int fd = handle;
    errno = 0;
    gpu->mr = ibv_reg_dmabuf_mr(pd, 0, gpu->size, gpu->address, fd, ACCESS);
    return gpu->mr ? 0 : errno ? errno : EIO;
}

/* nvidia-peermem makes the kernel understand addresses that are CUDA's. */
static int register_peermem(struct rdma_gpu *gpu, struct ibv_pd *pd)
{
    errno = 0;
    gpu->mr = ibv_reg_mr(pd, (void *)(uintptr_t)gpu->address, gpu->size, ACCESS);
    return gpu->mr ? 0 : errno ? errno : EIO;
}

int rdma_gpu_register(struct rdma_gpu *gpu, struct ibv_pd *pd, const char *device,
                      struct ce_rdma_result *result)
{
    int no_dma_buf = register_dma_buf(gpu, pd);
    int no_peermem = no_dma_buf ? register_peermem(gpu, pd) : 0;
    if (no_dma_buf && no_peermem)
        return ce_rdma_fail(result, CE_RDMA_GPU,
                            "%.30s cannot use GPU memory (dma-buf: %s, peermem: %s): load "
                            "nvidia-peermem",
                            device, strerror(no_dma_buf), strerror(no_peermem));
    gpu->way = no_dma_buf ? "peermem" : "dma-buf";
    return 0;
}

void rdma_gpu_close(struct rdma_gpu *gpu)
{
    if (gpu->mr)
        ibv_dereg_mr(gpu->mr);
    if (gpu->context)
        gpu->cuda.use(gpu->context);
    if (gpu->memory)
        gpu->cuda.free(gpu->memory);
    if (gpu->context)
        gpu->cuda.release(gpu->device);
    *gpu = (struct rdma_gpu){.way = ""};
}

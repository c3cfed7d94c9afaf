/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a GPU that an RDMA device reads and writes itself (GPUDirect RDMA).  CUDA and NVML are
 * loaded, never linked: without them there is no such memory, and everything else goes on. */
#ifndef CE_HELPERS_RDMA_GPU_H
#define CE_HELPERS_RDMA_GPU_H

#include <infiniband/verbs.h>

#include "cuda.h"
#include "model/rdma_result.h"
#include "nvml.h"

struct rdma_gpu {
    struct cuda cuda;
    struct nvml nvml;
    cu_device device;
    cu_context context;
    cu_pointer memory; /* as CUDA gave it; 0: none */
    uint64_t address;  /* the first whole page of it */
    size_t size;
    struct ibv_mr *mr;       /* NULL: not registered */
    char name[CE_RDMA_WORD]; /* "NVIDIA H100 80GB HBM3" */
    const char *way;         /* how it was registered, "dma-buf" or "peermem"; "" before */
};

/* Take memory of the GPU with that PCI address, unless somebody computes on it; `ours` contexts on
 * it are this process's.  0; -1 with the result set.  Close it in both cases. */
int rdma_gpu_open(struct rdma_gpu *gpu, const char *address, unsigned ours, size_t size,
                  struct ce_rdma_result *result);

/* Give it to the device: by dma-buf, which current drivers have, else by nvidia-peermem.  0, or -1. */
int rdma_gpu_register(struct rdma_gpu *gpu, struct ibv_pd *pd, const char *device,
                      struct ce_rdma_result *result);

/* Also of one that is all zeroes. */
void rdma_gpu_close(struct rdma_gpu *gpu);

#endif

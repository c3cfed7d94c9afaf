/* SPDX-License-Identifier: Apache-2.0 */
/* The part of CUDA's driver interface (libcuda.so.1, NVIDIA's driver) that bench-gpu, bench-nccl and
 * bench-rdma use: our own
 * declarations, so that it builds where NVIDIA's header is not; tests/build/cuda_header.sh holds
 * them against that header where one is found.  The library is loaded, never linked. */
#ifndef CE_HELPERS_CUDA_H
#define CE_HELPERS_CUDA_H

#include <stddef.h>

#include "base/error.h"

enum {
    CU_OK = 0,
    CU_OUT_OF_MEMORY = 2,
    CU_NO_DEVICE = 100,
    CU_INVALID_DEVICE = 101,
    CU_ECC_UNCORRECTABLE = 214,
    CU_NOT_READY = 600,
    CU_PEER_ALREADY_ENABLED = 704,
};

enum { CU_MULTIPROCESSORS = 16, CU_DMA_BUF_SUPPORTED = 124 }; /* of cuDeviceGetAttribute */
enum { CU_RANGE_DMA_BUF = 1 };                                /* of cuMemGetHandleForAddressRange */
enum { CU_STREAM_ALONE = 1 };                                 /* of cuStreamCreate: it does not wait for the default one */

#ifndef CU_TYPES_OF_VENDOR /* the test puts NVIDIA's in their place */
typedef unsigned cu_result;
typedef int cu_device;
typedef unsigned cu_attribute;
typedef unsigned cu_range;
typedef unsigned long long cu_pointer;
typedef struct CUctx_st *cu_context;
typedef struct CUmod_st *cu_module;
typedef struct CUfunc_st *cu_function;
typedef struct CUstream_st *cu_stream;
typedef struct CUevent_st *cu_event;
#endif

/* Our name, the symbol, the name it had in older drivers (NULL: none), its parameters.  All of
 * them are needed. */
#define CU_FUNCTIONS(F)                                                                            \
    F(init, cuInit, NULL, (unsigned))                                                              \
    F(error_name, cuGetErrorName, NULL, (cu_result, const char **))                                \
    F(count, cuDeviceGetCount, NULL, (int *))                                                      \
    F(device, cuDeviceGet, NULL, (cu_device *, int))                                               \
    F(bus, cuDeviceGetPCIBusId, NULL, (char *, int, cu_device))                                    \
    F(by_bus, cuDeviceGetByPCIBusId, NULL, (cu_device *, const char *))                            \
    F(name, cuDeviceGetName, NULL, (char *, int, cu_device))                                       \
    F(attribute, cuDeviceGetAttribute, NULL, (int *, cu_attribute, cu_device))                     \
    F(context, cuDevicePrimaryCtxRetain, NULL, (cu_context *, cu_device))                          \
    F(release, cuDevicePrimaryCtxRelease_v2, "cuDevicePrimaryCtxRelease", (cu_device))             \
    F(use, cuCtxSetCurrent, NULL, (cu_context))                                                    \
    F(can_access, cuDeviceCanAccessPeer, NULL, (int *, cu_device, cu_device))                      \
    F(enable_peer, cuCtxEnablePeerAccess, NULL, (cu_context, unsigned))                            \
    F(memory, cuMemGetInfo_v2, NULL, (size_t *, size_t *))                                         \
    F(alloc, cuMemAlloc_v2, NULL, (cu_pointer *, size_t))                                          \
    F(free, cuMemFree_v2, NULL, (cu_pointer))                                                      \
    F(alloc_host, cuMemHostAlloc, NULL, (void **, size_t, unsigned))                               \
    F(free_host, cuMemFreeHost, NULL, (void *))                                                    \
    F(clear, cuMemsetD8_v2, NULL, (cu_pointer, unsigned char, size_t))                             \
    F(read, cuMemcpyDtoH_v2, NULL, (void *, cu_pointer, size_t))                                   \
    F(write, cuMemcpyHtoD_v2, NULL, (cu_pointer, const void *, size_t))                            \
    F(repeat, cuMemcpyDtoD_v2, NULL, (cu_pointer, cu_pointer, size_t))                             \
    F(copy_in, cuMemcpyHtoDAsync_v2, NULL, (cu_pointer, const void *, size_t, cu_stream))          \
    F(copy_out, cuMemcpyDtoHAsync_v2, NULL, (void *, cu_pointer, size_t, cu_stream))               \
    F(copy_within, cuMemcpyDtoDAsync_v2, NULL, (cu_pointer, cu_pointer, size_t, cu_stream))        \
    F(copy_peer, cuMemcpyPeerAsync, NULL,                                                          \
      (cu_pointer, cu_context, cu_pointer, cu_context, size_t, cu_stream))                         \
    F(new_stream, cuStreamCreate, NULL, (cu_stream *, unsigned))                                   \
    F(query, cuStreamQuery, NULL, (cu_stream))                                                     \
    F(free_stream, cuStreamDestroy_v2, NULL, (cu_stream))                                          \
    F(new_event, cuEventCreate, NULL, (cu_event *, unsigned))                                      \
    F(record, cuEventRecord, NULL, (cu_event, cu_stream))                                          \
    F(wait, cuEventSynchronize, NULL, (cu_event))                                                  \
    F(elapsed, cuEventElapsedTime_v2, "cuEventElapsedTime", (float *, cu_event, cu_event))         \
    F(free_event, cuEventDestroy_v2, NULL, (cu_event))                                             \
    F(load, cuModuleLoadData, NULL, (cu_module *, const void *))                                   \
    F(unload, cuModuleUnload, NULL, (cu_module))                                                   \
    F(function, cuModuleGetFunction, NULL, (cu_function *, cu_module, const char *))               \
    F(launch, cuLaunchKernel, NULL,                                                                \
      (cu_function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,          \
       cu_stream, void **, void **))                                                               \
    F(synchronize, cuCtxSynchronize, NULL, (void))

/* Those that a driver may lack: NULL. */
#define CU_OPTIONAL(F)                                                                             \
    F(range, cuMemGetHandleForAddressRange, NULL,                                                  \
      (void *, cu_pointer, size_t, cu_range, unsigned long long))

#define CU_MEMBER(member, symbol, older, parameters) cu_result(*member) parameters;
struct cuda {
    CU_FUNCTIONS(CU_MEMBER)
    CU_OPTIONAL(CU_MEMBER)
};
#undef CU_MEMBER

enum cuda_loaded {
    CUDA_LOADED,
    CUDA_ABSENT,  /* there is no such library here */
    CUDA_LACKING, /* there is, without a function that we need */
};
/* Load it and fill in the table; else err says why not. */
enum cuda_loaded cuda_load(struct cuda *ret, struct ce_error *err);

/* cuInit(), of the GPUs themselves: whatever service a user has put where CUDA looks for one is not
 * talked to, and nothing is kept in anybody's home. */
cu_result cuda_begin(const struct cuda *cuda);

/* "CUDA_ERROR_ECC_UNCORRECTABLE (214)". */
const char *cuda_word(const struct cuda *cuda, cu_result code, char *text, size_t size);

#endif

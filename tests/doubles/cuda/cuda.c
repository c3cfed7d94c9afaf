/* SPDX-License-Identifier: Apache-2.0 */
/* A libcuda.so.1 whose GPUs are what the scenario file in $CUDA_DOUBLE tells; README.md has its
 * form.  It shares no declaration with our helper, so that a mistake is not made twice. */
#include "cuda.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../scenario.h"

enum { NOT_INITIALIZED = 3, NO_DEVICE = 100, INVALID_DEVICE, INVALID_CONTEXT = 201 };
enum { NOT_READY = 600, ALREADY_ENABLED = 704, NOT_ENABLED, MPS_CONNECTION_FAILED = 805 };

static int initialized, gpu_count;
static struct gpu gpus[GPUS];

int kept;
struct gpu *current;

struct event {
    double at;
};

/* ---------------------------------------------------------------- the scenario */

/* What no line fits succeeds. */
static CUresult act(const char *value)
{
    return value ? (CUresult)scenario_act(value, NULL) : SUCCESS;
}

const char *of_gpu(const struct gpu *gpu, const char *key)
{
    char full[160];
    snprintf(full, sizeof full, "gpu.%d.%s", gpu->index, key);
    return scenario_find(full);
}

CUresult do_on(struct gpu *gpu, const char *key)
{
    if (!initialized)
        return NOT_INITIALIZED;
    if (!gpu)
        return INVALID_CONTEXT;
    if (!gpu->broken) {
        CUresult code = act(of_gpu(gpu, key));
        if (code == 214 || code >= 700) /* the context is dead from then on */
            gpu->broken = code;
        return code;
    }
    return gpu->broken;
}

double number_of(const struct gpu *gpu, const char *key, double otherwise)
{
    const char *value = of_gpu(gpu, key);
    char *end;
    double number = value ? strtod(value, &end) : otherwise;
    return number > 0 ? number : otherwise;
}

/* ---------------------------------------------------------------- library and devices */

/* As the driver: who finds MPS's pipes talks to whatever is behind them. */
static int meets_mps(void)
{
    const char *where = getenv("CUDA_MPS_PIPE_DIRECTORY"), *usual = scenario_find("cuda.mps");
    char path[512];
    snprintf(path, sizeof path, "%s/control", where ? where : usual ? usual : "");
    return access(path, F_OK) == 0;
}

CUresult cuInit(unsigned flags)
{
    scenario_load(getenv("CUDA_DOUBLE"));
    const char *count = scenario_find("count");
    gpu_count = count ? atoi(count) : 0;
    if (meets_mps())
        return MPS_CONNECTION_FAILED;
    CUresult code = flags ? INVALID_VALUE : act(scenario_find("cuda.init"));
    if (code != SUCCESS)
        return code;
    initialized = 1;
    for (int i = 0; i < GPUS; i++)
        gpus[i].index = i;
    return gpu_count ? SUCCESS : NO_DEVICE;
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
    static const struct {
        CUresult code;
        const char *name;
    } names[] = {{OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"}, {NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
                 {214, "CUDA_ERROR_ECC_UNCORRECTABLE"}, {221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND"},
                 {ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"}, {802, "CUDA_ERROR_SYSTEM_NOT_READY"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].code == error) {
            *name = names[i].name;
            return SUCCESS;
        }
    *name = NULL;
    return INVALID_VALUE;
}

CUresult cuDeviceGetCount(int *count)
{
    *count = gpu_count;
    return initialized ? SUCCESS : NOT_INITIALIZED;
}

CUresult cuDeviceGet(CUdevice *device, int index)
{
    *device = index;
    return index >= 0 && index < gpu_count ? SUCCESS : INVALID_DEVICE;
}

CUresult cuDeviceGetPCIBusId(char *bus, int size, CUdevice device)
{
    const char *text = of_gpu(&gpus[device], "bus");
    snprintf(bus, (size_t)size, "%s", text ? text : "");
    return SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *bus)
{
    unsigned wanted[3], at[3];
    if (!initialized)
        return NOT_INITIALIZED;
    if (sscanf(bus, "%x:%x:%x", &wanted[0], &wanted[1], &wanted[2]) != 3)
        return INVALID_VALUE;
    for (int i = 0; i < gpu_count && i < GPUS; i++) {
        const char *text = of_gpu(&gpus[i], "bus");
        if (!text || sscanf(text, "%x:%x:%x", &at[0], &at[1], &at[2]) != 3 ||
            memcmp(at, wanted, sizeof at) != 0)
            continue;
        *device = i;
        return do_on(&gpus[i], "visible");
    }
    return INVALID_DEVICE;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    const char *text = of_gpu(&gpus[device], "name");
    snprintf(name, (size_t)size, "%s", text ? text : "a GPU");
    return SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, unsigned attribute, CUdevice device)
{
    const char *dma_buf = of_gpu(&gpus[device], "dma_buf");
    if (attribute != 16 && attribute != 124)
        return INVALID_VALUE;
    *value = attribute == 16 ? 2 /* multiprocessors */ : dma_buf && strcmp(dma_buf, "1") == 0;
    return SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(struct gpu **context, CUdevice device)
{
    struct gpu *gpu = &gpus[device];
    CUresult code = do_on(gpu, "context");
    if (code != SUCCESS)
        return code;
    gpu->total = (size_t)number_of(gpu, "memory.total", 1 << 30);
    gpu->free = (size_t)number_of(gpu, "cuda.free", 256 << 20);
    if (!gpu->arena)
        gpu->arena = mmap(NULL, gpu->free, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    gpu->retained++;
    kept++;
    *context = gpu;
    return SUCCESS;
}

/* How much is left when the last one goes is told in the file of the line `cuda.log`. */
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    const char *path = scenario_find("cuda.log");
    gpus[device].retained--;
    kept--;
    int in_use = 0;
    for (int i = 0; i < GPUS; i++)
        in_use += gpus[i].retained;
    FILE *file = path && !in_use ? fopen(path, "ae") : NULL;
    if (file) {
        fprintf(file, "%d things are left\n", kept);
        fclose(file);
    }
    return SUCCESS;
}

CUresult cuCtxSetCurrent(struct gpu *context)
{
    current = context;
    return SUCCESS;
}

static double speed_to(const struct gpu *gpu, const struct gpu *peer)
{
    char key[32];
    snprintf(key, sizeof key, "peer.%d", peer->index);
    const char *value = of_gpu(gpu, key);
    return value && strcmp(value, "0") != 0 ? number_of(gpu, key, 1000) : 0;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    *can = speed_to(&gpus[device], &gpus[peer]) > 0;
    return SUCCESS;
}

CUresult cuCtxEnablePeerAccess(struct gpu *peer, unsigned flags)
{
    if (!current || flags)
        return INVALID_VALUE;
    if (current->enabled[peer->index])
        return ALREADY_ENABLED;
    current->enabled[peer->index] = 1;
    return SUCCESS;
}

/* ---------------------------------------------------------------- memory */

static CUdeviceptr base_of(const struct gpu *gpu)
{
    const char *mapped = of_gpu(gpu, "mapped");
    if (mapped && strcmp(mapped, "1") == 0) /* as nvidia-peermem lets the kernel see it */
        return (CUdeviceptr)(uintptr_t)gpu->arena;
    return (CUdeviceptr)(gpu->index + 1) << 40;
}

static size_t used_of(const struct gpu *gpu)
{
    size_t used = 0;
    for (int i = 0; i < gpu->piece_count; i++)
        used += gpu->pieces[i].size;
    return used;
}

CUresult cuMemGetInfo_v2(size_t *free, size_t *total)
{
    CUresult code = do_on(current, "info");
    if (code != SUCCESS)
        return code;
    *free = current->free - used_of(current);
    *total = current->total;
    return SUCCESS;
}

/* The lowest place where it fits. */
CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t size)
{
    CUresult code = do_on(current, "alloc");
    size_t at = 0;
    if (code != SUCCESS)
        return code;
    for (int i = 0; i < current->piece_count; i++)
        if (at < current->pieces[i].at + current->pieces[i].size && current->pieces[i].at < at + size) {
            at = (current->pieces[i].at + current->pieces[i].size + 255) & ~(size_t)255;
            i = -1;
        }
    if (size == 0 || current->piece_count == PIECES || at + size > current->free)
        return size ? OUT_OF_MEMORY : INVALID_VALUE;
    current->pieces[current->piece_count].at = at;
    current->pieces[current->piece_count++].size = size;
    kept++;
    *pointer = base_of(current) + at;
    return SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr pointer)
{
    for (int i = 0; current && i < current->piece_count; i++)
        if (base_of(current) + current->pieces[i].at == pointer) {
            current->pieces[i] = current->pieces[--current->piece_count];
            kept--;
            return SUCCESS;
        }
    return INVALID_VALUE;
}

/* A file is no dma-buf: whoever takes it for one has to say so. */
CUresult cuMemGetHandleForAddressRange(void *handle, CUdeviceptr pointer, size_t size,
                                       unsigned type, unsigned long long flags)
{
    if (type != 1 || flags || pointer % (size_t)sysconf(_SC_PAGESIZE) || !view(current, pointer, size))
        return INVALID_VALUE;
    CUresult code = do_on(current, "range");
    if (code == SUCCESS)
        *(int *)handle = memfd_create("dma-buf", 1 /* MFD_CLOEXEC */);
    return code;
}

CUresult cuMemHostAlloc(void **pointer, size_t size, unsigned flags)
{
    CUresult code = do_on(current, "alloc_host");
    if (code != SUCCESS || flags)
        return code ? code : INVALID_VALUE;
    *pointer = malloc(size);
    kept++;
    return *pointer ? SUCCESS : OUT_OF_MEMORY;
}

CUresult cuMemFreeHost(void *pointer)
{
    free(pointer);
    kept--;
    return SUCCESS;
}

char *view(struct gpu *gpu, CUdeviceptr pointer, size_t size)
{
    for (int i = 0; gpu && i < gpu->piece_count; i++) {
        CUdeviceptr begin = base_of(gpu) + gpu->pieces[i].at;
        if (pointer >= begin && pointer + size <= begin + gpu->pieces[i].size)
            return gpu->arena + (pointer - base_of(gpu));
    }
    return NULL;
}

CUresult cuMemsetD8_v2(CUdeviceptr pointer, unsigned char value, size_t size)
{
    char *at = view(current, pointer, size);
    if (!at)
        return ILLEGAL_ADDRESS;
    memset(at, value, size);
    return SUCCESS;
}

CUresult cuMemcpyDtoH_v2(void *host, CUdeviceptr pointer, size_t size)
{
    char *at = view(current, pointer, size);
    CUresult code = do_on(current, "read");
    if (code != SUCCESS || !at)
        return code ? code : ILLEGAL_ADDRESS;
    memcpy(host, at, size);
    return SUCCESS;
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr pointer, const void *host, size_t size)
{
    char *at = view(current, pointer, size);
    CUresult code = do_on(current, "write");
    if (code != SUCCESS || !at)
        return code ? code : ILLEGAL_ADDRESS;
    memcpy(at, host, size);
    return SUCCESS;
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t size)
{
    char *there = view(current, to, size), *here = view(current, from, size);
    if (!there || !here)
        return ILLEGAL_ADDRESS;
    memmove(there, here, size);
    return SUCCESS;
}

/* For the double of NCCL, whatever GPU it is on. */
void *cuDoubleView(CUdeviceptr pointer, size_t size)
{
    char *found = NULL;
    for (int i = 0; i < GPUS && !found; i++)
        found = gpus[i].arena ? view(&gpus[i], pointer, size) : NULL;
    return found;
}

/* ---------------------------------------------------------------- streams */

/* Things that are still to happen in it; the double of NCCL counts them. */
struct stream {
    atomic_int pending;
};

CUresult cuStreamCreate(struct stream **stream, unsigned flags)
{
    CUresult code = flags > 1 ? INVALID_VALUE : do_on(current, "stream");
    if (code != SUCCESS)
        return code;
    *stream = calloc(1, sizeof **stream);
    kept++;
    return SUCCESS;
}

CUresult cuStreamQuery(struct stream *stream)
{
    CUresult code = do_on(current, "query");
    return code ? code : atomic_load(&stream->pending) ? NOT_READY : SUCCESS;
}

CUresult cuStreamDestroy_v2(struct stream *stream)
{
    (void)stream; /* somebody may still count in it */
    kept--;
    return SUCCESS;
}

void cuDoublePend(struct stream *stream, int change)
{
    atomic_fetch_add(&stream->pending, change);
}

/* Bytes are not moved: a copy is the time that it takes. */
static CUresult copy(struct gpu *gpu, const char *key, double mbytes, size_t size)
{
    CUresult code = do_on(gpu, key);
    if (code == SUCCESS)
        gpu->clock += (double)size / mbytes / 1000;
    return code;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t size, void *stream)
{
    if (stream || !from || !view(current, to, size))
        return ILLEGAL_ADDRESS;
    return copy(current, "h2d", number_of(current, "h2d", 1000), size);
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size, void *stream)
{
    if (stream || !to || !view(current, from, size))
        return ILLEGAL_ADDRESS;
    return copy(current, "d2h", number_of(current, "d2h", 1000), size);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size, void *stream)
{
    if (stream || to == from || !view(current, to, size) || !view(current, from, size))
        return ILLEGAL_ADDRESS;
    return copy(current, "d2d", number_of(current, "d2d", 1000), size);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, struct gpu *peer, CUdeviceptr from, struct gpu *own,
                           size_t size, void *stream)
{
    char key[32];
    if (stream || own != current || !view(peer, to, size) || !view(own, from, size))
        return ILLEGAL_ADDRESS;
    snprintf(key, sizeof key, "peer.%d", peer->index);
    return own->enabled[peer->index] ? copy(own, key, speed_to(own, peer), size) : NOT_ENABLED;
}

/* ---------------------------------------------------------------- events */

CUresult cuEventCreate(struct event **event, unsigned flags)
{
    (void)flags;
    CUresult code = do_on(current, "event");
    if (code != SUCCESS)
        return code;
    *event = calloc(1, sizeof **event);
    kept++;
    return SUCCESS;
}

CUresult cuEventRecord(struct event *event, void *stream)
{
    (void)stream;
    event->at = current->clock;
    return current->broken;
}

CUresult cuEventSynchronize(struct event *event)
{
    (void)event;
    return do_on(current, "wait");
}

CUresult cuEventElapsedTime(float *ms, const struct event *begin, const struct event *end)
{
    *ms = (float)(end->at - begin->at);
    return SUCCESS;
}

CUresult cuEventElapsedTime_v2(float *ms, const struct event *begin, const struct event *end)
{
    return cuEventElapsedTime(ms, begin, end);
}

CUresult cuEventDestroy_v2(struct event *event)
{
    free(event);
    kept--;
    return SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
    return do_on(current, "synchronize");
}

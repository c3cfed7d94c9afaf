/* SPDX-License-Identifier: Apache-2.0 */
/* A libnvidia-ml.so.1 that says what the scenario file in $NVML_DOUBLE tells it to; README.md has
 * its form.  It shares no declaration with our helper, so that a mistake is not made twice. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../scenario.h"

typedef int nvmlReturn_t;
typedef unsigned int uint;
typedef unsigned long long ull;
typedef struct nvmlDevice_st *nvmlDevice_t;

enum { SUCCESS, INVALID = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, SMALL = 7, OTHER_VERSION = 25 };
enum { GPUS = 64 };

static struct nvmlDevice_st {
    int index;
} devices[GPUS];

static void load(void)
{
    const char *path = getenv("NVML_DOUBLE");
    scenario_load(path ? path : "/etc/nvml.scenario");
    for (int i = 0; i < GPUS; i++)
        devices[i].index = i;
}

static nvmlReturn_t look(const char *key, const char **value)
{
    const char *found = scenario_find(key);
    return found ? scenario_act(found, value) : NOT_SUPPORTED;
}

static nvmlReturn_t gpu_text(nvmlDevice_t device, const char *key, const char **value)
{
    char full[160];
    nvmlReturn_t lost;
    snprintf(full, sizeof full, "gpu.%d.all", device->index); /* whatever is asked */
    lost = look(full, value);
    if (lost != SUCCESS && lost != NOT_SUPPORTED)
        return lost;
    snprintf(full, sizeof full, "gpu.%d.%s", device->index, key);
    return look(full, value);
}

static nvmlReturn_t gpu_number(nvmlDevice_t device, const char *key, ull *ret)
{
    const char *value = "";
    nvmlReturn_t code = gpu_text(device, key, &value);
    if (code == SUCCESS)
        *ret = strtoull(value, NULL, 0);
    return code;
}

static nvmlReturn_t gpu_uint(nvmlDevice_t device, const char *key, uint *ret)
{
    ull number = 0;
    nvmlReturn_t code = gpu_number(device, key, &number);
    if (code == SUCCESS)
        *ret = (uint)number;
    return code;
}

static nvmlReturn_t gpu_word(nvmlDevice_t device, const char *key, char *ret, uint size)
{
    const char *value = "";
    nvmlReturn_t code = gpu_text(device, key, &value);
    if (code == SUCCESS && strlen(value) >= size)
        return SMALL;
    if (code == SUCCESS)
        strcpy(ret, value);
    return code;
}

/* ---------------------------------------------------------------- library and devices */

nvmlReturn_t nvmlInit_v2(void)
{
    const char *value = "";
    load();
    nvmlReturn_t code = look("init", &value);
    return code == NOT_SUPPORTED ? SUCCESS : code;
}

nvmlReturn_t nvmlInitWithFlags(uint flags)
{
    (void)flags;
    return nvmlInit_v2();
}

nvmlReturn_t nvmlShutdown(void)
{
    return SUCCESS;
}

const char *nvmlErrorString(nvmlReturn_t code)
{
    (void)code;
    return "an error of the double";
}

nvmlReturn_t nvmlSystemGetDriverVersion(char *version, uint size)
{
    const char *value = "";
    nvmlReturn_t code = look("driver", &value);
    snprintf(version, size, "%s", value);
    return code;
}

nvmlReturn_t nvmlDeviceGetCount_v2(uint *count)
{
    const char *value = "0";
    nvmlReturn_t code = look("count", &value);
    *count = (uint)atoi(value);
    return code;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(uint index, nvmlDevice_t *device)
{
    uint count = 0;
    nvmlDeviceGetCount_v2(&count);
    if (index >= count || index >= GPUS)
        return INVALID;
    *device = &devices[index];
    return SUCCESS;
}

static nvmlReturn_t read_address(nvmlDevice_t device, uint at[3])
{
    const char *value = "";
    char key[32];
    snprintf(key, sizeof key, "gpu.%d.bus", device->index);
    nvmlReturn_t code = look(key, &value);
    return code == SUCCESS && sscanf(value, "%x:%x:%x", &at[0], &at[1], &at[2]) != 3 ? INVALID
                                                                                    : code;
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *bus, nvmlDevice_t *device)
{
    uint count = 0, wanted[3], at[3];
    nvmlDeviceGetCount_v2(&count);
    if (sscanf(bus, "%x:%x:%x", &wanted[0], &wanted[1], &wanted[2]) != 3)
        return INVALID;
    for (uint i = 0; i < count && i < GPUS; i++) {
        const char *ignored = "";
        char key[32];
        if (read_address(&devices[i], at) != SUCCESS || memcmp(at, wanted, sizeof at) != 0)
            continue;
        snprintf(key, sizeof key, "gpu.%u.handle", i);
        nvmlReturn_t code = look(key, &ignored);
        *device = &devices[i];
        return code == NOT_SUPPORTED ? SUCCESS : code;
    }
    return NOT_FOUND;
}

struct pci_info {
    char legacy[16];
    uint domain, bus, device, ids, subsystem;
    char bus_id[32];
};

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, struct pci_info *pci)
{
    uint at[3];
    nvmlReturn_t code = read_address(device, at);
    if (code != SUCCESS)
        return code;
    memset(pci, 0, sizeof *pci);
    pci->domain = at[0];
    pci->bus = at[1];
    pci->device = at[2];
    pci->ids = 0x233010de;
    snprintf(pci->legacy, sizeof pci->legacy, "%04X:%02X:%02X.0", at[0] & 0xffff, at[1] & 0xff,
             at[2] & 0xff);
    snprintf(pci->bus_id, sizeof pci->bus_id, "%08X:%02X:%02X.0", at[0], at[1] & 0xff,
             at[2] & 0xff);
    return SUCCESS;
}

/* ---------------------------------------------------------------- words and single numbers */

#define WORD(function, key)                                                                        \
    nvmlReturn_t function(nvmlDevice_t device, char *word, uint size)                              \
    {                                                                                              \
        return gpu_word(device, key, word, size);                                                  \
    }
#define NUMBER(function, key)                                                                      \
    nvmlReturn_t function(nvmlDevice_t device, uint *number)                                       \
    {                                                                                              \
        return gpu_uint(device, key, number);                                                      \
    }
#define TWO(function, first, second)                                                               \
    nvmlReturn_t function(nvmlDevice_t device, uint *a, uint *b)                                   \
    {                                                                                              \
        nvmlReturn_t code = gpu_uint(device, first, a);                                            \
        *b = *a;                                                                                   \
        if (code == SUCCESS)                                                                       \
            gpu_uint(device, second, b);                                                           \
        return code;                                                                               \
    }

WORD(nvmlDeviceGetName, "name")
WORD(nvmlDeviceGetUUID, "uuid")
WORD(nvmlDeviceGetVbiosVersion, "vbios")
NUMBER(nvmlDeviceGetCurrPcieLinkGeneration, "pcie.gen")
NUMBER(nvmlDeviceGetMaxPcieLinkGeneration, "pcie.gen_max")
NUMBER(nvmlDeviceGetGpuMaxPcieLinkGeneration, "pcie.gen_own")
NUMBER(nvmlDeviceGetCurrPcieLinkWidth, "pcie.width")
NUMBER(nvmlDeviceGetMaxPcieLinkWidth, "pcie.width_max")
NUMBER(nvmlDeviceGetPcieReplayCounter, "pcie.replays")
NUMBER(nvmlDeviceGetPowerManagementLimit, "power.limit")
NUMBER(nvmlDeviceGetPowerManagementDefaultLimit, "power.default")
NUMBER(nvmlDeviceGetEnforcedPowerLimit, "power.enforced")
NUMBER(nvmlDeviceGetPowerUsage, "power")
NUMBER(nvmlDeviceGetPersistenceMode, "persistence")
NUMBER(nvmlDeviceGetMinorNumber, "minor")
TWO(nvmlDeviceGetEccMode, "ecc.mode", "ecc.next")
TWO(nvmlDeviceGetMigMode, "mig.mode", "mig.next")

nvmlReturn_t nvmlDeviceValidateInforom(nvmlDevice_t device)
{
    uint ignored;
    return gpu_uint(device, "inforom", &ignored);
}

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, uint which, uint *number)
{
    char key[32];
    snprintf(key, sizeof key, "clock.%u", which);
    return gpu_uint(device, key, number);
}

nvmlReturn_t nvmlDeviceSetCpuAffinity(nvmlDevice_t device)
{
    uint ignored;
    return gpu_uint(device, "affinity", &ignored);
}

nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, uint sensor, uint *number)
{
    return sensor ? INVALID : gpu_uint(device, "temperature", number);
}

nvmlReturn_t nvmlDeviceGetTemperatureThreshold(nvmlDevice_t device, uint which, uint *number)
{
    char key[32];
    snprintf(key, sizeof key, "threshold.%u", which);
    return gpu_uint(device, key, number);
}

struct margin {
    uint version;
    int margin;
};

nvmlReturn_t nvmlDeviceGetMarginTemperature(nvmlDevice_t device, struct margin *margin)
{
    uint number = 0;
    if (margin->version != (sizeof *margin | 1 << 24))
        return OTHER_VERSION;
    nvmlReturn_t code = gpu_uint(device, "margin", &number);
    margin->margin = (int)number;
    return code;
}

nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t device, ull *reasons)
{
    return gpu_number(device, "clocks", reasons);
}

nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device, ull *reasons)
{
    return gpu_number(device, "clocks", reasons);
}

nvmlReturn_t nvmlDeviceGetViolationStatus(nvmlDevice_t device, uint policy, ull times[2])
{
    char key[32];
    snprintf(key, sizeof key, "violation.%u", policy);
    times[0] = 1;
    return gpu_number(device, key, &times[1]);
}

/* ---------------------------------------------------------------- memory */

nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, uint kind, uint since, ull *count)
{
    char key[32];
    snprintf(key, sizeof key, "ecc.total.%u.%u", kind, since);
    return gpu_number(device, key, count);
}

nvmlReturn_t nvmlDeviceGetMemoryErrorCounter(nvmlDevice_t device, uint kind, uint since, uint place,
                                             ull *count)
{
    char key[32];
    snprintf(key, sizeof key, "ecc.%u.%u.%u", place, kind, since);
    return gpu_number(device, key, count);
}

struct sram {
    uint version;
    ull counts[11];
    uint exceeded;
};

nvmlReturn_t nvmlDeviceGetSramEccErrorStatus(nvmlDevice_t device, struct sram *sram)
{
    if (sram->version != (sizeof *sram | 1 << 24))
        return OTHER_VERSION;
    memset(sram->counts, 0, sizeof sram->counts);
    return gpu_uint(device, "sram.exceeded", &sram->exceeded);
}

nvmlReturn_t nvmlDeviceGetRemappedRows(nvmlDevice_t device, uint *corrected, uint *uncorrected,
                                       uint *pending, uint *failure)
{
    nvmlReturn_t code = gpu_uint(device, "remap.corrected", corrected);
    if (code == SUCCESS)
        code = gpu_uint(device, "remap.uncorrected", uncorrected);
    if (code == SUCCESS)
        code = gpu_uint(device, "remap.pending", pending);
    return code == SUCCESS ? gpu_uint(device, "remap.failure", failure) : code;
}

struct memory {
    ull total, free, used;
};
struct memory_v2 {
    uint version;
    ull total, reserved, free, used;
};

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, struct memory_v2 *memory)
{
    if (memory->version != (sizeof *memory | 2 << 24))
        return OTHER_VERSION;
    nvmlReturn_t code = gpu_number(device, "memory.total", &memory->total);
    if (code == SUCCESS)
        code = gpu_number(device, "memory.reserved", &memory->reserved);
    if (code == SUCCESS)
        code = gpu_number(device, "memory.used", &memory->used);
    memory->free = memory->total - memory->reserved - memory->used;
    return code;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, struct memory *memory)
{
    struct memory_v2 v2 = {.version = sizeof v2 | 2 << 24};
    nvmlReturn_t code = nvmlDeviceGetMemoryInfo_v2(device, &v2);
    *memory = (struct memory){v2.total, v2.free, v2.used + v2.reserved};
    return code;
}

/* ---------------------------------------------------------------- links and fabric */

struct field {
    uint id, scope;
    long long timestamp, latency;
    int type, code;
    union {
        double real;
        uint number;
        ull large;
    } value;
};

nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int count, struct field *fields)
{
    for (int i = 0; i < count; i++) {
        char key[48];
        ull number = 0;
        snprintf(key, sizeof key, "field.%u.%u", fields[i].id, fields[i].scope);
        fields[i].code = gpu_number(device, key, &number);
        fields[i].type = number > 0xffffffff ? 3 : 1;
        if (fields[i].type == 3)
            fields[i].value.large = number;
        else
            fields[i].value.number = (uint)number;
    }
    return SUCCESS;
}

nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t device, uint link, uint *active)
{
    char key[32];
    snprintf(key, sizeof key, "link.%u.active", link);
    return gpu_uint(device, key, active);
}

nvmlReturn_t nvmlDeviceGetNvLinkErrorCounter(nvmlDevice_t device, uint link, uint which, ull *count)
{
    char key[32];
    snprintf(key, sizeof key, "link.%u.errors.%u", link, which);
    return gpu_number(device, key, count);
}

struct fabric {
    unsigned char cluster[16];
    int status;
    uint clique;
    unsigned char state;
};
struct fabric_v2 {
    uint version;
    unsigned char cluster[16];
    int status;
    uint clique;
    unsigned char state;
    uint mask;
};
struct fabric_v3 {
    uint version;
    unsigned char cluster[16];
    int status;
    uint clique;
    unsigned char state;
    uint mask;
    unsigned char health;
};

nvmlReturn_t nvmlDeviceGetGpuFabricInfo(nvmlDevice_t device, struct fabric *fabric)
{
    uint state = 0, status = 0;
    nvmlReturn_t code = gpu_uint(device, "fabric.state", &state);
    if (code == SUCCESS)
        code = gpu_uint(device, "fabric.status", &status);
    fabric->state = (unsigned char)state;
    fabric->status = (int)status;
    return code;
}

nvmlReturn_t nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t device, struct fabric_v3 *fabric)
{
    struct fabric old;
    uint health = 0, newest = 3;
    gpu_uint(device, "fabric.version", &newest);
    int third = fabric->version == (sizeof *fabric | 3 << 24);
    if ((!third && fabric->version != (sizeof(struct fabric_v2) | 2 << 24)) || (third && newest < 3))
        return OTHER_VERSION;
    nvmlReturn_t code = nvmlDeviceGetGpuFabricInfo(device, &old);
    fabric->state = old.state;
    fabric->status = old.status;
    if (third && gpu_uint(device, "fabric.health", &health) == SUCCESS)
        fabric->health = (unsigned char)health;
    return code;
}

/* ---------------------------------------------------------------- processes */

struct process {
    uint pid;
    ull memory;
    uint gpu_instance, compute_instance;
};

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, uint *count,
                                                     struct process *processes)
{
    uint room = *count, there = 0;
    nvmlReturn_t code = gpu_uint(device, "processes", &there);
    *count = there;
    if (code == SUCCESS && there > room)
        return SMALL;
    for (uint i = 0; code == SUCCESS && i < there; i++) {
        char key[32];
        processes[i] = (struct process){4000 + i, ~0ULL, ~0U, ~0U};
        snprintf(key, sizeof key, "process.%u.pid", i);
        gpu_uint(device, key, &processes[i].pid);
        snprintf(key, sizeof key, "process.%u.memory", i);
        gpu_number(device, key, &processes[i].memory);
    }
    return code;
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v2(nvmlDevice_t device, uint *count,
                                                     struct process *processes)
{
    return nvmlDeviceGetComputeRunningProcesses_v3(device, count, processes);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The part of NVML (libnvidia-ml.so.1, NVIDIA's driver) that probe-gpu and bench-gpu use: our own
 * declarations, so that they build where NVIDIA's header is not; tests/build/nvml_header.sh holds
 * them against that header where one is found.  The library is loaded, never linked. */
#ifndef CE_HELPERS_NVML_H
#define CE_HELPERS_NVML_H

#include <stddef.h>

#include "base/error.h"

enum {
    NV_OK = 0,
    NV_INVALID_ARGUMENT = 2,
    NV_NOT_SUPPORTED = 3,
    NV_INSUFFICIENT_SIZE = 7,
    NV_NO_FUNCTION = 13,
    NV_CORRUPTED_INFOROM = 14,
    NV_LOST = 15,
    NV_OTHER_VERSION = 25,
};

/* Numbers of nvmlDeviceGetFieldValues. */
enum {
    NV_FIELD_RETIRED_SINGLE = 29,
    NV_FIELD_RETIRED_DOUBLE = 30,
    NV_FIELD_RETIRED_PENDING = 31,
    NV_FIELD_LINK_COUNT = 91,
    NV_FIELD_LINK_SPEED = 164, /* scope: the link */
    NV_FIELD_LINK_OVERRUNS = 207,
    NV_FIELD_LINK_RECEIVE_ERRORS = 208,
    NV_FIELD_LINK_INTEGRITY = 211,
    NV_FIELD_LINK_RECOVERIES_FAILED = 214,
    NV_FIELD_LINK_RECOVERIES = 215,
    NV_FIELD_RECOVERY = 230,
    NV_FIELD_SLOWED_HW_THERMAL = 270,
    NV_FIELD_SLOWED_POWER_BRAKE = 271,
    NV_FIELD_SLOWED_HW_THERMAL_575 = 252, /* and in the first drivers 580: power smoothing, before and since */
    NV_FIELD_SLOWED_POWER_BRAKE_575 = 253,
};

#define NV_VERSION(type, number) ((unsigned)(sizeof(type) | (number) << 24))

#ifndef NV_TYPES_OF_VENDOR /* the test puts NVIDIA's in their place */
typedef unsigned nv_return;
typedef struct nvmlDevice_st *nv_device;

typedef struct {
    char legacy_bus_id[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
} nv_pci;

typedef struct {
    unsigned long long total, free, used; /* used: with what the driver has for itself */
} nv_memory;

typedef struct {
    unsigned version;
    unsigned long long total, reserved, free, used;
} nv_memory_v2;

typedef struct {
    unsigned pid;
    unsigned long long memory; /* ~0: not known */
    unsigned gpu_instance, compute_instance;
} nv_process;

typedef struct {
    unsigned long long reference, violation; /* us, ns */
} nv_violation;

typedef struct {
    unsigned version;
    unsigned long long aggregate_parity, aggregate_secded, aggregate_corrected;
    unsigned long long volatile_parity, volatile_secded, volatile_corrected;
    unsigned long long bucket_l2, bucket_sm, bucket_pcie, bucket_mcu, bucket_other;
    unsigned exceeded;
} nv_sram;

typedef union {
    double real;
    int i;
    unsigned u;
    unsigned long ul;
    unsigned long long ull;
    long long ll;
    unsigned short us;
} nv_value;
enum { NV_DOUBLE, NV_UINT, NV_ULONG, NV_ULLONG, NV_LLONG, NV_INT, NV_USHORT };

typedef struct {
    unsigned field, scope;
    long long timestamp, latency;
    unsigned type;
    nv_return code;
    nv_value value;
} nv_field;

typedef struct {
    unsigned char cluster[16];
    nv_return status;
    unsigned clique;
    unsigned char state;
} nv_fabric;

typedef struct {
    unsigned version;
    unsigned char cluster[16];
    nv_return status;
    unsigned clique;
    unsigned char state;
    unsigned health_mask;
    unsigned char health; /* version 3 */
} nv_fabric_v;

typedef struct {
    unsigned version;
    int margin;
} nv_margin;
#endif

/* Its version 2 ends before the last member. */
#define NV_FABRIC_2 ((unsigned)(offsetof(nv_fabric_v, health) | 2 << 24))

/* NEEDED or OPTIONAL, our name, the symbol, the name it had in older drivers (NULL: none), its
 * parameters. */
#define NV_FUNCTIONS(F)                                                                            \
    F(NEEDED, init, nvmlInit_v2, NULL, (void))                                                     \
    F(NEEDED, count, nvmlDeviceGetCount_v2, NULL, (unsigned *))                                    \
    F(NEEDED, by_index, nvmlDeviceGetHandleByIndex_v2, NULL, (unsigned, nv_device *))              \
    F(NEEDED, by_bus, nvmlDeviceGetHandleByPciBusId_v2, NULL, (const char *, nv_device *))         \
    F(NEEDED, pci, nvmlDeviceGetPciInfo_v3, NULL, (nv_device, nv_pci *))                           \
    F(OPTIONAL, driver, nvmlSystemGetDriverVersion, NULL, (char *, unsigned))                      \
    F(OPTIONAL, name, nvmlDeviceGetName, NULL, (nv_device, char *, unsigned))                      \
    F(OPTIONAL, uuid, nvmlDeviceGetUUID, NULL, (nv_device, char *, unsigned))                      \
    F(OPTIONAL, vbios, nvmlDeviceGetVbiosVersion, NULL, (nv_device, char *, unsigned))             \
    F(OPTIONAL, ecc_mode, nvmlDeviceGetEccMode, NULL, (nv_device, unsigned *, unsigned *))         \
    F(OPTIONAL, ecc_total, nvmlDeviceGetTotalEccErrors, NULL,                                      \
      (nv_device, unsigned, unsigned, unsigned long long *))                                       \
    F(OPTIONAL, ecc_place, nvmlDeviceGetMemoryErrorCounter, NULL,                                  \
      (nv_device, unsigned, unsigned, unsigned, unsigned long long *))                             \
    F(OPTIONAL, sram, nvmlDeviceGetSramEccErrorStatus, NULL, (nv_device, nv_sram *))               \
    F(OPTIONAL, remapped, nvmlDeviceGetRemappedRows, NULL,                                         \
      (nv_device, unsigned *, unsigned *, unsigned *, unsigned *))                                 \
    F(OPTIONAL, inforom, nvmlDeviceValidateInforom, NULL, (nv_device))                             \
    F(OPTIONAL, fields, nvmlDeviceGetFieldValues, NULL, (nv_device, int, nv_field *))              \
    F(OPTIONAL, link_state, nvmlDeviceGetNvLinkState, NULL, (nv_device, unsigned, unsigned *))     \
    F(OPTIONAL, link_errors, nvmlDeviceGetNvLinkErrorCounter, NULL,                                \
      (nv_device, unsigned, unsigned, unsigned long long *))                                       \
    F(OPTIONAL, fabric, nvmlDeviceGetGpuFabricInfo, NULL, (nv_device, nv_fabric *))                \
    F(OPTIONAL, fabric_v, nvmlDeviceGetGpuFabricInfoV, NULL, (nv_device, nv_fabric_v *))           \
    F(OPTIONAL, pcie_gen, nvmlDeviceGetCurrPcieLinkGeneration, NULL, (nv_device, unsigned *))      \
    F(OPTIONAL, pcie_gen_max, nvmlDeviceGetMaxPcieLinkGeneration, NULL, (nv_device, unsigned *))   \
    F(OPTIONAL, pcie_gen_own, nvmlDeviceGetGpuMaxPcieLinkGeneration, NULL,                         \
      (nv_device, unsigned *))                                                                     \
    F(OPTIONAL, pcie_width, nvmlDeviceGetCurrPcieLinkWidth, NULL, (nv_device, unsigned *))         \
    F(OPTIONAL, pcie_width_max, nvmlDeviceGetMaxPcieLinkWidth, NULL, (nv_device, unsigned *))      \
    F(OPTIONAL, pcie_replays, nvmlDeviceGetPcieReplayCounter, NULL, (nv_device, unsigned *))       \
    F(OPTIONAL, temperature, nvmlDeviceGetTemperature, NULL, (nv_device, unsigned, unsigned *))    \
    F(OPTIONAL, threshold, nvmlDeviceGetTemperatureThreshold, NULL,                                \
      (nv_device, unsigned, unsigned *))                                                           \
    F(OPTIONAL, margin, nvmlDeviceGetMarginTemperature, NULL, (nv_device, nv_margin *))            \
    F(OPTIONAL, clock_reasons, nvmlDeviceGetCurrentClocksEventReasons,                             \
      "nvmlDeviceGetCurrentClocksThrottleReasons", (nv_device, unsigned long long *))              \
    F(OPTIONAL, violation, nvmlDeviceGetViolationStatus, NULL,                                     \
      (nv_device, unsigned, nv_violation *))                                                       \
    F(OPTIONAL, power_limit, nvmlDeviceGetPowerManagementLimit, NULL, (nv_device, unsigned *))     \
    F(OPTIONAL, power_default, nvmlDeviceGetPowerManagementDefaultLimit, NULL,                     \
      (nv_device, unsigned *))                                                                     \
    F(OPTIONAL, power_enforced, nvmlDeviceGetEnforcedPowerLimit, NULL, (nv_device, unsigned *))    \
    F(OPTIONAL, persistence, nvmlDeviceGetPersistenceMode, NULL, (nv_device, unsigned *))          \
    F(OPTIONAL, minor_number, nvmlDeviceGetMinorNumber, NULL, (nv_device, unsigned *))             \
    F(OPTIONAL, mig, nvmlDeviceGetMigMode, NULL, (nv_device, unsigned *, unsigned *))              \
    F(OPTIONAL, memory, nvmlDeviceGetMemoryInfo, NULL, (nv_device, nv_memory *))                   \
    F(OPTIONAL, memory_v2, nvmlDeviceGetMemoryInfo_v2, NULL, (nv_device, nv_memory_v2 *))          \
    F(OPTIONAL, processes, nvmlDeviceGetComputeRunningProcesses_v3,                                \
      "nvmlDeviceGetComputeRunningProcesses_v2", (nv_device, unsigned *, nv_process *))            \
    F(OPTIONAL, clock, nvmlDeviceGetClockInfo, NULL, (nv_device, unsigned, unsigned *))            \
    F(OPTIONAL, power, nvmlDeviceGetPowerUsage, NULL, (nv_device, unsigned *))                     \
    F(OPTIONAL, bind_cpu, nvmlDeviceSetCpuAffinity, NULL, (nv_device))

#define NV_MEMBER(need, member, symbol, older, parameters) nv_return(*member) parameters;
struct nvml {
    NV_FUNCTIONS(NV_MEMBER)
};
#undef NV_MEMBER

/* Load it and fill in the table; an optional function that the driver does not have is NULL.
 * 0; -1 with err. */
int nvml_load(struct nvml *ret, struct ce_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* How each GPU is, as NVML says it: what helpers/probe-gpu prints, gpu.N.nvml.* of node.facts.  A
 * fact that could not be read says why; "this GPU has no such thing" and "this driver is too old to
 * say" are not the same as "it failed". */
#ifndef CE_MODEL_GPU_STATE_H
#define CE_MODEL_GPU_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "model/record.h"

enum {
    CE_GPU_LINKS_MAX = 36,
    CE_GPU_PROCESSES_MAX = 16, /* kept; more are counted */
    CE_GPU_WORD = 96,
    CE_NVML_NOT_FOUND = 6, /* NVML's own error codes */
    CE_NVML_NOT_LOADED = 9,
    CE_NVML_TIMEOUT = 10,
    CE_NVML_LOST = 15,
    CE_NVML_RESET_REQUIRED = 16,
    CE_NVML_MISMATCH = 18,
    CE_NVML_CODE_MAX = 65535,
};

enum ce_gpu_answer {
    CE_GPU_UNKNOWN, /* nobody asked, or there was no answer */
    CE_GPU_KNOWN,
    CE_GPU_NONE,   /* this GPU has no such thing */
    CE_GPU_OLD,    /* the driver is too old to say */
    CE_GPU_FAILED, /* number: NVML's error code */
};

struct ce_gpu_value {
    enum ce_gpu_answer answer;
    uint64_t number;
};

/* Flags are 0 or 1, temperatures degrees Celsius, powers milliwatts, times nanoseconds since the
 * driver was loaded, memory bytes. */
enum ce_gpu_fact {
    CE_GPU_ECC_MODE,
    CE_GPU_ECC_MODE_NEXT, /* after the next reset */
    CE_GPU_ECC_VOLATILE_CORRECTED, /* since the driver was loaded or the GPU reset */
    CE_GPU_ECC_VOLATILE_UNCORRECTED,
    CE_GPU_ECC_AGGREGATE_CORRECTED, /* of the GPU's life */
    CE_GPU_ECC_AGGREGATE_UNCORRECTED,
    CE_GPU_DRAM_VOLATILE_CORRECTED,
    CE_GPU_DRAM_VOLATILE_UNCORRECTED,
    CE_GPU_DRAM_AGGREGATE_CORRECTED,
    CE_GPU_DRAM_AGGREGATE_UNCORRECTED,
    CE_GPU_SRAM_VOLATILE_CORRECTED,
    CE_GPU_SRAM_VOLATILE_UNCORRECTED,
    CE_GPU_SRAM_AGGREGATE_CORRECTED,
    CE_GPU_SRAM_AGGREGATE_UNCORRECTED,
    CE_GPU_SRAM_EXCEEDED, /* flag: past NVIDIA's threshold of a field diagnosis */
    CE_GPU_REMAP_CORRECTED,
    CE_GPU_REMAP_UNCORRECTED,
    CE_GPU_REMAP_PENDING, /* flag */
    CE_GPU_REMAP_FAILURE, /* flag */
    CE_GPU_RETIRED_SINGLE, /* pages, by single-bit errors */
    CE_GPU_RETIRED_DOUBLE,
    CE_GPU_RETIRED_PENDING, /* flag */
    CE_GPU_INFOROM,         /* flag: its checksums are right */
    CE_GPU_RECOVERY,        /* what the driver wants: 0 nothing, 1 reset, 2 reboot, ... */
    CE_GPU_FABRIC_STATE,    /* 1 not started, 2 in progress, 3 completed */
    CE_GPU_FABRIC_STATUS,   /* NVML's code for how it completed */
    CE_GPU_FABRIC_HEALTH,   /* 1 healthy, 2 unhealthy, 3 limited capacity */
    CE_GPU_PCIE_GEN,
    CE_GPU_PCIE_GEN_MAX, /* of GPU and slot together */
    CE_GPU_PCIE_GEN_OWN, /* of the GPU */
    CE_GPU_PCIE_WIDTH,
    CE_GPU_PCIE_WIDTH_MAX,
    CE_GPU_PCIE_REPLAYS,
    CE_GPU_TEMPERATURE,
    CE_GPU_TEMPERATURE_MAX, /* software slows it down */
    CE_GPU_TEMPERATURE_SLOWDOWN,
    CE_GPU_TEMPERATURE_SHUTDOWN,
    CE_GPU_TEMPERATURE_MARGIN, /* up to the nearest slowdown; 0: none is left */
    CE_GPU_CLOCK_REASONS,      /* bits, as NVML has them */
    CE_GPU_SLOWED_POWER,       /* time below the clocks asked for, by what */
    CE_GPU_SLOWED_THERMAL,
    CE_GPU_SLOWED_BOARD,
    CE_GPU_SLOWED_RELIABILITY,
    CE_GPU_SLOWED_HW_THERMAL,
    CE_GPU_SLOWED_POWER_BRAKE,
    CE_GPU_POWER_LIMIT,
    CE_GPU_POWER_DEFAULT,
    CE_GPU_POWER_ENFORCED,
    CE_GPU_PERSISTENCE,
    CE_GPU_MINOR, /* N of its /dev/nvidiaN */
    CE_GPU_MIG,
    CE_GPU_MIG_NEXT,
    CE_GPU_MEMORY_TOTAL,
    CE_GPU_MEMORY_USED,     /* by processes, where the driver tells it apart */
    CE_GPU_MEMORY_RESERVED, /* by the driver */
    CE_GPU_PROCESSES,
    CE_GPU_FACTS
};

/* Of each NVLink.  Errors are counts since the link came up. */
enum ce_gpu_link_fact {
    CE_GPU_LINK_ACTIVE,
    CE_GPU_LINK_SPEED, /* MB/s */
    CE_GPU_LINK_REPLAYS,
    CE_GPU_LINK_RECOVERIES,
    CE_GPU_LINK_CRC_FLIT,
    CE_GPU_LINK_CRC_DATA,
    CE_GPU_LINK_RECEIVE_ERRORS, /* from here on: of NVLink 5 */
    CE_GPU_LINK_OVERRUNS,
    CE_GPU_LINK_INTEGRITY,
    CE_GPU_LINK_RECOVERIES_FAILED,
    CE_GPU_LINK_FACTS
};

enum ce_gpu_asked {
    CE_GPU_NOT_ASKED,
    CE_GPU_ANSWERED,
    CE_GPU_SKIPPED, /* on purpose: the kernel log says that asking would hang */
    CE_GPU_LATE,    /* the helper was asking it when its time was over */
};

struct ce_gpu_process {
    uint32_t pid;
    uint64_t memory; /* UINT64_MAX: not known */
};

struct ce_gpu_state {
    enum ce_gpu_asked asked;
    unsigned error; /* NVML's code for why it told no more; 0: nothing was wrong */
    char name[CE_GPU_WORD], uuid[CE_GPU_WORD], vbios[CE_GPU_WORD]; /* "": not known */
    struct ce_gpu_value facts[CE_GPU_FACTS];
    unsigned link_count;
    struct ce_gpu_value links[CE_GPU_LINK_FACTS][CE_GPU_LINKS_MAX];
    unsigned process_count; /* of those kept */
    struct ce_gpu_process processes[CE_GPU_PROCESSES_MAX];
};

/* Of all GPUs of a node.  Nobody asked where `items`, `error` and `driver` are empty. */
struct ce_gpu_states {
    struct ce_gpu_state *items; /* as node->gpus; NULL: there is no answer about any */
    unsigned count;
    unsigned code;           /* NVML's own, of `error`; 0: it is not NVML's */
    char error[256];         /* why NVML, or the helper, told nothing or not all; "": nothing */
    char driver[CE_GPU_WORD]; /* "570.86.15" */
};

void ce_gpu_states_free(struct ce_gpu_states *states);
/* Make `items` for count GPUs, all of them not asked.  0; -1: no memory. */
int ce_gpu_states_alloc(struct ce_gpu_states *states, unsigned count);

/* "GPU is lost", for people. */
const char *ce_nvml_word(unsigned code);
/* "remap.pending", the key below gpu.N.nvml. */
const char *ce_gpu_fact_name(enum ce_gpu_fact fact);

/* The lines nvml.* and gpu.N.nvml.*; reading is for count GPUs.  0; -1 with err. */
void ce_gpu_states_write(const struct ce_gpu_states *states, struct ce_text *out);
int ce_gpu_states_read(const struct ce_record *record, unsigned count, struct ce_gpu_states *ret,
                       struct ce_error *err);
/* The lines of one. */
void ce_gpu_state_write(const struct ce_gpu_state *state, unsigned index, struct ce_text *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "model/gpu_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

static const char *const fact_names[CE_GPU_FACTS] = {
    [CE_GPU_ECC_MODE] = "ecc.mode",
    [CE_GPU_ECC_MODE_NEXT] = "ecc.mode_next",
    [CE_GPU_ECC_VOLATILE_CORRECTED] = "ecc.volatile.corrected",
    [CE_GPU_ECC_VOLATILE_UNCORRECTED] = "ecc.volatile.uncorrected",
    [CE_GPU_ECC_AGGREGATE_CORRECTED] = "ecc.aggregate.corrected",
    [CE_GPU_ECC_AGGREGATE_UNCORRECTED] = "ecc.aggregate.uncorrected",
    [CE_GPU_DRAM_VOLATILE_CORRECTED] = "dram.volatile.corrected",
    [CE_GPU_DRAM_VOLATILE_UNCORRECTED] = "dram.volatile.uncorrected",
    [CE_GPU_DRAM_AGGREGATE_CORRECTED] = "dram.aggregate.corrected",
    [CE_GPU_DRAM_AGGREGATE_UNCORRECTED] = "dram.aggregate.uncorrected",
    [CE_GPU_SRAM_VOLATILE_CORRECTED] = "sram.volatile.corrected",
    [CE_GPU_SRAM_VOLATILE_UNCORRECTED] = "sram.volatile.uncorrected",
    [CE_GPU_SRAM_AGGREGATE_CORRECTED] = "sram.aggregate.corrected",
    [CE_GPU_SRAM_AGGREGATE_UNCORRECTED] = "sram.aggregate.uncorrected",
    [CE_GPU_SRAM_EXCEEDED] = "sram.exceeded",
    [CE_GPU_REMAP_CORRECTED] = "remap.corrected",
    [CE_GPU_REMAP_UNCORRECTED] = "remap.uncorrected",
    [CE_GPU_REMAP_PENDING] = "remap.pending",
    [CE_GPU_REMAP_FAILURE] = "remap.failure",
    [CE_GPU_RETIRED_SINGLE] = "retired.single",
    [CE_GPU_RETIRED_DOUBLE] = "retired.double",
    [CE_GPU_RETIRED_PENDING] = "retired.pending",
    [CE_GPU_INFOROM] = "inforom",
    [CE_GPU_RECOVERY] = "recovery",
    [CE_GPU_FABRIC_STATE] = "fabric.state",
    [CE_GPU_FABRIC_STATUS] = "fabric.status",
    [CE_GPU_FABRIC_HEALTH] = "fabric.health",
    [CE_GPU_PCIE_GEN] = "pcie.gen",
    [CE_GPU_PCIE_GEN_MAX] = "pcie.gen_max",
    [CE_GPU_PCIE_GEN_OWN] = "pcie.gen_own",
    [CE_GPU_PCIE_WIDTH] = "pcie.width",
    [CE_GPU_PCIE_WIDTH_MAX] = "pcie.width_max",
    [CE_GPU_PCIE_REPLAYS] = "pcie.replays",
    [CE_GPU_TEMPERATURE] = "temperature.now",
    [CE_GPU_TEMPERATURE_MAX] = "temperature.max",
    [CE_GPU_TEMPERATURE_SLOWDOWN] = "temperature.slowdown",
    [CE_GPU_TEMPERATURE_SHUTDOWN] = "temperature.shutdown",
    [CE_GPU_TEMPERATURE_MARGIN] = "temperature.margin",
    [CE_GPU_CLOCK_REASONS] = "clocks.reasons",
    [CE_GPU_SLOWED_POWER] = "slowed.power",
    [CE_GPU_SLOWED_THERMAL] = "slowed.thermal",
    [CE_GPU_SLOWED_BOARD] = "slowed.board",
    [CE_GPU_SLOWED_RELIABILITY] = "slowed.reliability",
    [CE_GPU_SLOWED_HW_THERMAL] = "slowed.hw_thermal",
    [CE_GPU_SLOWED_POWER_BRAKE] = "slowed.power_brake",
    [CE_GPU_POWER_LIMIT] = "power.limit",
    [CE_GPU_POWER_DEFAULT] = "power.default",
    [CE_GPU_POWER_ENFORCED] = "power.enforced",
    [CE_GPU_PERSISTENCE] = "persistence",
    [CE_GPU_MINOR] = "minor",
    [CE_GPU_MIG] = "mig.mode",
    [CE_GPU_MIG_NEXT] = "mig.mode_next",
    [CE_GPU_MEMORY_TOTAL] = "memory.total",
    [CE_GPU_MEMORY_USED] = "memory.used",
    [CE_GPU_MEMORY_RESERVED] = "memory.reserved",
    [CE_GPU_PROCESSES] = "processes",
};
static const char *const link_names[CE_GPU_LINK_FACTS] = {
    [CE_GPU_LINK_ACTIVE] = "active",
    [CE_GPU_LINK_SPEED] = "speed_mbytes",
    [CE_GPU_LINK_REPLAYS] = "replays",
    [CE_GPU_LINK_RECOVERIES] = "recoveries",
    [CE_GPU_LINK_CRC_FLIT] = "crc_flit",
    [CE_GPU_LINK_CRC_DATA] = "crc_data",
    [CE_GPU_LINK_RECEIVE_ERRORS] = "receive_errors",
    [CE_GPU_LINK_OVERRUNS] = "overruns",
    [CE_GPU_LINK_INTEGRITY] = "integrity",
    [CE_GPU_LINK_RECOVERIES_FAILED] = "recoveries_failed",
};
static const char *const asked_names[] = {
    [CE_GPU_NOT_ASKED] = "no",
    [CE_GPU_ANSWERED] = "answered",
    [CE_GPU_SKIPPED] = "skipped",
    [CE_GPU_LATE] = "late",
};
static const char *const answer_names[] = {
    [CE_GPU_UNKNOWN] = "unknown",
    [CE_GPU_NONE] = "none",
    [CE_GPU_OLD] = "old",
};
#define COUNT(names) (sizeof(names) / sizeof *(names))
#define FAILED "error:"

const char *ce_nvml_word(unsigned code)
{
    static const char *const words[] = {
        [1] = "NVML is not initialized",
        [2] = "NVML does not take the question",
        [3] = "not supported",
        [4] = "no permission",
        [CE_NVML_NOT_FOUND] = "the driver does not have this GPU",
        [8] = "a power cable is missing",
        [CE_NVML_NOT_LOADED] = "the NVIDIA driver is not loaded",
        [CE_NVML_TIMEOUT] = "the driver answers too slowly",
        [11] = "the kernel has an interrupt problem with the GPU",
        [13] = "the driver's library does not have the function",
        [14] = "the InfoROM is corrupted",
        [CE_NVML_LOST] = "GPU is lost",
        [CE_NVML_RESET_REQUIRED] = "GPU requires a reset",
        [17] = "the kernel blocks the driver",
        [CE_NVML_MISMATCH] = "driver and its library are of different versions",
        [28] = "no GPU was found",
    };
    if (code < COUNT(words) && words[code])
        return words[code];
    return code == 999 ? "the driver says: unknown error" : "the driver says: an error";
}

const char *ce_gpu_fact_name(enum ce_gpu_fact fact)
{
    return fact_names[fact];
}

void ce_gpu_states_free(struct ce_gpu_states *states)
{
    free(states->items);
    *states = (struct ce_gpu_states){.count = 0};
}

int ce_gpu_states_alloc(struct ce_gpu_states *states, unsigned count)
{
    struct ce_gpu_state *items = calloc(count + 1, sizeof *items);
    if (!items)
        return -1;
    free(states->items);
    states->items = items;
    states->count = count;
    return 0;
}

/* ---------------------------------------------------------------- values */

static void write_value(const struct ce_gpu_value *value, char *text, size_t size)
{
    if (value->answer == CE_GPU_KNOWN)
        snprintf(text, size, "%" PRIu64, value->number);
    else if (value->answer == CE_GPU_FAILED)
        snprintf(text, size, FAILED "%" PRIu64, value->number);
    else
        snprintf(text, size, "%s", answer_names[value->answer]);
}

static int parse_value(const char *text, struct ce_gpu_value *ret)
{
    struct ce_gpu_value value = {CE_GPU_KNOWN, 0};
    if (strncmp(text, FAILED, strlen(FAILED)) == 0) {
        value.answer = CE_GPU_FAILED;
        if (ce_parse_uint(text + strlen(FAILED), 1, CE_NVML_CODE_MAX, &value.number) < 0)
            return -1;
    } else if (ce_parse_uint(text, 0, UINT64_MAX, &value.number) < 0) {
        for (value.answer = CE_GPU_UNKNOWN; value.answer < COUNT(answer_names); value.answer++)
            if (answer_names[value.answer] && strcmp(text, answer_names[value.answer]) == 0)
                break;
        if (value.answer == COUNT(answer_names))
            return -1;
    }
    *ret = value;
    return 0;
}

/* ---------------------------------------------------------------- writing */

static void write_word(const char *word, const char *key, unsigned index, struct ce_text *out)
{
    if (word[0])
        ce_record_add(out, word, "gpu.%u.nvml.%s", index, key);
}

/* The values of all links in one line: there may be 36 links of 64 GPUs. */
static void write_links(const struct ce_gpu_state *state, unsigned index, struct ce_text *out)
{
    char word[32], line[CE_GPU_LINKS_MAX * sizeof word];
    for (unsigned fact = 0; fact < CE_GPU_LINK_FACTS && state->link_count; fact++) {
        size_t length = 0;
        bool told = false;
        for (unsigned i = 0; i < state->link_count; i++) {
            const struct ce_gpu_value *value = &state->links[fact][i];
            told = told || value->answer != CE_GPU_UNKNOWN;
            write_value(value, word, sizeof word);
            length += (size_t)snprintf(line + length, sizeof line - length, "%s%s", i ? " " : "",
                                       word);
        }
        if (told)
            ce_record_add(out, line, "gpu.%u.nvml.link.%s", index, link_names[fact]);
    }
}

static void write_processes(const struct ce_gpu_state *state, unsigned index, struct ce_text *out)
{
    char line[48];
    for (unsigned i = 0; i < state->process_count; i++) {
        const struct ce_gpu_process *process = &state->processes[i];
        int n = snprintf(line, sizeof line, "%" PRIu32, process->pid);
        if (process->memory != UINT64_MAX)
            snprintf(line + n, sizeof line - (size_t)n, " %" PRIu64, process->memory);
        ce_record_add(out, line, "gpu.%u.nvml.process.%u", index, i);
    }
}

void ce_gpu_state_write(const struct ce_gpu_state *state, unsigned index, struct ce_text *out)
{
    char word[32];
    if (state->asked == CE_GPU_NOT_ASKED)
        return;
    ce_record_add(out, asked_names[state->asked], "gpu.%u.nvml.asked", index);
    if (state->error)
        ce_record_add_number(out, state->error, "gpu.%u.nvml.error", index);
    write_word(state->name, "name", index, out);
    write_word(state->uuid, "uuid", index, out);
    write_word(state->vbios, "vbios", index, out);
    for (unsigned fact = 0; fact < CE_GPU_FACTS; fact++) {
        if (state->facts[fact].answer == CE_GPU_UNKNOWN)
            continue;
        write_value(&state->facts[fact], word, sizeof word);
        ce_record_add(out, word, "gpu.%u.nvml.%s", index, fact_names[fact]);
    }
    if (state->link_count)
        ce_record_add_number(out, state->link_count, "gpu.%u.nvml.links", index);
    write_links(state, index, out);
    write_processes(state, index, out);
}

void ce_gpu_states_write(const struct ce_gpu_states *states, struct ce_text *out)
{
    if (states->driver[0])
        ce_record_add(out, states->driver, "nvml.driver");
    if (states->error[0])
        ce_record_add(out, states->error, "nvml.error");
    if (states->code)
        ce_record_add_number(out, states->code, "nvml.code");
    for (unsigned i = 0; i < states->count; i++)
        ce_gpu_state_write(&states->items[i], i, out);
}

/* ---------------------------------------------------------------- reading */

static int read_word(const struct ce_record *record, const char *key, char *ret, size_t size,
                     struct ce_error *err)
{
    const char *value = ce_record_get(record, "%s", key);
    if (value && (!ce_is_printable(value) || ce_copy(ret, size, value) < 0))
        return ce_fail(err, "%s=%.40s: not a word of NVML", key, value);
    return 0;
}

static int read_words(const struct ce_record *record, unsigned index, struct ce_gpu_state *state,
                      struct ce_error *err)
{
    const struct {
        const char *key;
        char *word;
    } words[] = {{"name", state->name}, {"uuid", state->uuid}, {"vbios", state->vbios}};
    char key[64];
    for (size_t i = 0; i < COUNT(words); i++) {
        snprintf(key, sizeof key, "gpu.%u.nvml.%s", index, words[i].key);
        if (read_word(record, key, words[i].word, CE_GPU_WORD, err) < 0)
            return -1;
    }
    return 0;
}

static int read_asked(const struct ce_record *record, unsigned index, struct ce_gpu_state *state,
                      struct ce_error *err)
{
    const char *value = ce_record_get(record, "gpu.%u.nvml.asked", index);
    for (unsigned i = 0; value && i < COUNT(asked_names); i++)
        if (strcmp(asked_names[i], value) == 0) {
            state->asked = (enum ce_gpu_asked)i;
            return 0;
        }
    return value ? ce_fail(err, "gpu.%u.nvml.asked=%.40s: not known", index, value) : 0;
}

static int read_facts(const struct ce_record *record, unsigned index, struct ce_gpu_state *state,
                      struct ce_error *err)
{
    for (unsigned fact = 0; fact < CE_GPU_FACTS; fact++) {
        const char *value = ce_record_get(record, "gpu.%u.nvml.%s", index, fact_names[fact]);
        if (value && parse_value(value, &state->facts[fact]) < 0)
            return ce_fail(err, "gpu.%u.nvml.%s=%.40s: not a value of NVML", index,
                           fact_names[fact], value);
    }
    return 0;
}

static int read_link_line(const char *line, unsigned count, struct ce_gpu_value *ret)
{
    char word[32];
    for (unsigned i = 0; i < count; i++) {
        size_t length = strcspn(line, " ");
        if (length >= sizeof word)
            return -1;
        memcpy(word, line, length);
        word[length] = '\0';
        if (parse_value(word, &ret[i]) < 0)
            return -1;
        line += length;
        if (*line == ' ')
            line++;
        else if (i + 1 < count)
            return -1;
    }
    return *line ? -1 : 0;
}

static int read_links(const struct ce_record *record, unsigned index, struct ce_gpu_state *state,
                      struct ce_error *err)
{
    uint64_t count = 0;
    if (ce_record_number(record, 0, CE_GPU_LINKS_MAX, &count, err, "gpu.%u.nvml.links", index) < 0)
        return -1;
    state->link_count = (unsigned)count;
    for (unsigned fact = 0; fact < CE_GPU_LINK_FACTS && count; fact++) {
        const char *line = ce_record_get(record, "gpu.%u.nvml.link.%s", index, link_names[fact]);
        if (line && read_link_line(line, state->link_count, state->links[fact]) < 0)
            return ce_fail(err, "gpu.%u.nvml.link.%s: not values of %u links", index,
                           link_names[fact], state->link_count);
    }
    return 0;
}

static int read_process(const char *line, struct ce_gpu_process *ret)
{
    uint64_t pid;
    const char *end;
    struct ce_gpu_process process = {.memory = UINT64_MAX};
    if (ce_parse_digits(line, UINT32_MAX, &pid, &end) < 0 || (*end && *end != ' ') ||
        (*end && ce_parse_uint(end + 1, 0, UINT64_MAX, &process.memory) < 0))
        return -1;
    process.pid = (uint32_t)pid;
    *ret = process;
    return 0;
}

static int read_processes(const struct ce_record *record, unsigned index,
                          struct ce_gpu_state *state, struct ce_error *err)
{
    for (unsigned i = 0; i < CE_GPU_PROCESSES_MAX; i++) {
        const char *line = ce_record_get(record, "gpu.%u.nvml.process.%u", index, i);
        if (!line)
            break;
        if (read_process(line, &state->processes[i]) < 0)
            return ce_fail(err, "gpu.%u.nvml.process.%u=%.40s: expected a pid and bytes", index, i,
                           line);
        state->process_count = i + 1;
    }
    return 0;
}

static int read_state(const struct ce_record *record, unsigned index, struct ce_gpu_state *state,
                      struct ce_error *err)
{
    uint64_t error = 0;
    if (read_asked(record, index, state, err) < 0)
        return -1;
    if (state->asked == CE_GPU_NOT_ASKED)
        return 0;
    if (ce_record_number(record, 1, CE_NVML_CODE_MAX, &error, err, "gpu.%u.nvml.error", index) < 0)
        return -1;
    state->error = (unsigned)error;
    return read_words(record, index, state, err) < 0 || read_facts(record, index, state, err) < 0 ||
                   read_links(record, index, state, err) < 0
               ? -1
               : read_processes(record, index, state, err);
}

static int read_items(const struct ce_record *record, unsigned count, struct ce_gpu_states *states,
                      struct ce_error *err)
{
    bool any = false;
    if (ce_gpu_states_alloc(states, count) < 0)
        return ce_fail(err, "no memory");
    for (unsigned i = 0; i < count; i++) {
        if (read_state(record, i, &states->items[i], err) < 0)
            return -1;
        any = any || states->items[i].asked != CE_GPU_NOT_ASKED;
    }
    if (!any) {
        free(states->items);
        states->items = NULL;
        states->count = 0;
    }
    return 0;
}

int ce_gpu_states_read(const struct ce_record *record, unsigned count, struct ce_gpu_states *ret,
                       struct ce_error *err)
{
    struct ce_gpu_states states = {.count = 0};
    uint64_t code = 0;
    if (read_word(record, "nvml.driver", states.driver, sizeof states.driver, err) < 0 ||
        read_word(record, "nvml.error", states.error, sizeof states.error, err) < 0 ||
        ce_record_number(record, 1, CE_NVML_CODE_MAX, &code, err, "nvml.code") < 0 ||
        (count && read_items(record, count, &states, err) < 0)) {
        ce_gpu_states_free(&states);
        return -1;
    }
    states.code = (unsigned)code;
    *ret = states;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu_questions.h"

#include <stdio.h>

#include "base/clock.h"
#include "model/hca.h"

enum { SLOW_MS = 2000 };

/* One GPU while it is asked.  Once it is lost, or failed slowly, nothing more is asked: every
 * further question could take seconds, under a lock that the other GPUs wait for. */
struct asking {
    const struct nvml *nvml;
    const char *driver; /* its version, "" where it is not known */
    nv_device device;
    struct ce_gpu_state *state;
    uint64_t began;
};

static void begin(struct asking *asking)
{
    asking->began = ce_clock_ns();
}

static bool was_slow(const struct asking *asking)
{
    return ce_clock_ms_since(asking->began) >= SLOW_MS;
}

static struct ce_gpu_value judge_code(struct asking *asking, nv_return code)
{
    if (code == NV_LOST)
        asking->state->error = NV_LOST;
    else if (code != NV_OK && was_slow(asking))
        asking->state->error = CE_NVML_TIMEOUT;
    else if (code == CE_NVML_RESET_REQUIRED && !asking->state->error)
        asking->state->error = code;
    switch (code) {
    case NV_NOT_SUPPORTED:
        return (struct ce_gpu_value){CE_GPU_NONE, 0};
    case NV_NO_FUNCTION:
    case NV_OTHER_VERSION:
        return (struct ce_gpu_value){CE_GPU_OLD, 0};
    default:
        return (struct ce_gpu_value){CE_GPU_FAILED, code};
    }
}

static void take(struct asking *asking, struct ce_gpu_value *value, nv_return code,
                 unsigned long long number)
{
    *value = code == NV_OK ? (struct ce_gpu_value){CE_GPU_KNOWN, number}
                           : judge_code(asking, code);
}

static bool is_over(const struct asking *asking)
{
    return asking->state->error == NV_LOST || asking->state->error == CE_NVML_TIMEOUT;
}

/* What the driver says, or that it is too old to be asked; no answer once the GPU is given up. */
#define CALL(asking, function, ...)                                                                \
    ((asking)->nvml->function                                                                      \
         ? (begin(asking), (asking)->nvml->function((asking)->device, ##__VA_ARGS__))              \
         : NV_NO_FUNCTION)
#define TAKE(asking, fact, number, function, ...)                                                  \
    do {                                                                                           \
        nv_return code_;                                                                           \
        if (is_over(asking))                                                                       \
            break;                                                                                 \
        code_ = CALL(asking, function, __VA_ARGS__);                                               \
        take(asking, &(asking)->state->facts[fact], code_, number);                                \
    } while (0)
/* A question with one number for an answer. */
#define ASK(asking, fact, function)                                                                \
    do {                                                                                           \
        unsigned number_ = 0;                                                                      \
        TAKE(asking, fact, number_, function, &number_);                                           \
    } while (0)

static unsigned long long field_number(const nv_field *field)
{
    switch ((unsigned)field->type) {
    case NV_UINT:
        return field->value.u;
    case NV_ULONG:
        return field->value.ul;
    case NV_ULLONG:
        return field->value.ull;
    case NV_LLONG:
        return field->value.ll > 0 ? (unsigned long long)field->value.ll : 0;
    case NV_INT:
        return field->value.i > 0 ? (unsigned)field->value.i : 0;
    case NV_USHORT:
        return field->value.us;
    }
    return 0;
}

/* A driver that does not know the field says that the argument is none. */
static void ask_field(struct asking *asking, unsigned id, unsigned scope,
                      struct ce_gpu_value *value)
{
    nv_field field = {.field = id, .scope = scope};
    if (is_over(asking))
        return;
    nv_return code = CALL(asking, fields, 1, &field);
    if (code == NV_OK)
        code = field.code;
    if (code == NV_INVALID_ARGUMENT)
        code = NV_NO_FUNCTION;
    take(asking, value, code, code == NV_OK ? field_number(&field) : 0);
}

/* ---------------------------------------------------------------- what is asked */

static void ask_words(struct asking *asking)
{
    struct ce_gpu_state *state = asking->state;
    if (CALL(asking, name, state->name, CE_GPU_WORD) != NV_OK)
        state->name[0] = '\0';
    if (CALL(asking, uuid, state->uuid, CE_GPU_WORD) != NV_OK)
        state->uuid[0] = '\0';
    if (CALL(asking, vbios, state->vbios, CE_GPU_WORD) != NV_OK)
        state->vbios[0] = '\0';
}

static void ask_setup(struct asking *asking)
{
    unsigned now = 0, next = 0;
    ask_field(asking, NV_FIELD_RECOVERY, 0, &asking->state->facts[CE_GPU_RECOVERY]);
    ASK(asking, CE_GPU_MINOR, minor_number);
    ASK(asking, CE_GPU_PERSISTENCE, persistence);
    TAKE(asking, CE_GPU_MIG, now, mig, &now, &next);
    asking->state->facts[CE_GPU_MIG_NEXT] = asking->state->facts[CE_GPU_MIG];
    if (asking->state->facts[CE_GPU_MIG].answer == CE_GPU_KNOWN)
        asking->state->facts[CE_GPU_MIG_NEXT].number = next;
}

static void ask_ecc(struct asking *asking)
{
    /* As NVML numbers them: corrected or not, volatile or aggregate, DRAM or SRAM. */
    static const struct {
        unsigned kind, since, place;
        enum ce_gpu_fact fact;
    } rows[] = {
        {0, 0, 0, CE_GPU_ECC_VOLATILE_CORRECTED},    {1, 0, 0, CE_GPU_ECC_VOLATILE_UNCORRECTED},
        {0, 1, 0, CE_GPU_ECC_AGGREGATE_CORRECTED},   {1, 1, 0, CE_GPU_ECC_AGGREGATE_UNCORRECTED},
        {0, 0, 2, CE_GPU_DRAM_VOLATILE_CORRECTED},   {1, 0, 2, CE_GPU_DRAM_VOLATILE_UNCORRECTED},
        {0, 1, 2, CE_GPU_DRAM_AGGREGATE_CORRECTED},  {1, 1, 2, CE_GPU_DRAM_AGGREGATE_UNCORRECTED},
        {0, 0, 7, CE_GPU_SRAM_VOLATILE_CORRECTED},   {1, 0, 7, CE_GPU_SRAM_VOLATILE_UNCORRECTED},
        {0, 1, 7, CE_GPU_SRAM_AGGREGATE_CORRECTED},  {1, 1, 7, CE_GPU_SRAM_AGGREGATE_UNCORRECTED},
    };
    unsigned mode = 0, next = 0;
    TAKE(asking, CE_GPU_ECC_MODE, mode, ecc_mode, &mode, &next);
    asking->state->facts[CE_GPU_ECC_MODE_NEXT] = asking->state->facts[CE_GPU_ECC_MODE];
    if (asking->state->facts[CE_GPU_ECC_MODE].answer == CE_GPU_KNOWN)
        asking->state->facts[CE_GPU_ECC_MODE_NEXT].number = next;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned long long number = 0;
        if (rows[i].place)
            TAKE(asking, rows[i].fact, number, ecc_place, rows[i].kind, rows[i].since,
                 rows[i].place, &number);
        else
            TAKE(asking, rows[i].fact, number, ecc_total, rows[i].kind, rows[i].since, &number);
    }
}

static void ask_memory(struct asking *asking)
{
    struct ce_gpu_value *facts = asking->state->facts;
    nv_sram sram = {.version = NV_VERSION(nv_sram, 1)};
    unsigned rows[4] = {0};
    TAKE(asking, CE_GPU_SRAM_EXCEEDED, sram.exceeded != 0, sram, &sram);
    TAKE(asking, CE_GPU_REMAP_CORRECTED, rows[0], remapped, &rows[0], &rows[1], &rows[2], &rows[3]);
    for (unsigned i = 1; i < 4; i++) {
        facts[CE_GPU_REMAP_CORRECTED + i] = facts[CE_GPU_REMAP_CORRECTED];
        if (facts[CE_GPU_REMAP_CORRECTED].answer == CE_GPU_KNOWN)
            facts[CE_GPU_REMAP_CORRECTED + i].number = rows[i];
    }
    ask_field(asking, NV_FIELD_RETIRED_SINGLE, 0, &facts[CE_GPU_RETIRED_SINGLE]);
    ask_field(asking, NV_FIELD_RETIRED_DOUBLE, 0, &facts[CE_GPU_RETIRED_DOUBLE]);
    ask_field(asking, NV_FIELD_RETIRED_PENDING, 0, &facts[CE_GPU_RETIRED_PENDING]);
    if (!is_over(asking)) {
        nv_return code = CALL(asking, inforom);
        take(asking, &facts[CE_GPU_INFOROM], code == NV_CORRUPTED_INFOROM ? NV_OK : code,
             code == NV_OK);
    }
}

/* Newer drivers take the newest version of the struct, older ones an older, the oldest none. */
static void ask_fabric(struct asking *asking)
{
    struct ce_gpu_value *facts = asking->state->facts;
    nv_fabric_v v = {.version = NV_VERSION(nv_fabric_v, 3)};
    nv_fabric old = {.state = 0};
    if (is_over(asking))
        return;
    nv_return code = CALL(asking, fabric_v, &v);
    if (code == NV_OTHER_VERSION || code == NV_INVALID_ARGUMENT) {
        v = (nv_fabric_v){.version = NV_FABRIC_2};
        code = CALL(asking, fabric_v, &v);
        facts[CE_GPU_FABRIC_HEALTH].answer = CE_GPU_OLD;
    }
    if (code == NV_NO_FUNCTION || code == NV_OTHER_VERSION || code == NV_INVALID_ARGUMENT) {
        code = CALL(asking, fabric, &old);
        v.state = old.state;
        v.status = old.status;
        facts[CE_GPU_FABRIC_HEALTH].answer = CE_GPU_OLD;
    }
    if (code == NV_OK && v.state == 0) /* not supported */
        code = NV_NOT_SUPPORTED;
    take(asking, &facts[CE_GPU_FABRIC_STATE], code, v.state);
    take(asking, &facts[CE_GPU_FABRIC_STATUS], code, v.status);
    if (facts[CE_GPU_FABRIC_HEALTH].answer != CE_GPU_OLD || code != NV_OK)
        take(asking, &facts[CE_GPU_FABRIC_HEALTH],
             code == NV_OK && v.health == 0 ? NV_NOT_SUPPORTED : code, v.health);
}

static void ask_link(struct asking *asking, unsigned link)
{
    static const struct {
        unsigned id;
        enum ce_gpu_link_fact fact;
    } fields[] = {
        {NV_FIELD_LINK_SPEED, CE_GPU_LINK_SPEED},
        {NV_FIELD_LINK_RECEIVE_ERRORS, CE_GPU_LINK_RECEIVE_ERRORS},
        {NV_FIELD_LINK_OVERRUNS, CE_GPU_LINK_OVERRUNS},
        {NV_FIELD_LINK_INTEGRITY, CE_GPU_LINK_INTEGRITY},
        {NV_FIELD_LINK_RECOVERIES_FAILED, CE_GPU_LINK_RECOVERIES_FAILED},
    };
    /* As nvmlDeviceGetNvLinkErrorCounter numbers them. */
    static const enum ce_gpu_link_fact counters[] = {
        CE_GPU_LINK_REPLAYS, CE_GPU_LINK_RECOVERIES, CE_GPU_LINK_CRC_FLIT, CE_GPU_LINK_CRC_DATA};
    struct ce_gpu_state *state = asking->state;
    for (unsigned i = 0; i < sizeof counters / sizeof *counters && !is_over(asking); i++) {
        unsigned long long number = 0;
        nv_return code = CALL(asking, link_errors, link, i, &number);
        take(asking, &state->links[counters[i]][link], code, number);
    }
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
        ask_field(asking, fields[i].id, link, &state->links[fields[i].fact][link]);
    if (state->links[CE_GPU_LINK_RECOVERIES][link].answer != CE_GPU_KNOWN)
        ask_field(asking, NV_FIELD_LINK_RECOVERIES, link,
                  &state->links[CE_GPU_LINK_RECOVERIES][link]);
}

/* A link that this GPU does not have, or past its last, is none: what follows it is not asked. */
static void ask_links(struct asking *asking)
{
    struct ce_gpu_state *state = asking->state;
    struct ce_gpu_value count = {CE_GPU_UNKNOWN, 0};
    ask_field(asking, NV_FIELD_LINK_COUNT, 0, &count);
    unsigned most = count.answer == CE_GPU_KNOWN && count.number <= CE_GPU_LINKS_MAX
                        ? (unsigned)count.number
                        : CE_GPU_LINKS_MAX;
    for (unsigned link = 0; link < most && !is_over(asking); link++) {
        unsigned active = 0;
        nv_return code = CALL(asking, link_state, link, &active);
        if (count.answer != CE_GPU_KNOWN && code != NV_OK && code != NV_LOST)
            break;
        take(asking, &state->links[CE_GPU_LINK_ACTIVE][link], code, active);
        state->link_count = link + 1;
        if (code == NV_OK && active)
            ask_link(asking, link);
    }
}

static void ask_pcie(struct asking *asking)
{
    ASK(asking, CE_GPU_PCIE_GEN, pcie_gen);
    ASK(asking, CE_GPU_PCIE_GEN_MAX, pcie_gen_max);
    ASK(asking, CE_GPU_PCIE_GEN_OWN, pcie_gen_own);
    ASK(asking, CE_GPU_PCIE_WIDTH, pcie_width);
    ASK(asking, CE_GPU_PCIE_WIDTH_MAX, pcie_width_max);
    ASK(asking, CE_GPU_PCIE_REPLAYS, pcie_replays);
}

static void ask_heat(struct asking *asking)
{
    nv_margin margin = {.version = NV_VERSION(nv_margin, 1)};
    unsigned number = 0;
    TAKE(asking, CE_GPU_TEMPERATURE, number, temperature, 0, &number);
    TAKE(asking, CE_GPU_TEMPERATURE_SHUTDOWN, number, threshold, 0, &number);
    TAKE(asking, CE_GPU_TEMPERATURE_SLOWDOWN, number, threshold, 1, &number);
    TAKE(asking, CE_GPU_TEMPERATURE_MAX, number, threshold, 3, &number);
    TAKE(asking, CE_GPU_TEMPERATURE_MARGIN, margin.margin > 0 ? (unsigned)margin.margin : 0, margin,
         &margin);
}

static bool is_since(const char *driver, unsigned branch, unsigned minor)
{
    unsigned own[2];
    if (sscanf(driver, "%3u.%4u", &own[0], &own[1]) != 2)
        return false;
    return own[0] > branch || (own[0] == branch && own[1] >= minor);
}

/* The same numbers mean power smoothing to other drivers, and some of 580 did not say which. */
static void ask_slowed_fields(struct asking *asking)
{
    static const struct {
        unsigned branch, minor; /* of the first driver */
        unsigned hw_thermal, power_brake;
    } rows[] = {
        {580, 82, NV_FIELD_SLOWED_HW_THERMAL, NV_FIELD_SLOWED_POWER_BRAKE},
        {580, 66, 0, 0},
        {575, 0, NV_FIELD_SLOWED_HW_THERMAL_575, NV_FIELD_SLOWED_POWER_BRAKE_575},
        {0, 0, 0, 0},
    };
    struct ce_gpu_value *facts = asking->state->facts;
    size_t i = 0;
    if (is_over(asking))
        return;
    while (rows[i].branch && !is_since(asking->driver, rows[i].branch, rows[i].minor))
        i++;
    if (rows[i].hw_thermal) {
        ask_field(asking, rows[i].hw_thermal, 0, &facts[CE_GPU_SLOWED_HW_THERMAL]);
        ask_field(asking, rows[i].power_brake, 0, &facts[CE_GPU_SLOWED_POWER_BRAKE]);
    } else {
        facts[CE_GPU_SLOWED_HW_THERMAL].answer = CE_GPU_OLD;
        facts[CE_GPU_SLOWED_POWER_BRAKE].answer = CE_GPU_OLD;
    }
}

static void ask_clocks(struct asking *asking)
{
    /* As NVML numbers its policies. */
    static const struct {
        unsigned policy;
        enum ce_gpu_fact fact;
    } rows[] = {{0, CE_GPU_SLOWED_POWER},
                {1, CE_GPU_SLOWED_THERMAL},
                {3, CE_GPU_SLOWED_BOARD},
                {5, CE_GPU_SLOWED_RELIABILITY}};
    unsigned long long reasons = 0;
    TAKE(asking, CE_GPU_CLOCK_REASONS, reasons, clock_reasons, &reasons);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        nv_violation violation = {0};
        TAKE(asking, rows[i].fact, violation.violation, violation, rows[i].policy, &violation);
    }
    ask_slowed_fields(asking);
    ASK(asking, CE_GPU_POWER_LIMIT, power_limit);
    ASK(asking, CE_GPU_POWER_DEFAULT, power_default);
    ASK(asking, CE_GPU_POWER_ENFORCED, power_enforced);
}

/* The first version counts what the driver has for itself as used. */
static void ask_memory_use(struct asking *asking)
{
    struct ce_gpu_value *facts = asking->state->facts;
    nv_memory_v2 v2 = {.version = NV_VERSION(nv_memory_v2, 2)};
    nv_memory v1 = {.used = 0};
    if (is_over(asking))
        return;
    nv_return code = CALL(asking, memory_v2, &v2);
    if (code == NV_OK) {
        take(asking, &facts[CE_GPU_MEMORY_TOTAL], code, v2.total);
        take(asking, &facts[CE_GPU_MEMORY_USED], code, v2.used);
        take(asking, &facts[CE_GPU_MEMORY_RESERVED], code, v2.reserved);
        return;
    }
    take(asking, &facts[CE_GPU_MEMORY_USED], code, 0);
    TAKE(asking, CE_GPU_MEMORY_TOTAL, v1.total, memory, &v1);
}

static void ask_processes(struct asking *asking)
{
    struct ce_gpu_state *state = asking->state;
    nv_process processes[128] = {{.pid = 0}};
    unsigned count = sizeof processes / sizeof *processes;
    if (is_over(asking))
        return;
    nv_return code = CALL(asking, processes, &count, processes);
    if (code == NV_INSUFFICIENT_SIZE) /* count is how many there are */
        code = NV_OK;
    take(asking, &state->facts[CE_GPU_PROCESSES], code, count);
    for (unsigned i = 0; code == NV_OK && i < count && i < CE_GPU_PROCESSES_MAX; i++)
        state->processes[state->process_count++] =
            (struct ce_gpu_process){processes[i].pid, processes[i].memory};
}

static void ask(struct asking *asking)
{
    static void (*const questions[])(struct asking *) = {
        ask_setup,  ask_ecc,  ask_memory, ask_fabric,     ask_links,
        ask_pcie,   ask_heat, ask_clocks, ask_memory_use, ask_processes,
    };
    ask_words(asking);
    for (size_t i = 0; i < sizeof questions / sizeof *questions && !is_over(asking); i++)
        questions[i](asking);
}

void gpu_ask(const struct nvml *nvml, const char *driver, const struct ce_pci *pci,
             struct ce_gpu_state *state)
{
    struct asking asking = {.nvml = nvml, .driver = driver, .state = state};
    nv_return code;
    begin(&asking);
    code = nvml->by_bus(pci->address, &asking.device);
    if (code == NV_OK)
        ask(&asking);
    else
        state->error = code;
}

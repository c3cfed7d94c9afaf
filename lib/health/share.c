/* SPDX-License-Identifier: Apache-2.0 */
#include "health/share.h"

#include <string.h>

/* A machine, and what it was before the job; NULL: not known. */
struct machine {
    const struct ce_node *node, *before;
};

static bool tells(const struct ce_node *node, const char *address, uint64_t *minor)
{
    for (unsigned i = 0; node && i < node->gpu_states.count; i++) {
        const struct ce_gpu_value *value = &node->gpu_states.items[i].facts[CE_GPU_MINOR];
        if (strcmp(node->gpus[i].address, address) == 0 && value->answer == CE_GPU_KNOWN) {
            *minor = value->number;
            return true;
        }
    }
    return false;
}

static bool has_minor(const struct machine *machine, unsigned index, uint64_t *minor)
{
    const char *address = machine->node->gpus[index].address;
    return tells(machine->node, address, minor) || tells(machine->before, address, minor);
}

/* Do the GPUs that tell have the number of their place on the bus, as almost everywhere?  Then so
 * has one that is too sick to tell. */
static bool follows_bus(const struct machine *machine)
{
    unsigned told = 0;
    for (unsigned i = 0; i < machine->node->gpu_count; i++) {
        uint64_t minor;
        if (!has_minor(machine, i, &minor))
            continue;
        if (minor != i)
            return false;
        told++;
    }
    return told > 0;
}

static int find_gpu(const struct machine *machine, unsigned number)
{
    for (unsigned i = 0; i < machine->node->gpu_count; i++) {
        uint64_t minor;
        if (has_minor(machine, i, &minor) && minor == number)
            return (int)i;
    }
    return number < machine->node->gpu_count && follows_bus(machine) ? (int)number : -1;
}

/* Why Slurm's numbers are not those of GPUs; NULL: they are. */
static const char *why_not(const struct ce_node *node)
{
    const struct ce_gpu_states *states = &node->gpu_states;
    const char *name = "";
    for (unsigned i = 0; i < states->count; i++) {
        const struct ce_gpu_state *state = &states->items[i];
        if (state->facts[CE_GPU_MIG].answer == CE_GPU_KNOWN && state->facts[CE_GPU_MIG].number)
            return "MIG divides them";
        if (name[0] && state->name[0] && strcmp(name, state->name) != 0)
            return "they are of several kinds";
        name = state->name[0] ? state->name : name;
    }
    return NULL;
}

/* NULL; or why they cannot be told. */
static const char *translate(uint64_t numbers, const struct machine *machine, uint64_t *gpus)
{
    const char *why = why_not(machine->node);
    *gpus = 0;
    for (unsigned number = 0; number < CE_SLURM_JOB_GPUS_MAX && !why; number++) {
        if (!(numbers >> number & 1))
            continue;
        int index = find_gpu(machine, number);
        if (index < 0)
            why = "NVML does not tell which have these numbers";
        else
            *gpus |= 1ull << index;
    }
    return why;
}

static bool has_all(uint64_t gpus, const struct ce_node *node)
{
    for (unsigned i = 0; i < node->gpu_count; i++)
        if (!(gpus >> i & 1))
            return false;
    return true;
}

void ce_share_find(const struct ce_slurm_job *job, const struct ce_node *node,
                   const struct ce_node *before, struct ce_share *ret, struct ce_notes *notes)
{
    const struct machine machine = {node, before};
    const char *why = NULL;
    *ret = (struct ce_share){.shared = false};
    if (!job->id || job->share == CE_SHARE_NODE || !node->gpu_count)
        return;
    ret->shared = true;
    if (job->told == CE_GPUS_TOLD)
        why = translate(job->gpus, &machine, &ret->gpus);
    else if (job->told == CE_GPUS_GARBLED)
        why = "SLURM_JOB_GPUS is no list of numbers";
    if (why)
        ce_note(notes, "which GPUs are the job's stays unknown, so all are looked at: %s", why);
    ret->unsure = why || (job->told == CE_GPUS_UNTOLD && job->share == CE_SHARE_UNTOLD);
    if (ret->unsure)
        ret->gpus = UINT64_MAX;
    else if (has_all(ret->gpus, node))
        *ret = (struct ce_share){.shared = false};
}

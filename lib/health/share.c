/* SPDX-License-Identifier: Apache-2.0 */
#include "health/share.h"

#include <string.h>

static const struct ce_gpu_value *fact_of(const struct ce_node *node, unsigned index,
                                          enum ce_gpu_fact fact)
{
    static const struct ce_gpu_value unknown = {CE_GPU_UNKNOWN, 0};
    const struct ce_gpu_states *states = &node->gpu_states;
    return index < states->count ? &states->items[index].facts[fact] : &unknown;
}

static bool has_minor(const struct ce_node *node, unsigned index)
{
    return fact_of(node, index, CE_GPU_MINOR)->answer == CE_GPU_KNOWN;
}

/* Do the GPUs that tell have the number of their place on the bus, as almost everywhere?  Then so
 * has one that is too sick to tell. */
static bool follows_bus(const struct ce_node *node)
{
    unsigned told = 0;
    for (unsigned i = 0; i < node->gpu_count; i++) {
        if (!has_minor(node, i))
            continue;
        if (fact_of(node, i, CE_GPU_MINOR)->number != i)
            return false;
        told++;
    }
    return told > 0;
}

static int find_gpu(const struct ce_node *node, unsigned number)
{
    for (unsigned i = 0; i < node->gpu_count; i++)
        if (has_minor(node, i) && fact_of(node, i, CE_GPU_MINOR)->number == number)
            return (int)i;
    return number < node->gpu_count && follows_bus(node) ? (int)number : -1;
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
static const char *translate(uint64_t numbers, const struct ce_node *node, uint64_t *gpus)
{
    const char *why = why_not(node);
    *gpus = 0;
    for (unsigned number = 0; number < CE_SLURM_JOB_GPUS_MAX && !why; number++) {
        if (!(numbers >> number & 1))
            continue;
        int index = find_gpu(node, number);
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
                   struct ce_share *ret, struct ce_notes *notes)
{
    const char *why = NULL;
    *ret = (struct ce_share){.shared = false};
    if (!job->id || job->share == CE_SHARE_NODE || !node->gpu_count)
        return;
    ret->shared = true;
    if (job->told == CE_GPUS_TOLD)
        why = translate(job->gpus, node, &ret->gpus);
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

/* SPDX-License-Identifier: Apache-2.0 */
#include "slurm/place.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/parse.h"

/* The ways in which Slurm distributes tasks over nodes. */
enum { BLOCK = 1, CYCLIC = 2, PLANE = 4 };

struct distribution {
    unsigned ways;    /* that are possible here */
    uint32_t per_turn; /* of PLANE */
};

/* Without SLURM_DISTRIBUTION Slurm uses block, or cyclic if each node has one task; a program that starts its
 * steps by Slurm's C interface does not set it.  In a heterogeneous step it is that of any component. */
static struct distribution read_distribution(const struct ce_environ *env, bool het)
{
    const char *name = ce_environ_get(env, "SLURM_DISTRIBUTION");
    const char *size = ce_environ_get(env, "SLURM_DIST_PLANESIZE");
    struct distribution distribution = {BLOCK | CYCLIC, 0};
    bool plane = size && ce_parse_u32(size, 1, UINT32_MAX, &distribution.per_turn) == 0;
    if (het)
        distribution.ways |= plane ? PLANE : 0;
    else if (name && strncmp(name, "plane", 5) == 0 && plane)
        distribution.ways = PLANE;
    else if (name)
        distribution.ways = strncmp(name, "cyclic", 6) == 0 ? CYCLIC : BLOCK;
    return distribution;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Is this the lowest rank of the node, by its place in the list and one of these ways? */
static bool fits(const struct ce_allocation *allocation, const struct distribution *distribution,
                 uint32_t first_node, uint32_t node_rank, uint64_t lowest)
{
    uint64_t block = 0, plane = 0, cyclic = node_rank - first_node;
    for (uint32_t i = first_node; i < node_rank; i++) {
        block += allocation->tasks[i];
        plane += smaller(allocation->tasks[i], distribution->per_turn);
    }
    return (distribution->ways & BLOCK && lowest == block) ||
           (distribution->ways & CYCLIC && lowest == cyclic) ||
           (distribution->ways & PLANE && lowest == plane);
}

static uint64_t tasks_before(const struct ce_allocation *allocation, uint32_t node_rank)
{
    uint64_t tasks = 0;
    for (uint32_t i = 0; i < node_rank; i++)
        tasks += allocation->tasks[i];
    return tasks;
}

static bool fits_list(const struct ce_environ *env, const struct ce_allocation *allocation,
                      const struct ce_task *task, const struct ce_step_part *part)
{
    bool het = part->node_count != ce_allocation_node_count(allocation);
    struct distribution distribution = read_distribution(env, het);
    return part->first_node <= task->node_rank && part->first_task <= task->node_first &&
           part->first_task == tasks_before(allocation, part->first_node) &&
           fits(allocation, &distribution, part->first_node, task->node_rank,
                task->node_first - part->first_task);
}

static int fail(const struct ce_allocation *allocation, const struct ce_task *task,
                struct ce_error *err)
{
    bool asked = allocation->order == CE_ORDER_LAYOUT;
    return ce_fail(err,
                   "node order does not check: tasks on %.64s: %u, from task %" PRIu32 " on; expected of "
                   "node %u in %s: %u, from task %" PRIu64 " on; %s, or use --cluster-env=off for it",
                   task->node_name, task->local_tasks, task->node_first, task->node_rank,
                   asked ? "the layout that srun got" : "the step's list",
                   allocation->tasks[task->node_rank],
                   asked ? allocation->first[task->node_rank]
                         : tasks_before(allocation, task->node_rank),
                   asked ? "start the step again" : "start the step with -m cyclic");
}

int ce_slurm_check_place(const struct ce_environ *env, const struct ce_allocation *allocation,
                         const struct ce_task *task, const struct ce_step_part *part,
                         struct ce_error *err)
{
    const struct ce_step_part whole = {.node_count = ce_allocation_node_count(allocation)};
    uint32_t rank = task->node_rank;
    if (allocation->id.kind != CE_STEP_TASKS ||
        (!part && (allocation->order == CE_ORDER_COMPONENTS || task->node_first == UINT32_MAX)))
        return 0;
    if (task->node_first == UINT32_MAX)
        return ce_fail(err, "SLURM_GTIDS does not list task %u, so its node's place cannot be checked; "
                            "see docs/hooks.md on the order in plugstack.conf",
                       task->rank);
    if (task->local_tasks != allocation->tasks[rank])
        return fail(allocation, task, err);
    bool right = allocation->order == CE_ORDER_LAYOUT
                     ? allocation->first[rank] == task->node_first
                     : fits_list(env, allocation, task, part ? part : &whole);
    return right ? 0 : fail(allocation, task, err);
}

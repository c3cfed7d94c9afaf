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

/* Without SLURM_DISTRIBUTION Slurm uses block, or cyclic if each node has one task, which is the same.  In a
 * heterogeneous step the variable is that of any component, so every way is possible. */
static struct distribution read_distribution(const struct ce_environ *env, bool het)
{
    const char *name = ce_environ_get(env, "SLURM_DISTRIBUTION");
    const char *size = ce_environ_get(env, "SLURM_DIST_PLANESIZE");
    struct distribution distribution = {het ? BLOCK | CYCLIC : BLOCK, 0};
    bool plane = size && ce_parse_u32(size, 1, UINT32_MAX, &distribution.per_turn) == 0;
    if (het)
        distribution.ways |= plane ? PLANE : 0;
    else if (name && strncmp(name, "plane", 5) == 0 && plane)
        distribution.ways = PLANE;
    else if (name && strncmp(name, "cyclic", 6) == 0)
        distribution.ways = CYCLIC;
    return distribution;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The lowest rank that a node has by its place in the list, for each of the ways. */
struct expected {
    uint64_t block, cyclic, plane;
};

static struct expected expect(const struct ce_allocation *allocation, uint32_t per_turn,
                              const struct ce_step_part *part, uint32_t node_rank)
{
    struct expected expected = {part->first_task, part->first_task, part->first_task};
    for (uint32_t i = part->first_node; i < node_rank; i++) {
        expected.block += allocation->tasks[i];
        expected.cyclic++;
        expected.plane += smaller(allocation->tasks[i], per_turn);
    }
    return expected;
}

static uint64_t tasks_before(const struct ce_allocation *allocation, uint32_t node_rank)
{
    uint64_t tasks = 0;
    for (uint32_t i = 0; i < node_rank; i++)
        tasks += allocation->tasks[i];
    return tasks;
}

/* *ret is the lowest rank that the node should have, by the first of the ways that are possible. */
static bool fits_list(const struct ce_environ *env, const struct ce_allocation *allocation,
                      const struct ce_task *task, const struct ce_step_part *part, uint64_t *ret)
{
    bool het = part->node_count != ce_allocation_node_count(allocation);
    struct distribution distribution = read_distribution(env, het);
    struct expected expected = expect(allocation, distribution.per_turn, part, task->node_rank);
    unsigned ways = distribution.ways;
    *ret = ways & BLOCK ? expected.block : ways & CYCLIC ? expected.cyclic : expected.plane;
    return part->first_node <= task->node_rank &&
           part->first_task == tasks_before(allocation, part->first_node) &&
           ((ways & BLOCK && task->node_first == expected.block) ||
            (ways & CYCLIC && task->node_first == expected.cyclic) ||
            (ways & PLANE && task->node_first == expected.plane));
}

static int fail(const struct ce_allocation *allocation, const struct ce_task *task,
                uint64_t expected, struct ce_error *err)
{
    bool asked = allocation->order == CE_ORDER_LAYOUT;
    return ce_fail(err,
                   "node order does not check: tasks on %.64s: %u, from task %" PRIu32 " on; expected of "
                   "node %u in %s: %u, from task %" PRIu64 " on; %s, or use --cluster-env=off for it",
                   task->node_name, task->local_tasks, task->node_first, task->node_rank,
                   asked ? "the layout that srun got" : "the step's list",
                   allocation->tasks[task->node_rank], expected,
                   asked ? "start the step again" : "start the step with -m cyclic");
}

int ce_slurm_check_place(const struct ce_environ *env, const struct ce_allocation *allocation,
                         const struct ce_task *task, const struct ce_step_part *part,
                         struct ce_error *err)
{
    uint64_t expected;
    if (allocation->id.kind != CE_STEP_TASKS)
        return 0;
    if (task->node_first == UINT32_MAX)
        return ce_fail(err, "SLURM_GTIDS does not list task %u, so its node's place cannot be checked; "
                            "see docs/hooks.md on the order in plugstack.conf",
                       task->rank);
    bool right;
    if (allocation->order == CE_ORDER_LAYOUT) {
        expected = allocation->first[task->node_rank];
        right = task->node_first == expected;
    } else {
        right = fits_list(env, allocation, task, part, &expected);
    }
    right = right && task->local_tasks == allocation->tasks[task->node_rank];
    return right ? 0 : fail(allocation, task, expected, err);
}

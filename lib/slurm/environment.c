/* SPDX-License-Identifier: Apache-2.0 */
#include "slurm/environment.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "model/hostindex.h"
#include "slurm/counts.h"
#include "slurm/nodes.h"

static int number(const struct ce_environ *env, const char *name, uint32_t max, uint32_t *ret,
                  struct ce_error *err)
{
    const char *text = ce_environ_get(env, name);
    if (!text)
        return ce_fail(err, "%s is not set; expected Slurm to set it", name);
    if (ce_parse_u32(text, 0, max, ret) < 0)
        return ce_fail(err, "%s=%.40s: expected a number", name, text);
    return 0;
}

/* A number that may be absent or odd: then the value stays. */
static void optional_number(const struct ce_environ *env, const char *name, uint32_t *ret)
{
    const char *text = ce_environ_get(env, name);
    if (text)
        ce_parse_u32(text, 0, UINT32_MAX, ret);
}

static const char *first_of(const struct ce_environ *env, const char *name, const char *otherwise)
{
    const char *text = ce_environ_get(env, name);
    return text ? text : ce_environ_get(env, otherwise);
}

/* Numbers above this are no srun's: 0xfffffffb is the batch script, 0xfffffffa salloc's shell.
 * Newer Slurms print them as -5 and -6. */
enum { LAST_SRUN_STEP = 0xfffffff0u };

/* Is this inside a step of srun, and which? */
static bool find_srun_step(const struct ce_environ *env, uint32_t *ret)
{
    const char *step = first_of(env, "SLURM_STEP_ID", "SLURM_STEPID");
    return step && ce_parse_u32(step, 0, LAST_SRUN_STEP, ret) == 0;
}

/* A job submitted from inside a step inherits that step's variables; what the plugin left tells. */
static bool was_told(const struct ce_environ *env, uint32_t job_id, struct ce_step_id *ret)
{
    const char *told = ce_environ_get(env, CE_STEP_VARIABLE);
    struct ce_step_id id;
    uint32_t step_id;
    bool in_step = find_srun_step(env, &step_id);
    if (!told || ce_step_id_parse(told, &id) < 0 || id.job_id != job_id)
        return false;
    /* An inner srun without the option still has its batch script's text. */
    if (id.kind == CE_STEP_TASKS && (!in_step || step_id != id.step_id))
        return false;
    *ret = id;
    return id.kind == CE_STEP_TASKS || !in_step;
}

int ce_slurm_identify(const struct ce_environ *env, struct ce_step_id *ret, struct ce_error *err)
{
    const char *job = first_of(env, "SLURM_JOB_ID", "SLURM_JOBID");
    bool rank = ce_environ_get(env, "SLURM_PROCID") != NULL;
    struct ce_step_id id = {.kind = rank ? CE_STEP_BATCH : CE_STEP_INTERACTIVE};
    if (!job || ce_parse_u32(job, 1, UINT32_MAX, &id.job_id) < 0)
        return ce_fail(err, "not inside a Slurm job: SLURM_JOB_ID is not set; run it with srun, or "
                            "in an sbatch script or salloc shell");
    if (was_told(env, id.job_id, ret))
        return 0;
    if (rank && ce_environ_get(env, "SLURM_STEP_NODELIST") && find_srun_step(env, &id.step_id))
        id.kind = CE_STEP_TASKS;
    *ret = id;
    return 0;
}

/* "58000-58003" -> 58000 */
static uint32_t first_port(const char *ports)
{
    uint64_t port = 0;
    const char *end;
    return ports && ce_parse_digits(ports, 65535, &port, &end) == 0 ? (uint32_t)port : 0;
}

static int read_sizes(const struct ce_environ *env, struct ce_allocation *allocation,
                      struct ce_error *err)
{
    /* In a heterogeneous step Slurm gives the plugin each component's own job id; this variable is
     * the same for all of them. */
    optional_number(env, "SLURM_JOB_ID", &allocation->id.job_id);
    if (allocation->id.kind != CE_STEP_TASKS) {
        optional_number(env, "SLURM_NTASKS", &allocation->task_count);
        return 0;
    }
    allocation->reserved_port = first_port(ce_environ_get(env, "SLURM_STEP_RESV_PORTS"));
    return number(env, "SLURM_STEP_NUM_TASKS", UINT32_MAX, &allocation->task_count, err);
}

/* "4(x2),3" of these nodes, each stored by its rank (NULL: its place); those that it does not count
 * are left. */
static void count_list(const char *text, const struct ce_hostlist *nodes,
                       const struct ce_hostindex *ranks, uint32_t *ret)
{
    struct ce_counts counts = ce_counts_begin(text);
    uint32_t tasks;
    for (size_t place = 0; place < ce_hostlist_count(nodes) && ce_counts_next(&counts, &tasks);
         place++) {
        size_t rank = place;
        if (!ranks || ce_hostindex_find(ranks, ce_hostlist_name(nodes, place), &rank))
            ret[rank] = tasks;
    }
}

static void count_by_name(const struct ce_environ *env, const struct ce_allocation *allocation)
{
    ce_auto(ce_hostindex_destroy) struct ce_hostindex *ranks =
        ce_hostindex_create(allocation->nodes);
    struct ce_hostlist *nodes;
    const char *counts;
    for (uint32_t i = 0;
         ranks && (nodes = ce_slurm_counted_nodes(env, allocation->id.kind, i, &counts)); i++) {
        count_list(counts, nodes, ranks, allocation->tasks);
        ce_hostlist_destroy(nodes);
    }
}

int ce_slurm_count_tasks(const struct ce_environ *env, struct ce_allocation *allocation,
                         struct ce_error *err)
{
    bool step = allocation->id.kind == CE_STEP_TASKS;
    const char *counts = step ? "SLURM_STEP_TASKS_PER_NODE" : "SLURM_TASKS_PER_NODE";
    uint32_t count = ce_allocation_node_count(allocation);
    allocation->tasks = calloc(count, sizeof *allocation->tasks);
    if (!allocation->tasks)
        return ce_fail(err, "no memory");
    if (allocation->order == CE_ORDER_NODEID || allocation->order == CE_ORDER_JOB)
        count_list(ce_environ_get(env, counts), allocation->nodes, NULL, allocation->tasks);
    if (allocation->order != CE_ORDER_NODEID)
        count_by_name(env, allocation);
    for (uint32_t i = 0; i < count; i++)
        if (!allocation->tasks[i])
            allocation->tasks[i] = 1;
    return 0;
}

int ce_slurm_allocation(const struct ce_environ *env, struct ce_step_id id,
                        struct ce_allocation *ret, struct ce_error *err)
{
    struct ce_allocation allocation = {.id = id};
    if (read_sizes(env, &allocation, err) < 0 || ce_slurm_nodes(env, &allocation, err) < 0)
        return -1;
    if (ce_slurm_count_tasks(env, &allocation, err) < 0) {
        ce_allocation_free(&allocation);
        return -1;
    }
    *ret = allocation;
    return 0;
}

/* SLURM_GTIDS, "3,5,6", lists the node's own ranks in every kind of step, also if the counts per node
 * are those of the union of a heterogeneous step.  false: it does not hold such a list with this
 * task in it. */
static bool read_node_ranks(const struct ce_environ *env, struct ce_task *task)
{
    const char *text = ce_environ_get(env, "SLURM_GTIDS");
    uint32_t count = 0, lowest = UINT32_MAX;
    bool found = false;
    for (uint64_t rank; text; text = *text ? text + 1 : NULL) {
        if (ce_parse_digits(text, UINT32_MAX, &rank, &text) < 0 || (*text && *text != ','))
            return false;
        lowest = rank < lowest ? (uint32_t)rank : lowest;
        found |= rank == task->rank;
        count++;
    }
    if (!found)
        return false;
    task->local_tasks = count;
    task->node_first = lowest;
    return true;
}

static uint32_t tasks_on_node(const struct ce_allocation *allocation, uint32_t node_rank)
{
    return node_rank < ce_allocation_node_count(allocation) ? allocation->tasks[node_rank] : 1;
}

static uint32_t count_items(const char *list)
{
    uint32_t count = *list != '\0';
    for (; *list; list++)
        count += *list == ',';
    return count;
}

static uint32_t visible_gpus(const struct ce_environ *env)
{
    const char *devices = ce_environ_get(env, "CUDA_VISIBLE_DEVICES");
    return devices ? count_items(devices) : UINT32_MAX;
}

static int find_by_name(const struct ce_allocation *allocation, struct ce_task *task,
                        struct ce_error *err)
{
    uint32_t count = ce_allocation_node_count(allocation);
    for (task->node_rank = 0; task->node_rank < count; task->node_rank++)
        if (strcmp(ce_hostlist_name(allocation->nodes, task->node_rank), task->node_name) == 0)
            return 0;
    return ce_fail(err, "this node, %s, is not among the nodes of the step", task->node_name);
}

static int read_place(const struct ce_environ *env, const struct ce_allocation *allocation,
                      struct ce_task *task, struct ce_error *err)
{
    if (number(env, "SLURM_NODEID", UINT32_MAX, &task->node_rank, err) < 0 ||
        number(env, "SLURM_PROCID", UINT32_MAX, &task->rank, err) < 0 ||
        number(env, "SLURM_LOCALID", UINT32_MAX, &task->local_rank, err) < 0)
        return -1;
    if (allocation->order == CE_ORDER_LAYOUT)
        return find_by_name(allocation, task, err);
    if (task->node_rank >= ce_allocation_node_count(allocation))
        return ce_fail(err, "SLURM_NODEID=%u, but the step's list names only %u nodes",
                       task->node_rank, ce_allocation_node_count(allocation));
    return 0;
}

int ce_slurm_task(const struct ce_environ *env, const struct ce_allocation *allocation,
                  struct ce_task *ret, struct ce_error *err)
{
    struct ce_task task = {.node_first = UINT32_MAX};
    const char *name = ce_environ_get(env, "SLURMD_NODENAME");
    if (name && ce_copy(task.node_name, sizeof task.node_name, name) < 0)
        return ce_fail(err, "SLURMD_NODENAME is longer than %d bytes", CE_HOSTNAME_MAX);
    if (allocation->id.kind == CE_STEP_TASKS && read_place(env, allocation, &task, err) < 0)
        return -1;
    if (allocation->id.kind != CE_STEP_TASKS || !read_node_ranks(env, &task))
        task.local_tasks = tasks_on_node(allocation, task.node_rank);
    task.visible_gpus = visible_gpus(env);
    optional_number(env, "SLURM_GPUS_ON_NODE", &task.gpus_on_node);
    *ret = task;
    return 0;
}

bool ce_slurm_is_launcher(const char *command)
{
    /* Open MPI; PRRTE; MPICH, MVAPICH and Intel MPI */
    static const char *const daemons[] = {"orted", "prted", "hydra_"};
    const char *slash = strrchr(command, '/');
    const char *base = slash ? slash + 1 : command;
    return strcmp(base, daemons[0]) == 0 || strcmp(base, daemons[1]) == 0 ||
           strncmp(base, daemons[2], strlen(daemons[2])) == 0;
}

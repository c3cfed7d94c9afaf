/* SPDX-License-Identifier: Apache-2.0 */
/* What Slurm gave: the nodes of a step or job, and one task's place in it. */
#ifndef CE_MODEL_ALLOCATION_H
#define CE_MODEL_ALLOCATION_H

#include <stdbool.h>
#include <stdint.h>

#include "model/hostlist.h"

enum ce_step_kind {
    CE_STEP_TASKS,       /* an srun step: it has ranks */
    CE_STEP_BATCH,       /* the batch script: it describes the job, it has no rank */
    CE_STEP_INTERACTIVE, /* salloc's shell: as the batch script */
};

/* How the nodes are ordered, and how a task finds itself among them. */
enum ce_node_order {
    CE_ORDER_NODEID,     /* Slurm's list; SLURM_NODEID is the index */
    CE_ORDER_COMPONENTS, /* heterogeneous: SLURM_NODEID too, but not in the order of Slurm's list */
    CE_ORDER_LAYOUT,     /* the order that srun asked Slurm for: by name */
    CE_ORDER_UNKNOWN,    /* -m arbitrary, and the order did not arrive */
    CE_ORDER_JOB,        /* a job's list, whose steps may have another order: no node is the first */
};

/* Which step this is; the text form is "12.0", "12.batch" or "12.interactive". */
struct ce_step_id {
    enum ce_step_kind kind;
    uint32_t job_id;
    uint32_t step_id; /* of CE_STEP_TASKS, else 0 */
};

/* The variable in which the plugin leaves it. */
#define CE_STEP_VARIABLE "CLUSTER_ENV_STEP"

enum { CE_STEP_ID_TEXT = 32 };
const char *ce_step_id_format(const struct ce_step_id *id, char buf[CE_STEP_ID_TEXT]);
int ce_step_id_parse(const char *text, struct ce_step_id *ret);

struct ce_allocation {
    struct ce_step_id id;
    struct ce_hostlist *nodes; /* rank order; of the step, else of the job */
    uint32_t task_count;       /* all tasks of the step, else of the job; 0: not known */
    uint32_t reserved_port;    /* first port of srun --resv-ports; 0: none */
    enum ce_node_order order;
    uint32_t *tasks;           /* on each node, by its rank, at least 1 */
    uint32_t *first;           /* lowest rank of each node; NULL: only Slurm knows (not CE_ORDER_LAYOUT) */
};

/* The place of one task; of the batch script, whose ranks mean nothing. */
struct ce_task {
    char node_name[CE_HOSTNAME_MAX + 1]; /* Slurm's name of this node; "": not known */
    uint32_t node_rank;                  /* index of this node in the list */
    uint32_t rank, local_rank;
    uint32_t local_tasks;                /* tasks of the step on this node, at least 1 */
    uint32_t gpus_on_node;               /* GPUs the step has on this node; 0: none */
    uint32_t visible_gpus;               /* GPUs this task sees; UINT32_MAX: not known */
    uint32_t node_first;                 /* lowest rank on this node; UINT32_MAX: not known */
};

void ce_allocation_free(struct ce_allocation *allocation);

static inline uint32_t ce_allocation_node_count(const struct ce_allocation *allocation)
{
    return (uint32_t)ce_hostlist_count(allocation->nodes);
}

/* Every node runs exactly one task of the step (Slurm gives each node at least one). */
static inline bool ce_allocation_one_task_per_node(const struct ce_allocation *allocation)
{
    return allocation->task_count == ce_allocation_node_count(allocation);
}

#endif

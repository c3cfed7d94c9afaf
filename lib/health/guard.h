/* SPDX-License-Identifier: Apache-2.0 */
/* The guard: a fault that shows on many nodes at once is rarely theirs (a switch, a driver's update,
 * a mistake of ours), so we drain only a share of a partition's nodes for one check.  PURE:
 * helpers/slurm-node reads the nodes and does what follows. */
#ifndef CE_HEALTH_GUARD_H
#define CE_HEALTH_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a reason of ours has for each check: "[cluster-env ib.port.state]". */
#define CE_REASON_TAG "[cluster-env "

/* Exit statuses of `slurm-node drain`, `resume`, `requeue` and `refuse`; 2 is a slip in the command line. */
enum ce_change {
    CE_CHANGED = 0,
    CE_CHANGE_FAILED = 1,    /* slurmctld did not answer or refused; or it is not known */
    CE_CHANGE_HELD_BACK = 3, /* drain: by the guard; the node is in service */
    CE_CHANGE_NOT_OURS = 4,  /* drain: the node is drained, with a reason that stays;
                              * resume: it has another reason, or is not drained;
                              * requeue, refuse: Slurm requeues no such job */
};

/* Of a partition's nodes `percent` (at least one node) may be drained for one check within `hours`. */
struct ce_guard_limit {
    unsigned percent;
    unsigned hours;
};

struct ce_guard_node {
    const char *name;   /* NULL: there is no node at this place, or none yet */
    const char *reason; /* "": none */
    bool drained;
    int64_t since; /* when the reason was given, in seconds of slurmctld's clock */
};

/* INT64_MAX is after whatever is there: the `since` of a node that is to be drained. */
#define CE_GUARD_TO_COME INT64_MAX

struct ce_guard_scene {
    const struct ce_guard_node *nodes;
    size_t count;
    const int32_t *const *partitions; /* those that have the node: first and last place of each range
                                       * of their nodes, -1 behind the last */
    size_t partition_count;
    int64_t now;
};

/* May nodes[self] be drained, or stay so, for its reason?  Ahead of it are the nodes that we drained
 * for the same check, within the hours, before it in the order of (since, name): they have to leave
 * room for it in every partition that has it.  With several checks in the reason one that leaves
 * room is enough; a reason without a whole tag is of the same check as every reason of ours. */
bool ce_guard_admits(const struct ce_guard_scene *scene, size_t self,
                     const struct ce_guard_limit *limit);

#endif

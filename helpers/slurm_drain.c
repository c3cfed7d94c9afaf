/* SPDX-License-Identifier: Apache-2.0 */
#include "slurm_drain.h"

#include <errno.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "health/guard.h"

/* slurmctld keeps the time of a reason in whole seconds; a little more, for its clock and ours. */
enum { SETTLE_MS = 1200, HOURS_MAX = 24 * 365 };

int ce_slurm_complain(const char *what)
{
    fprintf(stderr, "slurm-node: %s: %s\n", what, slurm_strerror(errno));
    return 1;
}

/* ---------------------------------------------------------------- what slurmctld says */

static const char *reason_of(const node_info_t *node)
{
    return node->reason ? node->reason : "";
}

/* Is it this reason, alone or behind an admin's word, as drain_within() puts it? */
static bool is_for(const char *text, const char *reason)
{
    size_t length = strlen(text), last = strlen(reason);
    return length >= last && strcmp(text + length - last, reason) == 0 &&
           (length == last || (length - last > 2 && strncmp(text + length - last - 2, "; ", 2) == 0));
}

static bool is_drained(const node_info_t *node)
{
    return node->node_state & NODE_STATE_DRAIN;
}

/* Places of nodes that were removed while slurmctld ran have no name. */
static bool is_there(const node_info_t *node)
{
    return node->name && *node->name && (node->node_state & NODE_STATE_BASE) != NODE_STATE_FUTURE;
}

static void free_nodes(node_info_msg_t **nodes)
{
    slurm_free_node_info_msg(*nodes);
}

static void free_partitions(partition_info_msg_t **partitions)
{
    slurm_free_partition_info_msg(*partitions);
}

/* The node alone; NULL after a line on stderr. */
static node_info_msg_t *load_node(const char *name)
{
    node_info_msg_t *nodes = NULL;
    if (slurm_load_node_single(&nodes, (char *)name, SHOW_ALL) != SLURM_SUCCESS) {
        ce_slurm_complain("slurmctld does not tell of the node");
        return NULL;
    }
    if (nodes->record_count == 1)
        return nodes;
    fprintf(stderr, "slurm-node: slurmctld knows no node %s\n", name);
    slurm_free_node_info_msg(nodes);
    return NULL;
}

/* ---------------------------------------------------------------- what slurmctld is to do */

/* reason NULL: the one that is there stays. */
static int update(const char *name, uint32_t state, const char *reason, const char *complaint)
{
    update_node_msg_t update;
    slurm_init_update_node_msg(&update);
    update.node_names = (char *)name;
    update.node_state = state;
    update.reason = (char *)reason;
    return slurm_update_node(&update) == SLURM_SUCCESS ? 0 : ce_slurm_complain(complaint);
}

static int set_drain(const char *name, const char *reason)
{
    return update(name, NODE_STATE_DRAIN, reason, "slurmctld does not drain the node");
}

/* Not "resume", which would put a node that is down in service. */
static int undrain(const char *name)
{
    return update(name, NODE_STATE_UNDRAIN, NULL, "slurmctld does not undrain the node");
}

/* ---------------------------------------------------------------- the guard */

static bool holds(const partition_info_t *partition, size_t place)
{
    for (const int32_t *range = partition->node_inx; range && range[0] >= 0; range += 2)
        if (range[0] <= (int64_t)place && (int64_t)place <= range[1])
            return true;
    return false;
}

/* Each partition that has the node; a closed one is as big as ever. */
static size_t partitions_with(const partition_info_msg_t *partitions, size_t place,
                              const int32_t **ret)
{
    size_t count = 0;
    for (uint32_t i = 0; i < partitions->record_count; i++)
        if (holds(&partitions->partition_array[i], place))
            ret[count++] = partitions->partition_array[i].node_inx;
    return count;
}

/* nodes[] as the guard wants them.  The place of the one called `name`, SIZE_MAX where there is
 * none. */
static size_t describe(const node_info_msg_t *msg, const char *name, struct ce_guard_node *nodes)
{
    size_t self = SIZE_MAX;
    for (uint32_t i = 0; i < msg->record_count; i++) {
        const node_info_t *node = &msg->node_array[i];
        if (!is_there(node))
            continue;
        nodes[i] = (struct ce_guard_node){node->name, reason_of(node), is_drained(node),
                                          (int64_t)node->reason_time};
        if (strcmp(node->name, name) == 0)
            self = i;
    }
    return self;
}

enum stand { STANDS, IN_SERVICE, OTHER_REASON }; /* of our drain, when it is looked for again */

struct look {
    bool admitted;
    enum stand stand;
};

/* Look at all nodes.  `drained`: ours is drained by now, for this reason; else it is to be.  0, or
 * a line on stderr and 1. */
static int look(const char *name, const char *reason, bool drained,
                const struct ce_guard_limit *limit, struct look *ret)
{
    __attribute__((cleanup(free_nodes))) node_info_msg_t *msg = NULL;
    __attribute__((cleanup(free_partitions))) partition_info_msg_t *partitions = NULL;
    if (slurm_load_node(0, &msg, SHOW_ALL | SHOW_MIXED) != SLURM_SUCCESS)
        return ce_slurm_complain("slurmctld does not tell its nodes");
    if (slurm_load_partitions(0, &partitions, SHOW_ALL) != SLURM_SUCCESS)
        return ce_slurm_complain("slurmctld does not tell its partitions");
    ce_autofree struct ce_guard_node *nodes = calloc(msg->record_count + 1, sizeof *nodes);
    ce_autofree const int32_t **with = calloc(partitions->record_count + 1, sizeof *with);
    size_t self = nodes && with ? describe(msg, name, nodes) : SIZE_MAX;
    if (self == SIZE_MAX) {
        fprintf(stderr, "slurm-node: slurmctld knows no node %s\n", name);
        return 1;
    }
    struct ce_guard_node *own = &nodes[self];
    ret->stand = !own->drained                   ? IN_SERVICE
                 : !is_for(own->reason, reason) ? OTHER_REASON
                                                 : STANDS;
    if (!drained)
        *own = (struct ce_guard_node){own->name, reason, true, CE_GUARD_TO_COME};
    const struct ce_guard_scene scene = {nodes, msg->record_count, with,
                                         partitions_with(partitions, self, with),
                                         (int64_t)msg->last_update};
    ret->admitted = ce_guard_admits(&scene, self, limit);
    return 0;
}

/* The drain is set, by this process or by another of this node. */
static int settle(const char *name, const char *reason, const struct ce_guard_limit *limit)
{
    struct look seen;
    nanosleep(&(struct timespec){.tv_sec = SETTLE_MS / 1000,
                                 .tv_nsec = SETTLE_MS % 1000 * 1000000},
              NULL);
    if (look(name, reason, true, limit, &seen))
        return CE_CHANGE_FAILED;
    if (seen.stand == OTHER_REASON)
        return CE_CHANGE_NOT_OURS;
    if (seen.stand == IN_SERVICE) /* another process of this node was here before */
        return CE_CHANGE_HELD_BACK;
    if (seen.admitted)
        return CE_CHANGED;
    return undrain(name) ? CE_CHANGE_FAILED : CE_CHANGE_HELD_BACK;
}

/* ---------------------------------------------------------------- drain */

/* Another process of this node set it, and may yet take it back. */
static bool is_of_this_moment(const node_info_msg_t *msg, const char *reason)
{
    const node_info_t *node = &msg->node_array[0];
    return is_for(reason_of(node), reason) &&
           msg->last_update - node->reason_time <= SETTLE_MS / 1000 + 1;
}

/* One of ours, or of Slurm on our exit status, was left there by 24.11, which keeps the reason of a
 * node that is resumed. */
static bool has_others_word(const node_info_t *node)
{
    const char *reason = reason_of(node);
    return *reason && !strstr(reason, CE_REASON_TAG) && strcmp(reason, "Prolog error") != 0 &&
           strcmp(reason, "Epilog error") != 0;
}

/* An admin's word on a node in service is not ours to change.  Ours stands behind it, for the guard counts
 * by it: an old word may be on all nodes at once, left there from when they were resumed. */
static int set_drain_behind(const char *word, const char *name, const char *reason)
{
    ce_autofree char *both = NULL;
    if (asprintf(&both, "%s; %s", word, reason) < 0) {
        both = NULL;
        fputs("slurm-node: no memory\n", stderr);
        return 1;
    }
    return set_drain(name, both);
}

/* A node that was in service a moment ago. */
static int drain_within(const node_info_t *node, const char *name, const char *reason,
                        const struct ce_guard_limit *limit)
{
    struct look seen;
    if (look(name, reason, false, limit, &seen))
        return CE_CHANGE_FAILED;
    if (seen.stand == OTHER_REASON) /* meanwhile somebody drained it */
        return CE_CHANGE_NOT_OURS;
    if (!seen.admitted)
        return CE_CHANGE_HELD_BACK;
    bool word = has_others_word(node);
    if (word && node->node_state & NODE_STATE_FAIL) /* it says why the node fails, now */
        return set_drain(name, NULL) ? CE_CHANGE_FAILED : CE_CHANGE_NOT_OURS;
    if (word ? set_drain_behind(reason_of(node), name, reason) : set_drain(name, reason))
        return CE_CHANGE_FAILED;
    return settle(name, reason, limit);
}

int ce_slurm_drain(char **arguments)
{
    const char *name = arguments[0], *reason = arguments[1];
    struct ce_guard_limit limit;
    if (ce_parse_u32(arguments[2], 1, 100, &limit.percent) < 0 ||
        ce_parse_u32(arguments[3], 1, HOURS_MAX, &limit.hours) < 0) {
        fputs("slurm-node drain: PERCENT is 1 to 100, HOURS 1 to 8760\n", stderr);
        return 2;
    }
    __attribute__((cleanup(free_nodes))) node_info_msg_t *msg = load_node(name);
    if (!msg)
        return CE_CHANGE_FAILED;
    const node_info_t *node = &msg->node_array[0];
    if (!is_drained(node))
        return drain_within(node, name, reason, &limit);
    if (!*reason_of(node)) /* a drain without a word gets ours, and is never ours to lift */
        return set_drain(name, reason) ? CE_CHANGE_FAILED : CE_CHANGE_NOT_OURS;
    return is_of_this_moment(msg, reason) ? settle(name, reason, &limit) : CE_CHANGE_NOT_OURS;
}

/* ---------------------------------------------------------------- resume */

int ce_slurm_resume(char **arguments)
{
    const char *name = arguments[0], *reason = arguments[1];
    __attribute__((cleanup(free_nodes))) node_info_msg_t *msg = load_node(name);
    if (!msg)
        return CE_CHANGE_FAILED;
    const node_info_t *node = &msg->node_array[0];
    if (!is_drained(node) || !*reason || strcmp(reason_of(node), reason) != 0)
        return CE_CHANGE_NOT_OURS;
    return undrain(name) ? CE_CHANGE_FAILED : CE_CHANGED;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "slurm/nodes.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/parse.h"
#include "model/hostindex.h"
#include "slurm/layout.h"

enum { COMPONENTS_MAX = 128, LISTS_MAX = 32 << 20 };

/* The two names of a component's variable: srun of 22.05 sets only the second. */
static const char *component_value(const struct ce_environ *env, const char *what, uint32_t index)
{
    static const char *const groups[] = {"HET", "PACK"};
    char name[64];
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        snprintf(name, sizeof name, "SLURM_%s_%s_GROUP_%u", what, groups[i], index);
        const char *value = ce_environ_get(env, name);
        if (value)
            return value;
    }
    return NULL;
}

/* How many components this job has; 0 for an ordinary one.  A job submitted from inside a het job
 * inherits its variables: those of component 0 must name this very job. */
static uint32_t component_count(const struct ce_environ *env)
{
    uint32_t count = 0;
    const char *size = ce_environ_get(env, "SLURM_HET_SIZE");
    const char *leader = component_value(env, "JOB_ID", 0);
    const char *job = ce_environ_get(env, "SLURM_JOB_ID");
    if (!size || !leader || !job || strcmp(leader, job) != 0 ||
        ce_parse_u32(size, 1, COMPONENTS_MAX, &count) < 0)
        return 0;
    return count;
}

/* The same number of names, and each of the step's is among the nodes. */
static bool explains(const struct ce_hostlist *nodes, const struct ce_hostlist *step)
{
    if (ce_hostlist_count(nodes) != ce_hostlist_count(step))
        return false;
    ce_auto(ce_hostindex_destroy) struct ce_hostindex *index = ce_hostindex_create(nodes);
    for (size_t i = 0; index && i < ce_hostlist_count(step); i++)
        if (!ce_hostindex_find(index, ce_hostlist_name(step, i), NULL))
            return false;
    return index != NULL;
}

static struct ce_hostlist *component_nodes(const struct ce_environ *env, uint32_t index)
{
    const char *list = component_value(env, "JOB_NODELIST", index);
    return list ? ce_hostlist_parse(list, NULL) : NULL;
}

/* The components' nodes one after the other; those of `step`, or all (NULL).  No node is in two of
 * them.  NULL: a component is not known. */
static struct ce_hostlist *join_components(const struct ce_environ *env, uint32_t count,
                                           const struct ce_hostindex *step)
{
    ce_autotext struct ce_text joined = CE_TEXT(LISTS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        ce_auto(ce_hostlist_destroy) struct ce_hostlist *nodes = component_nodes(env, i);
        if (!nodes)
            return NULL;
        for (size_t k = 0; k < ce_hostlist_count(nodes); k++)
            if (!step || ce_hostindex_find(step, ce_hostlist_name(nodes, k), NULL))
                ce_text_addf(&joined, "%s%s", joined.length ? "," : "", ce_hostlist_name(nodes, k));
    }
    return ce_text_ok(&joined) ? ce_hostlist_parse(ce_text_string(&joined), NULL) : NULL;
}

/* The nodes of a step of a heterogeneous job; NULL where the components do not explain its list. */
static struct ce_hostlist *reorder(const struct ce_environ *env, const struct ce_hostlist *step)
{
    uint32_t count = component_count(env);
    if (count < 2)
        return NULL;
    ce_auto(ce_hostindex_destroy) struct ce_hostindex *index = ce_hostindex_create(step);
    struct ce_hostlist *joined = index ? join_components(env, count, index) : NULL;
    if (joined && explains(joined, step))
        return joined;
    ce_hostlist_destroy(joined);
    return NULL;
}

static struct ce_hostlist *parse_required(const char *text, const char *name, struct ce_error *err)
{
    if (text)
        return ce_hostlist_parse(text, err);
    ce_fail(err, "%s is not set; expected Slurm to set it", name);
    return NULL;
}

/* Are the names of `part` in the list, and in its order? */
static bool holds_in_order(const struct ce_hostlist *list, const struct ce_hostlist *part)
{
    size_t found = 0;
    for (size_t i = 0; i < ce_hostlist_count(list) && found < ce_hostlist_count(part); i++)
        found += strcmp(ce_hostlist_name(list, i), ce_hostlist_name(part, found)) == 0;
    return found == ce_hostlist_count(part);
}

/* The nodes that the plugin left in the batch script whose step this is, in either form. */
static struct ce_hostlist *script_nodes(const struct ce_environ *env, const struct ce_step_id *script,
                                        enum ce_node_order *order)
{
    struct ce_hostlist *nodes = ce_slurm_layout_read_job(env, script);
    const char *names = ce_environ_get(env, "CLUSTER_NODES");
    *order = nodes ? CE_ORDER_JOB : CE_ORDER_NODEID;
    return nodes || !names ? nodes : ce_hostlist_parse(names, NULL);
}

/* The job's nodes as its batch script has them, if `part` is all that Slurm gives an MPI launcher's
 * daemons: Open MPI 6 unsets SLURM_JOB_NODELIST, and srun puts the step's list there.
 * NULL: nothing says that there are more. */
static struct ce_hostlist *launcher_nodes(const struct ce_environ *env, const struct ce_step_id *id,
                                          const struct ce_hostlist *part, enum ce_node_order *order)
{
    const char *job = ce_environ_get(env, "SLURM_JOB_NODELIST");
    const char *step = ce_environ_get(env, "SLURM_STEP_NODELIST");
    const char *outer = ce_environ_get(env, CE_STEP_VARIABLE);
    struct ce_step_id script;
    if (!job || !step || strcmp(job, step) != 0 || !outer || ce_step_id_parse(outer, &script) < 0 ||
        script.kind == CE_STEP_TASKS || script.job_id != id->job_id)
        return NULL;
    struct ce_hostlist *nodes = script_nodes(env, &script, order);
    if (nodes && holds_in_order(nodes, part))
        return nodes;
    ce_hostlist_destroy(nodes);
    return NULL;
}

static struct ce_hostlist *job_nodes(const struct ce_environ *env, const struct ce_step_id *id,
                                     enum ce_node_order *order, struct ce_error *err)
{
    uint32_t count = component_count(env);
    struct ce_hostlist *joined = count > 1 ? join_components(env, count, NULL) : NULL;
    const char *list = ce_environ_get(env, "SLURM_JOB_NODELIST");
    *order = joined ? CE_ORDER_COMPONENTS : CE_ORDER_NODEID;
    if (joined)
        return joined;
    struct ce_hostlist *nodes = parse_required(list ? list : ce_environ_get(env, "SLURM_NODELIST"),
                                               "SLURM_JOB_NODELIST", err);
    struct ce_hostlist *more = nodes ? launcher_nodes(env, id, nodes, order) : NULL;
    if (!more)
        return nodes;
    ce_hostlist_destroy(nodes);
    return more;
}

/* For a script whose steps may order the nodes in another way. */
static void mark_job_order(const struct ce_environ *env, struct ce_allocation *allocation)
{
    /* an MPI launcher's daemons count as a batch script, also those of a shell */
    const struct ce_step_id shell = {CE_STEP_INTERACTIVE, allocation->id.job_id, 0};
    bool marked = ce_slurm_layout_is_of(env, &allocation->id) || ce_slurm_layout_is_of(env, &shell);
    if (marked && ce_hostlist_count(allocation->nodes) > 1)
        allocation->order = CE_ORDER_JOB;
}

static bool is_arbitrary(const struct ce_environ *env)
{
    const char *distribution = ce_environ_get(env, "SLURM_DISTRIBUTION");
    return distribution && strncmp(distribution, "arbitrary", 9) == 0;
}

/* Of this step.  In a step of one component of a heterogeneous job srun knows it by the component's own
 * number, and the tasks by that of the first. */
static struct ce_hostlist *read_any_layout(const struct ce_environ *env, const struct ce_step_id *id,
                                           uint32_t **first)
{
    struct ce_hostlist *nodes = ce_slurm_layout_read(env, id, first);
    uint32_t count = component_count(env);
    struct ce_step_id component = *id;
    for (uint32_t i = 0; i < count && !nodes; i++) {
        const char *job = component_value(env, "JOB_ID", i);
        if (job && ce_parse_u32(job, 1, UINT32_MAX, &component.job_id) == 0)
            nodes = ce_slurm_layout_read(env, &component, first);
    }
    return nodes;
}

/* The layout that srun asked for, if it is of the nodes of this list. */
static struct ce_hostlist *layout_nodes(const struct ce_environ *env, const struct ce_step_id *id,
                                        const struct ce_hostlist *list, uint32_t **first)
{
    ce_autofree uint32_t *found = NULL;
    ce_auto(ce_hostlist_destroy) struct ce_hostlist *nodes = read_any_layout(env, id, &found);
    if (!nodes || !explains(nodes, list))
        return NULL;
    *first = ce_steal(found);
    return ce_steal(nodes);
}

static int step_nodes(const struct ce_environ *env, struct ce_allocation *allocation,
                      struct ce_error *err)
{
    ce_auto(ce_hostlist_destroy) struct ce_hostlist *list =
        parse_required(ce_environ_get(env, "SLURM_STEP_NODELIST"), "SLURM_STEP_NODELIST", err);
    if (!list)
        return -1;
    bool arbitrary = is_arbitrary(env) && ce_hostlist_count(list) > 1;
    struct ce_hostlist *nodes = layout_nodes(env, &allocation->id, list, &allocation->first);
    allocation->order = CE_ORDER_LAYOUT;
    if (!nodes && !arbitrary) {
        nodes = reorder(env, list);
        allocation->order = CE_ORDER_COMPONENTS;
    }
    if (!nodes) {
        nodes = ce_steal(list);
        allocation->order = arbitrary ? CE_ORDER_UNKNOWN : CE_ORDER_NODEID;
    }
    allocation->nodes = nodes;
    return 0;
}

int ce_slurm_nodes(const struct ce_environ *env, struct ce_allocation *allocation,
                   struct ce_error *err)
{
    if (allocation->id.kind == CE_STEP_TASKS)
        return step_nodes(env, allocation, err);
    allocation->nodes = job_nodes(env, &allocation->id, &allocation->order, err);
    if (!allocation->nodes)
        return -1;
    mark_job_order(env, allocation);
    return 0;
}

/* topology.yaml replaces TopologyPlugin=.  Slurm looks for it only next to slurm.conf. */
static bool has_topology_yaml(const char *conf)
{
    const char *slash = conf ? strrchr(conf, '/') : NULL;
    char path[PATH_MAX];
    return slash &&
           ce_fits(snprintf(path, sizeof path, "%.*s/topology.yaml", (int)(slash - conf), conf),
                   sizeof path) &&
           access(path, F_OK) == 0;
}

bool ce_slurm_orders_by_topology(uint32_t version, const char *conf, const char *plugin,
                                 uint32_t params)
{
    /* these have no topology */
    static const char *const unordered[] = {"", "topology/flat", "topology/default",
                                            "topology/none"};
    if (version < 0x1a0500 || params & CE_SLURM_NO_DIST_TOPO_BLOCK)
        return false;
    for (size_t i = 0; i < sizeof unordered / sizeof *unordered; i++)
        if (!plugin || strcmp(plugin, unordered[i]) == 0)
            return has_topology_yaml(conf);
    return true;
}

bool ce_slurm_has_topology(const struct ce_environ *env, enum ce_step_kind kind)
{
    const char *pattern = ce_environ_get(env, "SLURM_TOPOLOGY_ADDR_PATTERN");
    const char *distribution = ce_environ_get(env, "SLURM_DISTRIBUTION");
    if (kind == CE_STEP_TASKS && distribution &&
        (strncmp(distribution, "cyclic", 6) == 0 || strncmp(distribution, "plane", 5) == 0))
        return false;
    return pattern && strcmp(pattern, "node") != 0 && ce_environ_get(env, "SLURM_JOB_SLUID");
}

struct ce_hostlist *ce_slurm_counted_nodes(const struct ce_environ *env, enum ce_step_kind kind,
                                           uint32_t index, const char **counts)
{
    if (kind != CE_STEP_TASKS) {
        *counts = component_value(env, "TASKS_PER_NODE", index);
        return index < component_count(env) ? component_nodes(env, index) : NULL;
    }
    const char *list = index == 0 ? ce_environ_get(env, "SLURM_STEP_NODELIST") : NULL;
    *counts = ce_environ_get(env, "SLURM_STEP_TASKS_PER_NODE");
    return list ? ce_hostlist_parse(list, NULL) : NULL;
}

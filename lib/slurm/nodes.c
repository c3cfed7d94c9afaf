/* SPDX-License-Identifier: Apache-2.0 */
#include "slurm/nodes.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "model/hostindex.h"

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

/* The job's nodes as its batch script was told them, where `part` is all that Slurm tells an MPI
 * launcher's daemons: Open MPI 6 unsets SLURM_JOB_NODELIST, and srun puts the step's list there.
 * NULL: nothing says that there are more. */
static struct ce_hostlist *told_nodes(const struct ce_environ *env, const struct ce_step_id *id,
                                      const struct ce_hostlist *part)
{
    const char *job = ce_environ_get(env, "SLURM_JOB_NODELIST");
    const char *step = ce_environ_get(env, "SLURM_STEP_NODELIST");
    const char *told = ce_environ_get(env, CE_STEP_VARIABLE);
    const char *names = ce_environ_get(env, "CLUSTER_NODES");
    struct ce_step_id script;
    if (!job || !step || strcmp(job, step) != 0 || !told || !names ||
        ce_step_id_parse(told, &script) < 0 || script.kind == CE_STEP_TASKS ||
        script.job_id != id->job_id)
        return NULL;
    struct ce_hostlist *nodes = ce_hostlist_parse(names, NULL);
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
    struct ce_hostlist *told = nodes ? told_nodes(env, id, nodes) : NULL;
    if (!told)
        return nodes;
    ce_hostlist_destroy(nodes);
    return told;
}

/* What local_user_init left, if it is of this step and names the step's nodes; else NULL. */
static struct ce_hostlist *read_layout(const struct ce_environ *env, const struct ce_step_id *id,
                                       const struct ce_hostlist *step)
{
    char own[CE_STEP_ID_TEXT];
    const char *layout = ce_environ_get(env, CE_LAYOUT_VARIABLE);
    size_t length = strlen(ce_step_id_format(id, own));
    if (!layout || strncmp(layout, own, length) != 0 || layout[length] != ':')
        return NULL;
    struct ce_hostlist *nodes = ce_hostlist_parse(layout + length + 1, NULL);
    if (nodes && explains(nodes, step))
        return nodes;
    ce_hostlist_destroy(nodes);
    return NULL;
}

static bool is_arbitrary(const struct ce_environ *env)
{
    const char *distribution = ce_environ_get(env, "SLURM_DISTRIBUTION");
    return distribution && strncmp(distribution, "arbitrary", 9) == 0;
}

struct ce_hostlist *ce_slurm_nodes(const struct ce_environ *env, const struct ce_step_id *id,
                                   enum ce_node_order *order, struct ce_error *err)
{
    bool arbitrary = is_arbitrary(env);
    if (id->kind != CE_STEP_TASKS)
        return job_nodes(env, id, order, err);
    *order = arbitrary ? CE_ORDER_UNKNOWN : CE_ORDER_NODEID;
    struct ce_hostlist *step =
        parse_required(ce_environ_get(env, "SLURM_STEP_NODELIST"), "SLURM_STEP_NODELIST", err);
    if (!step)
        return NULL;
    struct ce_hostlist *nodes = arbitrary ? read_layout(env, id, step) : reorder(env, step);
    if (!nodes)
        return step;
    *order = arbitrary ? CE_ORDER_LAYOUT : CE_ORDER_COMPONENTS;
    ce_hostlist_destroy(step);
    return nodes;
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

struct place {
    uint32_t rank, index;
};

static int by_rank(const void *a, const void *b)
{
    const struct place *left = a, *right = b;
    return left->rank < right->rank ? -1 : left->rank > right->rank;
}

void ce_slurm_write_layout(const struct ce_step_id *id, const struct ce_hostlist *nodes,
                           const uint32_t *first_rank, struct ce_text *out)
{
    char own[CE_STEP_ID_TEXT];
    size_t count = ce_hostlist_count(nodes);
    ce_autofree struct place *places = calloc(count, sizeof *places);
    if (!places) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++)
        places[i] = (struct place){first_rank[i], (uint32_t)i};
    qsort(places, count, sizeof *places, by_rank);
    ce_text_add(out, ce_step_id_format(id, own));
    for (size_t i = 0; i < count; i++)
        ce_text_addf(out, "%s%s", i ? "," : ":", ce_hostlist_name(nodes, places[i].index));
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "outlook.h"

#include <stdlib.h>
#include <string.h>

/* Whatever somebody's shell holds: the node's own answer is wanted. */
static const char *get_nothing(void *ctx, const char *name)
{
    (void)ctx;
    (void)name;
    return NULL;
}

static int judge_interfaces(const struct ce_node *node, struct ce_outlook *outlook,
                            struct ce_error *err)
{
    outlook->interfaces = calloc(node->netif_count + 1, sizeof *outlook->interfaces);
    if (!outlook->interfaces)
        return ce_fail(err, "no memory");
    for (size_t i = 0; i < node->netif_count; i++)
        outlook->interfaces[i] = ce_interface_judge(&node->netifs[i], &outlook->cluster.network,
                                                    &outlook->cluster.rails);
    return 0;
}

/* Before the tasks start. */
static int make_plan(const struct ce_outlook_from *from, struct ce_outlook *outlook,
                     struct ce_error *err)
{
    const struct ce_environ env = {.get = get_nothing};
    const struct ce_request request = {.on = true};
    const struct ce_view view = {
        .allocation = &outlook->allocation,
        .cluster = &outlook->cluster,
        .policy = from->policy,
        .rules = from->rules,
        .request = &request,
    };
    struct ce_notes notes = {.count = 0};
    outlook->plan = ce_plan_create(&view, &env, from->conf, &notes, err);
    return outlook->plan ? 0 : -1;
}

/* What identifies a task is no matter of the devices; of what nobody asked for there is nothing to
 * say. */
static bool is_shown(const struct ce_change *change)
{
    if (change->variable->class == CE_IDENTITY)
        return false;
    return change->value || change->variable->class == CE_TUNING;
}

static int pick_variables(struct ce_outlook *outlook, struct ce_error *err)
{
    const struct ce_plan *plan = outlook->plan;
    size_t *count = &outlook->topology.variable_count;
    outlook->variables = calloc(plan->count + 1, sizeof *outlook->variables);
    if (!outlook->variables)
        return ce_fail(err, "no memory");
    for (size_t i = 0; i < plan->count; i++) {
        const struct ce_change *change = &plan->changes[i];
        if (is_shown(change))
            outlook->variables[(*count)++] = (struct ce_topology_variable){
                change->variable->name, change->value, change->reason};
    }
    return 0;
}

/* A job of this node alone. */
static int make_cluster(const struct ce_outlook_from *from, struct ce_outlook *outlook,
                        struct ce_error *err)
{
    bool plain = *from->name && ce_hostname_span(from->name) == strlen(from->name);
    struct ce_notes notes = {.count = 0};
    outlook->allocation = (struct ce_allocation){.id = {CE_STEP_BATCH, 1, 0}, .task_count = 1};
    outlook->allocation.nodes = ce_hostlist_parse(plain ? from->name : "node", err);
    if (!outlook->allocation.nodes)
        return -1;
    return ce_cluster_init(&outlook->cluster, &outlook->allocation, from->node, from->policy,
                           from->rules, from->book, &notes, err);
}

int ce_outlook_open(const struct ce_outlook_from *from, struct ce_outlook *ret,
                    struct ce_error *err)
{
    *ret = (struct ce_outlook){.plan = NULL};
    if (make_cluster(from, ret, err) < 0 || judge_interfaces(from->node, ret, err) < 0 ||
        make_plan(from, ret, err) < 0 || pick_variables(ret, err) < 0)
        return -1;
    ret->topology.name = from->name;
    ret->topology.node = from->node;
    ret->topology.rails = &ret->cluster.rails;
    ret->topology.network = &ret->cluster.network;
    ret->topology.finding = ret->cluster.agreement.own.text;
    ret->topology.interfaces = ret->interfaces;
    ret->topology.variables = ret->variables;
    return 0;
}

void ce_outlook_close(struct ce_outlook *outlook)
{
    free(outlook->variables);
    free(outlook->interfaces);
    ce_plan_destroy(outlook->plan);
    ce_cluster_free(&outlook->cluster);
    ce_allocation_free(&outlook->allocation);
}

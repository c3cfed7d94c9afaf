/* SPDX-License-Identifier: Apache-2.0 */
/* A step on one node, written down in a few words, and everything that is computed from it. */
#ifndef CE_TESTS_UNIT_SCENE_H
#define CE_TESTS_UNIT_SCENE_H

#include "../unit.h"
#include "launch/variables.h"

struct scene {
    enum ce_step_kind kind;
    const char *nodes;
    uint32_t tasks; /* of the whole step */
    struct ce_task task;
    const char *address; /* of this node on eth1, with its prefix; NULL: no facts of this node */
    const char *book;    /* NULL: none */
    uint32_t port;
    bool torchrun_off;
    enum ce_node_order order;
};

struct stage {
    struct ce_allocation allocation;
    struct ce_task task;
    struct ce_node *node;
    struct ce_book *book;
    struct ce_policy policy;
    struct ce_rules *rules; /* NULL: none */
    struct ce_request request;
    struct ce_cluster cluster;
    struct ce_notes notes;
    struct ce_view view;
};

static inline struct ce_node *scene_node(const char *address)
{
    struct ce_prefix prefix;
    struct ce_node *node = ce_node_create();
    assert_non_null(node);
    struct ce_netif *netif = ce_node_add_netif(node, "eth1");
    assert_non_null(netif);
    netif->kind = CE_NETIF_ETHERNET;
    netif->up = true;
    assert_int_equal(ce_prefix_parse(address, &prefix), 0);
    assert_int_equal(ce_netif_add_address(netif, &prefix), 0);
    return node;
}

/* The stage must stay where it is: the view points into it. */
static inline void stage_set(struct stage *stage, const struct scene *scene)
{
    struct ce_error err = {""};
    memset(stage, 0, sizeof *stage);
    stage->allocation = (struct ce_allocation){
        .id = {scene->kind, 12, 0},
        .nodes = ce_hostlist_parse(scene->nodes, &err),
        .task_count = scene->tasks,
        .order = scene->order,
    };
    assert_string_equal(err.text, "");
    stage->task = scene->task;
    stage->node = scene->address ? scene_node(scene->address) : NULL;
    stage->book = scene->book ? ce_book_parse(scene->book, &err) : NULL;
    assert_string_equal(err.text, "");
    ce_policy_default(&stage->policy);
    stage->request = (struct ce_request){.on = true, .torchrun = !scene->torchrun_off};
    assert_int_equal(ce_cluster_init(&stage->cluster, &stage->allocation, stage->node,
                                     &stage->policy, stage->rules, stage->book, &stage->notes, &err),
                     0);
    stage->view = (struct ce_view){
        .allocation = &stage->allocation,
        .task = &stage->task,
        .cluster = &stage->cluster,
        .policy = &stage->policy,
        .rules = stage->rules,
        .request = &stage->request,
        .port = {scene->port, "the scene"},
    };
}

static inline void scene_add_hca(struct ce_node *node, unsigned number, enum ce_link_layer layer)
{
    char name[16];
    snprintf(name, sizeof name, "mlx5_%u", number);
    struct ce_hca *hca = ce_node_add_hca(node, name);
    assert_non_null(hca);
    snprintf(hca->pci.address, sizeof hca->pci.address, "0000:%02x:00.0", 16 + number);
    struct ce_hca_port *port = ce_hca_add_port(hca, 1);
    assert_non_null(port);
    port->state = CE_PORT_ACTIVE;
    port->rate_mbps = 400000;
    port->link_layer = layer;
}

/* Give the node rails, mlx5_1 on, and, to be kept out, mlx5_0. */
static inline void stage_add_rails(struct stage *stage, unsigned rails, bool kept_out)
{
    if (kept_out)
        scene_add_hca(stage->node, 0, CE_LINK_ETHERNET);
    for (unsigned i = 1; i <= rails; i++)
        scene_add_hca(stage->node, i, CE_LINK_INFINIBAND);
    ce_rails_free(&stage->cluster.rails);
    assert_int_equal(ce_rails_choose(stage->node, &stage->cluster.rails, NULL), 0);
}

static inline void stage_clear(struct stage *stage)
{
    ce_cluster_free(&stage->cluster);
    ce_allocation_free(&stage->allocation);
    ce_book_destroy(stage->book);
    ce_node_destroy(stage->node);
}

static inline const struct ce_variable *find_variable(const char *name)
{
    for (size_t i = 0; i < ce_variable_count; i++)
        if (strcmp(ce_variables[i].name, name) == 0)
            return &ce_variables[i];
    fail_msg("%s is not in the table of variables", name);
    return NULL;
}

#endif

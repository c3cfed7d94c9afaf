/* SPDX-License-Identifier: Apache-2.0 */
/* What a job on a node would get: the decisions about its devices, and the variables that follow
 * from them.  Needs no job: what else a variable may depend on is left out. */
#ifndef CE_CLI_OUTLOOK_H
#define CE_CLI_OUTLOOK_H

#include "launch/cluster.h"
#include "launch/plan.h"
#include "model/allocation.h"
#include "report/topology.h"

struct ce_outlook_from {
    const char *name; /* of the node */
    const struct ce_node *node;
    const struct ce_policy *policy;
    const struct ce_rules *rules;      /* NULL: none */
    const struct ce_book *book;        /* NULL: none */
    const struct ce_conf_lookup *conf; /* which files of the machine set a variable */
};

struct ce_outlook {
    struct ce_topology topology; /* points into the rest */
    struct ce_allocation allocation;
    struct ce_cluster cluster;
    struct ce_plan *plan;
    struct ce_interface *interfaces;
    struct ce_topology_variable *variables;
};

/* 0; -1 with err: no memory, or rules that name no hosts.  Free with ce_outlook_close(), also after
 * a failure; it points into what it is made from. */
int ce_outlook_open(const struct ce_outlook_from *from, struct ce_outlook *ret,
                    struct ce_error *err);
void ce_outlook_close(struct ce_outlook *outlook);
#define ce_autooutlook __attribute__((cleanup(ce_outlook_close)))

#endif

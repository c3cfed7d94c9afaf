/* SPDX-License-Identifier: Apache-2.0 */
/* Asking about the cluster's nodes, each question in a child with a deadline, several at once. */
#ifndef CE_SURVEY_ASK_H
#define CE_SURVEY_ASK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "model/roster.h"
#include "survey/draft.h"

struct ce_ask {
    const char *slurm_node; /* path of the helper */
    const char *command;    /* path of cluster-env on the nodes */
    char *const *envp;      /* this process's environment */
    bool privileged;        /* may give its jobs a priority: root or a Slurm operator */
    unsigned timeout_ms;    /* for each question */
    size_t at_once;
    /* How many of how many nodes have answered; NULL: nobody wants to know. */
    void (*progress)(void *ctx, size_t done, size_t count);
    void *ctx;
};

/* The cluster's nodes, by slurm-node.  NULL with err. */
struct ce_roster *ce_ask_roster(const struct ce_ask *ask, struct ce_error *err);

/* The functions below give each node of the draft an answer, or the reason why there is none.  The
 * draft's nodes are the roster's, in its order.  0, or -1 for no memory. */

/* Slurm's NodeAddr, resolved where it is a name. */
int ce_ask_slurm(const struct ce_ask *ask, const struct ce_roster *roster, struct ce_draft *draft,
                 struct ce_error *err);

/* The resolver, about each node's name + suffix. */
int ce_ask_dns(const struct ce_ask *ask, struct ce_draft *draft, struct ce_error *err);

/* The nodes themselves: `srun --immediate ... cluster-env facts` on each that could run it now. The
 * others are not waited for: their state is the reason. */
int ce_ask_srun(const struct ce_ask *ask, const struct ce_roster *roster, struct ce_draft *draft,
                struct ce_error *err);

#endif

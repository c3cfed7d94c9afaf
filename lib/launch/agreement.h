/* SPDX-License-Identifier: Apache-2.0 */
/* Do the nodes of a step have the same rails?  Where they differ NCCL hangs without a word.  Each
 * node knows its own rails, and what the configuration expects of all; so all come to the same
 * answer, and a node that falls short says so itself.  Pure. */
#ifndef CE_LAUNCH_AGREEMENT_H
#define CE_LAUNCH_AGREEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "launch/rails.h"
#include "model/allocation.h"
#include "model/policy.h"
#include "model/rules.h"

struct ce_agreement {
    size_t limit;        /* use the first so many rails; 0: all */
    bool no_rdma;        /* the nodes have no rails in common */
    bool refused;        /* the step must not run: the texts say why */
    struct ce_error own; /* what is wrong with this node alone; "": nothing */
    struct ce_error all; /* how the nodes differ; "": they do not, as far as the configuration says */
};

/* rules may be NULL.  -1 with err: a group's names are no host list, no memory. */
int ce_agreement_judge(const struct ce_rails *rails, const struct ce_policy *policy,
                       const struct ce_rules *rules, const struct ce_allocation *allocation,
                       struct ce_agreement *ret, struct ce_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The preflight of a job on this node: from Slurm's list of the job's nodes and the texts of the run
 * directory to what helpers/preflight is told, and what it found. */
#ifndef CE_PREFLIGHT_PREFLIGHT_H
#define CE_PREFLIGHT_PREFLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "model/gang.h"
#include "model/hostlist.h"
#include "model/notes.h"
#include "model/policy.h"

struct ce_preflight {
    const char *helpers, *run_dir; /* where the helpers and the three texts are */
    uint32_t job;
    const char *node_list, *node_name; /* as Slurm tells; the list is not trusted to be one */
    bool whole;                        /* the job has the node for itself */
    bool out; /* this node has a fault of its own: only tell the others not to wait */
    const struct ce_preflight_policy *policy;
};

struct ce_preflight_found {
    struct ce_hostlist *nodes;
    struct ce_gang gang;
};

/* Is the list one of two nodes or more? */
bool ce_preflight_is_gang(const char *node_list);

/* Returns within policy->deadline_s and 100 ms, and what slurm.conf takes to read.  0; -1 with err: it
 * could not be done, so nothing is known.  Free with ce_preflight_free(), also after a failure. */
int ce_preflight_run(const struct ce_preflight *what, struct ce_preflight_found *ret,
                     struct ce_notes *notes, struct ce_error *err);
void ce_preflight_free(struct ce_preflight_found *found);
#define ce_autopreflight __attribute__((cleanup(ce_preflight_free)))

#endif

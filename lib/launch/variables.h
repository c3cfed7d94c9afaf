/* SPDX-License-Identifier: Apache-2.0 */
/* The one table of variables: every variable that --cluster-env writes is one row of it.  Plugin,
 * `cluster-env show`, docs and man page all come from here. */
#ifndef CE_LAUNCH_VARIABLES_H
#define CE_LAUNCH_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "launch/cluster.h"
#include "launch/port.h"
#include "model/allocation.h"
#include "model/policy.h"
#include "model/request.h"
#include "model/rules.h"

/* Longest value: the kernel takes 131,071 bytes of NAME=value (MAX_ARG_STRLEN), Slurm drops more. */
enum { CE_VALUE_MAX = 128000 };

enum ce_class {
    CE_IDENTITY, /* who am I, who is the primary: recomputed in every step, always written */
    CE_TUNING,   /* advice to a library: the user's or the site's own setting wins */
    CE_MORE_TUNING, /* the same, only with tuning = "all" */
    CE_ASKED,    /* what an item of --cluster-env asks for */
    CE_SITE,     /* variables in cluster-env.conf */
};

/* The daemons of an MPI launcher count as the batch script that started it. */
enum ce_where {
    CE_WHERE_ALL,      /* srun steps, batch scripts, salloc's shell */
    CE_WHERE_NODE,     /* srun steps, and batch scripts of one-node jobs: it differs per node */
    CE_WHERE_TASK,     /* srun steps: it differs per task */
    CE_WHERE_TORCHRUN, /* srun steps with one task per node, unless torchrun=off */
};

enum ce_scope {
    CE_SHARED, /* the same for all tasks on a node, and known before they start */
    CE_OWN,    /* the task's or its node's own */
};

/* All that a value is computed from. */
struct ce_view {
    const struct ce_allocation *allocation;
    const struct ce_task *task; /* NULL before the tasks start: then only shared rows have values */
    const struct ce_cluster *cluster;
    const struct ce_policy *policy;
    const struct ce_rules *rules; /* NULL: none */
    const struct ce_request *request;
    struct ce_port port;
};

struct ce_variable {
    const char *name;
    enum ce_class class;
    enum ce_where where;
    enum ce_scope scope;
    /* Append the value; append nothing where there is none to write. */
    void (*value)(const struct ce_view *view, struct ce_text *out);
    const char *source; /* where the value usually comes from; NULL: as the port */
    const char *doc;    /* one line */
};

extern const struct ce_variable ce_variables[];
extern const size_t ce_variable_count;

/* Does the row hold in this step? */
bool ce_variable_applies(const struct ce_variable *variable, const struct ce_view *view);

/* Where the value comes from in this view, for `show`. */
const char *ce_variable_source(const struct ce_variable *variable, const struct ce_view *view);

/* Why it has no value here, where it applies and has none. */
const char *ce_variable_absence(const struct ce_variable *variable, const struct ce_view *view);

/* NULL where the table has no such row. */
const struct ce_variable *ce_variable_find(const char *name);

/* For docs: "all", "steps, one-node jobs", ... and "identity", "tuning", ... */
const char *ce_where_name(enum ce_where where);
const char *ce_class_name(enum ce_class class);

#endif

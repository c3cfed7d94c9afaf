/* SPDX-License-Identifier: Apache-2.0 */
/* The plan: what happens to each variable of the table in one task's environment, and why.  Making
 * it changes nothing, so `show` prints it and the plugin carries it out. */
#ifndef CE_LAUNCH_PLAN_H
#define CE_LAUNCH_PLAN_H

#include "base/cleanup.h"
#include "base/environ.h"
#include "launch/family.h"
#include "launch/variables.h"
#include "model/notes.h"

enum ce_action {
    CE_SET,
    CE_UNSET, /* an outer step's value that would be wrong here */
    CE_LEAVE, /* not ours to write: absent, or somebody else's */
};

struct ce_change {
    const struct ce_variable *variable;
    enum ce_action action;
    char *value;         /* CE_SET: the value; else NULL */
    char reason[192];    /* one phrase: where it came from, or why not */
};

struct ce_plan {
    struct ce_change *changes; /* one per row of the table, in its order; then the site's own */
    size_t count;
    struct ce_variable *site; /* what stands for the site's variables that are not in the table */
    char *outer;                    /* what an outer step wrote: names of some of these */
    char *marker;                   /* the new CLUSTER_ENV_SET */
    char step[CE_STEP_ID_TEXT];     /* CLUSTER_ENV_STEP */
    char option[CE_REQUEST_TEXT];   /* CLUSTER_ENV_OPTION */
};

/* The user's own MASTER_PORT in this environment, 0 where there is none (or it is what an outer
 * step of ours wrote).  One that is not a port is noted and does not count. */
uint32_t ce_plan_user_port(const struct ce_environ *env, struct ce_notes *notes);

/* Without a task (view->task is NULL) only what all tasks of the node share is planned, and the
 * removal of what an outer step left and does not belong here.
 * NULL with err: no memory.  A value too long to be a variable is left out with a note. */
struct ce_plan *ce_plan_create(const struct ce_view *view, const struct ce_environ *env,
                               const struct ce_conf_lookup *conf, struct ce_notes *notes,
                               struct ce_error *err);
void ce_plan_destroy(struct ce_plan *plan);
CE_DEFINE_CLEANUP(struct ce_plan, ce_plan_destroy)

/* Carry it out; a variable that has its value already is not written (Slurm takes 5 us for one).
 * 0; -1 with err naming the first variable that the environment refused (the others
 * are written all the same). */
int ce_plan_apply(const struct ce_plan *plan, const struct ce_environ *env, struct ce_error *err);

#endif

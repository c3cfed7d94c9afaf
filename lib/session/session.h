/* SPDX-License-Identifier: Apache-2.0 */
/* One step on one node, from its texts and its Slurm environment to the plan of each task: where
 * lib/local, lib/slurm and lib/launch come together.  The plugin opens it in user_init and plans in
 * task_init; `cluster-env show` does both at once. */
#ifndef CE_SESSION_SESSION_H
#define CE_SESSION_SESSION_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "base/environ.h"
#include "launch/cluster.h"
#include "launch/plan.h"
#include "local/texts.h"
#include "model/allocation.h"
#include "model/notes.h"
#include "model/request.h"

struct ce_session {
    struct ce_request request;
    struct ce_texts texts;
    struct ce_allocation allocation;
    struct ce_cluster cluster;
    struct ce_notes notes; /* about this node and this step */
    bool of_this_node;     /* a note is of this node alone, and nobody else says it */
};

/* Read run_dir's texts and the step's nodes.  NULL with err: the node list cannot be read. */
struct ce_session *ce_session_open(const char *run_dir, const struct ce_environ *env,
                                   struct ce_step_id id, const struct ce_request *request,
                                   struct ce_error *err);
void ce_session_close(struct ce_session *session);
CE_DEFINE_CLEANUP(struct ce_session, ce_session_close)

/* Before the tasks start: set what all of them share, once for the node.  Each task's own plan then
 * writes the rest, and again what another plugin may have replaced meanwhile.  Trouble is noted. */
void ce_session_share(struct ce_session *session, const struct ce_environ *env);

/* Does Slurm's environment give this task a place that agrees with the node list, and does the
 * primary own its address?  0 and *task set; -1 with err: the step must not run like this.
 * Notes what rank 0 should hear about the port. */
int ce_session_enter(struct ce_session *session, const struct ce_environ *env,
                     struct ce_task *task, struct ce_error *err);

/* All that values are computed from, for this task (NULL: before there is one); it points into session and task. */
struct ce_view ce_session_view(struct ce_session *session, const struct ce_task *task,
                               const struct ce_environ *env);

/* The plan of the task's environment.  NULL with err: no memory. */
struct ce_plan *ce_session_plan(struct ce_session *session, const struct ce_task *task,
                                const struct ce_environ *env, struct ce_error *err);

/* Bind the primary's port once, where this task is the one to do so.  0; -1 with err: this node
 * does not own the address that every other task is told to connect to. */
int ce_session_check_primary(struct ce_session *session, const struct ce_task *task,
                             const struct ce_environ *env, struct ce_error *err);

#endif

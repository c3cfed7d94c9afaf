/* SPDX-License-Identifier: Apache-2.0 */
/* The step or job that this very process runs in, as a session: what `cluster-env show`, `info` and
 * `hostfile` and libclusterenv start from. */
#ifndef CE_SESSION_JOB_H
#define CE_SESSION_JOB_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "base/environ.h"
#include "session/session.h"

struct ce_job {
    struct ce_session *session;
    struct ce_task task;
    bool told; /* --cluster-env has set this very step up */
};

/* The process's own environment, read only. */
struct ce_environ ce_process_environ(void);

/* option: as if srun --cluster-env=OPTION had been given; NULL: what the plugin was asked for here.
 * 0; -1 with err: not inside a job, a bad option, a node list that cannot be read.  Free with
 * ce_job_close(). */
int ce_job_open(const char *run_dir, const char *option, struct ce_job *ret, struct ce_error *err);
void ce_job_close(struct ce_job *job);
#define ce_autojob __attribute__((cleanup(ce_job_close)))

/* All that answers are computed from; it points into *job.  In a step that --cluster-env has set up,
 * port and addresses are those of the variables it wrote: all tasks were told the same, a container
 * may hide the run directory, and the book may have changed since.  Notes about texts that were not
 * needed are then dropped. */
struct ce_view ce_job_view(struct ce_job *job);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The job this process runs in, as a session: what show, info and hostfile start from. */
#ifndef CE_CLI_JOB_H
#define CE_CLI_JOB_H

#include "base/cleanup.h"
#include "base/environ.h"
#include "session/session.h"

struct ce_job {
    struct ce_session *session;
    struct ce_task task;
};

/* The process's own environment, read only. */
struct ce_environ ce_process_environ(void);

/* option: as if srun --cluster-env=OPTION had been given; NULL: what the plugin was asked for here.
 * 0; -1 with err: not inside a job, a bad option, a node list that cannot be read.  Free with
 * ce_job_close(). */
int ce_job_open(const char *run_dir, const char *option, struct ce_job *ret, struct ce_error *err);
void ce_job_close(struct ce_job *job);
#define ce_autojob __attribute__((cleanup(ce_job_close)))

/* The session's notes on stderr, as "cluster-env COMMAND: note". */
void ce_job_print_notes(const struct ce_job *job, const char *command);

#endif

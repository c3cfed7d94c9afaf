/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs that must not run on this node, for the plugin (local/refused_job.h): RUN_DIR/refused, 0755, a file for
 * each job, 0644.  Only root may write there.  A file outlives its job, because Slurm may start a late step while the
 * job's epilog runs (seen on 24.11). */
#ifndef CE_HEALTH_REFUSED_JOBS_H
#define CE_HEALTH_REFUSED_JOBS_H

#include "local/refused_job.h"

/* Record it, and remove files older than a day.  0; -1 with err: the folder cannot be made, is a link, or others
 * may write in it; the boot id is not known; a full disk. */
int ce_refused_jobs_keep(const char *run_dir, const struct ce_refused_job *refused, struct ce_error *err);

/* Remove the file of the job; it is not an error if there is none.  0; -1 with err. */
int ce_refused_jobs_forget(const char *run_dir, uint32_t job, struct ce_error *err);

#endif

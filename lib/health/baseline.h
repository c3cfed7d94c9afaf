/* SPDX-License-Identifier: Apache-2.0 */
/* What the prolog saw, kept for the epilog of the same job: DIR/jobs/JOBID.facts, a text like
 * node.facts that only root reads, with the boot id and the moment in it.  Each job has its own
 * file, so prologs and epilogs of several jobs may run at once. */
#ifndef CE_HEALTH_BASELINE_H
#define CE_HEALTH_BASELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "model/node.h"

#define CE_BASELINE_DIR "jobs"

/* The folder below the run directory, made where it is not there; the caller closes it.  -1 with
 * err: it cannot be made, is a link, or others may write in it. */
int ce_baseline_open(const char *run_dir, struct ce_error *err);

/* Keep these facts for the job.  -1 with err: no memory, a full disk; there is none of that job
 * then, also no older one. */
int ce_baseline_store(int dir, uint32_t job, const struct ce_node *node, struct ce_error *err);

/* The facts that were kept, and their file removed, whatever is in it.  NULL with err: there are
 * none, or they say nothing about now: malformed, of another boot, without a moment or of a later
 * one. */
struct ce_node *ce_baseline_take(int dir, uint32_t job, const struct ce_node *now,
                                 struct ce_error *err);

/* Is there a record of another job of this boot, one that runs or whose epilog has not been? */
bool ce_baseline_others(int dir, uint32_t job, const struct ce_node *now);

/* Remove what no epilog came for: of another boot, or older than CE_BASELINE_DAYS, and unfinished
 * files.  Files younger than a day are neither opened nor removed; where there are more than CE_BASELINE_MANY,
 * as without an Epilog= in slurm.conf, those are all that stay. */
enum { CE_BASELINE_DAYS = 60, CE_BASELINE_MANY = 512 };
void ce_baseline_sweep(int dir, const struct ce_node *now);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A job whose prolog failed on this node, as RUN_DIR/refused/JOBID records it.  Slurm may start a job's tasks on
 * such a node before it has ended the job: cluster-prolog leaves this file for the plugin, which lets none of them
 * run.  health/refused_jobs.h writes it. */
#ifndef CE_LOCAL_REFUSED_JOB_H
#define CE_LOCAL_REFUSED_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

#define CE_REFUSED_JOBS_DIR "refused"

enum { CE_REFUSED_JOB_TEXT = 2048, CE_REFUSED_JOB_NAME = 16 };

struct ce_refused_job {
    uint32_t job;           /* Slurm's number of the job; of a heterogeneous job, the component's own */
    uint32_t restarts;      /* how often it was requeued before */
    char boot_id[64];
    struct ce_error reason; /* the drain reason; printable, never "" */
};

/* The text of the file, in the form of model/record.h.  Appending fails if the reason or the boot id is "". */
void ce_refused_job_format(const struct ce_refused_job *refused, struct ce_text *out);

/* 0; -1 with err: not of that form, a value is missing, too long or not printable. */
int ce_refused_job_parse(const char *text, struct ce_refused_job *ret, struct ce_error *err);

/* The name of the job's file in CE_REFUSED_JOBS_DIR.  Returns name. */
const char *ce_refused_job_name(uint32_t job, char name[CE_REFUSED_JOB_NAME]);

/* Did this job's prolog fail on this node, since its boot?  true and *ret set; false also if the file is a link, is
 * not owned by root, may be written by others, is malformed, or is of another job or boot.  A job whose prolog passed costs
 * one open(). */
bool ce_refused_job_find(const char *run_dir, uint32_t job, struct ce_refused_job *ret);

#endif

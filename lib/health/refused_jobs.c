/* SPDX-License-Identifier: Apache-2.0 */
#include "health/refused_jobs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "base/replace.h"
#include "health/folder.h"

/* Slurm ends or requeues such a job within minutes. */
enum { KEPT_DAYS = 1 };

/* The plugin reads the file as the job's user.  It is not synced to disk: it means nothing after a reboot. */
int ce_refused_jobs_keep(const char *run_dir, const struct ce_refused_job *refused, struct ce_error *err)
{
    char name[CE_REFUSED_JOB_NAME];
    ce_autotext struct ce_text text = CE_TEXT(CE_REFUSED_JOB_TEXT);
    ce_refused_job_name(refused->job, name);
    if (!refused->boot_id[0])
        return ce_fail(err, "the boot id is not known");
    ce_refused_job_format(refused, &text);
    if (!ce_text_ok(&text))
        return ce_fail(err, "%s: too long, or no memory", name);
    ce_autoclose int dir = ce_folder_open(run_dir, CE_REFUSED_JOBS_DIR, err);
    if (dir < 0)
        return -1;
    if (fchmod(dir, 0755) < 0)
        return ce_fail(err, "%s/%s: cannot open: %s", run_dir, CE_REFUSED_JOBS_DIR, strerror(errno));
    if (ce_file_refresh(dir, name, ce_text_string(&text), 0644, err) < 0)
        return -1;
    ce_folder_sweep(dir, &(struct ce_folder_rule){.days = KEPT_DAYS});
    return 0;
}

int ce_refused_jobs_forget(const char *run_dir, uint32_t job, struct ce_error *err)
{
    char path[PATH_MAX], name[CE_REFUSED_JOB_NAME];
    int n = snprintf(path, sizeof path, "%s/" CE_REFUSED_JOBS_DIR "/%s", run_dir, ce_refused_job_name(job, name));
    if (!ce_fits(n, sizeof path))
        return ce_fail(err, "%s: too long, or no memory", run_dir);
    if (unlink(path) < 0 && errno != ENOENT)
        return ce_fail(err, "%s: cannot remove: %s", path, strerror(errno));
    return 0;
}

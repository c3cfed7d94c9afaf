/* SPDX-License-Identifier: Apache-2.0 */
/* output=primary: what a rank other than 0 writes goes to cluster-env-JOB.STEP/RANK.log in the job's
 * directory.  The task opens the file, as the user, and hands it to the stepd, its parent, which shows
 * the last lines where the task fails: so root opens nothing that a user can bend. */
#ifndef CE_SPANK_TASK_LOG_H
#define CE_SPANK_TASK_LOG_H

#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"
#include "model/allocation.h"

/* Two descriptors of the stepd that its tasks inherit.  Where Slurm runs user_init in a child
 * (SlurmdParameters=contain_spank) they are gone afterwards, and their numbers may be somebody else's: so
 * each is looked at before it is used. */
struct ce_task_logs {
    struct ce_kept_file {
        int fd; /* -1: none */
        dev_t device;
        ino_t inode;
    } directory, tasks_end, stepd_end;
};
#define CE_NO_TASK_LOGS {{.fd = -1}, {.fd = -1}, {.fd = -1}}

/* In user_init: remember the job's directory, in which a container that a task enters later may not
 * be.  What cannot be had is done without. */
void ce_task_logs_open(struct ce_task_logs *logs);
void ce_task_logs_close(struct ce_task_logs *logs);

/* In the task, last: its standard output and error become the file.  0; -1 with err: they stay what
 * they are. */
int ce_task_log_begin(const struct ce_task_logs *logs, const struct ce_step_id *id,
                      const struct ce_task *task, struct ce_error *err);

/* In the stepd, after a task has failed: the descriptor of its log, the caller's, and where this
 * run of it begins; -1: none arrived.  Those of other tasks
 * stay. */
int ce_task_log_take(const struct ce_task_logs *logs, uint32_t local_rank, uint32_t *ret_rank,
                     off_t *ret_start);

/* Show the end of the log, each line as one message that begins with `before`. */
void ce_task_log_show(int fd, off_t start, const char *before);

#endif

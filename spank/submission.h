/* SPDX-License-Identifier: Apache-2.0 */
/* What is said where a job or step is submitted: in srun, sbatch and salloc. */
#ifndef CE_SPANK_SUBMISSION_H
#define CE_SPANK_SUBMISSION_H

#include <slurm/spank.h>
#include <stdbool.h>

#include "base/error.h"
#include "model/request.h"

/* May this command be given this?  0; -1 with err: it would have no effect, and where it belongs. */
int ce_submission_check(spank_context_t context, const struct ce_request *request,
                        struct ce_error *err);

/* Will the job's second run overwrite the first one's output, as far as sbatch's command line, its
 * script and its environment tell? */
bool ce_submission_overwrites(void);

#endif

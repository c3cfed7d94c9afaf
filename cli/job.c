/* SPDX-License-Identifier: Apache-2.0 */
#include "job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/marker.h"
#include "slurm/environment.h"

static const char *get(void *ctx, const char *name)
{
    (void)ctx;
    return getenv(name);
}

struct ce_environ ce_process_environ(void)
{
    return (struct ce_environ){.get = get};
}

/* What the plugin was asked for in this very step; outer steps' requests do not count. */
static const char *find_option(const struct ce_environ *env, const struct ce_step_id *id)
{
    char step[CE_STEP_ID_TEXT];
    const char *told = ce_environ_get(env, CE_STEP_VARIABLE);
    if (told && strcmp(told, ce_step_id_format(id, step)) == 0)
        return ce_environ_get(env, CE_OPTION_VARIABLE);
    return NULL;
}

int ce_job_open(const char *run_dir, const char *option, struct ce_job *ret, struct ce_error *err)
{
    const struct ce_environ env = ce_process_environ();
    struct ce_request request;
    struct ce_step_id id;
    struct ce_job job;
    if (ce_slurm_identify(&env, &id, err) < 0 ||
        ce_request_parse(option ? option : find_option(&env, &id), &request, err) < 0)
        return -1;
    job.session = ce_session_open(run_dir, &env, id, &request, err);
    if (!job.session)
        return -1;
    if (ce_session_enter(job.session, &env, &job.task, err) < 0) {
        ce_job_close(&job);
        return -1;
    }
    *ret = job;
    return 0;
}

void ce_job_close(struct ce_job *job)
{
    ce_session_close(job->session);
    job->session = NULL;
}

void ce_job_print_notes(const struct ce_job *job, const char *command)
{
    const struct ce_notes *notes = &job->session->notes;
    for (size_t i = 0; i < notes->count; i++)
        fprintf(stderr, "cluster-env %s: %s\n", command, notes->line[i].text);
}

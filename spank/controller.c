/* SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

#include "controller.h"

#include <errno.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <stdio.h>
#include <string.h>

/* SHOW_LOCAL: without it libslurm looks for a federation first. */
enum { SHOW = SHOW_ALL | SHOW_LOCAL };

#if GET_JOB_STEPS_STRUCT || LOAD_JOB_STRUCT || !HAVE_STEP_UPDATE_REQUEST_MSG_T_JOB_ID
static slurm_step_id_t step_of(uint32_t job_id, uint32_t step_id)
{
    slurm_step_id_t id = SLURM_STEP_ID_INITIALIZER;
    id.job_id = job_id;
    id.step_id = step_id;
    return id;
}
#endif

static int get_steps(uint32_t job_id, uint32_t step_id, job_step_info_response_msg_t **ret)
{
#if GET_JOB_STEPS_STRUCT
    slurm_step_id_t id = step_of(job_id, step_id);
    return slurm_get_job_steps(&id, ret, SHOW);
#else
    return slurm_get_job_steps(0, job_id, step_id, ret, SHOW);
#endif
}

/* Slurm tells nobody that a step has been told to end, so its time limit says it: 14 years, which is
 * nobody's own, and limits nothing. */
enum { CLAIMED_MINUTES = 7777777 };

void ce_controller_claim_step(uint32_t job_id, uint32_t step_id)
{
    step_update_request_msg_t request;
    slurm_init_update_step_msg(&request);
#if HAVE_STEP_UPDATE_REQUEST_MSG_T_JOB_ID
    request.job_id = job_id;
    request.step_id = step_id;
#else
    request.step_id = step_of(job_id, step_id);
#endif
    request.time_limit = CLAIMED_MINUTES;
    slurm_update_step(&request); /* should it fail, the others ask for the same once more */
}

/* Of a heterogeneous step there is one record for each component, and the other components' come too. */
static bool is_free(const job_step_info_response_msg_t *steps, uint32_t job_id, uint32_t step_id)
{
    bool running = false;
    for (uint32_t i = 0; i < steps->job_step_count; i++) {
        const job_step_info_t *step = &steps->job_steps[i];
        if (step->step_id.job_id != job_id || step->step_id.step_id != step_id)
            continue;
        if (step->time_limit == CLAIMED_MINUTES)
            return false;
        running |= (step->state & JOB_STATE_BASE) == JOB_RUNNING;
    }
    return running;
}

bool ce_controller_step_is_free(uint32_t job_id, uint32_t step_id)
{
    job_step_info_response_msg_t *steps = NULL;
    if (get_steps(job_id, step_id, &steps) != SLURM_SUCCESS)
        return errno != ESLURM_INVALID_JOB_ID;
    bool result = is_free(steps, job_id, step_id);
    slurm_free_job_step_info_response_msg(steps);
    return result;
}

static int load_job(uint32_t job_id, job_info_msg_t **ret)
{
#if LOAD_JOB_STRUCT
    return slurm_load_job(ret, step_of(job_id, NO_VAL), SHOW);
#else
    return slurm_load_job(ret, job_id, SHOW);
#endif
}

static bool is_expedited(const slurm_job_info_t *job)
{
#ifdef EXPEDITED_REQUEUE
    return job->bitflags & EXPEDITED_REQUEUE;
#else
    (void)job;
    return false;
#endif
}

static void describe_job(const slurm_job_info_t *job, struct ce_job_state *ret)
{
    ret->running = (job->job_state & JOB_STATE_BASE) == JOB_RUNNING &&
                   !(job->job_state & JOB_COMPLETING);
    ret->expedited = is_expedited(job);
    ret->restarts = job->restart_cnt;
    ret->first_component = job->het_job_id;
    if (job->array_task_id == NO_VAL)
        snprintf(ret->name, sizeof ret->name, "%u", job->job_id);
    else
        snprintf(ret->name, sizeof ret->name, "%u_%u", job->array_job_id, job->array_task_id);
}

int ce_controller_job(uint32_t job_id, struct ce_job_state *ret, struct ce_error *err)
{
    job_info_msg_t *jobs = NULL;
    int result = -1;
    if (load_job(job_id, &jobs) != SLURM_SUCCESS)
        return ce_fail(err, "slurmctld does not tell the state of job %u: %s", job_id,
                       slurm_strerror(errno));
    for (uint32_t i = 0; i < jobs->record_count && result < 0; i++) {
        const slurm_job_info_t *job = &jobs->job_array[i];
        if (job->job_id != job_id)
            continue;
        describe_job(job, ret);
        result = 0;
    }
    slurm_free_job_info_msg(jobs);
    return result < 0 ? ce_fail(err, "slurmctld does not know job %u", job_id) : 0;
}

void ce_controller_components(const struct ce_job_state *job, struct ce_job_components *ret)
{
    enum { ROOM = sizeof ret->id / sizeof *ret->id };
    job_info_msg_t *jobs = NULL;
    if (!job->first_component || load_job(job->first_component, &jobs) != SLURM_SUCCESS)
        return;
    for (uint32_t i = 0; i < jobs->record_count && ret->count < ROOM; i++)
        if (jobs->job_array[i].het_job_id == job->first_component &&
            jobs->job_array[i].job_id != ret->id[0])
            ret->id[ret->count++] = jobs->job_array[i].job_id;
    slurm_free_job_info_msg(jobs);
}

/* slurm_requeue() takes a job's number or a struct, by series; this one is the same in all. */
int ce_controller_requeue(const struct ce_job_state *job, struct ce_error *err)
{
    char name[sizeof job->name];
    job_array_resp_msg_t *answer = NULL;
    memcpy(name, job->name, sizeof name); /* not const there */
    int code = slurm_requeue2(name, 0, &answer) == SLURM_SUCCESS ? SLURM_SUCCESS : errno;
    for (uint32_t i = 0; answer && i < answer->job_array_count && code == SLURM_SUCCESS; i++)
        code = (int)answer->error_code[i];
    if (answer)
        slurm_free_job_array_resp(answer);
    return code == SLURM_SUCCESS ? 0 : ce_fail(err, "%s", slurm_strerror(code));
}

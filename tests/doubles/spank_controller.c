/* SPDX-License-Identifier: Apache-2.0 */
/* The calls to slurmctld that a plugin may make when a task has failed, answered as the setup says. */
#include <config.h>

#include <errno.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doubles/spank_calls.h"

/* slurmctld as the setup has it; NULL after the errno of one that does not answer. */
static const struct host_controller *ask(void)
{
    static const struct host_controller usual = {.job_state = JOB_RUNNING};
    const struct host_controller *given = host_now.setup->controller;
    errno = SLURM_PROTOCOL_SOCKET_IMPL_TIMEOUT;
    return !given ? &usual : given->silent ? NULL : given;
}

/* ---------------------------------------------------------------- steps */

static int tell_steps(uint32_t job_id, uint32_t step_id, job_step_info_response_msg_t **ret)
{
    const struct host_controller *controller = ask();
    const struct recorded_item *items = host_now.node->user_init.items;
    host_calls_now()->questions++;
    if (!controller)
        return SLURM_ERROR;
    errno = ESLURM_INVALID_JOB_ID;
    if (controller->step_is_over || job_id != items[S_JOB_ID].value ||
        step_id != items[S_JOB_STEPID].value)
        return SLURM_ERROR;
    job_step_info_response_msg_t *answer = must(calloc(1, sizeof *answer));
    answer->job_steps = must(calloc(3, sizeof *answer->job_steps));
    answer->job_step_count = controller->more_records ? 3 : 1;
    for (uint32_t i = 0; i < answer->job_step_count; i++) {
        job_step_info_t *step = &answer->job_steps[i];
        step->step_id.job_id = job_id + (i == 1);
        step->step_id.step_id = step_id + (i == 2);
        step->state = JOB_RUNNING;
        step->time_limit = i == 0 && controller->step_is_taken ? HOST_CLAIMED : INFINITE;
    }
    *ret = answer;
    return SLURM_SUCCESS;
}

#if GET_JOB_STEPS_STRUCT
int slurm_get_job_steps(slurm_step_id_t *id, job_step_info_response_msg_t **ret, uint16_t flags)
{
    (void)flags;
    return tell_steps(id->job_id, id->step_id, ret);
}
#else
int slurm_get_job_steps(time_t since, uint32_t job_id, uint32_t step_id,
                        job_step_info_response_msg_t **ret, uint16_t flags)
{
    (void)since;
    (void)flags;
    return tell_steps(job_id, step_id, ret);
}
#endif

void slurm_free_job_step_info_response_msg(job_step_info_response_msg_t *answer)
{
    if (answer)
        free(answer->job_steps);
    free(answer);
}

void slurm_init_update_step_msg(step_update_request_msg_t *request)
{
    memset(request, 0xff, sizeof *request);
}

int slurm_update_step(step_update_request_msg_t *request)
{
    host_calls_now()->claims += request->time_limit == HOST_CLAIMED;
    return SLURM_SUCCESS;
}

/* ---------------------------------------------------------------- jobs */

static slurm_job_info_t describe_job(const struct host_controller *controller, uint32_t job_id)
{
    slurm_job_info_t job;
    memset(&job, 0, sizeof job);
    job.job_id = job_id;
    job.job_state = controller->job_state;
    job.restart_cnt = controller->restarts;
    job.array_job_id = controller->array_job_id;
    job.array_task_id = controller->array_job_id ? controller->array_task_id : NO_VAL;
    job.het_job_id = controller->components ? host_now.node->user_init.items[S_JOB_ID].value : 0;
    return job;
}

static int tell_job(uint32_t job_id, job_info_msg_t **ret)
{
    const struct host_controller *controller = ask();
    host_calls_now()->questions++;
    if (!controller)
        return SLURM_ERROR;
    job_info_msg_t *answer = must(calloc(1, sizeof *answer));
    answer->record_count = controller->components ? controller->components : 1;
    answer->job_array = must(calloc(answer->record_count, sizeof *answer->job_array));
    for (uint32_t i = 0; i < answer->record_count; i++)
        answer->job_array[i] = describe_job(controller, job_id + i);
    *ret = answer;
    return SLURM_SUCCESS;
}

#if LOAD_JOB_STRUCT
int slurm_load_job(job_info_msg_t **ret, slurm_step_id_t id, uint16_t flags)
{
    (void)flags;
    return tell_job(id.job_id, ret);
}
#else
int slurm_load_job(job_info_msg_t **ret, uint32_t job_id, uint16_t flags)
{
    (void)flags;
    return tell_job(job_id, ret);
}
#endif

void slurm_free_job_info_msg(job_info_msg_t *answer)
{
    if (answer)
        free(answer->job_array);
    free(answer);
}

int slurm_requeue2(char *job, uint32_t flags, job_array_resp_msg_t **ret)
{
    const struct host_controller *controller = ask();
    struct host_shared *shared = host_now.shared;
    (void)flags;
    *ret = NULL;
    snprintf(shared->requeued, sizeof shared->requeued, "%s", job);
    host_calls_now()->requeues++;
    errno = ESLURM_DISABLED;
    return !controller || controller->keeps_job ? SLURM_ERROR : SLURM_SUCCESS;
}

void slurm_free_job_array_resp(job_array_resp_msg_t *answer)
{
    free(answer);
}

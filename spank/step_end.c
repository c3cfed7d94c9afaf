/* SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

#include "step_end.h"

#include <signal.h>
#include <slurm/slurm.h>
#include <unistd.h>

enum { PATIENCE_S = 5 };

static void leave(int signal_number)
{
    (void)signal_number;
    _exit(1);
}

/* The call blocks while slurmctld does not answer; this child has nothing else to wait for. */
static void bound_the_wait(void)
{
    struct sigaction action = {.sa_handler = leave};
    sigset_t alarm_only;
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    sigaction(SIGALRM, &action, NULL);
    sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);
    alarm(PATIENCE_S);
}

/* Slurm changed this call's arguments twice; configure finds out which one the headers have. */
static void kill_step(uint32_t job_id, uint32_t step_id)
{
#if KILL_JOB_STEP_ARGS == 3
    slurm_kill_job_step(job_id, step_id, SIGKILL);
#elif KILL_JOB_STEP_ARGS == 4
    slurm_kill_job_step(job_id, step_id, SIGKILL, 0);
#else
    slurm_step_id_t id = SLURM_STEP_ID_INITIALIZER;
    id.job_id = job_id;
    id.step_id = step_id;
    slurm_kill_job_step(&id, SIGKILL, 0);
#endif
}

noreturn void ce_step_end(uint32_t job_id, uint32_t step_id)
{
    bound_the_wait();
    kill_step(job_id, step_id);
    _exit(1);
}

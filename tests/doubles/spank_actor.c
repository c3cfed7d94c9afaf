/* SPDX-License-Identifier: Apache-2.0 */
/* A SPANK plugin that does in each hook what our plugin needs to do there, so that the cluster
 * tests can see whether this Slurm lets it.  The job says what is wanted, in
 * SLURM_ACTOR=word,word@NODE,… (the name begins with SLURM_ so that it survives --export=NONE);
 * with @NODE only that node does it.
 *
 *   leave         task_init: one line, then _exit(1)
 *   end-early     task_init, with leave: the task itself asks slurmctld to end the step
 *   end           task_exit of a task that failed: the stepd asks slurmctld to end the step
 *   requeue       task_exit of a task that failed, on the job's first run
 *   layout        local_user_init: the step's layout, handed on in two variables
 *   rpc           user_init: asks slurmctld something (not allowed there since 23.02) */
#include <signal.h>
#include <slurm/slurm.h>
#include <slurm/spank.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

SPANK_PLUGIN(actor, 1);

static char memory[64] = "empty"; /* filled in user_init, looked at later */

/* ---------------------------------------------------------------- what is wanted */

static bool is_wanted(const char *entry, const char *word)
{
    char node[256] = "";
    size_t length = strlen(word);
    if (strncmp(entry, word, length) != 0)
        return false;
    if (entry[length] != '@')
        return entry[length] == '\0';
    gethostname(node, sizeof(node) - 1);
    return strcmp(entry + length + 1, node) == 0;
}

static bool wants(spank_t spank, const char *word)
{
    char text[256] = "", *rest = text;
    const char *local = getenv("SLURM_ACTOR");
    if (spank_remote(spank) == 1)
        spank_getenv(spank, "SLURM_ACTOR", text, sizeof(text));
    else if (local != NULL)
        snprintf(text, sizeof(text), "%s", local);
    for (char *entry; (entry = strsep(&rest, ",")) != NULL;)
        if (is_wanted(entry, word))
            return true;
    return false;
}

/* ---------------------------------------------------------------- calls that differ by series */

static int end_step(spank_t spank)
{
    uint32_t job = 0, step = 0;
    spank_get_item(spank, S_JOB_ID, &job);
    spank_get_item(spank, S_JOB_STEPID, &step);
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
    slurm_step_id_t id = SLURM_STEP_ID_INITIALIZER;
    id.job_id = job;
    id.step_id = step;
    return slurm_kill_job_step(&id, SIGKILL, 0);
#elif SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 11, 0)
    return slurm_kill_job_step(job, step, SIGKILL, 0);
#else
    return slurm_kill_job_step(job, step, SIGKILL);
#endif
}

/* A request does not reach a task yet to be forked on its node, and nobody tells: ask again. */
static void end_step_surely(spank_t spank)
{
    static const unsigned pauses_ms[] = {0, 300, 700};
    for (size_t i = 0; i < sizeof(pauses_ms) / sizeof(pauses_ms[0]); i++) {
        struct timespec pause = {0, (long)pauses_ms[i] * 1000000};
        nanosleep(&pause, NULL);
        end_step(spank);
    }
}

/* slurm_requeue() takes a job id or a step id, by series; this one is the same in all of them. */
static int requeue(spank_t spank)
{
    uint32_t job = 0;
    char text[16];
    job_array_resp_msg_t *answer = NULL;
    spank_get_item(spank, S_JOB_ID, &job);
    snprintf(text, sizeof(text), "%u", job);
    int rc = slurm_requeue2(text, 0, &answer);
    if (answer != NULL)
        slurm_free_job_array_resp(answer);
    return rc;
}

/* ---------------------------------------------------------------- hooks */

/* "rank 0's place in the node list / the node list", as only slurmctld knows it for -m arbitrary.
 */
static void hand_on(const slurm_step_layout_t *layout)
{
    char text[512] = "none";
    for (uint32_t node = 0; node < layout->node_cnt; node++)
        for (uint32_t task = 0; task < layout->tasks[node]; task++)
            if (layout->tids[node][task] == 0)
                snprintf(text, sizeof(text), "%u/%s", node, layout->node_list);
    setenv("ACTOR_LAYOUT", text, 1);
    setenv("SLURM_ACTOR_LAYOUT", text, 1);
}

int slurm_spank_local_user_init(spank_t spank, int ac, char **av)
{
    (void)ac, (void)av;
    if (!wants(spank, "layout"))
        return 0;
    slurm_step_id_t id = {0};
    id.step_het_comp = NO_VAL;
    spank_get_item(spank, S_JOB_ID, &id.job_id);
    spank_get_item(spank, S_JOB_STEPID, &id.step_id);
    slurm_step_layout_t *layout = slurm_job_step_layout_get(&id);
    if (layout != NULL) {
        hand_on(layout);
        slurm_job_step_layout_free(layout);
    }
    return 0;
}

int slurm_spank_user_init(spank_t spank, int ac, char **av)
{
    (void)ac, (void)av;
    if (wants(spank, "rpc")) {
        node_info_msg_t *nodes = NULL;
        slurm_load_node(0, &nodes, SHOW_ALL);
    }
    snprintf(memory, sizeof(memory), "kept by %s",
             geteuid() != 0 && getuid() == 0 ? "user" : "root");
    return 0;
}

int slurm_spank_task_init(spank_t spank, int ac, char **av)
{
    (void)ac, (void)av;
    char rank[16] = "none", node[256] = "";
    spank_getenv(spank, "SLURM_PROCID", rank, sizeof(rank));
    spank_setenv(spank, "RANK", rank, 1);
    spank_setenv(spank, "ACTOR_MEMORY", memory, 1);
    spank_unsetenv(spank, "ACTOR_UNSET");
    if (!wants(spank, "leave"))
        return 0;
    gethostname(node, sizeof(node) - 1);
    slurm_error("actor: %s refuses", node);
    if (wants(spank, "end-early"))
        end_step(spank);
    _exit(1);
}

int slurm_spank_task_exit(spank_t spank, int ac, char **av)
{
    (void)ac, (void)av;
    int status = 0;
    char restarts[16];
    spank_get_item(spank, S_TASK_EXIT_STATUS, &status);
    if (status == 0)
        return 0;
    /* A SIGKILL is most often the end of the step itself: asking for it again helps nobody. */
    if (wants(spank, "end") && status != SIGKILL && strncmp(memory, "kept", 4) == 0)
        end_step_surely(spank);
    if (wants(spank, "requeue") &&
        spank_getenv(spank, "SLURM_RESTART_COUNT", restarts, sizeof(restarts)) != ESPANK_SUCCESS)
        requeue(spank);
    return 0;
}

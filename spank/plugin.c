/* SPDX-License-Identifier: Apache-2.0 */
/* The SPANK plugin: the only file with slurm_spank_* functions.  It is a guest in srun and
 * slurmstepd: no hook returns anything but 0 once the step has started, nothing is printed to
 * stdout, and without --cluster-env nothing is done at all.  docs/hooks.md says what each hook may
 * rely on. */
#include <slurm/slurm.h>
#include <slurm/spank.h>
#include <stdbool.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <unistd.h>

#include "base/parse.h"
#include "layout.h"
#include "local/refused_job.h"
#include "model/request.h"
#include "refusal.h"
#include "session/session.h"
#include "slurm/environment.h"
#include "slurm/place.h"
#include "spank_env.h"
#include "stepd_watch.h"
#include "submission.h"
#include "task_end.h"

/* Slurm finds these by name, so they stay visible under -fvisibility=hidden. */
#pragma GCC visibility push(default)
SPANK_PLUGIN(cluster_env, 1);
#pragma GCC visibility pop
#define HOOK __attribute__((visibility("default"))) int

#define OPTION_NAME "cluster-env"
/* How Slurm hands the option on to what is started inside a job. */
#define OPTION_VARIABLE "SLURM_SPANK__SLURM_SPANK_OPTION_cluster_env_cluster_env"

/* Step ids of the steps that are not srun's; slurm.h names them only since 22.05. */
enum { BATCH_STEP = 0xfffffffbu, INTERACTIVE_STEP = 0xfffffffau, LAST_NORMAL_STEP = 0xfffffff0u };

/* SPANK gives hooks no room for state of their own: this is the plugin's, one per process. */
static struct {
    bool given;                 /* the option came through its callback */
    struct ce_request request;
    bool launcher;              /* the tasks are an MPI launcher's daemons */
    struct ce_session *session; /* from user_init to exit; NULL: nothing to do */
    struct ce_error failure;    /* why the session could not be opened; "": it was, or not wanted */
    struct ce_error fault;      /* why this job must not run on this node; "": it may */
    struct ce_refusal *refusal;
    struct ce_stepd_watch *watch; /* of a gang; else NULL */
    struct ce_task_logs logs;
    bool ended;          /* a task that failed has been answered; the others of this node follow it */
    uint32_t tasks_over; /* of this node */
} state = {.logs = CE_NO_TASK_LOGS};

/* The arguments of the line in plugstack.conf. */
struct arguments {
    const char *run_dir;
    bool on;
    const char *unknown; /* one that is not valid; NULL: none */
};

static struct arguments read_arguments(int ac, char **av)
{
    struct arguments arguments = {CE_RUN_DIR, false, NULL};
    for (int i = 0; i < ac; i++) {
        if (strncmp(av[i], "run=/", 5) == 0)
            arguments.run_dir = av[i] + 4;
        else if (strcmp(av[i], "default=on") == 0 || strcmp(av[i], "default=off") == 0)
            arguments.on = strcmp(av[i], "default=on") == 0;
        else
            arguments.unknown = av[i];
    }
    return arguments;
}

/* Is that what the job around this command was given?  Its user has heard of it. */
static bool is_inherited(const char *text)
{
    const char *outer = getenv(OPTION_VARIABLE);
    return outer && text && strcmp(outer, text) == 0;
}

/* In srun, sbatch or salloc. */
static int check_submission(const char *text)
{
    struct ce_error err;
    if (is_inherited(text))
        return 0;
    if (ce_submission_check(spank_context(), &state.request, &err) < 0) {
        slurm_error("cluster-env: --" OPTION_NAME ": %s", err.text);
        return -1;
    }
    if (state.request.retries && ce_submission_overwrites())
        slurm_spank_log("cluster-env: retries=%u: each run overwrites the output of the one before; "
                        "add --open-mode=append (or have JobFileAppend=1 in slurm.conf)",
                        state.request.retries);
    return 0;
}

/* Called once or twice, here and in the stepd; the last call counts. */
static int take_option(int value, const char *text, int remote)
{
    struct ce_error err;
    (void)value;
    if (ce_request_parse(text, &state.request, &err) < 0) {
        slurm_error("cluster-env: --" OPTION_NAME ": %s", err.text);
        /* In the stepd Slurm would take a failure for "not given": a job submitted by a newer
         * plugin then ran without its variables.  What this one knows is set. */
        if (!remote)
            return -1;
        ce_request_parse(NULL, &state.request, NULL);
    }
    state.given = true;
    return remote ? 0 : check_submission(text);
}

HOOK slurm_spank_init(spank_t spank, int ac, char **av)
{
    static struct spank_option option = {
        .name = OPTION_NAME,
        .arginfo = "[ITEM,...]",
        .usage = "set the variables of a multi-node GPU cluster (rank, primary address, "
                 "interfaces); items: " CE_REQUEST_ITEMS,
        .has_arg = 2,
        .cb = take_option,
    };
    spank_context_t context = spank_context();
    (void)ac;
    (void)av;
    if (context != S_CTX_LOCAL && context != S_CTX_ALLOCATOR && context != S_CTX_REMOTE)
        return 0;
    if (spank_option_register(spank, &option) != ESPANK_SUCCESS)
        slurm_error("cluster-env: Slurm refused the option --" OPTION_NAME);
    return 0;
}

static bool identify(spank_t spank, struct ce_step_id *id)
{
    uint32_t step = 0;
    if (spank_get_item(spank, S_JOB_ID, &id->job_id) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_STEPID, &step) != ESPANK_SUCCESS)
        return false;
    id->step_id = step;
    id->kind = step == BATCH_STEP         ? CE_STEP_BATCH
               : step == INTERACTIVE_STEP ? CE_STEP_INTERACTIVE
                                          : CE_STEP_TASKS;
    return id->kind != CE_STEP_TASKS || step < LAST_NORMAL_STEP;
}

/* Was this step asked for?  22.05 and 23.02 lose the option of `sbatch --export=NONE` on the way to
 * the batch script; the variable for inner sruns is still there. */
static bool is_wanted(const struct arguments *arguments, const struct ce_environ *env,
                      const struct ce_step_id *id)
{
    if (!state.given && id->kind == CE_STEP_BATCH) {
        const char *text = ce_environ_get(env, OPTION_VARIABLE);
        if (text)
            take_option(0, text, 1);
    }
    if (!state.given) {
        ce_request_parse(NULL, &state.request, NULL);
        state.request.on = arguments->on;
    }
    return state.request.on;
}

static void forget(void)
{
    ce_session_close(state.session);
    ce_refusal_destroy(state.refusal);
    ce_stepd_watch_end(state.watch);
    ce_task_logs_close(&state.logs);
    state.session = NULL;
    state.refusal = NULL;
    state.watch = NULL;
    state.ended = false;
    state.tasks_over = 0;
    state.failure.text[0] = '\0';
    state.fault.text[0] = '\0';
}

static bool runs_launcher(spank_t spank)
{
    char **argv = NULL;
    int argc = 0;
    return spank_get_item(spank, S_JOB_ARGV, &argc, &argv) == ESPANK_SUCCESS && argc > 0 &&
           argv[0] && ce_slurm_is_launcher(argv[0]);
}

/* In srun, once the step exists: asks for an order that the tasks cannot work out.  (A heterogeneous
 * step has such an order, too, but srun has forked by now, and what is set here would reach only the
 * first component's tasks.)  An MPI launcher's daemons get what the batch script has. */
HOOK slurm_spank_local_user_init(spank_t spank, int ac, char **av)
{
    struct arguments arguments = read_arguments(ac, av);
    struct ce_step_id id;
    struct ce_error err;
    uint32_t nodes = 0;
    bool wanted = state.given ? state.request.on : arguments.on;
    if (wanted && spank_get_item(spank, S_JOB_NNODES, &nodes) == ESPANK_SUCCESS &&
        ce_layout_is_needed(nodes) && !runs_launcher(spank) && identify(spank, &id) &&
        ce_layout_pass_on(&id, &err) < 0)
        slurm_error("cluster-env: %s", err.text);
    return 0;
}

/* The batch script hands the option on to all that is started inside, and to jobs submitted there. */
static void hand_on_option(const struct ce_environ *env)
{
    char text[CE_REQUEST_TEXT];
    if (!state.request.retries && !state.request.primary_output)
        return;
    const struct ce_request inherited = ce_request_inherited(&state.request);
    if (env->set(env->ctx, OPTION_VARIABLE, ce_request_format(&inherited, text)) < 0)
        slurm_error("cluster-env: cannot set " OPTION_VARIABLE);
}

/* Slurm may start tasks on a node where the job's prolog failed, until it has ended the job. */
static bool has_failed_prolog(const char *run_dir, const struct ce_step_id *id)
{
    struct ce_refused_job refused;
    if (!ce_refused_job_find(run_dir, id->job_id, &refused))
        return false;
    ce_fail(&state.fault, "the prolog found a fault on this node: %.400s%s", refused.reason.text,
            id->kind == CE_STEP_BATCH ? "" : "; start the job again");
    state.refusal = ce_refusal_create();
    return true;
}

HOOK slurm_spank_user_init(spank_t spank, int ac, char **av)
{
    struct ce_step_id id;
    if (spank_remote(spank) != 1)
        return 0;
    forget();
    struct arguments arguments = read_arguments(ac, av);
    struct ce_environ env = ce_spank_environ(spank);
    if (!identify(spank, &id) || !is_wanted(&arguments, &env, &id) ||
        has_failed_prolog(arguments.run_dir, &id))
        return 0;
    /* mpirun gives its ranks their places; those on its own node have the batch script's
     * environment, so those that its daemons start on other nodes are told the same. */
    state.launcher = id.kind == CE_STEP_TASKS && runs_launcher(spank);
    if (id.kind == CE_STEP_BATCH)
        hand_on_option(&env);
    if (state.launcher)
        id.kind = CE_STEP_BATCH;
    else if (id.kind != CE_STEP_TASKS)
        ce_layout_mark_job(&env, &id);
    state.session =
        ce_session_open(arguments.run_dir, &env, id, &state.request, &state.failure);
    state.refusal = ce_refusal_create();
    if (!state.session)
        return 0;
    if (state.request.gang && id.kind == CE_STEP_TASKS)
        state.watch = ce_stepd_watch_create();
    if (state.request.primary_output && id.kind == CE_STEP_TASKS)
        ce_task_logs_open(&state.logs);
    if (arguments.unknown)
        ce_note(&state.session->notes,
                "plugstack.conf: '%.60s' is not an argument of cluster_env.so; valid are: run=/DIR, "
                "default=on|off",
                arguments.unknown);
    ce_session_share(state.session, &env);
    return 0;
}

/* The node's name comes from the task's environment: it may be anything. */
static const char *printable(const char *name, struct ce_error *buffer)
{
    ce_fail(buffer, "%.255s", name && *name ? name : "this node");
    return buffer->text;
}

/* A batch script is the only task of its step: task_exit asks Slurm to requeue the job. */
static const char *what_ends(spank_t spank)
{
    struct ce_step_id id;
    if (identify(spank, &id) && id.kind == CE_STEP_BATCH)
        return "the batch script does not start";
    return "the step ends here";
}

/* The step must not run: its ranks and addresses would be wrong, and tasks that wait for each other
 * hang.  The first task that sees it speaks, all that see it leave, and task_exit ends the step. */
static noreturn void refuse(spank_t spank, const struct ce_error *err)
{
    struct ce_environ env = ce_spank_environ(spank);
    struct ce_error node;
    if (ce_refusal_claim(state.refusal)) {
        slurm_error("cluster-env: %s: %s; %s", printable(ce_environ_get(&env, "SLURMD_NODENAME"), &node),
                    err->text, what_ends(spank));
        ce_refusal_said(state.refusal);
    }
    _exit(1);
}

static void print_notes(const char *node, const struct ce_notes *notes)
{
    for (size_t i = 0; i < notes->count; i++)
        slurm_error("cluster-env: %s: %s", node, notes->line[i].text);
    if (notes->lost)
        slurm_error("cluster-env: %s: and %zu more", node, notes->lost);
}

/* Rank 0 speaks for all; with verbose, or where something is wrong with one node alone, the first
 * task of that node does. An MPI launcher's batch script has spoken already. */
static void speak(const struct ce_session *session, const struct ce_task *task)
{
    const struct ce_network *network = &session->cluster.network;
    const struct ce_rails *rails = &session->cluster.rails;
    struct ce_error buffer;
    const char *node = printable(task->node_name, &buffer);
    if (session->request.verbose && task->local_rank == 0)
        slurm_spank_log("cluster-env: %s: node rank %u, interface %s: %s; rails: %s, %zu up", node,
                        task->node_rank, network->interface ? network->interface->name : "none",
                        network->reason, rails->reason, rails->active);
    bool of_this_node = session->request.verbose || session->of_this_node;
    if (task->rank == 0 || (of_this_node && task->local_rank == 0))
        print_notes(node, &session->notes);
}

static int set_variables(struct ce_session *session, struct ce_task *task,
                         const struct ce_environ *env, struct ce_error *err)
{
    ce_auto(ce_plan_destroy) struct ce_plan *plan = ce_session_plan(session, task, env, err);
    if (!plan || ce_session_check_primary(session, task, env, err) < 0)
        return -1;
    if (ce_plan_apply(plan, env, err) < 0)
        ce_note(&session->notes, "%s", err->text);
    return 0;
}

/* A batch script or interactive shell runs on whatever was found: it has no ranks to get wrong. */
static int give_up(const struct ce_session *session, spank_t spank, const struct ce_error *err)
{
    struct ce_step_id id;
    bool tasks = session ? session->allocation.id.kind == CE_STEP_TASKS
                         : identify(spank, &id) && id.kind == CE_STEP_TASKS;
    if (tasks)
        refuse(spank, err);
    slurm_error("cluster-env: %s; nothing is set", err->text);
    return 0;
}

/* Slurm counts the nodes and tasks of a heterogeneous step by component, and the environment has the
 * numbers of the whole step.  false: Slurm does not report them. */
static bool find_part(spank_t spank, const struct ce_environ *env, const struct ce_task *task,
                      struct ce_step_part *part)
{
    uint32_t node = 0, rank = 0, node_index = 0;
    const char *text = ce_environ_get(env, "SLURM_NODEID");
    if (spank_get_item(spank, S_JOB_NODEID, &node) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_TASK_GLOBAL_ID, &rank) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_NNODES, &part->node_count) != ESPANK_SUCCESS || !text ||
        ce_parse_u32(text, node, UINT32_MAX, &node_index) < 0 || rank > task->rank)
        return false;
    part->first_node = node_index - node;
    part->first_task = task->rank - rank;
    return true;
}

/* A plugin that gives every task the environment of one of them gives all the same rank.  Slurm's
 * own count of the tasks on this node is not in the environment. */
static int check_own_place(const struct ce_session *session, spank_t spank,
                           const struct ce_environ *env, const struct ce_task *task,
                           struct ce_error *err)
{
    struct ce_step_part part;
    int local = 0;
    if (session->allocation.id.kind != CE_STEP_TASKS)
        return 0;
    if ((spank_get_item(spank, S_TASK_ID, &local) == ESPANK_SUCCESS &&
         (uint32_t)local != task->local_rank) ||
        !find_part(spank, env, task, &part))
        return ce_fail(err,
                       "SLURM_LOCALID=%u and SLURM_PROCID=%u in task %d of this node: another plugin "
                       "replaced the task's environment; see docs/hooks.md on the order in "
                       "plugstack.conf",
                       task->local_rank, task->rank, local);
    return ce_slurm_check_place(env, &session->allocation, task, &part, err);
}

/* What gang and output=primary need of a task, behind all that may speak. */
static void prepare_end(const struct ce_session *session, const struct ce_task *task)
{
    struct ce_error err, node;
    if (session->request.gang)
        ce_stepd_watch_begin(state.watch, &session->allocation);
    if (session->request.primary_output && task->rank != 0 &&
        ce_task_log_begin(&state.logs, &session->allocation.id, task, &err) < 0 &&
        (task->local_rank == 0 || task->rank == 1)) /* one of each node speaks */
        slurm_error("cluster-env: %s: rank %u: %s; its output stays with that of rank 0",
                    printable(task->node_name, &node), task->rank, err.text);
}

HOOK slurm_spank_task_init(spank_t spank, int ac, char **av)
{
    struct ce_session *session = state.session;
    struct ce_error err;
    struct ce_task task;
    (void)ac;
    (void)av;
    if (state.fault.text[0])
        refuse(spank, &state.fault);
    if (state.failure.text[0])
        return give_up(NULL, spank, &state.failure);
    if (!session)
        return 0;
    struct ce_environ env = ce_spank_environ(spank);
    if (ce_session_enter(session, &env, &task, &err) < 0 ||
        check_own_place(session, spank, &env, &task, &err) < 0)
        return give_up(session, spank, &err);
    if (set_variables(session, &task, &env, &err) < 0)
        return give_up(session, spank, &err);
    if (!state.launcher)
        speak(session, &task);
    if (session->allocation.id.kind == CE_STEP_TASKS)
        prepare_end(session, &task);
    return 0;
}

/* Nodes of the component, and of the whole step, differ in a heterogeneous one. */
static bool is_whole_step(spank_t spank)
{
    uint32_t nodes = 0;
    return state.session && spank_get_item(spank, S_JOB_NNODES, &nodes) == ESPANK_SUCCESS &&
           nodes == ce_allocation_node_count(&state.session->allocation);
}

/* Of a step of one task nothing is left when it has failed: `srun -n1 test -f x` is an answer, no end. */
static bool is_alone(spank_t spank)
{
    return is_whole_step(spank) && state.session->allocation.task_count == 1;
}

/* What is to follow when a task of this step has failed; NULL: nothing. */
static bool (*find_consequence(spank_t spank, const struct ce_step_id *id))(const struct ce_task_end *)
{
    const struct ce_request *request = &state.request;
    if (id->kind == CE_STEP_BATCH)
        return request->retries ? ce_task_end_retry : NULL;
    if (id->kind != CE_STEP_TASKS)
        return NULL;
    return request->gang && !is_alone(spank) ? ce_task_end_gang : request->primary_output ? ce_task_end_show : NULL;
}

static void answer_end(spank_t spank)
{
    struct ce_task_end end = {.retries = state.request.retries, .logs = &state.logs};
    int local_rank = 0;
    if (!identify(spank, &end.id))
        return;
    end.folder = state.session ? &state.session->allocation.id : &end.id;
    bool (*follow)(const struct ce_task_end *) = find_consequence(spank, &end.id);
    if (ce_refusal_take(state.refusal)) {
        state.ended = true;
        if (end.id.kind == CE_STEP_TASKS)
            ce_task_end_refused(&end.id, is_whole_step(spank));
        else if (end.id.kind == CE_STEP_BATCH)
            ce_task_end_requeue(&end.id);
    } else if (follow && spank_get_item(spank, S_TASK_EXIT_STATUS, &end.status) == ESPANK_SUCCESS &&
               end.status != 0) {
        spank_get_item(spank, S_TASK_GLOBAL_ID, &end.rank);
        spank_get_item(spank, S_TASK_ID, &local_rank);
        spank_get_item(spank, S_JOB_NODEID, &end.node_index);
        end.local_rank = (uint32_t)local_rank;
        end.rank_is_known = is_whole_step(spank);
        state.ended = follow(&end);
    }
}

/* In the stepd, after each task: the one place where calling Slurm is safe on every series. */
HOOK slurm_spank_task_exit(spank_t spank, int ac, char **av)
{
    uint32_t tasks = 0;
    (void)ac;
    (void)av;
    if (state.request.on && !state.ended)
        answer_end(spank);
    if (state.watch && spank_get_item(spank, S_JOB_LOCAL_TASK_COUNT, &tasks) == ESPANK_SUCCESS &&
        ++state.tasks_over == tasks)
        ce_stepd_watch_over(state.watch);
    return 0;
}

HOOK slurm_spank_exit(spank_t spank, int ac, char **av)
{
    (void)spank;
    (void)ac;
    (void)av;
    forget();
    return 0;
}

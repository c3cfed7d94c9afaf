/* SPDX-License-Identifier: Apache-2.0 */
/* What the plugin is from init to exit: contexts, order of hooks, many tasks, steps inside steps.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/plugin/cases.h"
#include "program/plugin/expect.h"
#include "program/plugin/world.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* ---------------------------------------------------------------- contexts and order */

static void other_contexts_in(struct recording *recording)
{
    static const spank_context_t contexts[] = {S_CTX_SLURMD, S_CTX_JOB_SCRIPT};
    for (size_t i = 0; i < LENGTH(contexts); i++) {
        struct host_setup setup = world_setup(recording);
        setup.context = contexts[i];
        setup.arguments[0] = "default=on";
        struct host_result *result = host_run(&setup);
        expect_nothing_done(result);
        for (int hook = HOST_INIT; hook < HOST_HOOKS; hook++)
            expect(result->nodes[0].calls[hook].gets == 0, "%s asked Slurm for something",
                   host_hook_name(hook));
        expect(result->nodes[0].calls[HOST_CALLBACK].runs == 0, "an option was registered");
        expect_done(result);
    }
}

static void other_contexts(void **state)
{
    (void)state;
    world_one_series("srun-1x4", other_contexts_in);
}

static void no_user_init_in(struct recording *recording)
{
    struct host_setup setup = world_setup(recording);
    setup.flags = HOST_NO_USER_INIT;
    struct host_result *result = host_run(&setup);
    expect_nothing_done(result);
    expect_done(result);
}

static void no_user_init(void **state)
{
    (void)state;
    world_each_series("srun-1x4", no_user_init_in);
    world_each_series("batch-4", no_user_init_in);
}

static void user_init_twice_in(struct recording *recording)
{
    struct host_setup setup = world_setup(recording);
    setup.flags = HOST_USER_INIT_TWICE;
    struct host_result *result = host_run(&setup);
    expect_launched(result);
    expect_recorded(result);
    expect_lines(result, 0);
    for (size_t n = 0; n < result->node_count; n++)
        expect(result->nodes[n].mappings_left == 0, "%d mappings of shared memory were left",
               result->nodes[n].mappings_left);
    expect_done(result);
}

static void user_init_twice(void **state)
{
    (void)state;
    world_each_series("srun-1x4", user_init_twice_in);
}

static void number_step(struct recording *recording, uint32_t id)
{
    for (size_t n = 0; n < recording->node_count; n++) {
        struct recorded_node *node = &recording->nodes[n];
        node->user_init.items[S_JOB_STEPID].value = id;
        for (size_t t = 0; t < node->task_count; t++)
            node->tasks[t].items[S_JOB_STEPID].value = id;
    }
}

/* Neither srun's nor a script's: PrologFlags=Contain makes one per job. */
static void extern_step_in(struct recording *recording)
{
    struct host_setup setup = world_setup(recording);
    number_step(recording, 0xfffffffcu);
    struct host_result *result = host_run(&setup);
    expect_nothing_done(result);
    expect_done(result);
}

static void extern_step(void **state)
{
    (void)state;
    world_each_series("srun-1x4", extern_step_in);
}

/* Steps of one job side by side; the numbers run past the window. */
static void later_steps_in(struct recording *recording)
{
    static const uint32_t ids[] = {1, 2, 7, 8, 4535, 0x7fffffff};
    for (size_t i = 0; i < LENGTH(ids); i++) {
        struct host_setup setup = world_setup(recording);
        number_step(recording, ids[i]);
        struct host_result *result = host_run(&setup);
        expect_launched(result);
        expect_recorded(result);
        expect_done(result);
    }
}

static void later_steps(void **state)
{
    (void)state;
    world_one_series("srun-1x4", later_steps_in);
}

/* ---------------------------------------------------------------- what a launch costs */

static void files_in(struct recording *recording)
{
    struct host_setup setup = world_setup(recording);
    struct host_result *result = host_run(&setup);
    expect_launched(result);
    expect(expect_count_binds(result) == 1, "%u calls of bind()", expect_count_binds(result));
    for (size_t n = 0; n < result->node_count; n++) {
        const struct host_node *node = &result->nodes[n];
        /* What the prolog may have left for this job; the directory and its three texts; /etc/nccl.conf and ~/.nccl.conf, which a task may
         * have its own of. */
        expect(node->calls[HOST_USER_INIT].opens <= 1 + 4 + 2, "user_init opened %u files",
               node->calls[HOST_USER_INIT].opens);
        expect(node->calls[HOST_TASK_INIT].opens <= 2 * node->task_count,
               "task_init opened %u files", node->calls[HOST_TASK_INIT].opens);
        expect(node->calls[HOST_TASK_EXIT].opens + node->calls[HOST_EXIT].opens == 0,
               "files were opened after the tasks");
    }
    char bound[128];
    snprintf(bound, sizeof bound, "%s", variable(&result->nodes[0], 0, "HOST_NODE_ADDR"));
    expect(strcmp(result->nodes[0].bound, bound) == 0, "bound %s, not %s", result->nodes[0].bound,
           bound);
    expect_done(result);
}

static void files(void **state)
{
    (void)state;
    world_each_series("srun-8x4", files_in);
}

/* ---------------------------------------------------------------- many tasks */

enum { MANY = 2000 };

/* Under valgrind thousands of forks take many minutes. */
static size_t many(void)
{
    const char *text = getenv("CLUSTER_ENV_TEST_TASKS");
    size_t count = text ? strtoul(text, NULL, 10) : MANY;
    return count > 0 && count < MANY ? count : MANY;
}

static void task_number(struct recorded_hook *task, const char *name, size_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%zu", number);
    task_env_set(&task->env, name, text);
}

/* That many tasks on the first node of a step; its other nodes are left out. */
static void make_many(struct recording *recording, size_t count)
{
    struct recorded_node *node = &recording->nodes[0];
    static char ranks[MANY * 5];
    char *at = ranks;
    for (size_t i = 0; i < count; i++)
        at += sprintf(at, "%s%zu", i ? "," : "", i);
    while (node->task_count < count)
        recording_add_task(node);
    for (size_t i = 0; i < count; i++) {
        struct recorded_hook *task = &node->tasks[i];
        task_number(task, "SLURM_PROCID", i);
        task_number(task, "SLURM_LOCALID", i);
        task_env_set(&task->env, "SLURM_GTIDS", ranks);
        task->items[S_TASK_ID].value = task->items[S_TASK_GLOBAL_ID].value = (uint32_t)i;
    }
    task_number(&node->user_init, "SLURM_STEP_NUM_TASKS", count);
    task_number(&node->user_init, "SLURM_STEP_TASKS_PER_NODE", count);
}

/* A stepd of one node only. */
static struct host_result *run_first_node(struct recording *recording)
{
    struct host_setup setup = world_setup(recording);
    size_t nodes = recording->node_count;
    recording->node_count = 1;
    struct host_result *result = host_run(&setup);
    recording->node_count = nodes;
    return result;
}

static void many_tasks_in(struct recording *recording)
{
    size_t count = many();
    make_many(recording, count);
    struct host_result *result = run_first_node(recording);
    expect_launched(result);
    expect_lines(result, 0);
    for (size_t t = 0; t < count; t++) {
        expect_number(&result->nodes[0], t, "RANK", t);
        expect_number(&result->nodes[0], t, "LOCAL_RANK", t);
        expect_number(&result->nodes[0], t, "WORLD_SIZE", count);
        expect_number(&result->nodes[0], t, "LOCAL_WORLD_SIZE", count);
    }
    expect_done(result);
}

static void many_tasks(void **state)
{
    (void)state;
    world_one_series("srun-1x4", many_tasks_in);
}

/* Also where the first refusals are reaped while later tasks are not even started. */
static void many_refusals_in(struct recording *recording)
{
    make_many(recording, many() / 4);
    recording_set(recording, "SLURM_NODEID", "1");
    struct host_result *result = run_first_node(recording);
    expect_calm(result);
    expect_lines(result, 1);
    expect(result->nodes[0].calls[HOST_TASK_EXIT].kills == HOST_KILL_REQUESTS,
           "%u calls to end the step", result->nodes[0].calls[HOST_TASK_EXIT].kills);
    expect_done(result);
}

static void many_refusals(void **state)
{
    (void)state;
    world_one_series("srun-1x4", many_refusals_in);
}

/* ---------------------------------------------------------------- steps inside steps */

/* What the commands of an outer step hand on to a step started from one of them. */
static void inherit(struct recording *recording, const struct task_env *outer)
{
    for (size_t i = 0; i < outer->count; i++) {
        char *name = must(strndup(outer->entries[i], strcspn(outer->entries[i], "=")));
        if (strncmp(name, "SLURM", 5) != 0 && strncmp(name, "CUDA", 4) != 0 &&
            !recorded_env(&recording->nodes[0], 0, name))
            recording_set(recording, name, task_env_get(outer, name));
        free(name);
    }
}

/* Run `inner` as if started from the last task of a step that ran on all nodes, where that task had
 * set `name` (NULL: nothing). */
static struct host_result *run_inside(struct recording *inner, const char *name, const char *value)
{
    struct recording *outer = must(recording_read(world_recording("srun-1x4")));
    struct host_setup setup = world_setup(outer);
    struct host_result *first = host_run(&setup);
    struct host_node *last = &first->nodes[first->node_count - 1];
    expect_launched(first);
    if (name)
        task_env_set(&last->tasks[0].env, name, value);
    inherit(inner, &last->tasks[0].env);
    expect_done(first);
    recording_free(outer);
    setup = world_setup(inner);
    struct host_result *result = host_run(&setup);
    expect_launched(result);
    return result;
}

static void inner_step_in(struct recording *recording)
{
    struct host_result *result = run_inside(recording, NULL, NULL);
    expect_recorded(result);
    expect_lines(result, 0);
    expect_done(result);
}

static void inner_step(void **state)
{
    static const char *const names[] = {"srun-1x4", "srun-8x4", "substep-2of4", "batch-4",
                                        "batch-1"};
    (void)state;
    for (size_t i = 0; i < LENGTH(names); i++)
        world_each_series(names[i], inner_step_in);
}

static void changed_in(struct recording *recording)
{
    struct host_result *result = run_inside(recording, "NCCL_SOCKET_IFNAME", "=eth9");
    for (size_t n = 0; n < result->node_count; n++) {
        expect_variable(&result->nodes[n], 0, "NCCL_SOCKET_IFNAME", "=eth9");
        expect_variable(&result->nodes[n], 0, "GLOO_SOCKET_IFNAME", "eth1");
    }
    expect_done(result);
}

static void changed_port_in(struct recording *recording)
{
    struct host_result *result = run_inside(recording, "MASTER_PORT", "29500");
    for (size_t n = 0; n < result->node_count; n++) {
        expect_variable(&result->nodes[n], 0, "MASTER_PORT", "29500");
        expect_variable(&result->nodes[n], 0, "PRIMARY_PORT", "29500");
        expect_variable(&result->nodes[n], 0, "RANK",
                        recorded_env(&recording->nodes[n], 0, "SLURM_PROCID"));
    }
    expect_done(result);
}

static void changed_values(void **state)
{
    (void)state;
    world_each_series("substep-2of4", changed_in);
    world_each_series("substep-2of4", changed_port_in);
}

/* `export RANK=99` in a login shell: there is no marker that says whose it is. */
static void users_values_in(struct recording *recording)
{
    static const char *const names[] = {
        "RANK",      "WORLD_SIZE",   "LOCAL_RANK",  "LOCAL_WORLD_SIZE", "GROUP_RANK", "NODE_RANK",
        "NUM_NODES", "PRIMARY_ADDR", "MASTER_ADDR", "CLUSTER_NODES",    "NODE_ADDR",  "CLUSTER_IP",
    };
    struct host_setup setup = world_setup(recording);
    for (size_t i = 0; i < LENGTH(names); i++)
        recording_set(recording, names[i], "99");
    struct host_result *result = host_run(&setup);
    expect_launched(result);
    expect_recorded(result);
    expect_done(result);
}

static void users_values(void **state)
{
    (void)state;
    world_each_series("srun-1x4", users_values_in);
    world_each_series("srun-8x4", users_values_in);
}

static void run_command(struct recorded_hook *hook, const char *command)
{
    task_env_free(&hook->argv);
    task_env_append(&hook->argv, command);
}

/* Open MPI's and MPICH's daemons hand their environment on to all their ranks: it is that of the
 * batch script which started them, with nothing that differs. */
static void launcher_in(struct recording *recording)
{
    static const char *const commands[] = {"/usr/bin/orted", "prted",
                                           "/opt/mpi/bin/hydra_pmi_proxy"};
    static const char *const absent[] = {"RANK",       "WORLD_SIZE", "LOCAL_RANK",
                                         "NODE_RANK",  "GROUP_RANK", "LOCAL_WORLD_SIZE",
                                         "PET_NNODES", "NODE_ADDR"};
    for (size_t c = 0; c < LENGTH(commands); c++) {
        struct host_setup setup = world_setup(recording);
        for (size_t n = 0; n < recording->node_count; n++) {
            run_command(&recording->nodes[n].user_init, commands[c]);
            run_command(&recording->nodes[n].tasks[0], commands[c]);
        }
        struct host_result *result = host_run(&setup);
        expect_launched(result);
        for (size_t n = 0; n < result->node_count; n++) {
            for (size_t i = 0; i < LENGTH(absent); i++)
                expect_variable(&result->nodes[n], 0, absent[i], NULL);
            expect(variable(&result->nodes[n], 0, "MASTER_ADDR") != NULL, "no MASTER_ADDR");
        }
        expect_done(result);
    }
}

static void launcher(void **state)
{
    (void)state;
    world_each_series("srun-1x4", launcher_in);
}

const struct plugin_case lifetime_cases[] = {
    {"in slurmd and in prologs the hooks do nothing", other_contexts},
    {"without user_init the other hooks do nothing", no_user_init},
    {"user_init twice leaks nothing and says nothing twice", user_init_twice},
    {"the extern step gets nothing", extern_step},
    {"each step of a job has a port of its own", later_steps},
    {"a launch opens its texts, binds once on the primary, and no more", files},
    {"thousands of tasks on a node each get their own rank", many_tasks},
    {"hundreds of refusals are one line and one call", many_refusals},
    {"an inner step and a job from inside have no value of the outer one", inner_step},
    {"what the user changed inside an outer step stays", changed_values},
    {"ranks and addresses that the user exported are replaced", users_values},
    {"an MPI launcher's daemon gets nothing that differs per task or node", launcher},
    {NULL, NULL},
};

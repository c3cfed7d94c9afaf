/* SPDX-License-Identifier: Apache-2.0 */
#include "program/plugin/expect.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "program/plugin/world.h"

/* Step ids of the steps that are not srun's; slurm.h names them only since 22.05. */
enum { BATCH_STEP = 0xfffffffbu, INTERACTIVE_STEP = 0xfffffffau };

#define OPTION_VARIABLE "SLURM_SPANK__SLURM_SPANK_OPTION_cluster_env_cluster_env"

static const char *where_now;
static const struct host_result *result_now; /* its lines explain a failure */

void expect_where(const char *where)
{
    where_now = where;
    result_now = NULL;
}

void expect_failed(const char *file, int line, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    print_error("# %s%s%s\n", where_now ? where_now : "", where_now ? ": " : "", text);
    for (size_t i = 0; result_now && i < result_now->message_count && i < 16; i++)
        print_error("# said in %s of node %zu task %d: %.300s\n",
                    host_hook_name(result_now->messages[i].hook), result_now->messages[i].node,
                    result_now->messages[i].task, result_now->messages[i].text);
    _fail(file, line);
    abort(); /* _fail() does not come back */
}

void expect_no_hang(const char *node, enum host_hook hook)
{
    expect_failed(__FILE__, __LINE__, "%s of %s hangs: more than %d s of CPU time", host_hook_name(hook),
                  node, HOST_CPU_SECONDS);
}

void expect_done(struct host_result *result)
{
    result_now = NULL;
    host_result_free(result);
}

/* ---------------------------------------------------------------- the run */

static void expect_hooks(const struct host_node *node)
{
    for (int hook = HOST_INIT; hook < HOST_HOOKS; hook++) {
        const struct host_calls *calls = &node->calls[hook];
        expect(calls->rc == 0, "%s of %s returned %d", host_hook_name(hook), node->recorded->name,
               calls->rc);
        expect(calls->kills == 0 || hook == HOST_TASK_EXIT, "%s of %s ended the step",
               host_hook_name(hook), node->recorded->name);
        expect(calls->questions + calls->claims + calls->requeues == 0 || hook == HOST_TASK_EXIT,
               "%s of %s asked slurmctld", host_hook_name(hook), node->recorded->name);
        expect(calls->sets == 0 || hook == HOST_USER_INIT || hook == HOST_TASK_INIT,
               "%s of %s changed the environment", host_hook_name(hook), node->recorded->name);
        expect(calls->layouts == 0 || hook == HOST_LOCAL_USER_INIT, "%s of %s asked slurmctld",
               host_hook_name(hook), node->recorded->name);
    }
}

static void expect_printable(const struct host_message *message)
{
    for (const char *c = message->text; *c; c++)
        expect((unsigned char)*c >= ' ' && *c != 0x7f, "byte %02x in a line", (unsigned char)*c);
    expect(strlen(message->text) < 1024, "a line of %zu bytes", strlen(message->text));
}

void expect_calm(const struct host_result *result)
{
    result_now = result;
    for (size_t n = 0; n < result->node_count; n++) {
        const struct host_node *node = &result->nodes[n];
        expect(node->status == 0, "the stepd of %s ended with status %x", node->recorded->name,
               (unsigned)node->status);
        expect_hooks(node);
    }
    for (size_t i = 0; i < result->message_count; i++)
        expect_printable(&result->messages[i]);
    expect(result->printed == 0, "%zu bytes on stdout", result->printed);
}

void expect_launched(const struct host_result *result)
{
    expect_calm(result);
    for (size_t n = 0; n < result->node_count; n++) {
        const struct host_node *node = &result->nodes[n];
        const struct host_calls *end = &node->calls[HOST_TASK_EXIT];
        expect(end->kills == 0, "%s ended the step", node->recorded->name);
        expect(end->questions + end->claims + end->requeues == 0, "%s asked slurmctld",
               node->recorded->name);
        for (size_t t = 0; t < node->task_count; t++)
            expect(node->tasks[t].returned && node->tasks[t].status == 0,
                   "task %zu of %s ended with status %x", t, node->recorded->name,
                   (unsigned)node->tasks[t].status);
    }
}

void expect_nothing_done(const struct host_result *result)
{
    expect_launched(result);
    expect_unchanged(result);
    expect_lines(result, 0);
    for (size_t n = 0; n < result->node_count; n++)
        for (int hook = HOST_INIT; hook < HOST_HOOKS; hook++)
            expect(result->nodes[n].calls[hook].sets == 0 &&
                       result->nodes[n].calls[hook].opens == 0 &&
                       result->nodes[n].calls[hook].binds == 0,
                   "%s of %s did something", host_hook_name(hook), result->nodes[n].recorded->name);
}

static unsigned count(const struct host_result *result, bool binds)
{
    unsigned sum = 0;
    for (size_t n = 0; n < result->node_count; n++)
        for (int hook = HOST_INIT; hook < HOST_HOOKS; hook++)
            sum += binds ? result->nodes[n].calls[hook].binds : result->nodes[n].calls[hook].opens;
    return sum;
}

unsigned expect_count_opens(const struct host_result *result)
{
    return count(result, false);
}

unsigned expect_count_binds(const struct host_result *result)
{
    return count(result, true);
}

/* ---------------------------------------------------------------- lines */

void expect_lines(const struct host_result *result, size_t wanted)
{
    result_now = result;
    expect(result->message_count == wanted, "%zu lines, expected %zu", result->message_count,
           wanted);
}

void expect_line_of_rank_0(const struct host_result *result, const char *text)
{
    expect_lines(result, 1);
    const struct host_message *message = &result->messages[0];
    expect(message->hook == HOST_TASK_INIT && message->node == 0 && message->task == 0,
           "not rank 0 spoke");
    expect(message->kind == HOST_ERROR, "srun would not show the line");
    expect(strstr(message->text, text) != NULL, "no '%s' in the line", text);
}

/* ---------------------------------------------------------------- variables */

const char *variable(const struct host_node *node, size_t task, const char *name)
{
    return task_env_get(&node->tasks[task].env, name);
}

void expect_variable(const struct host_node *node, size_t task, const char *name, const char *value)
{
    const char *found = variable(node, task, name);
    expect(found ? value && strcmp(found, value) == 0 : !value,
           "%s in task %zu of %s is %.200s, expected %.200s", name, task, node->recorded->name,
           found ? found : "not set", value ? value : "not set");
}

void expect_number(const struct host_node *node, size_t task, const char *name, unsigned long value)
{
    char text[32];
    snprintf(text, sizeof text, "%lu", value);
    expect_variable(node, task, name, text);
}

void expect_kept(const struct host_node *node, size_t task)
{
    const struct task_env *recorded = &node->recorded->tasks[task].env;
    for (size_t i = 0; i < recorded->count; i++) {
        char *entry = recorded->entries[i];
        size_t length = strcspn(entry, "=");
        char *name = must(strndup(entry, length));
        expect_variable(node, task, name, entry + length + 1);
        free(name);
    }
}

void expect_unchanged(const struct host_result *result)
{
    result_now = result;
    for (size_t n = 0; n < result->node_count; n++)
        for (size_t t = 0; t < result->nodes[n].task_count; t++) {
            const struct host_node *node = &result->nodes[n];
            expect(node->tasks[t].env.count == node->recorded->tasks[t].env.count,
                   "task %zu of %s has %zu variables, expected %zu", t, node->recorded->name,
                   node->tasks[t].env.count, node->recorded->tasks[t].env.count);
            expect_kept(node, t);
        }
}

/* ---------------------------------------------------------------- by the recording */

static uint32_t recorded_step(const struct recorded_node *node)
{
    return node->user_init.items[S_JOB_STEPID].value;
}

bool recorded_is_step(const struct recorded_node *node)
{
    return recorded_step(node) != BATCH_STEP && recorded_step(node) != INTERACTIVE_STEP;
}

/* Slurm's own word about this task; a recording without it is no recording of a task. */
static const char *slurm(const struct host_node *node, size_t task, const char *name)
{
    const char *value = recorded_env(node->recorded, task, name);
    expect(value != NULL, "the recording has no %s", name);
    return value;
}

static unsigned long recorded_tasks(const struct host_result *result)
{
    unsigned long sum = 0;
    for (size_t n = 0; n < result->node_count; n++)
        sum += result->nodes[n].recorded->task_count;
    return sum;
}

static unsigned long lowest_rank(const struct host_node *node)
{
    unsigned long lowest = ULONG_MAX;
    for (size_t t = 0; t < node->task_count; t++) {
        unsigned long rank = strtoul(slurm(node, t, "SLURM_PROCID"), NULL, 10);
        lowest = rank < lowest ? rank : lowest;
    }
    return lowest;
}

/* Nodes are ranked by their first task, whatever Slurm's lists say. */
static size_t node_rank(const struct host_result *result, const struct host_node *node)
{
    size_t rank = 0;
    for (size_t n = 0; n < result->node_count; n++)
        rank += lowest_rank(&result->nodes[n]) < lowest_rank(node);
    return rank;
}

static const struct host_node *node_of_rank(const struct host_result *result, size_t rank)
{
    size_t n = 0;
    while (n + 1 < result->node_count && node_rank(result, &result->nodes[n]) != rank)
        n++;
    return &result->nodes[n];
}

/* "a,b,c" of all nodes by rank; addresses where wanted. */
static void join(const struct host_result *result, bool addresses, char *text, size_t size)
{
    *text = '\0';
    for (size_t n = 0; n < result->node_count; n++) {
        const char *name = node_of_rank(result, n)->recorded->name;
        size_t length = strlen(text);
        snprintf(text + length, size - length, "%s%s", n ? "," : "",
                 addresses ? world_address(name) : name);
    }
}

/* DESIGN's rule for the port of a step, or what srun --resv-ports gave. */
static unsigned long expected_port(const struct host_node *node, size_t task)
{
    const char *reserved = recorded_env(node->recorded, task, "SLURM_STEP_RESV_PORTS");
    /* The item is the component's own in a heterogeneous job. */
    uint64_t job = strtoul(slurm(node, task, "SLURM_JOB_ID"), NULL, 10);
    if (reserved)
        return strtoul(reserved, NULL, 10);
    return 61000 + (job + 619 * (uint64_t)recorded_step(node->recorded)) % 4536;
}

static void expect_primary(const struct host_node *node, size_t task, const char *primary)
{
    const char *port = variable(node, task, "PRIMARY_PORT");
    char text[128];
    expect_variable(node, task, "PRIMARY_ADDR", primary);
    expect_variable(node, task, "MASTER_ADDR", primary);
    expect_variable(node, task, "PRIMARY_IP", primary);
    expect(port && atoi(port) >= 61000 && atoi(port) <= 65535, "PRIMARY_PORT is %s",
           port ? port : "not set");
    expect_variable(node, task, "MASTER_PORT", port);
    snprintf(text, sizeof text, "%s:%s", primary, port);
    expect_variable(node, task, "HOST_NODE_ADDR", text);
    expect_variable(node, task, "NCCL_SOCKET_IFNAME", "=eth1");
    expect_variable(node, task, "GLOO_SOCKET_IFNAME", "eth1");
    expect_variable(node, task, "TP_SOCKET_IFNAME", "eth1");
}

static void expect_ranks(const struct host_result *result, const struct host_node *node,
                         size_t task)
{
    expect_variable(node, task, "RANK", slurm(node, task, "SLURM_PROCID"));
    expect_number(node, task, "WORLD_SIZE", recorded_tasks(result));
    expect_variable(node, task, "LOCAL_RANK", slurm(node, task, "SLURM_LOCALID"));
    expect_number(node, task, "LOCAL_WORLD_SIZE", node->recorded->task_count);
    expect_number(node, task, "GROUP_RANK", node_rank(result, node));
}

static const char *expected_trainers(const struct host_node *node, size_t task)
{
    static char tasks[32];
    const char *gpus = recorded_env(node->recorded, task, "SLURM_GPUS_ON_NODE");
    snprintf(tasks, sizeof tasks, "%zu", node->recorded->task_count);
    return gpus ? gpus : tasks;
}

/* torchrun's, where each node has one task. */
static void expect_torchrun(const struct host_result *result, const struct host_node *node,
                            size_t task, const char *primary)
{
    char nodes[32];
    bool wanted = recorded_tasks(result) == result->node_count;
    snprintf(nodes, sizeof nodes, "%zu", result->node_count);
    expect_variable(node, task, "PET_NNODES", wanted ? nodes : NULL);
    expect_variable(node, task, "PET_NODE_RANK", wanted ? variable(node, task, "NODE_RANK") : NULL);
    expect_variable(node, task, "PET_NPROC_PER_NODE",
                    wanted ? expected_trainers(node, task) : NULL);
    expect_variable(node, task, "PET_MASTER_ADDR", wanted ? primary : NULL);
    expect_variable(node, task, "PET_MASTER_PORT",
                    wanted ? variable(node, task, "PRIMARY_PORT") : NULL);
}

static void expect_place(const struct host_result *result, const struct host_node *node,
                         size_t task)
{
    char names[512], addresses[512];
    const char *own = world_address(node->recorded->name);
    join(result, false, names, sizeof names);
    join(result, true, addresses, sizeof addresses);
    expect_number(node, task, "NUM_NODES", result->node_count);
    expect_number(node, task, "NODE_RANK", node_rank(result, node));
    expect_variable(node, task, "NODE_ADDR", own);
    expect_variable(node, task, "CLUSTER_IP", own);
    expect_variable(node, task, "CLUSTER_NODES", names);
    expect_variable(node, task, "CLUSTER_IPS", addresses);
    expect_number(node, task, "SKYPILOT_NUM_NODES", result->node_count);
    expect_number(node, task, "SKYPILOT_NODE_RANK", node_rank(result, node));
    expect_variable(node, task, "NUM_TRAINERS", expected_trainers(node, task));
    expect_variable(node, task, "SKYPILOT_NUM_GPUS_PER_NODE", expected_trainers(node, task));
}

static void expect_step_task(const struct host_result *result, const struct host_node *node,
                             size_t task)
{
    const char *primary = world_address(node_of_rank(result, 0)->recorded->name);
    char text[128];
    unsigned long port = expected_port(node, task);
    expect_number(node, task, "PRIMARY_PORT", port);
    expect_primary(node, task, primary);
    expect_place(result, node, task);
    expect_ranks(result, node, task);
    expect_torchrun(result, node, task, primary);
    snprintf(text, sizeof text, "%s:%lu", primary, port == 65535 ? 61000 : port + 1);
    expect_variable(node, task, "JAX_COORDINATOR_ADDRESS", text);
    snprintf(text, sizeof text, "%s.%u", slurm(node, task, "SLURM_JOB_ID"),
             recorded_step(node->recorded));
    expect_variable(node, task, "CLUSTER_ENV_STEP", text);
}

/* A batch script or an interactive shell describes the job; nothing in it may differ per task. */
static void expect_job(const struct host_node *node)
{
    static const char *const never[] = {
        "RANK",       "WORLD_SIZE",    "LOCAL_RANK",         "LOCAL_WORLD_SIZE", "GROUP_RANK",
        "PET_NNODES", "PET_NODE_RANK", "PET_NPROC_PER_NODE", "PET_MASTER_ADDR",  "PET_MASTER_PORT",
    };
    static const char *const per_node[] = {
        "NODE_RANK",          "NODE_ADDR",         "CLUSTER_IP",
        "SKYPILOT_NODE_RANK", "SKYPILOT_NODE_IPS", "JAX_COORDINATOR_ADDRESS",
    };
    unsigned long nodes = strtoul(slurm(node, 0, "SLURM_JOB_NUM_NODES"), NULL, 10);
    /* A batch script runs on the job's first node. */
    expect_primary(node, 0, world_address(node->recorded->name));
    expect_number(node, 0, "NUM_NODES", nodes);
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        expect_variable(node, 0, never[i], NULL);
    for (size_t i = 0; i < sizeof per_node / sizeof *per_node; i++)
        expect((variable(node, 0, per_node[i]) != NULL) == (nodes == 1),
               "%s in a job of %lu nodes: %s", per_node[i], nodes, nodes == 1 ? "not set" : "set");
}

void expect_recorded(const struct host_result *result)
{
    result_now = result;
    for (size_t n = 0; n < result->node_count; n++)
        for (size_t t = 0; t < result->nodes[n].task_count; t++) {
            if (recorded_is_step(result->nodes[n].recorded))
                expect_step_task(result, &result->nodes[n], t);
            else
                expect_job(&result->nodes[n]);
        }
}

/* Was the option on?  By the last callback; in a batch step that got none, by the variable. */
static bool recorded_wanted(const struct recorded_node *node)
{
    const char *text = recorded_env(node, SIZE_MAX, OPTION_VARIABLE);
    if (node->callback_count > 0)
        text = node->callbacks[node->callback_count - 1];
    else if (recorded_step(node) != BATCH_STEP || !text)
        return false;
    return !text || strcmp(text, "off") != 0;
}

/* Only srun knows the order of -m arbitrary, and it did not say. */
static bool recorded_refused(const struct recorded_node *node)
{
    const char *distribution = recorded_env(node, SIZE_MAX, "SLURM_DISTRIBUTION");
    return recorded_is_step(node) && distribution && strcmp(distribution, "arbitrary") == 0 &&
           !recorded_env(node, SIZE_MAX, HOST_LAYOUT_VARIABLE);
}

/* The one thing that rank 0 may have to say of a step that is as it should be. */
static size_t recorded_lines(const struct recorded_node *node)
{
    const char *gpus = recorded_env(node, 0, "SLURM_GPUS_ON_NODE");
    const char *visible = recorded_env(node, 0, "CUDA_VISIBLE_DEVICES");
    size_t seen = visible && *visible;
    for (; visible && *visible; visible++)
        seen += *visible == ',';
    return recorded_is_step(node) && gpus && visible && seen < strtoul(gpus, NULL, 10) &&
           seen < node->task_count;
}

/* Items that this plugin does not know are told by the callback. */
static size_t count_complaints(const struct host_result *result)
{
    size_t count = 0;
    for (size_t i = 0; i < result->message_count; i++)
        count +=
            result->messages[i].kind == HOST_ERROR && result->messages[i].hook != HOST_CALLBACK;
    return count;
}

void expect_as_recorded(const struct host_result *result)
{
    const struct recorded_node *first = result->nodes[0].recorded;
    if (!recorded_wanted(first)) {
        expect_nothing_done(result);
        return;
    }
    if (recorded_refused(first)) {
        expect_calm(result);
        expect_lines(result, result->node_count);
        return;
    }
    expect_launched(result);
    expect_recorded(result);
    expect(count_complaints(result) == recorded_lines(first), "%zu lines, expected %zu",
           count_complaints(result), recorded_lines(first));
    for (size_t n = 0; n < result->node_count; n++)
        for (size_t t = 0; t < result->nodes[n].task_count; t++)
            expect_kept(&result->nodes[n], t);
}

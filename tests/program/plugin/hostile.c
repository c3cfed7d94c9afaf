/* SPDX-License-Identifier: Apache-2.0 */
/* Environments that somebody made to do harm: the hooks return 0, the lines are clean, the step
 * either runs with its own ranks or is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/plugin/cases.h"
#include "program/plugin/expect.h"
#include "program/plugin/world.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))
enum { MIB = 1 << 20 };

/* Does each task either come to its command with its own rank, or leave with status 1? */
static void expect_own_ranks_or_refusal(const struct host_result *result, bool refused)
{
    expect_calm(result);
    for (size_t n = 0; n < result->node_count; n++)
        for (size_t t = 0; t < result->nodes[n].task_count; t++) {
            const struct host_node *node = &result->nodes[n];
            expect(node->tasks[t].status == (refused ? 1 << 8 : 0) &&
                       node->tasks[t].returned == !refused,
                   "task %zu of %s ended with status %x", t, node->recorded->name,
                   (unsigned)node->tasks[t].status);
            if (!refused)
                expect_variable(node, t, "RANK", recorded_env(node->recorded, t, "SLURM_PROCID"));
        }
}

static void run_with(struct recording *recording, const char *name, const char *value, bool refused)
{
    struct host_setup setup = world_setup(recording);
    recording_set(recording, name, value);
    struct host_result *result = host_run(&setup);
    expect_own_ranks_or_refusal(result, refused);
    expect(refused == (result->nodes[0].calls[HOST_TASK_EXIT].kills > 0), "%s=%.40s", name,
           value ? value : "(unset)");
    expect_done(result);
}

/* ---------------------------------------------------------------- values */

struct hostile {
    const char *name, *value;
    bool refused;
};

static const struct hostile *hostile_now;

static void run_hostile(struct recording *recording)
{
    run_with(recording, hostile_now->name, hostile_now->value, hostile_now->refused);
}

static void run_table(const struct hostile *table, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hostile_now = &table[i];
        world_one_series("srun-1x4", run_hostile);
    }
}

static void node_lists(void **state)
{
    static const struct hostile table[] = {
        {"SLURM_STEP_NODELIST", "", true},
        {"SLURM_STEP_NODELIST", ",", true},
        {"SLURM_STEP_NODELIST", "n[1-[2-3]]", true},
        {"SLURM_STEP_NODELIST", "n[[1]]", true},
        {"SLURM_STEP_NODELIST", "n[1-", true},
        {"SLURM_STEP_NODELIST", "n]1[", true},
        {"SLURM_STEP_NODELIST", "n[9-1]", true},
        {"SLURM_STEP_NODELIST", "n[1-99999999999999999999]", true},
        {"SLURM_STEP_NODELIST", "n[0-999999999]", true},
        {"SLURM_STEP_NODELIST", "a[1-9][1-9][1-9][1-9][1-9][1-9][1-9][1-9][1-9][1-9]", true},
        {"SLURM_STEP_NODELIST", "%n%n%n%s", true},
        {"SLURM_STEP_NODELIST", "alpha,%n", true},
        {"SLURM_STEP_NODELIST", "\x1b[2J\x07\r\n\x9b", true},
        {"SLURM_STEP_NODELIST", "alpha;reboot", true},
        {"SLURM_STEP_NODELIST", "$(reboot)", true},
        {"SLURM_STEP_NODELIST", "alpha n9", true},
        {"SLURM_STEP_NODELIST", "../../etc/passwd", true},
    };
    (void)state;
    run_table(table, LENGTH(table));
}

static void numbers(void **state)
{
    static const struct hostile table[] = {
        {"SLURM_PROCID", "-1", true},
        {"SLURM_PROCID", "4294967296", true},
        {"SLURM_PROCID", " 1", true},
        {"SLURM_PROCID", "%n", true},
        {"SLURM_PROCID", "\x1b[2J", true},
        {"SLURM_NODEID", "4", true},
        {"SLURM_NODEID", "4294967295", true},
        {"SLURM_LOCALID", "99999999999999999999", true},
        {"SLURM_STEP_NUM_TASKS", "four", true},
        {"SLURM_STEP_NUM_TASKS", NULL, true},
        {"SLURM_GPUS_ON_NODE", "-8", false},
        {"SLURM_GPUS_ON_NODE", "%n", false},
        {"SLURM_GTIDS", ",,,,", true},
        {"SLURM_GTIDS", "", true},
        {"SLURM_GTIDS", NULL, true},
        {"SLURM_GTIDS", "0,1,2,3", true},
        {"SLURM_STEP_TASKS_PER_NODE", "4(x4)", true},
        {"SLURM_DISTRIBUTION", "%n", false},
        {"SLURM_STEP_RESV_PORTS", "%n-", false},
        {"SLURM_STEP_RESV_PORTS", "99999999", false},
        {"SLURM_STEP_TASKS_PER_NODE", "4(x99999999999)", false},
    };
    (void)state;
    run_table(table, LENGTH(table));
}

static void other_values(void **state)
{
    static const struct hostile table[] = {
        {"SLURMD_NODENAME", "%n%s", true},
        {"SLURMD_NODENAME", "\x1b[2J\n", true},
        {"SLURMD_NODENAME", NULL, false},
        {"MASTER_PORT", "%n$(reboot)\x1b[2J", false},
        {"MASTER_PORT", "0", false},
        {"MASTER_PORT", "", false},
        {"CLUSTER_ENV_SET", "RANK:,:,,,RANK:zzzzzzzz,%n", false},
        {"CLUSTER_ENV_STEP", "%n.%n", false},
        {"CLUSTER_ENV_OPTION", "off", false},
        {"NCCL_SOCKET_IFNAME", "%n", false},
        {"NCCL_CONF_FILE", "/dev/zero", false},
        {"NCCL_CONF_FILE", "/", false},
        {"HOME", "", false},
        {"HOME", "%n", false},
        {"HOME", NULL, false},
        {"CUDA_VISIBLE_DEVICES", ",,,,", false},
        {"CUDA_VISIBLE_DEVICES", "", false},
    };
    (void)state;
    run_table(table, LENGTH(table));
}

/* ---------------------------------------------------------------- sizes */

static char *repeat(const char *part, size_t size)
{
    size_t length = strlen(part);
    char *text = must(malloc(size + 1));
    for (size_t i = 0; i < size; i++)
        text[i] = part[i % length];
    text[size] = '\0';
    return text;
}

static void huge_values(void **state)
{
    static const struct {
        const char *name, *part;
        bool refused;
    } rows[] = {
        {"SLURM_STEP_NODELIST", "x", true},
        {"SLURM_STEP_NODELIST", "n1,", true},
        {"SLURM_STEP_NODELIST", "[", true},
        {"SLURM_STEP_NODELIST", "n[1-9]", true},
        {"SLURMD_NODENAME", "x", true},
        {"SLURM_PROCID", "9", true},
        {"SLURM_GTIDS", "1,", true},
        {"CUDA_VISIBLE_DEVICES", "GPU-1,", false},
        {"CLUSTER_ENV_SET", "RANK:0,", false},
        {"MASTER_PORT", "1", false},
        {"HOME", "/x", false},
        {"NCCL_CONF_FILE", "x", false},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char *value = repeat(rows[i].part, MIB);
        const struct hostile row = {rows[i].name, value, rows[i].refused};
        run_table(&row, 1);
        free(value);
    }
}

/* 60,000 names are more than a variable can hold; one line says so, the rest is set. */
static void long_list_in(struct recording *recording)
{
    struct host_setup setup = world_setup(recording);
    recording_set(recording, "SLURM_STEP_NODELIST", "alpha,n[9-10],zeta1,rack[1-6]node[0001-9999]");
    struct host_result *result = host_run(&setup);
    expect_launched(result);
    expect_own_ranks_or_refusal(result, false);
    for (size_t n = 0; n < result->node_count; n++) {
        const struct host_node *node = &result->nodes[n];
        expect_variable(node, 0, "NUM_NODES", "59998");
        expect_variable(node, 0, "CLUSTER_NODES", NULL);
        expect_variable(node, 0, "MASTER_ADDR", world_address(recording->nodes[0].name));
        for (size_t i = 0; i < node->tasks[0].env.count; i++)
            expect(strlen(node->tasks[0].env.entries[i]) < 131072, "%.40s is too long to exec",
                   node->tasks[0].env.entries[i]);
    }
    /* One line about the book, which knows few of them, and one about the list. */
    expect_lines(result, 2);
    for (size_t i = 0; i < result->message_count; i++)
        expect(result->messages[i].node == 0, "not only rank 0 spoke");
    expect_done(result);
}

static void long_list(void **state)
{
    (void)state;
    world_one_series("srun-1x4", long_list_in);
}

static void many_variables_in(struct recording *recording)
{
    struct host_setup setup = world_setup(recording);
    char entry[64];
    for (size_t n = 0; n < recording->node_count; n++)
        for (size_t i = 0; i < 100000; i++) {
            snprintf(entry, sizeof entry, "HOSTILE_%zu=%zu", i, i);
            task_env_append(&recording->nodes[n].user_init.env, entry);
            task_env_append(&recording->nodes[n].tasks[0].env, entry);
        }
    struct host_result *result = host_run(&setup);
    expect_launched(result);
    for (size_t n = 0; n < result->node_count; n++) {
        expect_variable(&result->nodes[n], 0, "RANK",
                        recorded_env(&recording->nodes[n], 0, "SLURM_PROCID"));
        expect_variable(&result->nodes[n], 0, "HOSTILE_99999", "99999");
        expect(result->nodes[n].tasks[0].env.count > recording->nodes[n].tasks[0].env.count,
               "variables were lost");
    }
    expect_done(result);
}

static void many_variables(void **state)
{
    (void)state;
    world_one_series("srun-1x4", many_variables_in);
}

/* "=x", "x", "": entries that are no variables at all. */
static void odd_entries_in(struct recording *recording)
{
    static const char *const entries[] = {"", "=", "=RANK=9", "RANK", "SLURM_PROCID", "\x01=\x02"};
    struct host_setup setup = world_setup(recording);
    for (size_t n = 0; n < recording->node_count; n++)
        for (size_t i = 0; i < LENGTH(entries); i++) {
            task_env_append(&recording->nodes[n].user_init.env, entries[i]);
            task_env_append(&recording->nodes[n].tasks[0].env, entries[i]);
        }
    struct host_result *result = host_run(&setup);
    expect_launched(result);
    expect_own_ranks_or_refusal(result, false);
    expect_done(result);
}

static void odd_entries(void **state)
{
    (void)state;
    world_one_series("srun-1x4", odd_entries_in);
}

const struct plugin_case hostile_cases[] = {
    {"node lists that are none are refused", node_lists},
    {"numbers that are none are refused, or pass where nothing hangs on them", numbers},
    {"names, ports, markers and paths that are none do no harm", other_values},
    {"entries that are no variables are passed over", odd_entries},
    {"a list too long for a variable is left out", long_list},
    {"values of 1 MiB do no harm", huge_values},
    {"100,000 variables stay, ours are added", many_variables},
    {NULL, NULL},
};

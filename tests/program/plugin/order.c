/* SPDX-License-Identifier: Apache-2.0 */
/* -m arbitrary: srun asks Slurm once for the true order of the nodes and hands it on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/plugin/cases.h"
#include "program/plugin/expect.h"
#include "program/plugin/world.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* A host file "zeta1 alpha zeta1 n9": Slurm's list is sorted, rank 0 is on the last node. */
static const struct host_layout layout = {
    .node_list = "alpha,n9,zeta1",
    .node_count = 3,
    .tasks = {1, 1, 2},
    .ranks = {{1}, {3}, {0, 2}},
};

/* ---------------------------------------------------------------- in srun */

static const struct host_calls *srun_hook(const struct host_result *result)
{
    return &result->nodes[0].calls[HOST_LOCAL_USER_INIT];
}

static struct host_result *run_srun(struct recording *recording, const char *distribution,
                                    const char *option, const struct host_layout *answer)
{
    struct host_setup setup = world_setup(recording);
    setup.context = S_CTX_LOCAL;
    setup.layout = answer;
    recording_set(recording, "SLURM_DISTRIBUTION", distribution);
    recording_set_callbacks(recording, option != NULL, &option);
    recording->node_count = 1; /* one srun */
    struct host_result *result = host_run(&setup);
    expect_calm(result);
    return result;
}

static void srun_asks_in(struct recording *recording)
{
    char expected[128];
    size_t nodes = recording->node_count;
    struct host_result *result = run_srun(recording, "arbitrary", "on", &layout);
    const struct recorded_item *items = recording->nodes[0].user_init.items;
    snprintf(expected, sizeof expected, "%u.%u:zeta1,alpha,n9:0,1,2", items[S_JOB_ID].value,
             items[S_JOB_STEPID].value);
    expect(strcmp(result->nodes[0].layout, expected) == 0, "handed on '%s', expected '%s'",
           result->nodes[0].layout, expected);
    expect(srun_hook(result)->layouts == 1, "asked %u times", srun_hook(result)->layouts);
    expect_lines(result, 0);
    expect_done(result);
    recording->node_count = nodes;
}

static void srun_asks(void **state)
{
    (void)state;
    world_each_series("srun-1x4", srun_asks_in);
}

static void srun_does_not_ask_in(struct recording *recording)
{
    static const struct {
        const char *distribution, *option;
    } rows[] = {
        {NULL, "on"}, {"block", "on"}, {"cyclic", "on"}, {"arbitrary", "off"}, {"arbitrary", NULL}};
    size_t nodes = recording->node_count;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct host_result *result =
            run_srun(recording, rows[i].distribution, rows[i].option, &layout);
        expect(srun_hook(result)->layouts == 0, "asked with %s",
               rows[i].distribution ? rows[i].distribution : "no distribution");
        expect(!result->nodes[0].layout[0], "handed on '%s'", result->nodes[0].layout);
        expect_lines(result, 0);
        expect_done(result);
    }
    recording->node_count = nodes;
}

static void srun_does_not_ask(void **state)
{
    (void)state;
    world_each_series("srun-1x4", srun_does_not_ask_in);
}

static void srun_gets_no_answer_in(struct recording *recording)
{
    static const struct host_layout odd[] = {
        {.node_list = "n[1-", .node_count = 1},
        {.node_list = "alpha,n9", .node_count = 3},
    };
    const struct host_layout *const answers[] = {NULL, &odd[0], &odd[1]};
    size_t nodes = recording->node_count;
    for (size_t i = 0; i < LENGTH(answers); i++) {
        struct host_result *result = run_srun(recording, "arbitrary", "on", answers[i]);
        expect_lines(result, 1);
        expect(!result->nodes[0].layout[0], "handed on '%s'", result->nodes[0].layout);
        expect_done(result);
    }
    recording->node_count = nodes;
}

static void srun_gets_no_answer(void **state)
{
    (void)state;
    world_each_series("srun-1x4", srun_gets_no_answer_in);
}

/* ---------------------------------------------------------------- in the stepd */

static void rank_nodes(struct recording *recording, const char *const *ranks)
{
    for (size_t n = 0; n < recording->node_count; n++) {
        struct recorded_hook *task = &recording->nodes[n].tasks[0];
        task->items[S_TASK_GLOBAL_ID].value = (uint32_t)strtoul(ranks[n], NULL, 10);
        task_env_set(&task->env, "SLURM_PROCID", ranks[n]);
        task_env_set(&task->env, "SLURM_GTIDS", ranks[n]);
    }
    recording_set(recording, "SLURM_DISTRIBUTION", "arbitrary");
}

/* The ranks run against the list of nodes. */
static void order_arrives_in(struct recording *recording)
{
    static const char *const ranks[] = {"3", "2", "1", "0"};
    const struct recorded_item *items = recording->nodes[0].user_init.items;
    char order[128];
    snprintf(order, sizeof order, "%u.%u:zeta1,n10,n9,alpha:0,1(x3)", items[S_JOB_ID].value,
             items[S_JOB_STEPID].value);
    rank_nodes(recording, ranks);
    recording_set(recording, HOST_LAYOUT_VARIABLE, order);
    struct host_setup setup = world_setup(recording);
    struct host_result *result = host_run(&setup);
    expect_launched(result);
    expect_recorded(result);
    expect_lines(result, 0);
    expect_variable(&result->nodes[0], 0, "PRIMARY_ADDR", world_address("zeta1"));
    expect_done(result);
}

static void order_arrives(void **state)
{
    (void)state;
    world_each_series("srun-1x4", order_arrives_in);
}

/* Of another step, of other nodes, or nonsense: as if there were none. */
static void wrong_order_arrives_in(struct recording *recording)
{
    static const char *const orders[] = {
        "1.0:zeta1,n10,n9,alpha:0,1(x3)",
        "4322.0:zeta1,n10,n9,alpha:0,1(x3)",
        "4321.1:zeta1,n10,n9,alpha:0,1(x3)",
        "4321.00:zeta1,n10,n9,alpha:0,1(x3)",
        "4321.0:zeta1,n10,n9:0,1(x2)",
        "4321.0:zeta1,n10,n9,beta:0,1(x3)",
        "4321.0:zeta1,zeta1,zeta1,zeta1:0,1(x3)",
        "4321.0:zeta1,n10,n9,alpha,alpha:0,1(x4)",
        "4321.0:zeta1,n10,n9,alpha",
        "4321.0:zeta1,n10,n9,alpha:1(x4)",
        "4321.0:zeta1,n10,n9,alpha:0,1(x2)",
        "4321.0:alpha,n9,n10,zeta1:0,1(x3)",
        "4321.0:",
        "4321.0",
        "",
        "%n%s:\x1b[2J",
        "4321.0:n[1-",
    };
    static const char *const ranks[] = {"3", "2", "1", "0"};
    rank_nodes(recording, ranks);
    for (size_t i = 0; i < LENGTH(orders); i++) {
        recording_set(recording, HOST_LAYOUT_VARIABLE, orders[i]);
        struct host_setup setup = world_setup(recording);
        struct host_result *result = host_run(&setup);
        expect_calm(result);
        expect_lines(result, result->node_count);
        for (size_t n = 0; n < result->node_count; n++)
            expect(!result->nodes[n].tasks[0].returned &&
                       result->nodes[n].calls[HOST_TASK_EXIT].kills == HOST_KILL_REQUESTS,
                   "'%s' was believed on %s", orders[i], recording->nodes[n].name);
        expect_done(result);
    }
}

static void wrong_order_arrives(void **state)
{
    (void)state;
    world_each_series("srun-1x4", wrong_order_arrives_in);
}

const struct plugin_case order_cases[] = {
    {"srun asks once for the layout of -m arbitrary and hands it on", srun_asks},
    {"srun asks nothing for other distributions, or without the option", srun_does_not_ask},
    {"srun says so where it gets no answer", srun_gets_no_answer},
    {"the order that srun handed on counts", order_arrives},
    {"an order of another step or of other nodes is refused", wrong_order_arrives},
    {NULL, NULL},
};

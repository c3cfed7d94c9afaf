/* SPDX-License-Identifier: Apache-2.0 */
#include "survey/visit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/cleanup.h"

enum { ARGUMENTS_MAX = 32, HELP_MAX = 1 << 20, OUTPUT_MAX = 4 << 20, GRACE_MS = 10000 };

/* The command line of one node's srun. */
struct command {
    char *argv[ARGUMENTS_MAX];
    char node[16 + 256], partition[16 + 256];
};

/* ---------------------------------------------------------------- the environment */

/* Of a job that this runs in, srun must know nothing: it would make a step of it.  What an admin
 * sets for srun to get in at all stays. */
static bool is_for_srun(const char *entry)
{
    static const char *const kept[] = {
        "SLURM_CONF=",        "SLURM_CONF_SERVER=", "SLURM_ACCOUNT=", "SLURM_PARTITION=",
        "SLURM_RESERVATION=", "SLURM_QOS=",         "SLURM_WCKEY=",   "SLURM_JWT="};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (strncmp(entry, kept[i], strlen(kept[i])) == 0)
            return true;
    return strncmp(entry, "SLURM", 5) != 0;
}

static char **srun_environment(char *const *envp)
{
    size_t count = 0, kept = 0;
    while (envp[count])
        count++;
    char **clean = calloc(count + 1, sizeof *clean);
    for (size_t i = 0; clean && i < count; i++)
        if (is_for_srun(envp[i]))
            clean[kept++] = envp[i];
    return clean;
}

static bool has_variable(char *const *envp, const char *prefix)
{
    for (; *envp; envp++)
        if (strncmp(*envp, prefix, strlen(prefix)) == 0)
            return true;
    return false;
}

/* ---------------------------------------------------------------- the command line */

/* Where the plugin is on by default, a stale book would refuse the very step that mends it. */
static bool srun_knows_option(const struct ce_ask *ask)
{
    char *argv[] = {(char *)"srun", (char *)"--help", NULL};
    struct ce_child child = {.argv = argv, .deadline_ms = ask->timeout_ms, .output_max = HELP_MAX};
    ce_children_run(&child, 1, &(struct ce_children_plan){.at_once = 1});
    bool known = strstr(ce_text_string(&child.output), "--cluster-env") != NULL;
    ce_child_free(&child);
    return known;
}

static void add_argument(struct command *command, const char *argument)
{
    size_t i = 0;
    while (command->argv[i])
        i++;
    if (i + 1 < ARGUMENTS_MAX)
        command->argv[i] = (char *)argument;
}

/* The wait is for sites whose slurmctld starts no job at once ("defer"). */
static void add_fixed(struct command *command, const struct ce_ask *ask, bool knows_option)
{
    static const char *const fixed[] = {
        "srun",      "--quiet",   "--immediate=3", "--nodes=1",    "--ntasks=1",
        "--time=1",  "--chdir=/", "--export=NONE", "--input=none", "--job-name=cluster-env",
        "--mpi=none"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        add_argument(command, fixed[i]);
    if (ask->privileged) /* else it fails at once where any job of that partition waits */
        add_argument(command, "--priority=TOP");
    if (knows_option)
        add_argument(command, "--cluster-env=off");
}

static void add_node(struct command *command, const struct ce_ask *ask,
                     const struct ce_roster_node *node, const char *const *words)
{
    snprintf(command->node, sizeof command->node, "--nodelist=%s", node->name);
    snprintf(command->partition, sizeof command->partition, "--partition=%s", node->partition);
    add_argument(command, command->node);
    if (*node->partition && !has_variable(ask->envp, "SLURM_PARTITION="))
        add_argument(command, command->partition);
    /* Without a number a job takes all memory, which a node at work does not have.  Nodes without
     * RealMemory have 1 MB, and cgroup.conf's MinRAMSpace is the least that is enforced. */
    if (strcmp(node->state, "mixed") == 0)
        add_argument(command, "--mem=1");
    add_argument(command, ask->command);
    while (*words)
        add_argument(command, *words++);
}

/* ---------------------------------------------------------------- asking */

/* A mixed node has room left. */
bool ce_visit_may_answer(const struct ce_roster_node *node)
{
    static const char *const states[] = {"idle", "mixed"};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (strcmp(node->state, states[i]) == 0)
            return true;
    return false;
}

/* All children of a visit, and whom each is about. */
struct round {
    const struct ce_ask *ask;
    const struct ce_visit *visit;
    struct command *commands;
    struct ce_child *children;
    size_t *places;
    size_t count, done;
};

static void free_round(struct round *round)
{
    for (size_t i = 0; i < round->count; i++)
        ce_child_free(&round->children[i]);
    free(round->commands);
    free(round->children);
    free(round->places);
}

static void add_question(struct round *round, size_t place, char *const *envp)
{
    round->places[round->count] = place;
    round->children[round->count] = (struct ce_child){
        .argv = round->commands[round->count].argv,
        .envp = envp,
        .deadline_ms = round->ask->timeout_ms,
        .grace_ms = GRACE_MS, /* srun cancels its job when it is asked to end */
        .output_max = OUTPUT_MAX,
    };
    round->count++;
}

static void count_one(void *ctx, const struct ce_child *child)
{
    struct round *round = ctx;
    (void)child;
    round->done++;
    if (round->ask->progress)
        round->ask->progress(round->ask->ctx, round->done, round->count);
}

/* In the roster's order, with the state as the reason of those that were not asked. */
static void tell_answers(const struct round *round, const struct ce_roster *roster)
{
    const struct ce_visit *visit = round->visit;
    struct ce_error err;
    size_t next = 0;
    for (size_t i = 0; i < ce_roster_count(roster); i++) {
        if (next == round->count || round->places[next] != i) {
            visit->missed(visit->ctx, i, ce_roster_at(roster, i)->state);
            continue;
        }
        const struct ce_child *child = &round->children[next++];
        if (ce_child_check(child, &err) < 0)
            visit->missed(visit->ctx, i, err.text);
        else
            visit->answered(visit->ctx, i, ce_text_string(&child->output));
    }
}

int ce_visit_nodes(const struct ce_ask *ask, const struct ce_roster *roster,
                   const struct ce_visit *visit, struct ce_error *err)
{
    size_t count = ce_roster_count(roster) + 1;
    ce_autofree char **envp = srun_environment(ask->envp);
    __attribute__((cleanup(free_round))) struct round round = {
        .ask = ask,
        .visit = visit,
        .commands = calloc(count, sizeof *round.commands),
        .children = calloc(count, sizeof *round.children),
        .places = calloc(count, sizeof *round.places),
    };
    bool knows_option = srun_knows_option(ask);
    if (!envp || !round.commands || !round.children || !round.places)
        return ce_fail(err, "no memory");
    for (size_t i = 0; i + 1 < count; i++) {
        if (!ce_visit_may_answer(ce_roster_at(roster, i)))
            continue;
        add_fixed(&round.commands[round.count], ask, knows_option);
        add_node(&round.commands[round.count], ask, ce_roster_at(roster, i), visit->words);
        add_question(&round, i, envp);
    }
    const struct ce_children_plan plan = {.at_once = ask->at_once,
                                          .total_ms = visit->total_ms,
                                          .ended = count_one,
                                          .ctx = &round};
    ce_children_run(round.children, round.count, &plan);
    tell_answers(&round, roster);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes by what they say themselves: a job of a moment on each, by srun. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "survey/questions.h"

enum { ARGUMENTS_MAX = 24, HELP_MAX = 1 << 20, GRACE_MS = 10000 };

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
                     const struct ce_roster_node *node)
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
    add_argument(command, "facts");
}

/* ---------------------------------------------------------------- asking */

/* Could a small job start there now?  A mixed node has room left. */
static bool may_answer(const struct ce_roster_node *node)
{
    static const char *const states[] = {"idle", "mixed"};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (strcmp(node->state, states[i]) == 0)
            return true;
    return false;
}

/* The record alone: a TaskProlog may print before it, a TaskEpilog behind it. */
static void take_facts(struct ce_draft_node *node, const char *output)
{
    static const char first[] = "format=1\n", last[] = "\nend=1\n";
    const char *begin = strstr(output, first), *end = begin ? strstr(begin, last) : NULL;
    struct ce_error err = {"not a word of it"};
    ce_autofree char *record = end ? strndup(begin, (size_t)(end - begin) + sizeof last - 1) : NULL;
    ce_auto(ce_node_destroy) struct ce_node *facts = record ? ce_node_parse(record, &err) : NULL;
    if (facts)
        ce_draft_facts(node, facts);
    else
        ce_draft_miss(node, "cluster-env facts was not understood: %s", err.text);
}

static void add_question(struct ce_questions *questions, struct ce_draft_node *node,
                         struct command *command, char *const *envp)
{
    struct ce_child *child = ce_questions_add(questions, node);
    child->argv = command->argv;
    child->envp = envp;
    child->grace_ms = GRACE_MS; /* srun cancels its job when it is asked to end */
}

int ce_ask_srun(const struct ce_ask *ask, const struct ce_roster *roster, struct ce_draft *draft,
                struct ce_error *err)
{
    ce_autofree struct command *commands = calloc(draft->count + 1, sizeof *commands);
    ce_autofree char **envp = srun_environment(ask->envp);
    ce_autoquestions struct ce_questions questions;
    bool knows_option = srun_knows_option(ask);
    if (ce_questions_init(&questions, ask, draft, err) < 0)
        return -1;
    if (!commands || !envp)
        return ce_fail(err, "no memory");
    for (size_t i = 0; i < draft->count; i++) {
        const struct ce_roster_node *node = ce_roster_at(roster, i);
        ce_draft_miss(&draft->nodes[i], "%s", node->state);
        if (!may_answer(node))
            continue;
        add_fixed(&commands[i], ask, knows_option);
        add_node(&commands[i], ask, node);
        add_question(&questions, &draft->nodes[i], &commands[i], envp);
    }
    ce_questions_run(&questions, take_facts);
    return 0;
}

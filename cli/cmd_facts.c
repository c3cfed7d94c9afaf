/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <stdbool.h>
#include <string.h>

#include "command.h"
#include "local/texts_write.h"
#include "health/check_names.h"
#include "health/machine.h"
#include "config/site.h"
#include "survey/own.h"

struct arguments {
    bool write;
    struct ce_machine machine;
    const char *run_dir;
    const char *config;
    const char *node_name;
};

enum { KEY_ROOT = 256, KEY_NODE, KEY_FACTS, KEY_HELPERS };

/* The run directory holds the facts of this machine, and its helpers say what it is. */
static void check_arguments(struct arguments *arguments, struct argp_state *state)
{
    struct ce_machine *machine = &arguments->machine;
    bool here = strcmp(machine->root, "/") == 0;
    if (machine->facts && (arguments->write || machine->helpers || !here))
        argp_error(state, "--facts goes without --write, --helpers and --root");
    if (arguments->write && here && !machine->helpers)
        machine->helpers = CE_HELPER_DIR;
    machine->run_dir = arguments->run_dir;
    machine->health = !arguments->write;
}

static error_t parse_argument(int key, char *arg, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    switch (key) {
    case 'w':
        arguments->write = true;
        return 0;
    case 'r':
        arguments->run_dir = arg;
        return 0;
    case 'c':
        arguments->config = arg;
        return 0;
    case KEY_FACTS:
        arguments->machine.facts = arg;
        return 0;
    case KEY_HELPERS:
        arguments->machine.helpers = arg ? arg : CE_HELPER_DIR;
        return 0;
    case KEY_ROOT:
        arguments->machine.root = arg;
        return 0;
    case KEY_NODE:
        return ce_take_node(state, arg, &arguments->node_name);
    case ARGP_KEY_END:
        check_arguments(arguments, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"write", 'w', NULL, 0, "write node.facts, node.policy and hosts into the run directory", 0},
    {"run", 'r', "DIR", 0, "the run directory (" CE_RUN_DIR ")", 0},
    {"config", 'c', "FILE", 0, "the configuration (" CE_CONFIG_FILE ", where it exists)", 0},
    {"node", KEY_NODE, "NAME", 0, "this node's name in Slurm (the host name up to its dot)", 0},
    {"root", KEY_ROOT, "DIR", 0, "read DIR/sys and DIR/proc instead of this machine's", 0},
    {"helpers", KEY_HELPERS, "DIR", OPTION_ARG_OPTIONAL,
     "ask libibverbs and hwloc too, by the helpers in DIR (" CE_HELPER_DIR "); --write does so", 0},
    {"facts", KEY_FACTS, "FILE", 0, "read a text like node.facts, and print it as we write it", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp argp = {
    .options = options,
    .parser = parse_argument,
    .doc = "Print the facts of this machine as key=value lines. With --write, as root: keep them, "
           "the policy of this node and the address book in " CE_RUN_DIR ", where "
           "srun --cluster-env reads them; cluster-env-facts.service does so at boot.",
};

/* A node that finds its own entry wrong is the first to know. */
static void warn_if_stale(const struct ce_node *node, const struct ce_policy *policy,
                          const struct ce_book *book, const char *path, const char *name)
{
    struct ce_error why, line;
    if (!ce_own_entry_is_stale(node, policy, book, name, &why))
        return;
    ce_fail(&line,
            "the address book %s is stale: %s; mend it with 'cluster-env addresses "
            "--write', then run 'cluster-env facts --write' as root on every node",
            path, why.text);
    ce_complain("facts", &line, CE_EXIT_OK);
}

/* What jobs read is well without it. */
static void warn_of_checks(const struct ce_site *site)
{
    struct ce_error why, line;
    if (ce_check_names_look(site, &why) == 0)
        return;
    ce_fail(&line, "%s; until that is mended no prolog checks this node", why.text);
    ce_complain("facts", &line, CE_EXIT_OK);
}

static int write_texts(const struct arguments *arguments, const struct ce_node *node,
                       struct ce_error *err)
{
    ce_autosite struct ce_site site;
    struct ce_config config;
    char name[256];
    const char *path;
    ce_machine_name(node, arguments->node_name, name, sizeof name);
    if (ce_site_open(arguments->config, &site, err) < 0)
        return CE_EXIT_USAGE;
    ce_site_config(&site, name, &config);
    ce_auto(ce_rules_destroy) struct ce_rules *rules = ce_site_rules(&site, name, err);
    ce_auto(ce_book_destroy) struct ce_book *book =
        rules ? ce_site_book(&config, &path, err) : NULL;
    if (!book)
        return CE_EXIT_USAGE;
    warn_of_checks(&site);
    warn_if_stale(node, &config.policy, book, path, name);
    if (ce_texts_write(arguments->run_dir, node, &config.policy, rules, book, err) < 0)
        return CE_EXIT_UNKNOWN;
    return CE_EXIT_OK;
}

int ce_cmd_facts(int argc, char **argv)
{
    struct arguments arguments = {.run_dir = CE_RUN_DIR, .machine.root = "/"};
    struct ce_notes notes = {.count = 0};
    struct ce_error err;
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    ce_auto(ce_node_destroy) struct ce_node *node =
        ce_machine_facts(&arguments.machine, NULL, &notes, &err);
    ce_print_notes("facts", &notes);
    if (!node)
        return ce_complain("facts", &err, CE_EXIT_UNKNOWN);
    if (arguments.write) {
        int status = write_texts(&arguments, node, &err);
        return status ? ce_complain("facts", &err, status) : CE_EXIT_OK;
    }
    ce_autotext struct ce_text out = CE_TEXT(CE_TEXT_MAX);
    ce_node_write(node, &out);
    return ce_print("facts", &out);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/root.h"
#include "command.h"
#include "config/config.h"
#include "health/check_names.h"
#include "launch/rails.h"
#include "launch/variables.h"
#include "health/machine.h"
#include "health/questions.h"
#include "probe/host_details.h"
#include "report/node_config.h"
#include "config/site.h"

struct arguments {
    bool example;
    bool from_node;
    const char *check;
    const char *node_name;
    struct ce_machine machine;
};

enum { KEY_NODE = 256, KEY_ROOT, KEY_FACTS };

static error_t parse_argument(int key, char *arg, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    switch (key) {
    case 'e':
        arguments->example = true;
        return 0;
    case 'f':
        arguments->from_node = true;
        return 0;
    case KEY_ROOT:
        arguments->machine.root = arg;
        return 0;
    case KEY_FACTS:
        arguments->machine.facts = arg;
        return 0;
    case 'c':
        arguments->check = arg ? arg : CE_CONFIG_FILE;
        return 0;
    case KEY_NODE:
        return ce_take_node(state, arg, &arguments->node_name);
    case ARGP_KEY_ARG:
        if (!arguments->check || state->arg_num > 0)
            return ARGP_ERR_UNKNOWN;
        arguments->check = arg;
        return 0;
    case ARGP_KEY_END:
        if (!arguments->example && !arguments->check && !arguments->from_node)
            argp_error(state, "say --example, --from-node or --check");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"example", 'e', NULL, 0, "print a configuration with every key, its default and meaning", 0},
    {"check", 'c', "FILE", OPTION_ARG_OPTIONAL,
     "read FILE (" CE_CONFIG_FILE ") and name file and line of an error", 0},
    {"from-node", 'f', NULL, 0, "print what this node has (GPUs, driver, rails, firmware, memory) as what nodes like it should have", 0},
    {"node", KEY_NODE, "NAME", 0,
     "with --check: print what it means for this node; with --from-node: its name in Slurm", 0},
    {"root", KEY_ROOT, "DIR", 0, "with --from-node: read DIR/sys and DIR/proc instead of this "
     "machine's", 0},
    {"facts", KEY_FACTS, "FILE", 0, "with --from-node: read a text like node.facts", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp argp = {
    .options = options,
    .parser = parse_argument,
    .args_doc = "--example\n--from-node\n--check [FILE]",
    .doc = "Print an example of cluster-env.conf, or a section of it for nodes like this one; or "
           "check a file.",
};

/* What every step computes anew a site cannot set, on whichever node. */
static int check_variables(const struct ce_rules *rules, const char *path, struct ce_error *err)
{
    for (size_t i = 0; i < rules->variable_count; i++) {
        const struct ce_variable *known = ce_variable_find(rules->variables[i].name);
        if (known && known->class == CE_IDENTITY)
            return ce_fail(err, "%s: variables: %s is computed for every step; take it out", path,
                           known->name);
    }
    return 0;
}

static int check(const struct arguments *arguments)
{
    ce_autosite struct ce_site site;
    struct ce_config config;
    struct ce_error err;
    ce_autotext struct ce_text out = CE_TEXT(1 << 20);
    const char *name = arguments->node_name ? arguments->node_name : "";
    if (ce_check_names_open(arguments->check, &site, &err) < 0)
        return ce_complain("config", &err, CE_EXIT_USAGE);
    ce_site_config(&site, name, &config);
    ce_auto(ce_rules_destroy) struct ce_rules *rules = ce_site_rules(&site, name, &err);
    if (!rules || check_variables(ce_config_variables(site.file), arguments->check, &err) < 0)
        return ce_complain("config", &err, CE_EXIT_USAGE);
    if (arguments->node_name)
        ce_policy_write(&config.policy, rules, &out);
    else
        ce_text_addf(&out, "%s: ok\n", arguments->check);
    return ce_print("config", &out);
}

/* A node that is not well is no model for others. */
static void warn_if_degraded(const struct ce_rails *rails)
{
    struct ce_error err;
    if (rails->active >= rails->count) /* more: a provider's, which are no rails */
        return;
    ce_fail(&err, "%zu of %zu rails are down; run this on a good node, or write the rate yourself",
            rails->count - rails->active, rails->count);
    ce_complain("config", &err, CE_EXIT_OK);
}

/* What jobs need not know: memory, driver, VBIOS.  NVML is of this machine. */
static void look_closer(const struct arguments *arguments, struct ce_node *node)
{
    struct ce_root root;
    const struct ce_machine machine = {.helpers = CE_HELPER_DIR};
    if (arguments->machine.facts || ce_root_open(&root, arguments->machine.root, NULL) < 0)
        return;
    ce_probe_host_details(&root, &node->host);
    if (root.live)
        ce_questions_ask_gpus(&machine, node);
    ce_root_close(&root);
}

static int print_node(const struct arguments *arguments)
{
    struct ce_notes notes = {.count = 0};
    struct ce_rails rails;
    struct ce_error err;
    char name[256];
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    ce_auto(ce_node_destroy) struct ce_node *node =
        ce_machine_facts(&arguments->machine, NULL, &notes, &err);
    ce_print_notes("config", &notes);
    if (!node || ce_rails_choose(node, &rails, &err) < 0)
        return ce_complain("config", &err, CE_EXIT_UNKNOWN);
    look_closer(arguments, node);
    ce_machine_name(node, arguments->node_name, name, sizeof name);
    warn_if_degraded(&rails);
    ce_report_node_config(&rails, node, name, &out);
    ce_rails_free(&rails);
    return ce_print("config", &out);
}

int ce_cmd_config(int argc, char **argv)
{
    struct arguments arguments = {.machine.root = "/"};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    if (arguments.check)
        return check(&arguments);
    if (arguments.from_node)
        return print_node(&arguments);
    ce_autotext struct ce_text out = CE_TEXT(1 << 20);
    ce_config_example(&out);
    return ce_print("config", &out);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

#include "command.h"
#include "config/config.h"

struct arguments {
    bool example;
    const char *check;
    const char *node_name;
};

enum { KEY_NODE = 256 };

static error_t parse_argument(int key, char *arg, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    switch (key) {
    case 'e':
        arguments->example = true;
        return 0;
    case 'c':
        arguments->check = arg ? arg : CE_CONFIG_FILE;
        return 0;
    case KEY_NODE:
        arguments->node_name = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (!arguments->check || state->arg_num > 0)
            return ARGP_ERR_UNKNOWN;
        arguments->check = arg;
        return 0;
    case ARGP_KEY_END:
        if (!arguments->example && !arguments->check)
            argp_error(state, "say --example or --check");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"example", 'e', NULL, 0, "print a configuration with every key, its default and meaning", 0},
    {"check", 'c', "FILE", OPTION_ARG_OPTIONAL,
     "read FILE (" CE_CONFIG_FILE ") and name file and line of an error", 0},
    {"node", KEY_NODE, "NAME", 0, "with --check: print what it means for this node", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp argp = {
    .options = options,
    .parser = parse_argument,
    .args_doc = "--example\n--check [FILE]",
    .doc = "Print an example of cluster-env.conf, or check one.",
};

static int check(const struct arguments *arguments)
{
    struct ce_config config;
    struct ce_error err;
    ce_autotext struct ce_text out = CE_TEXT(1 << 20);
    const char *name = arguments->node_name ? arguments->node_name : "";
    if (ce_config_read(arguments->check, name, &config, &err) < 0)
        return ce_complain("config", &err, CE_EXIT_USAGE);
    if (arguments->node_name)
        ce_policy_write(&config.policy, &out);
    else
        ce_text_addf(&out, "%s: ok\n", arguments->check);
    return ce_print("config", &out);
}

int ce_cmd_config(int argc, char **argv)
{
    struct arguments arguments = {.example = false};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    if (arguments.check)
        return check(&arguments);
    ce_autotext struct ce_text out = CE_TEXT(1 << 20);
    ce_config_example(&out);
    return ce_print("config", &out);
}

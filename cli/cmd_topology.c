/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <langinfo.h>
#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "command.h"
#include "local/nccl_conf.h"
#include "local/texts.h"
#include "health/machine.h"
#include "out_file.h"
#include "outlook.h"
#include "config/site.h"

#define COMMAND "topology"

enum { OUTPUT_MAX = 64 << 20 };

struct arguments {
    struct ce_machine machine; /* root NULL: this one */
    const char *run_dir;       /* in its place: what the plugin knows */
    const char *config;
    const char *node_name;
    const char *svg;
    bool json;
};

enum { KEY_FACTS = 256, KEY_ROOT, KEY_NODE, KEY_SVG, KEY_HELPERS };

static void check_arguments(const struct arguments *arguments, struct argp_state *state)
{
    const char *clash = NULL;
    const struct ce_machine *machine = &arguments->machine;
    if (!!machine->facts + !!machine->root + !!arguments->run_dir > 1)
        clash = "--facts, --root and --run";
    else if (machine->helpers && (machine->facts || arguments->run_dir))
        clash = "--helpers, --facts and --run";
    else if (arguments->run_dir && arguments->config)
        clash = "--run and --config";
    else if (arguments->svg && arguments->json)
        clash = "--svg and --json";
    if (clash)
        argp_error(state, "%s exclude one another", clash);
}

static error_t parse_argument(int key, char *arg, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    switch (key) {
    case KEY_FACTS:
        arguments->machine.facts = arg;
        return 0;
    case KEY_ROOT:
        arguments->machine.root = arg;
        return 0;
    case KEY_HELPERS:
        arguments->machine.helpers = arg ? arg : CE_HELPER_DIR;
        return 0;
    case 'r':
        arguments->run_dir = arg;
        return 0;
    case 'c':
        arguments->config = arg;
        return 0;
    case KEY_NODE:
        return ce_take_node(state, arg, &arguments->node_name);
    case KEY_SVG:
        arguments->svg = arg;
        return 0;
    case 'j':
        arguments->json = true;
        return 0;
    case ARGP_KEY_END:
        check_arguments(arguments, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"svg", KEY_SVG, "FILE", 0, "draw it: write FILE, an SVG picture (-: standard output)", 0},
    {"json", 'j', NULL, 0, "print JSON (schema 1)", 0},
    {"facts", KEY_FACTS, "FILE", 0, "the machine that these facts are of", 0},
    {"root", KEY_ROOT, "DIR", 0, "the machine of DIR/sys and DIR/proc", 0},
    {"helpers", KEY_HELPERS, "DIR", OPTION_ARG_OPTIONAL,
     "ask libibverbs and hwloc too, by the helpers in DIR (" CE_HELPER_DIR ")", 0},
    {"run", 'r', "DIR", 0, "what the plugin knows: DIR's node.facts, node.policy and hosts", 0},
    {"config", 'c', "FILE", 0, "the configuration (" CE_CONFIG_FILE ", where it exists)", 0},
    {"node", KEY_NODE, "NAME", 0, "the node's name in Slurm (the host name up to its dot)", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp argp = {
    .options = options,
    .parser = parse_argument,
    .doc = "Show where the GPUs, HCAs and interfaces of this machine sit, which HCAs are rails and "
           "why, and the variables that jobs on it get.",
};

/* ---------------------------------------------------------------- facts in */

/* What the decision is made from. */
struct inputs {
    struct ce_node *node;
    struct ce_policy policy;
    struct ce_rules *rules;
    struct ce_book *book;
    char name[256];
};

static void free_inputs(struct inputs *inputs)
{
    ce_node_destroy(inputs->node);
    ce_rules_destroy(inputs->rules);
    ce_book_destroy(inputs->book);
}

static int read_run_dir(const struct arguments *arguments, struct inputs *inputs,
                        struct ce_error *err)
{
    struct ce_notes notes = {.count = 0};
    struct ce_texts texts;
    ce_texts_read(arguments->run_dir, &texts, &notes);
    inputs->node = ce_steal(texts.node);
    inputs->book = ce_steal(texts.book);
    inputs->rules = ce_steal(texts.rules);
    inputs->policy = texts.policy;
    ce_texts_free(&texts);
    if (!inputs->node) {
        *err = notes.line[0];
        return CE_EXIT_UNKNOWN;
    }
    ce_print_notes(COMMAND, &notes);
    ce_machine_name(inputs->node, arguments->node_name, inputs->name, sizeof inputs->name);
    return CE_EXIT_OK;
}

static int read_site(const struct arguments *arguments, struct inputs *inputs, struct ce_error *err)
{
    ce_autosite struct ce_site site;
    struct ce_config config;
    const char *path;
    if (ce_site_open(arguments->config, &site, err) < 0)
        return CE_EXIT_USAGE;
    ce_site_config(&site, inputs->name, &config);
    inputs->policy = config.policy;
    inputs->rules = ce_site_rules(&site, inputs->name, err);
    inputs->book = inputs->rules ? ce_site_book(&config, &path, err) : NULL;
    return inputs->book ? CE_EXIT_OK : CE_EXIT_USAGE;
}

static int read_inputs(const struct arguments *arguments, struct inputs *inputs,
                       struct ce_error *err)
{
    struct ce_machine machine = arguments->machine;
    struct ce_notes notes = {.count = 0};
    if (arguments->run_dir)
        return read_run_dir(arguments, inputs, err);
    machine.root = machine.root ? machine.root : "/";
    machine.run_dir = CE_RUN_DIR;
    inputs->node = ce_machine_facts(&machine, NULL, &notes, err);
    ce_print_notes(COMMAND, &notes);
    if (!inputs->node)
        return CE_EXIT_UNKNOWN;
    ce_machine_name(inputs->node, arguments->node_name, inputs->name, sizeof inputs->name);
    return read_site(arguments, inputs, err);
}

/* ---------------------------------------------------------------- words out */

static struct ce_topology_style choose_style(void)
{
    const char *plain = getenv("NO_COLOR"), *terminal = getenv("TERM");
    setlocale(LC_CTYPE, "");
    return (struct ce_topology_style){
        .utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
        .colour = isatty(STDOUT_FILENO) && !(plain && *plain) && terminal &&
                  strcmp(terminal, "dumb") != 0,
    };
}

static int print(const struct arguments *arguments, const struct ce_topology *topology,
                 struct ce_error *err)
{
    ce_autotext struct ce_text out = CE_TEXT(OUTPUT_MAX);
    struct ce_topology_style style = choose_style();
    int made;
    if (arguments->json)
        made = ce_report_topology_json(topology, &out, err);
    else if (arguments->svg)
        made = ce_report_topology_svg(topology, &out, err);
    else
        made = ce_report_topology_text(topology, &style, &out, err);
    if (made < 0)
        return ce_complain(COMMAND, err, CE_EXIT_UNKNOWN);
    if (!arguments->svg || strcmp(arguments->svg, "-") == 0)
        return ce_print(COMMAND, &out);
    return ce_out_file_write(arguments->svg, &out, err) < 0 ? ce_complain(COMMAND, err, CE_EXIT_UNKNOWN)
                                                        : CE_EXIT_OK;
}

/* A user's own ~/.nccl.conf is no matter of the node. */
static const char *get_nothing(void *ctx, const char *name)
{
    (void)ctx;
    (void)name;
    return NULL;
}

static const char *conf_sets(const void *ctx, const char *name)
{
    return ce_nccl_conf_sets(ctx, name);
}

/* What this machine's /etc/nccl.conf says tells nothing of another one. */
static int show(const struct arguments *arguments, const struct inputs *inputs,
                struct ce_error *err)
{
    const struct ce_environ env = {.get = get_nothing};
    bool elsewhere = arguments->machine.facts || arguments->machine.root;
    struct ce_nccl_conf files = {.site = NULL};
    const struct ce_conf_lookup conf = {conf_sets, &files};
    const struct ce_outlook_from from = {inputs->name,  inputs->node, &inputs->policy,
                                         inputs->rules, inputs->book, &conf};
    ce_autooutlook struct ce_outlook outlook;
    if (!elsewhere)
        ce_nccl_conf_read(CE_NCCL_SITE_CONF, &env, &files);
    int opened = ce_outlook_open(&from, &outlook, err);
    ce_nccl_conf_free(&files);
    return opened < 0 ? ce_complain(COMMAND, err, CE_EXIT_UNKNOWN)
                      : print(arguments, &outlook.topology, err);
}

int ce_cmd_topology(int argc, char **argv)
{
    __attribute__((cleanup(free_inputs))) struct inputs inputs = {.node = NULL};
    struct arguments arguments = {.run_dir = NULL};
    struct ce_error err;
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    int status = read_inputs(&arguments, &inputs, &err);
    return status ? ce_complain(COMMAND, &err, status) : show(&arguments, &inputs, &err);
}

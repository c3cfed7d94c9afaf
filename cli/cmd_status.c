/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/parse.h"
#include "command.h"
#include "local/texts.h"
#include "out_file.h"
#include "status/report.h"
#include "status_gather.h"
#include "terminal.h"

#define COMMAND "status"

enum { OUTPUT_MAX = 512 << 20, ROWS_IN_PIPE = 40 };

struct arguments {
    const char *from, *html, *helpers, *run_dir, *node;
    bool json, bench, states, local, rows_given;
    uint32_t rows, timeout_s, within_s, at_once;
};

enum { KEY_FROM = 256, KEY_HTML, KEY_HELPERS, KEY_LOCAL, KEY_STATES, KEY_ROWS, KEY_WITHIN, KEY_NODE };

static void parse_number(const char *name, const char *text, uint32_t min, uint32_t max,
                         uint32_t *ret, struct argp_state *state)
{
    if (ce_parse_u32(text, min, max, ret) < 0)
        argp_error(state, "--%s=%s: expected a number from %u to %u", name, text, min,
                   max);
}

static void check_arguments(const struct arguments *arguments, struct argp_state *state)
{
    if (!!arguments->html + arguments->json + arguments->bench > 1)
        argp_error(state, "%s exclude one another", "--json, --html and --bench");
    if (arguments->local && (arguments->from || arguments->states || arguments->html))
        argp_error(state, "%s exclude one another", "--local, --from, --states and --html");
}

static error_t parse_number_argument(int key, char *arg, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    switch (key) {
    case KEY_ROWS:
        parse_number("rows", arg, 0, 1000000, &arguments->rows, state);
        arguments->rows_given = true;
        return 0;
    case 't':
        parse_number("timeout", arg, 1, 3600, &arguments->timeout_s, state);
        return 0;
    case KEY_WITHIN:
        parse_number("within", arg, 1, 3600, &arguments->within_s, state);
        return 0;
    case 'p':
        parse_number("parallel", arg, 1, 64, &arguments->at_once, state);
        return 0;
    case ARGP_KEY_END:
        check_arguments(arguments, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_argument(int key, char *arg, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    switch (key) {
    case KEY_FROM:
        arguments->from = arg;
        return 0;
    case KEY_HTML:
        arguments->html = arg;
        return 0;
    case 'j':
        arguments->json = true;
        return 0;
    case 'b':
        arguments->bench = true;
        return 0;
    case KEY_STATES:
        arguments->states = true;
        return 0;
    case KEY_HELPERS:
        arguments->helpers = arg;
        return 0;
    case KEY_LOCAL:
        arguments->local = true;
        return 0;
    case 'r':
        arguments->run_dir = arg;
        return 0;
    case KEY_NODE:
        return ce_take_node(state, arg, &arguments->node);
    default:
        return parse_number_argument(key, arg, state);
    }
}

static const struct argp_option options[] = {
    {"html", KEY_HTML, "FILE", 0, "write FILE, a page for a browser that holds all it needs (-: standard output)", 0},
    {"json", 'j', NULL, 0, "print JSON (schema 1)", 0},
    {"bench", 'b', NULL, 0, "print what the last active tests measured", 0},
    {"from", KEY_FROM, "DIR", 0,
     "read DIR/NODE.jsonl and DIR/NODE/health.jsonl, ask nobody", 0},
    {"states", KEY_STATES, NULL, 0,
     "ask Slurm for the states of the nodes, and not the nodes themselves; goes with --from", 0},
    {"rows", KEY_ROWS, "N", 0, "at most N rows (the terminal's height; 40 elsewhere); 0: all that differ", 0},
    {"timeout", 't', "SECONDS", 0, "for each node (10)", 0},
    {"within", KEY_WITHIN, "SECONDS", 0, "for all nodes together (60)", 0},
    {"parallel", 'p', "N", 0, "nodes at once, up to 64 (32)", 0},
    {"helpers", KEY_HELPERS, "DIR", 0, "where slurm-node is (" CE_HELPER_DIR ")", 0},
    {"local", KEY_LOCAL, NULL, 0, "what this node tells, as lines: what is run on the nodes", 0},
    {"node", KEY_NODE, "NAME", 0, "with --local: its name in Slurm (the host name up to its dot)", 0},
    {"run", 'r', "DIR", 0, "with --local: the run directory (" CE_RUN_DIR ")", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp argp = {
    .options = options,
    .parser = parse_argument,
    .doc = "Show all nodes of the cluster, the worst first: what Slurm says of them, and what the "
           "last check on each found. Nodes of which the same is to be said are one row.\vExit "
           "status: 0 well, 1 a node is down or has a fault, 2 usage, 3 something could not be "
           "found out or written.",
};

/* ---------------------------------------------------------------- gathering */

static int gather_all(const struct arguments *arguments, struct ce_gather *gather,
                      struct ce_error *err)
{
    bool slurm = arguments->states || !arguments->from;
    if (slurm && ce_gather_slurm(gather, !arguments->states, err) < 0)
        return -1;
    if (arguments->from && ce_gather_folder(gather, arguments->from, err) < 0)
        return -1;
    ce_gather_end(gather);
    ce_board_settle(&gather->board);
    return 0;
}

static const char *source_of(const struct arguments *arguments, char *text, size_t size)
{
    struct ce_error clean;
    ce_fail(&clean, "%s", arguments->from ? arguments->from : "");
    snprintf(text, size, "%s%s%s", arguments->states || !arguments->from ? "Slurm" : "",
             arguments->states && arguments->from ? " and " : "",
             arguments->from      ? clean.text
             : arguments->states ? ""
                                 : " and srun");
    return text;
}

/* ---------------------------------------------------------------- telling */

static int exit_status(const struct ce_board *board)
{
    int status = CE_EXIT_OK;
    for (size_t i = 0; i < board->count; i++) {
        enum ce_health health = board->nodes[i]->health;
        if (health == CE_NODE_DOWN || health == CE_NODE_FAULT)
            return CE_EXIT_FAULT;
        if (health == CE_NODE_SILENT || health == CE_NODE_UNKNOWN)
            status = CE_EXIT_UNKNOWN;
    }
    return status;
}

static struct ce_status_style style_of(const struct arguments *arguments)
{
    unsigned lines = ce_terminal_lines();
    size_t rows = lines > 8 ? lines - 4 : ROWS_IN_PIPE;
    return (struct ce_status_style){.colour = ce_terminal_colour(),
                                    .columns = ce_terminal_columns(),
                                    .rows = arguments->rows_given ? arguments->rows : rows};
}

static int write_report(const struct arguments *arguments, const struct ce_status *status,
                        struct ce_text *out, struct ce_error *err)
{
    const struct ce_status_style style = style_of(arguments);
    if (arguments->bench)
        return ce_status_bench(status, &style, out, err);
    if (!arguments->json && !arguments->html)
        return ce_status_text(status, &style, out, err);
    if ((arguments->json ? ce_status_json(status, out) : ce_status_page(status, out)) < 0)
        return ce_fail(err, "no memory");
    return 0;
}

static int tell(const struct arguments *arguments, const struct ce_gather *gather,
                struct ce_error *err)
{
    ce_autotext struct ce_text out = CE_TEXT(OUTPUT_MAX);
    char source[1024];
    ce_print_notes(COMMAND, &gather->notes);
    if (gather->notes.lost)
        fprintf(stderr, "cluster-env " COMMAND ": and %zu more like that\n", gather->notes.lost);
    const struct ce_status status = {.board = &gather->board,
                                     .now = time(NULL),
                                     .source = source_of(arguments, source, sizeof source),
                                     .notes = &gather->notes};
    if (write_report(arguments, &status, &out, err) < 0)
        return ce_complain(COMMAND, err, CE_EXIT_UNKNOWN);
    if (arguments->html && strcmp(arguments->html, "-") != 0)
        return ce_out_file_write(arguments->html, &out, err) < 0
                   ? ce_complain(COMMAND, err, CE_EXIT_UNKNOWN)
                   : exit_status(&gather->board);
    int printed = ce_print(COMMAND, &out);
    return printed ? printed : exit_status(&gather->board);
}

int ce_cmd_status(int argc, char **argv)
{
    struct arguments arguments = {.helpers = CE_HELPER_DIR,
                                  .run_dir = CE_RUN_DIR,
                                  .timeout_s = 10,
                                  .within_s = 60,
                                  .at_once = 32};
    char helper[4096], command[4096];
    struct ce_error err;
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    if (arguments.local)
        return ce_status_local(arguments.run_dir, arguments.node);
    snprintf(helper, sizeof helper, "%s/slurm-node", arguments.helpers);
    ce_autogather struct ce_gather gather = {
        .ask = {.slurm_node = helper,
                .command = ce_own_path(command, sizeof command),
                .envp = environ,
                .privileged = geteuid() == 0,
                .timeout_ms = arguments.timeout_s * 1000,
                .at_once = arguments.at_once,
                .progress = isatty(STDERR_FILENO) ? ce_terminal_nodes_done : NULL},
        .total_ms = arguments.within_s * 1000,
    };
    if (gather_all(&arguments, &gather, &err) < 0)
        return ce_complain(COMMAND, &err, CE_EXIT_UNKNOWN);
    return tell(&arguments, &gather, &err);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/parse.h"
#include "book_file.h"
#include "command.h"
#include "config/site.h"
#include "survey/ask.h"
#include "survey/book_text.h"
#include "survey/settle.h"
#include "terminal.h"

#define COMMAND "addresses"

enum source { FROM_SRUN, FROM_SLURM, FROM_DNS };
static const char *const source_names[] = {"srun", "slurm", "dns"};

struct arguments {
    enum source from;
    bool write;
    const char *config;
    const char *helpers;
    uint32_t timeout_s, at_once;
};

enum { KEY_FROM = 256, KEY_HELPERS };

static void parse_source(const char *text, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    for (enum source from = FROM_SRUN; from <= FROM_DNS; from++)
        if (strcmp(text, source_names[from]) == 0) {
            arguments->from = from;
            return;
        }
    argp_error(state, "--from=%s: expected srun, slurm or dns", text);
}

static void parse_number(const char *name, const char *text, uint32_t max, uint32_t *ret,
                         struct argp_state *state)
{
    if (ce_parse_u32(text, 1, max, ret) < 0)
        argp_error(state, "--%s=%s: expected a number from 1 to %u", name, text, max);
}

static error_t parse_argument(int key, char *arg, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    switch (key) {
    case KEY_FROM:
        parse_source(arg, state);
        return 0;
    case 'w':
        arguments->write = true;
        return 0;
    case 'c':
        arguments->config = arg;
        return 0;
    case 't':
        parse_number("timeout", arg, 3600, &arguments->timeout_s, state);
        return 0;
    case 'p':
        parse_number("parallel", arg, 64, &arguments->at_once, state);
        return 0;
    case KEY_HELPERS:
        arguments->helpers = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"from", KEY_FROM, "SOURCE", 0,
     "srun (default): what each idle node says of itself; slurm: NodeAddr; dns: the resolver", 0},
    {"write", 'w', NULL, 0, "replace the address book (" CE_SITE_BOOK "), do not print it", 0},
    {"config", 'c', "FILE", 0, "the configuration (" CE_CONFIG_FILE ", where it exists)", 0},
    {"timeout", 't', "SECONDS", 0, "for each question (30)", 0},
    {"parallel", 'p', "N", 0, "questions at once, up to 64 (16)", 0},
    {"helpers", KEY_HELPERS, "DIR", 0, "where slurm-node is (" CE_HELPER_DIR ")", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp argp = {
    .options = options,
    .parser = parse_argument,
    .doc = "Make the address book: the address of every node of the cluster on the cluster "
           "network, as the configuration wants it. Nodes that could not be asked are named; with "
           "--write their old entries are kept.\vExit status: 0 every node was found out about, 1 "
           "some are missing, 2 usage or configuration, 3 it could not be found out or written.",
};

/* ---------------------------------------------------------------- asking */

static int ask_nodes(const struct arguments *arguments, const struct ce_ask *ask,
                     const struct ce_roster *roster, struct ce_draft *draft, struct ce_error *err)
{
    switch (arguments->from) {
    case FROM_SLURM:
        return ce_ask_slurm(ask, roster, draft, err);
    case FROM_DNS:
        return ce_ask_dns(ask, draft, err);
    case FROM_SRUN:
        break;
    }
    return ce_ask_srun(ask, roster, draft, err);
}

static int prepare_draft(const struct ce_site *site, const struct ce_roster *roster,
                         struct ce_draft *draft, struct ce_error *err)
{
    struct ce_config config;
    if (ce_draft_init(draft, ce_roster_count(roster), err) < 0)
        return -1;
    for (size_t i = 0; i < draft->count; i++) {
        draft->nodes[i].name = ce_roster_at(roster, i)->name;
        ce_site_config(site, draft->nodes[i].name, &config);
        draft->nodes[i].policy = config.policy;
    }
    return 0;
}

/* ---------------------------------------------------------------- telling */

static void print_lines(struct ce_text *lines)
{
    const char *at = ce_text_string(lines);
    for (size_t length; *at; at += length + 1) {
        length = strcspn(at, "\n");
        fprintf(stderr, "cluster-env " COMMAND ": %.*s\n", (int)length, at);
    }
}

static void say_origin(const struct arguments *arguments, char *text, size_t size)
{
    char host[256] = "?", when[64] = "";
    time_t now = time(NULL);
    struct tm utc;
    gethostname(host, sizeof host - 1);
    if (gmtime_r(&now, &utc))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S UTC", &utc);
    snprintf(text, size, "Made by 'cluster-env " COMMAND "%s --from=%s' on %s, %s",
             arguments->write ? " --write" : "", source_names[arguments->from], host, when);
}

static int deliver(const struct arguments *arguments, const struct ce_draft *draft,
                   const struct ce_book_file *file, struct ce_error *err)
{
    ce_autotext struct ce_text text = CE_TEXT(64 << 20);
    char origin[512];
    say_origin(arguments, origin, sizeof origin);
    ce_draft_write(draft, file->old, origin, &text);
    if (!arguments->write)
        return ce_print(COMMAND, &text);
    if (ce_book_file_replace(file, &text, err) < 0)
        return ce_complain(COMMAND, err, CE_EXIT_UNKNOWN);
    if (!isatty(STDERR_FILENO))
        return CE_EXIT_OK;
    ce_fail(
        err,
        "%s is written; bring it to every node and run 'cluster-env facts --write' there as root",
        file->path);
    return ce_complain(COMMAND, err, CE_EXIT_OK);
}

/* ---------------------------------------------------------------- all of it */

static int conclude(const struct arguments *arguments, struct ce_draft *draft,
                    const struct ce_book_file *file, struct ce_error *err)
{
    ce_autotext struct ce_text lines = CE_TEXT(64 << 20);
    if (ce_draft_settle(draft, file->old, &lines, err) < 0)
        return ce_complain(COMMAND, err, CE_EXIT_UNKNOWN);
    print_lines(&lines);
    if (ce_draft_found(draft) == 0) {
        ce_fail(err, "nothing was found out about any node; no address book is made");
        return ce_complain(COMMAND, err, CE_EXIT_UNKNOWN);
    }
    int status = deliver(arguments, draft, file, err);
    if (status == CE_EXIT_OK && ce_draft_found(draft) < draft->count)
        status = CE_EXIT_FAULT;
    return status;
}

static int survey(const struct arguments *arguments, const struct ce_site *site,
                  const struct ce_book_file *file, struct ce_error *err)
{
    char helper[4096], command[4096];
    const struct ce_ask ask = {
        .slurm_node = helper,
        .command = ce_own_path(command, sizeof command),
        .envp = environ,
        .privileged = geteuid() == 0,
        .timeout_ms = arguments->timeout_s * 1000,
        .at_once = arguments->at_once,
        .progress = isatty(STDERR_FILENO) ? ce_terminal_nodes_done : NULL,
    };
    ce_autodraft struct ce_draft draft = {NULL, 0};
    snprintf(helper, sizeof helper, "%s/slurm-node", arguments->helpers);
    ce_auto(ce_roster_destroy) struct ce_roster *roster = ce_ask_roster(&ask, err);
    if (!roster)
        return ce_complain(COMMAND, err, CE_EXIT_UNKNOWN);
    if (prepare_draft(site, roster, &draft, err) < 0 ||
        ask_nodes(arguments, &ask, roster, &draft, err) < 0)
        return ce_complain(COMMAND, err, CE_EXIT_UNKNOWN);
    return conclude(arguments, &draft, file, err);
}

int ce_cmd_addresses(int argc, char **argv)
{
    struct arguments arguments = {.helpers = CE_HELPER_DIR, .timeout_s = 30, .at_once = 16};
    ce_autosite struct ce_site site = {NULL, NULL};
    ce_autobook_file struct ce_book_file file = {.dir = -1};
    struct ce_config config;
    struct ce_error err;
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    if (ce_site_open(arguments.config, &site, &err) < 0)
        return ce_complain(COMMAND, &err, CE_EXIT_USAGE);
    ce_site_config(&site, "", &config);
    if (arguments.write) {
        int status = ce_book_file_open(&config, &file, &err);
        if (status != CE_EXIT_OK)
            return ce_complain(COMMAND, &err, status);
    }
    return survey(&arguments, &site, &file, &err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands of cluster-env: one file cmd_NAME.c each. */
#ifndef CE_CLI_COMMAND_H
#define CE_CLI_COMMAND_H

#include <argp.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "model/finding.h"
#include "model/notes.h"

/* Exit statuses of all commands. */
enum ce_exit {
    CE_EXIT_OK = 0,
    CE_EXIT_FAULT = 1,   /* what was looked at is bad */
    CE_EXIT_USAGE = 2,   /* wrong arguments or configuration, or not where this can work */
    CE_EXIT_UNKNOWN = 3, /* it could not be found out, or not be written */
};

struct ce_command {
    const char *name;
    const char *doc; /* one line for cluster-env --help */
    int (*run)(int argc, char **argv);
};

int ce_cmd_show(int argc, char **argv);
int ce_cmd_info(int argc, char **argv);
int ce_cmd_hostfile(int argc, char **argv);
int ce_cmd_run(int argc, char **argv);
int ce_cmd_facts(int argc, char **argv);
int ce_cmd_topology(int argc, char **argv);
int ce_cmd_check(int argc, char **argv);
int ce_cmd_bench(int argc, char **argv);
int ce_cmd_config(int argc, char **argv);
int ce_cmd_addresses(int argc, char **argv);
int ce_cmd_doctor(int argc, char **argv);
int ce_cmd_status(int argc, char **argv);

/* "cluster-env NAME: text" on stderr; returns status. */
int ce_complain(const char *command, const struct ce_error *err, int status);

/* Each note on stderr, as "cluster-env NAME: note". */
void ce_print_notes(const char *command, const struct ce_notes *notes);

/* What a command that found this says: CE_EXIT_FAULT, CE_EXIT_UNKNOWN or CE_EXIT_OK; what is ignored counts
 * for nothing. */
int ce_findings_exit(const struct ce_findings *findings);

/* The value of an option, "--seconds": 0 and *ret set; else it is said what was expected, and the command
 * ends. */
error_t ce_take_number(struct argp_state *state, const char *option, const char *text, uint32_t min,
                       uint32_t max, uint32_t *ret);

/* The name of a node; else it is said that this is none, and the command ends. */
error_t ce_take_node(struct argp_state *state, const char *text, const char **ret);

/* The path of this very program, as it is called on other nodes too: in path, of size bytes; "cluster-env"
 * where it is not known. */
const char *ce_own_path(char *path, size_t size);

/* Write the text to stdout.  CE_EXIT_OK, or CE_EXIT_UNKNOWN (said on stderr) where a full disk or
 * no memory lost some of it. */
int ce_print(const char *command, struct ce_text *text);

#endif

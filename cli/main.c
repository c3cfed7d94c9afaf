/* SPDX-License-Identifier: Apache-2.0 */
/* cluster-env: the command that shows and prepares what `srun --cluster-env` does. */
#include <config.h>

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/parse.h"
#include "command.h"
#include "health/health.h"
#include "model/hostlist.h"

static const struct ce_command commands[] = {
    {"show", "the variables of this task or job, their values, where each came from", ce_cmd_show},
    {"info", "rank, size, and the names and addresses of all nodes in rank order", ce_cmd_info},
    {"hostfile", "host files for MPI, DeepSpeed and Horovod launchers", ce_cmd_hostfile},
    {"run", "run a command in a task, with the flags that its launcher needs", ce_cmd_run},
    {"facts", "what this machine is: interfaces, addresses, GPUs; --write for /run/cluster-env",
     ce_cmd_facts},
    {"topology", "where its GPUs, HCAs and interfaces sit, which HCAs are rails and why; as a picture",
     ce_cmd_topology},
    {"check", "check this node's links and GPUs, as cluster-prolog does", ce_cmd_check},
    {"bench", "test this node by using it: how fast and how right it is", ce_cmd_bench},
    {"status", "all nodes of the cluster at a glance: what Slurm says, what the last checks found",
     ce_cmd_status},
    {"config", "check cluster-env.conf, or print an example of it", ce_cmd_config},
    {"addresses", "make the address book: every node's address on the cluster network",
     ce_cmd_addresses},
    {"doctor", "what is installed right on this node, what is not, and how to mend it", ce_cmd_doctor},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(FILE *out)
{
    fputs("Usage: cluster-env COMMAND [OPTION...]\n"
          "See and prepare what `srun --cluster-env` does.\n\nCommands:\n",
          out);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-9s  %s\n", commands[i].name, commands[i].doc);
    fputs("\n`cluster-env COMMAND --help` tells more.\n"
          "Exit status: 0 ok, 1 fault, 2 usage or configuration, 3 could not be found out.\n",
          out);
}

int ce_complain(const char *command, const struct ce_error *err, int status)
{
    fprintf(stderr, "cluster-env %s: %s\n", command, err->text);
    return status;
}

void ce_print_notes(const char *command, const struct ce_notes *notes)
{
    for (size_t i = 0; i < notes->count; i++)
        fprintf(stderr, "cluster-env %s: %s\n", command, notes->line[i].text);
}

int ce_print(const char *command, struct ce_text *text)
{
    struct ce_error err;
    if (!ce_text_ok(text)) {
        ce_fail(&err, "no memory");
        return ce_complain(command, &err, CE_EXIT_UNKNOWN);
    }
    if (fputs(ce_text_string(text), stdout) == EOF || fflush(stdout) == EOF) {
        ce_fail(&err, "cannot write the output: %s", strerror(errno));
        return ce_complain(command, &err, CE_EXIT_UNKNOWN);
    }
    return CE_EXIT_OK;
}

const char *ce_own_path(char *path, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", path, size);
    if (n <= 0 || (size_t)n >= size)
        return "cluster-env";
    path[n] = '\0';
    return path;
}

int ce_findings_exit(const struct ce_findings *findings)
{
    return ce_health_matters(findings, CE_FAIL)      ? CE_EXIT_FAULT
           : ce_health_matters(findings, CE_UNKNOWN) ? CE_EXIT_UNKNOWN
                                                     : CE_EXIT_OK;
}

error_t ce_take_number(struct argp_state *state, const char *option, const char *text, uint32_t min,
                       uint32_t max, uint32_t *ret)
{
    if (ce_parse_u32(text, min, max, ret) < 0)
        argp_error(state, "%s=%.40s: expected a number from %u to %u", option, text, min, max);
    return 0;
}

error_t ce_take_node(struct argp_state *state, const char *text, const char **ret)
{
    size_t length = ce_hostname_span(text);
    if (length == 0 || length > CE_HOSTNAME_MAX || text[length])
        argp_error(state, "--node=%.40s: expected the name of a node", text);
    *ret = text;
    return 0;
}

static int run(const struct ce_command *command, int argc, char **argv)
{
    char name[64];
    snprintf(name, sizeof name, "cluster-env %s", command->name);
    argv[0] = name; /* what argp prints in front of its messages */
    return command->run(argc, argv);
}

int main(int argc, char **argv)
{
    argp_err_exit_status = CE_EXIT_USAGE;
    const char *word = argc > 1 ? argv[1] : "";
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(word, commands[i].name) == 0)
            return run(&commands[i], argc - 1, argv + 1);
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
        return printf("cluster-env %s\n", PACKAGE_VERSION) < 0;
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "-?") == 0) {
        print_help(stdout);
        return CE_EXIT_OK;
    }
    if (*word)
        fprintf(stderr, "cluster-env: '%s' is not a command\n", word);
    print_help(stderr);
    return CE_EXIT_USAGE;
}

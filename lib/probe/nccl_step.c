/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/nccl_step.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/child.h"
#include "base/cleanup.h"
#include "base/parse.h"

enum {
    ARGUMENTS = 40,
    ARGUMENT = 320,
    TOKEN_BYTES = 16,
    TEXT_MAX = 64 << 10, /* of one task */
    LAUNCH_MS = 30000,   /* the most that a step takes to begin and to end */
    GRACE_MS = 10000,    /* srun ends its tasks when it is asked to end */
    IMMEDIATE_S = 20,
};

struct line {
    char text[ARGUMENTS][ARGUMENT];
    char *argv[ARGUMENTS + 1];
    size_t count;
};

static void add(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct line *line, const char *format, ...)
{
    va_list args;
    if (line->count == ARGUMENTS)
        return;
    va_start(args, format);
    vsnprintf(line->text[line->count], ARGUMENT, format, args);
    va_end(args);
    line->argv[line->count] = line->text[line->count];
    line->count++;
}

/* One task for each node, with all that the job has there; cyclic, so that a topology plugin keeps the
 * order of the list. */
static void make_line(const struct ce_nccl_step *step, struct line *line)
{
    static const char *const fixed[] = {
        "--ntasks-per-node=1",  "--relative=0",         "--distribution=cyclic", "--cpu-bind=none",
        "--export=ALL",         "--input=none",         "--mpi=none",           "--label",
        "--kill-on-bad-exit=0", "--job-name=bench-nccl"};
    const struct ce_nccl_test *test = step->test;
    add(line, "srun");
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        add(line, "%s", fixed[i]);
    add(line, "--nodes=%u", step->nodes);
    add(line, "--ntasks=%u", step->nodes);
    add(line, "--immediate=%d", IMMEDIATE_S);
    add(line, "--cluster-env");
    add(line, "%s", step->command);
    add(line, "bench");
    add(line, "nccl");
    add(line, "--part=%s", step->alone ? "alone" : "gang");
    add(line, "--helpers=%s", test->helpers);
    if (test->library)
        add(line, "--library=%s", test->library);
    add(line, "--bytes=%" PRIu64, test->bytes);
    add(line, "--seconds=%u", test->seconds);
    add(line, "--timeout=%u", test->timeout_s);
}

/* ---------------------------------------------------------------- the environment */

/* What a user asked for the tasks of a job is not for ours: one with all GPUs of its node. */
static bool is_for_step(const char *entry)
{
    static const char *const dropped[] = {"SLURM_GPUS=",
                                          "SLURM_GPUS_PER_TASK=",
                                          "SLURM_GPU_BIND=",
                                          "SLURM_GPUS_PER_SOCKET=",
                                          "SLURM_NTASKS_PER_GPU=",
                                          "SLURM_TRES_PER_TASK=",
                                          "SLURM_TRES_BIND=",
                                          "SLURM_HOSTFILE=",
                                          "SLURM_LABELIO=",
                                          "SLURM_STDINMODE=",
                                          "SLURM_STDOUTMODE=",
                                          "SLURM_STDERRMODE=",
                                          "SLURM_MULTI_PROG=",
                                          "SLURM_EXACT=",
                                          "SLURM_EXCLUSIVE=",
                                          "SLURM_CPU_BIND=",
                                          "SLURM_NTASKS_PER_CORE=",
                                          "SLURM_NTASKS_PER_SOCKET=",
                                          "SLURM_THREADS=",
                                          CE_NCCL_TOKEN "="};
    for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
        if (strncmp(entry, dropped[i], strlen(dropped[i])) == 0)
            return false;
    return true;
}

static char **make_environment(char *const *envp, char *token)
{
    size_t count = 0, kept = 0;
    while (envp[count])
        count++;
    char **ret = calloc(count + 2, sizeof *ret);
    for (size_t i = 0; ret && i < count; i++)
        if (is_for_step(envp[i]))
            ret[kept++] = envp[i];
    if (ret)
        ret[kept] = token;
    return ret;
}

/* Of 128 bits that nobody can guess. */
static int make_token(char *ret, size_t size, struct ce_error *err)
{
    unsigned char bytes[TOKEN_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return ce_fail(err, "no random number for the nodes' token");
    int length = snprintf(ret, size, CE_NCCL_TOKEN "=");
    for (size_t i = 0; i < sizeof bytes; i++)
        length += snprintf(ret + length, size - (size_t)length, "%02x", bytes[i]);
    return 0;
}

/* ---------------------------------------------------------------- what comes back */

void ce_nccl_labels_split(const char *output, struct ce_text *texts, size_t count)
{
    for (const char *end; (end = strchr(output, '\n')) != NULL; output = end + 1) {
        uint64_t task;
        const char *colon, *at = output + strspn(output, " ");
        if (ce_parse_digits(at, CE_NCCL_NODES_MAX, &task, &colon) < 0 || task >= count ||
            strncmp(colon, ": ", 2) != 0)
            continue;
        ce_text_addn(&texts[task], colon + 2, (size_t)(end + 1 - colon - 2));
    }
}

/* The record alone: a TaskProlog may print before it, a TaskEpilog behind it. */
static void take_text(const char *text, const char *why, struct ce_nccl_node *node)
{
    static const char first[] = "format=1\n", last[] = "\nend=1\n";
    char name[sizeof node->name];
    struct ce_error err;
    memcpy(name, node->name, sizeof name);
    const char *begin = strstr(text, first), *end = begin ? strstr(begin, last) : NULL;
    ce_autofree char *record = end ? strndup(begin, (size_t)(end - begin) + sizeof last - 1) : NULL;
    if (!record) {
        *node = (struct ce_nccl_node){.outcome = CE_NCCL_SILENT};
        ce_nccl_node_end(node, CE_NCCL_SILENT, "%s", why);
    } else if (ce_nccl_node_read(record, node, &err) < 0) {
        *node = (struct ce_nccl_node){.outcome = CE_NCCL_SILENT};
        ce_nccl_node_end(node, CE_NCCL_SILENT, "what it says was not understood: %s", err.text);
    }
    memcpy(node->name, name, sizeof name);
}

static int take(const struct ce_child *child, struct ce_nccl_node *results, uint32_t nodes,
                struct ce_error *err)
{
    ce_autofree struct ce_text *texts = calloc(nodes, sizeof *texts);
    struct ce_error why;
    if (!texts)
        return ce_fail(err, "no memory");
    for (uint32_t i = 0; i < nodes; i++)
        texts[i] = CE_TEXT(TEXT_MAX);
    ce_nccl_labels_split(ce_text_string(&child->output), texts, nodes);
    if (ce_child_check(child, &why) == 0)
        ce_fail(&why, "no word came of it");
    for (uint32_t i = 0; i < nodes; i++) {
        take_text(ce_text_ok(&texts[i]) ? ce_text_string(&texts[i]) : "", why.text, &results[i]);
        ce_text_free(&texts[i]);
    }
    return 0;
}

int ce_nccl_step_run(const struct ce_nccl_step *step, struct ce_nccl_node *results,
                     struct ce_error *err)
{
    ce_autofree struct line *line = calloc(1, sizeof *line);
    char token[sizeof CE_NCCL_TOKEN + 2 * TOKEN_BYTES + 2];
    if (make_token(token, sizeof token, err) < 0)
        return -1;
    ce_autofree char **envp = make_environment(step->envp, token);
    if (!line || !envp)
        return ce_fail(err, "no memory");
    make_line(step, line);
    struct ce_child child = {.argv = line->argv,
                             .envp = envp,
                             .deadline_ms = ce_nccl_limit_ms(step->test) + LAUNCH_MS,
                             .grace_ms = GRACE_MS,
                             .output_max = (size_t)step->nodes * TEXT_MAX};
    ce_children_run(&child, 1, &(struct ce_children_plan){.at_once = 1});
    int status = take(&child, results, step->nodes, err);
    ce_child_free(&child);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A SPANK plugin that writes down what Slurm tells it: each call of the option's callback, and in
 * user_init and task_init every item and variable our plugin may ask for.  It changes nothing.
 *
 * plugstack argument dir=DIR, a folder that everybody may write:
 *   DIR/calls                   PROGRAM NODE STEP VALUE, one line per callback
 *   DIR/JOB.STEP.NODE           what user_init saw on that node
 *   DIR/JOB.STEP.NODE.TASK      what task_init saw there, TASK is the step's task number */
#include <errno.h>
#include <limits.h>
#include <slurm/slurm.h>
#include <slurm/spank.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The names of the real plugin: they are part of the variables that carry the option. */
SPANK_PLUGIN(cluster_env, 1);

static char dir[PATH_MAX - 256];
static char step_name[32] = "-"; /* JOB.STEP, in the stepd */
static char node[HOST_NAME_MAX + 1];
static const char *program = "slurmstepd"; /* which has written over its own argv[0] */

/* User and root both append to these files, whatever their umask. */
static FILE *open_for_all(const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    mode_t mask = umask(0);
    FILE *file = fopen(path, "ae");
    umask(mask);
    return file;
}

static void write_value(FILE *file, const char *value)
{
    if (value == NULL)
        fprintf(file, "NULL\n");
    else
        fprintf(file, "\"%s\"\n", value);
}

static int take_option(int value, const char *text, int remote)
{
    (void)value;
    FILE *file = open_for_all("calls");
    if (file != NULL) {
        fprintf(file, "%s %s %s ", program, node, step_name);
        write_value(file, text);
        fclose(file);
    }
    if (remote || text == NULL || strcmp(text, "bogus") != 0)
        return 0;
    slurm_error("recorder: no such item: %s", text);
    return -1;
}

static struct spank_option option = {
    "cluster-env", "item,...", "recorder: writes down what it was given", 2, 0, take_option};

static void name_step(spank_t spank)
{
    uint32_t job, step;
    if (spank_get_item(spank, S_JOB_ID, &job) == ESPANK_SUCCESS &&
        spank_get_item(spank, S_JOB_STEPID, &step) == ESPANK_SUCCESS)
        snprintf(step_name, sizeof(step_name), "%u.%u", job, step);
}

int slurm_spank_init(spank_t spank, int ac, char **av)
{
    for (int i = 0; i < ac; i++)
        if (strncmp(av[i], "dir=", 4) == 0)
            snprintf(dir, sizeof(dir), "%s", av[i] + 4);
    if (spank_context() == S_CTX_SLURMD)
        return 0;
    gethostname(node, sizeof(node) - 1);
    if (spank_remote(spank) == 1)
        name_step(spank);
    else
        program = program_invocation_short_name;
    spank_option_register(spank, &option);
    return 0;
}

/* ---------------------------------------------------------------- one snapshot */

static void write_number(FILE *file, spank_t spank, const char *name, spank_item_t item)
{
    /* All are 32 bits wide; the signed ones are never negative where they are known. */
    uint32_t number = 0;
    int rc = spank_get_item(spank, item, &number);
    fprintf(file, "item %s %d %u\n", name, rc, rc == ESPANK_SUCCESS ? number : 0);
}

static void write_numbers(FILE *file, spank_t spank)
{
#define NUMBER(item) write_number(file, spank, #item, item)
    NUMBER(S_JOB_UID);
    NUMBER(S_JOB_GID);
    NUMBER(S_JOB_ID);
    NUMBER(S_JOB_STEPID);
    NUMBER(S_JOB_NNODES);
    NUMBER(S_JOB_NODEID);
    NUMBER(S_JOB_LOCAL_TASK_COUNT);
    NUMBER(S_JOB_TOTAL_TASK_COUNT);
    NUMBER(S_TASK_ID);
    NUMBER(S_TASK_GLOBAL_ID);
#undef NUMBER
}

static void write_arguments(FILE *file, spank_t spank)
{
    int count = 0;
    char **words = NULL;
    int rc = spank_get_item(spank, S_JOB_ARGV, &count, &words);
    fprintf(file, "item S_JOB_ARGV %d %d\n", rc, count);
    for (int i = 0; words != NULL && i < count; i++)
        fprintf(file, "argv %s\n", words[i]);
}

/* What Slurm sets, and three of the user's; the rest differs from machine to machine. */
static int worth_recording(const char *variable)
{
    static const char *const starts[] = {"SLURM", "_SLURM", "SPANK", "CUDA_", "GPU_",
                                         "ROCR_", "ZE_",    "PATH=", "HOME=", "USER="};
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
        if (strncmp(variable, starts[i], strlen(starts[i])) == 0)
            return strchr(variable, '\n') == NULL;
    return 0;
}

static void write_environment(FILE *file, spank_t spank)
{
    char **env = NULL;
    int rc = spank_get_item(spank, S_JOB_ENV, &env);
    fprintf(file, "item S_JOB_ENV %d -\n", rc);
    for (; env != NULL && *env != NULL; env++)
        if (worth_recording(*env))
            fprintf(file, "env %s\n", *env);
}

static void write_option(FILE *file, spank_t spank)
{
    char *value = NULL;
    int rc = spank_option_getopt(spank, &option, &value);
    fprintf(file, "option %d ", rc);
    if (rc == ESPANK_SUCCESS)
        write_value(file, value);
    else
        fprintf(file, "-\n");
}

static void record(spank_t spank, const char *hook, const char *suffix)
{
    char name[sizeof(step_name) + sizeof(node) + 16];
    snprintf(name, sizeof(name), "%s.%s%s", step_name, node, suffix);
    FILE *file = open_for_all(name);
    if (file == NULL)
        return;
    fprintf(file, "hook %s\n", hook);
    write_option(file, spank);
    write_numbers(file, spank);
    write_arguments(file, spank);
    write_environment(file, spank);
    fclose(file);
}

int slurm_spank_user_init(spank_t spank, int ac, char **av)
{
    (void)ac, (void)av;
    record(spank, "user_init", "");
    return 0;
}

int slurm_spank_task_init(spank_t spank, int ac, char **av)
{
    (void)ac, (void)av;
    uint32_t task = 0;
    char suffix[16];
    spank_get_item(spank, S_TASK_GLOBAL_ID, &task);
    snprintf(suffix, sizeof(suffix), ".%u", task);
    record(spank, "task_init", suffix);
    return 0;
}

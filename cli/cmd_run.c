/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "command.h"
#include "launch/launcher.h"
#include "launch/marker.h"
#include "model/request.h"
#include "primary_result.h"
#include "report/cluster.h"
#include "session/job.h"

/* MFD_NOEXEC_SEAL, which the headers of older systems do not have. */
enum { NOEXEC_SEAL = 0x0008 };

/* In what --dry-run prints, which outlives this process: bash makes the file. */
#define DRY_HOSTFILE "<(cluster-env hostfile --format=deepspeed)"

struct arguments {
    bool dry_run, primary_result;
    const char *run_dir;
    char **command; /* up to a NULL */
};

static error_t parse_argument(int key, char *arg, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    switch (key) {
    case 'n':
        arguments->dry_run = true;
        return 0;
    case 'p':
        arguments->primary_result = true;
        return 0;
    case 'r':
        arguments->run_dir = arg;
        return 0;
    case ARGP_KEY_ARG: /* it and all behind it */
        arguments->command = state->argv + state->next - 1;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "expected a COMMAND");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"dry-run", 'n', NULL, 0, "print the command as it would be run, and run nothing", 0},
    {"primary-result", 'p', NULL, 0,
     "the exit status of rank 0 is the step's: all other ranks end with 0", 0},
    {"run", 'r', "DIR", 0, "read node.facts, node.policy and hosts from DIR (" CE_RUN_DIR ")", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp argp = {
    .options = options,
    .parser = parse_argument,
    .args_doc = "[--] COMMAND [ARGUMENT...]",
    .doc = "Run a command in a task of srun. Launchers that start the processes of a node themselves "
           "(torchrun, python -m torch.distributed.run, accelerate launch, deepspeed, ray start, "
           "fabric run) get the flags that they need and were not given; all other commands are run "
           "as they are.",
};

/* ---------------------------------------------------------------- the command */

static void fill_slots(const struct ce_job *job, uint32_t *slots, uint32_t count)
{
    uint32_t gpus = job->task.gpus_on_node;
    for (uint32_t i = 0; i < count; i++)
        slots[i] = gpus ? gpus : job->session->allocation.tasks[i];
}

/* Linux before 6.3 does not know the flag; later ones may warn of a file without it, or refuse it. */
static int make_memory_file(const char *name)
{
    int fd = memfd_create(name, NOEXEC_SEAL);
    return fd < 0 && errno == EINVAL ? memfd_create(name, 0) : fd;
}

/* A file without a name, which the command inherits: nobody has to remove it.  Its path is good for as
 * long as it is open. */
static int make_hostfile(const struct ce_job *job, const struct ce_view *view, char path[32],
                         struct ce_error *err)
{
    uint32_t count = view->cluster->node_count;
    ce_autotext struct ce_text text = CE_TEXT(64 << 20);
    ce_autofree uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return ce_fail(err, "no memory");
    fill_slots(job, slots, count);
    if (ce_report_hostfile(view, CE_HOSTFILE_DEEPSPEED, slots, &text, err) < 0)
        return -1;
    int fd = make_memory_file("hostfile");
    if (fd < 0 || write(fd, ce_text_string(&text), text.length) != (ssize_t)text.length)
        return ce_fail(err, "cannot make a host file: %s", strerror(errno));
    snprintf(path, 32, "/proc/self/fd/%d", fd);
    return 0;
}

/* The flags of one task per node would start each process as often as there are tasks. */
static int check_shape(const struct ce_view *view, const char *name, struct ce_error *err)
{
    if (view->allocation->id.kind != CE_STEP_TASKS)
        return ce_fail(err, "this is no task of srun; use 'srun cluster-env run %s ...'", name);
    if (!ce_allocation_one_task_per_node(view->allocation))
        return ce_fail(err, "%s starts the processes of a node itself; use one task per node, "
                       "srun --ntasks-per-node=1", name);
    return 0;
}

static char **fill_in(const struct ce_launcher *launcher, struct ce_job *job, char **argv,
                      bool dry_run, struct ce_error *err)
{
    struct ce_view view = ce_job_view(job);
    char path[32];
    const char *hostfile = DRY_HOSTFILE;
    if (check_shape(&view, launcher->words[0], err) < 0)
        return NULL;
    if (!dry_run && ce_launcher_wants(launcher, argv, &view, "--hostfile")) {
        if (make_hostfile(job, &view, path, err) < 0)
            return NULL;
        hostfile = path;
    }
    return ce_launcher_command(launcher, argv, &view, hostfile, err);
}

/* As a shell would read it. */
static void add_quoted(struct ce_text *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./:,@%";
    bool is_ours = strcmp(word, "--hostfile=" DRY_HOSTFILE) == 0;
    if (is_ours || (*word && !word[strspn(word, plain)])) {
        ce_text_add(out, word);
        return;
    }
    ce_text_add(out, "'");
    for (; *word; word++)
        if (*word == '\'')
            ce_text_add(out, "'\\''");
        else
            ce_text_addn(out, word, 1);
    ce_text_add(out, "'");
}

static int print_command(char *const *argv)
{
    ce_autotext struct ce_text out = CE_TEXT(16 << 20);
    for (size_t i = 0; argv[i]; i++) {
        ce_text_add(&out, i ? " " : "");
        add_quoted(&out, argv[i]);
    }
    ce_text_add(&out, "\n");
    return ce_print("run", &out);
}

/* ---------------------------------------------------------------- running it */

/* With gang a signal ends the step all the same: a rank that crashed leaves the others waiting. */
static void follow_signal(int status)
{
    const char *text = getenv(CE_OPTION_VARIABLE);
    struct ce_request request;
    if (!WIFSIGNALED(status) || !text || ce_request_parse(text, &request, NULL) < 0 || !request.gang)
        return;
    const struct rlimit none = {0, 0}; /* one core file is enough */
    setrlimit(RLIMIT_CORE, &none);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, WTERMSIG(status));
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static int run_aside(const struct ce_job *job, char *const *argv)
{
    struct ce_error err;
    int status;
    if (ce_run_aside(argv, &status, &err) < 0)
        return ce_complain("run", &err, CE_EXIT_UNKNOWN);
    if (WIFSIGNALED(status))
        fprintf(stderr, "cluster-env run: rank %u was ended by signal %d; the result is rank 0's\n",
                job->task.rank, WTERMSIG(status));
    else if (status != 0)
        fprintf(stderr, "cluster-env run: rank %u ended with status %d; the result is rank 0's\n",
                job->task.rank, WEXITSTATUS(status));
    follow_signal(status);
    return CE_EXIT_OK;
}

static int run(char *const *argv)
{
    struct ce_error err;
    execvp(argv[0], argv);
    ce_fail(&err, "cannot run %s: %s", argv[0], strerror(errno));
    return ce_complain("run", &err, errno == ENOENT ? 127 : 126);
}

int ce_cmd_run(int argc, char **argv)
{
    struct arguments arguments = {.run_dir = CE_RUN_DIR};
    ce_autojob struct ce_job job = {.session = NULL};
    struct ce_error err;
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &arguments);
    char **command = arguments.command;
    const struct ce_launcher *launcher = ce_launcher_find(command);
    if ((launcher || arguments.primary_result) &&
        ce_job_open(arguments.run_dir, NULL, &job, &err) < 0)
        return ce_complain("run", &err, CE_EXIT_USAGE);
    if (launcher && !(command = fill_in(launcher, &job, command, arguments.dry_run, &err)))
        return ce_complain("run", &err, CE_EXIT_USAGE);
    int status = arguments.dry_run ? print_command(command)
                 : arguments.primary_result && job.task.rank != 0 ? run_aside(&job, command)
                                                                  : run(command);
    if (launcher)
        ce_launcher_free(command);
    return status;
}

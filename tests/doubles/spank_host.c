/* SPDX-License-Identifier: Apache-2.0 */
#include "doubles/spank_host.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "doubles/spank_calls.h"

enum {
    AT_ONCE = 16,      /* tasks that run side by side */
    NOBODY = 65534,    /* the user, where the host is root */
    PATIENCE = 300,    /* seconds until a stepd or task that hangs is ended */
    HOST_FAILURE = 98, /* exit status of a host that cannot go on, */
    HOST_HUNG = 97,    /* and of a stepd or task in which a hook hangs */
    ARGUMENTS_MAX = 5,
};

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined __SANITIZE_ADDRESS__ || __has_feature(address_sanitizer)
enum { SLOWER = 5 };
#else
enum { SLOWER = 1 };
#endif

/* What a task leaves behind for the test, before its environment as NUL-terminated texts. */
struct legacy {
    int task;
    double microseconds;
    size_t length;
};

static const struct {
    const char *name, *symbol;
} hook_names[HOST_HOOKS] = {
    [HOST_OUTSIDE] = {"outside", NULL},
    [HOST_INIT] = {"init", "slurm_spank_init"},
    [HOST_CALLBACK] = {"callback", NULL},
    [HOST_LOCAL_USER_INIT] = {"local_user_init", "slurm_spank_local_user_init"},
    [HOST_USER_INIT] = {"user_init", "slurm_spank_user_init"},
    [HOST_TASK_INIT] = {"task_init", "slurm_spank_task_init"},
    [HOST_TASK_EXIT] = {"task_exit", "slurm_spank_task_exit"},
    [HOST_EXIT] = {"exit", "slurm_spank_exit"},
};

const char *host_hook_name(enum host_hook hook)
{
    return hook_names[hook].name;
}

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "spank_host: %s: %s\n", what, why);
    _exit(HOST_FAILURE);
}

static int check(int rc, const char *what)
{
    if (rc < 0)
        stop(what, strerror(errno));
    return rc;
}

/* An unnamed file that processes append to. */
static int open_pad(const char *name)
{
    int fd = check(memfd_create(name, MFD_CLOEXEC), name);
    check(fcntl(fd, F_SETFL, O_APPEND), name);
    return fd;
}

static char *read_pad(int fd, size_t *size)
{
    struct stat st;
    check(fstat(fd, &st), "fstat");
    *size = (size_t)st.st_size;
    char *data = must(malloc(*size + 1));
    if (pread(fd, data, *size, 0) != (ssize_t)*size)
        stop("pread", strerror(errno));
    return data;
}

/* ---------------------------------------------------------------- hooks */

/* One stepd: everything about it that is not the answers of one hook. */
struct stepd {
    void *plugin;
    int argument_count;
    char *arguments[ARGUMENTS_MAX];
    char run[4096];
    int legacy_fd;
    struct host_shared *shared;
    int *statuses; /* of the tasks; shared */
};

static void load(struct stepd *stepd)
{
    const char *path = getenv("CLUSTER_ENV_PLUGIN");
    stepd->plugin = dlopen(path ? path : "./spank/.libs/cluster_env.so", RTLD_NOW | RTLD_LOCAL);
    if (!stepd->plugin)
        stop("dlopen", dlerror());
}

static void note_rc(struct host_calls *calls, int rc)
{
    int none = 0;
    if (rc != 0)
        atomic_compare_exchange_strong(&calls->rc, &none, rc);
}

static void end_hung(int number)
{
    (void)number;
    host_now.shared->hung = host_now.hook;
    _exit(HOST_HUNG);
}

/* The CPU time of this process only: its children and other processes do not count. */
static void limit_work(bool on)
{
    const char *text = getenv("CLUSTER_ENV_TEST_CPU_SECONDS");
    int seconds = text ? atoi(text) : SLOWER * HOST_CPU_SECONDS;
    const struct itimerval limit = {.it_value.tv_sec = on ? seconds : 0};
    signal(SIGPROF, on ? end_hung : SIG_IGN);
    check(setitimer(ITIMER_PROF, &limit, NULL), "setitimer");
}

static void call_hook(struct stepd *stepd, enum host_hook hook)
{
    spank_f *function = NULL;
    void *symbol = dlsym(stepd->plugin, hook_names[hook].symbol);
    if (!symbol)
        return;
    memcpy(&function, &symbol, sizeof function); /* ISO C has no such cast */
    host_now.hook = hook;
    host_calls_now()->runs++;
    limit_work(true);
    note_rc(host_calls_now(),
            function((spank_t)&host_now, stepd->argument_count, stepd->arguments));
    limit_work(false);
    host_now.hook = HOST_OUTSIDE;
}

static void call_callbacks(void)
{
    for (size_t i = 0; i < host_now.node->callback_count && host_now.option.cb; i++) {
        /* Slurm's text does not outlive the call. */
        char *text = host_now.node->callbacks[i] ? must(strdup(host_now.node->callbacks[i])) : NULL;
        host_now.hook = HOST_CALLBACK;
        host_calls_now()->runs++;
        limit_work(true);
        note_rc(host_calls_now(), host_now.option.cb(host_now.option.val, text,
                                                     host_now.setup->context == S_CTX_REMOTE));
        limit_work(false);
        host_now.hook = HOST_OUTSIDE;
        free(text);
    }
}

/* ---------------------------------------------------------------- users */

/* As slurmstepd: effective user only, with a way back. */
static void call_user_init(struct stepd *stepd)
{
    bool root = geteuid() == 0;
    if (root)
        check(setegid(NOBODY) < 0 ? -1 : seteuid(NOBODY), "seteuid");
    call_hook(stepd, HOST_USER_INIT);
    if (root) {
        check(seteuid(0) < 0 ? -1 : setegid(0), "seteuid");
        /* Changing the user took this away, and LeakSanitizer wants to look. */
        prctl(PR_SET_DUMPABLE, 1);
    }
}

static void become_user(void)
{
    if (geteuid() != 0)
        return;
    check(setresgid(NOBODY, NOBODY, NOBODY), "setresgid");
    check(setresuid(NOBODY, NOBODY, NOBODY), "setresuid");
}

/* ---------------------------------------------------------------- tasks */

static double cpu_microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void leave_behind(const struct stepd *stepd, double microseconds)
{
    const struct task_env *env = &host_now.env;
    struct legacy legacy = {.task = host_now.task, .microseconds = microseconds};
    for (size_t i = 0; i < env->count; i++)
        legacy.length += strlen(env->entries[i]) + 1;
    char *block = must(malloc(sizeof legacy + legacy.length)), *at = block + sizeof legacy;
    memcpy(block, &legacy, sizeof legacy);
    for (size_t i = 0; i < env->count; i++)
        at = stpcpy(at, env->entries[i]) + 1;
    if (write(stepd->legacy_fd, block, (size_t)(at - block)) != at - block)
        stop("write", strerror(errno));
    free(block);
}

/* "NAME=" at *hint or somewhere after it, with wrapping: the two environments that are compared
 * have their variables in nearly the same order.  NULL: none. */
static const char *find_near(const struct task_env *env, const char *name, size_t length,
                             size_t *hint)
{
    for (size_t n = 0; n < env->count; n++) {
        size_t i = (*hint + n) % env->count;
        if (strncmp(env->entries[i], name, length) == 0) {
            *hint = i + 1;
            return env->entries[i];
        }
    }
    return NULL;
}

/* What Slurm changed between user_init and this task, done to the environment that user_init left.
 */
static void make_task_env(const struct task_env *before, const struct task_env *after)
{
    size_t hint = 0;
    for (size_t i = 0; i < after->count; i++) {
        const char *equals = strchr(after->entries[i], '=');
        size_t length = equals ? (size_t)(equals - after->entries[i]) + 1 : 0;
        const char *old = length ? find_near(before, after->entries[i], length, &hint) : NULL;
        if (length <= 1 || (old && strcmp(old, after->entries[i]) == 0))
            continue;
        char *name = must(strndup(after->entries[i], length - 1));
        task_env_set(&host_now.env, name, equals + 1);
        free(name);
    }
    hint = 0;
    for (size_t i = 0; i < before->count; i++) {
        size_t length = strcspn(before->entries[i], "=") + 1;
        if (strchr(before->entries[i], '=') &&
            !find_near(after, before->entries[i], length, &hint)) {
            char *name = must(strndup(before->entries[i], length - 1));
            task_env_unset(&host_now.env, name);
            free(name);
        }
    }
}

static void run_task(struct stepd *stepd, size_t index)
{
    alarm(PATIENCE);
    become_user();
    host_now.task = (int)index;
    host_now.answers = &host_now.node->tasks[index];
    make_task_env(&host_now.node->user_init.env, &host_now.answers->env);
    double start = cpu_microseconds();
    call_hook(stepd, HOST_TASK_INIT);
    leave_behind(stepd, cpu_microseconds() - start);
    /* here slurmstepd starts the task's command */
    _exit(host_now.setup->command ? host_now.setup->command(host_now.answers) : 0);
}

static void end_task(struct stepd *stepd, size_t index, pid_t pid)
{
    int status;
    check(waitpid(pid, &status, 0), "waitpid");
    stepd->statuses[index] = status;
    if (host_now.shared->hung)
        return;
    host_now.task_status = status;
    host_now.answers = &host_now.node->tasks[index];
    call_hook(stepd, HOST_TASK_EXIT);
    host_now.answers = &host_now.node->user_init;
}

static void run_tasks(struct stepd *stepd)
{
    pid_t pids[AT_ONCE];
    for (size_t first = 0; first < host_now.node->task_count && !host_now.shared->hung;
         first += AT_ONCE) {
        size_t count = host_now.node->task_count - first;
        count = count < AT_ONCE ? count : AT_ONCE;
        for (size_t i = 0; i < count; i++) {
            pids[i] = check(fork(), "fork");
            if (pids[i] == 0)
                run_task(stepd, first + i);
        }
        for (size_t i = 0; i < count; i++)
            end_task(stepd, first + i, pids[i]);
    }
}

/* ---------------------------------------------------------------- the stepd */

static void arrange_arguments(struct stepd *stepd)
{
    const struct host_setup *setup = host_now.setup;
    snprintf(stepd->run, sizeof stepd->run, "run=%s/%s", setup->run_dir ? setup->run_dir : "",
             host_now.node->name);
    if (setup->run_dir)
        stepd->arguments[stepd->argument_count++] = stepd->run;
    for (size_t i = 0; i < sizeof setup->arguments / sizeof *setup->arguments; i++)
        if (setup->arguments[i])
            stepd->arguments[stepd->argument_count++] = (char *)(uintptr_t)setup->arguments[i];
}

/* Shared anonymous memory, which leak checkers do not look at. */
static int count_mappings(void)
{
    FILE *file = fopen("/proc/self/maps", "re");
    char *line = NULL;
    size_t size = 0;
    int count = 0;
    while (file && getline(&line, &size, file) >= 0)
        count += strstr(line, "/dev/zero") != NULL;
    free(line);
    if (file)
        fclose(file);
    return count;
}

/* The test's own handlers jump into the test, which must go on in one process only. */
static void reset_signals(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGSYS, SIGABRT};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL);
}

static void call_remote_hooks(struct stepd *stepd)
{
    unsigned flags = host_now.setup->flags;
    for (int i = flags & HOST_USER_INIT_TWICE ? 2 : flags & HOST_NO_USER_INIT ? 0 : 1; i; i--)
        call_user_init(stepd);
    run_tasks(stepd);
}

/* In srun the plugin reads and writes srun's own environment. */
static void call_local_hooks(struct stepd *stepd)
{
    const struct task_env *env = &host_now.node->user_init.env;
    clearenv();
    for (size_t i = 0; i < env->count; i++)
        putenv(env->entries[i]);
    call_hook(stepd, HOST_LOCAL_USER_INIT);
    const char *left = getenv(HOST_LAYOUT_VARIABLE);
    snprintf(stepd->shared->layout, sizeof stepd->shared->layout, "%s", left ? left : "");
}

static void run_stepd(struct stepd *stepd)
{
    spank_context_t context = host_now.setup->context;
    reset_signals();
    alarm(PATIENCE);
    load(stepd);
    if (host_now.setup->directory)
        check(chdir(host_now.setup->directory), "chdir");
    arrange_arguments(stepd);
    host_now.answers = &host_now.node->user_init;
    task_env_copy(&host_now.env, &host_now.answers->env);
    int mappings = count_mappings();
    call_hook(stepd, HOST_INIT);
    call_callbacks();
    if (context == S_CTX_LOCAL)
        call_local_hooks(stepd);
    else if (context != S_CTX_ALLOCATOR)
        call_remote_hooks(stepd);
    call_hook(stepd, HOST_EXIT);
    stepd->shared->mappings_left = count_mappings() - mappings;
    task_env_free(&host_now.env);
}

/* ---------------------------------------------------------------- results */

static void *share(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        stop("mmap", strerror(errno));
    return memory;
}

static void collect_tasks(const struct stepd *stepd, struct host_node *node)
{
    size_t size;
    char *pad = read_pad(stepd->legacy_fd, &size), *end = pad + size;
    for (size_t i = 0; i < node->task_count; i++)
        node->tasks[i].status = stepd->statuses[i];
    for (char *at = pad; at < end;) {
        struct legacy legacy;
        memcpy(&legacy, at, sizeof legacy);
        at += sizeof legacy;
        struct host_task *task = &node->tasks[legacy.task];
        task->returned = true;
        task->microseconds = legacy.microseconds;
        for (char *stop_at = at + legacy.length; at < stop_at; at += strlen(at) + 1)
            task_env_append(&task->env, at);
    }
    free(pad);
}

/* Standard output is the test's own, except while a stepd runs. */
static void run_node(int stdout_fd, struct host_node *node)
{
    size_t statuses = (node->task_count + 1) * sizeof(int);
    struct stepd stepd = {.legacy_fd = open_pad("tasks")};
    stepd.shared = host_now.shared = share(sizeof *stepd.shared);
    stepd.statuses = share(statuses);
    fflush(NULL);
    pid_t pid = check(fork(), "fork");
    if (pid == 0) {
        check(dup2(stdout_fd, STDOUT_FILENO), "dup2");
        run_stepd(&stepd);
        exit(0); /* LeakSanitizer speaks in here */
    }
    check(waitpid(pid, &node->status, 0), "waitpid");
    if (WIFSIGNALED(node->status) && WTERMSIG(node->status) == SIGALRM)
        stop(node->recorded->name, "a hook hangs"); /* and would on every node, for each series */
    if (stepd.shared->hung)
        host_now.setup->hung(node->recorded->name, stepd.shared->hung);
    memcpy(node->calls, stepd.shared->calls, sizeof node->calls);
    node->kill = stepd.shared->kill;
    memcpy(node->requeued, stepd.shared->requeued, sizeof node->requeued);
    node->mappings_left = stepd.shared->mappings_left;
    memcpy(node->bound, stepd.shared->bound, sizeof node->bound);
    memcpy(node->layout, stepd.shared->layout, sizeof node->layout);
    collect_tasks(&stepd, node);
    munmap(stepd.statuses, statuses);
    munmap(stepd.shared, sizeof *stepd.shared);
    close(stepd.legacy_fd);
}

static void run_nodes(int stdout_fd, const struct recording *recording, struct host_result *result)
{
    result->nodes = must(calloc(recording->node_count, sizeof *result->nodes));
    for (size_t i = 0; i < recording->node_count; i++) {
        struct host_node *node = &result->nodes[result->node_count++];
        host_now.node = node->recorded = &recording->nodes[i];
        host_now.node_index = i;
        node->task_count = node->recorded->task_count;
        node->tasks = must(calloc(node->task_count + 1, sizeof *node->tasks));
        run_node(stdout_fd, node);
    }
}

struct host_result *host_run(const struct host_setup *setup)
{
    struct host_result *result = must(calloc(1, sizeof *result));
    struct host_setup filled = *setup;
    size_t size;
    int stdout_fd = open_pad("stdout");
    if (filled.context == S_CTX_ERROR)
        filled.context = S_CTX_REMOTE;
    host_now = (struct host_now){.setup = &filled, .task = -1, .message_fd = open_pad("messages")};
    run_nodes(stdout_fd, setup->recording, result);
    result->messages = (struct host_message *)(void *)read_pad(host_now.message_fd, &size);
    result->message_count = size / sizeof *result->messages;
    free(read_pad(stdout_fd, &result->printed));
    close(host_now.message_fd);
    close(stdout_fd);
    host_now = (struct host_now){.task = -1};
    return result;
}

void host_result_free(struct host_result *result)
{
    if (!result)
        return;
    for (size_t i = 0; i < result->node_count; i++) {
        for (size_t t = 0; t < result->nodes[i].task_count; t++)
            task_env_free(&result->nodes[i].tasks[t].env);
        free(result->nodes[i].tasks);
    }
    free(result->nodes);
    free(result->messages);
    free(result);
}

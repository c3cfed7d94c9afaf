/* SPDX-License-Identifier: Apache-2.0 */
/* Benchmark: the environment of one task on a cluster of many nodes, from the three texts to the exec
 * of a real process.  Prints medians, and the peak memory over that of a process that does nothing.
 *
 *     make bench-scale [BENCH_SCALE="NODES ROUNDS"]        16384 and 21 by default
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/environ.h"
#include "base/text.h"
#include "local/texts_write.h"
#include "session/session.h"

enum { MAX_VARIABLES = 256 };

/* A task's environment, as execve() takes it. */
struct array {
    char *entry[MAX_VARIABLES + 1];
    size_t count;
};

static const char *array_get(void *ctx, const char *name)
{
    struct array *array = ctx;
    size_t length = strlen(name);
    for (size_t i = 0; i < array->count; i++)
        if (strncmp(array->entry[i], name, length) == 0 && array->entry[i][length] == '=')
            return array->entry[i] + length + 1;
    return NULL;
}

static int array_set(void *ctx, const char *name, const char *value)
{
    struct array *array = ctx;
    if (array->count == MAX_VARIABLES ||
        asprintf(&array->entry[array->count], "%s=%s", name, value) < 0)
        return -1;
    array->count++;
    return 0;
}

static int array_unset(void *ctx, const char *name)
{
    (void)ctx;
    (void)name;
    return 0;
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void die(const char *what)
{
    fprintf(stderr, "scale: %s\n", what);
    exit(1);
}

/* Node i has 10.A.B.C; this process plays node 0, which owns the first address. */
static void write_book(struct ce_text *out, unsigned nodes)
{
    for (unsigned i = 0; i < nodes; i++)
        ce_text_addf(out, "10.%u.%u.%u node%u\n", 1 + i / 62500, i / 250 % 250, 1 + i % 250, i);
}

static struct ce_node *make_node(void)
{
    struct ce_prefix prefix;
    struct ce_node *node = ce_node_create();
    struct ce_netif *netif = node ? ce_node_add_netif(node, "eth1") : NULL;
    if (!netif || ce_prefix_parse("10.1.0.1/8", &prefix) < 0 ||
        ce_netif_add_address(netif, &prefix) < 0)
        die("no memory");
    netif->kind = CE_NETIF_ETHERNET;
    netif->up = true;
    netif->speed_mbps = 100000;
    return node;
}

static void write_texts(const char *dir, unsigned nodes)
{
    struct ce_error err;
    struct ce_policy policy;
    ce_autotext struct ce_text text = CE_TEXT(64 << 20);
    ce_policy_default(&policy);
    write_book(&text, nodes);
    struct ce_book *book = ce_book_parse(ce_text_string(&text), &err);
    struct ce_node *node = make_node();
    if (!book || ce_texts_write(dir, node, &policy, NULL, book, &err) < 0)
        die(err.text);
    ce_book_destroy(book);
    ce_node_destroy(node);
}

static void fill_environment(struct array *array, unsigned nodes)
{
    char list[64], tasks[64], total[16];
    snprintf(list, sizeof list, "node[0-%u]", nodes - 1);
    snprintf(tasks, sizeof tasks, "8(x%u)", nodes);
    snprintf(total, sizeof total, "%u", nodes * 8);
    const char *const variables[][2] = {
        {"SLURM_JOB_ID", "1"},        {"SLURM_STEP_ID", "0"},
        {"SLURM_STEP_NODELIST", list}, {"SLURM_STEP_NUM_TASKS", total},
        {"SLURM_STEP_TASKS_PER_NODE", tasks}, {"SLURM_NODEID", "0"},
        {"SLURM_PROCID", "0"},        {"SLURM_LOCALID", "0"},
        {"SLURM_GTIDS", "0,1,2,3,4,5,6,7"}, {"SLURMD_NODENAME", "node0"},
        {"SLURM_GPUS_ON_NODE", "8"},  {"PATH", "/usr/bin:/bin"},
    };
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (array_set(array, variables[i][0], variables[i][1]) < 0)
            die("no memory");
}

static void set_up(const char *dir, struct array *array)
{
    const struct ce_environ env = {array_get, array_set, array_unset, array};
    const struct ce_step_id id = {CE_STEP_TASKS, 1, 0};
    struct ce_request request;
    struct ce_error err;
    struct ce_task task;
    ce_request_parse(NULL, &request, NULL);
    struct ce_session *session = ce_session_open(dir, &env, id, &request, &err);
    if (!session || ce_session_enter(session, &env, &task, &err) < 0)
        die(err.text);
    struct ce_plan *plan = ce_session_plan(session, &task, &env, &err);
    if (!plan || ce_plan_apply(plan, &env, &err) < 0)
        die(err.text);
}

struct result {
    double ms;      /* until the exec */
    long peak_kib;
};

/* In a child, as a task is: what it takes, and its peak memory. */
static struct result run_once(const char *dir, unsigned nodes, bool with_variables)
{
    struct result result;
    struct rusage usage;
    int pipe_fd[2], status;
    if (pipe(pipe_fd) < 0)
        die("no pipe");
    pid_t pid = fork();
    if (pid == 0) {
        struct array array = {.count = 0};
        fill_environment(&array, nodes);
        double start = now_ms();
        if (with_variables)
            set_up(dir, &array);
        double ms = now_ms() - start;
        if (write(pipe_fd[1], &ms, sizeof ms) != sizeof ms)
            _exit(1);
        execve("/bin/true", (char *[]){"true", NULL}, array.entry);
        _exit(127);
    }
    if (read(pipe_fd[0], &result.ms, sizeof result.ms) != sizeof result.ms ||
        wait4(pid, &status, 0, &usage) < 0 || status != 0)
        die("the task did not run");
    close(pipe_fd[0]);
    close(pipe_fd[1]);
    result.peak_kib = usage.ru_maxrss;
    return result;
}

static int by_ms(const void *a, const void *b)
{
    double left = ((const struct result *)a)->ms, right = ((const struct result *)b)->ms;
    return left < right ? -1 : left > right;
}

int main(int argc, char **argv)
{
    unsigned nodes = argc > 1 ? (unsigned)atoi(argv[1]) : 16384;
    int rounds = argc > 2 ? atoi(argv[2]) : 21;
    char dir[] = "/tmp/cluster-env-scale.XXXXXX", command[64];
    if (nodes < 1 || nodes > CE_HOSTLIST_MAX || rounds < 1 || rounds > 1000 || !mkdtemp(dir))
        die("usage: scale [NODES 1-65536] [ROUNDS 1-1000]");
    struct result *with = calloc((size_t)rounds, sizeof *with);
    struct result *without = calloc((size_t)rounds, sizeof *without);
    write_texts(dir, nodes);
    for (int i = 0; i < rounds; i++) {
        with[i] = run_once(dir, nodes, true);
        without[i] = run_once(dir, nodes, false);
    }
    qsort(with, (size_t)rounds, sizeof *with, by_ms);
    qsort(without, (size_t)rounds, sizeof *without, by_ms);
    const struct result *a = &with[rounds / 2], *b = &without[rounds / 2];
    printf("%u nodes, %d rounds: environment %.2f ms (min %.2f, max %.2f), "
           "peak memory %.1f MiB, %.1f MiB more than a task without it\n",
           nodes, rounds, a->ms, with[0].ms, with[rounds - 1].ms, (double)a->peak_kib / 1024,
           (double)(a->peak_kib - b->peak_kib) / 1024);
    snprintf(command, sizeof command, "rm -r %s", dir);
    free(with);
    free(without);
    return system(command);
}

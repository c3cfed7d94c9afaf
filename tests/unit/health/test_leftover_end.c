/* SPDX-License-Identifier: Apache-2.0 */
/* Real processes of other users, on a GPU that a function of the test speaks for. */
#include "health/leftover_end.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../checks/view.h"
#include "base/watch.h"

enum { USER = 42420, OTHER = 42421, PROCESSES = 3 };

/* What NVML says when it is asked: those of `pids` that live. */
struct scene {
    pid_t pids[PROCESSES];
    bool hidden; /* the next answers name nobody */
    unsigned asked;
    struct ce_node *node;
    struct ce_share share;
    struct ce_leftover_task task;
    struct ce_notes notes;
};

static bool lives(pid_t pid)
{
    return pid && waitpid(pid, NULL, WNOHANG) == 0;
}

static void name_processes(struct scene *scene)
{
    struct ce_gpu_state *state = &scene->node->gpu_states.items[1];
    state->process_count = 0;
    for (size_t i = 0; i < PROCESSES && !scene->hidden; i++)
        if (lives(scene->pids[i]))
            state->processes[state->process_count++] =
                (struct ce_gpu_process){(uint32_t)scene->pids[i], UINT64_MAX};
}

static void ask(void *ctx, struct ce_node *node)
{
    struct scene *scene = ctx;
    assert_ptr_equal(node, scene->node);
    scene->asked++;
    name_processes(scene);
}

static void wait_for_end(int ready, bool stubborn, unsigned life_ms)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (stubborn)
        signal(SIGTERM, SIG_IGN);
    if (write(ready, "x", 1) != 1)
        _exit(1);
    usleep((life_ms ? life_ms : 60000) * 1000);
    _exit(0);
}

/* A process of that user; life_ms 0: longer than the test. */
static pid_t start(uid_t uid, bool stubborn, unsigned life_ms)
{
    int fds[2];
    char byte;
    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (setresuid(uid, uid, uid) < 0)
            _exit(1);
        wait_for_end(fds[1], stubborn, life_ms);
    }
    close(fds[1]);
    assert_int_equal(read(fds[0], &byte, 1), 1);
    close(fds[0]);
    return pid;
}

static struct scene *make(enum ce_leftovers action)
{
    struct scene *scene = calloc(1, sizeof *scene);
    scene->node = view_node(FRAMED("gpu.count=2\ngpu.0.pci=0000:1b:00.0\ngpu.1.pci=0000:43:00.0\n"
                                   "gpu.0.nvml.asked=answered\ngpu.1.nvml.asked=answered\n"));
    scene->task = (struct ce_leftover_task){
        .owner = {.job = 7, .uid_known = true, .uid = USER, .alone = true, .action = action},
        .share = &scene->share,
        .wait_ms = 50,
        .term_ms = 100,
        .kill_ms = 5000,
        .ask = ask,
        .ctx = scene,
    };
    return scene;
}

static void run(struct scene *scene)
{
    name_processes(scene);
    ce_leftover_end(&scene->task, scene->node, &scene->notes);
}

static void drop(struct scene *scene)
{
    for (size_t i = 0; i < PROCESSES; i++)
        if (lives(scene->pids[i])) {
            kill(scene->pids[i], SIGKILL);
            waitpid(scene->pids[i], NULL, 0);
        }
    ce_node_destroy(scene->node);
    free(scene);
}

/* ---------------------------------------------------------------- what happens */

static void its_users_process_is_ended_and_told(void **state)
{
    char text[80];
    (void)state;
    struct scene *scene = make(CE_LEFTOVERS_END);
    pid_t pid = scene->pids[0] = start(USER, false, 0);
    run(scene);
    assert_false(lives(pid));
    assert_int_equal(scene->node->gpu_states.items[1].process_count, 0);
    assert_int_equal(scene->notes.count, 1);
    snprintf(text, sizeof text, "ended 1 process of user 42420 on the job's GPUs: %d (", (int)pid);
    unit_holds(scene->notes.line[0].text, text);
    drop(scene);
}

static void one_that_ignores_sigterm_is_killed(void **state)
{
    (void)state;
    struct scene *scene = make(CE_LEFTOVERS_END);
    scene->pids[0] = start(USER, true, 0);
    run(scene);
    assert_false(lives(scene->pids[0]));
    unit_holds(scene->notes.line[0].text, "ended 1 process");
    drop(scene);
}

static void another_users_lives_on(void **state)
{
    (void)state;
    struct scene *scene = make(CE_LEFTOVERS_END);
    scene->pids[0] = start(OTHER, false, 0);
    scene->pids[1] = start(USER, false, 0);
    run(scene);
    assert_true(lives(scene->pids[0]));
    assert_false(lives(scene->pids[1]));
    assert_int_equal(scene->notes.count, 2);
    unit_holds(scene->notes.line[0].text, "is left alone: it is another user's");
    drop(scene);
}

static void none_is_ended_by_default(void **state)
{
    (void)state;
    struct scene *scene = make(CE_LEFTOVERS_WARN);
    scene->pids[0] = start(USER, false, 0);
    run(scene);
    assert_true(lives(scene->pids[0]));
    assert_int_equal(scene->notes.count, 0);
    assert_int_equal(scene->node->gpu_states.items[1].process_count, 1);
    drop(scene);
}

static void one_that_is_ending_is_waited_for(void **state)
{
    (void)state;
    struct scene *scene = make(CE_LEFTOVERS_WARN);
    scene->task.wait_ms = 10000;
    scene->pids[0] = start(USER, false, 200);
    run(scene);
    assert_int_equal(scene->asked, 1);
    assert_int_equal(scene->node->gpu_states.items[1].process_count, 0);
    drop(scene);
}

/* A number that was used again is of a process that NVML no longer names. */
static void what_nvml_names_no_more_lives_on(void **state)
{
    (void)state;
    struct scene *scene = make(CE_LEFTOVERS_END);
    scene->pids[0] = start(USER, false, 0);
    name_processes(scene);
    scene->hidden = true;
    ce_leftover_end(&scene->task, scene->node, &scene->notes);
    assert_true(lives(scene->pids[0]));
    assert_int_equal(scene->notes.count, 0);
    drop(scene);
}

static void on_another_jobs_gpu_it_lives_on(void **state)
{
    (void)state;
    struct scene *scene = make(CE_LEFTOVERS_END_SHARED);
    scene->share = (struct ce_share){.shared = true, .gpus = 1};
    scene->pids[0] = start(USER, false, 0);
    run(scene);
    assert_true(lives(scene->pids[0]));
    assert_int_equal(scene->asked, 0);
    drop(scene);
}

static void where_gpus_are_unsure_it_lives_on(void **state)
{
    (void)state;
    struct scene *scene = make(CE_LEFTOVERS_END_SHARED);
    scene->share = (struct ce_share){.shared = true, .gpus = UINT64_MAX, .unsure = true};
    scene->pids[0] = start(USER, false, 0);
    run(scene);
    assert_true(lives(scene->pids[0]));
    drop(scene);
}

static void a_number_that_nobody_has_is_nothing(void **state)
{
    (void)state;
    struct scene *scene = make(CE_LEFTOVERS_END);
    struct ce_gpu_state *gpu = &scene->node->gpu_states.items[1];
    gpu->process_count = 3;
    gpu->processes[0].pid = 0;
    gpu->processes[1].pid = UINT32_MAX;
    gpu->processes[2].pid = INT32_MAX;
    ce_leftover_end(&scene->task, scene->node, &scene->notes);
    assert_int_equal(scene->notes.count, 0);
    drop(scene);
}

int main(void)
{
    struct ce_watch watch;
    const char *reason = geteuid() != 0 ? "needs root"
                         : ce_watch_open(getpid(), &watch) < 0 ? "the kernel has no pidfd"
                                                                : NULL;
    if (!reason)
        ce_watch_close(&watch);
    UNIT_RULE_UNLESS(reason, its_users_process_is_ended_and_told);
    UNIT_RULE_UNLESS(reason, one_that_ignores_sigterm_is_killed);
    UNIT_RULE_UNLESS(reason, another_users_lives_on);
    UNIT_RULE_UNLESS(reason, none_is_ended_by_default);
    UNIT_RULE_UNLESS(reason, one_that_is_ending_is_waited_for);
    UNIT_RULE_UNLESS(reason, what_nvml_names_no_more_lives_on);
    UNIT_RULE_UNLESS(reason, on_another_jobs_gpu_it_lives_on);
    UNIT_RULE_UNLESS(reason, where_gpus_are_unsure_it_lives_on);
    UNIT_RULE(a_number_that_nobody_has_is_nothing);
    return UNIT_RUN("health/leftover_end");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../unit.h"

/* Deadlines that no loaded machine misses, and one that is to be missed. */
enum { LONG_MS = 20000, SHORT_MS = 100, OUTPUT = 1000 };

static const struct ce_children_plan one = {.at_once = 1};

static unsigned elapsed_ms(const struct timespec *since)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (unsigned)((now.tv_sec - since->tv_sec) * 1000 +
                      (now.tv_nsec - since->tv_nsec) / 1000000);
}

/* A child that runs a line of shell. */
struct shell {
    char *argv[4];
    struct ce_child child;
};

static struct ce_child *shell(struct shell *shell, const char *line, unsigned deadline_ms)
{
    *shell = (struct shell){.argv = {(char *)"/bin/sh", (char *)"-c", (char *)line, NULL}};
    shell->child =
        (struct ce_child){.argv = shell->argv, .deadline_ms = deadline_ms, .output_max = OUTPUT};
    return &shell->child;
}

static void run_one(struct ce_child *child)
{
    ce_children_run(child, 1, &one);
}

/* ---------------------------------------------------------------- what becomes of one child */

static const struct end_row {
    const char *name;
    const char *line;
    unsigned deadline_ms, grace_ms;
    enum ce_child_end end;
    int number;
    const char *output, *last_words, *words; /* words: ce_child_check()'s text holds it */
} end_rows[] = {
    {"its_output_is_collected", "printf 'a\nb'", LONG_MS, 0, CE_CHILD_EXITED, 0, "a\nb", "", NULL},
    {"its_exit_status_is_told", "exit 3", LONG_MS, 0, CE_CHILD_EXITED, 3, "", "", "exit status 3"},
    {"the_last_line_of_stderr_says_why", "echo no >&2; exit 1", LONG_MS, 0, CE_CHILD_EXITED, 1, "",
     "no", "exit status 1: no"},
    {"three_last_lines_of_stderr_are_kept", "printf '1\n2\n3\n4\n' >&2", LONG_MS, 0,
     CE_CHILD_EXITED, 0, "", "2; 3; 4", NULL},
    {"stderr_cannot_draw_on_a_terminal", "printf '\\033[31mred' >&2", LONG_MS, 0, CE_CHILD_EXITED,
     0, "", "?[31mred", NULL},
    {"a_signal_is_told", "kill -SEGV $$", LONG_MS, 0, CE_CHILD_SIGNALED, SIGSEGV, "", "",
     "ended by signal 11"},
    {"stdin_is_empty", "cat", LONG_MS, 0, CE_CHILD_EXITED, 0, "", "", NULL},
    {"it_is_ended_at_its_deadline", "exec sleep 60", SHORT_MS, 0, CE_CHILD_LATE, SHORT_MS, "", "",
     "no answer in 0.1 s"},
    {"what_it_said_before_is_kept", "echo half; echo waiting >&2; exec sleep 60", SHORT_MS, 0,
     CE_CHILD_LATE, SHORT_MS, "half\n", "waiting", "no answer in 0.1 s: waiting"},
    {"it_may_end_itself_in_its_grace", "trap 'echo bye; exit 0' TERM; sleep 60 & wait", SHORT_MS,
     LONG_MS, CE_CHILD_LATE, SHORT_MS, "bye\n", "", "no answer in 0.1 s"},
    {"one_that_ignores_sigterm_is_killed", "trap '' TERM; while :; do sleep 0.01; done", SHORT_MS,
     SHORT_MS, CE_CHILD_LATE, SHORT_MS, "", "", "no answer in 0.1 s"},
    {"an_exit_before_stdout_is_closed_counts", "sleep 60 & echo done", LONG_MS, 0, CE_CHILD_EXITED,
     0, "done\n", "", NULL},
    {"one_that_closes_its_files_is_waited_for", "exec >&- 2>&-; sleep 0.05; exit 4", LONG_MS, 0,
     CE_CHILD_EXITED, 4, "", "", "exit status 4"},
    {"a_flood_is_ended", "while :; do echo flood; done", LONG_MS, 0, CE_CHILD_FLOODED, 0, NULL, "",
     "printed more than 1000 bytes"},
    {"a_flood_of_stderr_is_no_harm",
     "i=0; while [ $i -lt 5000 ]; do i=$((i + 1)); echo $i; done >&2", LONG_MS, 0, CE_CHILD_EXITED,
     0, "", "4998; 4999; 5000", NULL},
    {"output_just_as_long_as_allowed_is_no_flood", "printf %01000d 0", LONG_MS, 0, CE_CHILD_EXITED,
     0, NULL, "", NULL},
    {"a_byte_more_is_one", "printf %01001d 0", LONG_MS, 0, CE_CHILD_FLOODED, 0, NULL, "",
     "printed more than 1000 bytes"},
};

static void ends(void **state)
{
    const struct end_row *row = *state;
    struct shell s;
    struct ce_error err = {""};
    struct ce_child *child = shell(&s, row->line, row->deadline_ms);
    child->grace_ms = row->grace_ms;
    run_one(child);
    assert_int_equal(child->end, row->end);
    assert_int_equal(child->number, row->number);
    if (row->output)
        assert_string_equal(ce_text_string(&child->output), row->output);
    assert_string_equal(child->last_words, row->last_words);
    assert_int_equal(ce_child_check(child, &err), row->words ? -1 : 0);
    unit_holds(err.text, row->words ? row->words : "");
    assert_true(child->output.length <= OUTPUT);
    ce_child_free(child);
}

static void a_missing_program_is_told(void **state)
{
    char *argv[] = {(char *)"/nowhere/nothing", NULL};
    struct ce_child child = {.argv = argv, .deadline_ms = LONG_MS, .output_max = OUTPUT};
    struct ce_error err;
    (void)state;
    run_one(&child);
    assert_int_equal(child.end, CE_CHILD_NOT_STARTED);
    assert_int_equal(child.number, ENOENT);
    assert_int_equal(ce_child_check(&child, &err), -1);
    assert_string_equal(err.text, "cannot run /nowhere/nothing: No such file or directory");
    ce_child_free(&child);
}

static int greet(void *ctx)
{
    dprintf(STDOUT_FILENO, "hello %s", (const char *)ctx);
    return 7;
}

static void a_function_runs_as_one(void **state)
{
    char name[] = "you";
    struct ce_child child = {
        .body = greet, .ctx = name, .deadline_ms = LONG_MS, .output_max = OUTPUT};
    (void)state;
    run_one(&child);
    assert_int_equal(child.end, CE_CHILD_EXITED);
    assert_int_equal(child.number, 7);
    assert_string_equal(ce_text_string(&child.output), "hello you");
    ce_child_free(&child);
}

static void its_environment_is_the_given_one(void **state)
{
    struct shell s;
    struct ce_child *child = shell(&s, "echo $ONLY$HOME", LONG_MS);
    char *const envp[] = {(char *)"ONLY=this", NULL};
    (void)state;
    child->envp = envp;
    run_one(child);
    assert_string_equal(ce_text_string(&child->output), "this\n");
    ce_child_free(child);
}

/* ---------------------------------------------------------------- what a child is given */

static void it_has_its_own_process_group(void **state)
{
    struct shell s;
    struct ce_child *child =
        shell(&s, "read _ _ _ _ group _ </proc/$$/stat; echo $$ $group", LONG_MS);
    long pid, group;
    (void)state;
    run_one(child);
    assert_int_equal(sscanf(ce_text_string(&child->output), "%ld %ld", &pid, &group), 2);
    assert_int_equal(pid, group);
    assert_int_equal(pid, child->pid);
    ce_child_free(child);
}

/* 32 and 33 are the C library's own: where a caller's caller ignores them, nobody can undo it. */
static const unsigned long long LIBC_SIGNALS = 3ull << 31;

static void its_signals_are_as_new(void **state)
{
    unsigned long long blocked = 1, ignored = 1;
    struct shell s;
    struct ce_child *child = shell(&s, "grep -E '^Sig(Blk|Ign)' /proc/self/status", LONG_MS);
    sigset_t some, before;
    (void)state;
    sigemptyset(&some);
    sigaddset(&some, SIGTERM);
    sigaddset(&some, SIGUSR1);
    sigprocmask(SIG_BLOCK, &some, &before);
    void (*old)(int) = signal(SIGPIPE, SIG_IGN);
    run_one(child);
    signal(SIGPIPE, old);
    sigprocmask(SIG_SETMASK, &before, NULL);
    assert_int_equal(
        sscanf(ce_text_string(&child->output), "SigBlk: %llx SigIgn: %llx", &blocked, &ignored), 2);
    assert_int_equal(blocked, 0);
    assert_int_equal(ignored & ~LIBC_SIGNALS, 0);
    ce_child_free(child);
}

static void it_gets_none_of_our_files(void **state)
{
    struct shell s;
    struct ce_child *child = shell(&s, "[ -e /proc/self/fd/77 ] && echo open", LONG_MS);
    (void)state;
    assert_int_equal(dup2(2, 77), 77);
    run_one(child);
    close(77);
    assert_string_equal(ce_text_string(&child->output), "");
    ce_child_free(child);
}

/* Slurm starts prologs without stdin: a pipe must not land on 0, 1 or 2. */
static void it_works_where_we_have_no_stdin(void **state)
{
    struct shell s;
    struct ce_child *child = shell(&s, "cat; echo out; echo err >&2", LONG_MS);
    int saved = dup(0);
    (void)state;
    close(0);
    run_one(child);
    if (saved >= 0) {
        dup2(saved, 0);
        close(saved);
    }
    assert_int_equal(child->end, CE_CHILD_EXITED);
    assert_int_equal(child->number, 0);
    assert_string_equal(ce_text_string(&child->output), "out\n");
    assert_string_equal(child->last_words, "err");
    ce_child_free(child);
}

static void a_status_is_known_where_sigchld_is_ignored(void **state)
{
    struct shell s;
    struct ce_child *child = shell(&s, "exit 5", LONG_MS);
    (void)state;
    void (*old)(int) = signal(SIGCHLD, SIG_IGN);
    run_one(child);
    assert_ptr_equal(signal(SIGCHLD, old), SIG_IGN);
    assert_int_equal(child->end, CE_CHILD_EXITED);
    assert_int_equal(child->number, 5);
    ce_child_free(child);
}

/* ---------------------------------------------------------------- what a child leaves */

static bool is_gone(pid_t pid)
{
    for (int i = 0; i < 200 && kill(pid, 0) == 0; i++) {
        char path[64], line[256] = "";
        snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
        FILE *file = fopen(path, "r");
        if (file) {
            bool read = fgets(line, sizeof line, file) != NULL;
            fclose(file);
            if (read && strstr(line, ") Z "))
                return true; /* nobody collects orphans in a container without an init */
        }
        usleep(10000);
    }
    return kill(pid, 0) < 0;
}

static void what_it_leaves_running_is_killed(void **state)
{
    struct shell s;
    struct ce_child *child = shell(&s, "sleep 60 & echo $!", LONG_MS);
    (void)state;
    run_one(child);
    assert_int_equal(child->end, CE_CHILD_EXITED);
    assert_true(is_gone((pid_t)atol(ce_text_string(&child->output))));
    ce_child_free(child);
}

static void at_the_deadline_its_own_children_end_too(void **state)
{
    struct shell s;
    struct ce_child *child = shell(&s, "sleep 60 & echo $!; wait", SHORT_MS);
    (void)state;
    run_one(child);
    assert_int_equal(child->end, CE_CHILD_LATE);
    assert_true(is_gone((pid_t)atol(ce_text_string(&child->output))));
    ce_child_free(child);
}

static int say_and_sleep(void *ctx)
{
    dprintf(*(int *)ctx, "%ld\n", (long)getpid());
    sleep(60);
    return 0;
}

static void it_ends_when_we_do(void **state)
{
    int said[2];
    char text[32] = "";
    (void)state;
    assert_int_equal(pipe(said), 0);
    pid_t parent = fork();
    if (parent == 0) {
        struct ce_child child = {
            .body = say_and_sleep, .ctx = &said[1], .deadline_ms = LONG_MS, .output_max = OUTPUT};
        run_one(&child);
        _exit(0);
    }
    assert_true(read(said[0], text, sizeof text - 1) > 0);
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    assert_true(is_gone((pid_t)atol(text)));
    close(said[0]);
    close(said[1]);
}

/* ---------------------------------------------------------------- one that cannot be killed */

static bool kill_is_lame;

int __real_kill(pid_t pid, int number);
int __wrap_kill(pid_t pid, int number);
int __wrap_kill(pid_t pid, int number)
{
    return kill_is_lame && number ? 0 : __real_kill(pid, number);
}

static void one_that_cannot_be_killed_is_left_behind(void **state)
{
    struct shell s;
    struct ce_child *child = shell(&s, "echo stuck in a driver >&2; exec sleep 60", SHORT_MS);
    struct ce_error err;
    struct timespec start;
    (void)state;
    clock_gettime(CLOCK_MONOTONIC, &start);
    kill_is_lame = true;
    run_one(child);
    kill_is_lame = false;
    assert_true(elapsed_ms(&start) < 5000);
    assert_int_equal(child->end, CE_CHILD_ABANDONED);
    assert_int_equal(kill(child->pid, 0), 0);
    assert_int_equal(ce_child_check(child, &err), -1);
    assert_non_null(strstr(err.text, "cannot be killed: process "));
    assert_non_null(strstr(err.text, "stuck in a driver"));
    kill(child->pid, SIGKILL);
    waitpid(child->pid, NULL, 0);
    ce_child_free(child);
}

/* ---------------------------------------------------------------- several */

enum { MANY = 40 };

static void count_ended(void *ctx, const struct ce_child *child)
{
    (void)child;
    ++*(size_t *)ctx;
}

static void many_run_side_by_side(void **state)
{
    static struct shell s[MANY];
    static struct ce_child children[MANY];
    size_t ended = 0;
    const struct ce_children_plan plan = {.at_once = MANY, .ended = count_ended, .ctx = &ended};
    struct timespec start;
    (void)state;
    for (int i = 0; i < MANY; i++)
        children[i] = *shell(&s[i], "sleep 0.5; echo x", LONG_MS);
    clock_gettime(CLOCK_MONOTONIC, &start);
    ce_children_run(children, MANY, &plan);
    assert_true(elapsed_ms(&start) < MANY * 500 / 2);
    assert_int_equal(ended, MANY);
    for (int i = 0; i < MANY; i++) {
        assert_string_equal(ce_text_string(&children[i].output), "x\n");
        ce_child_free(&children[i]);
    }
}

/* Each says how many are at work with it: they leave a file while they are. */
static void no_more_than_allowed_run_at_once(void **state)
{
    static struct shell s[MANY];
    static struct ce_child children[MANY];
    char folder[] = "/tmp/test_child.XXXXXX", line[256];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(line, sizeof line, "cd %s; : >$$; ls | wc -l; sleep 0.02; rm $$", folder);
    for (int i = 0; i < MANY; i++)
        children[i] = *shell(&s[i], line, LONG_MS);
    ce_children_run(children, MANY, &(struct ce_children_plan){.at_once = 3});
    for (int i = 0; i < MANY; i++) {
        assert_in_range(atoi(ce_text_string(&children[i].output)), 1, 3);
        ce_child_free(&children[i]);
    }
    assert_int_equal(rmdir(folder), 0);
}

static void one_that_hangs_does_not_hold_up_the_others(void **state)
{
    struct shell s[3];
    struct ce_child children[] = {*shell(&s[0], "exec sleep 60", SHORT_MS),
                                  *shell(&s[1], "echo a", LONG_MS),
                                  *shell(&s[2], "echo b", LONG_MS)};
    struct timespec start;
    (void)state;
    clock_gettime(CLOCK_MONOTONIC, &start);
    ce_children_run(children, 3, &(struct ce_children_plan){.at_once = 2});
    assert_true(elapsed_ms(&start) < 5000);
    assert_int_equal(children[0].end, CE_CHILD_LATE);
    assert_string_equal(ce_text_string(&children[1].output), "a\n");
    assert_string_equal(ce_text_string(&children[2].output), "b\n");
    for (int i = 0; i < 3; i++)
        ce_child_free(&children[i]);
}

static void the_time_for_all_holds_for_each(void **state)
{
    struct shell s[3];
    struct ce_child children[] = {*shell(&s[0], "echo a", LONG_MS),
                                  *shell(&s[1], "exec sleep 60", LONG_MS),
                                  *shell(&s[2], "echo never", LONG_MS)};
    struct ce_error err;
    struct timespec start;
    (void)state;
    clock_gettime(CLOCK_MONOTONIC, &start);
    ce_children_run(children, 3, &(struct ce_children_plan){.at_once = 1, .total_ms = 300});
    assert_true(elapsed_ms(&start) < 5000);
    assert_int_equal(children[0].end, CE_CHILD_EXITED);
    assert_int_equal(children[1].end, CE_CHILD_LATE);
    assert_int_equal(children[2].end, CE_CHILD_NOT_RUN);
    assert_int_equal(ce_child_check(&children[2], &err), -1);
    assert_string_equal(err.text, "not run: no time was left");
    for (int i = 0; i < 3; i++)
        ce_child_free(&children[i]);
}

/* What the second is to run is known when the first has said it. */
static void run_what_was_said(void *ctx, const struct ce_child *child)
{
    struct ce_child *second = ctx;
    static struct shell s;
    static char line[64];
    if (child == second)
        return;
    snprintf(line, sizeof line, "%.50s", ce_text_string(&child->output));
    *second = *shell(&s, line, LONG_MS);
}

static void one_begins_after_another(void **state)
{
    struct shell s;
    struct ce_child children[3] = {*shell(&s, "sleep 0.1; echo echo two", LONG_MS)};
    (void)state;
    children[1].after = &children[0];
    children[2].after = &children[1]; /* and has nothing to run */
    ce_children_run(children, 3,
                    &(struct ce_children_plan){
                        .at_once = 3, .ended = run_what_was_said, .ctx = &children[1]});
    assert_string_equal(ce_text_string(&children[1].output), "two\n");
    assert_int_equal(children[2].end, CE_CHILD_NOT_RUN);
    for (int i = 0; i < 3; i++)
        ce_child_free(&children[i]);
}

static void one_after_another_that_hangs_has_no_time(void **state)
{
    struct shell s[2];
    struct ce_child children[] = {*shell(&s[0], "exec sleep 60", LONG_MS),
                                  *shell(&s[1], "echo never", LONG_MS)};
    (void)state;
    children[1].after = &children[0];
    ce_children_run(children, 2, &(struct ce_children_plan){.at_once = 2, .total_ms = SHORT_MS});
    assert_int_equal(children[0].end, CE_CHILD_LATE);
    assert_int_equal(children[1].end, CE_CHILD_NOT_RUN);
    for (int i = 0; i < 2; i++)
        ce_child_free(&children[i]);
}

static void no_file_is_left_open(void **state)
{
    struct shell s;
    (void)state;
    int before = dup(2);
    close(before);
    for (size_t i = 0; i < 5; i++) {
        struct ce_child *child = shell(&s, i % 2 ? "exit 1" : "exec sleep 60", SHORT_MS);
        run_one(child);
        ce_child_free(child);
    }
    int after = dup(2);
    close(after);
    assert_int_equal(before, after);
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    UNIT_TABLE(end_rows, ends);
    UNIT_RULE(a_missing_program_is_told);
    UNIT_RULE(a_function_runs_as_one);
    UNIT_RULE(its_environment_is_the_given_one);
    UNIT_RULE(it_has_its_own_process_group);
    UNIT_RULE(its_signals_are_as_new);
    UNIT_RULE(it_gets_none_of_our_files);
    UNIT_RULE(it_works_where_we_have_no_stdin);
    UNIT_RULE(a_status_is_known_where_sigchld_is_ignored);
    UNIT_RULE(what_it_leaves_running_is_killed);
    UNIT_RULE(at_the_deadline_its_own_children_end_too);
    UNIT_RULE(it_ends_when_we_do);
    UNIT_RULE(one_that_cannot_be_killed_is_left_behind);
    UNIT_RULE(many_run_side_by_side);
    UNIT_RULE(no_more_than_allowed_run_at_once);
    UNIT_RULE(one_that_hangs_does_not_hold_up_the_others);
    UNIT_RULE(the_time_for_all_holds_for_each);
    UNIT_RULE(one_begins_after_another);
    UNIT_RULE(one_after_another_that_hangs_has_no_time);
    UNIT_RULE(no_file_is_left_open);
    return UNIT_RUN("child");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "health/baseline.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "../unit_dir.h"

#define TEXT(boot, uptime, more)                                                                   \
    "format=1\nboot.id=" boot "\nboot.uptime_ms=" uptime "\n" more "gpu.count=0\nend=1\n"

static struct ce_node *node_of(const char *text)
{
    struct ce_node *node = ce_node_parse(text, NULL);
    assert_non_null(node);
    return node;
}

static int open_in(const struct unit_dir *run)
{
    struct ce_error err = {""};
    int dir = ce_baseline_open(run->path, &err);
    assert_string_equal(err.text, "");
    assert_true(dir >= 0);
    return dir;
}

static int store(int dir, uint32_t job, const char *text)
{
    struct ce_error err = {""};
    ce_auto(ce_node_destroy) struct ce_node *node = node_of(text);
    return ce_baseline_store(dir, job, node, &err);
}

static void what_was_stored_is_taken_once(void **state)
{
    (void)state;
    struct unit_dir run = unit_dir_make();
    struct stat st;
    struct ce_error err = {""};
    ce_auto(ce_node_destroy) struct ce_node *now = node_of(TEXT("a", "2000", ""));
    int dir = open_in(&run);
    umask(0);
    assert_int_equal(store(dir, 7, TEXT("a", "1000", "ib.mlx5_0.1.counter.link_downed=3\n")), 0);
    assert_int_equal(fstatat(run.fd, "jobs/7.facts", &st, AT_SYMLINK_NOFOLLOW), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_int_equal(fstatat(run.fd, "jobs", &st, AT_SYMLINK_NOFOLLOW), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    ce_auto(ce_node_destroy) struct ce_node *before = ce_baseline_take(dir, 7, now, &err);
    assert_non_null(before);
    assert_int_equal(before->uptime_ms, 1000);
    assert_int_equal(before->hcas[0].ports[0].counters.value[CE_COUNTER_LINK_DOWNED], 3);
    assert_null(ce_baseline_take(dir, 7, now, &err));
    assert_string_equal(err.text, "7.facts: cannot open: No such file or directory");
    close(dir);
    unit_dir_remove(&run);
}

/* Whatever it says, it is removed. */
static const struct row {
    const char *name, *text, *error; /* error "": it is taken */
} rows[] = {
    {"the_same_moment_is_before_now", TEXT("a", "2000", ""), ""},
    {"of_another_boot_it_says_nothing", TEXT("b", "1000", ""), "5.facts: of another boot"},
    {"without_a_boot_id_neither", "format=1\nboot.uptime_ms=1\nend=1\n",
     "5.facts: of another boot"},
    {"without_a_moment_neither", "format=1\nboot.id=a\nend=1\n",
     "5.facts: of no moment before now"},
    {"of_a_later_moment_neither", TEXT("a", "2001", ""), "5.facts: of no moment before now"},
    {"cut_short", "format=1\nboot.id=a\nboot.upt", "5.facts: cut short: line 3 does not end"},
    {"empty", "", "5.facts: line 1: expected format=1"},
    {"malformed", TEXT("a", "soon", ""), "5.facts: boot.uptime_ms=soon: expected a number"},
    {"a_counter_below_zero", TEXT("a", "1", "ib.m.1.counter.link_downed=-1\n"),
     "5.facts: ib.m.1.counter.link_downed=-1: expected a number"},
};

static void baseline_is(void **state)
{
    const struct row *row = *state;
    struct unit_dir run = unit_dir_make();
    struct ce_error err = {""};
    ce_auto(ce_node_destroy) struct ce_node *now = node_of(TEXT("a", "2000", ""));
    int dir = open_in(&run);
    unit_dir_writen(&run, "jobs/5.facts", row->text, strlen(row->text), 0600);
    ce_auto(ce_node_destroy) struct ce_node *before = ce_baseline_take(dir, 5, now, &err);
    unit_holds(err.text, row->error);
    assert_int_equal(!before, row->error[0] != '\0');
    assert_null(unit_dir_read(&run, "jobs/5.facts"));
    close(dir);
    unit_dir_remove(&run);
}

static void a_link_in_its_place_is_replaced_not_followed(void **state)
{
    (void)state;
    struct unit_dir run = unit_dir_make();
    int dir = open_in(&run);
    unit_dir_write(&run, "target", "precious");
    assert_int_equal(symlinkat("../target", dir, "7.facts"), 0);
    assert_int_equal(store(dir, 7, TEXT("a", "1000", "")), 0);
    char *target = unit_dir_read(&run, "target"), *kept = unit_dir_read(&run, "jobs/7.facts");
    assert_string_equal(target, "precious");
    unit_holds(kept, "boot.uptime_ms=1000\n");
    free(target);
    free(kept);
    close(dir);
    unit_dir_remove(&run);
}

static void a_folder_that_is_a_link_is_refused(void **state)
{
    (void)state;
    struct unit_dir run = unit_dir_make();
    struct ce_error err = {""};
    assert_int_equal(mkdirat(run.fd, "elsewhere", 0700), 0);
    assert_int_equal(symlinkat("elsewhere", run.fd, "jobs"), 0);
    assert_int_equal(ce_baseline_open(run.path, &err), -1);
    unit_holds(err.text, "/jobs: cannot open: ");
    unit_dir_remove(&run);
}

static void a_folder_that_others_may_write_in_is_refused(void **state)
{
    (void)state;
    struct unit_dir run = unit_dir_make();
    struct ce_error err = {""};
    assert_int_equal(mkdirat(run.fd, "jobs", 0700), 0);
    assert_int_equal(fchmodat(run.fd, "jobs", 0777, 0), 0);
    assert_int_equal(ce_baseline_open(run.path, &err), -1);
    unit_holds(err.text, "/jobs: others may write in it; remove it");
    unit_dir_remove(&run);
}

static void without_a_run_directory_there_is_none(void **state)
{
    (void)state;
    struct unit_dir run = unit_dir_make();
    struct ce_error err = {""};
    unit_dir_remove(&run);
    assert_int_equal(ce_baseline_open(run.path, &err), -1);
    unit_holds(err.text, ": cannot open: No such file or directory");
}

/* As on a full disk: the file cannot get its bytes.  An older baseline of a requeued job must not
 * stand for this run. */
static void what_cannot_be_written_leaves_nothing(void **state)
{
    (void)state;
    struct unit_dir run = unit_dir_make();
    int dir = open_in(&run), status;
    assert_int_equal(store(dir, 7, TEXT("a", "1000", "")), 0);
    pid_t pid = fork();
    if (pid == 0) {
        const struct rlimit none = {0, 0};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &none);
        _exit(store(dir, 7, TEXT("a", "1500", "")) == -1 ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_null(unit_dir_read(&run, "jobs/7.facts"));
    assert_int_equal(unlinkat(run.fd, "jobs", AT_REMOVEDIR), 0);
    close(dir);
    unit_dir_remove(&run);
}

static void age(int dir, const char *name, int days)
{
    const struct timespec then = {time(NULL) - (time_t)days * 86400, 0};
    const struct timespec times[] = {then, then};
    assert_int_equal(utimensat(dir, name, times, AT_SYMLINK_NOFOLLOW), 0);
}

static const struct sweep_row {
    const char *name, *file, *text;
    int days;
    bool stays;
} sweeps[] = {
    {"a_fresh_one_stays", "7.facts", TEXT("a", "1", ""), 0, true},
    {"a_fresh_one_is_not_even_opened", "7.facts", "garbage", 0, true},
    {"a_long_job_keeps_its_own", "7.facts", TEXT("a", "1", ""), 30, true},
    {"no_job_runs_so_long", "7.facts", TEXT("a", "1", ""), CE_BASELINE_DAYS + 1, false},
    {"one_of_another_boot_goes", "7.facts", TEXT("b", "1", ""), 2, false},
    {"an_old_malformed_one_goes", "7.facts", "garbage", 2, false},
    {"one_that_is_being_written_stays", ".7.facts.4711", "for", 0, true},
    {"one_that_was_never_finished_goes", ".7.facts.4711", "for", 2, false},
};

static void sweep_leaves(void **state)
{
    const struct sweep_row *row = *state;
    struct unit_dir run = unit_dir_make();
    struct stat st;
    ce_auto(ce_node_destroy) struct ce_node *now = node_of(TEXT("a", "2000", ""));
    int dir = open_in(&run), fd = openat(dir, row->file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, row->text, strlen(row->text)), strlen(row->text));
    close(fd);
    age(dir, row->file, row->days);
    ce_baseline_sweep(dir, now);
    assert_int_equal(fstatat(dir, row->file, &st, 0) == 0, row->stays);
    close(dir);
    unit_dir_remove(&run);
}

/* As where slurm.conf has no Epilog=. */
static void of_many_only_those_of_a_day_stay(void **state)
{
    (void)state;
    struct unit_dir run = unit_dir_make();
    struct stat st;
    char name[32];
    ce_auto(ce_node_destroy) struct ce_node *now = node_of(TEXT("a", "2000", ""));
    int dir = open_in(&run);
    for (uint32_t job = 1; job <= CE_BASELINE_MANY + 1; job++) {
        assert_int_equal(store(dir, job, TEXT("a", "1", "")), 0);
        snprintf(name, sizeof name, "%u.facts", job);
        age(dir, name, job % 2 ? 2 : 0);
    }
    ce_baseline_sweep(dir, now);
    for (uint32_t job = 1; job <= CE_BASELINE_MANY + 1; job++) {
        snprintf(name, sizeof name, "%u.facts", job);
        assert_int_equal(fstatat(dir, name, &st, 0) == 0, job % 2 == 0);
    }
    close(dir);
    unit_dir_remove(&run);
}

/* Sixteen prologs and epilogs of as many jobs. */
static void jobs_do_not_meet(void **state)
{
    (void)state;
    enum { JOBS = 16 };
    struct unit_dir run = unit_dir_make();
    struct ce_error err = {""};
    int status, dir = open_in(&run);
    ce_auto(ce_node_destroy) struct ce_node *now = node_of(TEXT("a", "2000", ""));
    for (uint32_t job = 1; job <= JOBS; job++)
        if (fork() == 0) {
            int rc = 0;
            for (int i = 0; i < 20 && rc == 0; i++) {
                char text[64];
                snprintf(text, sizeof text, TEXT("a", "%u", ""), job);
                int own = ce_baseline_open(run.path, &err);
                rc = own < 0 || store(own, job, text) < 0;
                ce_baseline_sweep(own, now);
                struct ce_node *mine = rc ? NULL : ce_baseline_take(own, job, now, &err);
                rc = !mine || mine->uptime_ms != job;
                ce_node_destroy(mine);
                close(own);
            }
            ce_node_destroy(now);
            _exit(rc);
        }
    for (int i = 0; i < JOBS; i++) {
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    close(dir);
    unit_dir_remove(&run);
}

int main(void)
{
    UNIT_RULE(what_was_stored_is_taken_once);
    UNIT_TABLE(rows, baseline_is);
    UNIT_RULE(a_link_in_its_place_is_replaced_not_followed);
    UNIT_RULE(a_folder_that_is_a_link_is_refused);
    UNIT_RULE(a_folder_that_others_may_write_in_is_refused);
    UNIT_RULE(without_a_run_directory_there_is_none);
    UNIT_RULE(what_cannot_be_written_leaves_nothing);
    UNIT_TABLE(sweeps, sweep_leaves);
    UNIT_RULE(of_many_only_those_of_a_day_stay);
    UNIT_RULE(jobs_do_not_meet);
    return UNIT_RUN("health/baseline");
}

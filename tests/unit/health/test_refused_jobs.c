/* SPDX-License-Identifier: Apache-2.0 */
#include "health/refused_jobs.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "../unit_dir.h"

static const struct ce_refused_job job_7 = {.job = 7, .boot_id = "a", .reason = {"mlx5_4/1 DOWN"}};

static void what_is_kept_is_readable_by_all_and_writable_by_root(void **state)
{
    (void)state;
    struct unit_dir run = unit_dir_make();
    struct stat st;
    struct ce_error err = {""};
    mode_t old = umask(077);
    assert_int_equal(ce_refused_jobs_keep(run.path, &job_7, &err), 0);
    umask(old);
    assert_int_equal(fstatat(run.fd, "refused", &st, AT_SYMLINK_NOFOLLOW), 0);
    assert_int_equal(st.st_mode & 07777, 0755);
    assert_int_equal(fstatat(run.fd, "refused/7", &st, AT_SYMLINK_NOFOLLOW), 0);
    assert_int_equal(st.st_mode & 07777, 0644);
    char *text = unit_dir_read(&run, "refused/7");
    assert_string_equal(text, "format=1\njob=7\nrestarts=0\nboot.id=a\nreason=mlx5_4/1 DOWN\nend=1\n");
    free(text);
    unit_dir_remove(&run);
}

static void what_is_forgotten_is_gone_and_may_be_forgotten_again(void **state)
{
    (void)state;
    struct unit_dir run = unit_dir_make();
    struct ce_error err = {""};
    assert_int_equal(ce_refused_jobs_forget(run.path, 7, &err), 0);
    assert_int_equal(ce_refused_jobs_keep(run.path, &job_7, &err), 0);
    assert_int_equal(ce_refused_jobs_forget(run.path, 8, &err), 0);
    char *text = unit_dir_read(&run, "refused/7");
    assert_non_null(text);
    free(text);
    assert_int_equal(ce_refused_jobs_forget(run.path, 7, &err), 0);
    assert_null(unit_dir_read(&run, "refused/7"));
    assert_int_equal(ce_refused_jobs_forget(run.path, 7, &err), 0);
    unit_dir_remove(&run);
}

static void a_link_in_its_place_is_replaced_not_followed(void **state)
{
    (void)state;
    struct unit_dir run = unit_dir_make();
    struct ce_error err = {""};
    assert_int_equal(mkdirat(run.fd, "refused", 0755), 0);
    unit_dir_write(&run, "target", "precious");
    assert_int_equal(symlinkat("../target", run.fd, "refused/7"), 0);
    assert_int_equal(ce_refused_jobs_keep(run.path, &job_7, &err), 0);
    char *target = unit_dir_read(&run, "target");
    assert_string_equal(target, "precious");
    free(target);
    unit_dir_remove(&run);
}

static void a_link_in_place_of_the_folder_is_refused(void **state)
{
    (void)state;
    struct unit_dir run = unit_dir_make();
    struct ce_error err = {""};
    assert_int_equal(mkdirat(run.fd, "elsewhere", 0755), 0);
    assert_int_equal(symlinkat("elsewhere", run.fd, "refused"), 0);
    assert_int_equal(ce_refused_jobs_keep(run.path, &job_7, &err), -1);
    unit_holds(err.text, "/refused: cannot open: ");
    unit_dir_remove(&run);
}

static void a_folder_that_others_may_write_in_is_refused(void **state)
{
    (void)state;
    struct unit_dir run = unit_dir_make();
    struct ce_error err = {""};
    assert_int_equal(mkdirat(run.fd, "refused", 0755), 0);
    assert_int_equal(fchmodat(run.fd, "refused", 0777, 0), 0);
    assert_int_equal(ce_refused_jobs_keep(run.path, &job_7, &err), -1);
    unit_holds(err.text, "/refused: others may write in it; remove it");
    unit_dir_remove(&run);
}

static void without_a_run_directory_it_is_an_error(void **state)
{
    (void)state;
    struct unit_dir run = unit_dir_make();
    struct ce_error err = {""};
    unit_dir_remove(&run);
    assert_int_equal(ce_refused_jobs_keep(run.path, &job_7, &err), -1);
    unit_holds(err.text, ": cannot open: No such file or directory");
}

static void without_a_boot_id_nothing_is_kept(void **state)
{
    (void)state;
    struct unit_dir run = unit_dir_make();
    struct ce_error err = {""};
    assert_int_equal(ce_refused_jobs_keep(run.path, &(struct ce_refused_job){.job = 7, .reason = {"x"}}, &err), -1);
    unit_holds(err.text, "the boot id is not known");
    unit_dir_remove(&run);
}

/* As on a full disk. */
static void what_cannot_be_written_leaves_nothing(void **state)
{
    (void)state;
    struct unit_dir run = unit_dir_make();
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        const struct rlimit none = {0, 0};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &none);
        _exit(ce_refused_jobs_keep(run.path, &job_7, NULL) == -1 ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_null(unit_dir_read(&run, "refused/7"));
    assert_int_equal(unlinkat(run.fd, "refused", AT_REMOVEDIR), 0);
    unit_dir_remove(&run);
}

static void a_file_is_removed_after_a_day(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        time_t hours;
        bool stays;
    } old[] = {{"refused/1", 23, true}, {"refused/2", 25, false}, {"refused/.3.4711", 25, false}};
    struct unit_dir run = unit_dir_make();
    struct ce_error err = {""};
    assert_int_equal(mkdirat(run.fd, "refused", 0755), 0);
    for (size_t i = 0; i < UNIT_COUNT(old); i++) {
        const struct timespec then = {time(NULL) - old[i].hours * 3600, 0}, times[] = {then, then};
        unit_dir_write(&run, old[i].name, "x");
        assert_int_equal(utimensat(run.fd, old[i].name, times, 0), 0);
    }
    assert_int_equal(ce_refused_jobs_keep(run.path, &job_7, &err), 0);
    for (size_t i = 0; i < UNIT_COUNT(old); i++)
        assert_int_equal(faccessat(run.fd, old[i].name, F_OK, 0) == 0, old[i].stays);
    assert_int_equal(faccessat(run.fd, "refused/7", F_OK, 0), 0);
    unit_dir_remove(&run);
}

int main(void)
{
    UNIT_RULE(what_is_kept_is_readable_by_all_and_writable_by_root);
    UNIT_RULE(what_is_forgotten_is_gone_and_may_be_forgotten_again);
    UNIT_RULE(a_link_in_its_place_is_replaced_not_followed);
    UNIT_RULE(a_link_in_place_of_the_folder_is_refused);
    UNIT_RULE(a_folder_that_others_may_write_in_is_refused);
    UNIT_RULE(without_a_run_directory_it_is_an_error);
    UNIT_RULE(without_a_boot_id_nothing_is_kept);
    UNIT_RULE(what_cannot_be_written_leaves_nothing);
    UNIT_RULE(a_file_is_removed_after_a_day);
    return UNIT_RUN("health/refused_jobs");
}

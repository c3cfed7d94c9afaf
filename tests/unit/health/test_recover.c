/* SPDX-License-Identifier: Apache-2.0 */
/* The file of the way back, with a shell script in the place of slurm-node. */
#include "health/recover.h"

#include <sys/file.h>

#include "../unit_dir.h"

/* Where the tests run: /tmp may be mounted noexec. */
static char helpers[4096] = "test_recover.XXXXXX", script[4200];
#define STATE "recovery/drain"
#define REASON "mlx5_4/1 DOWN [cluster-env ib.port.state]"
#define AGED(boot, reason, more)                                                                   \
    "format=1\nboot_id=" boot "\nreason=" reason                                                   \
    "\ncheck.0=ib.port.state\npasses=2\nfirst_pass_ms=1000\n" more "end=1\n"

static int make_helpers(void **state)
{
    (void)state;
    if (!mkdtemp(helpers))
        return -1;
    snprintf(script, sizeof script, "%s/slurm-node", helpers);
    return 0;
}

static int remove_helpers(void **state)
{
    (void)state;
    unlink(script);
    return rmdir(helpers);
}

static void helper(const char *text)
{
    FILE *file = fopen(script, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", text);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(script, 0755), 0);
}

/* Of boot a, 20 minutes after it. */
static struct ce_phase_result result_of(enum ce_verdict verdict)
{
    struct ce_phase_result result = {
        .node_name = "n1", .boot_id = "a", .uptime_ms = 20 * 60 * 1000, .reason = {REASON}};
    ce_findings_add(&result.findings, verdict, "mlx5_4/1", "as said");
    result.findings.items[0].check = "ib.port.state";
    result.findings.items[0].response = verdict == CE_FAIL ? CE_DRAIN : CE_IGNORE;
    return result;
}

static void read_state(const struct unit_dir *run, char *text, size_t size)
{
    int fd = openat(run->fd, STATE, O_RDONLY);
    ssize_t length = fd < 0 ? 0 : read(fd, text, size - 1);
    text[length < 0 ? 0 : length] = '\0';
    if (fd >= 0)
        close(fd);
}

static void a_drain_is_kept_for_root_only(void **state)
{
    (void)state;
    struct unit_dir run = unit_dir_make();
    struct ce_error err = {""};
    struct stat st;
    char text[1000];
    ce_autophase struct ce_phase_result result = result_of(CE_FAIL);
    umask(0);
    assert_int_equal(ce_recover_drained(run.path, &result, &err), 0);
    assert_int_equal(fstatat(run.fd, STATE, &st, AT_SYMLINK_NOFOLLOW), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_int_equal(fstatat(run.fd, "recovery", &st, AT_SYMLINK_NOFOLLOW), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    read_state(&run, text, sizeof text);
    assert_string_equal(text, "format=1\nboot_id=a\nreason=" REASON "\ncheck.0=ib.port.state\n"
                              "passes=0\nfirst_pass_ms=0\ncame_back_ms.0=0\ncame_back_ms.1=0\nend=1\n");
    unit_dir_remove(&run);
}

static const struct row {
    const char *name, *state, *helper;
    enum ce_verdict verdict;
    enum ce_recover_end end;
    const char *after; /* a part of the state */
} rows[] = {
    {"nothing_was_drained", NULL, "exit 9", CE_PASS, CE_RECOVER_NOTHING, ""},
    {"it_is_time", AGED("a", REASON, ""),
     "[ \"$*\" = 'resume n1 " REASON "' ] && exit 0; exit 9", CE_PASS, CE_RECOVER_BACK,
     "reason=\npasses=0\nfirst_pass_ms=0\ncame_back_ms.0=1200000\n"},
    {"it_is_not_time", AGED("a", REASON, "came_back_ms.0=0\ncame_back_ms.1=900000\n"), "exit 9",
     CE_FAIL, CE_RECOVER_NOTHING, "passes=0\n"},
    {"a_pass_is_counted", "format=1\nboot_id=a\nreason=" REASON "\ncheck.0=ib.port.state\nend=1\n",
     "exit 9", CE_PASS, CE_RECOVER_NOTHING, "passes=1\nfirst_pass_ms=1200000\n"},
    {"twice_today", AGED("a", REASON, "came_back_ms.0=9\ncame_back_ms.1=8\n"), "exit 9", CE_PASS,
     CE_RECOVER_ENOUGH, "passes=3\n"},
    {"another_reason_stands_there", AGED("a", REASON, ""), "exit 4", CE_PASS, CE_RECOVER_TAKEN,
     "reason=\n"},
    {"slurmctld_does_not_answer", AGED("a", REASON, ""), "exit 1", CE_PASS, CE_RECOVER_FAILED,
     "reason=" REASON "\n"},
    {"then_no_time_is_noted", AGED("a", REASON, "came_back_ms.0=7\n"), "exit 1", CE_PASS,
     CE_RECOVER_FAILED, "came_back_ms.0=7\n"},
    {"of_another_boot", AGED("b", REASON, ""), "exit 9", CE_PASS, CE_RECOVER_NOTHING, ""},
    {"garbage", "reason=" REASON, "exit 9", CE_PASS, CE_RECOVER_NOTHING, ""},
};

static void look(void **state)
{
    const struct row *row = *state;
    struct unit_dir run = unit_dir_make();
    struct ce_error reason = {""}, err = {""};
    char text[1000];
    ce_autophase struct ce_phase_result result = result_of(row->verdict);
    helper(row->helper);
    assert_int_equal(mkdirat(run.fd, "recovery", 0700), 0);
    if (row->state)
        unit_dir_write(&run, STATE, row->state);
    assert_int_equal(ce_recover_look(run.path, helpers, &result, 10000, &reason, &err), row->end);
    read_state(&run, text, sizeof text);
    unit_holds(text, row->after);
    unit_dir_remove(&run);
}

struct odd {
    const char *name, *error;
    void (*make)(const struct unit_dir *run);
};

static void make_link(const struct unit_dir *run)
{
    assert_int_equal(symlinkat("/tmp", run->fd, "recovery"), 0);
}

static void make_open(const struct unit_dir *run)
{
    assert_int_equal(mkdirat(run->fd, "recovery", 0700), 0);
    assert_int_equal(fchmodat(run->fd, "recovery", 0777, 0), 0);
}

static void make_file(const struct unit_dir *run)
{
    unit_dir_write(run, "recovery", "x");
}

static const struct odd odds[] = {
    {"a_link_is_not_followed", "recovery: cannot open: ", make_link},
    {"a_folder_that_others_may_write_is_not_used", "others may write in it", make_open},
    {"a_file_in_its_place", "recovery: cannot open: Not a directory", make_file},
};

static void is_not_trusted(void **state)
{
    const struct odd *row = *state;
    struct unit_dir run = unit_dir_make();
    struct ce_error reason = {""}, err = {""};
    ce_autophase struct ce_phase_result result = result_of(CE_PASS);
    row->make(&run);
    helper("exit 9");
    assert_int_equal(ce_recover_drained(run.path, &result, &err), -1);
    unit_holds(err.text, row->error);
    assert_int_equal(ce_recover_look(run.path, helpers, &result, 1000, &reason, &err),
                     CE_RECOVER_FAILED);
    unit_dir_remove(&run);
}

/* The link goes, what it leads to stays. */
static void a_link_in_the_place_of_the_file_is_replaced(void **state)
{
    (void)state;
    struct unit_dir run = unit_dir_make();
    struct ce_error err = {""};
    struct stat st;
    ce_autophase struct ce_phase_result result = result_of(CE_FAIL);
    assert_int_equal(mkdirat(run.fd, "recovery", 0700), 0);
    unit_dir_write(&run, "victim", "as it was");
    assert_int_equal(symlinkat("../victim", run.fd, STATE), 0);
    assert_int_equal(ce_recover_drained(run.path, &result, &err), 0);
    assert_int_equal(fstatat(run.fd, STATE, &st, AT_SYMLINK_NOFOLLOW), 0);
    assert_true(S_ISREG(st.st_mode));
    assert_int_equal(fstatat(run.fd, "victim", &st, 0), 0);
    assert_int_equal(st.st_size, 9);
    unit_dir_remove(&run);
}

static void who_comes_second_waits_for_nobody(void **state)
{
    (void)state;
    struct unit_dir run = unit_dir_make();
    struct ce_error err = {""};
    ce_autophase struct ce_phase_result result = result_of(CE_FAIL);
    assert_int_equal(mkdirat(run.fd, "recovery", 0700), 0);
    int dir = openat(run.fd, "recovery", O_RDONLY | O_DIRECTORY);
    assert_int_equal(flock(dir, LOCK_EX), 0);
    assert_int_equal(ce_recover_drained(run.path, &result, &err), -1);
    unit_holds(err.text, "another process holds it");
    close(dir);
    assert_int_equal(ce_recover_drained(run.path, &result, &err), 0);
    unit_dir_remove(&run);
}

static void without_a_boot_or_a_time_nothing_is_kept(void **state)
{
    (void)state;
    struct unit_dir run = unit_dir_make();
    struct ce_error err = {""};
    ce_autophase struct ce_phase_result result = result_of(CE_FAIL);
    result.uptime_ms = 0;
    assert_int_equal(ce_recover_drained(run.path, &result, &err), -1);
    unit_holds(err.text, "the boot id or the uptime is not known");
    result.uptime_ms = 1;
    result.boot_id[0] = '\0';
    assert_int_equal(ce_recover_drained(run.path, &result, &err), -1);
    unit_dir_remove(&run);
}

int main(void)
{
    UNIT_RULE(a_drain_is_kept_for_root_only);
    UNIT_TABLE(rows, look);
    UNIT_TABLE(odds, is_not_trusted);
    UNIT_RULE(a_link_in_the_place_of_the_file_is_replaced);
    UNIT_RULE(who_comes_second_waits_for_nobody);
    UNIT_RULE(without_a_boot_or_a_time_nothing_is_kept);
    return cmocka_run_group_tests_name("health/recover", unit_tests, make_helpers, remove_helpers);
}

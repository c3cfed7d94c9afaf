/* SPDX-License-Identifier: Apache-2.0 */
#include "local/refused_job.h"

#include "../unit_dir.h"

#define TEXT(job, restarts, boot, reason)                                                          \
    "format=1\njob=" job "\nrestarts=" restarts "\nboot.id=" boot "\nreason=" reason "\nend=1\n"
#define TEN "0123456789"
#define FIFTY TEN TEN TEN TEN TEN
#define FIVE_HUNDRED FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY

/* ---------------------------------------------------------------- the text */

static const struct text_row {
    const char *name, *text, *error; /* error "": it is accepted */
} texts[] = {
    {"a_usual_text_is_accepted", TEXT("7", "0", "a", "gpu 3"), ""},
    {"the_largest_numbers_are_accepted", TEXT("4294967295", "4294967295", "a", "x"), ""},
    {"a_newer_text_is_accepted", "format=1\nmore=1\njob=7\nrestarts=0\nboot.id=a\nreason=x\nend=1\n", ""},
    {"a_reason_may_have_511_characters", TEXT("7", "0", "a", FIVE_HUNDRED "01234567890"), ""},
    {"an_empty_text_is_refused", "", "expected format=1"},
    {"a_text_that_was_cut_is_refused", "format=1\njob=7\nrestarts=0\nboot.id=a\nreason=x\n", "cut short"},
    {"garbage_is_refused", "\001\002\003\n", "line 1: expected key=value"},
    {"job_0_is_refused", TEXT("0", "0", "a", "x"), "job=0: expected a number from 1 to 4294967295"},
    {"a_job_that_is_not_a_number_is_refused", TEXT("x", "0", "a", "x"), "job=x: expected a number"},
    {"a_job_that_is_too_large_is_refused", TEXT("4294967296", "0", "a", "x"), "expected a number"},
    {"a_text_without_a_job_is_refused", "format=1\nrestarts=0\nboot.id=a\nreason=x\nend=1\n", "no job="},
    {"a_text_with_two_jobs_is_refused", TEXT("7\njob=8", "0", "a", "x"), "job"},
    {"a_negative_number_of_restarts_is_refused", TEXT("7", "-1", "a", "x"), "restarts=-1: expected a number"},
    {"a_text_without_a_boot_is_refused", "format=1\njob=7\nrestarts=0\nreason=x\nend=1\n", "no boot.id="},
    {"an_empty_boot_is_refused", TEXT("7", "0", "", "x"), "no boot.id="},
    {"a_boot_of_64_characters_is_refused", TEXT("7", "0", FIFTY "01234567890123", "x"), "boot.id="},
    {"an_empty_reason_is_refused", TEXT("7", "0", "a", ""), "no reason="},
    {"a_reason_of_512_characters_is_refused", TEXT("7", "0", "a", FIVE_HUNDRED "012345678901"), "reason="},
    {"a_reason_that_draws_on_a_terminal_is_refused", TEXT("7", "0", "a", "\033[2J"), "printable"},
};

static void is_parsed(void **state)
{
    const struct text_row *row = *state;
    struct ce_refused_job refused;
    struct ce_error err = {""};
    assert_int_equal(ce_refused_job_parse(row->text, &refused, &err), row->error[0] ? -1 : 0);
    unit_holds(err.text, row->error);
}

static void what_is_formatted_is_parsed(void **state)
{
    (void)state;
    struct ce_refused_job job = {.job = 7, .restarts = 2, .boot_id = "a", .reason = {"a=b; \303\274 c"}}, again;
    ce_autotext struct ce_text text = CE_TEXT(CE_REFUSED_JOB_TEXT);
    ce_refused_job_format(&job, &text);
    assert_true(ce_text_ok(&text));
    assert_int_equal(ce_refused_job_parse(ce_text_string(&text), &again, NULL), 0);
    assert_int_equal(again.job, 7);
    assert_int_equal(again.restarts, 2);
    assert_string_equal(again.boot_id, "a");
    assert_string_equal(again.reason.text, job.reason.text);
}

static void the_longest_values_fit(void **state)
{
    (void)state;
    struct ce_refused_job job = {.job = UINT32_MAX, .restarts = UINT32_MAX};
    ce_autotext struct ce_text text = CE_TEXT(CE_REFUSED_JOB_TEXT);
    memset(job.boot_id, 'b', sizeof job.boot_id - 1);
    memset(job.reason.text, 'r', sizeof job.reason.text - 1);
    ce_refused_job_format(&job, &text);
    assert_true(ce_text_ok(&text));
}

static void without_a_reason_or_a_boot_there_is_no_text(void **state)
{
    (void)state;
    const struct ce_refused_job jobs[] = {{.job = 7, .boot_id = "a"}, {.job = 7, .reason = {"x"}}};
    for (size_t i = 0; i < UNIT_COUNT(jobs); i++) {
        ce_autotext struct ce_text text = CE_TEXT(CE_REFUSED_JOB_TEXT);
        ce_refused_job_format(&jobs[i], &text);
        assert_false(ce_text_ok(&text));
    }
}

/* ---------------------------------------------------------------- the file */

static struct unit_dir run;

static int start_afresh(void **state)
{
    (void)state;
    run = unit_dir_make();
    return mkdirat(run.fd, CE_REFUSED_JOBS_DIR, 0755);
}

static int clear_away(void **state)
{
    (void)state;
    unit_dir_remove(&run);
    return 0;
}

static const char *boot_id(void)
{
    static char id[64];
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    assert_non_null(file);
    assert_non_null(fgets(id, sizeof id, file));
    fclose(file);
    id[strcspn(id, "\n")] = '\0';
    return id;
}

/* refused/7, as these rows have it; the usual one is of job 7 and this boot. */
static void make_file(const char *job, const char *boot, size_t padding)
{
    char text[8192];
    int n = snprintf(text, sizeof text, TEXT("%s", "0", "%s", "mlx5_4/1 DOWN"), job, boot);
    memset(text + n, '\n', padding);
    unit_dir_writen(&run, "refused/7", text, (size_t)n + padding, 0644);
}

static void usual(void) { make_file("7", boot_id(), 0); }
static void another_job(void) { make_file("8", boot_id(), 0); }
static void another_boot(void) { make_file("7", "00000000-0000-4000-8000-000000000000", 0); }
static void part_of_the_boot(void) { make_file("7", "0", 0); }
static void too_long(void) { make_file("7", boot_id(), 4096); }
static void garbage(void) { unit_dir_writen(&run, "refused/7", "\001\000\377", 3, 0644); }
static void nothing(void) {}
static void no_folder(void) { assert_int_equal(unlinkat(run.fd, "refused", AT_REMOVEDIR), 0); }
static void a_folder(void) { assert_int_equal(mkdirat(run.fd, "refused/7", 0755), 0); }
static void a_fifo(void) { assert_int_equal(mkfifoat(run.fd, "refused/7", 0644), 0); }
static void of_a_user(void)
{
    usual();
    assert_int_equal(fchownat(run.fd, "refused/7", 12345, 12345, 0), 0);
}
/* The user that the stepd is at that moment. */
static void of_the_jobs_user(void)
{
    usual();
    assert_int_equal(fchownat(run.fd, "refused/7", 65534, 65534, 0), 0);
}
static void writable(void)
{
    usual();
    assert_int_equal(fchmodat(run.fd, "refused/7", 0666, 0), 0);
}
static void a_link(void)
{
    usual();
    assert_int_equal(renameat(run.fd, "refused/7", run.fd, "refused/target"), 0);
    assert_int_equal(symlinkat("target", run.fd, "refused/7"), 0);
}

static const struct file_row {
    const char *name;
    void (*make)(void);
    bool found;
} files[] = {
    {"a_file_of_root_of_this_job_and_boot_is_found", usual, true},
    {"without_a_file_nothing_is_found", nothing, false},
    {"without_a_folder_nothing_is_found", no_folder, false},
    {"a_file_of_another_job_is_not_believed", another_job, false},
    {"a_file_of_another_boot_is_not_believed", another_boot, false},
    {"a_file_of_a_part_of_this_boot_is_not_believed", part_of_the_boot, false},
    {"a_file_that_is_too_long_is_not_believed", too_long, false},
    {"garbage_is_not_believed", garbage, false},
    {"a_file_of_a_user_is_not_believed", of_a_user, false},
    {"a_file_of_the_jobs_own_user_is_not_believed", of_the_jobs_user, false},
    {"a_file_that_others_may_write_is_not_believed", writable, false},
    {"a_link_is_not_followed", a_link, false},
    {"a_folder_is_not_a_file", a_folder, false},
    {"a_fifo_does_not_block", a_fifo, false},
};

static void is_found(void **state)
{
    const struct file_row *row = *state;
    struct ce_refused_job refused;
    row->make();
    unit_leave_root();
    bool found = ce_refused_job_find(run.path, 7, &refused);
    unit_return_to_root();
    assert_int_equal(found, row->found);
    if (found)
        assert_string_equal(refused.reason.text, "mlx5_4/1 DOWN");
}

static void add_files(void)
{
    for (size_t i = 0; i < UNIT_COUNT(files); i++) {
        unit_add_unless(unit_needs_root(), files[i].name, is_found);
        unit_tests[unit_count - 1].initial_state = (void *)(uintptr_t)&files[i];
        unit_tests[unit_count - 1].setup_func = start_afresh;
        unit_tests[unit_count - 1].teardown_func = clear_away;
    }
}

int main(void)
{
    UNIT_TABLE(texts, is_parsed);
    UNIT_RULE(what_is_formatted_is_parsed);
    UNIT_RULE(the_longest_values_fit);
    UNIT_RULE(without_a_reason_or_a_boot_there_is_no_text);
    add_files();
    return UNIT_RUN("local/refused_job");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "base/replace.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "../unit_dir.h"

static struct unit_dir dir;

static int count_entries(void)
{
    int count = 0;
    DIR *list = opendir(dir.path);
    assert_non_null(list);
    while (readdir(list))
        count++;
    closedir(list);
    return count - 2; /* . and .. */
}

static void holds(const char *name, const char *expected)
{
    char *text = unit_dir_read(&dir, name);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

static int start_afresh(void **state)
{
    (void)state;
    dir = unit_dir_make();
    return 0;
}

static int clear_away(void **state)
{
    (void)state;
    unit_dir_remove(&dir);
    return 0;
}

static void a_new_file_gets_the_text_and_the_mode(void **state)
{
    struct ce_error err;
    struct stat st;
    (void)state;
    mode_t mask = umask(077);
    assert_int_equal(ce_file_replace(dir.fd, "node.facts", "format=1\n", 0644, &err), 0);
    umask(mask);
    holds("node.facts", "format=1\n");
    assert_int_equal(fstatat(dir.fd, "node.facts", &st, 0), 0);
    assert_int_equal(st.st_mode & 07777, 0644);
    assert_int_equal(count_entries(), 1);
}

static void an_old_file_is_replaced_and_not_written_into(void **state)
{
    struct ce_error err;
    struct stat before, after;
    (void)state;
    unit_dir_writen(&dir, "a", "a long old text", 15, 0600);
    fstatat(dir.fd, "a", &before, 0);
    int reader = openat(dir.fd, "a", O_RDONLY | O_CLOEXEC);
    assert_int_equal(ce_file_replace(dir.fd, "a", "new", 0644, &err), 0);
    holds("a", "new");
    fstatat(dir.fd, "a", &after, 0);
    assert_true(before.st_ino != after.st_ino);
    char old[32] = "";
    assert_int_equal(read(reader, old, sizeof old), 15);
    assert_string_equal(old, "a long old text");
    close(reader);
    assert_int_equal(count_entries(), 1);
}

static void an_empty_text_is_a_text(void **state)
{
    struct ce_error err;
    (void)state;
    assert_int_equal(ce_file_replace(dir.fd, "a", "", 0644, &err), 0);
    holds("a", "");
}

static void a_link_in_the_way_is_replaced_not_followed(void **state)
{
    struct ce_error err;
    (void)state;
    unit_dir_write(&dir, "victim", "old");
    assert_int_equal(symlinkat("victim", dir.fd, "a"), 0);
    assert_int_equal(ce_file_replace(dir.fd, "a", "new", 0644, &err), 0);
    holds("victim", "old");
    holds("a", "new");
}

/* A run of the same process id was killed half way. */
static void what_a_killed_run_left_does_not_stand_in_the_way(void **state)
{
    char name[64];
    struct ce_error err;
    (void)state;
    snprintf(name, sizeof name, ".a.%ld", (long)getpid());
    unit_dir_write(&dir, name, "half a te");
    assert_int_equal(ce_file_replace(dir.fd, "a", "new", 0644, &err), 0);
    holds("a", "new");
    assert_int_equal(count_entries(), 1);
}

static void a_name_that_is_too_long_is_an_error(void **state)
{
    char name[400];
    struct ce_error err;
    (void)state;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_int_equal(ce_file_replace(dir.fd, name, "new", 0644, &err), -1);
    unit_holds(err.text, "too long");
    assert_int_equal(count_entries(), 0);
}

/* The old file is whole, the reason is told, nothing is left beside it. */
static void stays_old(const char *text, const char *reason)
{
    struct ce_error err = {""};
    int rc = ce_file_replace(dir.fd, "a", text, 0644, &err);
    unit_return_to_root();
    assert_int_equal(rc, -1);
    unit_holds(err.text, "a: cannot write");
    unit_holds(err.text, reason);
    holds("a", "old");
    assert_int_equal(count_entries(), 1);
}

static void a_folder_that_may_not_be_written_keeps_the_old_file(void **state)
{
    (void)state;
    unit_dir_write(&dir, "a", "old");
    assert_int_equal(fchmod(dir.fd, 0555), 0);
    unit_leave_root();
    stays_old("new", "Permission denied");
    assert_int_equal(fchmod(dir.fd, 0755), 0);
}

static void a_folder_in_the_way_stays(void **state)
{
    struct ce_error err;
    (void)state;
    assert_int_equal(mkdirat(dir.fd, "a", 0755), 0);
    assert_int_equal(ce_file_replace(dir.fd, "a", "new", 0644, &err), -1);
    unit_holds(err.text, "a: cannot write");
    assert_int_equal(count_entries(), 1);
}

static char *long_text(size_t length)
{
    char *text = malloc(length + 1);
    assert_non_null(text);
    memset(text, 'x', length);
    text[length] = '\0';
    return text;
}

/* As on a full disk: a part can be written, the rest cannot. */
static void a_write_that_stops_half_way_keeps_the_old_file(void **state)
{
    struct rlimit old, small;
    char *text = long_text(10000);
    (void)state;
    unit_dir_write(&dir, "a", "old");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = (struct rlimit){4096, old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    struct ce_error err = {""};
    int rc = ce_file_replace(dir.fd, "a", text, 0644, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    free(text);
    assert_int_equal(rc, -1);
    unit_holds(err.text, "File too large");
    holds("a", "old");
    assert_int_equal(count_entries(), 1);
}

static int mount_small(const char *path)
{
    if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return -1;
    return mount("none", path, "tmpfs", 0, "size=64k,mode=755");
}

/* Why this machine cannot be asked for a file system of one's own; tried in a child. */
static const char *cannot_mount(void)
{
    int status = 1;
    pid_t child = getuid() == 0 ? fork() : -1;
    if (child == 0)
        _exit(mount_small("/tmp") < 0);
    if (child > 0)
        waitpid(child, &status, 0);
    return getuid() != 0 ? "needs root" : status ? "needs a kernel that lets it mount" : NULL;
}

static void a_full_disk_keeps_the_old_file(void **state)
{
    char *text = long_text(200000);
    (void)state;
    assert_int_equal(mount_small(dir.path), 0);
    close(dir.fd);
    dir.fd = open(dir.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    unit_dir_write(&dir, "a", "old");
    stays_old(text, "No space left");
    free(text);
    umount2(dir.path, MNT_DETACH);
}

static void add(const char *name, CMUnitTestFunction run, const char *skip)
{
    unit_add_unless(skip, name, run);
    unit_tests[unit_count - 1].setup_func = start_afresh;
    unit_tests[unit_count - 1].teardown_func = clear_away;
}
#define ADD(rule) add(#rule, rule, NULL)

int main(void)
{
    ADD(a_new_file_gets_the_text_and_the_mode);
    ADD(an_old_file_is_replaced_and_not_written_into);
    ADD(an_empty_text_is_a_text);
    ADD(a_link_in_the_way_is_replaced_not_followed);
    ADD(what_a_killed_run_left_does_not_stand_in_the_way);
    ADD(a_name_that_is_too_long_is_an_error);
    ADD(a_folder_that_may_not_be_written_keeps_the_old_file);
    ADD(a_folder_in_the_way_stays);
    ADD(a_write_that_stops_half_way_keeps_the_old_file);
    add("a_full_disk_keeps_the_old_file", a_full_disk_keeps_the_old_file, cannot_mount());
    return UNIT_RUN("base/replace");
}

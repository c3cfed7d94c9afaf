/* SPDX-License-Identifier: Apache-2.0 */
#include "base/append.h"

#include <sys/wait.h>

#include "../unit_dir.h"
#include "base/file.h"

static struct unit_dir dir;
static char path[256];
static struct ce_error err;

static int make_dir(void **state)
{
    (void)state;
    dir = unit_dir_make();
    snprintf(path, sizeof path, "%s/log/health.jsonl", dir.path);
    return 0;
}

static int remove_dir(void **state)
{
    (void)state;
    unit_dir_remove(&dir);
    return 0;
}

static void start_anew(void)
{
    unlink(path);
    unlinkat(dir.fd, "log", AT_REMOVEDIR);
    err.text[0] = '\0';
}

static void holds(const char *expected)
{
    ce_autotext struct ce_text text = CE_TEXT(1 << 20);
    assert_int_equal(ce_file_read(AT_FDCWD, path, CE_TRUST_ANY, &text, &err), CE_READ_OK);
    assert_string_equal(ce_text_string(&text), expected);
}

static unsigned mode_of(const char *name)
{
    struct stat st;
    assert_int_equal(stat(name, &st), 0);
    return st.st_mode & 07777;
}

static void file_and_folder_are_made(void **state)
{
    char folder[256];
    mode_t before = umask(077);
    (void)state;
    start_anew();
    assert_int_equal(ce_file_append(path, "a\n", 0640, &err), 0);
    umask(before);
    holds("a\n");
    assert_int_equal(mode_of(path), 0640);
    snprintf(folder, sizeof folder, "%s/log", dir.path);
    assert_int_equal(mode_of(folder), 0755);
}

static void lines_are_added(void **state)
{
    (void)state;
    start_anew();
    assert_int_equal(ce_file_append(path, "a\n", 0640, &err), 0);
    assert_int_equal(chmod(path, 0644), 0);
    assert_int_equal(ce_file_append(path, "b\n", 0640, &err), 0);
    holds("a\nb\n");
    assert_int_equal(mode_of(path), 0644); /* somebody's choice */
}

static void half_a_line_is_ended(void **state)
{
    (void)state;
    start_anew();
    assert_int_equal(ce_file_append(path, "{\"cut", 0640, &err), 0);
    assert_int_equal(ce_file_append(path, "b\n", 0640, &err), 0);
    holds("{\"cut\nb\n");
}

static void is_refused(const char *why)
{
    assert_int_equal(ce_file_append(path, "x\n", 0640, &err), -1);
    unit_holds(err.text, why);
}

static void a_link_is_not_followed(void **state)
{
    char target[256];
    (void)state;
    start_anew();
    snprintf(target, sizeof target, "%s/target", dir.path);
    unit_dir_write(&dir, "target", "");
    mkdirat(dir.fd, "log", 0755);
    assert_int_equal(symlink(target, path), 0);
    is_refused("Too many levels of symbolic links");
    unlink(path);
    assert_int_equal(link(target, path), 0);
    is_refused("not a file of this user alone");
}

static void what_is_no_file_is_refused(void **state)
{
    (void)state;
    start_anew();
    mkdirat(dir.fd, "log", 0755);
    assert_int_equal(mkfifo(path, 0600), 0);
    is_refused("not a file of this user alone");
}

static void a_folder_that_cannot_be_made_is_said(void **state)
{
    char deep[300];
    (void)state;
    snprintf(deep, sizeof deep, "%s/no/such/file", dir.path);
    assert_int_equal(ce_file_append(deep, "x\n", 0640, &err), -1);
    unit_holds(err.text, "no/such/file: cannot write: No such file or directory");
}

static void a_full_disk_is_said(void **state)
{
    (void)state;
    assert_int_equal(ce_file_append("/dev/full", "x\n", 0640, &err), -1);
    unit_holds(err.text, "/dev/full");
}

enum { WRITERS = 8, LINES = 200, WIDTH = 700 };

/* Each line is of one letter. */
static void write_lines(char letter)
{
    char line[WIDTH + 2];
    memset(line, letter, WIDTH);
    strcpy(line + WIDTH, "\n");
    for (int i = 0; i < LINES; i++)
        if (ce_file_append(path, line, 0640, NULL) < 0)
            _exit(1);
    _exit(0);
}

static void lines_of_several_processes_do_not_mix(void **state)
{
    pid_t pids[WRITERS];
    ce_autotext struct ce_text text = CE_TEXT(4 << 20);
    size_t count = 0;
    (void)state;
    start_anew();
    for (int i = 0; i < WRITERS; i++)
        if ((pids[i] = fork()) == 0)
            write_lines((char)('a' + i));
    for (int i = 0; i < WRITERS; i++) {
        int status = -1;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(ce_file_read(AT_FDCWD, path, CE_TRUST_ANY, &text, &err), CE_READ_OK);
    for (const char *line = ce_text_string(&text); *line; line += WIDTH + 1, count++) {
        const char same[] = {line[0], '\0'};
        assert_int_equal(strspn(line, same), WIDTH);
        assert_int_equal(line[WIDTH], '\n');
    }
    assert_int_equal(count, WRITERS * LINES);
}

int main(void)
{
    UNIT_RULE(file_and_folder_are_made);
    UNIT_RULE(lines_are_added);
    UNIT_RULE(half_a_line_is_ended);
    UNIT_RULE(a_link_is_not_followed);
    UNIT_RULE(what_is_no_file_is_refused);
    UNIT_RULE(a_folder_that_cannot_be_made_is_said);
    UNIT_RULE(a_full_disk_is_said);
    UNIT_RULE(lines_of_several_processes_do_not_mix);
    return cmocka_run_group_tests_name("base/append", unit_tests, make_dir, remove_dir);
}

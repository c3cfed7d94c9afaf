/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include "../unit_dir.h"

enum { LIMIT = 16 };

static struct unit_dir dir;

/* What reading `name` gives; the text is compared where it must be read. */
static void reads_as(const char *name, enum ce_trust trust, enum ce_read_result result,
                     const char *text_or_reason)
{
    ce_autotext struct ce_text text = CE_TEXT(LIMIT);
    struct ce_error err = {""};
    assert_int_equal(ce_file_read(dir.fd, name, trust, &text, &err), result);
    if (result == CE_READ_OK) {
        assert_string_equal(ce_text_string(&text), text_or_reason);
        return;
    }
    unit_holds(err.text, name);
    unit_holds(err.text, text_or_reason);
}

static const struct content_row {
    const char *name;
    const char *bytes;
    size_t length;
    enum ce_read_result result;
    const char *text;
} contents[] = {
    {"a_file_is_read_whole", "two\nlines", 9, CE_READ_OK, "two\nlines"},
    {"an_empty_file_is_an_empty_text", "", 0, CE_READ_OK, ""},
    {"a_file_may_be_as_long_as_the_limit", "0123456789abcdef", 16, CE_READ_OK, "0123456789abcdef"},
    {"a_byte_past_the_limit_is_a_failure", "0123456789abcdef\n", 17, CE_READ_FAILED, "16 bytes"},
    {"a_nul_byte_is_a_failure", "a\0b", 3, CE_READ_FAILED, "NUL"},
    {"a_nul_byte_at_the_end_is_a_failure", "a\0", 2, CE_READ_FAILED, "NUL"},
};

static void content(void **state)
{
    const struct content_row *row = *state;
    unit_dir_writen(&dir, "content", row->bytes, row->length, 0644);
    reads_as("content", CE_TRUST_ANY, row->result, row->text);
    reads_as("content", CE_TRUST_OWNER, row->result, row->text);
}

static const struct mode_row {
    const char *name;
    mode_t mode;
    enum ce_read_result result;
} modes[] = {
    {"a_file_that_only_its_owner_writes_is_trusted", 0644, CE_READ_OK},
    {"a_private_file_is_trusted", 0600, CE_READ_OK},
    {"a_file_that_its_group_may_write_is_not_trusted", 0664, CE_READ_FAILED},
    {"a_file_that_everybody_may_write_is_not_trusted", 0646, CE_READ_FAILED},
};

static void mode(void **state)
{
    const struct mode_row *row = *state;
    unit_dir_writen(&dir, "mode", "text", 4, row->mode);
    reads_as("mode", CE_TRUST_OWNER, row->result, row->result ? "not trusted" : "text");
    reads_as("mode", CE_TRUST_ANY, CE_READ_OK, "text");
}

static void a_file_of_somebody_else_is_not_trusted(void **state)
{
    (void)state;
    unit_dir_write(&dir, "foreign", "text");
    assert_int_equal(fchownat(dir.fd, "foreign", 12345, 0, 0), 0);
    reads_as("foreign", CE_TRUST_OWNER, CE_READ_FAILED, "owned by uid 12345");
    reads_as("foreign", CE_TRUST_ANY, CE_READ_OK, "text");
}

static void a_file_of_root_is_trusted_by_everybody(void **state)
{
    (void)state;
    unit_dir_write(&dir, "roots", "text");
    unit_leave_root();
    reads_as("roots", CE_TRUST_OWNER, CE_READ_OK, "text");
    unit_return_to_root();
}

/* A file of this process's own user is not. */
static void only_a_file_of_root_is_trusted_as_roots(void **state)
{
    (void)state;
    unit_dir_write(&dir, "rootly", "text");
    unit_dir_write(&dir, "own", "text");
    assert_int_equal(fchownat(dir.fd, "own", 65534, 65534, 0), 0);
    unit_leave_root();
    reads_as("rootly", CE_TRUST_ROOT, CE_READ_OK, "text");
    reads_as("own", CE_TRUST_OWNER, CE_READ_OK, "text");
    reads_as("own", CE_TRUST_ROOT, CE_READ_FAILED, "owned by uid 65534");
    unit_return_to_root();
}

static void a_link_is_not_trusted_as_roots(void **state)
{
    (void)state;
    unit_dir_write(&dir, "real", "text");
    assert_int_equal(symlinkat("real", dir.fd, "alias"), 0);
    reads_as("alias", CE_TRUST_ROOT, CE_READ_FAILED, "cannot open");
}

static void a_file_that_is_not_there_is_missing(void **state)
{
    (void)state;
    reads_as("nothing", CE_TRUST_ANY, CE_READ_MISSING, "No such file");
    reads_as("no/thing", CE_TRUST_ANY, CE_READ_MISSING, "No such file");
}

static void a_folder_that_is_a_file_is_missing_too(void **state)
{
    (void)state;
    unit_dir_write(&dir, "plain", "text");
    reads_as("plain/file", CE_TRUST_ANY, CE_READ_MISSING, "plain/file");
}

static void a_link_that_leads_nowhere_is_missing(void **state)
{
    (void)state;
    assert_int_equal(symlinkat("nowhere", dir.fd, "dangling"), 0);
    reads_as("dangling", CE_TRUST_ANY, CE_READ_MISSING, "No such file");
}

static void links_in_a_circle_are_a_failure(void **state)
{
    (void)state;
    assert_int_equal(symlinkat("circle", dir.fd, "circle"), 0);
    reads_as("circle", CE_TRUST_ANY, CE_READ_FAILED, "cannot open");
}

static void the_rules_hold_for_what_a_link_leads_to(void **state)
{
    (void)state;
    unit_dir_writen(&dir, "bendable", "text", 4, 0666);
    assert_int_equal(symlinkat("bendable", dir.fd, "link"), 0);
    reads_as("link", CE_TRUST_OWNER, CE_READ_FAILED, "not trusted");
}

static void a_folder_is_not_a_file(void **state)
{
    (void)state;
    assert_int_equal(mkdirat(dir.fd, "folder", 0755), 0);
    reads_as("folder", CE_TRUST_ANY, CE_READ_FAILED, "not a regular file");
}

/* Where this blocks, the alarm ends the program. */
static void a_fifo_is_a_failure_and_does_not_block(void **state)
{
    (void)state;
    assert_int_equal(mkfifoat(dir.fd, "fifo", 0644), 0);
    alarm(20);
    reads_as("fifo", CE_TRUST_ANY, CE_READ_FAILED, "not a regular file");
    alarm(0);
}

static void a_file_that_may_not_be_read_is_a_failure(void **state)
{
    (void)state;
    unit_dir_writen(&dir, "secret", "text", 4, 0);
    unit_leave_root();
    reads_as("secret", CE_TRUST_ANY, CE_READ_FAILED, "Permission denied");
    unit_return_to_root();
}

static void the_reason_need_not_be_asked_for(void **state)
{
    ce_autotext struct ce_text text = CE_TEXT(LIMIT);
    (void)state;
    assert_int_equal(ce_file_read(dir.fd, "nothing", CE_TRUST_ANY, &text, NULL), CE_READ_MISSING);
    assert_int_equal(ce_file_read(dir.fd, ".", CE_TRUST_OWNER, &text, NULL), CE_READ_FAILED);
}

static void an_absolute_path_needs_no_folder(void **state)
{
    ce_autotext struct ce_text text = CE_TEXT(LIMIT);
    char path[256];
    (void)state;
    unit_dir_write(&dir, "absolute", "text");
    snprintf(path, sizeof path, "%s/absolute", dir.path);
    assert_int_equal(ce_file_read(AT_FDCWD, path, CE_TRUST_OWNER, &text, NULL), CE_READ_OK);
    assert_string_equal(ce_text_string(&text), "text");
}

int main(void)
{
    dir = unit_dir_make();
    UNIT_TABLE(contents, content);
    UNIT_TABLE(modes, mode);
    UNIT_RULE_UNLESS(unit_needs_root(), a_file_of_somebody_else_is_not_trusted);
    UNIT_RULE_UNLESS(unit_needs_root(), a_file_of_root_is_trusted_by_everybody);
    UNIT_RULE_UNLESS(unit_needs_root(), only_a_file_of_root_is_trusted_as_roots);
    UNIT_RULE(a_link_is_not_trusted_as_roots);
    UNIT_RULE(a_file_that_is_not_there_is_missing);
    UNIT_RULE(a_folder_that_is_a_file_is_missing_too);
    UNIT_RULE(a_link_that_leads_nowhere_is_missing);
    UNIT_RULE(links_in_a_circle_are_a_failure);
    UNIT_RULE(the_rules_hold_for_what_a_link_leads_to);
    UNIT_RULE(a_folder_is_not_a_file);
    UNIT_RULE(a_fifo_is_a_failure_and_does_not_block);
    UNIT_RULE(a_file_that_may_not_be_read_is_a_failure);
    UNIT_RULE(the_reason_need_not_be_asked_for);
    UNIT_RULE(an_absolute_path_needs_no_folder);
    int failed = UNIT_RUN("base/file");
    unit_dir_remove(&dir);
    return failed;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "base/root.h"

#include <stdlib.h>

#include "../unit_dir.h"

static struct unit_dir dir;
static struct ce_root root;

static const struct line_row {
    const char *name, *file;
    int rc;
    const char *line;
} lines[] = {
    {"a_line_comes_without_its_newline", "up\n", 0, "up"},
    {"a_line_need_not_end", "up", 0, "up"},
    {"only_the_first_line_counts", "one\ntwo\n", 0, "one"},
    {"an_empty_file_is_an_empty_line", "", 0, ""},
    {"a_line_that_just_fits_is_whole", "1234567\n", 0, "1234567"},
    {"a_line_that_just_fits_without_newline_is_whole", "1234567", 0, "1234567"},
    {"a_line_that_does_not_fit_is_unknown", "12345678\n", -1, NULL},
    {"a_line_that_does_not_fit_without_newline_is_unknown", "12345678", -1, NULL},
};

static void line(void **state)
{
    const struct line_row *row = *state;
    char text[8];
    unit_dir_write(&dir, "line7", row->file);
    assert_int_equal(ce_root_line(&root, text, sizeof text, "line%d", 7), row->rc);
    if (row->line)
        assert_string_equal(text, row->line);
}

static const struct number_row {
    const char *name, *file;
    int rc;
    uint64_t value;
} numbers[] = {
    {"a_number_is_read", "100000\n", 0, 100000},
    {"a_negative_number_is_unknown", "-1\n", -1, 0},
    {"a_word_is_unknown", "Unknown\n", -1, 0},
    {"nothing_is_unknown", "\n", -1, 0},
    {"a_number_longer_than_any_is_unknown", "99999999999999999999999999999999999\n", -1, 0},
};

static void number(void **state)
{
    const struct number_row *row = *state;
    uint64_t value = 0;
    unit_dir_write(&dir, "number", row->file);
    assert_int_equal(ce_root_number(&root, &value, "%s", "number"), row->rc);
    assert_true(value == row->value);
}

static void what_is_not_there_is_unknown(void **state)
{
    char text[8];
    uint64_t value;
    (void)state;
    assert_int_equal(ce_root_line(&root, text, sizeof text, "nothing"), -1);
    assert_int_equal(ce_root_number(&root, &value, "nothing/there"), -1);
    assert_int_equal(ce_root_link(&root, text, sizeof text, "nothing"), -1);
    assert_false(ce_root_exists(&root, "nothing"));
}

static void a_folder_has_no_line(void **state)
{
    char text[8];
    (void)state;
    assert_int_equal(mkdirat(dir.fd, "folder", 0755), 0);
    assert_int_equal(ce_root_line(&root, text, sizeof text, "folder"), -1);
    assert_true(ce_root_exists(&root, "%s", "folder"));
}

static void a_path_that_is_too_long_is_unknown_not_cut(void **state)
{
    char path[600], text[8];
    (void)state;
    memset(path, '/', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    assert_int_equal(ce_root_line(&root, text, sizeof text, "%s", path), -1);
    assert_false(ce_root_exists(&root, "%s", path));
}

static const struct link_row {
    const char *name, *target;
    int rc;
    const char *last;
} links[] = {
    {"a_link_gives_the_last_part_of_its_target", "../../virtual/net/bond0", 0, "bond0"},
    {"a_link_of_one_part_gives_that", "bond0", 0, "bond0"},
    {"a_last_part_that_does_not_fit_is_unknown", "../a-long-name", -1, NULL},
};

static void leads_to(void **state)
{
    const struct link_row *row = *state;
    char text[8];
    unlinkat(dir.fd, "master", 0);
    assert_int_equal(symlinkat(row->target, dir.fd, "master"), 0);
    assert_int_equal(ce_root_link(&root, text, sizeof text, "master"), row->rc);
    if (row->last)
        assert_string_equal(text, row->last);
}

static void a_file_is_no_link(void **state)
{
    char text[8];
    (void)state;
    unit_dir_write(&dir, "plain", "text");
    assert_int_equal(ce_root_link(&root, text, sizeof text, "plain"), -1);
}

static void names_come_sorted_by_byte(void **state)
{
    char **names = NULL;
    (void)state;
    assert_int_equal(mkdirat(dir.fd, "net", 0755), 0);
    const char *const made[] = {"net/lo", "net/eth10", "net/eth2", "net/.hidden", "net/Eth0"};
    for (size_t i = 0; i < UNIT_COUNT(made); i++)
        unit_dir_write(&dir, made[i], "");
    const char *const sorted[] = {".hidden", "Eth0", "eth10", "eth2", "lo"};
    assert_int_equal(ce_root_list(&root, &names, "net"), UNIT_COUNT(sorted));
    for (size_t i = 0; i < UNIT_COUNT(sorted); i++)
        assert_string_equal(names[i], sorted[i]);
    free(names);
}

static void an_empty_folder_has_no_names(void **state)
{
    char **names = NULL;
    (void)state;
    assert_int_equal(mkdirat(dir.fd, "empty", 0755), 0);
    assert_int_equal(ce_root_list(&root, &names, "empty"), 0);
    free(names);
}

static void what_is_no_folder_cannot_be_listed(void **state)
{
    char **names = NULL;
    (void)state;
    unit_dir_write(&dir, "plain", "text");
    assert_int_equal(ce_root_list(&root, &names, "plain"), -1);
    assert_int_equal(ce_root_list(&root, &names, "nothing"), -1);
    assert_null(names);
}

static void only_the_machine_itself_is_live(void **state)
{
    struct ce_root machine;
    struct ce_error err;
    (void)state;
    assert_false(root.live);
    assert_int_equal(ce_root_open(&machine, "/", &err), 0);
    assert_true(machine.live);
    ce_root_close(&machine);
    ce_root_close(&machine);
}

static void a_root_that_is_no_folder_is_an_error(void **state)
{
    struct ce_root other;
    struct ce_error err;
    (void)state;
    assert_int_equal(ce_root_open(&other, "/nonexistent/root", &err), -1);
    unit_holds(err.text, "/nonexistent/root: cannot open");
    ce_root_close(&other);
}

int main(void)
{
    struct ce_error err;
    dir = unit_dir_make();
    if (ce_root_open(&root, dir.path, &err) < 0)
        return 99;
    UNIT_TABLE(lines, line);
    UNIT_TABLE(numbers, number);
    UNIT_RULE(what_is_not_there_is_unknown);
    UNIT_RULE(a_folder_has_no_line);
    UNIT_RULE(a_path_that_is_too_long_is_unknown_not_cut);
    UNIT_TABLE(links, leads_to);
    UNIT_RULE(a_file_is_no_link);
    UNIT_RULE(names_come_sorted_by_byte);
    UNIT_RULE(an_empty_folder_has_no_names);
    UNIT_RULE(what_is_no_folder_cannot_be_listed);
    UNIT_RULE(only_the_machine_itself_is_live);
    UNIT_RULE(a_root_that_is_no_folder_is_an_error);
    int failed = UNIT_RUN("base/root");
    ce_root_close(&root);
    unit_dir_remove(&dir);
    return failed;
}

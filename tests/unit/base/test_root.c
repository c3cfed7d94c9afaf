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

/* Opened without a writer, or for a writer that never writes, it would block. */
static void a_fifo_is_unknown_at_once(void **state)
{
    char text[8] = "x";
    (void)state;
    assert_int_equal(mkfifoat(dir.fd, "fifo", 0644), 0);
    assert_int_equal(ce_root_line(&root, text, sizeof text, "fifo"), -1);
    assert_string_equal(text, "");
    int writer = openat(dir.fd, "fifo", O_RDWR | O_CLOEXEC);
    assert_int_equal(ce_root_line(&root, text, sizeof text, "fifo"), -1);
    assert_int_equal(ce_root_bytes(&root, text, sizeof text, "fifo"), -1);
    close(writer);
}

static void what_cannot_be_read_leaves_no_line(void **state)
{
    char text[8] = "old";
    (void)state;
    unit_dir_write(&dir, "long", "12345678901234567890");
    assert_int_equal(ce_root_line(&root, text, sizeof text, "long"), -1);
    assert_string_equal(text, "");
}

static void a_loop_of_links_is_unknown(void **state)
{
    char text[8], **names = NULL;
    (void)state;
    assert_int_equal(symlinkat("loop2", dir.fd, "loop1"), 0);
    assert_int_equal(symlinkat("loop1", dir.fd, "loop2"), 0);
    assert_int_equal(ce_root_line(&root, text, sizeof text, "loop1"), -1);
    assert_int_equal(ce_root_list(&root, &names, "loop1"), -1);
    assert_false(ce_root_exists(&root, "loop1/state"));
    assert_int_equal(ce_root_link(&root, text, sizeof text, "loop1"), 0);
}

/* Links of a recorded tree, and whether they may be followed. */
static const struct inside_row {
    const char *name, *target;
    bool inside;
} insides[] = {
    {"a_link_within_the_tree_is_followed", "a/b", true},
    {"a_link_up_and_down_is_followed", "a/../a/b", true},
    {"a_link_from_the_top_begins_at_the_top_of_the_tree", "/a/b", true},
    {"a_link_above_the_top_stays_at_the_top", "../../../../a/b", true},
    {"a_link_to_a_file_of_this_machine_leads_nowhere", "/etc/passwd", false},
    {"a_link_up_to_a_file_of_this_machine_leads_nowhere",
     "../../../../../../../../../../../../etc/passwd", false},
};

static void stays_inside(void **state)
{
    const struct inside_row *row = *state;
    char text[4096];
    mkdirat(dir.fd, "a", 0755);
    unit_dir_write(&dir, "a/b", "inside\n");
    unlinkat(dir.fd, "way", 0);
    assert_int_equal(symlinkat(row->target, dir.fd, "way"), 0);
    assert_int_equal(ce_root_line(&root, text, sizeof text, "way"), row->inside ? 0 : -1);
    assert_string_equal(text, row->inside ? "inside" : "");
    assert_int_equal(ce_root_exists(&root, "way"), row->inside);
}

static void bytes_come_up_to_the_size(void **state)
{
    char bytes[4];
    (void)state;
    unit_dir_writen(&dir, "bytes", "a\0\nb", 4, 0644);
    assert_int_equal(ce_root_bytes(&root, bytes, sizeof bytes, "%s", "bytes"), 4);
    assert_memory_equal(bytes, "a\0\nb", 4);
    assert_int_equal(ce_root_bytes(&root, bytes, 2, "bytes"), 2);
    assert_int_equal(ce_root_bytes(&root, bytes, sizeof bytes, "nothing"), -1);
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

static void a_link_gives_its_target(void **state)
{
    char text[16], small[8] = "x";
    (void)state;
    unlinkat(dir.fd, "master", 0);
    assert_int_equal(symlinkat("../../a/bond0", dir.fd, "master"), 0);
    assert_int_equal(ce_root_target(&root, text, sizeof text, "%s", "master"), 0);
    assert_string_equal(text, "../../a/bond0");
    assert_int_equal(ce_root_target(&root, small, sizeof small, "master"), -1);
    assert_string_equal(small, "");
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

static void many_names_are_all_there(void **state)
{
    char **names = NULL, name[32];
    (void)state;
    assert_int_equal(mkdirat(dir.fd, "many", 0755), 0);
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "many/veth%03d", i);
        unit_dir_write(&dir, name, "");
    }
    assert_int_equal(ce_root_list(&root, &names, "%s", "many"), 1000);
    assert_string_equal(names[0], "veth000");
    assert_string_equal(names[999], "veth999");
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
    UNIT_RULE(a_fifo_is_unknown_at_once);
    UNIT_RULE(what_cannot_be_read_leaves_no_line);
    UNIT_RULE(a_loop_of_links_is_unknown);
    if (root.inside) /* not on an old kernel, under valgrind or qemu-user */
        UNIT_TABLE(insides, stays_inside);
    UNIT_RULE(bytes_come_up_to_the_size);
    UNIT_TABLE(links, leads_to);
    UNIT_RULE(a_link_gives_its_target);
    UNIT_RULE(a_file_is_no_link);
    UNIT_RULE(names_come_sorted_by_byte);
    UNIT_RULE(many_names_are_all_there);
    UNIT_RULE(an_empty_folder_has_no_names);
    UNIT_RULE(what_is_no_folder_cannot_be_listed);
    UNIT_RULE(only_the_machine_itself_is_live);
    UNIT_RULE(a_root_that_is_no_folder_is_an_error);
    int failed = UNIT_RUN("base/root");
    ce_root_close(&root);
    unit_dir_remove(&dir);
    return failed;
}

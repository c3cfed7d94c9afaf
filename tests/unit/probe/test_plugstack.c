/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/plugstack.h"

#include "../unit_dir.h"

static struct ce_install_plugstack stack;

static void read_stack(const struct unit_dir *dir)
{
    stack = (struct ce_install_plugstack){.read = false};
    snprintf(stack.path, sizeof stack.path, "%s/plugstack.conf", dir->path);
    ce_probe_plugstack(&stack);
}

static void files_that_are_included_are_read_in_their_place(void **state)
{
    struct unit_dir dir = unit_dir_make();
    (void)state;
    assert_int_equal(mkdirat(dir.fd, "d", 0755), 0);
    unit_dir_write(&dir, "plugstack.conf", "optional a\ninclude d/*.conf\noptional z x=1\n");
    unit_dir_write(&dir, "d/1.conf", "required b\n");
    unit_dir_write(&dir, "d/2.conf", "# nothing\n\noptional c\n");
    unit_dir_write(&dir, "d/3.not", "optional d\n");
    read_stack(&dir);
    unit_dir_remove(&dir);
    assert_true(stack.there && stack.read);
    assert_int_equal(stack.count, 4);
    assert_string_equal(stack.items[0].path, "a");
    assert_string_equal(stack.items[1].path, "b");
    assert_int_equal(stack.items[1].kind, CE_PLUGSTACK_REQUIRED);
    assert_string_equal(stack.items[2].path, "c");
    assert_int_equal(stack.items[2].line, 3);
    unit_holds(stack.items[2].file, "/d/2.conf");
    assert_string_equal(stack.items[3].arguments, "x=1");
}

static void no_file_is_no_failure(void **state)
{
    struct unit_dir dir = unit_dir_make();
    (void)state;
    read_stack(&dir);
    unit_dir_remove(&dir);
    assert_true(!stack.there && stack.read && stack.count == 0);
}

static void a_folder_in_its_place_is_one(void **state)
{
    struct unit_dir dir = unit_dir_make();
    (void)state;
    assert_int_equal(mkdirat(dir.fd, "plugstack.conf", 0755), 0);
    read_stack(&dir);
    unit_dir_remove(&dir);
    assert_true(stack.there && !stack.read && stack.why[0]);
}

static void files_that_include_themselves_come_to_an_end(void **state)
{
    struct unit_dir dir = unit_dir_make();
    (void)state;
    unit_dir_write(&dir, "plugstack.conf", "include plugstack.conf\ninclude plugstack.conf\n");
    read_stack(&dir);
    unit_dir_remove(&dir);
    assert_false(stack.read);
    unit_holds(stack.why, "deeply");
}

static void more_lines_than_are_kept_are_told(void **state)
{
    struct unit_dir dir = unit_dir_make();
    char text[32 * 100] = "";
    (void)state;
    for (int i = 0; i < 70; i++)
        strcat(text, "optional a\n");
    unit_dir_write(&dir, "plugstack.conf", text);
    read_stack(&dir);
    unit_dir_remove(&dir);
    assert_false(stack.read);
    assert_int_equal(stack.count, CE_INSTALL_PLUGINS_MAX);
}

static void a_plugin_is_looked_for_in_the_folders(void **state)
{
    struct unit_dir dir = unit_dir_make();
    char folders[300], path[PATH_MAX], wanted[200];
    (void)state;
    snprintf(folders, sizeof folders, "/nonexistent:%s", dir.path);
    snprintf(wanted, sizeof wanted, "%s/a.so", dir.path);
    unit_dir_write(&dir, "a.so", "");
    assert_int_equal(ce_probe_plugin_path("a.so", folders, path), 0);
    assert_string_equal(path, wanted);
    assert_int_equal(ce_probe_plugin_path("b.so", folders, path), 0);
    assert_string_equal(path, "");
    assert_int_equal(ce_probe_plugin_path("/b.so", folders, path), 0);
    assert_string_equal(path, "/b.so");
    unit_dir_remove(&dir);
}

static void libraries_say_what_they_are_built_for(void **state)
{
    struct unit_dir dir = unit_dir_make();
    struct ce_install_library library = {.path = ""};
    (void)state;
    unit_dir_writen(&dir, "text", "#!/bin/sh\n", 10, 0664);
    snprintf(library.path, sizeof library.path, "%s/text", dir.path);
    ce_probe_library(&library);
    assert_true(library.there && !library.safe && !library.version);
    unit_holds(library.why, "no shared library");
    library = (struct ce_install_library){.path = "/nonexistent/x.so"};
    ce_probe_library(&library);
    assert_false(library.there);
    library = (struct ce_install_library){.path = "/dev"};
    ce_probe_library(&library);
    assert_true(library.there && library.why[0]);
    unit_dir_remove(&dir);
}

int main(void)
{
    UNIT_RULE(files_that_are_included_are_read_in_their_place);
    UNIT_RULE(no_file_is_no_failure);
    UNIT_RULE(a_folder_in_its_place_is_one);
    UNIT_RULE(files_that_include_themselves_come_to_an_end);
    UNIT_RULE(more_lines_than_are_kept_are_told);
    UNIT_RULE(a_plugin_is_looked_for_in_the_folders);
    UNIT_RULE(libraries_say_what_they_are_built_for);
    return UNIT_RUN("plugstack files");
}

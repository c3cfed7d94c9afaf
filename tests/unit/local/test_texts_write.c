/* SPDX-License-Identifier: Apache-2.0 */
#include "local/texts_write.h"

#include "../unit_dir.h"

static struct unit_dir dir;
static char run_dir[160];

static int start_afresh(void **state)
{
    (void)state;
    dir = unit_dir_make();
    snprintf(run_dir, sizeof run_dir, "%s/run", dir.path);
    return 0;
}

static int clear_away(void **state)
{
    (void)state;
    unit_dir_remove(&dir);
    return 0;
}

/* Write facts of a host of that name, a default policy and a book of one entry. */
static int write_texts(const char *host_name, struct ce_error *err)
{
    struct ce_policy policy;
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    ce_auto(ce_book_destroy) struct ce_book *book = ce_book_parse("10.1.0.1 node1\n", err);
    assert_non_null(node);
    assert_non_null(book);
    node->host_name = strdup(host_name);
    ce_policy_default(&policy);
    policy.interfaces = 8;
    return ce_texts_write(run_dir, node, &policy, NULL, book, err);
}

static void read_back(const char *host_name)
{
    struct ce_texts texts;
    struct ce_notes notes = {.count = 0};
    ce_texts_read(run_dir, &texts, &notes);
    assert_int_equal(notes.count, 0);
    assert_string_equal(texts.node->host_name, host_name);
    assert_int_equal(texts.policy.interfaces, 8);
    assert_int_equal(ce_book_count(texts.book), 1);
    ce_texts_free(&texts);
}

static void what_is_written_is_read_back(void **state)
{
    struct ce_error err = {""};
    (void)state;
    assert_int_equal(write_texts("node1", &err), 0);
    read_back("node1");
    assert_int_equal(write_texts("node2", &err), 0);
    read_back("node2");
}

static void everybody_may_read_whatever_the_umask(void **state)
{
    struct ce_error err = {""};
    struct stat st;
    (void)state;
    mode_t mask = umask(077);
    int rc = write_texts("node1", &err);
    umask(mask);
    assert_int_equal(rc, 0);
    assert_int_equal(stat(run_dir, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0755);
    unit_leave_root();
    read_back("node1");
    unit_return_to_root();
}

static void a_folder_that_is_there_keeps_its_mode(void **state)
{
    struct ce_error err = {""};
    struct stat st;
    (void)state;
    assert_int_equal(mkdirat(dir.fd, "run", 0700), 0);
    assert_int_equal(write_texts("node1", &err), 0);
    assert_int_equal(stat(run_dir, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
}

static void a_text_that_cannot_be_written_leaves_the_old_one(void **state)
{
    struct ce_error err = {""};
    (void)state;
    assert_int_equal(write_texts("node1", &err), 0);
    assert_int_equal(write_texts("node1\ngpu.count=8", &err), -1);
    unit_holds(err.text, run_dir);
    unit_holds(err.text, CE_FACTS_FILE);
    read_back("node1");
}

static void a_folder_that_cannot_be_made_is_an_error(void **state)
{
    struct ce_error err = {""};
    (void)state;
    strcat(run_dir, "/of/nothing");
    assert_int_equal(write_texts("node1", &err), -1);
    unit_holds(err.text, run_dir);
    unit_holds(err.text, "cannot create");
}

static void a_file_in_the_way_is_an_error(void **state)
{
    struct ce_error err = {""};
    (void)state;
    unit_dir_write(&dir, "run", "a file");
    assert_int_equal(write_texts("node1", &err), -1);
    unit_holds(err.text, "cannot open");
}

int main(void)
{
    UNIT_RULE(what_is_written_is_read_back);
    UNIT_RULE(everybody_may_read_whatever_the_umask);
    UNIT_RULE(a_folder_that_is_there_keeps_its_mode);
    UNIT_RULE(a_text_that_cannot_be_written_leaves_the_old_one);
    UNIT_RULE(a_folder_that_cannot_be_made_is_an_error);
    UNIT_RULE(a_file_in_the_way_is_an_error);
    for (size_t i = 0; i < unit_count; i++) {
        unit_tests[i].setup_func = start_afresh;
        unit_tests[i].teardown_func = clear_away;
    }
    return UNIT_RUN("local/texts_write");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "local/texts.h"

#include "../unit_dir.h"

#define FRAMED(lines) "format=1\n" lines "end=1\n"

static const char facts[] = FRAMED("host.name=node1\ngpu.count=8\n");
static const char policy[] = FRAMED("port.first=50000\nport.last=50099\n");
static const char book[] = "10.1.0.1 node1\n" CE_BOOK_END "\n";

static struct unit_dir dir;

static int write_all(void **state)
{
    (void)state;
    dir = unit_dir_make();
    unit_dir_write(&dir, CE_FACTS_FILE, facts);
    unit_dir_write(&dir, CE_POLICY_FILE, policy);
    unit_dir_write(&dir, CE_BOOK_FILE, book);
    return 0;
}

static int clear_away(void **state)
{
    (void)state;
    unit_dir_remove(&dir);
    return 0;
}

static void remedied(const struct ce_notes *notes, size_t i)
{
    unit_holds(notes->line[i].text, "run 'cluster-env facts --write' as root on this node");
}

static void what_is_there_is_read_silently(void **state)
{
    struct ce_texts texts;
    struct ce_notes notes = {.count = 0};
    (void)state;
    ce_texts_read(dir.path, &texts, &notes);
    assert_int_equal(notes.count, 0);
    assert_non_null(texts.node);
    assert_string_equal(texts.node->host_name, "node1");
    assert_int_equal(texts.policy.port_first, 50000);
    assert_non_null(texts.book);
    assert_int_equal(ce_book_count(texts.book), 1);
    ce_texts_free(&texts);
    assert_null(texts.node);
    ce_texts_free(&texts);
}

static void a_folder_that_is_not_there_is_one_note(void **state)
{
    struct ce_texts texts;
    struct ce_notes notes = {.count = 0};
    (void)state;
    ce_texts_read("/nonexistent/cluster-env", &texts, &notes);
    assert_int_equal(notes.count, 1);
    unit_holds(notes.line[0].text, "/nonexistent/cluster-env: cannot open: No such file");
    remedied(&notes, 0);
    assert_null(texts.node);
    assert_null(texts.book);
    assert_int_equal(texts.policy.port_first, 61000);
    ce_texts_free(&texts);
}

static const char *const names[] = {CE_FACTS_FILE, CE_POLICY_FILE, CE_BOOK_FILE};

static void a_folder_without_any_text_is_one_note(void **state)
{
    struct ce_texts texts;
    struct ce_notes notes = {.count = 0};
    char expected[256];
    (void)state;
    for (size_t i = 0; i < UNIT_COUNT(names); i++)
        assert_int_equal(unlinkat(dir.fd, names[i], 0), 0);
    ce_texts_read(dir.path, &texts, &notes);
    assert_int_equal(notes.count, 1);
    snprintf(expected, sizeof expected, "%s: has none of the node's texts; ", dir.path);
    unit_holds(notes.line[0].text, expected);
    remedied(&notes, 0);
    assert_null(texts.node);
    assert_null(texts.book);
    assert_int_equal(texts.policy.port_first, 61000);
    ce_texts_free(&texts);
}

/* One text is there: the others are named, each by its file. */
static void with_one_text_the_missing_ones_are_named(void **state)
{
    struct ce_texts texts;
    (void)state;
    for (size_t there = 0; there < UNIT_COUNT(names); there++) {
        struct ce_notes notes = {.count = 0};
        size_t line = 0;
        write_all(NULL);
        for (size_t i = 0; i < UNIT_COUNT(names); i++)
            assert_int_equal(i == there ? 0 : unlinkat(dir.fd, names[i], 0), 0);
        ce_texts_read(dir.path, &texts, &notes);
        ce_texts_free(&texts);
        assert_int_equal(notes.count, UNIT_COUNT(names) - 1);
        for (size_t i = 0; i < UNIT_COUNT(names); i++) {
            char expected[256];
            snprintf(expected, sizeof expected, "%s/%s: cannot open", dir.path, names[i]);
            if (i == there)
                continue;
            unit_holds(notes.line[line].text, expected);
            remedied(&notes, line++);
        }
        clear_away(NULL);
    }
}

/* One text is spoilt; the other two are read all the same. */
static const struct spoilt_row {
    const char *name, *file, *text;
    mode_t mode;
    const char *reason;
} spoilt[] = {
    {"facts_cut_short_are_noted", CE_FACTS_FILE, "format=1\ngpu.count=8\n", 0644, "cut short"},
    {"empty_facts_are_noted", CE_FACTS_FILE, "", 0644, "expected format=1"},
    {"malformed_facts_are_noted", CE_FACTS_FILE, FRAMED("gpu.count=x\n"), 0644, "gpu.count=x"},
    {"facts_that_others_may_write_are_noted", CE_FACTS_FILE, facts, 0666, "not trusted"},
    {"a_policy_cut_short_is_noted", CE_POLICY_FILE, "format=1\n", 0644, "cut short"},
    {"a_malformed_policy_is_noted", CE_POLICY_FILE, FRAMED("port.first=0\n"), 0644,
     "port.first=0"},
    {"a_policy_that_others_may_write_is_noted", CE_POLICY_FILE, policy, 0664, "not trusted"},
    {"a_book_cut_short_is_noted", CE_BOOK_FILE, "10.1.0.1 node1\n", 0644, "cut short"},
    {"a_malformed_book_is_noted", CE_BOOK_FILE, "10.1.0.1\n" CE_BOOK_END "\n", 0644, "line 1"},
    {"a_book_that_others_may_write_is_noted", CE_BOOK_FILE, book, 0646, "not trusted"},
};

static void is_noted(void **state)
{
    const struct spoilt_row *row = *state;
    struct ce_texts texts;
    struct ce_notes notes = {.count = 0};
    char path[256];
    write_all(NULL);
    unit_dir_writen(&dir, row->file, row->text, strlen(row->text), row->mode);
    ce_texts_read(dir.path, &texts, &notes);
    snprintf(path, sizeof path, "%s/%s: ", dir.path, row->file);
    clear_away(NULL);
    assert_int_equal(notes.count, 1);
    unit_holds(notes.line[0].text, path);
    unit_holds(notes.line[0].text, row->reason);
    remedied(&notes, 0);
    assert_int_equal(texts.node != NULL, strcmp(row->file, CE_FACTS_FILE) != 0);
    assert_int_equal(texts.book != NULL, strcmp(row->file, CE_BOOK_FILE) != 0);
    assert_int_equal(texts.policy.port_first,
                     strcmp(row->file, CE_POLICY_FILE) == 0 ? 61000 : 50000);
    ce_texts_free(&texts);
}

int main(void)
{
    UNIT_RULE(what_is_there_is_read_silently);
    UNIT_RULE(a_folder_that_is_not_there_is_one_note);
    UNIT_RULE(a_folder_without_any_text_is_one_note);
    for (size_t i = 0; i < unit_count; i++) {
        unit_tests[i].setup_func = write_all;
        unit_tests[i].teardown_func = clear_away;
    }
    UNIT_RULE(with_one_text_the_missing_ones_are_named);
    UNIT_TABLE(spoilt, is_noted);
    return UNIT_RUN("local/texts");
}

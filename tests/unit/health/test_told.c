/* SPDX-License-Identifier: Apache-2.0 */
#include "health/told.h"

#include <sys/stat.h>

#include "../unit_dir.h"

enum { MINUTE = 60 * 1000, DAY = 24 * 60 * MINUTE };

/* A run at this moment, after those before; what is news of it: "yn" for two lines. */
struct run {
    uint64_t now_ms;
    const char *lines[3][2];
    const char *news;
};

static const struct row {
    const char *name;
    struct run runs[4];
} rows[] = {
    {"the_same_is_no_news", {{5 * MINUTE, {{"warn: GPU 3 [a]", "off"}}, "y"}, {10 * MINUTE, {{"warn: GPU 3 [a]", "off"}}, "n"},
                             {15 * MINUTE, {{"warn: GPU 3 [a]", "off"}}, "n"}}},
    {"another_thing_is", {{5 * MINUTE, {{"GPU 3", "off"}}, "y"}, {10 * MINUTE, {{"GPU 3", "off"}, {"GPU 4", "off"}}, "ny"}}},
    {"so_are_other_words", {{5 * MINUTE, {{"GPU 3", "off"}}, "y"}, {10 * MINUTE, {{"GPU 3", "on"}}, "y"}}},
    {"another_number_is_not", {{5 * MINUTE, {{"", "off by 8.3 ms"}}, "y"}, {10 * MINUTE, {{"", "off by 12.25 ms"}}, "n"}}},
    {"where_two_differ_by_it_they_are_two",
     {{5 * MINUTE, {{"", "process 7 is left"}}, "y"}, {10 * MINUTE, {{"", "process 7 is left"}, {"", "process 8 is left"}}, "ny"},
      {15 * MINUTE, {{"", "process 8 is left"}, {"", "process 9 is left"}}, "nn"}}},
    {"once_a_day_it_is_told_again",
     {{5 * MINUTE, {{"a", "b"}}, "y"}, {DAY + 4 * MINUTE, {{"a", "b"}}, "n"}, {DAY + 5 * MINUTE, {{"a", "b"}}, "y"},
      {DAY + 10 * MINUTE, {{"a", "b"}}, "n"}}},
    {"what_was_gone_is_news", {{5 * MINUTE, {{"a", "b"}}, "y"}, {10 * MINUTE, {{NULL}}, ""}, {15 * MINUTE, {{"a", "b"}}, "y"}}},
    {"a_finding_with_a_newline_in_its_thing_is_kept",
     {{5 * MINUTE, {{"a\nb", "c"}, {"d", "e"}}, "yy"}, {10 * MINUTE, {{"a\nb", "c"}, {"d", "e"}}, "nn"}}},
    {"of_another_boot", {{50 * MINUTE, {{"a", "b"}}, "y"}, {5 * MINUTE, {{"a", "b"}}, "y"}}},
};

static void is_news(void **state)
{
    const struct row *row = *state;
    struct ce_told told = {.before_count = 0};
    for (size_t i = 0; i < 4 && row->runs[i].now_ms; i++) {
        const struct run *run = &row->runs[i];
        char news[4] = "";
        ce_autotext struct ce_text text = CE_TEXT(1 << 16);
        told.now_ms = run->now_ms;
        told.now_count = 0;
        for (size_t k = 0; k < 3 && run->lines[k][0]; k++)
            news[k] = ce_told_is_news(&told, run->lines[k][0], run->lines[k][1]) ? 'y' : 'n';
        assert_string_equal(news, run->news);
        ce_told_write(&told, &text);
        assert_int_equal(ce_told_parse(ce_text_string(&text), &told, NULL), 0);
    }
}

static void what_has_no_room_is_news_each_time(void **state)
{
    static char big[CE_TOLD_WORDS];
    struct ce_told told = {.now_ms = MINUTE};
    (void)state;
    memset(big, 'x', sizeof big - 1);
    for (int run = 0; run < 2; run++) {
        ce_autotext struct ce_text text = CE_TEXT(1 << 16);
        char line[16];
        told.now_count = 0;
        assert_true(ce_told_is_news(&told, "", big));
        assert_true(ce_told_is_news(&told, big, ""));
        for (int i = 0; i < CE_TOLD_LINES; i++) {
            snprintf(line, sizeof line, "%d", i);
            assert_int_equal(ce_told_is_news(&told, line, ""), run == 0);
        }
        assert_true(ce_told_is_news(&told, "one more", ""));
        ce_told_write(&told, &text);
        assert_int_equal(ce_told_parse(ce_text_string(&text), &told, NULL), 0);
        assert_int_equal(told.before_count, CE_TOLD_LINES);
    }
}

static void a_broken_text_is_as_none(void **state)
{
    static const char *const texts[] = {"", "format=1\nline.0.words=a: \nline.0.since_ms=5\n",
                                        "format=1\nline.0.words=a: \nline.0.since_ms=x\nend=1\n"};
    (void)state;
    for (size_t i = 0; i < UNIT_COUNT(texts); i++) {
        struct ce_told told = {.before_count = 7, .now_ms = MINUTE};
        struct ce_error err = {""};
        assert_int_equal(ce_told_parse(texts[i], &told, &err), -1);
        assert_int_equal(told.before_count, 0);
        assert_true(err.text[0]);
    }
}

static void it_is_kept_for_root_alone(void **state)
{
    struct unit_dir dir = unit_dir_make();
    struct stat st;
    struct ce_error err;
    (void)state;
    for (int run = 0; run < 2; run++) {
        struct ce_told told;
        ce_told_load(dir.path, &told);
        assert_int_equal(ce_told_is_news(&told, "a", "b\n"), run == 0);
        assert_int_equal(ce_told_store(dir.path, &told, &err), 0);
    }
    assert_int_equal(fstatat(dir.fd, CE_TOLD_DIR "/" CE_TOLD_FILE, &st, AT_SYMLINK_NOFOLLOW), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    unlinkat(dir.fd, CE_TOLD_DIR "/" CE_TOLD_FILE, 0);
    unlinkat(dir.fd, CE_TOLD_DIR, AT_REMOVEDIR);
    assert_int_equal(symlinkat("/tmp", dir.fd, CE_TOLD_DIR), 0);
    struct ce_told told;
    ce_told_load(dir.path, &told);
    assert_int_equal(ce_told_store(dir.path, &told, &err), -1);
    unit_dir_remove(&dir);
}

int main(void)
{
    UNIT_TABLE(rows, is_news);
    UNIT_RULE(what_has_no_room_is_news_each_time);
    UNIT_RULE(a_broken_text_is_as_none);
    UNIT_RULE(it_is_kept_for_root_alone);
    return UNIT_RUN("health/told");
}

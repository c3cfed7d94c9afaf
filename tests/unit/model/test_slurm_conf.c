/* SPDX-License-Identifier: Apache-2.0 */
#include "model/slurm_conf.h"

#include <stdlib.h>

#include "../unit.h"

#define FRAMED(keys) "format=1\nversion=1575688\n" keys "end=1\n"

static void what_is_written_is_read_again(void **state)
{
    static struct ce_slurm_conf conf, again;
    ce_autotext struct ce_text text = CE_TEXT(1 << 20), second = CE_TEXT(1 << 20);
    struct ce_error err;
    (void)state;
    conf = (struct ce_slurm_conf){.version = 0x160508,
                                  .path = "/etc/slurm/slurm.conf",
                                  .plugin_dirs = "/a:/b",
                                  .prolog = {.path = {"/p", "/q/*"}, .count = 2},
                                  .defer_batch = true,
                                  .epilog_timeout_s = 30,
                                  .message_timeout_s = 10};
    ce_slurm_conf_write(&conf, &text);
    assert_int_equal(ce_slurm_conf_parse(ce_text_string(&text), &again, &err), 0);
    ce_slurm_conf_write(&again, &second);
    assert_string_equal(ce_text_string(&second), ce_text_string(&text));
    assert_int_equal(again.prolog.count, 2);
    assert_string_equal(again.prolog.path[1], "/q/*");
    assert_true(again.defer_batch && !again.alloc && again.epilog_timeout_s == 30);
}

static const struct bad {
    const char *name, *text, *says;
} bad[] = {
    {"no_record", "version=1\n", "format"},
    {"cut_short", "format=1\nversion=1\n", "end=1"},
    {"no_version", "format=1\nend=1\n", "version"},
    {"a_flag_of_two", FRAMED("prolog_flags.alloc=2\n"), "prolog_flags.alloc"},
    {"a_time_of_nothing", FRAMED("message_timeout=\n"), "message_timeout"},
};

static void a_bad_text_is_an_error(void **state)
{
    static struct ce_slurm_conf conf;
    const struct bad *row = *state;
    struct ce_error err;
    assert_int_equal(ce_slurm_conf_parse(row->text, &conf, &err), -1);
    unit_holds(err.text, row->says);
}

static void a_newer_text_is_read(void **state)
{
    static struct ce_slurm_conf conf;
    struct ce_error err;
    (void)state;
    assert_int_equal(ce_slurm_conf_parse(FRAMED("new.key=1\njob_requeue=1\n"), &conf, &err), 0);
    assert_true(conf.requeue);
}

static const struct list {
    const char *name, *list, *word;
    bool has;
} lists[] = {
    {"alone", "nohold", "nohold", true},
    {"among_others", "a=1,nohold,b", "nohold", true},
    {"in_capitals", "A,NoHold", "nohold", true},
    {"a_longer_word", "noholdx,xnohold", "nohold", false},
    {"a_word_with_a_value", "nohold=1", "nohold", false},
    {"nothing", "", "nohold", false},
    {"empty_words", ",,nohold,", "nohold", true},
};

static void a_list_has_a_word(void **state)
{
    const struct list *row = *state;
    assert_int_equal(ce_slurm_list_has(row->list, row->word), row->has);
}

static const struct version {
    const char *name, *text;
    uint32_t version;
} versions[] = {
    {"of_debian", "slurm-wlm 22.05.8\n", 0x160508},
    {"of_schedmd", "slurm 26.05.5\n", 0x1a0505},
    {"of_a_candidate", "slurm 25.11.0-0rc1\n", 0x190b00},
    {"none", "slurm\n", 0},
    {"cut", "slurm 25.11\n", 0},
    {"too_big", "slurm 25.256.1\n", 0},
    {"empty", "", 0},
};

static void a_version_is_parsed(void **state)
{
    const struct version *row = *state;
    assert_int_equal(ce_slurm_version_parse(row->text), row->version);
}

static void versions_are_told_as_slurm_tells_them(void **state)
{
    char text[CE_SLURM_VERSION];
    (void)state;
    assert_string_equal(ce_slurm_series(0x1a0505, text), "26.05");
    assert_string_equal(ce_slurm_release(0x160508, text), "22.05.8");
    assert_true(ce_slurm_same_series(0x160501, 0x160508));
    assert_false(ce_slurm_same_series(0x160501, 0x170201));
}

int main(void)
{
    UNIT_RULE(what_is_written_is_read_again);
    UNIT_RULE(a_newer_text_is_read);
    UNIT_TABLE(bad, a_bad_text_is_an_error);
    UNIT_TABLE(lists, a_list_has_a_word);
    UNIT_TABLE(versions, a_version_is_parsed);
    UNIT_RULE(versions_are_told_as_slurm_tells_them);
    return UNIT_RUN("slurm conf");
}

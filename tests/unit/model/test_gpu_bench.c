/* SPDX-License-Identifier: Apache-2.0 */
/* The text of bench-gpu: what is written is read back, what is none is refused. */
#include "model/gpu_bench.h"

#include <stdlib.h>

#include "../unit.h"

static void fill(struct ce_gpu_bench *bench)
{
    ce_gpu_bench_init(bench, "0000:1b:00.0");
    snprintf(bench->name, sizeof bench->name, "NVIDIA H100 80GB HBM3");
    for (int i = 0; i < CE_GPU_NUMBERS; i++)
        bench->numbers[i] = 1000U + (unsigned)i;
    for (int i = 0; i < CE_GPU_TESTS; i++)
        ce_gpu_test_end(bench, (enum ce_gpu_test)i, CE_TEST_DONE, 0, "%s", "");
    ce_gpu_test_end(bench, CE_TEST_D2H, CE_TEST_FAILED, 214, "copying: %s", "ECC\nforged=1");
    bench->peer_count = 2;
    bench->peers[0] = (struct ce_peer_bench){"0000:43:00.0", 381000, ""};
    bench->peers[1] = (struct ce_peer_bench){"0000:52:00.0", CE_NOT_MEASURED, "no access to it"};
    bench->wrong_count = 1;
    bench->wrong[0] = (struct ce_wrong_word){UINT64_MAX, 0, UINT64_C(1) << 63};
}

static void write_all(const struct ce_gpu_bench *bench, struct ce_text *text)
{
    ce_record_begin(text);
    for (int i = 0; i < CE_GPU_TESTS; i++)
        ce_gpu_test_write(bench, (enum ce_gpu_test)i, text);
    ce_gpu_bench_write_errors(bench, text);
    ce_record_end(text);
    assert_true(ce_text_ok(text));
}

static void what_is_written_is_read_back(void **state)
{
    struct ce_gpu_bench bench, again;
    ce_autotext struct ce_text text = CE_TEXT(1 << 16), second = CE_TEXT(1 << 16);
    struct ce_error err = {""};
    (void)state;
    fill(&bench);
    write_all(&bench, &text);
    if (ce_gpu_bench_read(ce_text_string(&text), &again, &err) < 0)
        fail_msg("%s", err.text);
    write_all(&again, &second);
    assert_string_equal(ce_text_string(&second), ce_text_string(&text));
    assert_int_equal(again.tests[CE_TEST_D2H].code, 214);
    assert_string_equal(again.tests[CE_TEST_D2H].reason, "copying: ECC?forged=1");
    assert_int_equal(again.wrong[0].found, UINT64_C(1) << 63);
    assert_int_equal(again.peers[1].mbytes, CE_NOT_MEASURED);
}

static const struct row {
    const char *name, *text;
    const char *error; /* a part of it; NULL: it is read */
} rows[] = {
    {"nothing_but_a_frame_is_read", "format=1\nend=1\n", NULL},
    {"keys_of_a_newer_release_are_skipped", "format=1\nh2d.hertz=7\nend=1\n", NULL},
    {"cut_short", "format=1\nh2d=done\n", "end=1"},
    {"no_format", "h2d=done\nend=1\n", "format=1"},
    {"a_test_with_an_odd_end", "format=1\nh2d=perhaps\nend=1\n", "h2d=perhaps: expected done"},
    {"a_code_that_is_none", "format=1\nh2d=failed\nh2d.code=-1\nend=1\n", "h2d.code=-1"},
    {"a_number_that_is_none", "format=1\nh2d.mbytes=fast\nend=1\n", "h2d.mbytes=fast"},
    {"more_peers_than_gpus", "format=1\npeers=65\nend=1\n", "peers=65"},
    {"a_peer_without_a_number", "format=1\npeers=1\npeer.0.mbytes=x\nend=1\n", "peer.0.mbytes=x"},
    {"a_wrong_word_that_is_none",
     "format=1\nwrong.0.address=1\nwrong.0.expected=y\nwrong.0.found=2\nend=1\n",
     "wrong.0.expected=y"},
};

static void is_read(void **state)
{
    const struct row *row = *state;
    struct ce_gpu_bench bench;
    struct ce_error err = {""};
    assert_int_equal(ce_gpu_bench_read(row->text, &bench, &err), row->error ? -1 : 0);
    if (row->error)
        unit_holds(err.text, row->error);
}

static const struct list {
    const char *name, *text;
    unsigned tests; /* 0: refused */
} lists[] = {
    {"one_test", "memory", 1 << CE_TEST_START | 1 << CE_TEST_MEMORY},
    {"several_tests", "h2d,load,h2d", 1 << CE_TEST_START | 1 << CE_TEST_H2D | 1 << CE_TEST_LOAD},
    {"no_test", "", 0},
    {"an_end_without_a_test", "h2d,", 0},
    {"the_start_is_no_test_to_ask_for", "start", 0},
    {"a_part_of_a_name", "mem", 0},
};

static void is_list(void **state)
{
    const struct list *list = *state;
    unsigned tests = 0;
    assert_int_equal(ce_gpu_tests_parse(list->text, &tests, NULL), list->tests ? 0 : -1);
    assert_int_equal(tests, list->tests);
}

int main(void)
{
    UNIT_RULE(what_is_written_is_read_back);
    UNIT_TABLE(rows, is_read);
    UNIT_TABLE(lists, is_list);
    return UNIT_RUN("gpu_bench");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "model/gang.h"

#include <string.h>

#include "../unit.h"
#include "model/gang_message.h"
#include "model/gang_task.h"

#define NONCE "00112233445566778899aabbccddeeff"

static void a_report_reads_as_it_was_written(void **state)
{
    struct ce_gang gang = {
        .end = CE_GANG_ISOLATED,
        .why = "eth1 is down",
        .own = {.final = true,
                .facts = {.whole = true, .rail_count = 8, .measured = 2, .rails = "a,b", .firmware = "x=1"},
                .links = {{.reach = CE_GANG_GOOD, .mbps = {100, 200}}, {.reach = CE_GANG_FAILED, .why = "no answer"}}},
        .verdict = {.stand = CE_GANG_SICK, .others = {3, 1}, .other_count = 2, .differs = CE_GANG_COUNT,
                    .most = "8", .median_mbps = 99,
                    .slow = {{1, 20, 30, 2, CE_GANG_TAKES, true}}, .slow_count = 1,
                    .silent = {0, 3}, .silent_count = 2, .out_count = 1},
        .nccl = {.ran = true, .repeated = true,
                 .together = {CE_NCCL_DONE, CE_NCCL_MEASURE, "", false, 3},
                 .alone = {CE_NCCL_FAILED, CE_NCCL_INIT, "no", true, 0},
                 .gpu = "NVIDIA B200", .gpus = 8, .ranks = 32, .bytes = 1 << 20, .ns = 99,
                 .log = {.network = "IB", .via = "NVLS", .warning = "w"}},
        .requeue = true, .judge = 1, .took_ms = 77, .refused = 3, .refusal = "an old one"};
    struct ce_gang again;
    struct ce_error err = {""};
    ce_autotext struct ce_text text = CE_TEXT(CE_GANG_TEXT_MAX), second = CE_TEXT(CE_GANG_TEXT_MAX);
    (void)state;
    ce_gang_write(&gang, &text);
    assert_int_equal(ce_gang_parse(ce_text_string(&text), 4, &again, &err), 0);
    ce_gang_write(&again, &second);
    assert_string_equal(ce_text_string(&text), ce_text_string(&second));
    assert_int_equal(again.verdict.slow[0].way, CE_GANG_TAKES);
    assert_int_equal(again.own.links[0].mbps[1], 200);
    assert_int_equal(again.nccl.together.wrong, 3);
    assert_true(again.nccl.alone.hardware);
    assert_int_equal(again.nccl.ranks, 32);
    assert_int_equal(ce_gang_parse(ce_text_string(&text), 3, &again, &err), -1); /* there is no node 3 */
}

static void the_largest_report_fits(void **state)
{
    struct ce_gang gang = {.own.facts = {.measured = CE_GANG_RAILS, .rail_count = CE_GANG_RAILS}};
    ce_autotext struct ce_text text = CE_TEXT(CE_GANG_TEXT_MAX);
    (void)state;
    memset(gang.own.facts.rails, 'r', CE_GANG_WORDS - 1);
    memset(gang.own.facts.firmware, 'f', CE_GANG_WORDS - 1);
    memset(gang.verdict.most, 'm', CE_GANG_WORDS - 1);
    for (unsigned i = 0; i < CE_GANG_RAILS; i++)
        gang.own.links[0].mbps[i] = gang.own.links[1].mbps[i] = UINT32_MAX;
    gang.verdict.slow_count = CE_GANG_SLOW_MAX;
    gang.own.nccl.ready = CE_GANG_NCCL_CANNOT;
    memset(gang.own.nccl.why, 'n', CE_GANG_NCCL_WHY - 1);
    gang.verdict.nccl.plan = CE_GANG_NCCL_SKIP;
    memset(gang.verdict.nccl.why, 'v', CE_GANG_NCCL_WHY - 1);
    gang.nccl = (struct ce_gang_nccl){.ran = true, .repeated = true};
    memset(gang.nccl.together.reason, 't', CE_NCCL_REASON - 1);
    memset(gang.nccl.alone.reason, 'a', CE_NCCL_REASON - 1);
    memset(gang.nccl.log.via, 'l', CE_NCCL_VIA - 1);
    ce_gang_write(&gang, &text);
    assert_true(ce_text_ok(&text));
    assert_true(text.length < 8192); /* sealed it grows by a third */
}

static void messages_read_as_they_were_written(void **state)
{
    (void)state;
    for (int kind = CE_GANG_HELLO; kind <= CE_GANG_STEP; kind++) {
        struct ce_gang_message message = {.kind = (enum ce_gang_kind)kind, .job = 7, .from = 1, .to = 0,
                                          .nonce = NONCE, .own = NONCE, .ring = true, .left_ms = 9000};
        struct ce_gang_message again;
        struct ce_error err = {""};
        ce_autotext struct ce_text text = CE_TEXT(CE_GANG_FRAME_MAX), second = CE_TEXT(CE_GANG_FRAME_MAX);
        message.text = kind == CE_GANG_ENDS ? "one\ntwo\n" : NULL;
        ce_gang_message_write(&message, &text);
        assert_int_equal(ce_gang_message_parse(ce_text_string(&text), 2, &again, &err), 0);
        ce_gang_message_write(&again, &second);
        assert_string_equal(ce_text_string(&text), ce_text_string(&second));
        ce_gang_message_free(&again);
    }
}

static const struct word_row {
    const char *name, *lines;
    int status;
} words[] = {
    {"no_word_of_an_all_reduce", "", 0},
    {"go", "nccl.plan=go\nnccl.plan.port=4000\nnccl.plan.left=9000\nnccl.plan.token=" NONCE "\n", 0},
    {"go_without_a_port", "nccl.plan=go\nnccl.plan.token=" NONCE "\n", -1},
    {"go_without_a_token", "nccl.plan=go\nnccl.plan.port=4000\n", -1},
    {"go_with_a_token_of_two_words",
     "nccl.plan=go\nnccl.plan.port=4000\nnccl.plan.token=0011223344556677 8899aabbccddeef\n", -1},
    {"skip", "nccl.plan=skip\nnccl.plan.named=1\nnccl.plan.node=1\nnccl.plan.why=no GPU\n", 0},
    {"of_a_node_that_there_is_not", "nccl.plan=skip\nnccl.plan.node=2\n", -1},
    {"another_plan", "nccl.plan=later\n", -1},
    {"too_long_a_time", "nccl.plan=skip\nnccl.plan.left=60001\n", -1},
};

static void a_word_is_strict(void **state)
{
    const struct word_row *row = *state;
    struct ce_gang_nccl_word word, again;
    struct ce_error err = {""};
    ce_autotext struct ce_text text = CE_TEXT(4096), second = CE_TEXT(4096);
    ce_text_addf(&text, "format=1\n%send=1\n", row->lines);
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(ce_text_string(&text), &err);
    assert_non_null(record);
    assert_int_equal(ce_gang_nccl_word_read(record, 2, &word, &err), row->status);
    if (row->status < 0)
        return;
    ce_record_begin(&second);
    ce_gang_nccl_word_write(&word, &second);
    ce_record_end(&second);
    ce_auto(ce_record_destroy) struct ce_record *written =
        ce_record_parse(ce_text_string(&second), &err);
    assert_int_equal(ce_gang_nccl_word_read(written, 2, &again, &err), 0);
    assert_int_equal(again.plan, word.plan);
    assert_int_equal(again.port, word.port);
    assert_int_equal(again.left_ms, word.left_ms);
    assert_string_equal(again.why, word.why);
    assert_string_equal(again.token, word.token);
}

static const struct {
    const char *header;
    int status;
    uint32_t length;
} headers[] = {
    {"CEP1c0000123", 0, 123},    {"CEP1h0016384", 0, 16384}, {"CEP1d0065536", 0, 65536},
    {"CEP1c0016385", -1, 0},     {"CEP1d0065537", -1, 0},    {"CEP1c0000000", -1, 0},
    {"CEP2c0000123", -1, 0},     {"CEP1x0000123", -1, 0},    {"CEP1c 000123", -1, 0},
    {"CEP1c-000123", -1, 0},     {"GET / HTTP/1", -1, 0},    {"CEP1c00001\0002", -1, 0},
};

static void headers_are_strict(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        enum ce_gang_frame type;
        uint32_t length = 0;
        assert_int_equal(ce_gang_header_parse(headers[i].header, &type, &length), headers[i].status);
        assert_int_equal(length, headers[i].length);
    }
}

static void an_offer_is_strict(void **state)
{
    struct ce_gang_offer offer;
    struct ce_error err = {""};
    (void)state;
    assert_int_equal(ce_gang_offer_parse("format=1\njob=4711\nfrom=2\nnonce=" NONCE "\nend=1\n", &offer, &err), 0);
    assert_int_equal(offer.job, 4711);
    assert_int_equal(ce_gang_offer_parse("format=1\njob=0\nfrom=2\nnonce=" NONCE "\nend=1\n", &offer, &err), -1);
    assert_int_equal(ce_gang_offer_parse("format=1\njob=1\nfrom=2\nnonce=xyz\nend=1\n", &offer, &err), -1);
    assert_int_equal(ce_gang_offer_parse("format=1\njob=1\nfrom=2\nend=1\n", &offer, &err), -1);
}

static void a_task_reads_as_it_was_written(void **state)
{
    struct ce_address addresses[2];
    struct ce_gang_task task = {.job = 9, .self = 1, .nccl_mib = 512, .name = "n1", .count = 2, .addresses = addresses, .port_first = 24000,
                                .port_last = 24999, .deadline_ms = 10000, .interface = "eth1",
                                .witness_count = 1, .limits = {1000, 50},
                                .facts = {.rail_count = 1, .measured = 1}, .rails = {{"mlx5_1", 1, 3}}};
    struct ce_gang_task again;
    struct ce_error err = {""};
    ce_autotext struct ce_text text = CE_TEXT(1 << 16), second = CE_TEXT(1 << 16);
    (void)state;
    assert_int_equal(ce_address_parse("10.1.0.1", &addresses[0]), 0);
    assert_int_equal(ce_address_parse("fd00::2", &addresses[1]), 0);
    task.witnesses[0] = addresses[0];
    ce_gang_task_write(&task, &text);
    assert_int_equal(ce_gang_task_parse(ce_text_string(&text), &again, &err), 0);
    ce_gang_task_write(&again, &second);
    assert_string_equal(ce_text_string(&text), ce_text_string(&second));
    ce_gang_task_free(&again);
    assert_int_equal(ce_gang_task_parse("format=1\njob=9\nend=1\n", &again, &err), -1);
    ce_gang_task_free(&again);
}

int main(void)
{
    UNIT_RULE(a_report_reads_as_it_was_written);
    UNIT_RULE(the_largest_report_fits);
    UNIT_RULE(messages_read_as_they_were_written);
    UNIT_TABLE(words, a_word_is_strict);
    UNIT_RULE(headers_are_strict);
    UNIT_RULE(an_offer_is_strict);
    UNIT_RULE(a_task_reads_as_it_was_written);
    return UNIT_RUN("model/gang");
}

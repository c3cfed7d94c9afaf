/* SPDX-License-Identifier: Apache-2.0 */
/* The words that the nodes of an all-reduce send to one another, and those of any other program that connects. */
#include "../../helpers/nccl_word.h"

#include "base/clock.h"
#include "model/nccl_bench.h"
#include "wire.h"

const char fuzz_name[] = "nccl_word";
const unsigned fuzz_runs = 12000;

enum { NODES = 3, GPUS = 8 };

static const char token[GANG_TOKEN] = "0123456789abcdef0123456789abcdef";

static struct gang make_gang(uint32_t node, int *links)
{
    uint64_t soon = ce_clock_ns() + 5000 * (uint64_t)CE_NS_PER_MS;
    struct gang gang = {.name = "n1", .nodes = NODES, .node = node, .meet_by = soon, .deadline = soon,
                        .listening = -1, .links = links};
    memcpy(gang.token, token, sizeof token);
    return gang;
}

/* The bytes as a word; by the first of them it is one of this gang, which no stranger can make. */
static struct word make_word(const struct gang *gang, const uint8_t *data, size_t size)
{
    struct word word, own;
    word_init(gang, &own);
    memset(&word, 0, sizeof word);
    memcpy(&word, data, size < sizeof word ? size : sizeof word);
    if (size > 0 && data[0] & 1) {
        memcpy(word.magic, own.magic, sizeof word.magic);
        memcpy(word.token, own.token, sizeof word.token);
        word.node = data[0] >> 1 & 3;
        word.step = data[0] & 0x10 ? word.step : 1;
    }
    return word;
}

static void check_texts(const struct word *word)
{
    FUZZ_CHECK(strnlen(word->name, sizeof word->name) < sizeof word->name);
    FUZZ_CHECK(strnlen(word->failed, sizeof word->failed) < sizeof word->failed);
}

static void check_content(const struct gang *gang, const struct word *word)
{
    struct ce_error err = {""};
    struct gang_part part = {.gpus = GPUS, .version = word->version};
    if (word_fits(gang, &part, word, &err) < 0)
        fuzz_check_error(err.text);
    else
        FUZZ_CHECK(word->gpus > 0 && word->gpus <= CE_NCCL_GPUS_MAX && !word->failed[0]);
    if (word_place(gang, word, &part, &err) < 0)
        fuzz_check_error(err.text);
    else
        FUZZ_CHECK((uint64_t)part.first + GPUS <= part.ranks && part.ranks <= CE_NCCL_GPUS_MAX * NODES);
}

/* Cut short, where the input is. */
static void check_receiving(const uint8_t *data, size_t size)
{
    struct fuzz_wire wire = fuzz_wire_open();
    struct gang gang = make_gang(0, NULL);
    struct word word = make_word(&gang, data, size), heard;
    bool whole = size == 0 || !(data[0] & 0x20);
    FUZZ_CHECK(fuzz_wire_send(&wire, &word, whole ? sizeof word : size % sizeof word));
    fuzz_wire_end(&wire);
    enum word_state state = word_peek(&gang, wire.near, &heard);
    FUZZ_CHECK(whole || state == WORD_NONE || state == WORD_CLOSED);
    int received = word_receive(&gang, wire.near, &heard, gang.deadline);
    FUZZ_CHECK((received == 0) == (state == WORD_THERE));
    if (received == 0) {
        FUZZ_CHECK(heard.node < NODES && memcmp(heard.token, token, sizeof token) == 0);
        check_texts(&heard);
        check_content(&gang, &heard);
    }
    close(wire.near);
    fuzz_wire_close(&wire);
}

/* As a node that waits for the others: node 0 for two, another for node 0. */
static void check_agreement(uint32_t node, const uint8_t *data, size_t size)
{
    struct fuzz_wire wires[2] = {fuzz_wire_open(), fuzz_wire_open()};
    int links[NODES] = {wires[0].near, wires[0].near, wires[1].near};
    struct gang gang = make_gang(node, links);
    struct word word = make_word(&gang, data, size);
    struct ce_error err = {""};
    uint64_t value = 0;
    if (node == 0)
        links[0] = -1;
    for (int i = 0; i < 2; i++) {
        FUZZ_CHECK(fuzz_wire_send(&wires[i], &word, sizeof word));
        fuzz_wire_end(&wires[i]);
    }
    if (gang_is_broken(&gang, &err))
        fuzz_check_error(err.text);
    if (gang_agree(&gang, 5, &value, &err) < 0)
        fuzz_check_error(err.text);
    else
        FUZZ_CHECK(value == (node == 0 && word.value < 5 ? 5 : word.value));
    gang_fail(&gang, err.text);
    for (int i = 0; i < 2; i++) {
        close(wires[i].near);
        fuzz_wire_close(&wires[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_receiving(data, size);
    check_agreement(0, data, size);
    check_agreement(1, data, size);
    return 0;
}

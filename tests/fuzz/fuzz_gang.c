/* SPDX-License-Identifier: Apache-2.0 */
/* What another node, or whoever else connects, says to a job's preflight; and what the helper prints. */
#include "fuzz.h"
#include "model/gang_message.h"
#include "model/gang_task.h"

const char fuzz_name[] = "gang";
const unsigned fuzz_runs = 60000;
enum { NODES = 5 };

static void check_verdict(const struct ce_gang_verdict *verdict)
{
    FUZZ_CHECK(verdict->other_count <= 2 && verdict->slow_count <= CE_GANG_SLOW_MAX);
    for (uint32_t i = 0; i < verdict->other_count; i++)
        FUZZ_CHECK(verdict->others[i] < NODES);
    for (uint32_t i = 0; i < verdict->slow_count; i++)
        FUZZ_CHECK(verdict->slow[i].other < NODES && verdict->slow[i].rail < CE_GANG_RAILS);
    FUZZ_CHECK(verdict->silent_count <= NODES && ce_is_printable(verdict->most));
    FUZZ_CHECK(verdict->nccl.node < NODES && ce_is_printable(verdict->nccl.why));
    /* It becomes a word of bench-nccl's line. */
    FUZZ_CHECK(verdict->nccl.plan != CE_GANG_NCCL_GO ||
               (verdict->nccl.port && strlen(verdict->nccl.token) == CE_GANG_NCCL_TOKEN - 1));
}

static void check_message(const char *data)
{
    struct ce_gang_message message, again;
    struct ce_error err = {""};
    ce_autotext struct ce_text text = CE_TEXT(1 << 16);
    if (ce_gang_message_parse(data, NODES, &message, &err) < 0) {
        fuzz_check_error(err.text);
        ce_gang_message_free(&message);
        return;
    }
    FUZZ_CHECK(message.from < NODES && message.to < NODES && message.job);
    FUZZ_CHECK(strlen(message.nonce) == CE_GANG_NONCE - 1);
    check_verdict(&message.verdict);
    FUZZ_CHECK(ce_gang_figures(&message.view.facts) <= CE_GANG_RAILS);
    ce_gang_message_write(&message, &text);
    FUZZ_CHECK(ce_text_ok(&text) && ce_gang_message_parse(ce_text_string(&text), NODES, &again, &err) == 0);
    FUZZ_CHECK(again.kind == message.kind && again.left_ms == message.left_ms);
    ce_gang_message_free(&again);
    ce_gang_message_free(&message);
}

static void check_report(const char *data)
{
    struct ce_gang gang;
    struct ce_error err = {""};
    if (ce_gang_parse(data, NODES, &gang, &err) < 0) {
        fuzz_check_error(err.text);
        return;
    }
    check_verdict(&gang.verdict);
    FUZZ_CHECK(ce_is_printable(gang.why) && ce_is_printable(gang.refusal));
    FUZZ_CHECK(ce_is_printable(gang.nccl.together.reason) && ce_is_printable(gang.nccl.alone.reason));
    FUZZ_CHECK(ce_is_printable(gang.nccl.log.via) && gang.nccl.gpus <= CE_NCCL_GPUS_MAX);
}

static void check_task(const char *data)
{
    struct ce_gang_task task;
    struct ce_error err = {""};
    if (ce_gang_task_parse(data, &task, &err) < 0)
        fuzz_check_error(err.text);
    else
        FUZZ_CHECK(task.self < task.count && task.port_first <= task.port_last &&
                   task.witness_count <= CE_GANG_WITNESSES && task.addresses);
    ce_gang_task_free(&task);
}

static void check_first_frame(const uint8_t *data, size_t size, const char *text)
{
    struct ce_gang_offer offer;
    enum ce_gang_frame type;
    uint32_t length;
    struct ce_error err = {""};
    if (size >= CE_GANG_HEADER && ce_gang_header_parse((const char *)data, &type, &length) == 0)
        FUZZ_CHECK(length > 0 && length <= (type == CE_GANG_DATA ? CE_GANG_DATA_MAX : CE_GANG_FRAME_MAX));
    if (ce_gang_offer_parse(text, &offer, &err) < 0)
        fuzz_check_error(err.text);
    else
        FUZZ_CHECK(offer.job && strlen(offer.nonce) == CE_GANG_NONCE - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    check_first_frame(data, size, text);
    check_message(text);
    check_report(text);
    check_task(text);
    free(text);
    return 0;
}

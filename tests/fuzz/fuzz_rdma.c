/* SPDX-License-Identifier: Apache-2.0 */
/* What another node, or whoever else connects, says to bench-rdma; and what a helper prints. */
#include "fuzz.h"
#include "model/rdma_end.h"
#include "model/rdma_result.h"

const char fuzz_name[] = "rdma";
const unsigned fuzz_runs = 100000;

static void check_end(const char *data)
{
    struct ce_rdma_end end, again;
    struct ce_error err = {""};
    ce_autotext struct ce_text text = CE_TEXT(CE_RDMA_TEXT_MAX);
    if (ce_rdma_end_parse(data, &end, &err) < 0) {
        fuzz_check_error(err.text);
        return;
    }
    FUZZ_CHECK(end.rail < end.rails);
    FUZZ_CHECK(ce_is_printable(end.failed) && strlen(end.failed) < sizeof end.failed);
    FUZZ_CHECK(end.failed[0] || (end.mtu >= 1 && end.mtu <= CE_RDMA_MTU_MAX && end.queue_pair));
    ce_rdma_end_write(&end, &text);
    FUZZ_CHECK(ce_text_ok(&text) && ce_rdma_end_parse(ce_text_string(&text), &again, &err) == 0);
    FUZZ_CHECK(again.queue_pair == end.queue_pair && again.address == end.address);
    FUZZ_CHECK(memcmp(again.gid, end.gid, sizeof end.gid) == 0);
}

static void check_step(const char *data)
{
    struct ce_rdma_step step;
    struct ce_error err = {""};
    if (ce_rdma_step_parse(data, &step, &err) < 0)
        fuzz_check_error(err.text);
    else
        FUZZ_CHECK(ce_is_printable(step.failed) && strlen(step.failed) < sizeof step.failed);
}

static void check_result(const char *data)
{
    struct ce_rdma_result result = {.text = ""};
    struct ce_error err = {""};
    if (ce_rdma_result_parse(data, &result, &err) < 0) {
        fuzz_check_error(err.text);
        return;
    }
    FUZZ_CHECK(*ce_rdma_outcome_name(result.outcome));
    FUZZ_CHECK(ce_is_printable(result.text) && strlen(result.text) < sizeof result.text);
    FUZZ_CHECK((result.outcome == CE_RDMA_DONE) == (result.write_mbps > 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    check_end(text);
    check_step(text);
    check_result(text);
    free(text);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The texts that two nodes exchange for `bench rdma`, from any program that connects: byte for byte, up to "end=1". */
#include "../../helpers/bench_talk.h"

#include "base/clock.h"
#include "model/rdma_end.h"
#include "wire.h"

const char fuzz_name[] = "bench_talk";
const unsigned fuzz_runs = 6000;

static const char begin[] = "format=1\n", last[] = "\nend=1\n";

static void check_heard(const struct ce_text *text, const uint8_t *data)
{
    const size_t end = sizeof last - 1;
    FUZZ_CHECK(ce_text_ok(text) && text->length >= sizeof begin - 1 + end - 1);
    FUZZ_CHECK(memcmp(text->data, begin, sizeof begin - 1) == 0);
    FUZZ_CHECK(memcmp(text->data + text->length - end, last, end) == 0);
    FUZZ_CHECK(memcmp(text->data, data, text->length) == 0);
}

/* As many texts as there are: each is taken up to its end, and not one byte more. */
static void check_hearing(const uint8_t *data, size_t size, size_t limit)
{
    struct fuzz_wire wire = fuzz_wire_open();
    struct ce_error err = {""};
    size_t taken = 0;
    int heard = 0;
    FUZZ_CHECK(fuzz_wire_send(&wire, data, size));
    fuzz_wire_end(&wire);
    while (heard == 0) {
        ce_autotext struct ce_text text = CE_TEXT(limit);
        heard = bench_hear(wire.near, &text, ce_clock_ns() + 20000 * (uint64_t)CE_NS_PER_MS, &err);
        if (heard == 0)
            check_heard(&text, data + taken);
        taken += text.length;
        FUZZ_CHECK(taken <= size);
    }
    fuzz_check_error(err.text);
    close(wire.near);
    fuzz_wire_close(&wire);
}

/* A text that bench_say() sends is heard unchanged. */
static void check_own(void)
{
    struct fuzz_wire wire = fuzz_wire_open();
    struct ce_error err = {""};
    const uint64_t deadline = ce_clock_ns() + 20000 * (uint64_t)CE_NS_PER_MS;
    ce_autotext struct ce_text said = CE_TEXT(CE_RDMA_TEXT_MAX), heard = CE_TEXT(CE_RDMA_TEXT_MAX);
    ce_text_addf(&said, "%sa=1%s", begin, last);
    FUZZ_CHECK(bench_say(wire.far, &said, deadline, &err) == 0);
    FUZZ_CHECK(bench_hear(wire.near, &heard, deadline, &err) == 0);
    FUZZ_CHECK(strcmp(ce_text_string(&said), ce_text_string(&heard)) == 0);
    close(wire.near);
    fuzz_wire_close(&wire);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 8192) /* what a socket takes at once */
        return 0;
    check_hearing(data, size, CE_RDMA_TEXT_MAX);
    check_hearing(data, size, 100);
    check_own();
    return 0;
}

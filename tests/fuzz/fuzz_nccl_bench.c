/* SPDX-License-Identifier: Apache-2.0 */
/* What bench-nccl, NCCL's log and the tasks of a step say of all-reduces, and what is made of it.
 */
#include "fuzz.h"
#include "checks/bench_nccl.h"
#include "probe/nccl_step.h"
#include "report/nccl_bench.h"

const char fuzz_name[] = "nccl_bench";
const unsigned fuzz_runs = 50000;

/* What was accepted is written, read and written again as the same text. */
static void check_text(const struct ce_nccl_node *node)
{
    ce_autotext struct ce_text first = CE_TEXT(1 << 20), second = CE_TEXT(1 << 20);
    struct ce_nccl_node again;
    ce_nccl_node_write(node, &first);
    FUZZ_CHECK(ce_text_ok(&first));
    FUZZ_CHECK(ce_nccl_node_read(ce_text_string(&first), &again, NULL) == 0);
    ce_nccl_node_write(&again, &second);
    FUZZ_CHECK(strcmp(ce_text_string(&first), ce_text_string(&second)) == 0);
}

/* Whatever the numbers are there are findings, none drains, and tables. */
static void check_run(const struct ce_nccl_node *node, bool alone)
{
    struct ce_nccl_node parts[3] = {*node, *node, *node};
    const struct ce_nccl_run run = {.nodes = 3, .alone = alone, .parts = parts};
    const struct ce_nccl_limits limits = {.below_percent = 5};
    ce_autofindings struct ce_findings findings = {.count = 0};
    ce_autotext struct ce_text tables = CE_TEXT(1 << 20), json = CE_TEXT(1 << 20);
    ce_bench_nccl_judge(&run, &limits, &findings);
    FUZZ_CHECK(findings.count > 0);
    for (size_t i = 0; i < findings.count; i++) {
        FUZZ_CHECK(findings.items[i].check[0] && findings.items[i].response != CE_DRAIN);
        FUZZ_CHECK(ce_is_printable(findings.items[i].text));
    }
    ce_report_nccl_bench_tables(&run, 1, &tables);
    FUZZ_CHECK(ce_text_ok(&tables));
    FUZZ_CHECK(ce_report_nccl_bench_json(&run, 1, &findings, "n1", NULL, &json) == 0);
}

static void check_labels(const char *text)
{
    struct ce_text texts[3] = {CE_TEXT(1 << 16), CE_TEXT(1 << 16), CE_TEXT(1 << 16)};
    size_t length = 0;
    ce_nccl_labels_split(text, texts, 3);
    for (int i = 0; i < 3; i++) {
        length += texts[i].length;
        ce_text_free(&texts[i]);
    }
    FUZZ_CHECK(length <= strlen(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ce_error err = {""};
    struct ce_nccl_node node;
    char *text = fuzz_text(data, size);
    uint32_t port = 0;
    check_labels(text);
    FUZZ_CHECK(!ce_nccl_output_is_ready(text, &port) || port <= 65535);
    int read = ce_nccl_output_read(text, &node, &err);
    if (read < 0)
        read = ce_nccl_node_read(text, &node, &err);
    free(text);
    if (read < 0) {
        fuzz_check_error(err.text);
        return 0;
    }
    check_text(&node);
    check_run(&node, true);
    check_run(&node, false);
    return 0;
}

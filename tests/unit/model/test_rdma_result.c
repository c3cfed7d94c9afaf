/* SPDX-License-Identifier: Apache-2.0 */
#include "model/rdma_result.h"

#include "../unit.h"

#define FRAMED(lines) "format=1\n" lines "end=1\n"

static void figures_read_as_they_were_written(void **state)
{
    struct ce_rdma_result result = {.write_mbps = 391234,
                                    .latency_ns = 1850,
                                    .mtu = 4096,
                                    .gpu_name = "NVIDIA H200",
                                    .gpu_way = "peermem"};
    struct ce_rdma_result read = {.subject = "mlx5_1/1"};
    struct ce_error err = {""};
    ce_autotext struct ce_text text = CE_TEXT(4096);
    (void)state;
    ce_rdma_result_write(&result, &text);
    assert_int_equal(ce_rdma_result_parse(ce_text_string(&text), &read, &err), 0);
    assert_int_equal(read.outcome, CE_RDMA_DONE);
    assert_int_equal(read.write_mbps, 391234);
    assert_int_equal(read.latency_ns, 1850);
    assert_int_equal(read.mtu, 4096);
    assert_string_equal(read.gpu_name, "NVIDIA H200");
    assert_string_equal(read.gpu_way, "peermem");
    assert_string_equal(read.subject, "mlx5_1/1");
}

static void a_failure_keeps_its_words(void **state)
{
    struct ce_rdma_result result = {.text = ""}, read = {.text = ""};
    struct ce_error err = {""};
    ce_autotext struct ce_text text = CE_TEXT(4096);
    (void)state;
    assert_int_equal(ce_rdma_fail(&result, CE_RDMA_PORT, "%s (%s)", "DOWN", "Polling"), -1);
    ce_rdma_result_write(&result, &text);
    assert_int_equal(ce_rdma_result_parse(ce_text_string(&text), &read, &err), 0);
    assert_int_equal(read.outcome, CE_RDMA_PORT);
    assert_string_equal(read.text, "DOWN (Polling)");
}

static const struct row {
    const char *name, *text, *says;
} wrong[] = {
    {"nothing", "", "line 1: expected format=1"},
    {"no_outcome", FRAMED("rdma.mtu=1\n"), "rdma.outcome=: not an outcome"},
    {"an_outcome_of_its_own", FRAMED("rdma.outcome=maybe\n"), "rdma.outcome=maybe: not"},
    {"done_without_figures", FRAMED("rdma.outcome=done\n"), "rdma.write_mbps is missing"},
    {"a_figure_of_0", FRAMED("rdma.outcome=done\nrdma.write_mbps=0\n"), "rdma.write_mbps=0"},
    {"a_figure_that_is_none", FRAMED("rdma.outcome=done\nrdma.write_mbps=nan\n"),
     "rdma.write_mbps=nan"},
};

static void check_wrong(void **state)
{
    const struct row *row = *state;
    struct ce_rdma_result result = {.mtu = 77};
    struct ce_error err = {""};
    assert_int_equal(ce_rdma_result_parse(row->text, &result, &err), -1);
    unit_holds(err.text, row->says);
    assert_int_equal(result.mtu, 77);
}

int main(void)
{
    UNIT_RULE(figures_read_as_they_were_written);
    UNIT_RULE(a_failure_keeps_its_words);
    UNIT_TABLE(wrong, check_wrong);
    return UNIT_RUN("model/rdma_result");
}

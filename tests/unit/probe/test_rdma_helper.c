/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/rdma_helper.h"

#include "../unit_dir.h"

static struct ce_hca first = {.name = "mlx5_0"}, second = {.name = "mlx5_1"};
static const struct ce_hca_port port = {
    .number = 2, .rate_mbps = 400000, .link_layer = CE_LINK_INFINIBAND};

/* What bench-rdma, as this script, leads to. */
static struct ce_rdma_result run(struct ce_rdma_test test, const char *script)
{
    struct unit_dir dir = unit_dir_make();
    struct ce_rdma_result result;
    test.helpers = dir.path;
    test.time_ms = 500;
    if (script)
        unit_dir_writen(&dir, "bench-rdma", script, strlen(script), 0755);
    ce_rdma_test_run(&test, &result);
    unit_dir_remove(&dir);
    return result;
}

static const struct row {
    const char *name, *script; /* NULL: there is none */
    enum ce_rdma_outcome outcome;
    const char *text;
} rows[] = {
    {"figures", "#!/bin/sh\nprintf 'format=1\\nrdma.outcome=done\\nrdma.write_mbps=391000\\n"
                "rdma.latency_ns=1800\\nrdma.mtu=4096\\nend=1\\n'\n", CE_RDMA_DONE, ""},
    {"a_failure", "#!/bin/sh\nprintf 'format=1\\nrdma.outcome=port\\nrdma.text=DOWN\\nend=1\\n'\n",
     CE_RDMA_PORT, "DOWN"},
    {"a_text_cut_short", "#!/bin/sh\nprintf 'format=1\\nrdma.outcome=done\\n'\n", CE_RDMA_DEVICE,
     "cut short"},
    {"a_text_that_is_none", "#!/bin/sh\necho hello\n", CE_RDMA_DEVICE, "line 1"},
    {"a_crash", "#!/bin/sh\nkill -SEGV $$\n", CE_RDMA_DEVICE, "ended by signal 11"},
    {"a_complaint", "#!/bin/sh\necho 'bench-rdma: no' >&2; exit 1\n", CE_RDMA_DEVICE,
     "exit status 1: bench-rdma: no"},
    {"a_helper_that_is_not_there", NULL, CE_RDMA_DEVICE, "cannot run "},
};

static void tells(void **state)
{
    const struct row *row = *state;
    const struct ce_rdma_test test = {.own = {&first, &port, 3}};
    struct ce_rdma_result result = run(test, row->script);
    assert_int_equal(result.outcome, row->outcome);
    unit_holds(result.text, row->text);
    assert_string_equal(result.subject, "mlx5_0/2");
    assert_int_equal(result.rate_mbps, 400000);
    assert_int_equal(result.link_layer, CE_LINK_INFINIBAND);
}

#define SAYS_ITS_ARGUMENTS "#!/bin/sh\necho \"$*\" >&2; exit 1\n"

static const struct words_row {
    const char *name;
    struct ce_rdma_test test;
    const char *subject, *words;
} words_rows[] = {
    {"itself", {.own = {&first, &port, 3}}, "mlx5_0/2",
     ": --device=mlx5_0 --port=2 --gid=3 --time=500 --limit=13500"},
    {"another_port", {.own = {&first, &port, 3}, .to = {&second, &port, 1}},
     "mlx5_0/2 to mlx5_1/2", "--gid=3 --to-device=mlx5_1 --to-port=2 --to-gid=1 --time=500"},
    {"another_node_that_comes",
     {.own = {&first, &port, 0}, .listen = "10.1.0.1", .tcp_port = 7, .rail = 1, .rails = 8, .wait_ms = 9},
     "mlx5_0/2", "--listen=10.1.0.1 --tcp-port=7 --rail=1 --rails=8 --wait=9 --time=500"},
    {"another_node_that_listens",
     {.own = {&first, &port, 0}, .peer = "10.1.0.1", .tcp_port = 7, .rails = 1}, "mlx5_0/2",
     "--peer=10.1.0.1 --tcp-port=7 --rail=0 --rails=1 --wait=0 --time=500"},
};

static void says(void **state)
{
    const struct words_row *row = *state;
    struct ce_rdma_result result = run(row->test, SAYS_ITS_ARGUMENTS);
    assert_string_equal(result.subject, row->subject);
    unit_holds(result.text, row->words);
}

int main(void)
{
    UNIT_TABLE(rows, tells);
    UNIT_TABLE(words_rows, says);
    return UNIT_RUN("probe/rdma_helper");
}

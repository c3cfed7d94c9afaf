/* SPDX-License-Identifier: Apache-2.0 */
#include "report/node_config.h"

#include "../unit.h"
#include "config/config.h"

#define HEAD "# What gpu1 is. Where all nodes are alike, name them all: names = \"node[1-64]\".\n"
#define BOTH                                                                                       \
    "      rails = { count = 2; link_layer = \"infiniband\"; rate = 400; }; }\n);\n"
#define CARD(name, pci, type, firmware)                                                            \
    "ib." name ".type=" type "\nib." name ".firmware=" firmware "\nib." name ".pci=" pci "\n"      \
    "ib." name ".1.state=4\nib." name ".1.link_layer=infiniband\nib." name ".1.rate_mbps=400000\n"
#define RAILS(one, two)                                                                            \
    CARD("mlx5_0", "0000:18:00.0", "MT4129", one) CARD("mlx5_1", "0000:40:00.0", "MT4129", two)
#define GPU(n, pci, vbios)                                                                         \
    "gpu." n ".pci=" pci "\ngpu." n ".nvml.asked=answered\ngpu." n ".nvml.vbios=" vbios "\n"

static const struct row {
    const char *name, *facts;
    unsigned gpus, rails, memory, hugepages, vbioses;
    const char *text;
} rows[] = {
    {"all_that_a_node_has",
     RAILS("28.39.1002", "28.39.1002") "gpu.count=3\nnvml.driver=570.86.15\n"
     GPU("0", "0000:1b:00.0", "96.1") GPU("1", "0000:43:00.0", "96.2")
     GPU("2", "0000:52:00.0", "96.1")
     "host.memory_kb=2113929216\nhost.hugepage_kb=2048\nhost.hugepages=64\n",
     3, 2, 1995, 64, 2,
     HEAD "nodes = (\n    { names = \"gpu1\"; gpus = 3;\n"
          "      driver = \"570.86.15\"; vbios = [ \"96.1\", \"96.2\" ];\n"
          "      memory = 1995; hugepages = 64;\n"
          "      firmware = [ \"MT4129=28.39.1002\" ];\n" BOTH},
    {"rails_alone", RAILS("28.39.1002", "28.39.1002"), 0, 2, 0, 0, 0,
     HEAD "nodes = (\n    { names = \"gpu1\";\n      firmware = [ \"MT4129=28.39.1002\" ];\n" BOTH},
    {"cards_that_differ_are_no_model", RAILS("28.39.1002", "28.40.1000"), 0, 2, 0, 0, 0,
     HEAD "nodes = (\n    { names = \"gpu1\";\n" BOTH},
    {"a_word_that_would_end_the_text", "gpu.count=1\nnvml.driver=57\"0\n" GPU("0", "0000:1b:00.0", "\\"),
     1, 0, 0, 0, 0,
     HEAD "# It has no rails: no RDMA device.\nnodes = (\n    { names = \"gpu1\"; gpus = 1; }\n);\n"},
    {"huge_pages_without_memory", "host.hugepage_kb=2048\nhost.hugepages=4\ngpu.count=1\ngpu.0.pci=0000:1b:00.0\n",
     1, 0, 0, 4, 0,
     HEAD "# It has no rails: no RDMA device.\n"
          "nodes = (\n    { names = \"gpu1\"; gpus = 1;\n      hugepages = 4; }\n);\n"},
    {"nothing", "", 0, 0, 0, 0, 0, HEAD "# It has no rails: no RDMA device.\n"},
};

static void prints(void **state)
{
    const struct row *row = *state;
    struct ce_config config;
    struct ce_rails rails;
    struct ce_error err = {""};
    ce_autotext struct ce_text facts = CE_TEXT(1 << 16), out = CE_TEXT(1 << 16);
    ce_text_addf(&facts, "format=1\n%send=1\n", row->facts);
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_parse(ce_text_string(&facts), &err);
    assert_string_equal(err.text, "");
    assert_int_equal(ce_rails_choose(node, &rails, &err), 0);
    ce_report_node_config(&rails, node, "gpu1", &out);
    ce_rails_free(&rails);
    assert_string_equal(ce_text_string(&out), row->text);
    assert_int_equal(ce_config_parse(ce_text_string(&out), "it", "gpu1", &config, &err), 0);
    assert_int_equal(config.policy.gpus, row->gpus);
    assert_int_equal(config.policy.rails.count, row->rails);
    assert_int_equal(config.policy.memory_gb, row->memory);
    assert_int_equal(config.policy.hugepages, row->hugepages);
    assert_int_equal(config.policy.vbios_count, row->vbioses);
}

int main(void)
{
    UNIT_TABLE(rows, prints);
    return UNIT_RUN("report/node_config");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "report/node_config.h"

#include "../unit.h"
#include "config/config.h"

#define HEAD "# What gpu1 is. Where all nodes are alike, name them all: names = \"node[1-64]\".\n"

static const struct row {
    const char *name;
    struct ce_rails rails;
    unsigned gpus;
    const char *text;
} rows[] = {
    {"a_node_with_both",
     {.count = 8, .link_layer = CE_LINK_INFINIBAND, .rate_mbps = 400000}, 8,
     HEAD "nodes = (\n    { names = \"gpu1\"; gpus = 8;\n"
          "      rails = { count = 8; link_layer = \"infiniband\"; rate = 400; }; }\n);\n"},
    {"a_node_without_gpus", {.count = 1, .link_layer = CE_LINK_ETHERNET}, 0,
     HEAD "nodes = (\n    { names = \"gpu1\";\n"
          "      rails = { count = 1; link_layer = \"ethernet\"; }; }\n);\n"},
    {"a_node_without_rails", {.reason = "no RDMA device"}, 4,
     HEAD "# It has no rails: no RDMA device.\nnodes = (\n    { names = \"gpu1\"; gpus = 4; }\n);\n"},
    {"a_node_without_either", {.reason = "no RDMA device"}, 0,
     HEAD "# It has no rails: no RDMA device.\n"},
};

static void prints(void **state)
{
    const struct row *row = *state;
    struct ce_config config;
    struct ce_error err = {""};
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    ce_report_node_config(&row->rails, row->gpus, "gpu1", &out);
    assert_string_equal(ce_text_string(&out), row->text);
    assert_int_equal(ce_config_parse(ce_text_string(&out), "it", "gpu1", &config, &err), 0);
    assert_int_equal(config.policy.gpus, row->gpus);
    assert_int_equal(config.policy.rails.count, row->rails.count);
}

int main(void)
{
    UNIT_TABLE(rows, prints);
    return UNIT_RUN("report/node_config");
}

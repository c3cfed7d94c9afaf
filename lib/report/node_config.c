/* SPDX-License-Identifier: Apache-2.0 */
#include "report/node_config.h"

static void add_rails(const struct ce_rails *rails, struct ce_text *out)
{
    ce_text_addf(out, "\n      rails = { count = %zu;", rails->count);
    if (rails->link_layer)
        ce_text_addf(out, " link_layer = \"%s\";", ce_link_layer_name(rails->link_layer));
    if (rails->rate_mbps >= 1000)
        ce_text_addf(out, " rate = %u;", rails->rate_mbps / 1000);
    ce_text_add(out, " };");
}

void ce_report_node_config(const struct ce_rails *rails, unsigned gpus, const char *node_name,
                           struct ce_text *out)
{
    ce_text_addf(out,
                 "# What %s is. Where all nodes are alike, name them all: names = \"node[1-64]\".\n",
                 node_name);
    if (!rails->count)
        ce_text_addf(out, "# It has no rails: %s.\n", rails->reason);
    if (!rails->count && !gpus)
        return;
    ce_text_addf(out, "nodes = (\n    { names = \"%s\";", node_name);
    if (gpus)
        ce_text_addf(out, " gpus = %u;", gpus);
    if (rails->count)
        add_rails(rails, out);
    ce_text_add(out, " }\n);\n");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "report/node_config.h"

#include <inttypes.h>
#include <string.h>

#include "model/policy.h"

enum { KB_PER_GB = 1 << 20 };

static void add_rails(const struct ce_rails *rails, struct ce_text *out)
{
    ce_text_addf(out, "\n      rails = { count = %zu;", rails->count);
    if (rails->link_layer)
        ce_text_addf(out, " link_layer = \"%s\";", ce_link_layer_name(rails->link_layer));
    if (rails->rate_mbps >= 1000)
        ce_text_addf(out, " rate = %u;", rails->rate_mbps / 1000);
    ce_text_add(out, " };");
}

/* A word that needs no escape in the file. */
static bool is_plain(const char *word)
{
    return word[0] && !strpbrk(word, "\"\\");
}

/* ---------------------------------------------------------------- GPUs */

static bool has_earlier(const struct ce_gpu_states *states, unsigned index)
{
    for (unsigned i = 0; i < index; i++)
        if (strcmp(states->items[i].vbios, states->items[index].vbios) == 0)
            return true;
    return false;
}

static void add_gpus(const struct ce_node *node, struct ce_text *out)
{
    const struct ce_gpu_states *states = &node->gpu_states;
    unsigned count = 0;
    if (node->gpu_count)
        ce_text_addf(out, " gpus = %u;", node->gpu_count);
    if (is_plain(states->driver))
        ce_text_addf(out, "\n      driver = \"%s\";", states->driver);
    for (unsigned i = 0; i < states->count && count < CE_POLICY_VBIOS_MAX; i++)
        if (is_plain(states->items[i].vbios) && !has_earlier(states, i))
            ce_text_addf(out, "%s\"%s\"", count++ ? ", " : " vbios = [ ", states->items[i].vbios);
    if (count)
        ce_text_add(out, " ];");
}

/* ---------------------------------------------------------------- the host and its cards */

static void add_host(const struct ce_host *host, struct ce_text *out)
{
    uint64_t memory = host->memory_kb / 100 * 99 / KB_PER_GB;
    if (memory)
        ce_text_addf(out, "\n      memory = %" PRIu64 ";", memory);
    if (host->hugepage_kb && host->hugepages && host->hugepages <= INT32_MAX)
        ce_text_addf(out, "%shugepages = %" PRIu64 ";", memory ? " " : "\n      ",
                     host->hugepages);
}

static bool is_card(const struct ce_rails *rails, size_t index)
{
    const struct ce_rail *port = &rails->ports[index];
    return port->chosen && is_plain(port->hca->type) && is_plain(port->hca->firmware) &&
           !strchr(port->hca->type, '=');
}

/* The first card of its type among the rails, where all of that type have its firmware. */
static bool speaks_for_type(const struct ce_rails *rails, size_t index)
{
    const struct ce_hca *hca = rails->ports[index].hca;
    for (size_t i = 0; i < rails->port_count; i++) {
        const struct ce_hca *other = rails->ports[i].hca;
        if (!rails->ports[i].chosen || strcmp(other->type, hca->type) != 0)
            continue;
        if (i < index || strcmp(other->firmware, hca->firmware) != 0)
            return false;
    }
    return true;
}

static void add_firmware(const struct ce_rails *rails, struct ce_text *out)
{
    unsigned count = 0;
    for (size_t i = 0; i < rails->port_count && count < CE_POLICY_FIRMWARE_MAX; i++)
        if (is_card(rails, i) && speaks_for_type(rails, i))
            ce_text_addf(out, "%s\"%s=%s\"", count++ ? ", " : "\n      firmware = [ ",
                         rails->ports[i].hca->type, rails->ports[i].hca->firmware);
    if (count)
        ce_text_add(out, " ];");
}

void ce_report_node_config(const struct ce_rails *rails, const struct ce_node *node,
                           const char *node_name, struct ce_text *out)
{
    ce_text_addf(out,
                 "# What %s is. Where all nodes are alike, name them all: names = \"node[1-64]\".\n",
                 node_name);
    if (!rails->count)
        ce_text_addf(out, "# It has no rails: %s.\n", rails->reason);
    if (!rails->count && !node->gpu_count && !node->host.memory_kb)
        return;
    ce_text_addf(out, "nodes = (\n    { names = \"%s\";", node_name);
    add_gpus(node, out);
    add_host(&node->host, out);
    add_firmware(rails, out);
    if (rails->count)
        add_rails(rails, out);
    ce_text_add(out, " }\n);\n");
}

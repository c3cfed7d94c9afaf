/* SPDX-License-Identifier: Apache-2.0 */
#include "report/words.h"

#include <stdio.h>
#include <string.h>

const char *ce_words_clean(char buf[CE_WORDS], const char *text, size_t length)
{
    size_t n = 0;
    for (; n < length && n < CE_WORDS - 1 && text[n]; n++)
        buf[n] = text[n] >= ' ' && text[n] <= '~' ? text[n] : '?';
    buf[n] = '\0';
    return buf;
}

const char *ce_words_name(char buf[CE_WORDS], const struct ce_tree *item)
{
    char name[CE_WORDS] = "";
    switch (item->kind) {
    case CE_TREE_MACHINE:
        break;
    case CE_TREE_NUMA:
        snprintf(name, sizeof name, "NUMA node %u", item->number);
        break;
    case CE_TREE_HOST_BRIDGE:
        snprintf(name, sizeof name, "Host bridge %.*s", (int)item->length, item->name);
        break;
    case CE_TREE_SWITCH:
        snprintf(name, sizeof name, "PCI switch %.*s", (int)item->length, item->name);
        break;
    case CE_TREE_GPU:
        snprintf(name, sizeof name, "GPU %u", item->number);
        break;
    case CE_TREE_HCA:
        snprintf(name, sizeof name, "%s", item->hca->name);
        if (item->hca->port_count > 1)
            snprintf(name, sizeof name, "%s:%u", item->hca->name, item->port->number);
        break;
    }
    return ce_words_clean(buf, name, sizeof name);
}

static const char *link_name(enum ce_link_layer link_layer)
{
    switch (link_layer) {
    case CE_LINK_INFINIBAND:
        return "InfiniBand";
    case CE_LINK_ETHERNET:
        return "Ethernet";
    case CE_LINK_UNKNOWN:
        break;
    }
    return "";
}

const char *ce_words_link(const struct ce_hca *hca, const struct ce_hca_port *port)
{
    const char *name = link_name(port->link_layer);
    return *name ? name : hca->driver;
}

const char *ce_words_rate(char buf[CE_WORDS], unsigned mbps)
{
    buf[0] = '\0';
    if (mbps)
        snprintf(buf, CE_WORDS, "%g Gb/s", mbps / 1000.0);
    return buf;
}

const char *ce_words_port_rate(char buf[CE_WORDS], const struct ce_hca_port *port)
{
    return ce_words_rate(buf, port->state == CE_PORT_ACTIVE ? port->rate_mbps : 0);
}

const char *ce_words_state(char buf[CE_WORDS], const struct ce_hca_port *port)
{
    const char *state = ce_hca_state_name(port->state);
    if (port->state == CE_PORT_ACTIVE || port->phys_state == 0)
        snprintf(buf, CE_WORDS, "%s", state);
    else
        snprintf(buf, CE_WORDS, "%s (%s)", state, ce_hca_phys_name(port->phys_state));
    return buf;
}

const char *ce_words_netdevs(char buf[CE_WORDS], const struct ce_hca *hca)
{
    size_t count = hca->netdev_count;
    ce_words_clean(buf, count ? hca->netdevs[0] : "", CE_NETIF_NAME);
    if (count > 1)
        snprintf(buf + strlen(buf), CE_WORDS - CE_NETIF_NAME, " +%zu", count - 1);
    return buf;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

const char *ce_words_contents(char buf[CE_WORDS], const struct ce_node *node)
{
    char gpus[24] = "";
    if (node->gpu_count_known)
        snprintf(gpus, sizeof gpus, "%u GPU%s, ", node->gpu_count, plural(node->gpu_count));
    snprintf(buf, CE_WORDS, "%s%zu HCA%s", gpus, node->hca_count, plural(node->hca_count));
    return buf;
}

const char *ce_words_count(char buf[CE_WORDS], size_t count)
{
    if (count < 1000)
        snprintf(buf, CE_WORDS, "%zu", count);
    else
        snprintf(buf, CE_WORDS, "%zu,%03zu", count / 1000, count % 1000);
    return buf;
}

const struct ce_rail *ce_words_rail(const struct ce_rails *rails, const struct ce_tree *item)
{
    for (size_t i = 0; item->port && i < rails->port_count; i++)
        if (rails->ports[i].hca == item->hca && rails->ports[i].port == item->port)
            return &rails->ports[i];
    return NULL;
}

/* Without a choice nothing is kept out: NCCL, or the provider's plugin, may take it. */
const char *ce_words_verdict(char buf[CE_WORDS], const struct ce_rails *rails,
                             const struct ce_rail *rail)
{
    bool made = rails->verdict == CE_RAILS_ALL || rails->verdict == CE_RAILS_CHOSEN;
    buf[0] = '\0';
    if (rail && rail->chosen)
        snprintf(buf, CE_WORDS, "rail %u", rail->index);
    else if (rail && made)
        snprintf(buf, CE_WORDS, "kept out");
    return buf;
}

const char *ce_words_decision(char buf[CE_WORDS], const struct ce_rails *rails)
{
    static const char *const names[] = {
        [CE_RAILS_NONE] = "no rails",
        [CE_RAILS_PROVIDER] = "the provider's plugin decides",
        [CE_RAILS_UNSURE] = "not decided",
    };
    char rate[CE_WORDS];
    ce_words_rate(rate, rails->rate_mbps);
    if (rails->verdict != CE_RAILS_ALL && rails->verdict != CE_RAILS_CHOSEN)
        snprintf(buf, CE_WORDS, "%s", names[rails->verdict]);
    else
        snprintf(buf, CE_WORDS, "%zu rail%s of %s%s%s", rails->count, plural(rails->count), rate,
                 *rate ? " " : "", link_name(rails->link_layer));
    return buf;
}

void ce_words_degraded(const struct ce_rails *rails, struct ce_text *out)
{
    char name[CE_WORDS];
    size_t found = 0;
    for (size_t i = 0; i < rails->port_count; i++) {
        const struct ce_rail *rail = &rails->ports[i];
        if (!rail->chosen || rail->port->state == CE_PORT_ACTIVE)
            continue;
        ce_words_clean(name, rail->hca->name, sizeof rail->hca->name);
        ce_text_addf(out, "%s%s", found++ ? ", " : "", name);
        if (rail->hca->port_count > 1)
            ce_text_addf(out, ":%u", rail->port->number);
    }
}

const struct ce_topology_variable *ce_words_variable(const struct ce_topology *topology,
                                                     const char *name)
{
    for (size_t i = 0; i < topology->variable_count; i++)
        if (strcmp(topology->variables[i].name, name) == 0)
            return &topology->variables[i];
    return NULL;
}

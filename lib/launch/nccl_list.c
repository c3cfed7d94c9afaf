/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/nccl_list.h"

#include <stdlib.h>
#include <string.h>

#include "launch/network.h"
#include "launch/rails.h"

/* A port is read as atoi() reads it: what is not a number is 0.  An empty port is any port. */
static struct ce_nccl_entry read_entry(const char *text, size_t length)
{
    struct ce_nccl_entry entry = {.port = -1};
    size_t name = strcspn(text, ":,");
    size_t kept = name < sizeof entry.name ? name : sizeof entry.name - 1;
    memcpy(entry.name, text, kept);
    if (name == length)
        return entry;
    const char *port = text + name + 1;
    entry.empty_port = port == text + length || *port == ':';
    if (!entry.empty_port)
        entry.port = (int)strtol(port, NULL, 10);
    return entry;
}

void ce_nccl_list_parse(const char *text, struct ce_nccl_list *ret)
{
    *ret = (struct ce_nccl_list){.except = *text == '^'};
    text += ret->except;
    ret->exact = *text == '=';
    text += ret->exact;
    while (*text) {
        size_t length = strcspn(text, ",");
        bool named = length && *text != ':'; /* a port of nothing is no entry to NCCL */
        if (named && ret->count < CE_NCCL_ENTRIES_MAX)
            ret->entries[ret->count++] = read_entry(text, length);
        else if (named)
            ret->dropped++;
        text += length + (text[length] == ',');
    }
}

bool ce_nccl_entry_matches(const struct ce_nccl_list *list, const struct ce_nccl_entry *entry,
                           const char *name, int port)
{
    bool named = list->exact ? strcmp(name, entry->name) == 0
                             : strncmp(name, entry->name, strlen(entry->name)) == 0;
    return named && (port == -1 || entry->port == -1 || entry->port == port);
}

bool ce_nccl_list_takes(const struct ce_nccl_list *list, const char *name, int port)
{
    bool found = list->count == 0;
    for (size_t i = 0; i < list->count && !found; i++)
        found = ce_nccl_entry_matches(list, &list->entries[i], name, port);
    return found != list->except;
}

/* ---------------------------------------------------------------- older versions */

static const struct {
    size_t max;
    int empty_port; /* what it is read as */
} readings[] = {
    [CE_NCCL_2_18] = {16, 0},
    [CE_NCCL_2_19] = {CE_NCCL_ENTRIES_MAX, 0},
    [CE_NCCL_2_30_5] = {CE_NCCL_ENTRIES_MAX, -1},
};

void ce_nccl_list_read_by(const struct ce_nccl_list *list, enum ce_nccl_version version,
                          struct ce_nccl_list *ret)
{
    *ret = *list;
    if (ret->count > readings[version].max) {
        ret->dropped += ret->count - readings[version].max;
        ret->count = readings[version].max;
    }
    for (size_t i = 0; i < ret->count; i++)
        if (ret->entries[i].empty_port)
            ret->entries[i].port = readings[version].empty_port;
}

bool ce_nccl_list_changes(const struct ce_nccl_list *list, enum ce_nccl_version version,
                          const struct ce_node *node)
{
    struct ce_nccl_list read, next;
    if (version == CE_NCCL_2_30_5)
        return false;
    ce_nccl_list_read_by(list, version, &read);
    ce_nccl_list_read_by(list, version + 1, &next);
    for (size_t i = 0; i < node->hca_count; i++)
        for (size_t k = 0; k < node->hcas[i].port_count; k++) {
            const char *name = node->hcas[i].name;
            int port = (int)node->hcas[i].ports[k].number;
            if (ce_nccl_list_takes(&read, name, port) != ce_nccl_list_takes(&next, name, port))
                return true;
        }
    return false;
}

/* ---------------------------------------------------------------- what matches nothing */

static bool names_an_hca(const struct ce_nccl_list *list, const struct ce_nccl_entry *entry,
                         const struct ce_node *node)
{
    for (size_t i = 0; i < node->hca_count; i++) {
        const struct ce_hca *hca = &node->hcas[i];
        if (hca->port_count == 0 && ce_nccl_entry_matches(list, entry, hca->name, -1))
            return true; /* its ports are not known */
        for (size_t k = 0; k < hca->port_count; k++)
            if (ce_nccl_entry_matches(list, entry, hca->name, (int)hca->ports[k].number))
                return true;
    }
    return false;
}

static bool names_a_netif(const struct ce_nccl_list *list, const struct ce_nccl_entry *entry,
                          const struct ce_node *node)
{
    for (size_t i = 0; i < node->netif_count; i++)
        if (ce_nccl_entry_matches(list, entry, node->netifs[i].name, -1))
            return true;
    return false;
}

const struct ce_nccl_entry *ce_nccl_list_empty_port(const struct ce_nccl_list *list,
                                                    const struct ce_node *node)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->entries[i].empty_port && names_an_hca(list, &list->entries[i], node))
            return &list->entries[i];
    return NULL;
}

static const struct ce_nccl_entry *find_unknown_hca(const struct ce_nccl_list *list,
                                                    const struct ce_node *node)
{
    for (size_t i = 0; i < list->count; i++)
        if (!names_an_hca(list, &list->entries[i], node))
            return &list->entries[i];
    return NULL;
}

static const struct ce_nccl_entry *find_unknown_netif(const struct ce_nccl_list *list,
                                                      const struct ce_node *node)
{
    for (size_t i = 0; i < list->count && !list->except; i++)
        if (!names_a_netif(list, &list->entries[i], node))
            return &list->entries[i];
    return NULL;
}

const struct ce_nccl_variable ce_nccl_variables[] = {
    {"NCCL_IB_HCA", "HCA", CE_RAILS_MAX, true, find_unknown_hca},
    {"NCCL_SOCKET_IFNAME", "interface", CE_SOCKETS_MAX, false, find_unknown_netif},
};
const size_t ce_nccl_variable_count = sizeof ce_nccl_variables / sizeof *ce_nccl_variables;

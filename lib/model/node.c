/* SPDX-License-Identifier: Apache-2.0 */
#include "model/node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "model/record.h"

struct ce_node *ce_node_create(void)
{
    return calloc(1, sizeof(struct ce_node));
}

void ce_node_destroy(struct ce_node *node)
{
    if (!node)
        return;
    for (size_t i = 0; i < node->netif_count; i++)
        free(node->netifs[i].addresses);
    for (size_t i = 0; i < node->hca_count; i++)
        ce_hca_free(&node->hcas[i]);
    free(node->netifs);
    free(node->hcas);
    ce_kernel_log_free(&node->kernel);
    free(node->gpus);
    ce_gpu_states_free(&node->gpu_states);
    free(node->host_name);
    free(node->boot_id);
    free(node);
}

const struct ce_netif *ce_node_find_netif(const struct ce_node *node, const char *name)
{
    for (size_t i = 0; i < node->netif_count; i++)
        if (strcmp(node->netifs[i].name, name) == 0)
            return &node->netifs[i];
    return NULL;
}

bool ce_node_owns(const struct ce_node *node, const struct ce_address *address)
{
    for (size_t i = 0; i < node->netif_count; i++)
        for (size_t k = 0; k < node->netifs[i].address_count; k++)
            if (ce_address_equal(&node->netifs[i].addresses[k].address, address))
                return true;
    return false;
}

struct ce_netif *ce_node_add_netif(struct ce_node *node, const char *name)
{
    struct ce_netif netif = {.index = 0};
    if (node->netif_count == CE_NETIF_MAX || !*name || ce_node_find_netif(node, name) ||
        ce_copy(netif.name, sizeof netif.name, name) < 0)
        return NULL;
    struct ce_netif *netifs = realloc(node->netifs, (node->netif_count + 1) * sizeof *netifs);
    if (!netifs)
        return NULL;
    node->netifs = netifs;
    netifs[node->netif_count] = netif;
    return &netifs[node->netif_count++];
}

const struct ce_hca *ce_node_find_hca(const struct ce_node *node, const char *name)
{
    for (size_t i = 0; i < node->hca_count; i++)
        if (strcmp(node->hcas[i].name, name) == 0)
            return &node->hcas[i];
    return NULL;
}

struct ce_hca *ce_node_add_hca(struct ce_node *node, const char *name)
{
    struct ce_hca hca = {.pci.numa = CE_NUMA_UNKNOWN};
    if (node->hca_count == CE_HCA_MAX || !*name || ce_node_find_hca(node, name) ||
        ce_copy(hca.name, sizeof hca.name, name) < 0)
        return NULL;
    struct ce_hca *hcas = realloc(node->hcas, (node->hca_count + 1) * sizeof *hcas);
    if (!hcas)
        return NULL;
    node->hcas = hcas;
    hcas[node->hca_count] = hca;
    return &hcas[node->hca_count++];
}

struct ce_pci *ce_node_add_gpu(struct ce_node *node)
{
    if (node->gpu_count == CE_GPUS_MAX)
        return NULL;
    struct ce_pci *gpus = realloc(node->gpus, (node->gpu_count + 1) * sizeof *gpus);
    if (!gpus)
        return NULL;
    node->gpus = gpus;
    gpus[node->gpu_count] = (struct ce_pci){.numa = CE_NUMA_UNKNOWN};
    return &gpus[node->gpu_count++];
}

static void write_gpus(const struct ce_node *node, struct ce_text *out)
{
    char prefix[32];
    ce_record_add_number(out, node->gpu_count, "gpu.count");
    for (unsigned i = 0; i < node->gpu_count; i++) {
        snprintf(prefix, sizeof prefix, "gpu.%u", i);
        ce_pci_write(&node->gpus[i], prefix, out);
    }
}

void ce_node_write(const struct ce_node *node, struct ce_text *out)
{
    ce_record_begin(out);
    if (node->host_name)
        ce_record_add(out, node->host_name, "host.name");
    if (node->boot_id)
        ce_record_add(out, node->boot_id, "boot.id");
    if (node->uptime_ms)
        ce_record_add_number(out, node->uptime_ms, "boot.uptime_ms");
    ce_host_write(&node->host, out);
    for (size_t i = 0; i < node->netif_count; i++)
        ce_netif_write(&node->netifs[i], out);
    for (size_t i = 0; i < node->hca_count; i++)
        ce_hca_write(&node->hcas[i], out);
    if (node->hcas_unread)
        ce_record_add_number(out, 1, "rdma.unread");
    if (node->detailed)
        ce_record_add_number(out, 1, "detailed");
    if (node->gpu_count_known)
        write_gpus(node, out);
    ce_kernel_log_write(&node->kernel, out);
    ce_gpu_states_write(&node->gpu_states, out);
    ce_record_end(out);
}

static int read_netif(const struct ce_record *record, const char *part, struct ce_node *node,
                      struct ce_error *err)
{
    char name[CE_NETIF_NAME];
    if (ce_key_decode(part, name, sizeof name) < 0)
        return ce_fail(err, "netif.%.40s: not an interface name", part);
    struct ce_netif *netif = ce_node_add_netif(node, name);
    if (!netif)
        return ce_fail(err, "netif.%s: stands there twice, or too many interfaces", part);
    return ce_netif_read(record, part, netif, err);
}

static int read_hca(const struct ce_record *record, const char *part, struct ce_node *node,
                    struct ce_error *err)
{
    struct ce_hca read;
    if (ce_hca_read(record, part, &read, err) < 0)
        return -1;
    struct ce_hca *hca = ce_node_add_hca(node, read.name);
    if (!hca) {
        ce_hca_free(&read);
        return ce_fail(err, "ib.%s: stands there twice, or too many devices", part);
    }
    *hca = read;
    return 0;
}

static int read_gpus(const struct ce_record *record, struct ce_node *node, struct ce_error *err)
{
    uint64_t count = 0;
    char prefix[32];
    int known = ce_record_number(record, 0, CE_GPUS_MAX, &count, err, "gpu.count");
    node->gpu_count_known = known > 0;
    for (unsigned i = 0; i < count; i++) {
        struct ce_pci *gpu = ce_node_add_gpu(node);
        snprintf(prefix, sizeof prefix, "gpu.%u", i);
        if (!gpu)
            return ce_fail(err, "no memory");
        if (ce_pci_read(record, prefix, gpu, err) < 0)
            return -1;
    }
    return known < 0 ? -1
                     : ce_gpu_states_read(record, node->gpu_count, &node->gpu_states, err);
}

static int read_text(const struct ce_record *record, const char *key, char **ret,
                     struct ce_error *err)
{
    const char *value = ce_record_get(record, "%s", key);
    if (value && !(*ret = strdup(value)))
        return ce_fail(err, "no memory");
    return 0;
}

static int read_node(const struct ce_record *record, struct ce_node *node, struct ce_error *err)
{
    char part[CE_KEY_PART];
    uint64_t unread = 0, detailed = 0;
    if (read_text(record, "host.name", &node->host_name, err) < 0 ||
        read_text(record, "boot.id", &node->boot_id, err) < 0 ||
        ce_record_number(record, 0, UINT64_MAX, &node->uptime_ms, err, "boot.uptime_ms") < 0 ||
        ce_host_read(record, &node->host, err) < 0)
        return -1;
    for (size_t at = 0; ce_record_next_part(record, "netif.", &at, part, sizeof part);)
        if (read_netif(record, part, node, err) < 0)
            return -1;
    for (size_t at = 0; ce_record_next_part(record, "ib.", &at, part, sizeof part);)
        if (read_hca(record, part, node, err) < 0)
            return -1;
    if (ce_record_number(record, 0, 1, &unread, err, "rdma.unread") < 0 ||
        ce_record_number(record, 0, 1, &detailed, err, "detailed") < 0)
        return -1;
    node->hcas_unread = unread;
    node->detailed = detailed;
    if (ce_kernel_log_read(record, &node->kernel, err) < 0)
        return -1;
    return read_gpus(record, node, err);
}

struct ce_node *ce_node_parse(const char *text, struct ce_error *err)
{
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(text, err);
    if (!record)
        return NULL;
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    if (!node) {
        ce_fail(err, "no memory");
        return NULL;
    }
    return read_node(record, node, err) < 0 ? NULL : ce_steal(node);
}

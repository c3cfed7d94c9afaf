/* SPDX-License-Identifier: Apache-2.0 */
/* Node facts: what one machine is.  Probes fill it, decisions read it, node.facts is its text.
 * Each fact that may be unreadable says so: "unknown" is a value, never 0. */
#ifndef CE_MODEL_NODE_H
#define CE_MODEL_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "model/address.h"
#include "model/gpu_state.h"
#include "model/hca.h"
#include "model/kernel_event.h"
#include "model/host.h"
#include "model/netif.h"
#include "model/pci.h"

enum { CE_NETIF_MAX = 4096, CE_HCA_MAX = 1024 };

struct ce_node {
    char *host_name;         /* what the kernel calls this host; NULL: unknown */
    char *boot_id;           /* /proc/sys/kernel/random/boot_id; NULL: unknown */
    uint64_t uptime_ms;      /* since that boot, when the facts were taken; 0: unknown */
    struct ce_netif *netifs; /* by ifindex */
    size_t netif_count;
    struct ce_hca *hcas; /* by name as strverscmp() orders: mlx5_2 before mlx5_10 */
    size_t hca_count;
    bool hcas_unread;            /* there may be more: they could not be read, or not in time */
    struct ce_pci *gpus; /* by PCI address; the index is gpu.N of the text */
    unsigned gpu_count;
    bool gpu_count_known;
    struct ce_kernel_log kernel;
    struct ce_gpu_states gpu_states; /* of the same GPUs, as NVML says */
    bool detailed;       /* what only checks need was read, too: host, counters, links of cards */
    struct ce_host host; /* only where asked for */
};

struct ce_node *ce_node_create(void);
void ce_node_destroy(struct ce_node *node);
CE_DEFINE_CLEANUP(struct ce_node, ce_node_destroy)

/* Append an interface; the pointer is valid until the next one.  NULL: no memory, too many, or the
 * name is there already. */
struct ce_netif *ce_node_add_netif(struct ce_node *node, const char *name);
/* NULL where there is none of that name. */
const struct ce_netif *ce_node_find_netif(const struct ce_node *node, const char *name);

/* The same for RDMA devices, and for GPUs (NULL: no memory, or too many). */
struct ce_hca *ce_node_add_hca(struct ce_node *node, const char *name);
const struct ce_hca *ce_node_find_hca(const struct ce_node *node, const char *name);
struct ce_pci *ce_node_add_gpu(struct ce_node *node);

/* Does one of its interfaces have this address? */
bool ce_node_owns(const struct ce_node *node, const struct ce_address *address);

/* The text form (model/record.h).  Reading is strict about values of known keys. */
void ce_node_write(const struct ce_node *node, struct ce_text *out);
struct ce_node *ce_node_parse(const char *text, struct ce_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Where the GPUs and HCAs of a node sit, as one would draw it: NUMA nodes, below them host bridges
 * and PCI switches, below these the devices.  A bridge that leads to one thing only is left out, a
 * level that the machine does not tell too: a flat virtual machine is a list of devices. */
#ifndef CE_REPORT_TREE_H
#define CE_REPORT_TREE_H

#include <stddef.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "model/node.h"

/* Bridges deeper in a path than this are left out. */
enum { CE_TREE_DEPTH_MAX = 16 };

enum ce_tree_kind {
    CE_TREE_MACHINE, /* the root */
    CE_TREE_NUMA,
    CE_TREE_HOST_BRIDGE,
    CE_TREE_SWITCH,
    CE_TREE_GPU,
    CE_TREE_HCA,
};

struct ce_tree {
    enum ce_tree_kind kind;
    unsigned number;                /* of the NUMA node or GPU */
    const char *name;               /* of a bridge: it begins here in a path of the facts; */
    size_t length;                  /* so long */
    const struct ce_pci *pci;       /* of a device */
    const struct ce_hca *hca;       /* each port is a device of its own; */
    const struct ce_hca_port *port; /* NULL: the HCA has none */
    struct ce_tree *parent, *children, *next;
};

/* It points into node.  GPUs come before HCAs, both in PCI order; NUMA nodes by number.
 * NULL with err: no memory. */
struct ce_tree *ce_tree_create(const struct ce_node *node, struct ce_error *err);
void ce_tree_destroy(struct ce_tree *tree);
CE_DEFINE_CLEANUP(struct ce_tree, ce_tree_destroy)

/* "machine", "numa", "host_bridge", "switch", "gpu", "hca". */
const char *ce_tree_kind_name(enum ce_tree_kind kind);

/* How many things of that kind are below it, at any depth. */
size_t ce_tree_count(const struct ce_tree *tree, enum ce_tree_kind kind);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "report/tree.h"

#include <stdlib.h>
#include <string.h>

const char *ce_tree_kind_name(enum ce_tree_kind kind)
{
    static const char *const names[] = {
        [CE_TREE_MACHINE] = "machine",
        [CE_TREE_NUMA] = "numa",
        [CE_TREE_HOST_BRIDGE] = "host_bridge",
        [CE_TREE_SWITCH] = "switch",
        [CE_TREE_GPU] = "gpu",
        [CE_TREE_HCA] = "hca",
    };
    return names[kind];
}

size_t ce_tree_count(const struct ce_tree *tree, enum ce_tree_kind kind)
{
    size_t count = 0;
    for (const struct ce_tree *child = tree->children; child; child = child->next)
        count += (child->kind == kind) + ce_tree_count(child, kind);
    return count;
}

void ce_tree_destroy(struct ce_tree *tree)
{
    struct ce_tree *next;
    if (!tree)
        return;
    for (struct ce_tree *child = tree->children; child; child = next) {
        next = child->next;
        ce_tree_destroy(child);
    }
    free(tree);
}

/* ---------------------------------------------------------------- every bridge of every path */

/* Is `child` the one that `wanted` describes? */
static bool is_same(const struct ce_tree *child, const struct ce_tree *wanted)
{
    return child->kind == wanted->kind && child->number == wanted->number &&
           child->length == wanted->length &&
           (child->length == 0 || memcmp(child->name, wanted->name, child->length) == 0);
}

/* NUMA nodes stand by number, before what has none; everything else as it comes. */
static bool comes_before(const struct ce_tree *item, const struct ce_tree *other)
{
    return item->kind == CE_TREE_NUMA &&
           (other->kind != CE_TREE_NUMA || item->number < other->number);
}

static struct ce_tree *add(struct ce_tree *parent, const struct ce_tree *wanted)
{
    struct ce_tree *item = calloc(1, sizeof *item), **at = &parent->children;
    if (!item)
        return NULL;
    *item = *wanted;
    while (*at && !comes_before(item, *at))
        at = &(*at)->next;
    item->parent = parent;
    item->next = *at;
    *at = item;
    return item;
}

/* NULL stays NULL, so that a whole path is walked before asking. */
static struct ce_tree *find_or_add(struct ce_tree *parent, const struct ce_tree *wanted)
{
    for (struct ce_tree *child = parent ? parent->children : NULL; child; child = child->next)
        if (is_same(child, wanted))
            return child;
    return parent ? add(parent, wanted) : NULL;
}

/* The bridges above a device: all parts of its path but the last, which is the device. */
static struct ce_tree *walk(struct ce_tree *above, const char *path)
{
    struct ce_tree bridge = {.kind = CE_TREE_HOST_BRIDGE};
    const char *end;
    for (; (end = strchr(path, '/')); path = end + 1) {
        bridge.name = path;
        bridge.length = (size_t)(end - path);
        above = find_or_add(above, &bridge);
        bridge.kind = CE_TREE_SWITCH;
    }
    return above;
}

static int place(struct ce_tree *machine, const struct ce_tree *device)
{
    struct ce_tree *above = machine;
    if (device->pci->numa != CE_NUMA_UNKNOWN)
        above = find_or_add(machine, &(struct ce_tree){.kind = CE_TREE_NUMA,
                                                       .number = (unsigned)device->pci->numa});
    above = walk(above, device->pci->path);
    return above && add(above, device) ? 0 : -1;
}

/* ---------------------------------------------------------------- every device, in PCI order */

static int compare_devices(const void *a, const void *b)
{
    const struct ce_tree *left = a, *right = b;
    int order = left->kind != right->kind ? (int)left->kind - (int)right->kind
                                          : ce_pci_compare(left->pci, right->pci);
    if (order == 0 && left->hca && left->hca != right->hca)
        order = strverscmp(left->hca->name, right->hca->name);
    if (order == 0 && left->port && right->port)
        order = left->port->number < right->port->number ? -1 : 1;
    return order ? order : (left->number > right->number) - (left->number < right->number);
}

static size_t list_devices(const struct ce_node *node, struct ce_tree *devices)
{
    size_t count = 0;
    for (unsigned i = 0; i < node->gpu_count; i++)
        devices[count++] =
            (struct ce_tree){.kind = CE_TREE_GPU, .number = i, .pci = &node->gpus[i]};
    for (size_t i = 0; i < node->hca_count; i++) {
        const struct ce_hca *hca = &node->hcas[i];
        struct ce_tree device = {.kind = CE_TREE_HCA, .pci = &hca->pci, .hca = hca};
        for (size_t k = 0; k < hca->port_count; k++) {
            device.port = &hca->ports[k];
            devices[count++] = device;
        }
        if (hca->port_count == 0)
            devices[count++] = device;
    }
    return count;
}

static int place_all(const struct ce_node *node, struct ce_tree *machine)
{
    size_t room = node->gpu_count + node->hca_count * CE_HCA_PORTS_MAX + 1;
    ce_autofree struct ce_tree *devices = calloc(room, sizeof *devices);
    if (!devices)
        return -1;
    size_t count = list_devices(node, devices);
    qsort(devices, count, sizeof *devices, compare_devices);
    for (size_t i = 0; i < count; i++)
        if (place(machine, &devices[i]) < 0)
            return -1;
    return 0;
}

/* ---------------------------------------------------------------- what is worth drawing */

static bool is_bridge(const struct ce_tree *item)
{
    return item->kind == CE_TREE_HOST_BRIDGE || item->kind == CE_TREE_SWITCH;
}

/* The functions of one card hang off one port of a switch: that is no switch. */
static bool holds_one_card(const struct ce_tree *bridge)
{
    const struct ce_tree *first = bridge->children;
    for (const struct ce_tree *child = first; child; child = child->next)
        if (!child->pci || (child->pci != first->pci && !ce_pci_same_card(child->pci, first->pci)))
            return false;
    return true;
}

static bool is_worth_a_level(const struct ce_tree *bridge, unsigned depth)
{
    const struct ce_tree *parent = bridge->parent;
    if (!bridge->children->next || holds_one_card(bridge) || depth > CE_TREE_DEPTH_MAX)
        return false;
    /* All that the machine or NUMA node has is below it: it tells nothing apart. */
    return bridge->kind == CE_TREE_SWITCH || parent->children != bridge || bridge->next;
}

/* Put the children of *at in its place. */
static void splice(struct ce_tree **at)
{
    struct ce_tree *bridge = *at, *last = bridge->children;
    for (struct ce_tree *child = last; child; child = child->next) {
        child->parent = bridge->parent;
        last = child;
    }
    last->next = bridge->next;
    *at = bridge->children;
    free(bridge);
}

/* From the leaves up: a bridge above a bridge that went may be one of a single thing now. */
static void prune(struct ce_tree *item, unsigned depth)
{
    for (struct ce_tree **at = &item->children; *at;) {
        struct ce_tree *child = *at;
        prune(child, depth + 1);
        if (is_bridge(child) && !is_worth_a_level(child, depth))
            splice(at); /* what came in its place is pruned: each is looked at again, and stays */
        else
            at = &child->next;
    }
}

struct ce_tree *ce_tree_create(const struct ce_node *node, struct ce_error *err)
{
    ce_auto(ce_tree_destroy) struct ce_tree *machine = calloc(1, sizeof *machine);
    if (!machine || place_all(node, machine) < 0) {
        ce_fail(err, "no memory");
        return NULL;
    }
    prune(machine, 1);
    return ce_steal(machine);
}

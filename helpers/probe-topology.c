/* SPDX-License-Identifier: Apache-2.0 */
/* probe-topology [--xml FILE | --synthetic TEXT]: how far each HCA is from each GPU.  The only
 * program that links hwloc, whose own files such a recording is of.  Run as a child with a
 * deadline: hwloc reads much.  stdout is a part of the text of
 * node.facts; stderr is for people; the exit status is 0, 1 (no topology), or 2 (usage). */
#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/node.h"
#include "model/record.h"

enum { OUTPUT_MAX = 4 << 20 };

/* ---------------------------------------------------------------- where a device sits */

/* One part of a path, in front of what is there: "pci0000:15" for a host bridge, else its address.
 * -1: it does not fit. */
static int prepend(hwloc_obj_t object, struct ce_pci *pci)
{
    const struct hwloc_bridge_attr_s *bridge = &object->attr->bridge;
    const struct hwloc_pcidev_attr_s *device = &object->attr->pcidev;
    char path[CE_PCI_PATH];
    int n;
    if (object->type == HWLOC_OBJ_BRIDGE && bridge->upstream_type == HWLOC_OBJ_BRIDGE_HOST)
        n = snprintf(path, sizeof path, "pci%04x:%02x/%s", (unsigned)bridge->downstream.pci.domain,
                     bridge->downstream.pci.secondary_bus, pci->path);
    else
        n = snprintf(path, sizeof path, "%04x:%02x:%02x.%x%s%s", (unsigned)device->domain,
                     device->bus, device->dev, device->func, pci->path[0] ? "/" : "", pci->path);
    if (n < 0 || (size_t)n >= sizeof path)
        return -1;
    memcpy(pci->path, path, (size_t)n + 1);
    return 0;
}

/* The one NUMA node that is near to it; unknown where there are several. */
static int numa_of(hwloc_topology_t topology, hwloc_obj_t object)
{
    hwloc_obj_t host = hwloc_get_non_io_ancestor_obj(topology, object);
    if (!host || !host->nodeset || hwloc_bitmap_weight(host->nodeset) != 1)
        return CE_NUMA_UNKNOWN;
    int numa = hwloc_bitmap_first(host->nodeset);
    return numa <= CE_NUMA_MAX ? numa : CE_NUMA_UNKNOWN;
}

/* What hwloc's tree says of a PCI device. */
static struct ce_pci place_of(hwloc_topology_t topology, hwloc_obj_t device)
{
    struct ce_pci pci = {.numa = numa_of(topology, device)};
    const struct hwloc_pcidev_attr_s *attr = &device->attr->pcidev;
    snprintf(pci.address, sizeof pci.address, "%04x:%02x:%02x.%x", (unsigned)attr->domain,
             attr->bus, attr->dev, attr->func);
    pci.vendor = attr->vendor_id;
    pci.device = attr->device_id;
    for (hwloc_obj_t at = device; at && hwloc_obj_type_is_io(at->type); at = at->parent)
        if (prepend(at, &pci) < 0) {
            pci.path[0] = '\0';
            break;
        }
    return pci;
}

/* ---------------------------------------------------------------- GPUs and HCAs */

/* As lib/probe/host.h counts them. */
static int is_gpu(const struct hwloc_pcidev_attr_s *attr)
{
    unsigned base = attr->class_id >> 8;
    return (attr->vendor_id == 0x10de && base == 0x03) ||
           (attr->vendor_id == 0x1002 && (base == 0x03 || base == 0x12));
}

static int by_address(const void *a, const void *b)
{
    return ce_pci_compare(a, b);
}

static void find_gpus(hwloc_topology_t topology, struct ce_node *node)
{
    hwloc_obj_t device = NULL;
    node->gpu_count_known = true;
    while ((device = hwloc_get_next_pcidev(topology, device)) != NULL) {
        struct ce_pci *gpu = is_gpu(&device->attr->pcidev) ? ce_node_add_gpu(node) : NULL;
        if (gpu)
            *gpu = place_of(topology, device);
    }
    if (node->gpu_count)
        qsort(node->gpus, node->gpu_count, sizeof *node->gpus, by_address);
}

static hwloc_obj_t pci_above(hwloc_obj_t object)
{
    while (object && object->type != HWLOC_OBJ_PCI_DEVICE)
        object = hwloc_obj_type_is_io(object->type) ? object->parent : NULL;
    return object;
}

static void find_hcas(hwloc_topology_t topology, struct ce_node *node)
{
    hwloc_obj_t object = NULL;
    while ((object = hwloc_get_next_osdev(topology, object)) != NULL) {
        hwloc_obj_t device = pci_above(object);
        if (object->attr->osdev.type != HWLOC_OBJ_OSDEV_OPENFABRICS || !object->name || !device)
            continue;
        struct ce_hca *hca = ce_node_add_hca(node, object->name);
        if (hca)
            hca->pci = place_of(topology, device);
    }
}

/* ---------------------------------------------------------------- the text */

static void write_distances(const struct ce_node *node, const struct ce_hca *hca,
                            struct ce_text *out)
{
    char part[CE_KEY_PART];
    ce_key_encode(hca->name, part, sizeof part);
    ce_record_add(out, hca->pci.address, "ib.%s.pci", part);
    for (unsigned i = 0; i < node->gpu_count; i++) {
        enum ce_distance distance = ce_pci_distance(&hca->pci, &node->gpus[i]);
        if (distance)
            ce_record_add(out, ce_distance_name(distance), "ib.%s.gpu.%u", part, i);
    }
}

/* The addresses say which GPU and HCA is meant. */
static int print(const struct ce_node *node)
{
    ce_autotext struct ce_text out = CE_TEXT(OUTPUT_MAX);
    ce_record_begin(&out);
    for (size_t i = 0; i < node->hca_count; i++)
        write_distances(node, &node->hcas[i], &out);
    ce_record_add_number(&out, node->gpu_count, "gpu.count");
    for (unsigned i = 0; i < node->gpu_count; i++)
        ce_record_add(&out, node->gpus[i].address, "gpu.%u.pci", i);
    ce_record_end(&out);
    if (ce_text_ok(&out) && fputs(ce_text_string(&out), stdout) != EOF && fflush(stdout) != EOF)
        return 0;
    fprintf(stderr, "probe-topology: cannot write: %s\n", strerror(errno));
    return 1;
}

/* ---------------------------------------------------------------- hwloc */

enum source { MACHINE, XML, SYNTHETIC };

static int load(hwloc_topology_t topology, enum source source, const char *what)
{
    if ((source == XML && hwloc_topology_set_xml(topology, what) < 0) ||
        (source == SYNTHETIC && hwloc_topology_set_synthetic(topology, what) < 0))
        return -1;
    if (hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL) < 0)
        return -1;
    return hwloc_topology_load(topology);
}

static int probe(enum source source, const char *what)
{
    int status = 1;
    hwloc_topology_t topology;
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    if (!node || hwloc_topology_init(&topology) < 0) {
        fputs("probe-topology: no memory\n", stderr);
        return 1;
    }
    if (load(topology, source, what) < 0)
        fprintf(stderr, "probe-topology: hwloc has no topology of %s: %s\n",
                source == MACHINE ? "this machine" : what, strerror(errno));
    else {
        find_gpus(topology, node);
        find_hcas(topology, node);
        status = print(node);
    }
    hwloc_topology_destroy(topology);
    return status;
}

/* Plugins that ask the drivers of GPUs take seconds; neither they nor libpciaccess, which leaks,
 * tell anything that sysfs does not. */
static void leave_drivers_alone(void)
{
    setenv("HWLOC_COMPONENTS", "-pci,-cuda,-nvml,-opencl,-rsmi,-levelzero,-gl", 0);
}

int main(int argc, char **argv)
{
    leave_drivers_alone();
    if (argc == 1)
        return probe(MACHINE, NULL);
    if (argc == 3 && strcmp(argv[1], "--xml") == 0)
        return probe(XML, argv[2]);
    if (argc == 3 && strcmp(argv[1], "--synthetic") == 0)
        return probe(SYNTHETIC, argv[2]);
    fputs("usage: probe-topology [--xml FILE | --synthetic TEXT]\n", stderr);
    return 2;
}

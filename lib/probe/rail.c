/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/rail.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/parse.h"

#define PCI "sys/bus/pci/devices"
#define UVERBS "sys/class/infiniband_verbs"

/* ---------------------------------------------------------------- counters */

/* The interface of this port: the one of its GIDs, or that of a card with one port. */
static const char *netdev_of(const struct ce_hca *hca, const struct ce_hca_port *port)
{
    for (size_t i = 0; i < port->gid_count; i++)
        if (port->gids[i].netdev[0])
            return port->gids[i].netdev;
    return hca->port_count == 1 && hca->netdev_count > 0 ? hca->netdevs[0] : NULL;
}

static void counter_path(const struct ce_hca *hca, const struct ce_hca_port *port,
                         const struct ce_counter_kind *kind, char *path, size_t size)
{
    const char *netdev = netdev_of(hca, port);
    path[0] = '\0';
    if (kind->place != CE_COUNTER_NETDEV)
        snprintf(path, size, "sys/class/infiniband/%s/ports/%u/%s/%s", hca->name, port->number,
                 kind->place == CE_COUNTER_HW ? "hw_counters" : "counters", kind->name);
    else if (netdev)
        snprintf(path, size, "sys/class/net/%s/%s", netdev, kind->name);
}

/* Each is a question to the card, and the first that makes a full member is all that is looked for. */
static void read_pkeys(const struct ce_root *root, const struct ce_hca *hca,
                       const struct ce_hca_port *port, struct ce_pkeys *ret)
{
    char line[16];
    uint16_t key = 0;
    while (ret->count < CE_PKEYS_MAX && !ce_pkey_is_full(key) &&
           ce_root_line(root, line, sizeof line, "sys/class/infiniband/%s/ports/%u/pkeys/%u",
                        hca->name, port->number, ret->count) == 0 &&
           ce_pkey_parse(line, '\0', &key))
        ret->keys[ret->count++] = key;
}

static void read_port(const struct ce_root *root, const struct ce_hca *hca,
                      struct ce_hca_port *port)
{
    char path[256];
    const char *netdev = netdev_of(hca, port);
    uint64_t value;
    for (unsigned i = 0; i < CE_COUNTERS; i++) {
        counter_path(hca, port, &ce_counter_kinds[i], path, sizeof path);
        if (path[0] && ce_root_number(root, &value, "%s", path) == 0)
            ce_counter_set(&port->counters, i, value);
    }
    if (netdev && ce_root_number(root, &value, "sys/class/net/%s/mtu", netdev) == 0 &&
        value <= INT_MAX)
        port->mtu = (unsigned)value;
    if (port->link_layer == CE_LINK_INFINIBAND)
        read_pkeys(root, hca, port, &port->pkeys);
}

/* ---------------------------------------------------------------- PCI Express */

/* "32.0 GT/s PCIe"; "Unknown" of a virtual function. */
static unsigned read_speed(const struct ce_root *root, const char *address, const char *file)
{
    char line[64];
    const char *end;
    uint64_t whole, tenths = 0;
    if (ce_root_line(root, line, sizeof line, PCI "/%s/%s", address, file) < 0 ||
        ce_parse_digits(line, 1000, &whole, &end) < 0 ||
        (*end == '.' && ce_parse_digits(end + 1, 9, &tenths, &end) < 0) ||
        strncmp(end, " GT/s", 5) != 0)
        return 0;
    return (unsigned)(whole * 1000 + tenths * 100);
}

static unsigned read_width(const struct ce_root *root, const char *address, const char *file)
{
    uint64_t lanes;
    /* 63 and 255 are what a device says that does not know. */
    if (ce_root_number(root, &lanes, PCI "/%s/%s", address, file) < 0 || lanes > 32)
        return 0;
    return (unsigned)lanes;
}

/* The bridge above, the last but one part of the path; -1: the device is on the host bridge. */
static int find_bridge(const struct ce_pci *pci, char *address, size_t size)
{
    const char *last = strrchr(pci->path, '/'), *start = last;
    while (start && start > pci->path && start[-1] != '/')
        start--;
    if (!last || start == pci->path || (size_t)(last - start) >= size)
        return -1;
    memcpy(address, start, (size_t)(last - start));
    address[last - start] = '\0';
    return 0;
}

static unsigned lesser(unsigned a, unsigned b)
{
    return !b || (a && a < b) ? a : b;
}

static void read_link(const struct ce_root *root, const struct ce_pci *pci,
                      struct ce_pci_link *link)
{
    char bridge[CE_PCI_ADDRESS];
    if (!pci->address[0])
        return;
    *link = (struct ce_pci_link){
        .width = read_width(root, pci->address, "current_link_width"),
        .width_max = read_width(root, pci->address, "max_link_width"),
        .speed_mtps = read_speed(root, pci->address, "current_link_speed"),
        .speed_max_mtps = read_speed(root, pci->address, "max_link_speed"),
    };
    if (find_bridge(pci, bridge, sizeof bridge) < 0)
        return;
    link->width_max = lesser(link->width_max, read_width(root, bridge, "max_link_width"));
    link->speed_max_mtps = lesser(link->speed_max_mtps, read_speed(root, bridge, "max_link_speed"));
}

/* ---------------------------------------------------------------- device files */

/* Where the machine's /dev is not there to look at (a recorded tree), nothing is known. */
static enum ce_answer find_uverbs(const struct ce_root *root, char *const *names, int count,
                                  const char *hca)
{
    char device[CE_HCA_NAME];
    if (count < 0 || !ce_root_exists(root, "dev/."))
        return CE_ANSWER_UNKNOWN;
    for (int i = 0; i < count; i++)
        if (ce_root_line(root, device, sizeof device, UVERBS "/%s/ibdev", names[i]) == 0 &&
            strcmp(device, hca) == 0)
            return ce_root_exists(root, "dev/infiniband/%s", names[i]) ? CE_ANSWER_YES
                                                                       : CE_ANSWER_NO;
    return CE_ANSWER_NO;
}

void ce_probe_rails(const struct ce_root *root, const struct ce_rail_place *rails, size_t count,
                    struct ce_node *node)
{
    ce_autofree char **names = NULL;
    int devices = count ? ce_root_list(root, &names, UVERBS) : 0;
    for (size_t i = 0; i < count; i++) {
        struct ce_hca *hca = &node->hcas[rails[i].hca];
        read_port(root, hca, &hca->ports[rails[i].port]);
        read_link(root, &hca->pci, &hca->link);
        hca->uverbs = find_uverbs(root, names, devices, hca->name);
    }
}

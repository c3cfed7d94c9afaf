/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/ib.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "probe/pci.h"

#define CLASS "sys/class/infiniband"

enum {
    FOLDER = sizeof CLASS + CE_HCA_NAME + 32,
    GIDS = 256,    /* more than are in use anywhere; Soft-RoCE has room for 1024 */
    GIDS_GAP = 32, /* so many empty ones in a row: the rest is empty too */
    VPD = 4096,
    MELLANOX = 0x15b3,
};

/* ---------------------------------------------------------------- words and numbers */

/* Blanks at the end are not part of it. */
static void read_word(const struct ce_root *root, const char *folder, const char *file, char *word,
                      size_t size)
{
    ce_root_line(root, word, size, "%s/%s", folder, file);
    for (size_t n = strlen(word); n > 0 && word[n - 1] == ' ';)
        word[--n] = '\0';
}

/* The number of "4: ACTIVE"; 0: unknown. */
static unsigned read_code(const struct ce_root *root, const char *folder, const char *file)
{
    char line[64];
    const char *end;
    uint64_t code;
    read_word(root, folder, file, line, sizeof line);
    if (ce_parse_digits(line, UINT8_MAX, &code, &end) < 0 || (*end && *end != ':'))
        return 0;
    return (unsigned)code;
}

/* "400 Gb/sec (4X NDR)", "2.5 Gb/sec (1X SDR)" */
static void parse_rate(const char *line, struct ce_hca_port *port)
{
    const char *end;
    uint64_t whole, tenths = 0, width;
    if (ce_parse_digits(line, INT_MAX / 2000, &whole, &end) < 0 ||
        (*end == '.' && ce_parse_digits(end + 1, 9, &tenths, &end) < 0) ||
        strncmp(end, " Gb/sec", 7) != 0)
        return;
    port->rate_mbps = (unsigned)(whole * 1000 + tenths * 100);
    const char *open = strchr(end, '(');
    if (open && ce_parse_digits(open + 1, UINT8_MAX, &width, &end) == 0 && *end == 'X')
        port->width = (unsigned)width;
}

static enum ce_link_layer read_link_layer(const struct ce_root *root, const char *folder)
{
    char word[32];
    read_word(root, folder, "link_layer", word, sizeof word);
    return strcmp(word, "InfiniBand") == 0 ? CE_LINK_INFINIBAND
           : strcmp(word, "Ethernet") == 0 ? CE_LINK_ETHERNET
                                           : CE_LINK_UNKNOWN;
}

/* ---------------------------------------------------------------- GIDs */

static bool is_zero(const unsigned char *bytes, size_t size)
{
    while (size > 0 && bytes[size - 1] == 0)
        size--;
    return size == 0;
}

/* Eight groups of four digits.  -1: none, or empty. */
static int parse_gid(const char *line, struct ce_address *ret)
{
    struct ce_address gid;
    if (ce_address_parse(line, &gid) < 0 || gid.family != AF_INET6 || is_zero(gid.bytes, 16))
        return -1;
    *ret = gid;
    if (is_zero(gid.bytes, 10) && gid.bytes[10] == 0xff && gid.bytes[11] == 0xff) {
        *ret = (struct ce_address){.family = AF_INET};
        memcpy(ret->bytes, gid.bytes + 12, 4);
    }
    return 0;
}

static enum ce_gid_type parse_gid_type(const char *line, enum ce_link_layer link_layer)
{
    if (strcmp(line, "RoCE v2") == 0)
        return CE_GID_ROCE_V2;
    if (strcmp(line, "IB/RoCE v1") != 0)
        return CE_GID_UNKNOWN;
    return link_layer == CE_LINK_INFINIBAND ? CE_GID_IB : CE_GID_ROCE_V1;
}

/* The kernel names it also where it is in another network namespace. */
static void read_gid_netdev(const struct ce_root *root, const char *folder, struct ce_gid *gid)
{
    char *name = gid->netdev;
    ce_root_line(root, name, sizeof gid->netdev, "%s/gid_attrs/ndevs/%u", folder, gid->index);
    if (strpbrk(name, " /") || !ce_root_exists(root, "sys/class/net/%s/.", name))
        name[0] = '\0';
}

static void read_gid_attributes(const struct ce_root *root, const char *folder,
                                enum ce_link_layer link_layer, struct ce_gid *gid)
{
    char type[32];
    ce_root_line(root, type, sizeof type, "%s/gid_attrs/types/%u", folder, gid->index);
    gid->type = parse_gid_type(type, link_layer);
    read_gid_netdev(root, folder, gid);
}

static void read_gids(const struct ce_root *root, const char *folder, struct ce_hca_port *port)
{
    for (unsigned index = 0, gap = 0; index < GIDS && gap < GIDS_GAP; index++) {
        char line[64];
        struct ce_gid gid = {.index = index};
        if (port->gid_count == CE_PORT_GIDS_MAX ||
            (ce_root_line(root, line, sizeof line, "%s/gids/%u", folder, index) < 0 &&
             !ce_root_exists(root, "%s/gids/%u", folder, index)))
            return;
        gap++;
        if (parse_gid(line, &gid.address) < 0)
            continue;
        gap = 0;
        read_gid_attributes(root, folder, port->link_layer, &gid);
        port->gids[port->gid_count++] = gid;
    }
}

/* ---------------------------------------------------------------- a device */

static int read_ports(const struct ce_root *root, const char *device, struct ce_hca *hca)
{
    for (unsigned number = 1; number <= CE_HCA_PORTS_MAX; number++) {
        char folder[FOLDER + 32], rate[64];
        snprintf(folder, sizeof folder, "%s/ports/%u", device, number);
        if (!ce_root_exists(root, "%s/.", folder))
            continue;
        struct ce_hca_port *port = ce_hca_add_port(hca, number);
        if (!port)
            return -1;
        port->state = read_code(root, folder, "state");
        port->phys_state = read_code(root, folder, "phys_state");
        port->link_layer = read_link_layer(root, folder);
        read_word(root, folder, "rate", rate, sizeof rate);
        parse_rate(rate, port);
        read_gids(root, folder, port);
    }
    return 0;
}

static void add_netdev(struct ce_hca *hca, const char *name)
{
    if (!*name || hca->netdev_count == CE_HCA_NETDEVS_MAX || ce_hca_has_netdev(hca, name) ||
        ce_copy(hca->netdevs[hca->netdev_count], CE_NETIF_NAME, name) < 0)
        return;
    hca->netdev_count++;
}

/* Those of the GIDs first: of a card in switch mode, all its functions' representors stand below
 * the device. */
static void read_netdevs(const struct ce_root *root, const char *device, struct ce_hca *hca)
{
    ce_autofree char **names = NULL;
    for (size_t i = 0; i < hca->port_count; i++)
        for (size_t k = 0; k < hca->ports[i].gid_count; k++)
            add_netdev(hca, hca->ports[i].gids[k].netdev);
    int count = ce_root_list(root, &names, "%s/device/net", device);
    for (int i = 0; i < count; i++)
        if (ce_is_printable(names[i]))
            add_netdev(hca, names[i]);
}

/* In a virtual machine only the PCI id tells. */
static bool is_virtual_function(const struct ce_root *root, const char *device,
                                const struct ce_pci *pci)
{
    static const unsigned ids[] = {0x1002, 0x1004, 0x1012, 0x1014, 0x1016,
                                   0x1018, 0x101a, 0x101c, 0x101e, 0xa2d3};
    for (size_t i = 0; pci->vendor == MELLANOX && i < sizeof ids / sizeof *ids; i++)
        if (pci->device == ids[i])
            return true;
    return ce_root_exists(root, "%s/device/physfn", device);
}

static bool is_role_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The word behind SMDL= in the vital product data; SW_MNG wherever it stands, as the vendor's own
 * scripts look for it. */
static void find_role(const char *vpd, size_t length, char *role, size_t size)
{
    static const char key[] = "SMDL=", bridge[] = "SW_MNG";
    const char *at = memmem(vpd, length, key, sizeof key - 1), *end = vpd + length;
    size_t n = 0;
    for (at = at ? at + sizeof key - 1 : end; at < end && n + 1 < size && is_role_letter(*at); at++)
        role[n++] = *at;
    role[n] = '\0';
    if (n == 0 && memmem(vpd, length, bridge, sizeof bridge - 1))
        ce_copy(role, size, bridge);
}

/* Reading it asks the card, slowly: only where somebody wants to know. */
static void read_role(const struct ce_root *root, const char *device, struct ce_hca *hca)
{
    char vpd[VPD];
    bool infiniband = false;
    for (size_t i = 0; i < hca->port_count; i++)
        infiniband |= hca->ports[i].link_layer == CE_LINK_INFINIBAND;
    if (!infiniband || hca->pci.vendor != MELLANOX || hca->virtual_function)
        return;
    ssize_t length = ce_root_bytes(root, vpd, sizeof vpd, "%s/device/vpd", device);
    if (length > 0)
        find_role(vpd, (size_t)length, hca->role, sizeof hca->role);
}

static int read_hca(const struct ce_root *root, struct ce_hca *hca)
{
    char device[FOLDER];
    snprintf(device, sizeof device, CLASS "/%s", hca->name);
    hca->node_type = read_code(root, device, "node_type");
    read_word(root, device, "hca_type", hca->type, sizeof hca->type);
    read_word(root, device, "board_id", hca->board_id, sizeof hca->board_id);
    read_word(root, device, "fw_ver", hca->firmware, sizeof hca->firmware);
    ce_probe_pci_of(root, device, &hca->pci);
    ce_root_link(root, hca->driver, sizeof hca->driver, "sys/bus/pci/devices/%s/driver",
                 hca->pci.address);
    hca->virtual_function = is_virtual_function(root, device, &hca->pci);
    if (read_ports(root, device, hca) < 0)
        return -1;
    read_netdevs(root, device, hca);
    read_role(root, device, hca);
    return 0;
}

/* ---------------------------------------------------------------- all of them */

/* A name that no device can have, or what is no folder, is no device. */
static bool is_device(const struct ce_root *root, const char *name)
{
    return strlen(name) < CE_HCA_NAME && ce_root_exists(root, CLASS "/%s/.", name);
}

static int by_version(const void *a, const void *b)
{
    return strverscmp(((const struct ce_hca *)a)->name, ((const struct ce_hca *)b)->name);
}

int ce_probe_ib(const struct ce_root *root, struct ce_node *node, struct ce_error *err)
{
    ce_autofree char **names = NULL;
    int count = ce_root_list(root, &names, CLASS);
    for (int i = 0; i < count; i++) {
        if (!is_device(root, names[i]))
            continue;
        struct ce_hca *hca = ce_node_add_hca(node, names[i]);
        if (!hca || read_hca(root, hca) < 0)
            return ce_fail(err, "/sys/class/infiniband: more than %d devices, or no memory",
                           CE_HCA_MAX);
    }
    if (node->hca_count)
        qsort(node->hcas, node->hca_count, sizeof *node->hcas, by_version);
    return 0;
}

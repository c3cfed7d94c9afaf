/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/pci.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

#define DEVICES "sys/bus/pci/devices"

static size_t count_hex(const char *text)
{
    return strspn(text, "0123456789abcdefABCDEF");
}

/* How long the PCI address at the start of text is, "0000:18:00.0"; 0: there is none.  Domains of
 * VMD controllers have five digits. */
static size_t address_length(const char *text)
{
    size_t domain = count_hex(text);
    const char *rest = text + domain;
    if (domain < 4 || domain > 8 || rest[0] != ':' || count_hex(rest + 1) != 2 || rest[3] != ':' ||
        count_hex(rest + 4) != 2 || rest[6] != '.' || rest[7] < '0' || rest[7] > '7')
        return 0;
    return domain + 8;
}

/* "0x15b3"; 0: unknown. */
static unsigned read_id(const struct ce_root *root, const char *address, const char *file)
{
    char line[8];
    if (ce_root_line(root, line, sizeof line, DEVICES "/%s/%s", address, file) < 0 ||
        strncmp(line, "0x", 2) != 0 || count_hex(line + 2) != 4 || line[6])
        return 0;
    return (unsigned)strtoul(line, NULL, 16);
}

static int read_numa(const struct ce_root *root, const char *address)
{
    uint64_t numa;
    if (ce_root_number(root, &numa, DEVICES "/%s/numa_node", address) < 0 || numa > CE_NUMA_MAX)
        return CE_NUMA_UNKNOWN;
    return (int)numa;
}

/* The path in a link's target "../../../devices/pci0000:15/0000:15:01.0/...": from its host bridge
 * on; NULL where there is none. */
static const char *find_path(const char *target)
{
    for (const char *at = strstr(target, "/pci"); at; at = strstr(at + 1, "/pci"))
        if (isxdigit((unsigned char)at[4]) && at[4 + count_hex(at + 4)] == ':')
            return at + 1;
    return NULL;
}

static void read_path(const struct ce_root *root, const char *address, struct ce_pci *pci)
{
    char target[2 * CE_PCI_PATH];
    if (ce_root_target(root, target, sizeof target, DEVICES "/%s", address) < 0)
        return;
    const char *path = find_path(target);
    if (path && !path[strspn(path, "0123456789abcdefABCDEFpci:./")])
        ce_copy(pci->path, sizeof pci->path, path);
}

void ce_probe_pci(const struct ce_root *root, const char *address, struct ce_pci *ret)
{
    struct ce_pci pci = {.numa = CE_NUMA_UNKNOWN};
    size_t length = address_length(address);
    if (length > 0 && !address[length] && ce_copy(pci.address, sizeof pci.address, address) == 0) {
        pci.vendor = read_id(root, address, "vendor");
        pci.device = read_id(root, address, "device");
        pci.numa = read_numa(root, address);
        read_path(root, address, &pci);
    }
    *ret = pci;
}

/* The last part that is a PCI address: what follows it is on another bus below ("mlx5_core.sf.2"),
 * or in a class. */
static int find_address(const char *target, char *address, size_t size)
{
    int rc = -1;
    for (const char *part = target; part; part = strchr(part, '/')) {
        part += *part == '/';
        size_t length = address_length(part);
        if (length == 0 || length >= size || (part[length] && part[length] != '/'))
            continue;
        memcpy(address, part, length);
        address[length] = '\0';
        rc = 0;
    }
    return rc;
}

void ce_probe_pci_of(const struct ce_root *root, const char *folder, struct ce_pci *ret)
{
    char target[1024], address[CE_PCI_ADDRESS] = "";
    ce_root_target(root, target, sizeof target, "%s/device", folder);
    if (find_address(target, address, sizeof address) < 0) {
        ce_root_target(root, target, sizeof target, "%s", folder);
        find_address(target, address, sizeof address);
    }
    ce_probe_pci(root, address, ret);
}

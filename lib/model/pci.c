/* SPDX-License-Identifier: Apache-2.0 */
#include "model/pci.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

static const char *const distance_names[] = {
    [CE_DISTANCE_UNKNOWN] = "unknown",
    [CE_PIX] = "PIX",
    [CE_PXB] = "PXB",
    [CE_PHB] = "PHB",
    [CE_NODE] = "NODE",
    [CE_SYS] = "SYS",
};
enum { DISTANCES = sizeof distance_names / sizeof *distance_names };

const char *ce_distance_name(enum ce_distance distance)
{
    return distance_names[distance];
}

int ce_distance_parse(const char *text, enum ce_distance *ret)
{
    for (unsigned i = CE_PIX; i < DISTANCES; i++)
        if (strcmp(distance_names[i], text) == 0) {
            *ret = (enum ce_distance)i;
            return 0;
        }
    return -1;
}

static unsigned count_parts(const char *path)
{
    unsigned parts = *path != '\0';
    for (; *path; path++)
        parts += *path == '/';
    return parts;
}

/* How many bridges, from the top, are above both. */
static unsigned count_shared(const char *a, const char *b)
{
    unsigned shared = 0;
    while (*a && *b) {
        size_t length = strcspn(a, "/");
        if (length != strcspn(b, "/") || strncmp(a, b, length) != 0)
            break;
        shared++;
        a += length + (a[length] == '/');
        b += length + (b[length] == '/');
    }
    return shared;
}

enum ce_distance ce_pci_distance(const struct ce_pci *a, const struct ce_pci *b)
{
    unsigned shared = count_shared(a->path, b->path);
    /* Parts below the last shared bridge: the device, and the port of the switch above it. */
    unsigned below_a = count_parts(a->path) - shared, below_b = count_parts(b->path) - shared;
    if (shared > 1)
        return below_a <= 2 && below_b <= 2 ? CE_PIX : CE_PXB;
    if (shared == 1)
        return CE_PHB;
    if (a->numa == CE_NUMA_UNKNOWN || b->numa == CE_NUMA_UNKNOWN)
        return CE_DISTANCE_UNKNOWN;
    return a->numa == b->numa ? CE_NODE : CE_SYS;
}

/* "0000:18:00.0" as one number; the greatest one where it is not an address. */
static uint64_t address_key(const struct ce_pci *pci)
{
    unsigned domain, bus, device, function;
    int end = 0;
    if (sscanf(pci->address, "%8x:%2x:%2x.%1x%n", &domain, &bus, &device, &function, &end) != 4 ||
        pci->address[end])
        return UINT64_MAX;
    return (uint64_t)domain << 32 | (uint64_t)bus << 16 | device << 8 | function;
}

bool ce_pci_may_be_nvidia(const struct ce_pci *pci)
{
    return !pci->vendor || pci->vendor == CE_PCI_NVIDIA;
}

int ce_pci_compare(const struct ce_pci *a, const struct ce_pci *b)
{
    uint64_t left = address_key(a), right = address_key(b);
    return left < right ? -1 : left > right;
}

bool ce_pci_same_card(const struct ce_pci *a, const struct ce_pci *b)
{
    uint64_t left = address_key(a), right = address_key(b);
    return left != UINT64_MAX && left >> 8 == right >> 8;
}

bool ce_pci_same_bridge(const struct ce_pci *a, const struct ce_pci *b)
{
    const char *device = strrchr(a->path, '/'), *other = strrchr(b->path, '/');
    if (!device || !other || device - a->path != other - b->path)
        return false;
    size_t length = (size_t)(device - a->path);
    return memchr(a->path, '/', length) && memcmp(a->path, b->path, length) == 0;
}

void ce_pci_write(const struct ce_pci *pci, const char *prefix, struct ce_text *out)
{
    char id[16];
    if (pci->address[0])
        ce_record_add(out, pci->address, "%s.pci", prefix);
    snprintf(id, sizeof id, "%04x:%04x", pci->vendor & 0xffff, pci->device & 0xffff);
    if (pci->vendor)
        ce_record_add(out, id, "%s.pci_id", prefix);
    if (pci->path[0])
        ce_record_add(out, pci->path, "%s.path", prefix);
    if (pci->numa != CE_NUMA_UNKNOWN)
        ce_record_add_number(out, (uint64_t)pci->numa, "%s.numa", prefix);
}

static int read_id(const struct ce_record *record, const char *prefix, struct ce_pci *pci,
                   struct ce_error *err)
{
    const char *id = ce_record_get(record, "%s.pci_id", prefix);
    int end = 0;
    if (id && (sscanf(id, "%4x:%4x%n", &pci->vendor, &pci->device, &end) != 2 || id[end]))
        return ce_fail(err, "%s.pci_id=%.40s: expected a form like 15b3:1021", prefix, id);
    return 0;
}

int ce_pci_read(const struct ce_record *record, const char *prefix, struct ce_pci *ret,
                struct ce_error *err)
{
    const char *address = ce_record_get(record, "%s.pci", prefix);
    const char *path = ce_record_get(record, "%s.path", prefix);
    struct ce_pci pci = {.numa = CE_NUMA_UNKNOWN};
    uint64_t numa = 0;
    if (address && ce_copy(pci.address, sizeof pci.address, address) < 0)
        return ce_fail(err, "%s.pci=%.40s: not a PCI address", prefix, address);
    if (path && ce_copy(pci.path, sizeof pci.path, path) < 0)
        return ce_fail(err, "%s.path=%.60s...: the path is too long", prefix, path);
    int known = ce_record_number(record, 0, CE_NUMA_MAX, &numa, err, "%s.numa", prefix);
    if (known < 0 || read_id(record, prefix, &pci, err) < 0)
        return -1;
    if (known > 0)
        pci.numa = (int)numa;
    *ret = pci;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Where a device sits: its PCI address, the bridges above it, its NUMA node; and how far two
 * devices are apart.  "PCI" as the kernel names it; text forms are those of sysfs. */
#ifndef CE_MODEL_PCI_H
#define CE_MODEL_PCI_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "model/record.h"

enum { CE_PCI_ADDRESS = 20, CE_PCI_PATH = 320, CE_NUMA_UNKNOWN = -1, CE_NUMA_MAX = 1023 };

struct ce_pci {
    char address[CE_PCI_ADDRESS]; /* "0000:18:00.0"; "": not on PCI, or not known */
    char path[CE_PCI_PATH];       /* host bridge, bridges and the device, from the top:
                                   * "pci0000:15/0000:15:01.0/0000:16:00.0/..."; "": not known */
    unsigned vendor, device;      /* 0x15b3, 0x1021; 0: not known */
    int numa;                     /* CE_NUMA_UNKNOWN where the machine does not tell */
};

/* As nvidia-smi and NCCL name it, nearest first. */
enum ce_distance {
    CE_DISTANCE_UNKNOWN,
    CE_PIX,  /* one PCI switch, or the same root port */
    CE_PXB,  /* several switches, no host bridge */
    CE_PHB,  /* the same host bridge */
    CE_NODE, /* other host bridges of the same NUMA node */
    CE_SYS,  /* between NUMA nodes */
};

/* "PIX", ...; "unknown". */
const char *ce_distance_name(enum ce_distance distance);
/* 0, or -1 for another text. */
int ce_distance_parse(const char *text, enum ce_distance *ret);

/* From the paths and NUMA nodes alone. */
enum ce_distance ce_pci_distance(const struct ce_pci *a, const struct ce_pci *b);

/* NVIDIA's, or of a tree that was recorded without the numbers of its devices. */
/* The vendor of PCI. */
enum { CE_PCI_NVIDIA = 0x10de };
bool ce_pci_may_be_nvidia(const struct ce_pci *pci);

/* By domain, bus, device, function: <0, 0, >0; devices without an address come last. */
int ce_pci_compare(const struct ce_pci *a, const struct ce_pci *b);

/* Functions of one card: the same domain, bus and device. */
bool ce_pci_same_card(const struct ce_pci *a, const struct ce_pci *b);

/* Does one bridge, not the host's own, stand right above both?  Then they are functions of one card. */
bool ce_pci_same_bridge(const struct ce_pci *a, const struct ce_pci *b);

/* The lines PREFIX.pci, .pci_id ("15b3:1021"), .path, .numa.  0; -1 with err. */
void ce_pci_write(const struct ce_pci *pci, const char *prefix, struct ce_text *out);
int ce_pci_read(const struct ce_record *record, const char *prefix, struct ce_pci *ret,
                struct ce_error *err);

#endif

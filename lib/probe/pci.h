/* SPDX-License-Identifier: Apache-2.0 */
/* Where a device sits on PCI, from sysfs. */
#ifndef CE_PROBE_PCI_H
#define CE_PROBE_PCI_H

#include "base/root.h"
#include "model/pci.h"

/* The device of this address.  Facts that cannot be read stay unknown; the address too, where it is
 * none ("virtio0"). */
void ce_probe_pci(const struct ce_root *root, const char *address, struct ce_pci *ret);

/* The device that a member of a class belongs to: its folder is "sys/class/infiniband/mlx5_0". */
void ce_probe_pci_of(const struct ce_root *root, const char *folder, struct ce_pci *ret);

#endif

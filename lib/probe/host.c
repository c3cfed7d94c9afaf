/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/host.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/parse.h"

static char *read_text(const struct ce_root *root, const char *path)
{
    char line[256];
    return ce_root_line(root, line, sizeof line, "%s", path) == 0 && line[0] ? strdup(line) : NULL;
}

/* NVIDIA (0x10de) display controllers: VGA 0x0300xx or 3D 0x0302xx; its bridges and audio
 * functions are of other classes. */
static bool is_gpu(const struct ce_root *root, const char *device)
{
    char vendor[16], class[16];
    return ce_root_line(root, vendor, sizeof vendor, "sys/bus/pci/devices/%s/vendor", device) ==
               0 &&
           ce_root_line(root, class, sizeof class, "sys/bus/pci/devices/%s/class", device) == 0 &&
           strcmp(vendor, "0x10de") == 0 && strncmp(class, "0x03", 4) == 0;
}

static void find_gpus(const struct ce_root *root, struct ce_node *node)
{
    ce_autofree char **devices = NULL;
    int count = ce_root_list(root, &devices, "sys/bus/pci/devices");
    node->gpu_count_known = count >= 0;
    for (int i = 0; i < count; i++) {
        struct ce_pci *gpu = is_gpu(root, devices[i]) ? ce_node_add_gpu(node) : NULL;
        if (gpu)
            ce_copy(gpu->address, sizeof gpu->address, devices[i]);
    }
}

void ce_probe_host(const struct ce_root *root, struct ce_node *node)
{
    node->host_name = read_text(root, "proc/sys/kernel/hostname");
    node->boot_id = read_text(root, "proc/sys/kernel/random/boot_id");
    find_gpus(root, node);
}

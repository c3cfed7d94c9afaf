/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/host.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "probe/pci.h"

static char *read_text(const struct ce_root *root, const char *path)
{
    char line[256];
    return ce_root_line(root, line, sizeof line, "%s", path) == 0 && line[0] ? strdup(line) : NULL;
}

/* A display controller (class 0x03) of NVIDIA or AMD, or a processing accelerator (0x12) of AMD;
 * their bridges and sound functions are of other classes. */
static bool is_gpu(const struct ce_root *root, const char *device)
{
    char vendor[16], class[16];
    if (ce_root_line(root, class, sizeof class, "sys/bus/pci/devices/%s/class", device) < 0)
        return false;
    bool display = strncmp(class, "0x03", 4) == 0, accelerator = strncmp(class, "0x12", 4) == 0;
    if (!display && !accelerator)
        return false;
    ce_root_line(root, vendor, sizeof vendor, "sys/bus/pci/devices/%s/vendor", device);
    return (display && strcmp(vendor, "0x10de") == 0) || strcmp(vendor, "0x1002") == 0;
}

static int by_address(const void *a, const void *b)
{
    return ce_pci_compare(a, b);
}

static void find_gpus(const struct ce_root *root, struct ce_node *node)
{
    ce_autofree char **devices = NULL;
    int count = ce_root_list(root, &devices, "sys/bus/pci/devices");
    node->gpu_count_known = count >= 0;
    for (int i = 0; i < count; i++) {
        struct ce_pci *gpu = is_gpu(root, devices[i]) ? ce_node_add_gpu(node) : NULL;
        if (gpu)
            ce_probe_pci(root, devices[i], gpu);
    }
    if (node->gpu_count)
        qsort(node->gpus, node->gpu_count, sizeof *node->gpus, by_address);
}

void ce_probe_host(const struct ce_root *root, struct ce_node *node)
{
    node->host_name = read_text(root, "proc/sys/kernel/hostname");
    node->boot_id = read_text(root, "proc/sys/kernel/random/boot_id");
    find_gpus(root, node);
}

/* "12345.67 98765.43": seconds, two digits behind the dot. */
void ce_probe_uptime(const struct ce_root *root, struct ce_node *node)
{
    char line[64];
    const char *end, *start;
    uint64_t seconds, hundredths;
    if (ce_root_line(root, line, sizeof line, "proc/uptime") < 0 ||
        ce_parse_digits(line, UINT32_MAX, &seconds, &end) < 0 || *end != '.')
        return;
    start = end + 1;
    if (ce_parse_digits(start, 99, &hundredths, &end) == 0 && end - start == 2)
        node->uptime_ms = seconds * 1000 + hundredths * 10;
}

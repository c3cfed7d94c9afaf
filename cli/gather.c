/* SPDX-License-Identifier: Apache-2.0 */
#include "gather.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/root.h"
#include "probe/host.h"
#include "probe/ib.h"
#include "probe/netif.h"

struct ce_node *ce_gather(const char *path, struct ce_error *err)
{
    struct ce_root root;
    if (ce_root_open(&root, path, err) < 0)
        return NULL;
    struct ce_node *node = ce_node_create();
    if (!node)
        ce_fail(err, "no memory");
    else
        ce_probe_host(&root, node);
    if (node && (ce_probe_netifs(&root, node, err) < 0 || ce_probe_ib(&root, node, err) < 0)) {
        ce_node_destroy(node);
        node = NULL;
    }
    ce_root_close(&root);
    return node;
}

void ce_gather_name(const struct ce_node *node, const char *given, char *name, size_t size)
{
    const char *full = given ? given : node->host_name;
    size_t length = given || !full ? SIZE_MAX : strcspn(full, ".");
    snprintf(name, size, "%.*s", length < size ? (int)length : (int)size - 1, full ? full : "");
}

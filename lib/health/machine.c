/* SPDX-License-Identifier: Apache-2.0 */
#include "health/machine.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/root.h"
#include "local/texts.h"
#include "probe/gpu_helper.h"
#include "probe/helpers.h"
#include "probe/host.h"
#include "probe/kernel_log.h"
#include "probe/netif.h"

enum { KERNEL_MS = 3000, IB_MS = 5000, HELPER_MS = 10000 };

static struct ce_node *read_facts(const char *path, enum ce_trust trust, struct ce_error *err)
{
    ce_autotext struct ce_text text = CE_TEXT(CE_TEXT_MAX);
    if (ce_file_read(AT_FDCWD, path, trust, &text, err) != CE_READ_OK)
        return NULL;
    struct ce_node *node = ce_node_parse(ce_text_string(&text), err);
    if (!node)
        ce_fail_in(err, "%s", path);
    return node;
}

static struct ce_node *gather(const struct ce_machine *machine, struct ce_notes *notes,
                              struct ce_error *err)
{
    struct ce_root root;
    if (ce_root_open(&root, machine->root, err) < 0)
        return NULL;
    struct ce_node *node = ce_node_create();
    if (!node)
        ce_fail(err, "no memory");
    else
        ce_probe_host(&root, node);
    if (node && machine->health)
        ce_probe_kernel_log_within(&root, machine->kernel_since, KERNEL_MS, node, notes);
    if (node && ce_probe_netifs(&root, node, err) < 0) {
        ce_node_destroy(node);
        node = NULL;
    }
    if (node)
        ce_probe_ib_within(&root, machine->deadline_ms ? machine->deadline_ms : IB_MS, node, notes);
    ce_root_close(&root);
    return node;
}

/* hwloc reads all of the machine: only where the last facts do not have what it says. */
static bool keep_distances(const char *run_dir, struct ce_node *node)
{
    char path[4096];
    if (!run_dir || snprintf(path, sizeof path, "%s/%s", run_dir, CE_FACTS_FILE) >= 4096)
        return false;
    ce_auto(ce_node_destroy) struct ce_node *old = read_facts(path, CE_TRUST_OWNER, NULL);
    return old && ce_probe_keep_distances(old, node);
}

void ce_machine_ask_gpus(const struct ce_machine *machine, struct ce_node *node)
{
    unsigned deadline_ms = machine->deadline_ms ? machine->deadline_ms : HELPER_MS;
    ce_probe_gpus(&(struct ce_gpu_helper){machine->helpers, deadline_ms, NULL}, node);
}

struct ce_node *ce_machine_facts(const struct ce_machine *machine, struct ce_notes *notes,
                                 struct ce_error *err)
{
    if (machine->facts)
        return read_facts(machine->facts, CE_TRUST_ANY, err);
    struct ce_node *node = gather(machine, notes, err);
    if (node && machine->helpers) {
        bool kept = keep_distances(machine->run_dir, node);
        unsigned deadline_ms = machine->deadline_ms ? machine->deadline_ms : HELPER_MS;
        const struct ce_helpers helpers = {machine->helpers, deadline_ms, !kept};
        ce_probe_helpers(&helpers, node, notes);
        if (machine->health)
            ce_machine_ask_gpus(machine, node);
    }
    return node;
}

void ce_machine_name(const struct ce_node *node, const char *given, char *name, size_t size)
{
    const char *full = given ? given : node->host_name;
    size_t length = given || !full ? SIZE_MAX : strcspn(full, ".");
    snprintf(name, size, "%.*s", length < size ? (int)length : (int)size - 1, full ? full : "");
}

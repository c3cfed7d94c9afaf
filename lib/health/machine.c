/* SPDX-License-Identifier: Apache-2.0 */
#include "health/machine.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/root.h"
#include "health/questions.h"
#include "local/texts.h"
#include "probe/host.h"
#include "probe/netif.h"

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

/* The last facts of this machine; NULL: there are none. */
static struct ce_node *read_old(const char *run_dir)
{
    char path[4096];
    if (!run_dir || snprintf(path, sizeof path, "%s/%s", run_dir, CE_FACTS_FILE) >= 4096)
        return NULL;
    return read_facts(path, CE_TRUST_OWNER, NULL);
}

/* What no driver is asked for. */
static struct ce_node *look(const struct ce_root *root, struct ce_error *err)
{
    struct ce_node *node = ce_node_create();
    if (!node) {
        ce_fail(err, "no memory");
        return NULL;
    }
    ce_probe_host(root, node);
    if (ce_probe_netifs(root, node, err) == 0)
        return node;
    ce_node_destroy(node);
    return NULL;
}

struct ce_node *ce_machine_facts(const struct ce_machine *machine, struct ce_node **rails,
                                 struct ce_notes *notes, struct ce_error *err)
{
    struct ce_root root;
    if (rails)
        *rails = NULL;
    if (machine->facts)
        return read_facts(machine->facts, CE_TRUST_ANY, err);
    if (ce_root_open(&root, machine->root, err) < 0)
        return NULL;
    struct ce_node *node = look(&root, err);
    ce_auto(ce_node_destroy) struct ce_node *old = node ? read_old(machine->run_dir) : NULL;
    if (node)
        ce_questions_ask(machine, &root, old, node, rails, notes);
    ce_root_close(&root);
    return node;
}

void ce_machine_name(const struct ce_node *node, const char *given, char *name, size_t size)
{
    const char *full = given ? given : node->host_name;
    size_t length = given || !full ? SIZE_MAX : strcspn(full, ".");
    snprintf(name, size, "%.*s", length < size ? (int)length : (int)size - 1, full ? full : "");
}

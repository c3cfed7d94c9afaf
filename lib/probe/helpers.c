/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/helpers.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "probe/ib.h"

enum { OUTPUT_MAX = 4 << 20, VERBS = 0, TOPOLOGY, HELPERS };

static const char *const names[HELPERS] = {"probe-verbs", "probe-topology"};

static struct ce_hca *find_hca(struct ce_node *node, const char *name)
{
    return (struct ce_hca *)ce_node_find_hca(node, name);
}

/* ---------------------------------------------------------------- sysfs */

static int write_all(const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t n = write(STDOUT_FILENO, bytes, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return 1;
        bytes += n;
        length -= (size_t)n;
    }
    return 0;
}

/* In the child. */
static int print_ib(void *root)
{
    struct ce_error err;
    ce_autotext struct ce_text text = CE_TEXT(OUTPUT_MAX);
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    if (!node || ce_probe_ib(root, node, &err) < 0) {
        dprintf(STDERR_FILENO, "%s\n", node ? err.text : "no memory");
        return 1;
    }
    ce_node_write(node, &text);
    return ce_text_ok(&text) ? write_all(text.data, text.length) : 1;
}

void ce_probe_ib_within(const struct ce_root *root, unsigned deadline_ms, struct ce_node *node,
                        struct ce_notes *notes)
{
    struct ce_error err;
    struct ce_child child = {.body = print_ib,
                             .ctx = (void *)root,
                             .deadline_ms = deadline_ms,
                             .output_max = OUTPUT_MAX};
    ce_auto(ce_node_destroy) struct ce_node *told = NULL;
    ce_children_run(&child, 1, &(struct ce_children_plan){.at_once = 1});
    if (ce_child_check(&child, &err) == 0)
        told = ce_node_parse(ce_text_string(&child.output), &err);
    ce_child_free(&child);
    if (!told) {
        ce_note(notes, "the RDMA devices stay unknown: %.300s", err.text);
        node->hcas_unread = true;
        return;
    }
    node->hcas = told->hcas;
    node->hca_count = told->hca_count;
    told->hcas = NULL;
    told->hca_count = 0;
}

struct rails {
    const struct ce_root *root;
    const struct ce_rail_place *places;
    size_t count;
    struct ce_node *node;
};

/* In the child: its copy of the node may change, and only the devices are told. */
static int print_rails(void *ctx)
{
    const struct rails *rails = ctx;
    const struct ce_node told = {.hcas = rails->node->hcas, .hca_count = rails->node->hca_count};
    ce_autotext struct ce_text text = CE_TEXT(OUTPUT_MAX);
    ce_probe_rails(rails->root, rails->places, rails->count, rails->node);
    ce_node_write(&told, &text);
    return ce_text_ok(&text) ? write_all(text.data, text.length) : 1;
}

void ce_probe_rails_within(const struct ce_root *root, unsigned deadline_ms,
                           const struct ce_rail_place *rails, size_t count, struct ce_node *node,
                           struct ce_notes *notes)
{
    struct ce_error err;
    struct rails ctx = {root, rails, count, node};
    struct ce_child child = {.body = print_rails,
                             .ctx = &ctx,
                             .deadline_ms = deadline_ms,
                             .output_max = OUTPUT_MAX};
    ce_auto(ce_node_destroy) struct ce_node *told = NULL;
    if (count == 0)
        return;
    ce_children_run(&child, 1, &(struct ce_children_plan){.at_once = 1});
    if (ce_child_check(&child, &err) == 0)
        told = ce_node_parse(ce_text_string(&child.output), &err);
    ce_child_free(&child);
    if (!told) {
        ce_note(notes, "the counters of the rails stay unknown: %.300s", err.text);
        return;
    }
    struct ce_node old = {.hcas = node->hcas, .hca_count = node->hca_count};
    node->hcas = told->hcas;
    node->hca_count = told->hca_count;
    told->hcas = old.hcas;
    told->hca_count = old.hca_count;
}

/* ---------------------------------------------------------------- merging */

static void merge_verbs(const struct ce_node *told, struct ce_node *node)
{
    for (size_t i = 0; i < told->hca_count; i++) {
        const struct ce_hca *from = &told->hcas[i];
        struct ce_hca *hca = find_hca(node, from->name);
        if (!hca)
            continue;
        hca->opens = from->opens;
        if (!hca->firmware[0])
            memcpy(hca->firmware, from->firmware, sizeof hca->firmware);
    }
}

static bool same_place(const struct ce_pci *a, const struct ce_pci *b)
{
    return strcmp(a->address, b->address) == 0;
}

/* Which GPU of ours the helper's is: not every program counts the same ones.  -1: none. */
static int find_gpu(const struct ce_node *node, const struct ce_pci *gpu)
{
    for (unsigned i = 0; gpu->address[0] && i < node->gpu_count; i++)
        if (same_place(&node->gpus[i], gpu))
            return (int)i;
    return -1;
}

static void merge_distances(const struct ce_node *told, struct ce_node *node)
{
    for (size_t i = 0; i < told->hca_count; i++) {
        const struct ce_hca *from = &told->hcas[i];
        struct ce_hca *hca = find_hca(node, from->name);
        if (!hca || !same_place(&hca->pci, &from->pci))
            continue;
        for (unsigned k = 0; k < told->gpu_count; k++) {
            int gpu = find_gpu(node, &told->gpus[k]);
            if (gpu >= 0)
                hca->gpus[gpu] = from->gpus[k];
        }
    }
}

static bool knows_a_distance(const struct ce_node *node)
{
    for (size_t i = 0; i < node->hca_count; i++)
        for (unsigned k = 0; k < CE_GPUS_MAX; k++)
            if (node->hcas[i].gpus[k])
                return true;
    return false;
}

static bool has_same_devices(const struct ce_node *old, const struct ce_node *node)
{
    if (old->gpu_count != node->gpu_count)
        return false;
    for (unsigned i = 0; i < node->gpu_count; i++)
        if (!same_place(&old->gpus[i], &node->gpus[i]))
            return false;
    for (size_t i = 0; i < node->hca_count; i++) {
        const struct ce_hca *hca = ce_node_find_hca(old, node->hcas[i].name);
        if (!hca || !same_place(&hca->pci, &node->hcas[i].pci))
            return false;
    }
    return true;
}

bool ce_probe_keep_distances(const struct ce_node *old, struct ce_node *node)
{
    bool same_boot = old->boot_id && node->boot_id && strcmp(old->boot_id, node->boot_id) == 0;
    if (!same_boot || !knows_a_distance(old) || !has_same_devices(old, node))
        return false;
    merge_distances(old, node);
    return true;
}

/* ---------------------------------------------------------------- asking */

static void merge(const struct ce_child *child, int which, struct ce_node *node,
                  struct ce_notes *notes)
{
    struct ce_error err;
    ce_auto(ce_node_destroy) struct ce_node *told = NULL;
    if (ce_child_check(child, &err) == 0)
        told = ce_node_parse(ce_text_string(&child->output), &err);
    if (!told)
        ce_note(notes, "what %s knows stays unknown: %.300s", names[which], err.text);
    else if (which == VERBS)
        merge_verbs(told, node);
    else
        merge_distances(told, node);
}

void ce_probe_helpers(const struct ce_helpers *helpers, struct ce_node *node,
                      struct ce_notes *notes)
{
    char path[HELPERS][PATH_MAX];
    char *argv[HELPERS][2] = {{path[VERBS]}, {path[TOPOLOGY]}};
    struct ce_child children[HELPERS];
    size_t count = node->hca_count == 0 ? 0 : helpers->topology && node->gpu_count > 0 ? 2 : 1;
    for (size_t i = 0; i < count; i++) {
        snprintf(path[i], sizeof path[i], "%s/%s", helpers->dir, names[i]);
        children[i] = (struct ce_child){
            .argv = argv[i], .deadline_ms = helpers->deadline_ms, .output_max = OUTPUT_MAX};
    }
    ce_children_run(children, count, &(struct ce_children_plan){.at_once = HELPERS});
    for (size_t i = 0; i < count; i++) {
        merge(&children[i], (int)i, node, notes);
        ce_child_free(&children[i]);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/helpers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "probe/ib.h"

enum { OUTPUT_MAX = 4 << 20 };

static const char *const names[] = {
    [CE_HELPER_VERBS] = "probe-verbs", [CE_HELPER_TOPOLOGY] = "probe-topology"};

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

/* What the child told; NULL with err: it is no text, or there is none. */
static struct ce_node *read_answer(const struct ce_child *child, struct ce_error *err)
{
    return ce_child_check(child, err) < 0 ? NULL
                                          : ce_node_parse(ce_text_string(&child->output), err);
}

void ce_ib_ask(const struct ce_root *root, unsigned deadline_ms, struct ce_child *child)
{
    *child = (struct ce_child){.body = print_ib,
                               .ctx = (void *)root,
                               .deadline_ms = deadline_ms,
                               .output_max = OUTPUT_MAX};
}

void ce_ib_answer(const struct ce_child *child, struct ce_node *node, struct ce_notes *notes)
{
    struct ce_error err;
    ce_auto(ce_node_destroy) struct ce_node *told = read_answer(child, &err);
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

/* ---------------------------------------------------------------- rails */

/* In the child: its copy of the node may change, and only the devices are told. */
static int print_rails(void *ctx)
{
    const struct ce_rails_question *rails = ctx;
    const struct ce_node told = {.hcas = rails->node->hcas, .hca_count = rails->node->hca_count};
    ce_autotext struct ce_text text = CE_TEXT(OUTPUT_MAX);
    ce_probe_rails(rails->root, rails->places, rails->count, rails->node);
    ce_node_write(&told, &text);
    return ce_text_ok(&text) ? write_all(text.data, text.length) : 1;
}

void ce_rails_ask(struct ce_rails_question *question, unsigned deadline_ms, struct ce_child *child)
{
    *child = (struct ce_child){.body = question->count ? print_rails : NULL,
                               .ctx = question,
                               .deadline_ms = deadline_ms,
                               .output_max = OUTPUT_MAX};
}

struct ce_node *ce_rails_answer(const struct ce_child *child, struct ce_notes *notes)
{
    struct ce_error err;
    struct ce_node *told = read_answer(child, &err);
    if (!told)
        ce_note(notes, "the counters of the rails stay unknown: %.300s", err.text);
    return told;
}

void ce_rails_merge(const struct ce_node *told, struct ce_node *node)
{
    for (size_t i = 0; i < told->hca_count; i++) {
        const struct ce_hca *from = &told->hcas[i];
        struct ce_hca *hca = find_hca(node, from->name);
        if (!hca || hca->port_count != from->port_count)
            continue;
        hca->link = from->link;
        hca->uverbs = from->uverbs;
        for (size_t k = 0; k < from->port_count; k++) {
            hca->ports[k].counters = from->ports[k].counters;
            hca->ports[k].mtu = from->ports[k].mtu;
            hca->ports[k].pkeys = from->ports[k].pkeys;
        }
    }
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

void ce_helper_ask(struct ce_helper_question *question, enum ce_helper which, const char *dir,
                   unsigned deadline_ms, struct ce_child *child)
{
    snprintf(question->path, sizeof question->path, "%s/%s", dir, names[which]);
    question->argv[0] = question->path;
    question->argv[1] = NULL;
    *child = (struct ce_child){
        .argv = question->argv, .deadline_ms = deadline_ms, .output_max = OUTPUT_MAX};
}

void ce_helper_answer(enum ce_helper which, const struct ce_child *child, struct ce_node *node,
                      struct ce_notes *notes)
{
    struct ce_error err;
    ce_auto(ce_node_destroy) struct ce_node *told = read_answer(child, &err);
    if (!told)
        ce_note(notes, "what %s knows stays unknown: %.300s", names[which], err.text);
    else if (which == CE_HELPER_VERBS)
        merge_verbs(told, node);
    else
        merge_distances(told, node);
}

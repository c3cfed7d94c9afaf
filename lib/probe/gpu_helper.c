/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/gpu_helper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUTPUT_MAX = 4 << 20 };

static struct ce_gpu_state *find_state(struct ce_node *node, const char *address)
{
    for (unsigned i = 0; i < node->gpu_count; i++)
        if (strcmp(node->gpus[i].address, address) == 0)
            return &node->gpu_states.items[i];
    return NULL;
}

/* The text of a helper that was ended: its whole lines, made a whole text. */
static struct ce_node *parse_rest(const struct ce_child *child)
{
    ce_autotext struct ce_text text = CE_TEXT(OUTPUT_MAX + 16);
    const char *output = ce_text_string(&child->output), *last = strrchr(output, '\n');
    if (!last)
        return NULL;
    ce_text_addn(&text, output, (size_t)(last + 1 - output));
    ce_text_add(&text, "end=1\n");
    return ce_text_ok(&text) ? ce_node_parse(ce_text_string(&text), NULL) : NULL;
}

/* GPUs are asked one after the other: the first without an answer is the one that it was asking.
 * NULL: all have one. */
static const struct ce_pci *merge(const struct ce_node *told, struct ce_node *node)
{
    const struct ce_pci *silent = NULL;
    for (unsigned i = 0; i < told->gpu_count; i++) {
        struct ce_gpu_state *state = find_state(node, told->gpus[i].address);
        if (!state)
            continue;
        if (i < told->gpu_states.count && told->gpu_states.items[i].asked != CE_GPU_NOT_ASKED) {
            *state = told->gpu_states.items[i];
        } else if (!silent) {
            silent = &told->gpus[i];
        }
    }
    memcpy(node->gpu_states.driver, told->gpu_states.driver, sizeof told->gpu_states.driver);
    if (told->gpu_states.error[0]) {
        memcpy(node->gpu_states.error, told->gpu_states.error, sizeof told->gpu_states.error);
        node->gpu_states.code = told->gpu_states.code;
    }
    return silent;
}

/* Which GPU it was asking when it was ended, or ended badly. */
static void blame(const struct ce_child *child, const struct ce_pci *gpu, struct ce_node *node,
                  struct ce_error *err)
{
    if (child->end == CE_CHILD_LATE || child->end == CE_CHILD_ABANDONED) {
        struct ce_gpu_state *state = find_state(node, gpu->address);
        if (state)
            state->asked = CE_GPU_LATE;
    } else {
        struct ce_error cause = *err;
        ce_fail(err, "asking %s: %.160s", gpu->address, cause.text);
    }
}

void ce_gpus_answer(const struct ce_child *child, struct ce_node *node)
{
    struct ce_gpu_states *states = &node->gpu_states;
    struct ce_error err = {""};
    ce_auto(ce_node_destroy) struct ce_node *told = NULL;
    bool whole = ce_child_check(child, &err) == 0;
    ce_gpu_states_free(states);
    if (whole)
        told = ce_node_parse(ce_text_string(&child->output), &err);
    else
        told = parse_rest(child);
    const struct ce_pci *silent = NULL;
    if (told && ce_gpu_states_alloc(states, node->gpu_count) == 0)
        silent = merge(told, node);
    if (silent && !whole)
        blame(child, silent, node, &err);
    if (!told || !whole)
        snprintf(states->error, sizeof states->error, "probe-gpu: %.200s", err.text);
}

void ce_gpus_ask(struct ce_gpu_question *question, const struct ce_gpu_helper *helper,
                 const struct ce_node *node, struct ce_child *child)
{
    size_t count = 1;
    *child = (struct ce_child){.deadline_ms = helper->deadline_ms, .output_max = OUTPUT_MAX};
    *question = (struct ce_gpu_question){.argv = {question->path}};
    for (unsigned i = 0; i < node->gpu_count && i < CE_GPUS_MAX; i++) {
        if (!node->gpus[i].address[0] || !ce_pci_may_be_nvidia(&node->gpus[i]))
            continue;
        snprintf(question->arguments[i], sizeof *question->arguments, "--%s=%s",
                 helper->skip && helper->skip[i] ? "skip" : "gpu", node->gpus[i].address);
        question->argv[count++] = question->arguments[i];
    }
    snprintf(question->path, sizeof question->path, "%s/probe-gpu", helper->dir);
    if (count > 1)
        child->argv = question->argv;
}

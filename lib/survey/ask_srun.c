/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes by what they say themselves. */
#include <string.h>

#include "base/cleanup.h"
#include "survey/visit.h"

/* The record alone: a TaskProlog may print before it, a TaskEpilog behind it. */
static void take_facts(struct ce_draft_node *node, const char *output)
{
    static const char first[] = "format=1\n", last[] = "\nend=1\n";
    const char *begin = strstr(output, first), *end = begin ? strstr(begin, last) : NULL;
    struct ce_error err = {"not a word of it"};
    ce_autofree char *record = end ? strndup(begin, (size_t)(end - begin) + sizeof last - 1) : NULL;
    ce_auto(ce_node_destroy) struct ce_node *facts = record ? ce_node_parse(record, &err) : NULL;
    if (facts)
        ce_draft_facts(node, facts);
    else
        ce_draft_miss(node, "cluster-env facts was not understood: %s", err.text);
}

static void take(void *ctx, size_t index, const char *output)
{
    struct ce_draft *draft = ctx;
    take_facts(&draft->nodes[index], output);
}

static void miss(void *ctx, size_t index, const char *why)
{
    struct ce_draft *draft = ctx;
    ce_draft_miss(&draft->nodes[index], "%s", why);
}

int ce_ask_srun(const struct ce_ask *ask, const struct ce_roster *roster, struct ce_draft *draft,
                struct ce_error *err)
{
    static const char *const words[] = {"facts", NULL};
    const struct ce_visit visit = {
        .words = words, .answered = take, .missed = miss, .ctx = draft};
    return ce_visit_nodes(ask, roster, &visit, err);
}

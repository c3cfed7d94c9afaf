/* SPDX-License-Identifier: Apache-2.0 */
#include "survey/questions.h"

#include <stdlib.h>

int ce_questions_init(struct ce_questions *questions, const struct ce_ask *ask,
                      const struct ce_draft *draft, struct ce_error *err)
{
    *questions = (struct ce_questions){.ask = ask};
    questions->children = calloc(draft->count + 1, sizeof *questions->children);
    questions->nodes = calloc(draft->count + 1, sizeof *questions->nodes);
    return questions->children && questions->nodes ? 0 : ce_fail(err, "no memory");
}

void ce_questions_free(struct ce_questions *questions)
{
    for (size_t i = 0; i < questions->count; i++)
        ce_child_free(&questions->children[i]);
    free(questions->children);
    free(questions->nodes);
    *questions = (struct ce_questions){.ask = NULL};
}

struct ce_child *ce_questions_add(struct ce_questions *questions, struct ce_draft_node *node)
{
    struct ce_child *child = &questions->children[questions->count];
    questions->nodes[questions->count++] = node;
    *child = (struct ce_child){.deadline_ms = questions->ask->timeout_ms, .output_max = 1 << 20};
    return child;
}

static void count_one(void *ctx, const struct ce_child *child)
{
    struct ce_questions *questions = ctx;
    (void)child;
    questions->done++;
    if (questions->ask->progress)
        questions->ask->progress(questions->ask->ctx, questions->done, questions->count);
}

void ce_questions_run(struct ce_questions *questions,
                      void (*take)(struct ce_draft_node *node, const char *output))
{
    const struct ce_children_plan plan = {
        .at_once = questions->ask->at_once, .ended = count_one, .ctx = questions};
    struct ce_error err;
    ce_children_run(questions->children, questions->count, &plan);
    for (size_t i = 0; i < questions->count; i++) {
        struct ce_child *child = &questions->children[i];
        if (ce_child_check(child, &err) < 0)
            ce_draft_miss(questions->nodes[i], "%s", err.text);
        else
            take(questions->nodes[i], ce_text_string(&child->output));
    }
}

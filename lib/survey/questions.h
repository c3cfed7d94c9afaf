/* SPDX-License-Identifier: Apache-2.0 */
/* What the ways of asking have in common: one child for each node that is asked. */
#ifndef CE_SURVEY_QUESTIONS_H
#define CE_SURVEY_QUESTIONS_H

#include "base/child.h"
#include "survey/ask.h"

struct ce_questions {
    const struct ce_ask *ask;
    struct ce_child *children;
    struct ce_draft_node **nodes; /* whom each child asks */
    size_t count, done;
};

/* Room for a question to every node of the draft.  0, or -1 for no memory. */
int ce_questions_init(struct ce_questions *questions, const struct ce_ask *ask,
                      const struct ce_draft *draft, struct ce_error *err);
void ce_questions_free(struct ce_questions *questions);
#define ce_autoquestions __attribute__((cleanup(ce_questions_free)))

/* One more child, about this node: its deadline is set, what it runs is the caller's to fill in. */
struct ce_child *ce_questions_add(struct ce_questions *questions, struct ce_draft_node *node);

/* Run them.  Of a child that failed the node gets the reason; the output of the others goes to
 * `take`. */
void ce_questions_run(struct ce_questions *questions,
                      void (*take)(struct ce_draft_node *node, const char *output));

#endif

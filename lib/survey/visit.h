/* SPDX-License-Identifier: Apache-2.0 */
/* Running cluster-env on the nodes themselves: a job of a moment on each that could run it now, by
 * `srun --immediate`.  The others are not waited for: their state is the reason. */
#ifndef CE_SURVEY_VISIT_H
#define CE_SURVEY_VISIT_H

#include "survey/ask.h"

struct ce_visit {
    const char *const *words; /* what cluster-env is told there: "facts"; NULL at the end */
    unsigned total_ms;        /* for all nodes; 0: no such limit */
    /* Each node gets one of both, in the roster's order; index is its place there. */
    void (*answered)(void *ctx, size_t index, const char *output);
    void (*missed)(void *ctx, size_t index, const char *why);
    void *ctx;
};

/* Could a small job start there now? */
bool ce_visit_may_answer(const struct ce_roster_node *node);

/* 0, or -1 for no memory. */
int ce_visit_nodes(const struct ce_ask *ask, const struct ce_roster *roster,
                   const struct ce_visit *visit, struct ce_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A refusal: a task that must not run says so and leaves; the stepd, its parent, ends the step.  One
 * shared page carries the word from the forked task to the stepd. */
#ifndef CE_SPANK_REFUSAL_H
#define CE_SPANK_REFUSAL_H

#include <stdbool.h>

struct ce_refusal;

/* In user_init, before the tasks are forked.  NULL: no memory; then a refusal ends its own task
 * only. */
struct ce_refusal *ce_refusal_create(void);
void ce_refusal_destroy(struct ce_refusal *refusal);

/* In the task: is it the first of its node to refuse?  Then it speaks for all of them, and says so.
 * refusal may be NULL: then each speaks, and none is heard by the stepd. */
bool ce_refusal_claim(struct ce_refusal *refusal);
void ce_refusal_said(struct ce_refusal *refusal);

/* In the stepd: has a task refused and spoken?  True once. */
bool ce_refusal_take(struct ce_refusal *refusal);

#endif

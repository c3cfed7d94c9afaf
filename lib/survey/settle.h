/* SPDX-License-Identifier: Apache-2.0 */
/* From the answers to what may stand in the book, and what an admin should know about it.  Pure. */
#ifndef CE_SURVEY_SETTLE_H
#define CE_SURVEY_SETTLE_H

#include "survey/draft.h"

/* After all answers: no two nodes keep the same address; nodes that nothing was found out about
 * get their entries of the old book (NULL: there is none), where these may be written and are
 * nobody else's now.  `lines` gets one finished line each for: nodes that are missing and why,
 * duplicates, old entries that are not kept, nodes on another network or of another family than
 * most. 0, or -1 for no memory. */
int ce_draft_settle(struct ce_draft *draft, const struct ce_book *old, struct ce_text *lines,
                    struct ce_error *err);

#endif

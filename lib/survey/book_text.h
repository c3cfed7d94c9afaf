/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a new address book. */
#ifndef CE_SURVEY_BOOK_TEXT_H
#define CE_SURVEY_BOOK_TEXT_H

#include "survey/draft.h"

/* A settled draft as hosts(5): a header with the comment `origin` (one line, without '#'), one
 * entry a line in the draft's order, missing nodes as comments, then the old book's entries of
 * other names.  `old` is what the draft was settled with. */
void ce_draft_write(const struct ce_draft *draft, const struct ce_book *old, const char *origin,
                    struct ce_text *out);

#endif

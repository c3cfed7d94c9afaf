/* SPDX-License-Identifier: Apache-2.0 */
/* What a reader of the job's output should know: one finished line each, few of them.  Decisions
 * collect notes, programs print them. */
#ifndef CE_MODEL_NOTES_H
#define CE_MODEL_NOTES_H

#include <stddef.h>

#include "base/error.h"

enum { CE_NOTES_MAX = 8 };

struct ce_notes {
    struct ce_error line[CE_NOTES_MAX];
    size_t count; /* lines kept; more are counted, not kept */
    size_t lost;
};

/* A line that is there already is not added again. */
void ce_note(struct ce_notes *notes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif

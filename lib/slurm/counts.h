/* SPDX-License-Identifier: Apache-2.0 */
/* Slurm's text of one number per node, "4(x2),3": 4, 4 and 3. */
#ifndef CE_SLURM_COUNTS_H
#define CE_SLURM_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Where a reader is in such a text. */
struct ce_counts {
    const char *rest;
    uint64_t number, times;
};

/* text may be NULL: there are no numbers. */
struct ce_counts ce_counts_begin(const char *text);

/* The next number.  false: the text is over, or continues with something else. */
bool ce_counts_next(struct ce_counts *counts, uint32_t *ret);

/* Nothing is left, so the whole text was such a text. */
bool ce_counts_is_over(const struct ce_counts *counts);

void ce_counts_write(const uint32_t *numbers, size_t count, struct ce_text *out);

#endif

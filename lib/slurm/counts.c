/* SPDX-License-Identifier: Apache-2.0 */
#include "slurm/counts.h"

#include <inttypes.h>
#include <string.h>

#include "base/parse.h"

struct ce_counts ce_counts_begin(const char *text)
{
    return (struct ce_counts){.rest = text ? text : ""};
}

/* "4(x2)," at the reader's place; false leaves the place as it was. */
static bool read_group(struct ce_counts *counts)
{
    const char *rest = counts->rest;
    uint64_t number, times = 1;
    if (ce_parse_digits(rest, UINT32_MAX, &number, &rest) < 0)
        return false;
    if (strncmp(rest, "(x", 2) == 0 &&
        (ce_parse_digits(rest + 2, UINT32_MAX, &times, &rest) < 0 || *rest++ != ')'))
        return false;
    if (*rest != '\0' && *rest++ != ',')
        return false;
    *counts = (struct ce_counts){rest, number, times};
    return true;
}

bool ce_counts_next(struct ce_counts *counts, uint32_t *ret)
{
    while (counts->times == 0)
        if (!read_group(counts))
            return false;
    counts->times--;
    *ret = (uint32_t)counts->number;
    return true;
}

bool ce_counts_is_over(const struct ce_counts *counts)
{
    return counts->times == 0 && *counts->rest == '\0';
}

void ce_counts_write(const uint32_t *numbers, size_t count, struct ce_text *out)
{
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && numbers[next] == numbers[i];)
            next++;
        ce_text_addf(out, "%s%" PRIu32, i ? "," : "", numbers[i]);
        if (next - i > 1)
            ce_text_addf(out, "(x%zu)", next - i);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "model/measured.h"

#include <stdio.h>
#include <stdlib.h>

void ce_measured_free(struct ce_measured *measured)
{
    free(measured->items);
    *measured = (struct ce_measured){.count = 0};
}

void ce_measured_add(struct ce_measured *measured, const char *what, const char *device,
                     double value, const char *unit)
{
    struct ce_measurement *items =
        realloc(measured->items, (measured->count + 1) * sizeof *measured->items);
    if (!items) {
        measured->lost = true;
        return;
    }
    measured->items = items;
    struct ce_measurement *item = &items[measured->count++];
    *item = (struct ce_measurement){.what = what, .unit = unit, .value = value};
    snprintf(item->device, sizeof item->device, "%s", device);
}

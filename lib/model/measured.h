/* SPDX-License-Identifier: Apache-2.0 */
/* What `cluster-env bench` measured, in one form for all that it can test: a list that the reports
 * print, health.jsonl keeps and `cluster-env status` shows. */
#ifndef CE_MODEL_MEASURED_H
#define CE_MODEL_MEASURED_H

#include <stdbool.h>
#include <stddef.h>

#include "model/finding.h"

struct ce_measurement {
    const char *what;        /* "rdma.write"; a constant */
    const char *unit;        /* "Gb/s"; a constant */
    char device[CE_SUBJECT]; /* "mlx5_0/1", "GPU 0"; "": the node */
    double value;
};

struct ce_measured {
    struct ce_measurement *items;
    size_t count;
    bool lost; /* there was no memory for all of them */
};

void ce_measured_free(struct ce_measured *measured);
#define ce_automeasured __attribute__((cleanup(ce_measured_free)))

/* Append one.  Where there is no memory, `lost` is set. */
void ce_measured_add(struct ce_measured *measured, const char *what, const char *device,
                     double value, const char *unit);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Is this product installed right on this machine?  Facts are gathered (look.c, model/install.h), then
 * judged by a table of rows, each with a pure function beside it (rows_*.c). */
#ifndef CE_DOCTOR_DOCTOR_H
#define CE_DOCTOR_DOCTOR_H

#include "base/error.h"
#include "model/finding.h"
#include "model/install.h"

struct ce_doctor {
    const char *config;    /* NULL: the usual file */
    const char *node_name; /* in Slurm; NULL: the host name up to its dot */
    const char *helpers;   /* the folder of slurm-node and probe-gpu */
    const char *run_dir;
    unsigned deadline_ms;  /* for each question to Slurm; they are asked side by side */
};

/* Look at all of it.  What could not be found out is a fact too.  NULL with err: no memory. */
struct ce_install *ce_doctor_look(const struct ce_doctor *doctor, struct ce_error *err);

/* A thing to be right.  The findings of one name stand together. */
struct ce_doctor_row {
    const char *name; /* dotted and stable: "plugin.version" */
    bool on_head;     /* it can be told on a head node, too */
    const char *remedy; /* one phrase, where a finding has none of its own */
    void (*judge)(const struct ce_install *install, struct ce_findings *out);
};

extern const struct ce_doctor_row ce_doctor_plugin_rows[], ce_doctor_slurm_rows[],
    ce_doctor_site_rows[], ce_doctor_node_rows[];
extern const size_t ce_doctor_plugin_row_count, ce_doctor_slurm_row_count, ce_doctor_site_row_count,
    ce_doctor_node_row_count;

/* The index-th of all rows; NULL behind the last. */
const struct ce_doctor_row *ce_doctor_row_at(size_t index);

/* A finding at least for each row. */
void ce_doctor_judge(const struct ce_install *install, struct ce_findings *out);

#endif

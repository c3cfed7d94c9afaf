/* SPDX-License-Identifier: Apache-2.0 */
/* A settled board for people and for programs. */
#ifndef CE_STATUS_REPORT_H
#define CE_STATUS_REPORT_H

#include "base/text.h"
#include "model/notes.h"
#include "status/board.h"

/* Where it comes from, and what went wrong on the way. */
struct ce_status {
    const struct ce_board *board;
    time_t now;
    const char *source; /* "Slurm", "Slurm and srun", "DIR" */
    const struct ce_notes *notes;
};

struct ce_status_style {
    bool colour;
    unsigned columns; /* longer lines are cut; 0: none is */
    size_t rows;      /* at most so many; 0: as many as it takes */
};

/* A line of totals, and a row for nodes of which the same is to be said, the worst first.  0, or -1
 * with err for no memory. */
int ce_status_text(const struct ce_status *status, const struct ce_status_style *style,
                   struct ce_text *out, struct ce_error *err);

/* What the last run of each active test measured: for each kind a line, and the nodes from the slowest on, as
 * far as there are rows. */
int ce_status_bench(const struct ce_status *status, const struct ce_status_style *style,
                    struct ce_text *out, struct ce_error *err);

/* One JSON document, "schema":1.  0, or -1 for no memory. */
int ce_status_json(const struct ce_status *status, struct ce_text *out);
/* The same in one line. */
int ce_status_json_line(const struct ce_status *status, struct ce_text *out);

/* A page of its own: HTML that holds all it needs, the JSON above inside.  0, or -1 for no memory. */
int ce_status_page(const struct ce_status *status, struct ce_text *out);

#endif

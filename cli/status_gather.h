/* SPDX-License-Identifier: Apache-2.0 */
/* Where cluster-env status has its answers from. */
#ifndef CE_CLI_STATUS_GATHER_H
#define CE_CLI_STATUS_GATHER_H

#include "base/error.h"
#include "model/notes.h"
#include "status/board.h"
#include "survey/ask.h"

struct ce_gather {
    struct ce_ask ask;
    unsigned total_ms; /* for all nodes together */
    struct ce_board board;
    struct ce_notes notes;
};

/* Slurm's states of all nodes; with `visit` also what each tells that could run a small job now.  0, or
 * -1 with err. */
int ce_gather_slurm(struct ce_gather *gather, bool visit, struct ce_error *err);
/* The logs in a folder. */
int ce_gather_folder(struct ce_gather *gather, const char *folder, struct ce_error *err);
/* Notes about what all of it lacks. */
void ce_gather_end(struct ce_gather *gather);

void ce_gather_free(struct ce_gather *gather);
#define ce_autogather __attribute__((cleanup(ce_gather_free)))

/* What this node tells of itself, as lines on standard output, for ce_gather_slurm() elsewhere.  name
 * NULL: the host name up to its dot.  An exit status. */
int ce_status_local(const char *run_dir, const char *name);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a phase on this node, as the reports tell it. */
#ifndef CE_MODEL_RUN_H
#define CE_MODEL_RUN_H

#include <stdint.h>
#include <time.h>

#include "model/finding.h"
#include "model/measured.h"
#include "model/notes.h"

/* What was done about faults that a node is drained for. */
enum ce_done {
    CE_DONE_NOTHING,   /* there was none */
    CE_DONE_OBSERVED,  /* the mode, or who asked, drains nothing */
    CE_DONE_HELD_BACK, /* too many nodes are drained already */
    CE_DONE_DRAINED,
};
enum { CE_DONE_COUNT = CE_DONE_DRAINED + 1 };

/* What jobs use of this node, and how much of it there should be. */
struct ce_equipment {
    bool gpus_known, rails_known;
    uint32_t gpus, gpus_expected; /* expected 0: nobody said how many */
    uint32_t rails, rails_up, rails_expected;
};

struct ce_run {
    const char *phase;   /* "prolog", "epilog", "manual", "bench" */
    const char *test;    /* of a bench, "rdma"; NULL: it is none */
    const char *node;    /* its name in Slurm; "": not known */
    const char *boot_id; /* NULL: not known */
    const char *mode;    /* of the configuration; NULL: not known */
    uint32_t job;        /* 0: none */
    time_t began;
    unsigned took_ms;
    const char *error;  /* why nothing was checked; NULL: it was */
    bool misconfigured; /* the error is of the configuration */
    const char *reason; /* what the node is drained for, or would be; "": nothing */
    enum ce_done done;
    struct ce_equipment equipment;
    const struct ce_findings *findings;
    const struct ce_measured *measured; /* NULL: nothing was to be measured */
    const struct ce_notes *notes;
};

/* "nothing", "observed", "held_back", "drained". */
const char *ce_done_name(enum ce_done done);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Recovery on this node: RUN_DIR/recovery/drain, which only root reads, has the reason that we gave
 * and how often the checks passed since (health/recovery.h). */
#ifndef CE_HEALTH_RECOVER_H
#define CE_HEALTH_RECOVER_H

#include "base/error.h"
#include "health/phase.h"

#define CE_RECOVER_DIR "recovery"
#define CE_RECOVER_FILE "drain"

/* The node was drained by us, for result->reason.  -1 with err: that cannot be kept, or another
 * process of this node is at it; then it does not come back by itself. */
int ce_recover_drained(const char *run_dir, const struct ce_phase_result *result,
                       struct ce_error *err);

enum ce_recover_end {
    CE_RECOVER_NOTHING, /* nothing of ours to lift, or not yet */
    CE_RECOVER_ENOUGH,  /* well, but it came back too often today */
    CE_RECOVER_BACK,    /* it is in service again */
    CE_RECOVER_TAKEN,   /* well, but somebody else's reason stands there, or it is in service */
    CE_RECOVER_FAILED,  /* err says why */
};

/* The checks ran: count it, and undrain the node (through slurm-node in helper_dir) where it is time.
 * In `reason`, what it was drained for. */
enum ce_recover_end ce_recover_look(const char *run_dir, const char *helper_dir,
                                    const struct ce_phase_result *result, unsigned deadline_ms,
                                    struct ce_error *reason, struct ce_error *err);

#endif

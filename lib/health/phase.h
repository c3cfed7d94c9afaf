/* SPDX-License-Identifier: Apache-2.0 */
/* One phase on this node, whole: read the configuration, look at the machine, keep the texts that
 * the plugin reads, judge.  cluster-prolog, cluster-epilog and `cluster-env check` are this and
 * words. */
#ifndef CE_HEALTH_PHASE_H
#define CE_HEALTH_PHASE_H

#include <stdint.h>

#include "base/error.h"
#include "health/machine.h"
#include "model/finding.h"
#include "model/gang.h"
#include "model/hostlist.h"
#include "model/notes.h"
#include "model/policy.h"
#include "model/run.h"
#include "slurm/job.h"

struct ce_phase {
    unsigned phase;            /* CE_PROLOG, CE_EPILOG, CE_MANUAL */
    const char *only;          /* one check; NULL: all of the phase */
    struct ce_machine machine; /* where the facts come from */
    const char *config;        /* NULL: the usual file */
    const char *node_name;     /* in Slurm; NULL: the host name up to its dot */
    uint32_t job;              /* whose prolog or epilog this is; 0: no baseline is kept or taken */
    struct ce_slurm_job slurm; /* the same job, as Slurm tells of it; all zero: nothing is told */
    bool keep;                 /* write node.facts, node.policy and hosts into the run directory; where
                                * the RDMA devices did not answer the old ones stay */
};

struct ce_phase_result {
    char node_name[256];
    struct ce_policy policy;
    struct ce_findings findings;
    char boot_id[64];       /* "": not known */
    uint64_t uptime_ms;     /* 0: not known */
    struct ce_equipment equipment;
    bool held_back;         /* set by who answers: the guard did not let it be drained */
    struct ce_error reason; /* what the node would be drained for; "": nothing */
    struct ce_notes notes;  /* what could not be found out or written */
    bool misconfigured;     /* after a failure: it is of the configuration, or of `only` */
};

/* 0; -1 with err: the configuration or the machine could not be read, `only` is no check; nothing is
 * known then, and nothing must be done to the node.  Free with ce_phase_result_free(), also after a failure. */
int ce_phase_run(const struct ce_phase *phase, struct ce_phase_result *ret, struct ce_error *err);

/* Judge what the preflight of the job's nodes (lib/preflight) found, by ret->policy, into ret->findings and
 * ret->reason; as ce_health_judge_gang().  0; -1 with err: no memory. */
int ce_phase_judge_gang(const struct ce_gang *gang, const struct ce_hostlist *nodes,
                        const char *unknown, struct ce_phase_result *ret, struct ce_error *err);

/* "prolog" of CE_PROLOG; NULL where the bit is of no phase. */
const char *ce_phase_name(unsigned phase);

/* What the configuration means for this node, without a look at the machine.  -1 with err: it could
 * not be read; then *ret stays. */
int ce_phase_policy(const char *config, const char *node_name, struct ce_policy *ret,
                    struct ce_error *err);

void ce_phase_result_free(struct ce_phase_result *result);
#define ce_autophase __attribute__((cleanup(ce_phase_result_free)))

#endif

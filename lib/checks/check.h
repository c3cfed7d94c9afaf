/* SPDX-License-Identifier: Apache-2.0 */
/* A check: one row of what it is, and one pure function beside it that turns facts into findings.
 * Adding one is a row and a function in lib/checks/, its fixtures, its section in docs/checks.md.
 */
#ifndef CE_CHECKS_CHECK_H
#define CE_CHECKS_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/finding.h"
#include "model/gang.h"
#include "model/hostlist.h"
#include "model/node.h"
#include "model/policy.h"

enum {
    CE_PROLOG = 1, /* before a job */
    CE_EPILOG = 2, /* after it */
    CE_MANUAL = 4, /* cluster-env check */
    CE_PREFLIGHT = 8, /* before a job of several nodes, with each other (lib/preflight) */
    CE_EVERY_PHASE = CE_PROLOG | CE_EPILOG | CE_MANUAL,
};

/* What a check is. */
enum {
    CE_RECOVERABLE = 1, /* a node drained for it may come back by itself: idle, it shows whether it is well */
    CE_DETAILED = 2,    /* it looks at what only checks need (node->detailed) */
    CE_WHOLE_NODE = 4,  /* what it finds may be another job's: only where the node is not shared */
};

/* A port that is expected to carry the job's RDMA traffic. */
struct ce_check_port {
    const struct ce_hca *hca;
    const struct ce_hca_port *port;
};

/* All that checks judge from. */
struct ce_check_view {
    const struct ce_node *node;
    const struct ce_check_port *rails; /* in PCI order */
    size_t rail_count;
    const char *rails_unsure; /* why it cannot be told which they are; NULL: it can */
    struct ce_rails_expected expected; /* of the rails, by the configuration */
    unsigned gpus_expected;            /* 0: not known */
    uint64_t kernel_since; /* the kernel log's last record before the job; 0: judge since boot */
    bool shared;           /* other jobs may be on the node; else all GPUs are the job's */
    uint64_t job_gpus;     /* where it is shared: bit N: the node's GPU N is the job's */
    bool job_gpus_unsure;  /* which are is not known: job_gpus has all */
    const char *driver; /* of NVIDIA; NULL: any */
    const char (*vbios)[CE_GPU_WORD];
    size_t vbios_count; /* 0: any */
    enum ce_answer mig, ecc; /* unknown: as the siblings, and on */
    unsigned power_watts;    /* 0: as the siblings */
    const struct ce_firmware_expected *firmware;
    size_t firmware_count;
    unsigned memory_gb, hugepages;     /* 0: not known */
    const struct ce_node *before;      /* what the job's prolog saw; NULL: not known */
    double seconds;                    /* since then */
    const struct ce_gang *gang;        /* what the preflight found; NULL: there was none */
    const struct ce_hostlist *gang_nodes; /* the names of its nodes */
    const char *gang_unknown;          /* why there was none; NULL: there should be none */
    bool gang_nccl;                    /* the nodes should have made an all-reduce */
    uint32_t gang_gbytes;              /* its bus bandwidth at least, GB/s; 0: that of the model */
    uint32_t limit;                    /* the check's, of those that have one (checks/limit.h) */
};

/* Is it the job's, or can it be? */
static inline bool ce_check_has_gpu(const struct ce_check_view *view, unsigned index)
{
    return !view->shared || (index < 64 && (view->job_gpus >> index & 1));
}

struct ce_check {
    const char *name; /* dotted and stable: "ib.port.state" */
    unsigned phases;  /* CE_PROLOG | ... */
    enum ce_response fault;   /* what is done about a fault */
    enum ce_response unknown; /* and where it could not be found out: never CE_DRAIN by default */
    unsigned traits;          /* CE_RECOVERABLE | CE_DETAILED */
    const char *what;         /* what its subjects are: "port", for "7 ports" */
    const char *remedy;       /* what the technician does */
    const char *doc;          /* one line */
    /* Append a finding for each thing that was looked at; `check`, `response` and, where it is
     * empty, `remedy` are filled in by lib/health.  What could not be read is CE_UNKNOWN, what does
     * not apply CE_SKIP: a check that says nothing looks like one that did not run. */
    void (*judge)(const struct ce_check_view *view, struct ce_findings *out);
};

extern const struct ce_check ce_ib_checks[];
extern const size_t ce_ib_check_count;
extern const struct ce_check ce_ib_counter_checks[];
extern const size_t ce_ib_counter_check_count;
extern const struct ce_check ce_ib_card_checks[];
extern const size_t ce_ib_card_check_count;
extern const struct ce_check ce_ib_roce_checks[];
extern const size_t ce_ib_roce_check_count;
extern const struct ce_check ce_ib_pkey_checks[];
extern const size_t ce_ib_pkey_check_count;
extern const struct ce_check ce_host_checks[];
extern const size_t ce_host_check_count;
extern const struct ce_check ce_gpu_checks[];
extern const size_t ce_gpu_check_count;
extern const struct ce_check ce_kernel_checks[];
extern const size_t ce_kernel_check_count;
extern const struct ce_check ce_gpu_setup_checks[];
extern const size_t ce_gpu_setup_check_count;
extern const struct ce_check ce_gpu_memory_checks[];
extern const size_t ce_gpu_memory_check_count;
extern const struct ce_check ce_gpu_link_checks[];
extern const size_t ce_gpu_link_check_count;
extern const struct ce_check ce_gpu_heat_checks[];
extern const size_t ce_gpu_heat_check_count;
extern const struct ce_check ce_gpu_delta_checks[];
extern const size_t ce_gpu_delta_check_count;
extern const struct ce_check ce_gang_checks[];
extern const size_t ce_gang_check_count;
extern const struct ce_check ce_gang_nccl_checks[];
extern const size_t ce_gang_nccl_check_count;
extern const struct ce_check ce_gpu_leftover_checks[];
extern const size_t ce_gpu_leftover_check_count;

#endif

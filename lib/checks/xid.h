/* SPDX-License-Identifier: Apache-2.0 */
/* What the numbers of NVIDIA's driver mean: Xids of GPUs, SXids of NVSwitches.  The tables follow
 * the vendor's catalog; the driver's own verdict, Xid 154, and the word in an SXid's line come
 * first. Pure. */
#ifndef CE_CHECKS_XID_H
#define CE_CHECKS_XID_H

#include <stdbool.h>
#include <stdint.h>

#include "model/finding.h"
#include "model/kernel_event.h"

enum ce_xid_class {
    CE_XID_UNKNOWN,       /* not in the table: told, never drained for */
    CE_XID_APPLICATION,   /* a program's own fault */
    CE_XID_INFORMATIONAL, /* or what another one says more of */
    CE_XID_RESET,
    CE_XID_REBOOT,
    CE_XID_POWER,    /* cables */
    CE_XID_WORKFLOW, /* what it means depends on what stands beside it */
    CE_XID_CONTACT,  /* the vendor, or new software */
};

enum ce_sxid_class {
    CE_SXID_UNKNOWN,
    CE_SXID_NONFATAL,
    CE_SXID_MAYBE_FATAL, /* by what the line says */
    CE_SXID_FATAL,
};

/* What is to be done, from the least to the most. */
enum ce_xid_remedy { CE_REMEDY_NONE, CE_REMEDY_RESET, CE_REMEDY_REBOOT, CE_REMEDY_EXCHANGE };

enum ce_xid_class ce_xid_class(uint32_t number);
enum ce_sxid_class ce_sxid_class(uint32_t number);
/* "fell off the bus"; "": the table has no words for it. */
const char *ce_xid_meaning(uint32_t number);

struct ce_xid_verdict {
    enum ce_verdict verdict;             /* CE_PASS, CE_WARN or CE_FAIL */
    enum ce_xid_remedy remedy;           /* of a fault */
    const struct ce_kernel_event *event; /* what decided; of those that pass the last; NULL: none */
};

/* Of the GPU at this address, by the records after `since` (0: since boot).  Nothing counts from
 * before the driver was loaded anew, nor from before the last Xid 154 of this GPU: what that one
 * says holds instead, and where it says None all is well.
 * resets_by_reboot: this GPU cannot be reset alone after an uncontained error. */
struct ce_xid_verdict ce_xid_judge(const struct ce_kernel_log *log, const char *pci, uint64_t since,
                                   bool resets_by_reboot);

/* The same of the NVSwitch at this address. */
struct ce_xid_verdict ce_sxid_judge(const struct ce_kernel_log *log, const char *pci,
                                    uint64_t since);

/* A GPU fell off the bus or its firmware does not answer (79, 119, 120), and nobody has mended it
 * since: each call of NVML would wait for it. */
bool ce_xid_forbids_nvml(const struct ce_kernel_log *log);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel log says of GPUs, their switches and HCAs: events, not lines.  Lines that say the
 * same of the same device are one event with a count, so that thousands of Xid 45 are one. */
#ifndef CE_MODEL_KERNEL_EVENT_H
#define CE_MODEL_KERNEL_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "model/pci.h"
#include "model/record.h"

enum ce_kernel_kind {
    CE_KERNEL_OTHER,         /* of a newer writer */
    CE_KERNEL_XID,           /* number: the Xid */
    CE_KERNEL_SXID,          /* number: the SXid; the device is an NVSwitch */
    CE_KERNEL_DRIVER_LOADED, /* nvidia.ko, anew; no device */
    CE_KERNEL_LINK_DOWN,     /* of an HCA's network interface */
    CE_KERNEL_LINK_UP,
    CE_KERNEL_MODULE_PLUGGED, /* cable or transceiver; number: the module */
    CE_KERNEL_MODULE_UNPLUGGED,
    CE_KERNEL_MODULE_ERROR,
    CE_KERNEL_MODULE_HOT,    /* the same, High Temperature */
    CE_KERNEL_SLOT_POWER,    /* insufficient; number: the watts that the slot has */
    CE_KERNEL_BANDWIDTH,     /* of PCIe, limited by a link above */
    CE_KERNEL_COMMAND_ERROR, /* the HCA's firmware refused a command */
};

/* The word that stands in the line. */
enum ce_kernel_severity { CE_SEVERITY_NONE, CE_SEVERITY_NONFATAL, CE_SEVERITY_FATAL };

enum {
    CE_KERNEL_EVENTS_MAX = 256,
    CE_KERNEL_TEXT = 96,
    CE_KERNEL_MIG_MAX = 255,
    CE_KERNEL_ACTION_MAX = 255,
    CE_XID_RECOVERY = 154, /* "GPU recovery action changed from ... to ..." */
};

/* The values of GPU_RECOVERY_ACTION, NVML's too. */
enum {
    CE_RECOVERY_UNKNOWN = -1,
    CE_RECOVERY_NONE = 0,
    CE_RECOVERY_RESET = 1,
    CE_RECOVERY_REBOOT = 2,
    CE_RECOVERY_DRAIN_P2P = 3,
    CE_RECOVERY_DRAIN_AND_RESET = 4,
};

struct ce_kernel_event {
    enum ce_kernel_kind kind;
    char
        pci[CE_PCI_ADDRESS]; /* "0000:9b:00.0": function 0 where the line has none; "": no device */
    uint32_t number;
    int mig;    /* the GPU instance; -1: the line names none */
    int action; /* of an Xid 154, what it changed to: CE_RECOVERY_* */
    enum ce_kernel_severity severity;
    uint32_t pid;               /* of the last line; 0: none, or not known */
    uint64_t first_seq, seq;    /* of the first and the last line (/dev/kmsg's sequence) */
    uint64_t first_us, time_us; /* when, since boot */
    uint32_t count;             /* lines; at least 1 */
    char text[CE_KERNEL_TEXT];  /* the rest of the last line, without pid and name; may be cut */
};

struct ce_kernel_log {
    bool read;                      /* false: nothing below is known */
    bool unread;                    /* it was to be read, and could not be */
    bool lost;                      /* some of it was not read, or is not kept */
    uint64_t first_seq;             /* the oldest record that the kernel still had */
    uint64_t seq;                   /* the last one: what comes later is greater */
    uint64_t time_us;               /* since boot, when it was read */
    struct ce_kernel_event *events; /* by seq */
    size_t count;
};

void ce_kernel_log_free(struct ce_kernel_log *log); /* what it holds, not itself */

/* Take up an event of one line, later than all before.  Of more than CE_KERNEL_EVENTS_MAX the
 * oldest go, and `lost` is set; also where there is no memory. */
void ce_kernel_log_add(struct ce_kernel_log *log, const struct ce_kernel_event *event);

/* "xid", "sxid", "link_down" ...; "other". */
const char *ce_kernel_kind_name(enum ce_kernel_kind kind);

/* "0000:9b:00", "9b:00.0" or with a longer domain, at the start of text, as "0000:9b:00.0"; *end is
 * what follows it.  -1 where there is no address. */
int ce_kernel_address(const char *text, char address[CE_PCI_ADDRESS], const char **end);

/* The lines kernel.KEY and kernel.N.KEY (model/record.h) of a log that was read; kernel.unread. */
void ce_kernel_log_write(const struct ce_kernel_log *log, struct ce_text *out);
int ce_kernel_log_read(const struct ce_record *record, struct ce_kernel_log *ret,
                       struct ce_error *err);

#endif

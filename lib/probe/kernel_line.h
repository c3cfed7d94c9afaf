/* SPDX-License-Identifier: Apache-2.0 */
/* One line of the kernel log.  Nothing is searched for in it: each form is read from its first
 * byte, so that no number, process name or quotation in the middle is taken for something else. */
#ifndef CE_PROBE_KERNEL_LINE_H
#define CE_PROBE_KERNEL_LINE_H

#include <stdbool.h>

#include "model/kernel_event.h"

/* What stands before the text. */
struct ce_kernel_frame {
    bool numbered; /* seq is known: a record of /dev/kmsg, not a line of dmesg */
    uint64_t seq;
    uint64_t time_us; /* since boot */
    bool by_kernel;   /* not written by a program; dmesg does not tell, and is believed */
    const char *text; /* in the line */
};

/* A record of /dev/kmsg, "6,339,5140900,-;TEXT", or a line of dmesg, "[    5.140900] TEXT" with or
 * without a caller, "[ T1]".  0; -1 for anything else, a record's " KEY=value" lines too. */
int ce_kernel_frame_parse(const char *line, struct ce_kernel_frame *ret);

/* The text of a line as an event without sequence and time: 0; -1 where it is none of interest. */
int ce_kernel_event_parse(const char *text, struct ce_kernel_event *ret);

#endif

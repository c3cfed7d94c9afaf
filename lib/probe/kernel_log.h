/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel log: /dev/kmsg of this machine, or of a recorded tree a file in its place, with
 * records of /dev/kmsg or lines of dmesg.  Judges nothing. */
#ifndef CE_PROBE_KERNEL_LOG_H
#define CE_PROBE_KERNEL_LOG_H

#include "base/child.h"
#include "base/error.h"
#include "base/root.h"
#include "model/node.h"
#include "model/notes.h"

/* The events after the sequence number `since` (0: all that the kernel still has) into *log, which
 * is empty.  Not more than some megabytes, lines and seconds are read; log->lost says that there
 * was more.  A line of dmesg has its number in the file as its sequence.  1 with err: there is no
 * such log, or this process may not read it; -1 with err: it failed. */
int ce_probe_kernel_log(const struct ce_root *root, uint64_t since, struct ce_kernel_log *log,
                        struct ce_error *err);

/* The same as a child with a deadline, and its answer into node->kernel.  Where there was none in
 * time, or an error, the log stays unknown; where there is one that could not be read, there is a
 * note. */
struct ce_kernel_question {
    const struct ce_root *root;
    uint64_t since;
};

void ce_kernel_log_ask(struct ce_kernel_question *question, unsigned deadline_ms,
                       struct ce_child *child);
void ce_kernel_log_answer(const struct ce_kernel_question *question, const struct ce_child *child,
                          struct ce_node *node, struct ce_notes *notes);

/* The events of a text in one of both forms; it is cut to lines. */
void ce_kernel_log_take_text(char *text, uint64_t since, struct ce_kernel_log *log);

#endif

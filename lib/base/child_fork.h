/* SPDX-License-Identifier: Apache-2.0 */
/* The start of one child; only for base/child.c, which looks after it from then on. */
#ifndef CE_BASE_CHILD_FORK_H
#define CE_BASE_CHILD_FORK_H

#include "base/child.h"

/* Ends of pipes that never block; -1: closed. */
struct ce_child_pipes {
    int out, err;
    int exec_error; /* an errno arrives where the program could not be started */
    int end;        /* readable once it has ended; -1: the kernel is older than 5.3 */
};

/* Start it, as base/child.h says.  0, child->pid and *ret set; -1 with errno. */
int ce_child_fork(struct ce_child *child, struct ce_child_pipes *ret);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The facts that a command works on: of this machine, of a recorded tree, or replayed from a text.
 */
#ifndef CE_HEALTH_MACHINE_H
#define CE_HEALTH_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "health/patience.h"
#include "model/node.h"
#include "model/notes.h"

struct ce_machine {
    const char *facts;   /* a text like node.facts; NULL: look at the machine */
    const char *root;    /* "/", or a recorded tree */
    const char *helpers; /* the folder of the helpers, which are asked too; NULL: they are not */
    unsigned deadline_ms; /* for all questions together; 0: patience, for a person or a boot */
    const struct ce_patience *patience; /* less for some; NULL: not so */
    struct ce_times *times; /* told how long each took; NULL: nobody asks */
    const char *run_dir; /* its node.facts may have distances that hold still; NULL: none is read */
    bool health;           /* also what only checks need: the kernel log, how each GPU is, rails */
    uint64_t kernel_since; /* only what came after this record of it; 0: all */
};

/* NULL with err: the text is unreadable or malformed, or there is no machine at root.  What only
 * stays unknown gives a note.  *rails, where rails is not NULL: the counters and places of the
 * rails (probe/rail.h), apart from what jobs may know; NULL: they were not asked, or did not
 * answer. */
struct ce_node *ce_machine_facts(const struct ce_machine *machine, struct ce_node **rails,
                                 struct ce_notes *notes, struct ce_error *err);

/* The node's name in Slurm: `given`, where it is not NULL; else the host name up to its dot, ""
 * where that is not known. */
void ce_machine_name(const struct ce_node *node, const char *given, char *name, size_t size);

#endif

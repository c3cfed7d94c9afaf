/* SPDX-License-Identifier: Apache-2.0 */
/* What a driver may be slow to tell, asked by children with a deadline: the RDMA devices in sysfs,
 * and what only foreign libraries know, by the helper programs probe-verbs (libibverbs) and
 * probe-topology (hwloc).  *_ask() says what the child is to run, *_answer() takes what it told;
 * running it is the caller's. */
#ifndef CE_PROBE_HELPERS_H
#define CE_PROBE_HELPERS_H

#include <limits.h>
#include <stdbool.h>

#include "base/child.h"
#include "base/root.h"
#include "model/node.h"
#include "model/notes.h"
#include "probe/rail.h"

/* ce_probe_ib(): some of sysfs' files ask the firmware, and a sick one holds whoever reads them.
 * Where there was no answer in time, or an error, there is no device, and a note. */
void ce_ib_ask(const struct ce_root *root, unsigned deadline_ms, struct ce_child *child);
void ce_ib_answer(const struct ce_child *child, struct ce_node *node, struct ce_notes *notes);

/* ce_probe_rails(), of the devices that node has when the child begins; without a rail there is
 * nothing to run.  The answer is facts of these rails alone; NULL and a note: none in time, or an
 * error.  What is merged is what ce_probe_rails() tells. */
struct ce_rails_question {
    const struct ce_root *root;
    struct ce_node *node;
    struct ce_rail_place *places;
    size_t count;
};

void ce_rails_ask(struct ce_rails_question *question, unsigned deadline_ms,
                  struct ce_child *child);
struct ce_node *ce_rails_answer(const struct ce_child *child, struct ce_notes *notes);
void ce_rails_merge(const struct ce_node *told, struct ce_node *node);

enum ce_helper { CE_HELPER_VERBS, CE_HELPER_TOPOLOGY };

struct ce_helper_question {
    char path[PATH_MAX], *argv[2];
};

/* The helper of the folder `dir`.  Its answer goes to the HCAs of node: whether libibverbs opens
 * them, firmware where it is not known; distances to GPUs.  A helper that is not there, hangs, fails
 * or prints what is no text leaves its facts as they are, and a note. */
void ce_helper_ask(struct ce_helper_question *question, enum ce_helper which, const char *dir,
                   unsigned deadline_ms, struct ce_child *child);
void ce_helper_answer(enum ce_helper which, const struct ce_child *child, struct ce_node *node,
                      struct ce_notes *notes);

/* Take the distances of `old`, facts of the same machine: true where they hold still, that is since
 * the same boot, for the same HCAs and GPUs.  Else node stays as it is. */
bool ce_probe_keep_distances(const struct ce_node *old, struct ce_node *node);

#endif

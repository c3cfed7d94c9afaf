/* SPDX-License-Identifier: Apache-2.0 */
/* The cluster's nodes as slurmctld tells them, in its order; the text is a record (model/record.h):
 * nodes=N, then node.0.name, node.0.address, node.0.state, node.0.partition and so on; reason, since
 * and gpus only where there is something to tell. */
#ifndef CE_MODEL_ROSTER_H
#define CE_MODEL_ROSTER_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"

struct ce_roster_node {
    const char *name;      /* a host name, as in a host list */
    const char *address;   /* Slurm's NodeAddr: an address, or a name to resolve */
    const char *state;     /* one word: "idle", "mixed", "allocated", "drained", "down" ... */
    const char *partition; /* one that is up and holds it; "": none */
    const char *reason;    /* why it takes no job, as somebody wrote; NULL or "": nobody did */
    uint64_t since;        /* when the reason was set, Unix time; 0: not known */
    uint32_t gpus;         /* that Slurm counts in its Gres */
};

struct ce_roster;

/* Writing: begin, every node in order, end. */
void ce_roster_begin(struct ce_text *out, size_t count);
void ce_roster_add(struct ce_text *out, size_t index, const struct ce_roster_node *node);
void ce_roster_end(struct ce_text *out);

/* NULL with err: not such a record, a node without a name, a name that is none, more than
 * CE_HOSTLIST_MAX nodes. */
struct ce_roster *ce_roster_parse(const char *text, struct ce_error *err);
void ce_roster_destroy(struct ce_roster *roster);
CE_DEFINE_CLEANUP(struct ce_roster, ce_roster_destroy)

size_t ce_roster_count(const struct ce_roster *roster);
/* 0 <= index < count; owned by the roster.  What the text did not tell is "". */
const struct ce_roster_node *ce_roster_at(const struct ce_roster *roster, size_t index);

#endif

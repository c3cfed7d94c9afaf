/* SPDX-License-Identifier: Apache-2.0 */
/* The list of NCCL_IB_HCA and NCCL_SOCKET_IFNAME as NCCL itself reads it (2.30, misc/utils.cc):
 *
 *     ["^"]["="] name[:port[:rail[:plane]]] {"," ...}
 *
 * '^' then '=', once each and at the very front, mean "all but" and "exactly"; without '=' a name
 * is a prefix.  Nothing is trimmed, entries without a name are skipped, names hold 63 bytes. */
#ifndef CE_LAUNCH_NCCL_LIST_H
#define CE_LAUNCH_NCCL_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "model/node.h"

enum { CE_NCCL_ENTRIES_MAX = 32, CE_NCCL_NAME = 64 };

struct ce_nccl_entry {
    char name[CE_NCCL_NAME];
    int port; /* -1: any */
};

struct ce_nccl_list {
    bool except; /* '^' */
    bool exact;  /* '=' */
    struct ce_nccl_entry entries[CE_NCCL_ENTRIES_MAX];
    size_t count;
    size_t dropped; /* entries past the maximum, which NCCL drops without a word */
};

/* Any text is a list; what NCCL would make of it. */
void ce_nccl_list_parse(const char *text, struct ce_nccl_list *ret);

/* Does this entry name this device or interface (and port; -1: whichever)? */
bool ce_nccl_entry_matches(const struct ce_nccl_list *list, const struct ce_nccl_entry *entry,
                           const char *name, int port);

/* Would NCCL use this one?  An empty list takes all. */
bool ce_nccl_list_takes(const struct ce_nccl_list *list, const char *name, int port);

/* The variables that hold such lists. */
struct ce_nccl_variable {
    const char *name; /* "NCCL_IB_HCA" */
    const char *what; /* it names: "HCA", "interface" */
    size_t max;       /* NCCL reads the first so many entries */
    /* The first entry that matches nothing on this node; NULL: each matches something, or names what
     * only some nodes have and all may keep out ("^docker,lo,veth"). */
    const struct ce_nccl_entry *(*find_unknown)(const struct ce_nccl_list *list,
                                                const struct ce_node *node);
};

extern const struct ce_nccl_variable ce_nccl_variables[];
extern const size_t ce_nccl_variable_count;

#endif

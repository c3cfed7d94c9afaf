/* SPDX-License-Identifier: Apache-2.0 */
/* The list of NCCL_IB_HCA and NCCL_SOCKET_IFNAME as NCCL itself reads it:
 *
 *     ["^"]["="] name[:port[:rail[:plane]]] {"," ...}
 *
 * '^' then '=', once each and at the very front, mean "all but" and "exactly"; without '=' a name
 * is a prefix.  Nothing is trimmed, entries without a name are skipped, names are cut after 63
 * bytes (before 2.30.5 a longer one matches nothing), and numbers are read as atoi() reads them.
 * Rail and plane do not select devices.
 *
 * A list is parsed as the newest NCCL reads it; ce_nccl_list_read_by() gives the reading of an
 * older one.  tests/unit/launch/test_nccl_list.c has what NCCL 2.18 to 2.32 made of each form. */
#ifndef CE_LAUNCH_NCCL_LIST_H
#define CE_LAUNCH_NCCL_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "model/node.h"

enum { CE_NCCL_ENTRIES_MAX = 32, CE_NCCL_NAME = 64 };

struct ce_nccl_entry {
    char name[CE_NCCL_NAME];
    int port;        /* -1: any */
    bool empty_port; /* "mlx5_0:", "mlx5_0::0:0": port is -1 */
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

/* How a list of HCAs is read by this version of NCCL, and by all later ones before the next. */
enum ce_nccl_version {
    CE_NCCL_2_18,   /* the first 16 entries; an empty port is port 0, which no HCA has */
    CE_NCCL_2_19,   /* the first 32 */
    CE_NCCL_2_30_5, /* an empty port is any port; the newest reading */
};

/* The list as that version reads it. */
void ce_nccl_list_read_by(const struct ce_nccl_list *list, enum ce_nccl_version version,
                          struct ce_nccl_list *ret);

/* Does the next version use other HCAs of this node?  False for the newest. */
bool ce_nccl_list_changes(const struct ce_nccl_list *list, enum ce_nccl_version version,
                          const struct ce_node *node);

/* The first entry that has an empty port and matches an HCA of this node; NULL: there is none. */
const struct ce_nccl_entry *ce_nccl_list_empty_port(const struct ce_nccl_list *list,
                                                    const struct ce_node *node);

/* The variables that hold such lists. */
struct ce_nccl_variable {
    const char *name; /* "NCCL_IB_HCA" */
    const char *what; /* it names: "HCA", "interface" */
    size_t max;       /* NCCL reads the first so many entries */
    bool of_hcas;     /* its reading depends on NCCL's version */
    /* The first entry that matches nothing on this node; NULL: each matches something, or names
     * what only some nodes have and all may keep out ("^docker,lo,veth"). */
    const struct ce_nccl_entry *(*find_unknown)(const struct ce_nccl_list *list,
                                                const struct ce_node *node);
};

extern const struct ce_nccl_variable ce_nccl_variables[];
extern const size_t ce_nccl_variable_count;

#endif

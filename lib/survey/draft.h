/* SPDX-License-Identifier: Apache-2.0 */
/* The address book in the making: what was found out about each node of the cluster, and whether it
 * may stand in the book.  Pure: whoever asks the nodes brings the answers here; survey/settle.h
 * makes up what is in the book, survey/book_text.h writes it. */
#ifndef CE_SURVEY_DRAFT_H
#define CE_SURVEY_DRAFT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"
#include "model/book.h"
#include "model/node.h"
#include "model/policy.h"

enum { CE_DRAFT_WHY = 256, CE_DRAFT_NAME = 256 + CE_POLICY_SUFFIX_MAX };

struct ce_draft_node {
    const char *name;          /* in Slurm; the caller keeps it */
    struct ce_policy policy;   /* of this node */
    struct ce_address address; /* of this node in the book to be; family 0: none */
    bool kept;                 /* the address is of the book that was there before */
    char why[CE_DRAFT_WHY];    /* why nothing was found out about this node; "": something was */
    /* Where the node itself told: the interface that has the address, and its network. */
    char interface[CE_NETIF_NAME];
    struct ce_prefix network; /* address.family 0: not known */
};

/* In the cluster's order.  Each node starts with its name, its policy, and why = "not asked". */
struct ce_draft {
    struct ce_draft_node *nodes;
    size_t count;
};

/* 0, or -1 for no memory.  Free with ce_draft_free(). */
int ce_draft_init(struct ce_draft *draft, size_t count, struct ce_error *err);
void ce_draft_free(struct ce_draft *draft);
#define ce_autodraft __attribute__((cleanup(ce_draft_free)))

/* Answers, at most one for each node. */

/* Addresses under which somebody knows this node.  The first that may be written counts, IPv4
 * before IPv6 where the policy's family is open.  Never written: loopback and link-local addresses,
 * those of the wrong family or outside the policy's prefixes; where there are only such, `why` says
 * so. */
void ce_draft_offer(struct ce_draft_node *node, const struct ce_address *addresses, size_t count);

/* The node's own facts: the address that ce_network_choose() chooses without a book. */
void ce_draft_facts(struct ce_draft_node *node, const struct ce_node *facts);

void ce_draft_miss(struct ce_draft_node *node, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The node's name in the book: name + suffix.  Returns name. */
const char *ce_draft_book_name(const struct ce_draft_node *node, char name[CE_DRAFT_NAME]);

/* Why this address must not stand in the book, as in "is a loopback address"; NULL: it may. */
const char *ce_draft_objection(const struct ce_policy *policy, const struct ce_address *address);

/* The first entry of the old book, or the first after `previous`, that may be written for this
 * node. NULL: there is none. */
const struct ce_book_entry *ce_draft_old_entry(const struct ce_draft_node *node,
                                               const struct ce_book *old,
                                               const struct ce_book_entry *previous);

size_t ce_draft_found(const struct ce_draft *draft); /* nodes found out about now */
size_t ce_draft_kept(const struct ce_draft *draft);  /* nodes whose old entries are kept */

#endif

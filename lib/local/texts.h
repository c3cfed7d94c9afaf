/* SPDX-License-Identifier: Apache-2.0 */
/* The three texts of this node in the run directory (/run/cluster-env): node.facts, node.policy and
 * hosts, the copy of the address book.  Reading opens these files and nothing else. */
#ifndef CE_LOCAL_TEXTS_H
#define CE_LOCAL_TEXTS_H

#include "base/error.h"
#include "model/book.h"
#include "model/node.h"
#include "model/notes.h"
#include "model/policy.h"
#include "model/rules.h"

#define CE_RUN_DIR "/run/cluster-env"
#define CE_FACTS_FILE "node.facts"
#define CE_POLICY_FILE "node.policy"
#define CE_BOOK_FILE "hosts"

/* 65,536 nodes with an IPv6 address and an alias each fit */
enum { CE_TEXT_MAX = 16 << 20 };

struct ce_texts {
    struct ce_node *node;    /* NULL: not readable */
    struct ce_book *book;    /* NULL: not readable */
    struct ce_policy policy; /* the default where not readable */
    struct ce_rules *rules;  /* of the same file; NULL: not readable */
};

/* Read what is there.  Each text that is missing, cut short, malformed or that others could have
 * bent gives one note that names the file and the remedy; a run directory that is not there, or
 * that has none of them, gives one that names the directory.  Never fails: what can be read is
 * read.  Free with ce_texts_free(). */
void ce_texts_read(const char *run_dir, struct ce_texts *ret, struct ce_notes *notes);
void ce_texts_free(struct ce_texts *texts);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "survey/book_text.h"

#include <stdlib.h>
#include <strings.h>

#include "base/cleanup.h"

static void write_entry(const struct ce_address *address, const char *name, struct ce_text *out)
{
    char text[CE_ADDRESS_TEXT];
    ce_text_addf(out, "%s %s", ce_address_format(address, text), name);
}

static void write_node(const struct ce_draft_node *node, const struct ce_book *old,
                       struct ce_text *out)
{
    char name[CE_DRAFT_NAME];
    ce_draft_book_name(node, name);
    if (!node->address.family)
        ce_text_addf(out, "# missing: %s: %s\n", name, node->why);
    else if (!node->kept) {
        write_entry(&node->address, name, out);
        ce_text_add(out, "\n");
    } else
        for (const struct ce_book_entry *e = NULL;
             (e = ce_draft_old_entry(node, old, e)) != NULL;) {
            write_entry(&e->address, name, out);
            ce_text_addf(out, " # kept: %s\n", node->why);
        }
}

static int by_name(const void *a, const void *b)
{
    return strcasecmp(*(char *const *)a, *(char *const *)b);
}

/* The nodes' names in the book, sorted, in one allocation.  NULL: no memory. */
static char **sorted_names(const struct ce_draft *draft)
{
    char **names = malloc(draft->count * (sizeof *names + CE_DRAFT_NAME) + 1);
    char *text = names ? (char *)(names + draft->count) : NULL;
    for (size_t i = 0; names && i < draft->count; i++) {
        names[i] = text + i * CE_DRAFT_NAME;
        ce_draft_book_name(&draft->nodes[i], names[i]);
    }
    if (names)
        qsort(names, draft->count, sizeof *names, by_name);
    return names;
}

/* Login nodes, aliases, what an admin added by hand. */
static void write_others(const struct ce_draft *draft, const struct ce_book *old,
                         struct ce_text *out)
{
    ce_autofree char **names = sorted_names(draft);
    bool any = false;
    if (!names)
        out->failed = true;
    for (size_t i = 0; names && i < ce_book_count(old); i++) {
        const struct ce_book_entry *entry = ce_book_at(old, i);
        if (!ce_address_is_usable(&entry->address) ||
            bsearch(&entry->name, names, draft->count, sizeof *names, by_name))
            continue;
        ce_text_add(out,
                    any ? "" : "# no nodes of this cluster in Slurm; kept from the old book:\n");
        any = true;
        write_entry(&entry->address, entry->name, out);
        ce_text_add(out, "\n");
    }
}

void ce_draft_write(const struct ce_draft *draft, const struct ce_book *old, const char *origin,
                    struct ce_text *out)
{
    size_t kept = ce_draft_kept(draft), written = kept + ce_draft_found(draft);
    ce_text_add(out, "# The address book of srun --cluster-env: each node's address on the cluster "
                     "network.\n");
    ce_text_addf(out, "# %s\n# %zu nodes: %zu found out, %zu kept from the old book, %zu missing\n",
                 origin, draft->count, written - kept, kept, draft->count - written);
    for (size_t i = 0; i < draft->count; i++)
        write_node(&draft->nodes[i], old, out);
    if (old)
        write_others(draft, old, out);
}

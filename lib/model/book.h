/* SPDX-License-Identifier: Apache-2.0 */
/* The address book: a hosts(5) file, "ADDRESS NAME [ALIAS...]" a line, '#' starts a comment. */
#ifndef CE_MODEL_BOOK_H
#define CE_MODEL_BOOK_H

#include <stddef.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "model/address.h"

struct ce_book;

/* One name of one line.  The book owns both. */
struct ce_book_entry {
    const char *name;
    struct ce_address address;
};

/* Strict: a line that is not empty, not a comment and not an address with 1 or more names is an
 * error that says its number.  A name is as in a host list.  Lines whose address is link-local with
 * a scope ("fe80::1%eth0") are passed over: no other node can use them.  NULL with err. */
struct ce_book *ce_book_parse(const char *text, struct ce_error *err);
void ce_book_destroy(struct ce_book *book);
CE_DEFINE_CLEANUP(struct ce_book, ce_book_destroy)

/* The entries in file order, 0 <= index < count. */
size_t ce_book_count(const struct ce_book *book);
const struct ce_book_entry *ce_book_at(const struct ce_book *book, size_t index);

/* The entries of one name in file order: NULL for `previous` gives the first; NULL is the end.
 * Names compare without regard to ASCII case, as in DNS. */
const struct ce_book_entry *ce_book_next(const struct ce_book *book, const char *name,
                                         const struct ce_book_entry *previous);

/* The form that is kept in the run directory: one entry a line, then CE_BOOK_END, so that a copy
 * cut short is noticed. */
#define CE_BOOK_END "# end of the address book"
void ce_book_write(const struct ce_book *book, struct ce_text *out);

/* ce_book_parse() of a text that must end in the line CE_BOOK_END. */
struct ce_book *ce_book_parse_copy(const char *text, struct ce_error *err);

#endif

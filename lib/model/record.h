/* SPDX-License-Identifier: Apache-2.0 */
/* The one line form of node.facts and node.policy: "format=1" first, then one "key=value" a line,
 * "end=1" last.  Keys are dotted ("netif.eth1.up") and unique; values are the rest of the line.
 * A reader skips keys it does not know, so an older reader takes a newer writer's text. */
#ifndef CE_MODEL_RECORD_H
#define CE_MODEL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"

/* The most lines: 65,536 nodes of seven (model/roster.h), and a few more. */
enum { CE_RECORD_FORMAT = 1, CE_RECORD_MAX_LINES = 500000 };

struct ce_record;

/* NULL with err: not format 1, a line without '=' or with an odd key, a key twice, no "end=1" at
 * the end (the text was cut short), too many lines, no memory. */
struct ce_record *ce_record_parse(const char *text, struct ce_error *err);
void ce_record_destroy(struct ce_record *record);
CE_DEFINE_CLEANUP(struct ce_record, ce_record_destroy)

/* The value of a key, or NULL.  Owned by the record. */
const char *ce_record_get(const struct ce_record *record, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The value as a number within [min, max].  1 and *ret set; 0 where the key is absent; -1 with err
 * where the value is something else. */
int ce_record_number(const struct ce_record *record, uint64_t min, uint64_t max, uint64_t *ret,
                     struct ce_error *err, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* The keys below a prefix ("netif."), each different next part once, in order of first mention:
 * start with *at = 0; returns false at the end, else the part ("eth1") in name. */
bool ce_record_next_part(const struct ce_record *record, const char *prefix, size_t *at, char *name,
                         size_t size);

/* Does any key begin with this?  One search, for a reader that else asks for many absent keys. */
bool ce_record_has_below(const struct ce_record *record, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A name as a part of a key: what may not stand there, dots above all ("eth0.100"), stands as %XX.
 * Encoding truncates a name of more than CE_KEY_PART / 3 bytes; decoding gives -1 for what does not
 * fit or is not of that form. */
enum { CE_KEY_PART = 3 * 64 };
const char *ce_key_encode(const char *name, char *part, size_t size);
int ce_key_decode(const char *part, char *name, size_t size);

/* Writing. */
void ce_record_begin(struct ce_text *out);
void ce_record_end(struct ce_text *out);
/* A line; a value with a newline in it makes the text fail. */
void ce_record_add(struct ce_text *out, const char *value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void ce_record_add_number(struct ce_text *out, uint64_t value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of an InfiniBand port's table of partition keys, as its subnet manager filled it. */
#ifndef CE_MODEL_PKEYS_H
#define CE_MODEL_PKEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "model/record.h"

enum { CE_PKEYS_MAX = 8 };

struct ce_pkeys {
    uint16_t keys[CE_PKEYS_MAX]; /* from index 0; 0: an empty place */
    unsigned count;              /* 0: not known */
};

/* A limited member reaches only full ones.  No key is without a partition's number. */
static inline bool ce_pkey_is_full(uint16_t key)
{
    return (key & 0x8000) && (key & 0x7fff);
}

/* One key as sysfs has it, "0xffff", behind it `end` or nothing.  What follows the key, or NULL. */
const char *ce_pkey_parse(const char *text, char end, uint16_t *ret);

/* The line PREFIX.pkeys of what is known (model/record.h).  0; -1 with err. */
void ce_pkeys_write(const struct ce_pkeys *pkeys, const char *prefix, struct ce_text *out);
int ce_pkeys_read(const struct ce_record *record, const char *prefix, struct ce_pkeys *ret,
                  struct ce_error *err);

#endif

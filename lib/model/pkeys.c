/* SPDX-License-Identifier: Apache-2.0 */
#include "model/pkeys.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIGITS = 4, WORD = 2 + DIGITS + 1 };

const char *ce_pkey_parse(const char *text, char end, uint16_t *ret)
{
    if (text[0] != '0' || text[1] != 'x')
        return NULL;
    for (unsigned i = 2; i < 2 + DIGITS; i++)
        if (!isxdigit((unsigned char)text[i]))
            return NULL;
    const char *rest = text + 2 + DIGITS;
    if (*rest && *rest != end)
        return NULL;
    *ret = (uint16_t)strtoul(text, NULL, 16);
    return rest;
}

void ce_pkeys_write(const struct ce_pkeys *pkeys, const char *prefix, struct ce_text *out)
{
    char text[CE_PKEYS_MAX * WORD + 1] = "";
    for (unsigned i = 0; i < pkeys->count; i++)
        snprintf(text + (size_t)i * WORD, sizeof text - (size_t)i * WORD, "0x%04x%s",
                 (unsigned)pkeys->keys[i], i + 1 < pkeys->count ? " " : "");
    if (pkeys->count)
        ce_record_add(out, text, "%s.pkeys", prefix);
}

int ce_pkeys_read(const struct ce_record *record, const char *prefix, struct ce_pkeys *ret,
                  struct ce_error *err)
{
    const char *text = ce_record_get(record, "%s.pkeys", prefix), *at = text;
    bool more = text != NULL;
    *ret = (struct ce_pkeys){.count = 0};
    while (more && ret->count < CE_PKEYS_MAX && (at = ce_pkey_parse(at, ' ', &ret->keys[ret->count]))) {
        ret->count++;
        more = *at == ' ';
        at += more;
    }
    if (more)
        return ce_fail(err, "%s.pkeys=%.60s: expected up to %d keys like '0xffff 0x7fff'", prefix, text,
                       CE_PKEYS_MAX);
    return 0;
}

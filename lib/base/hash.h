/* SPDX-License-Identifier: Apache-2.0 */
/* FNV-1a, 32 bits: for hash tables and for recognising a value that we wrote.  Not for secrets. */
#ifndef CE_BASE_HASH_H
#define CE_BASE_HASH_H

#include <stdint.h>

static inline uint32_t ce_hash(const char *text)
{
    uint32_t hash = 2166136261u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

#endif

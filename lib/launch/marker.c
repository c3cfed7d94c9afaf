/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/marker.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"

bool ce_marker_holds(const char *marker, const char *name, const char *value)
{
    char hash[16];
    size_t length = strlen(name);
    snprintf(hash, sizeof hash, "%08x", (unsigned)ce_hash(value));
    for (const char *at = marker; at && *at;) {
        if (strncmp(at, name, length) == 0 && at[length] == ':' &&
            strncmp(at + length + 1, hash, 8) == 0 &&
            (at[length + 9] == ',' || at[length + 9] == '\0'))
            return true;
        at = strchr(at, ',');
        if (at)
            at++;
    }
    return false;
}

void ce_marker_add(struct ce_text *marker, const char *name, const char *value)
{
    ce_text_addf(marker, "%s%s:%08x", marker->length ? "," : "", name, (unsigned)ce_hash(value));
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "report/json.h"

#include <stdlib.h>
#include <string.h>

enum { DIGITS = 15 }; /* what a double holds for sure: 391.2 is not 391.19999999999999 */

json_t *ce_json_text(const char *text)
{
    json_t *string = text ? json_string(text) : json_null();
    char *copy = string ? NULL : strdup(text);
    for (char *p = copy; p && *p; p++)
        if ((unsigned char)*p >= 0x80)
            *p = '?';
    if (copy)
        string = json_string(copy);
    free(copy);
    return string;
}

static int write_as(json_t *root, size_t flags, struct ce_text *out)
{
    char *text = root ? json_dumps(root, flags | JSON_REAL_PRECISION(DIGITS)) : NULL;
    if (text) {
        ce_text_add(out, text);
        ce_text_add(out, "\n");
    }
    free(text);
    json_decref(root);
    return text ? 0 : -1;
}

int ce_json_write(json_t *root, struct ce_text *out)
{
    return write_as(root, JSON_INDENT(2), out);
}

int ce_json_write_line(json_t *root, struct ce_text *out)
{
    return write_as(root, JSON_COMPACT, out);
}

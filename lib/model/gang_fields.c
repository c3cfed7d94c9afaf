/* SPDX-License-Identifier: Apache-2.0 */
#include "model/gang_fields.h"

#include <string.h>

#include "base/parse.h"

int ce_gang_read_number(const struct ce_record *record, const char *key, uint64_t max,
                       uint32_t *ret, struct ce_error *err)
{
    uint64_t value = 0;
    if (ce_record_number(record, 0, max, &value, err, "%s", key) < 0)
        return -1;
    *ret = (uint32_t)value;
    return 0;
}

int ce_gang_read_switch(const struct ce_record *record, const char *key, bool *ret,
                       struct ce_error *err)
{
    uint32_t value;
    if (ce_gang_read_number(record, key, 1, &value, err) < 0)
        return -1;
    *ret = value;
    return 0;
}

int ce_gang_read_text(const struct ce_record *record, const char *key, char *ret, size_t size,
                     struct ce_error *err)
{
    const char *text = ce_record_get(record, "%s", key);
    if (ce_copy(ret, size, text ? text : "") < 0 || !ce_is_printable(ret))
        return ce_fail(err, "%s: too long, or not to be printed", key);
    return 0;
}

int ce_gang_read_name(const struct ce_record *record, const char *key, const char *const *names,
                     size_t count, unsigned *ret, struct ce_error *err)
{
    const char *text = ce_record_get(record, "%s", key);
    for (size_t i = 0; text && i < count; i++)
        if (strcmp(text, names[i]) == 0) {
            *ret = (unsigned)i;
            return 0;
        }
    return ce_fail(err, "%s=%.40s: not expected", key, text ? text : "");
}

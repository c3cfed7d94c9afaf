/* SPDX-License-Identifier: Apache-2.0 */
#include "model/slurm_conf.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/parse.h"
#include "model/record.h"

/* ---------------------------------------------------------------- its members and their keys */

#define AT(member) offsetof(struct ce_slurm_conf, member)

static const struct {
    const char *key;
    size_t at;
} paths[] = {
    {"path", AT(path)},
    {"plugstack", AT(plugstack)},
    {"plugin_dirs", AT(plugin_dirs)},
};

static const struct {
    const char *key;
    size_t at;
} flags[] = {
    {"prolog_flags.alloc", AT(alloc)},
    {"prolog_flags.defer_batch", AT(defer_batch)},
    {"prolog_flags.serial", AT(serial)},
    {"nohold_on_prolog_fail", AT(no_hold)},
    {"job_requeue", AT(requeue)},
    {"orders_by_topology", AT(orders_by_topology)},
};

static const struct {
    const char *key;
    size_t at;
} numbers[] = {
    {"version", AT(version)},
    {"prolog_timeout", AT(prolog_timeout_s)},
    {"epilog_timeout", AT(epilog_timeout_s)},
    {"batch_start_timeout", AT(batch_start_timeout_s)},
    {"message_timeout", AT(message_timeout_s)},
};

static const struct {
    const char *key;
    size_t at;
} programs[] = {
    {"prolog", AT(prolog)},
    {"epilog", AT(epilog)},
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* ---------------------------------------------------------------- text */

void ce_slurm_conf_write(const struct ce_slurm_conf *conf, struct ce_text *out)
{
    const char *base = (const char *)conf;
    ce_record_begin(out);
    for (size_t i = 0; i < COUNT(paths); i++)
        ce_record_add(out, base + paths[i].at, "%s", paths[i].key);
    for (size_t i = 0; i < COUNT(flags); i++)
        ce_record_add_number(out, *(const bool *)(base + flags[i].at), "%s", flags[i].key);
    for (size_t i = 0; i < COUNT(numbers); i++)
        ce_record_add_number(out, *(const uint32_t *)(const void *)(base + numbers[i].at), "%s",
                             numbers[i].key);
    for (size_t i = 0; i < COUNT(programs); i++) {
        const struct ce_slurm_programs *list = (const void *)(base + programs[i].at);
        for (size_t k = 0; k < list->count; k++)
            ce_record_add(out, list->path[k], "%s.%zu", programs[i].key, k);
    }
    ce_record_end(out);
}

static int read_path(const struct ce_record *record, const char *key, char *ret,
                     struct ce_error *err)
{
    const char *value = ce_record_get(record, "%s", key);
    if (value && ce_copy(ret, PATH_MAX, value) < 0)
        return ce_fail(err, "%s: a path of more than %d bytes", key, PATH_MAX - 1);
    return 0;
}

static int read_programs(const struct ce_record *record, const char *key,
                         struct ce_slurm_programs *ret, struct ce_error *err)
{
    for (; ret->count < CE_SLURM_PROGRAMS_MAX; ret->count++) {
        char full[32];
        snprintf(full, sizeof full, "%s.%zu", key, ret->count);
        if (!ce_record_get(record, "%s", full))
            return 0;
        if (read_path(record, full, ret->path[ret->count], err) < 0)
            return -1;
    }
    return 0;
}

static int read_all(const struct ce_record *record, struct ce_slurm_conf *ret,
                    struct ce_error *err)
{
    char *base = (char *)ret;
    uint64_t number;
    for (size_t i = 0; i < COUNT(paths); i++)
        if (read_path(record, paths[i].key, base + paths[i].at, err) < 0)
            return -1;
    for (size_t i = 0; i < COUNT(flags); i++) {
        number = 0;
        if (ce_record_number(record, 0, 1, &number, err, "%s", flags[i].key) < 0)
            return -1;
        *(bool *)(base + flags[i].at) = number;
    }
    for (size_t i = 0; i < COUNT(numbers); i++) {
        number = 0;
        if (ce_record_number(record, 0, UINT32_MAX, &number, err, "%s", numbers[i].key) < 0)
            return -1;
        *(uint32_t *)(void *)(base + numbers[i].at) = (uint32_t)number;
    }
    for (size_t i = 0; i < COUNT(programs); i++)
        if (read_programs(record, programs[i].key, (void *)(base + programs[i].at), err) < 0)
            return -1;
    return 0;
}

int ce_slurm_conf_parse(const char *text, struct ce_slurm_conf *ret, struct ce_error *err)
{
    *ret = (struct ce_slurm_conf){.version = 0};
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(text, err);
    if (!record || read_all(record, ret, err) < 0)
        return -1;
    return ret->version ? 0 : ce_fail(err, "version: expected Slurm's");
}

bool ce_slurm_list_has(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (; *list; list += strcspn(list, ","), list += *list == ',')
        if (strncasecmp(list, word, length) == 0 && (!list[length] || list[length] == ','))
            return true;
    return false;
}

/* ---------------------------------------------------------------- versions */

const char *ce_slurm_series(uint32_t version, char text[CE_SLURM_VERSION])
{
    snprintf(text, CE_SLURM_VERSION, "%u.%02u", version >> 16 & 0xff, version >> 8 & 0xff);
    return text;
}

const char *ce_slurm_release(uint32_t version, char text[CE_SLURM_VERSION])
{
    snprintf(text, CE_SLURM_VERSION, "%u.%02u.%u", version >> 16 & 0xff, version >> 8 & 0xff,
             version & 0xff);
    return text;
}

uint32_t ce_slurm_version_parse(const char *text)
{
    uint64_t part[3];
    const char *at = text + strcspn(text, " ");
    for (int i = 0; i < 3; i++)
        if ((*at != ' ' && *at != '.') || ce_parse_digits(at + 1, 255, &part[i], &at) < 0)
            return 0;
    return (uint32_t)(part[0] << 16 | part[1] << 8 | part[2]);
}

bool ce_slurm_same_series(uint32_t a, uint32_t b)
{
    return (a & 0xffff00) == (b & 0xffff00);
}

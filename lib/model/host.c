/* SPDX-License-Identifier: Apache-2.0 */
#include "model/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

static const char *const drivers[] = {
    [CE_DRIVER_UNKNOWN] = "unknown",
    [CE_DRIVER_NONE] = "none",
    [CE_DRIVER_CLOSED] = "closed",
    [CE_DRIVER_OPEN] = "open",
};
enum { DRIVERS = sizeof drivers / sizeof *drivers };

static const char prefix[] = "host";

static void add_answer(struct ce_text *out, enum ce_answer answer, const char *below,
                       const char *key)
{
    if (answer)
        ce_record_add_number(out, answer == CE_ANSWER_YES, "%s.%s", below, key);
}

static void add_known(struct ce_text *out, uint64_t value, const char *below, const char *key)
{
    if (value)
        ce_record_add_number(out, value, "%s.%s", below, key);
}

/* "/home yes" */
static void write_mount(const struct ce_host_mount *mount, size_t index, struct ce_text *out)
{
    char value[CE_HOST_PATH + 8];
    snprintf(value, sizeof value, "%s %s", mount->mounted == CE_ANSWER_YES ? "yes" : "no",
             mount->path);
    if (mount->mounted)
        ce_record_add(out, value, "host.mount.%zu", index);
}

void ce_host_write(const struct ce_host *host, struct ce_text *out)
{
    add_known(out, host->memory_kb, prefix, "memory_kb");
    add_known(out, host->hugepage_kb, prefix, "hugepage_kb");
    if (host->hugepage_kb)
        ce_record_add_number(out, host->hugepages, "host.hugepages");
    if (host->memlock == CE_HOST_UNLIMITED)
        ce_record_add(out, "unlimited", "host.memlock");
    else
        add_known(out, host->memlock, prefix, "memlock");
    add_known(out, host->nofile, prefix, "nofile");
    add_answer(out, host->clock_synchronised, prefix, "clock_synchronised");
    if (host->clock_told) {
        ce_record_add_number(out, host->clock_offset_us, "host.clock_offset_us");
        ce_record_add_number(out, host->clock_esterror_us, "host.clock_esterror_us");
        ce_record_add_number(out, host->clock_maxerror_us, "host.clock_maxerror_us");
    }
    if (host->kernel[0])
        ce_record_add(out, host->kernel, "host.kernel");
    if (host->driver)
        ce_record_add(out, drivers[host->driver], "host.nvidia");
    add_answer(out, host->peermem, prefix, "peermem");
    for (size_t i = 0; i < host->mount_count; i++)
        write_mount(&host->mounts[i], i, out);
    if (host->stuck_known == CE_ANSWER_YES)
        ce_record_add_number(out, host->stuck_count, "host.stuck");
    for (size_t i = 0; i < host->stuck_count; i++)
        ce_record_add(out, host->stuck[i], "host.stuck.%zu", i);
}

/* ---------------------------------------------------------------- reading */

static int read_number(const struct ce_record *record, const char *key, uint64_t *ret,
                       struct ce_error *err)
{
    return ce_record_number(record, 0, UINT64_MAX - 1, ret, err, "host.%s", key);
}

static int read_answer(const struct ce_record *record, const char *key, enum ce_answer *ret,
                       struct ce_error *err)
{
    uint64_t value = 0;
    int known = ce_record_number(record, 0, 1, &value, err, "host.%s", key);
    if (known > 0)
        *ret = value ? CE_ANSWER_YES : CE_ANSWER_NO;
    return known;
}

/* All three, or nothing is known. */
static int read_clock(const struct ce_record *record, struct ce_host *host, struct ce_error *err)
{
    int offset = read_number(record, "clock_offset_us", &host->clock_offset_us, err);
    int estimated = read_number(record, "clock_esterror_us", &host->clock_esterror_us, err);
    int most = read_number(record, "clock_maxerror_us", &host->clock_maxerror_us, err);
    host->clock_told = offset > 0 && estimated > 0 && most > 0;
    return offset < 0 || estimated < 0 || most < 0 ? -1 : 0;
}

static int read_memlock(const struct ce_record *record, struct ce_host *host, struct ce_error *err)
{
    const char *text = ce_record_get(record, "host.memlock");
    if (!text || strcmp(text, "unlimited") != 0)
        return read_number(record, "memlock", &host->memlock, err);
    host->memlock = CE_HOST_UNLIMITED;
    return 0;
}

static int read_words(const struct ce_record *record, struct ce_host *host, struct ce_error *err)
{
    const char *kernel = ce_record_get(record, "host.kernel");
    const char *driver = ce_record_get(record, "host.nvidia");
    if (kernel && ce_copy(host->kernel, sizeof host->kernel, kernel) < 0)
        return ce_fail(err, "host.kernel=%.40s...: longer than %d bytes", kernel, CE_HOST_WORD - 1);
    for (unsigned i = CE_DRIVER_NONE; driver && i < DRIVERS; i++)
        if (strcmp(drivers[i], driver) == 0)
            host->driver = (enum ce_host_driver)i;
    return 0;
}

static int read_mounts(const struct ce_record *record, struct ce_host *host, struct ce_error *err)
{
    for (size_t i = 0; i < CE_HOST_MOUNTS_MAX; i++) {
        const char *text = ce_record_get(record, "host.mount.%zu", i);
        struct ce_host_mount *mount = &host->mounts[i];
        if (!text)
            break;
        bool yes = strncmp(text, "yes /", 5) == 0;
        if ((!yes && strncmp(text, "no /", 4) != 0) ||
            ce_copy(mount->path, sizeof mount->path, strchr(text, '/')) < 0)
            return ce_fail(err, "host.mount.%zu=%.60s: expected 'yes /PATH' or 'no /PATH'", i,
                           text);
        mount->mounted = yes ? CE_ANSWER_YES : CE_ANSWER_NO;
        host->mount_count = i + 1;
    }
    return 0;
}

static int read_stuck(const struct ce_record *record, struct ce_host *host, struct ce_error *err)
{
    uint64_t count = 0;
    int known = ce_record_number(record, 0, CE_HOST_STUCK_MAX, &count, err, "host.stuck");
    if (known <= 0)
        return known;
    host->stuck_known = CE_ANSWER_YES;
    for (size_t i = 0; i < count; i++) {
        const char *text = ce_record_get(record, "host.stuck.%zu", i);
        if (!text || !*text || ce_copy(host->stuck[i], CE_HOST_WORD, text) < 0)
            return ce_fail(err, "host.stuck.%zu=%.60s: expected one like '4711 python'", i,
                           text ? text : "");
        host->stuck_count = i + 1;
    }
    return 0;
}

int ce_host_read(const struct ce_record *record, struct ce_host *ret, struct ce_error *err)
{
    *ret = (struct ce_host){.memory_kb = 0};
    if (read_number(record, "memory_kb", &ret->memory_kb, err) < 0 ||
        read_number(record, "hugepage_kb", &ret->hugepage_kb, err) < 0 ||
        read_number(record, "hugepages", &ret->hugepages, err) < 0 ||
        read_memlock(record, ret, err) < 0 ||
        read_number(record, "nofile", &ret->nofile, err) < 0 ||
        read_answer(record, "clock_synchronised", &ret->clock_synchronised, err) < 0 ||
        read_clock(record, ret, err) < 0 || read_answer(record, "peermem", &ret->peermem, err) < 0 ||
        read_words(record, ret, err) < 0 || read_mounts(record, ret, err) < 0)
        return -1;
    return read_stuck(record, ret, err) < 0 ? -1 : 0;
}

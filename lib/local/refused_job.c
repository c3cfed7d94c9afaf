/* SPDX-License-Identifier: Apache-2.0 */
#include "local/refused_job.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/parse.h"
#include "model/record.h"

void ce_refused_job_format(const struct ce_refused_job *refused, struct ce_text *out)
{
    ce_record_begin(out);
    ce_record_add_number(out, refused->job, "job");
    ce_record_add_number(out, refused->restarts, "restarts");
    ce_record_add(out, refused->boot_id, "boot.id");
    ce_record_add(out, refused->reason.text, "reason");
    ce_record_end(out);
    out->failed |= !refused->boot_id[0] || !refused->reason.text[0];
}

static int read_number(const struct ce_record *record, const char *key, uint32_t min, uint32_t *ret, struct ce_error *err)
{
    uint64_t value = 0;
    int found = ce_record_number(record, min, UINT32_MAX, &value, err, "%s", key);
    if (found == 0)
        return ce_fail(err, "no %s=", key);
    *ret = (uint32_t)value;
    return found < 0 ? -1 : 0;
}

static int read_text(const struct ce_record *record, const char *key, char *ret, size_t size, struct ce_error *err)
{
    const char *value = ce_record_get(record, "%s", key);
    if (!value || !*value)
        return ce_fail(err, "no %s=", key);
    if (!ce_is_printable(value) || ce_copy(ret, size, value) < 0)
        return ce_fail(err, "%s=%.40s: expected at most %zu printable characters", key, value, size - 1);
    return 0;
}

int ce_refused_job_parse(const char *text, struct ce_refused_job *ret, struct ce_error *err)
{
    *ret = (struct ce_refused_job){.job = 0};
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(text, err);
    if (!record || read_number(record, "job", 1, &ret->job, err) < 0 ||
        read_number(record, "restarts", 0, &ret->restarts, err) < 0 ||
        read_text(record, "boot.id", ret->boot_id, sizeof ret->boot_id, err) < 0)
        return -1;
    return read_text(record, "reason", ret->reason.text, sizeof ret->reason.text, err);
}

const char *ce_refused_job_name(uint32_t job, char name[CE_REFUSED_JOB_NAME])
{
    snprintf(name, CE_REFUSED_JOB_NAME, "%" PRIu32, job);
    return name;
}

/* A run directory that was not emptied at boot may have a file of an earlier boot. */
static bool is_of_this_boot(const struct ce_refused_job *refused)
{
    ce_autotext struct ce_text now = CE_TEXT(sizeof refused->boot_id);
    if (ce_file_read(AT_FDCWD, "/proc/sys/kernel/random/boot_id", CE_TRUST_ANY, &now, NULL) != CE_READ_OK)
        return false;
    const char *text = ce_text_string(&now);
    size_t length = strcspn(text, "\n");
    return strlen(refused->boot_id) == length && strncmp(refused->boot_id, text, length) == 0;
}

bool ce_refused_job_find(const char *run_dir, uint32_t job, struct ce_refused_job *ret)
{
    char path[PATH_MAX], name[CE_REFUSED_JOB_NAME];
    ce_autotext struct ce_text text = CE_TEXT(CE_REFUSED_JOB_TEXT);
    int n = snprintf(path, sizeof path, "%s/" CE_REFUSED_JOBS_DIR "/%s", run_dir, ce_refused_job_name(job, name));
    return ce_fits(n, sizeof path) && ce_file_read(AT_FDCWD, path, CE_TRUST_ROOT, &text, NULL) == CE_READ_OK &&
           ce_refused_job_parse(ce_text_string(&text), ret, NULL) == 0 && ret->job == job && is_of_this_boot(ret);
}

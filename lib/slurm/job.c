/* SPDX-License-Identifier: Apache-2.0 */
#include "slurm/job.h"

#include <string.h>

#include "base/parse.h"

enum { LIST_MAX = 512 };

static bool says(const struct ce_environ *env, const char *name, const char *word)
{
    const char *text = ce_environ_get(env, name);
    return text && strcmp(text, word) == 0;
}

/* 26.05 says SLURM_JOB_OVERSUBSCRIBE=NO of every job that did not ask for sharing; what was meant by it
 * before stands in SLURM_JOB_EXCLUSIVE there. */
static enum ce_slurm_share read_share(const struct ce_environ *env)
{
    if (ce_environ_get(env, "SLURM_JOB_EXCLUSIVE"))
        return says(env, "SLURM_JOB_EXCLUSIVE", "NODE") ? CE_SHARE_NODE : CE_SHARE_OTHERS;
    if (ce_environ_get(env, "SLURM_JOB_OVERSUBSCRIBE"))
        return says(env, "SLURM_JOB_OVERSUBSCRIBE", "NO") ? CE_SHARE_NODE : CE_SHARE_OTHERS;
    return CE_SHARE_UNTOLD;
}

/* One number or range; *text is then at what follows it. */
static int parse_range(const char **text, uint64_t *gpus)
{
    uint64_t first, last;
    const char *end;
    if (ce_parse_digits(*text, CE_SLURM_JOB_GPUS_MAX - 1, &first, &end) < 0)
        return -1;
    last = first;
    if (*end == '-' && ce_parse_digits(end + 1, CE_SLURM_JOB_GPUS_MAX - 1, &last, &end) < 0)
        return -1;
    if (last < first)
        return -1;
    for (uint64_t i = first; i <= last; i++)
        *gpus |= 1ull << i;
    *text = end;
    return 0;
}

int ce_slurm_gpus_parse(const char *text, uint64_t *ret)
{
    uint64_t gpus = 0;
    if (strnlen(text, LIST_MAX) == LIST_MAX)
        return -1;
    for (;; text++) {
        if (parse_range(&text, &gpus) < 0)
            return -1;
        if (!*text)
            break;
        if (*text != ',')
            return -1;
    }
    *ret = gpus;
    return 0;
}

static enum ce_slurm_gpus read_gpus(const struct ce_environ *env, uint64_t *ret)
{
    const char *text = ce_environ_get(env, "SLURM_JOB_GPUS");
    if (!text || !*text)
        return CE_GPUS_UNTOLD;
    return ce_slurm_gpus_parse(text, ret) < 0 ? CE_GPUS_GARBLED : CE_GPUS_TOLD;
}

static bool read_number(const struct ce_environ *env, const char *name, uint32_t min, uint32_t *ret)
{
    const char *text = ce_environ_get(env, name);
    return text && ce_parse_u32(text, min, UINT32_MAX, ret) == 0;
}

void ce_slurm_job_read(const struct ce_environ *env, struct ce_slurm_job *ret)
{
    struct ce_slurm_job job = {.share = read_share(env)};
    read_number(env, "SLURM_JOB_ID", 1, &job.id);
    job.uid_known = read_number(env, "SLURM_JOB_UID", 0, &job.uid);
    read_number(env, "SLURM_JOB_RESTART_COUNT", 0, &job.restarts);
    job.told = read_gpus(env, &job.gpus);
    *ret = job;
}

const char *ce_slurm_job_nodes(const struct ce_environ *env)
{
    const char *list = ce_environ_get(env, "SLURM_JOB_NODELIST");
    return list && *list ? list : ce_environ_get(env, "SLURM_NODELIST");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "health/leftover.h"

#include <string.h>

#include "base/parse.h"

static bool is_of(const struct ce_leftover_process *process, uint32_t uid)
{
    for (unsigned i = 0; i < 4; i++)
        if (process->uids[i] != uid)
            return false;
    return true;
}

const char *ce_leftover_spare(const struct ce_leftover_process *process,
                              const struct ce_leftover_owner *owner)
{
    if (owner->action == CE_LEFTOVERS_WARN)
        return "leftovers.action is \"warn\"";
    if (!process->known || process->pid < 2)
        return "it cannot be looked at";
    if (!owner->uid_known)
        return "Slurm does not tell the job's user";
    if (owner->uid < CE_LEFTOVER_UID_MIN)
        return "the job's user is one of the system's";
    if (!is_of(process, owner->uid))
        return "it is another user's";
    if (process->job == owner->job && owner->job != CE_LEFTOVER_NO_JOB)
        return owner->shared && owner->action != CE_LEFTOVERS_END_SHARED
                   ? "other jobs may be on the node"
                   : NULL;
    if (process->job != CE_LEFTOVER_NO_JOB)
        return "it is another job's";
    if (owner->shared || !owner->alone)
        return "it may be another job's";
    return NULL;
}

/* ---------------------------------------------------------------- texts of /proc */

/* Slurm's folders are .../job_123/step_0/...: one name in all lines, or it cannot be told. */
uint32_t ce_leftover_cgroup(const char *text)
{
    static const char prefix[] = "/job_";
    uint32_t job = CE_LEFTOVER_NO_JOB;
    for (const char *at = strstr(text, prefix); at; at = strstr(at + 1, prefix)) {
        uint64_t number;
        const char *end;
        if (ce_parse_digits(at + strlen(prefix), UINT32_MAX - 1, &number, &end) < 0 ||
            (*end && *end != '/' && *end != '\n') || number == CE_LEFTOVER_NO_JOB ||
            (job != CE_LEFTOVER_NO_JOB && job != number))
            return UINT32_MAX;
        job = (uint32_t)number;
    }
    return job;
}

static const char *find_line(const char *text, const char *key)
{
    size_t length = strlen(key);
    for (const char *line = text; line; line = ce_next_line(line))
        if (strncmp(line, key, length) == 0)
            return line + length;
    return NULL;
}

static void copy_name(const char *line, char name[CE_LEFTOVER_NAME + 1])
{
    size_t n = 0;
    for (; line && n < CE_LEFTOVER_NAME && line[n] && line[n] != '\n'; n++)
        name[n] = line[n] > ' ' && line[n] <= '~' ? line[n] : '?';
    name[n] = '\0';
}

int ce_leftover_status(const char *text, struct ce_leftover_process *ret)
{
    struct ce_leftover_process process = *ret;
    const char *at = find_line(text, "Uid:");
    for (unsigned i = 0; i < 4; i++) {
        uint64_t uid;
        if (!at || *at != '\t' || ce_parse_digits(at + 1, UINT32_MAX, &uid, &at) < 0)
            return -1;
        process.uids[i] = (uint32_t)uid;
    }
    if (*at != '\n')
        return -1;
    copy_name(find_line(text, "Name:\t"), process.name);
    *ret = process;
    return 0;
}

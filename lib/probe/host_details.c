/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/host_details.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/timex.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/parse.h"
#include "probe/proc_text.h"

enum { FILE_MAX = 8 << 20 };

static int read_file(const struct ce_root *root, const char *path, struct ce_text *text)
{
    return ce_file_read(root->fd, path, CE_TRUST_ANY, text, NULL) == CE_READ_OK ? 0 : -1;
}

/* ---------------------------------------------------------------- memory, clock, limits */

static void read_memory(const struct ce_root *root, struct ce_host *host)
{
    ce_autotext struct ce_text text = CE_TEXT(FILE_MAX);
    if (read_file(root, "proc/meminfo", &text) < 0)
        return;
    ce_proc_number(ce_text_string(&text), "MemTotal:", &host->memory_kb);
    if (ce_proc_number(ce_text_string(&text), "HugePages_Total:", &host->hugepages) == 0)
        ce_proc_number(ce_text_string(&text), "Hugepagesize:", &host->hugepage_kb);
}

static uint64_t positive(long long value)
{
    return (uint64_t)(value < 0 ? -value : value);
}

/* Reading it takes no privilege, and no answer of the daemon that sets the clock. */
static void read_clock(struct ce_host *host)
{
    struct timex clock = {.modes = 0};
    if (adjtimex(&clock) < 0)
        return;
    host->clock_synchronised = clock.status & STA_UNSYNC ? CE_ANSWER_NO : CE_ANSWER_YES;
    host->clock_told = true;
    host->clock_offset_us = positive(clock.offset / (clock.status & STA_NANO ? 1000 : 1));
    host->clock_esterror_us = positive(clock.esterror);
    host->clock_maxerror_us = positive(clock.maxerror);
}

/* Only this process's own: what slurmd gives to its children, where it is their parent. */
static void read_live(struct ce_host *host)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0)
        host->memlock = limit.rlim_max == RLIM_INFINITY ? CE_HOST_UNLIMITED
                        : limit.rlim_max                ? limit.rlim_max
                                                        : 1;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
        host->nofile = limit.rlim_max ? limit.rlim_max : 1; /* no kernel gives more than 2^30 */
    read_clock(host);
}

/* ---------------------------------------------------------------- modules */

static void read_modules(const struct ce_root *root, struct ce_host *host)
{
    char version[256];
    ce_autotext struct ce_text text = CE_TEXT(FILE_MAX);
    if (read_file(root, "proc/modules", &text) < 0)
        return;
    const char *modules = ce_text_string(&text);
    bool peermem = ce_proc_line(modules, "nvidia_peermem ") || ce_proc_line(modules, "nv_peer_mem ");
    host->peermem = peermem ? CE_ANSWER_YES : CE_ANSWER_NO;
    if (!ce_proc_line(modules, "nvidia "))
        host->driver = CE_DRIVER_NONE;
    else if (ce_root_line(root, version, sizeof version, "proc/driver/nvidia/version") == 0)
        host->driver = strstr(version, "Open Kernel Module") ? CE_DRIVER_OPEN : CE_DRIVER_CLOSED;
}

void ce_probe_host_details(const struct ce_root *root, struct ce_host *host)
{
    read_memory(root, host);
    read_modules(root, host);
    ce_root_line(root, host->kernel, sizeof host->kernel, "proc/sys/kernel/osrelease");
    if (root->live)
        read_live(host);
}

/* ---------------------------------------------------------------- mounts */

void ce_probe_mounts(const struct ce_root *root, const char (*paths)[CE_HOST_PATH], size_t count,
                     struct ce_host *host)
{
    ce_autotext struct ce_text text = CE_TEXT(FILE_MAX);
    int failed = count ? read_file(root, "proc/self/mounts", &text) : 0;
    for (size_t i = 0; i < count && host->mount_count < CE_HOST_MOUNTS_MAX; i++) {
        struct ce_host_mount *mount = &host->mounts[host->mount_count++];
        ce_copy(mount->path, sizeof mount->path, paths[i]);
        mount->mounted = failed ? CE_ANSWER_UNKNOWN
                         : ce_proc_is_mounted(ce_text_string(&text), mount->path) ? CE_ANSWER_YES
                                                                                  : CE_ANSWER_NO;
    }
}

/* ---------------------------------------------------------------- stuck processes */

/* place: of a process, or of one of its threads.  Reads more than one line: a name may have newlines. */
static int read_stat(const struct ce_root *root, const char *place, struct ce_proc_stat *ret)
{
    char text[512];
    ssize_t size = ce_root_bytes(root, text, sizeof text - 1, "proc/%s/stat", place);
    text[size > 0 ? size : 0] = '\0';
    return ce_proc_stat_parse(text, ret);
}

static bool holds_gpu(const struct ce_root *root, const char *place)
{
    ce_autofree char **fds = NULL;
    char target[64];
    int count = ce_root_list(root, &fds, "proc/%s/fd", place);
    for (int i = 0; i < count; i++)
        if (ce_root_target(root, target, sizeof target, "proc/%s/fd/%s", place, fds[i]) == 0 &&
            ce_proc_is_gpu(target))
            return true;
    return false;
}

/* A process that was killed is a zombie while one of its threads hangs, and that one has the files. */
static bool has_stuck_thread(const struct ce_root *root, const char *pid)
{
    ce_autofree char **threads = NULL;
    struct ce_proc_stat stat;
    char place[64];
    int count = ce_root_list(root, &threads, "proc/%s/task", pid);
    for (int i = 0; i < count; i++)
        if (ce_fits(snprintf(place, sizeof place, "%s/task/%s", pid, threads[i]), sizeof place) &&
            read_stat(root, place, &stat) == 0 && stat.state == 'D' && holds_gpu(root, place))
            return true;
    return false;
}

static bool is_stuck(const struct ce_root *root, const char *pid, char name[CE_HOST_WORD])
{
    struct ce_proc_stat stat;
    if (read_stat(root, pid, &stat) < 0)
        return false;
    snprintf(name, CE_HOST_WORD, "%.20s %s", pid, stat.name);
    return stat.state == 'D' ? holds_gpu(root, pid) : stat.state == 'Z' && has_stuck_thread(root, pid);
}

void ce_probe_stuck(const struct ce_root *root, struct ce_host *host)
{
    ce_autofree char **names = NULL;
    char name[CE_HOST_WORD];
    int count = ce_root_list(root, &names, "proc");
    host->stuck_known = count < 0 ? CE_ANSWER_UNKNOWN : CE_ANSWER_YES;
    for (int i = 0; i < count && host->stuck_count < CE_HOST_STUCK_MAX; i++)
        if (names[i][0] >= '1' && names[i][0] <= '9' && is_stuck(root, names[i], name))
            ce_copy(host->stuck[host->stuck_count++], CE_HOST_WORD, name);
}

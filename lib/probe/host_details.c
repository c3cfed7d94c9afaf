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

enum { FILE_MAX = 8 << 20 };

static int read_file(const struct ce_root *root, const char *path, struct ce_text *text)
{
    return ce_file_read(root->fd, path, CE_TRUST_ANY, text, NULL) == CE_READ_OK ? 0 : -1;
}

/* Where the line that begins with these bytes goes on; NULL: there is none. */
static const char *find_line(const char *text, const char *start)
{
    size_t length = strlen(start);
    for (const char *line = text; line; line = ce_next_line(line))
        if (strncmp(line, start, length) == 0)
            return line + length;
    return NULL;
}

/* ---------------------------------------------------------------- memory, clock, limits */

/* "MemTotal:       65837124 kB" */
static int find_number(const char *text, const char *key, uint64_t *ret)
{
    const char *at = find_line(text, key), *end;
    return at ? ce_parse_digits(at + strspn(at, " "), UINT64_MAX - 1, ret, &end) : -1;
}

static void read_memory(const struct ce_root *root, struct ce_host *host)
{
    ce_autotext struct ce_text text = CE_TEXT(FILE_MAX);
    if (read_file(root, "proc/meminfo", &text) < 0)
        return;
    find_number(ce_text_string(&text), "MemTotal:", &host->memory_kb);
    if (find_number(ce_text_string(&text), "HugePages_Total:", &host->hugepages) == 0)
        find_number(ce_text_string(&text), "Hugepagesize:", &host->hugepage_kb);
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
    bool peermem = find_line(modules, "nvidia_peermem ") || find_line(modules, "nv_peer_mem ");
    host->peermem = peermem ? CE_ANSWER_YES : CE_ANSWER_NO;
    if (!find_line(modules, "nvidia "))
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

/* As the kernel writes it: blanks and backslashes as three octal digits. */
static void escape(const char *path, char *ret, size_t size)
{
    size_t n = 0;
    for (ret[0] = '\0'; *path && n + 5 < size; path++)
        n += (size_t)snprintf(ret + n, size - n, strchr(" \t\n\\", *path) ? "\\%03o" : "%c",
                              (unsigned char)*path);
}

/* "server:/home /home nfs4 rw,... 0 0" */
static bool is_mounted(const char *mounts, const char *path)
{
    char wanted[4 * CE_HOST_PATH + 8];
    escape(path, wanted, sizeof wanted);
    size_t length = strlen(wanted);
    for (const char *line = mounts; line; line = ce_next_line(line)) {
        const char *place = strpbrk(line, " \n");
        if (place && *place == ' ' && strncmp(place + 1, wanted, length) == 0 &&
            place[1 + length] == ' ')
            return true;
    }
    return false;
}

void ce_probe_mounts(const struct ce_root *root, const char (*paths)[CE_HOST_PATH], size_t count,
                     struct ce_host *host)
{
    ce_autotext struct ce_text text = CE_TEXT(FILE_MAX);
    int failed = count ? read_file(root, "proc/self/mounts", &text) : 0;
    for (size_t i = 0; i < count && host->mount_count < CE_HOST_MOUNTS_MAX; i++) {
        struct ce_host_mount *mount = &host->mounts[host->mount_count++];
        ce_copy(mount->path, sizeof mount->path, paths[i]);
        mount->mounted = failed                                           ? CE_ANSWER_UNKNOWN
                         : is_mounted(ce_text_string(&text), mount->path) ? CE_ANSWER_YES
                                                                          : CE_ANSWER_NO;
    }
}

/* ---------------------------------------------------------------- stuck processes */

/* The state's letter and, if asked for, the name: "4711 (python) D 1 ..."; a name may hold anything, blanks
 * and brackets too.  0: it cannot be told. */
static char read_state(const struct ce_root *root, const char *place, const char *pid,
                       char name[CE_HOST_WORD])
{
    char line[512];
    if (ce_root_line(root, line, sizeof line, "proc/%s/stat", place) < 0)
        return 0;
    const char *open = strchr(line, '('), *close = strrchr(line, ')');
    if (!open || !close || close < open || close[1] != ' ' || !close[2] || close[3] != ' ')
        return 0;
    snprintf(name, CE_HOST_WORD, "%.20s %.*s", pid,
             (int)(close - open < 33 ? close - open - 1 : 32), open + 1);
    return close[2];
}

/* place: of a process, or of one of its threads. */
static bool holds_gpu(const struct ce_root *root, const char *place)
{
    ce_autofree char **fds = NULL;
    char target[64];
    int count = ce_root_list(root, &fds, "proc/%s/fd", place);
    for (int i = 0; i < count; i++)
        if (ce_root_target(root, target, sizeof target, "proc/%s/fd/%s", place, fds[i]) == 0 &&
            strncmp(target, "/dev/nvidia", strlen("/dev/nvidia")) == 0)
            return true;
    return false;
}

/* A process that was killed is a zombie while one of its threads hangs, and that one has the files. */
static bool has_stuck_thread(const struct ce_root *root, const char *pid)
{
    ce_autofree char **threads = NULL;
    char place[64], name[CE_HOST_WORD];
    int count = ce_root_list(root, &threads, "proc/%s/task", pid);
    for (int i = 0; i < count; i++)
        if (ce_fits(snprintf(place, sizeof place, "%s/task/%s", pid, threads[i]), sizeof place) &&
            read_state(root, place, pid, name) == 'D' && holds_gpu(root, place))
            return true;
    return false;
}

static bool is_stuck(const struct ce_root *root, const char *pid, char name[CE_HOST_WORD])
{
    char state = read_state(root, pid, pid, name);
    return state == 'D' ? holds_gpu(root, pid) : state == 'Z' && has_stuck_thread(root, pid);
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

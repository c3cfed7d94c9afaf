/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/install.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "base/root.h"

/* ---------------------------------------------------------------- slurmd */

enum { LINK_MAX_BYTES = 64 };

/* Containers, and the nodes of a cluster on one machine, share the table of processes. */
static bool is_here(const struct ce_root *root, const char *pid, const char *own)
{
    char space[LINK_MAX_BYTES];
    return ce_root_target(root, space, sizeof space, "proc/%s/ns/mnt", pid) == 0 &&
           strcmp(space, own) == 0;
}

static uint64_t memlock_of(pid_t pid)
{
    struct rlimit limit;
    if (prlimit(pid, RLIMIT_MEMLOCK, NULL, &limit) < 0)
        return 0;
    return limit.rlim_max == RLIM_INFINITY ? CE_HOST_UNLIMITED : limit.rlim_max ? limit.rlim_max : 1;
}

static void look_through(const struct ce_root *root, struct ce_install_slurmd *ret)
{
    char own[LINK_MAX_BYTES], name[32];
    ce_autofree char **pids = NULL;
    uint32_t pid;
    int count = ce_root_list(root, &pids, "proc");
    if (count < 0 || ce_root_target(root, own, sizeof own, "proc/self/ns/mnt") < 0)
        return;
    ret->looked = geteuid() == 0;
    for (int i = 0; i < count && !ret->pid; i++)
        if (ce_parse_u32(pids[i], 1, INT32_MAX, &pid) == 0 &&
            ce_root_line(root, name, sizeof name, "proc/%s/comm", pids[i]) == 0 &&
            strcmp(name, "slurmd") == 0 && is_here(root, pids[i], own))
            ret->pid = (pid_t)pid;
}

void ce_probe_slurmd(struct ce_install_slurmd *ret)
{
    struct ce_root root;
    *ret = (struct ce_install_slurmd){.pid = 0};
    if (ce_root_open(&root, "/", NULL) < 0)
        return;
    look_through(&root, ret);
    ce_root_close(&root);
    if (ret->pid)
        ret->memlock = memlock_of(ret->pid);
}

/* ---------------------------------------------------------------- ports */

void ce_probe_ports(const char *path, struct ce_install_ports *ret)
{
    struct ce_root root;
    char line[64] = "";
    const char *end = "";
    uint64_t first, last;
    *ret = (struct ce_install_ports){.known = false};
    if (ce_root_open(&root, path, NULL) < 0)
        return;
    /* a tab is between them */
    if (ce_root_bytes(&root, line, sizeof line - 1, "proc/sys/net/ipv4/ip_local_port_range") > 0 &&
        ce_parse_digits(line, 65535, &first, &end) == 0 &&
        ce_parse_digits(end + strspn(end, " \t"), 65535, &last, &end) == 0) {
        ret->known = true;
        ret->first = (uint32_t)first;
        ret->last = (uint32_t)last;
    }
    ce_root_line(&root, ret->reserved, sizeof ret->reserved,
                 "proc/sys/net/ipv4/ip_local_reserved_ports");
    ce_root_close(&root);
}

/* ---------------------------------------------------------------- the run directory, the unit */

static uint64_t age_of(const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat st;
    time_t now = time(NULL);
    if (!ce_fits(snprintf(path, sizeof path, "%s/%s", folder, name), sizeof path) ||
        stat(path, &st) < 0 || st.st_mtime > now)
        return 0;
    return (uint64_t)(now - st.st_mtime);
}

void ce_probe_run_folder(const char *path, const char *facts, struct ce_install_run *ret)
{
    struct stat st;
    struct statvfs space;
    if (lstat(path, &st) < 0)
        return;
    ret->there = true;
    ret->folder = S_ISDIR(st.st_mode);
    ret->owner = st.st_uid;
    ret->mode = st.st_mode & 07777;
    ret->facts_age_s = age_of(path, facts);
    if (statvfs(path, &space) < 0)
        return;
    ret->space_known = true;
    ret->free_bytes = (uint64_t)space.f_bavail * space.f_frsize;
    ret->free_files = space.f_files ? space.f_favail : UINT64_MAX; /* some file systems count none */
}

enum ce_install_unit ce_probe_unit(const char *name)
{
    static const char *const folders[] = {"/etc/systemd/system/multi-user.target.wants",
                                          "/etc/systemd/system/slurmd.service.wants",
                                          "/etc/systemd/system/slurmd.service.requires"};
    char path[PATH_MAX];
    struct stat st;
    if (access("/run/systemd/system", F_OK) < 0)
        return CE_UNIT_NO_SYSTEMD;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s/%s", folders[i], name);
        if (lstat(path, &st) == 0)
            return CE_UNIT_ON;
    }
    return CE_UNIT_OFF;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The host around the rails and GPUs. */
#include <inttypes.h>
#include <stdio.h>

#include "checks/check.h"

enum { KB_PER_GB = 1 << 20, FILES_LEAST = 16384, US_PER_MS = 1000 };

/* Less than all memory: a job may fail to register a buffer that it could allocate. */
static void judge_memlock(const struct ce_check_view *view, struct ce_findings *out)
{
    const struct ce_host *host = &view->node->host;
    uint64_t kb = host->memlock / 1024;
    if (!host->memlock)
        ce_findings_add(out, CE_UNKNOWN, "", "the limit of locked memory cannot be read");
    else if (host->memlock == CE_HOST_UNLIMITED)
        ce_findings_add(out, CE_PASS, "", "locked memory: unlimited");
    else if (host->memory_kb && kb >= host->memory_kb)
        ce_findings_add(out, CE_PASS, "", "locked memory: %" PRIu64 " kB, all there is", kb);
    else if (!view->rail_count)
        ce_findings_add(out, CE_SKIP, "", "there is no rail");
    else
        ce_findings_add(out, CE_FAIL, "",
                        "slurmd's limit of locked memory is %" PRIu64 " kB, expected unlimited",
                        kb);
}

/* Every rank has a file for each peer, and each data loader some. */
static void judge_files(const struct ce_check_view *view, struct ce_findings *out)
{
    uint64_t files = view->node->host.nofile;
    if (!files)
        ce_findings_add(out, CE_UNKNOWN, "", "the limit of open files cannot be read");
    else if (files < FILES_LEAST)
        ce_findings_add(out, CE_FAIL, "",
                        "slurmd's limit of open files is %" PRIu64 ", expected at least %d", files,
                        FILES_LEAST);
    else
        ce_findings_add(out, CE_PASS, "", "%" PRIu64 " open files", files);
}

static void judge_memory(const struct ce_check_view *view, struct ce_findings *out)
{
    uint64_t found = view->node->host.memory_kb / KB_PER_GB;
    if (!view->memory_gb)
        ce_findings_add(out, CE_SKIP, "", "no size of memory is expected");
    else if (!view->node->host.memory_kb)
        ce_findings_add(out, CE_UNKNOWN, "", "the size of memory cannot be read");
    else if (found < view->memory_gb)
        ce_findings_add(out, CE_FAIL, "", "%" PRIu64 " GiB of memory, expected %u", found,
                        view->memory_gb);
    else
        ce_findings_add(out, CE_PASS, "", "%" PRIu64 " GiB of memory", found);
}

static void judge_hugepages(const struct ce_check_view *view, struct ce_findings *out)
{
    const struct ce_host *host = &view->node->host;
    if (!view->hugepages)
        ce_findings_add(out, CE_SKIP, "", "no huge pages are expected");
    else if (!host->hugepage_kb)
        ce_findings_add(out, CE_UNKNOWN, "", "the number of huge pages cannot be read");
    else if (host->hugepages < view->hugepages)
        ce_findings_add(out, CE_FAIL, "", "%" PRIu64 " huge pages of %" PRIu64 " kB, expected %u",
                        host->hugepages, host->hugepage_kb, view->hugepages);
    else
        ce_findings_add(out, CE_PASS, "", "%" PRIu64 " huge pages", host->hugepages);
}

static void judge_mounts(const struct ce_check_view *view, struct ce_findings *out)
{
    char subject[CE_SUBJECT];
    const struct ce_host *host = &view->node->host;
    if (host->mount_count == 0)
        ce_findings_add(out, CE_SKIP, "", "no mounts are expected");
    for (size_t i = 0; i < host->mount_count; i++) {
        snprintf(subject, sizeof subject, "%.63s", host->mounts[i].path);
        if (host->mounts[i].mounted == CE_ANSWER_YES)
            ce_findings_add(out, CE_PASS, subject, "mounted");
        else if (host->mounts[i].mounted == CE_ANSWER_NO)
            ce_findings_add(out, CE_FAIL, subject, "not mounted");
        else
            ce_findings_add(out, CE_UNKNOWN, subject, "the mounts cannot be read");
    }
}

/* chronyd and ntpd tell the kernel an estimate; timesyncd tells none, but what it moves the clock by. */
static void judge_offset(const struct ce_check_view *view, struct ce_findings *out)
{
    const struct ce_host *host = &view->node->host;
    uint64_t estimated = host->clock_esterror_us < CE_HOST_ERROR_US ? host->clock_esterror_us : 0;
    uint64_t off = host->clock_offset_us > estimated ? host->clock_offset_us : estimated;
    if (!host->clock_told)
        ce_findings_add(out, CE_PASS, "", "the clock is synchronised");
    else if (off > (uint64_t)view->limit * US_PER_MS)
        ce_findings_add(out, CE_FAIL, "", "the clock is off by about %" PRIu64 " ms, limit %" PRIu32,
                        off / US_PER_MS, view->limit);
    else
        ce_findings_add(out, CE_PASS, "", "the clock is synchronised, off by about %g ms",
                        (double)off / US_PER_MS);
}

static void judge_clock(const struct ce_check_view *view, struct ce_findings *out)
{
    switch (view->node->host.clock_synchronised) {
    case CE_ANSWER_YES:
        judge_offset(view, out);
        break;
    case CE_ANSWER_NO:
        ce_findings_add(out, CE_WARN, "", "the clock is not synchronised");
        break;
    case CE_ANSWER_UNKNOWN:
        ce_findings_add(out, CE_UNKNOWN, "", "the clock cannot be asked");
        break;
    }
}

static void judge_stuck(const struct ce_check_view *view, struct ce_findings *out)
{
    const struct ce_host *host = &view->node->host;
    if (view->node->gpu_count_known && !view->node->gpu_count)
        ce_findings_add(out, CE_SKIP, "", "there is no GPU");
    else if (host->stuck_known != CE_ANSWER_YES)
        ce_findings_add(out, CE_UNKNOWN, "", "the processes were not looked through");
    else if (host->stuck_count == 0)
        ce_findings_add(out, CE_PASS, "", "no process with a GPU is stuck");
    for (size_t i = 0; i < host->stuck_count; i++)
        ce_findings_add(out, CE_WARN, host->stuck[i], "is stuck in the kernel with a GPU open");
}

enum { STARTING = CE_PROLOG | CE_MANUAL, ENDING = CE_EPILOG | CE_MANUAL };

const struct ce_check ce_host_checks[] = {
    {"host.memlock", CE_PROLOG, CE_TELL, CE_TELL, CE_DETAILED, "node",
     "LimitMEMLOCK=infinity in slurmd's unit, then restart slurmd",
     "jobs may lock all memory, as RDMA does", judge_memlock},
    {"host.files", CE_PROLOG, CE_TELL, CE_TELL, CE_DETAILED, "node",
     "LimitNOFILE=131072 in slurmd's unit, then restart slurmd", "jobs may open many files",
     judge_files},
    {"host.memory", STARTING, CE_DRAIN, CE_TELL, CE_DETAILED, "node",
     "look for a memory module that is gone", "the node has its memory", judge_memory},
    {"host.hugepages", STARTING, CE_TELL, CE_TELL, CE_RECOVERABLE | CE_DETAILED, "node", "set vm.nr_hugepages",
     "the node has its huge pages", judge_hugepages},
    {"host.mounts", STARTING, CE_DRAIN, CE_TELL, CE_RECOVERABLE | CE_DETAILED, "mount", "mount it",
     "every file system that is expected is mounted", judge_mounts},
    {"host.clock", CE_MANUAL, CE_TELL, CE_TELL, CE_RECOVERABLE | CE_DETAILED, "node", "look at chronyd or ntpd",
     "the clock is synchronised, and near the true time", judge_clock},
    {"host.stuck", ENDING, CE_TELL, CE_TELL, CE_DETAILED | CE_WHOLE_NODE, "process",
     "look at the GPU it has open, a reboot ends it",
     "no process with a GPU open hangs in the kernel", judge_stuck},
};
const size_t ce_host_check_count = sizeof ce_host_checks / sizeof *ce_host_checks;

/* SPDX-License-Identifier: Apache-2.0 */
/* What a job left behind on GPUs.  Before and after a job only: while one runs it is no leftover. */
#include <inttypes.h>
#include <stdio.h>

#include "checks/gpu_each.h"

enum { MIB = 1 << 20 };

static void one_processes(const struct ce_gpu_look *look, struct ce_findings *out)
{
    char pids[80] = "";
    size_t at = 0;
    for (unsigned i = 0; i < look->state->process_count && at + 12 < sizeof pids; i++)
        at += (size_t)snprintf(pids + at, sizeof pids - at, "%s%" PRIu32, i ? ", " : "",
                               look->state->processes[i].pid);
    if (look->number)
        ce_findings_add(out, CE_FAIL, look->subject, "%" PRIu64 " process%s: %s%s", look->number,
                        look->number > 1 ? "es" : "", pids,
                        look->number > look->state->process_count ? ", ..." : "");
    else
        ce_findings_add(out, CE_PASS, look->subject, "no process");
}

/* Of GPUs that may be another job's, all of it is perhaps that job's. */
static bool is_anybodys(const struct ce_check_view *view, struct ce_findings *out)
{
    if (view->job_gpus_unsure)
        ce_findings_add(out, CE_SKIP, "", "which GPUs are the job's is not known");
    return view->job_gpus_unsure;
}

static void judge_processes(const struct ce_check_view *view, struct ce_findings *out)
{
    if (is_anybodys(view, out))
        return;
    ce_gpu_each(view, CE_GPU_PROCESSES, "it does not tell its processes", one_processes, out);
}

/* Memory of processes that are seen is theirs: gpu.processes tells of them. */
static void one_memory(const struct ce_gpu_look *look, struct ce_findings *out)
{
    uint64_t mib = look->number / MIB, processes = 0;
    ce_gpu_know(look->state, CE_GPU_PROCESSES, &processes);
    if (processes)
        ce_findings_add(out, CE_SKIP, look->subject, "%" PRIu64 " MiB, of its processes", mib);
    else
        ce_findings_add(out, mib > look->view->limit ? CE_FAIL : CE_PASS, look->subject,
                        "%" PRIu64 " MiB in use, and no process", mib);
}

static void judge_memory(const struct ce_check_view *view, struct ce_findings *out)
{
    if (is_anybodys(view, out))
        return;
    ce_gpu_each(view, CE_GPU_MEMORY_USED, "it does not tell its memory", one_memory, out);
}

const struct ce_check ce_gpu_leftover_checks[] = {
    {"gpu.processes", CE_PROLOG | CE_EPILOG, CE_TELL, CE_TELL, 0, "GPU",
     "end the processes that the job left", "no process is on a GPU between jobs",
     judge_processes},
    {"gpu.memory.leftover", CE_PROLOG | CE_EPILOG, CE_TELL, CE_TELL, 0, "GPU", "reset the GPU",
     "no GPU memory is in use between jobs", judge_memory},
};
const size_t ce_gpu_leftover_check_count =
    sizeof ce_gpu_leftover_checks / sizeof *ce_gpu_leftover_checks;

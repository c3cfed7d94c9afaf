/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of GPUs: ECC, row remapping, page retirement.  Where a threshold is from stands in
 * docs/checks.md. */
#include <inttypes.h>

#include "checks/gpu_each.h"

enum {
    DRAM_CORRECTED_MOST = 20000000, /* since the driver was loaded */
    SRAM_CORRECTED_MOST = 10000,
    RETIRED_USUAL = 14,
};
static const char no_ecc[] = "no ECC", no_remap[] = "no row remapping",
                  no_retirement[] = "no page retirement: it remaps rows";

/* ---------------------------------------------------------------- ECC */

static void one_mode(const struct ce_gpu_look *look, struct ce_findings *out)
{
    uint64_t next = look->number;
    ce_gpu_know(look->state, CE_GPU_ECC_MODE_NEXT, &next);
    if (next != look->number)
        ce_findings_add(out, CE_WARN, look->subject, "ECC is %s until the next reset, then %s",
                        look->number ? "on" : "off", next ? "on" : "off");
    else
        ce_findings_add(out, look->number == (look->view->ecc != CE_ANSWER_NO) ? CE_PASS : CE_FAIL,
                        look->subject, "ECC is %s",
                        look->number ? "on" : "off");
}

static void judge_mode(const struct ce_check_view *view, struct ce_findings *out)
{
    ce_gpu_each(view, CE_GPU_ECC_MODE, no_ecc, one_mode, out);
}

static void one_uncorrected(const struct ce_gpu_look *look, struct ce_findings *out)
{
    uint64_t dram = 0, sram = 0;
    ce_gpu_know(look->state, CE_GPU_DRAM_VOLATILE_UNCORRECTED, &dram);
    ce_gpu_know(look->state, CE_GPU_SRAM_VOLATILE_UNCORRECTED, &sram);
    if (!look->number)
        ce_findings_add(out, CE_PASS, look->subject, "no uncorrected memory error");
    else if (ce_gpu_came(look, CE_GPU_ECC_VOLATILE_UNCORRECTED))
        ce_findings_add(out, CE_SKIP, look->subject, "gpu.job.ecc tells of it");
    else
        ce_findings_add(out, CE_FAIL, look->subject,
                        "%" PRIu64 " uncorrected memory errors (DRAM %" PRIu64 ", SRAM %" PRIu64
                        ") since the driver was loaded",
                        look->number, dram, sram);
}

static void judge_uncorrected(const struct ce_check_view *view, struct ce_findings *out)
{
    ce_gpu_each(view, CE_GPU_ECC_VOLATILE_UNCORRECTED, no_ecc, one_uncorrected, out);
}

/* Of the GPU's life.  In DRAM they are of long ago and their rows are remapped: no fault.  In SRAM
 * nothing is remapped. */
static void one_aggregate(const struct ce_gpu_look *look, struct ce_findings *out)
{
    ce_findings_add(out, look->number > look->view->limit ? CE_FAIL : CE_PASS, look->subject,
                    "%" PRIu64 " uncorrected SRAM errors in its life", look->number);
}

static void judge_aggregate(const struct ce_check_view *view, struct ce_findings *out)
{
    ce_gpu_each(view, CE_GPU_SRAM_AGGREGATE_UNCORRECTED, "SRAM errors are not counted",
                one_aggregate, out);
}

static void one_corrected(const struct ce_gpu_look *look, struct ce_findings *out)
{
    uint64_t dram = look->number, sram = 0;
    ce_gpu_know(look->state, CE_GPU_DRAM_VOLATILE_CORRECTED, &dram);
    ce_gpu_know(look->state, CE_GPU_SRAM_VOLATILE_CORRECTED, &sram);
    ce_findings_add(out,
                    dram > DRAM_CORRECTED_MOST || sram > SRAM_CORRECTED_MOST ? CE_FAIL : CE_PASS,
                    look->subject, "%" PRIu64 " corrected DRAM errors, %" PRIu64 " in SRAM", dram,
                    sram);
}

static void judge_corrected(const struct ce_check_view *view, struct ce_findings *out)
{
    ce_gpu_each(view, CE_GPU_ECC_VOLATILE_CORRECTED, no_ecc, one_corrected, out);
}

static void one_sram(const struct ce_gpu_look *look, struct ce_findings *out)
{
    ce_findings_add(out, look->number ? CE_FAIL : CE_PASS, look->subject,
                    look->number ? "uncorrected SRAM errors are past NVIDIA's threshold"
                                 : "uncorrected SRAM errors are below NVIDIA's threshold");
}

static void judge_sram(const struct ce_check_view *view, struct ce_findings *out)
{
    ce_gpu_each(view, CE_GPU_SRAM_EXCEEDED, "it has no such threshold", one_sram, out);
}

/* ---------------------------------------------------------------- rows and pages */

static void one_remap_pending(const struct ce_gpu_look *look, struct ce_findings *out)
{
    if (ce_gpu_came(look, CE_GPU_REMAP_PENDING))
        ce_findings_add(out, CE_SKIP, look->subject, "gpu.job.remap tells of it");
    else
        ce_findings_add(out, look->number ? CE_FAIL : CE_PASS, look->subject,
                        look->number ? "a row remap is pending" : "no row remap is pending");
}

static void judge_remap_pending(const struct ce_check_view *view, struct ce_findings *out)
{
    ce_gpu_each(view, CE_GPU_REMAP_PENDING, no_remap, one_remap_pending, out);
}

static void one_remap_failure(const struct ce_gpu_look *look, struct ce_findings *out)
{
    if (ce_gpu_came(look, CE_GPU_REMAP_FAILURE))
        ce_findings_add(out, CE_SKIP, look->subject, "gpu.job.remap tells of it");
    else
        ce_findings_add(out, look->number ? CE_FAIL : CE_PASS, look->subject,
                        look->number ? "a row remap failed" : "no row remap failed");
}

static void judge_remap_failure(const struct ce_check_view *view, struct ce_findings *out)
{
    ce_gpu_each(view, CE_GPU_REMAP_FAILURE, no_remap, one_remap_failure, out);
}

static void one_remap_total(const struct ce_gpu_look *look, struct ce_findings *out)
{
    ce_findings_add(out, look->number > look->view->limit ? CE_FAIL : CE_PASS, look->subject,
                    "%" PRIu64 " rows remapped by uncorrected errors", look->number);
}

static void judge_remap_total(const struct ce_check_view *view, struct ce_findings *out)
{
    ce_gpu_each(view, CE_GPU_REMAP_UNCORRECTED, no_remap, one_remap_total, out);
}

static void one_retired_pending(const struct ce_gpu_look *look, struct ce_findings *out)
{
    ce_findings_add(out, look->number ? CE_FAIL : CE_PASS, look->subject,
                    look->number ? "a page retirement is pending"
                                 : "no page retirement is pending");
}

static void judge_retired_pending(const struct ce_check_view *view, struct ce_findings *out)
{
    ce_gpu_each(view, CE_GPU_RETIRED_PENDING, no_retirement, one_retired_pending, out);
}

static void one_retired(const struct ce_gpu_look *look, struct ce_findings *out)
{
    uint64_t single = look->number, twice = 0;
    ce_gpu_know(look->state, CE_GPU_RETIRED_DOUBLE, &twice);
    ce_findings_add(out,
                    single + twice > look->view->limit ? CE_FAIL
                    : single + twice > RETIRED_USUAL ? CE_WARN
                                                     : CE_PASS,
                    look->subject, "%" PRIu64 " pages retired", single + twice);
}

static void judge_retired(const struct ce_check_view *view, struct ce_findings *out)
{
    ce_gpu_each(view, CE_GPU_RETIRED_SINGLE, no_retirement, one_retired, out);
}

static void one_inforom(const struct ce_gpu_look *look, struct ce_findings *out)
{
    ce_findings_add(out, look->number ? CE_PASS : CE_FAIL, look->subject,
                    look->number ? "its InfoROM is valid" : "its InfoROM is corrupted");
}

static void judge_inforom(const struct ce_check_view *view, struct ce_findings *out)
{
    ce_gpu_each(view, CE_GPU_INFOROM, "no InfoROM", one_inforom, out);
}

#define RESET "reset the GPU, or reboot the node"
#define EXCHANGE "exchange the GPU (RMA)"

const struct ce_check ce_gpu_memory_checks[] = {
    {"gpu.remap.failure", CE_EVERY_PHASE, CE_DRAIN, CE_TELL, 0, "GPU", EXCHANGE,
     "no row of GPU memory failed to be remapped", judge_remap_failure},
    {"gpu.remap.pending", CE_EVERY_PHASE, CE_DRAIN, CE_TELL, 0, "GPU", RESET,
     "no row of GPU memory waits for a reset to be remapped", judge_remap_pending},
    {"gpu.remap.total", CE_EVERY_PHASE, CE_DRAIN, CE_TELL, 0, "GPU", EXCHANGE,
     "fewer than 512 rows were remapped by uncorrected errors", judge_remap_total},
    {"gpu.retired.pending", CE_EVERY_PHASE, CE_DRAIN, CE_TELL, 0, "GPU", RESET,
     "no page of GPU memory waits for its retirement", judge_retired_pending},
    {"gpu.retired.total", CE_EVERY_PHASE, CE_DRAIN, CE_TELL, 0, "GPU", EXCHANGE,
     "fewer than 63 pages are retired", judge_retired},
    {"gpu.sram.threshold", CE_EVERY_PHASE, CE_DRAIN, CE_TELL, 0, "GPU", EXCHANGE,
     "uncorrected SRAM errors are below NVIDIA's threshold", judge_sram},
    {"gpu.ecc.uncorrected", CE_EVERY_PHASE, CE_DRAIN, CE_TELL, 0, "GPU", RESET,
     "no uncorrected memory error since the driver was loaded", judge_uncorrected},
    {"gpu.ecc.aggregate", CE_EVERY_PHASE, CE_TELL, CE_TELL, 0, "GPU",
     "run NVIDIA's field diagnosis", "fewer than 5 uncorrected SRAM errors in the GPU's life",
     judge_aggregate},
    {"gpu.ecc.corrected", CE_EVERY_PHASE, CE_TELL, CE_TELL, 0, "GPU",
     "run NVIDIA's field diagnosis", "corrected memory errors are few", judge_corrected},
    {"gpu.ecc.mode", CE_EVERY_PHASE, CE_TELL, CE_TELL, 0, "GPU",
     "nvidia-smi -e, then reset the GPU", "ECC is on, or as expected", judge_mode},
    {"gpu.inforom", CE_EVERY_PHASE, CE_TELL, CE_TELL, 0, "GPU",
     "reset the GPU, exchange it where that does not help", "the InfoROM's checksums are right",
     judge_inforom},
};
const size_t ce_gpu_memory_check_count =
    sizeof ce_gpu_memory_checks / sizeof *ce_gpu_memory_checks;

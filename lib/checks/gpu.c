/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs. */
#include "checks/check.h"

static void judge_count(const struct ce_check_view *view, struct ce_findings *out)
{
    if (!view->node->gpu_count_known)
        ce_findings_add(out, CE_UNKNOWN, "", "the PCI bus cannot be read");
    else if (!view->gpus_expected)
        ce_findings_add(out, CE_SKIP, "", "no number of GPUs is expected");
    else if (view->node->gpu_count != view->gpus_expected)
        ce_findings_add(out, CE_FAIL, "", "%u GPUs on the PCI bus, expected %u",
                        view->node->gpu_count, view->gpus_expected);
    else
        ce_findings_add(out, CE_PASS, "", "%u GPUs on the PCI bus", view->node->gpu_count);
}

const struct ce_check ce_gpu_checks[] = {
    {"gpu.count", CE_EVERY_PHASE, CE_DRAIN, CE_TELL, false, "GPU",
     "a GPU fell off the bus: power-cycle the node, then reseat or exchange the GPU",
     "as many GPUs are on the PCI bus as expected", judge_count},
};
const size_t ce_gpu_check_count = sizeof ce_gpu_checks / sizeof *ce_gpu_checks;

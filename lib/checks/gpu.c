/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs. */
#include "checks/check.h"

/* More than expected is no fault of the node: the configuration is behind. */
static void judge_count(const struct ce_check_view *view, struct ce_findings *out)
{
    unsigned found = view->node->gpu_count, expected = view->gpus_expected;
    if (!expected) {
        ce_findings_add(out, CE_SKIP, "", "no number of GPUs is expected (gpus in cluster-env.conf)");
    } else if (view->shared && !view->job_gpus) {
        ce_findings_add(out, CE_SKIP, "", "the job has no GPU");
    } else if (!view->node->gpu_count_known) {
        ce_findings_add(out, CE_UNKNOWN, "", "the PCI bus cannot be read");
    } else if (found > expected) {
        ce_findings_add(out, CE_WARN, "", "%u GPUs on the PCI bus, expected %u", found, expected);
        ce_findings_remedy(out, "correct gpus in cluster-env.conf");
    } else {
        ce_findings_add(out, found < expected ? CE_FAIL : CE_PASS, "",
                        "%u GPU%s on the PCI bus, expected %u", found, found == 1 ? "" : "s",
                        expected);
    }
}

const struct ce_check ce_gpu_checks[] = {
    {"gpu.count", CE_EVERY_PHASE, CE_DRAIN, CE_TELL, 0, "GPU",
     "a GPU fell off the bus: power-cycle the node, then reseat or exchange the GPU",
     "as many GPUs are on the PCI bus as expected", judge_count},
};
const size_t ce_gpu_check_count = sizeof ce_gpu_checks / sizeof *ce_gpu_checks;

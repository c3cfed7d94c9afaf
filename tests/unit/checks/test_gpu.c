/* SPDX-License-Identifier: Apache-2.0 */
#include "judged.h"
#include "view.h"

static const struct row {
    const char *name, *check;
    bool known;
    unsigned found, expected;
    const char *findings;
} rows[] = {
    {"as_many_gpus_as_expected_pass", "gpu.count", true, 8, 8,
     "pass 8 GPUs on the PCI bus, expected 8\n"},
    {"seven_of_eight_fail", "gpu.count", true, 7, 8, "fail 7 GPUs on the PCI bus, expected 8\n"},
    {"one_of_eight_fails", "gpu.count", true, 1, 8, "fail 1 GPU on the PCI bus, expected 8\n"},
    {"none_of_eight_fails", "gpu.count", true, 0, 8, "fail 0 GPUs on the PCI bus, expected 8\n"},
    {"more_than_expected_are_no_fault", "gpu.count", true, 8, 4,
     "warn 8 GPUs on the PCI bus, expected 4 | correct gpus in cluster-env.conf\n"},
    {"a_bus_that_cannot_be_read_is_unknown", "gpu.count", false, 0, 8,
     "unknown the PCI bus cannot be read\n"},
    {"nor_is_a_bus_read_for_nothing", "gpu.count", false, 0, 0,
     "skip no number of GPUs is expected (gpus in cluster-env.conf)\n"},
    {"without_an_expectation_gpus_are_not_counted", "gpu.count", true, 8, 0,
     "skip no number of GPUs is expected (gpus in cluster-env.conf)\n"},
};

static void judges(void **state)
{
    const struct row *row = *state;
    const struct ce_node node = {.gpu_count = row->found, .gpu_count_known = row->known};
    const struct ce_check_view view = {.node = &node, .gpus_expected = row->expected};
    judged_are(judged_check(ce_gpu_checks, ce_gpu_check_count, row->check), &view, row->findings);
}

#define ONE_GPU FRAMED("gpu.count=1\ngpu.0.pci=0000:1b:00.0\ngpu.0.pci_id=10de:2330\n")

static void of_a_job_without_gpus_none_is_looked_at(void **state)
{
    static const char *const checks[] = {"gpu.count", "gpu.nvml", "gpu.processes", "gpu.ecc.uncorrected",
                                         "gpu.xid", "gpu.sxid"};
    ce_auto(ce_node_destroy) struct ce_node *node = view_node(ONE_GPU);
    const struct ce_check_view view = {.node = node, .gpus_expected = 8, .shared = true};
    (void)state;
    for (size_t i = 0; i < UNIT_COUNT(checks); i++)
        judged_are(ce_health_check_find(checks[i]), &view, "skip the job has no GPU\n");
}

static void leftovers_on_gpus_that_may_be_anothers_are_nobodys(void **state)
{
    static const char *const checks[] = {"gpu.processes", "gpu.memory.leftover"};
    ce_auto(ce_node_destroy) struct ce_node *node = view_node(ONE_GPU);
    const struct ce_check_view view = {.node = node, .shared = true, .job_gpus = 1, .job_gpus_unsure = true};
    (void)state;
    for (size_t i = 0; i < UNIT_COUNT(checks); i++)
        judged_are(ce_health_check_find(checks[i]), &view, "skip which GPUs are the job's is not known\n");
}

int main(void)
{
    UNIT_TABLE(rows, judges);
    UNIT_RULE(of_a_job_without_gpus_none_is_looked_at);
    UNIT_RULE(leftovers_on_gpus_that_may_be_anothers_are_nobodys);
    return UNIT_RUN("checks/gpu");
}

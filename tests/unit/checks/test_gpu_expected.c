/* SPDX-License-Identifier: Apache-2.0 */
/* Driver and VBIOS against what the configuration expects. */
#include "checks/check.h"

#include "view.h"

#define GPU(n, pci, vbios)                                                                         \
    "gpu." n ".pci=" pci "\ngpu." n ".pci_id=10de:2330\ngpu." n ".nvml.asked=answered\n"           \
    "gpu." n ".nvml.name=H100\n" vbios
#define TWO(driver, vbios)                                                                         \
    FRAMED("gpu.count=2\n" driver GPU("0", "0000:1b:00.0", "gpu.0.nvml.vbios=96.1\n")              \
               GPU("1", "0000:43:00.0", vbios))
#define DRIVER "nvml.driver=570.86.15\n"

static const struct row {
    const char *name, *check, *driver, *vbios[3], *now, *says;
} rows[] = {
    {"the_driver_that_is_expected", "gpu.driver", "570.86.15", {NULL}, TWO(DRIVER, ""),
     "pass driver 570.86.15"},
    {"another_driver", "gpu.driver", "570.86.15", {NULL}, TWO("nvml.driver=565.57.01\n", ""),
     "fail driver 565.57.01, expected 570.86.15"},
    {"a_driver_that_does_not_tell", "gpu.driver", "570.86.15", {NULL}, TWO("", ""),
     "unknown the driver does not tell its version"},
    {"no_library", "gpu.driver", "570.86.15", {NULL},
     TWO("nvml.error=probe-gpu: no answer in 2.5 s\n", ""),
     "unknown the driver does not tell its version"},
    {"any_driver", "gpu.driver", "", {NULL}, TWO(DRIVER, ""),
     "skip no driver is expected (driver in cluster-env.conf)"},
    {"no_gpu_needs_no_driver", "gpu.driver", "570.86.15", {NULL}, FRAMED("gpu.count=0\n"),
     "skip no NVIDIA GPU"},

    {"the_vbios_that_is_expected", "gpu.vbios", "", {"96.0", "96.1"},
     TWO(DRIVER, "gpu.1.nvml.vbios=96.0\n"),
     "pass GPU 0 (0000:1b:00.0) VBIOS 96.1\npass GPU 1 (0000:43:00.0) VBIOS 96.0"},
    {"both_alike_and_both_wrong", "gpu.vbios", "", {"96.2"},
     TWO(DRIVER, "gpu.1.nvml.vbios=96.1\n"),
     "fail GPU 0 (0000:1b:00.0) VBIOS 96.1, expected 96.2\n"
     "fail GPU 1 (0000:43:00.0) VBIOS 96.1, expected 96.2"},
    {"a_vbios_that_is_not_told", "gpu.vbios", "", {"96.1", "96.2"}, TWO(DRIVER, ""),
     "pass GPU 0 (0000:1b:00.0) VBIOS 96.1\n"
     "unknown GPU 1 (0000:43:00.0) it does not tell its VBIOS"},
};

static void says(void **state)
{
    const struct row *row = *state;
    struct ce_policy policy;
    ce_policy_default(&policy);
    snprintf(policy.driver, sizeof policy.driver, "%s", row->driver);
    for (; row->vbios[policy.vbios_count]; policy.vbios_count++)
        snprintf(policy.vbios[policy.vbios_count], sizeof *policy.vbios, "%s",
                 row->vbios[policy.vbios_count]);
    view_says(row->check, NULL, row->now, &policy, row->says);
}

int main(void)
{
    UNIT_TABLE(rows, says);
    return UNIT_RUN("checks/gpu_expected");
}

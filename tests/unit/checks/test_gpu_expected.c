/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs and their driver against what the configuration expects. */
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

#define SET(lines) FRAMED("gpu.count=1\n" GPU("0", "0000:1b:00.0", lines))
#define G "GPU 0 (0000:1b:00.0) "

static const struct setting {
    const char *name, *check;
    enum ce_answer mig, ecc;
    unsigned watts;
    const char *now, *says;
} settings[] = {
    {"mig_is_to_be_on", "gpu.mig", CE_ANSWER_YES, 0, 0,
     SET("gpu.0.nvml.mig.mode=1\n"), "pass " G "MIG is on"},
    {"mig_is_to_be_on_and_is_not", "gpu.mig", CE_ANSWER_YES, 0, 0,
     SET("gpu.0.nvml.mig.mode=0\n"), "fail " G "MIG is off"},
    {"mig_is_to_be_off_and_is_not", "gpu.mig", CE_ANSWER_NO, 0, 0,
     SET("gpu.0.nvml.mig.mode=1\n"), "fail " G "MIG is on"},
    {"a_gpu_without_mig", "gpu.mig", CE_ANSWER_NO, 0, 0,
     SET("gpu.0.nvml.mig.mode=none\n"), "skip " G "no MIG"},
    {"ecc_is_to_be_off", "gpu.ecc.mode", 0, CE_ANSWER_NO, 0,
     SET("gpu.0.nvml.ecc.mode=0\n"), "pass " G "ECC is off"},
    {"ecc_is_to_be_off_and_is_not", "gpu.ecc.mode", 0, CE_ANSWER_NO, 0,
     SET("gpu.0.nvml.ecc.mode=1\n"), "fail " G "ECC is on"},
    {"ecc_is_to_be_on", "gpu.ecc.mode", 0, CE_ANSWER_YES, 0,
     SET("gpu.0.nvml.ecc.mode=0\n"), "fail " G "ECC is off"},
    {"the_power_limit_that_is_expected", "gpu.power.limit", 0, 0, 700,
     SET("gpu.0.nvml.power.enforced=700000\n"), "pass " G "power limit 700 W, expected 700"},
    {"another_power_limit", "gpu.power.limit", 0, 0, 700,
     SET("gpu.0.nvml.power.enforced=500000\n"), "fail " G "power limit 500 W, expected 700"},
    {"a_power_limit_that_is_not_told", "gpu.power.limit", 0, 0, 700,
     SET("gpu.0.nvml.power.enforced=error:999\n"), "unknown " G "the driver says: unknown error"},
};

static void holds_against(void **state)
{
    const struct setting *row = *state;
    struct ce_policy policy;
    ce_policy_default(&policy);
    policy.mig = row->mig;
    policy.ecc = row->ecc;
    policy.power_watts = row->watts;
    view_says(row->check, NULL, row->now, &policy, row->says);
}

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
    UNIT_TABLE(settings, holds_against);
    return UNIT_RUN("checks/gpu_expected");
}

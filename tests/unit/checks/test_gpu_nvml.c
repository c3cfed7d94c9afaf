/* SPDX-License-Identifier: Apache-2.0 */
/* GPU checks: a healthy machine, a few lines changed, and what is found.  Each check has a row for
 * pass, fail, unknown and skip; known mistakes of other checkers are rows with their names. */
#include "health/health.h"

#include <stdlib.h>

#include "judged.h"

/* Two GPUs of an HGX H100, as node.facts has them. */
#define GPU(n, pci)                                                                                \
    "gpu." n ".pci=" pci "\ngpu." n ".pci_id=10de:2330\n"                                          \
    "gpu." n ".nvml.asked=answered\ngpu." n ".nvml.name=NVIDIA H100 80GB HBM3\n"                   \
    "gpu." n ".nvml.vbios=96.00.89.00.01\n"                                                        \
    "gpu." n ".nvml.ecc.mode=1\ngpu." n ".nvml.ecc.mode_next=1\n"                                  \
    "gpu." n ".nvml.ecc.volatile.corrected=0\ngpu." n ".nvml.ecc.volatile.uncorrected=0\n"         \
    "gpu." n ".nvml.ecc.aggregate.uncorrected=0\n"                                                 \
    "gpu." n ".nvml.dram.volatile.corrected=0\ngpu." n ".nvml.dram.volatile.uncorrected=0\n"       \
    "gpu." n ".nvml.dram.aggregate.uncorrected=0\n"                                                \
    "gpu." n ".nvml.sram.volatile.corrected=0\ngpu." n ".nvml.sram.volatile.uncorrected=0\n"       \
    "gpu." n ".nvml.sram.aggregate.uncorrected=0\ngpu." n ".nvml.sram.exceeded=0\n"                \
    "gpu." n ".nvml.remap.corrected=0\ngpu." n ".nvml.remap.uncorrected=0\n"                       \
    "gpu." n ".nvml.remap.pending=0\ngpu." n ".nvml.remap.failure=0\n"                             \
    "gpu." n ".nvml.retired.single=0\ngpu." n ".nvml.retired.double=0\n"                           \
    "gpu." n ".nvml.retired.pending=0\ngpu." n ".nvml.inforom=1\ngpu." n ".nvml.recovery=0\n"      \
    "gpu." n ".nvml.fabric.state=3\ngpu." n ".nvml.fabric.status=0\n"                              \
    "gpu." n ".nvml.fabric.health=1\n"                                                             \
    "gpu." n ".nvml.pcie.gen=5\ngpu." n ".nvml.pcie.gen_max=5\ngpu." n ".nvml.pcie.gen_own=5\n"    \
    "gpu." n ".nvml.pcie.width=16\ngpu." n ".nvml.pcie.width_max=16\n"                             \
    "gpu." n ".nvml.temperature.now=32\ngpu." n ".nvml.temperature.max=83\n"                       \
    "gpu." n ".nvml.temperature.slowdown=87\ngpu." n ".nvml.temperature.margin=55\n"               \
    "gpu." n ".nvml.clocks.reasons=1\ngpu." n ".nvml.power.enforced=700000\n"                      \
    "gpu." n ".nvml.persistence=1\ngpu." n ".nvml.mig.mode=0\ngpu." n ".nvml.mig.mode_next=0\n"    \
    "gpu." n ".nvml.memory.used=0\ngpu." n ".nvml.processes=0\ngpu." n ".nvml.links=3\n"           \
    "gpu." n ".nvml.link.active=1 1 1\ngpu." n ".nvml.link.speed_mbytes=26562 26562 26562\n"       \
    "gpu." n ".nvml.link.replays=0 0 0\ngpu." n ".nvml.link.recoveries=0 0 0\n"                    \
    "gpu." n ".nvml.link.crc_data=0 0 0\ngpu." n ".nvml.link.crc_flit=900 900 900\n"

static const char healthy[] = "gpu.count=2\nnvml.driver=570.86.15\n" GPU("0", "0000:1b:00.0")
    GPU("1", "0000:43:00.0");

#define LOST "gpu.1.nvml.error=15\n"
#define LONE "gpu.count=1\n"

static const struct row {
    const char *name, *check;
    const char *changes; /* lines in place of healthy ones; "KEY" alone: without it; "both.KEY": of
                          * both GPUs */
    enum ce_verdict worst;
    const char *text; /* a part of the last of the worst findings */
    bool drains;
} rows[] = {
    {"nvml_pass", "gpu.nvml", "", CE_PASS, "NVML answers", false},
    {"nvml_fail_lost", "gpu.nvml", LOST, CE_FAIL, "GPU is lost", true},
    {"nvml_fail_reset_required", "gpu.nvml", "gpu.1.nvml.error=16\n", CE_FAIL, "requires a reset",
     true},
    {"nvml_fail_driver_not_loaded", "gpu.nvml",
     "nvml.error=the NVIDIA driver is not loaded\nnvml.code=9\nboth.asked\n", CE_FAIL, "not loaded",
     true},
    {"nvml_unknown_error_never_drains", "gpu.nvml", "gpu.1.nvml.error=999\n", CE_UNKNOWN,
     "unknown error", false},
    {"nvml_unknown_hang_names_the_gpu", "gpu.nvml",
     "nvml.error=probe-gpu: no answer in 10 s\ngpu.1.nvml.asked=late\n", CE_UNKNOWN,
     "the driver hangs: probe-gpu: no answer in 10 s", false},
    {"nvml_unknown_helper_crashed", "gpu.nvml",
     "nvml.error=probe-gpu: ended by signal 11\nboth.asked\n", CE_UNKNOWN, "ended by signal 11",
     false},
    {"nvml_unknown_helper_crashed_at_the_second", "gpu.nvml",
     "nvml.error=probe-gpu: ended by signal 11\ngpu.1.nvml.asked\n", CE_UNKNOWN, "ended by signal 11", false},
    {"nvml_unknown_library_missing", "gpu.nvml",
     "nvml.error=libnvidia-ml.so.1: cannot open shared object file\nboth.asked\n", CE_UNKNOWN,
     "cannot open", false},
    {"nvml_a_gpu_that_only_the_bus_has_warns", "gpu.nvml", "gpu.1.nvml.error=6\n", CE_WARN,
     "does not have this GPU", false},
    {"nvml_skip_not_asked", "gpu.nvml", "both.asked\nnvml.driver\n", CE_SKIP, "was not asked",
     false},
    {"nvml_skip_after_a_fatal_xid", "gpu.nvml", "gpu.1.nvml.asked=skipped\n", CE_SKIP, "kernel log",
     false},
    {"nvml_skip_gpus_of_others", "gpu.nvml",
     "both.asked\ngpu.0.pci_id=1002:75a0\ngpu.1.pci_id=1002:75a0\n", CE_SKIP, "no NVIDIA GPU",
     false},

    {"recovery_pass", "gpu.recovery_action", "", CE_PASS, "nothing done", false},
    {"recovery_fail_reset", "gpu.recovery_action", "gpu.1.nvml.recovery=1\n", CE_FAIL, "GPU reset",
     true},
    {"recovery_fail_reboot", "gpu.recovery_action", "gpu.1.nvml.recovery=2\n", CE_FAIL, "rebooted",
     true},
    {"recovery_drain_p2p_warns", "gpu.recovery_action", "gpu.1.nvml.recovery=3\n", CE_WARN,
     "peer-to-peer", false},
    {"recovery_fail_drain_and_reset", "gpu.recovery_action", "gpu.1.nvml.recovery=4\n", CE_FAIL,
     "drained and reset", true},
    {"recovery_unknown_a_word_of_the_future", "gpu.recovery_action", "gpu.1.nvml.recovery=99\n",
     CE_UNKNOWN, "action 99", false},
    {"recovery_skip_old_driver", "gpu.recovery_action", "gpu.1.nvml.recovery=old\n", CE_SKIP,
     "570.86.15 is too old", false},

    {"persistence_pass", "gpu.persistence", "", CE_PASS, "on", false},
    {"persistence_fail_only_warns", "gpu.persistence", "gpu.1.nvml.persistence=0\n", CE_FAIL, "off",
     false},
    {"persistence_unknown", "gpu.persistence", "gpu.1.nvml.persistence=error:4\n", CE_UNKNOWN,
     "permission", false},
    {"persistence_skip", "gpu.persistence", "gpu.1.nvml.persistence=none\n", CE_SKIP, "no", false},

    {"a_fact_of_a_gpu_that_would_hang_is_skipped", "gpu.persistence", "gpu.1.nvml.asked=skipped\n", CE_SKIP,
     "not asked: by the kernel log it would hang", false},
    {"a_fact_of_a_gpu_that_hangs_is_unknown", "gpu.persistence",
     "nvml.error=probe-gpu: no answer in 10 s\ngpu.1.nvml.asked=late\n", CE_UNKNOWN,
     "the driver hangs: probe-gpu: no answer in 10 s", false},
    {"a_fact_after_a_crash_is_unknown", "gpu.persistence",
     "nvml.error=probe-gpu: ended by signal 11\ngpu.1.nvml.asked\n", CE_UNKNOWN, "ended by signal 11", false},

    {"mig_pass", "gpu.mig", "", CE_PASS, "MIG is off", false},
    {"mig_on_everywhere_is_well", "gpu.mig", "both.mig.mode=1\nboth.mig.mode_next=1\n", CE_PASS,
     "MIG is on", false},
    {"mig_warn_pending", "gpu.mig", "gpu.1.nvml.mig.mode_next=1\n", CE_WARN, "next reset", false},
    {"mig_of_one_of_two_is_nobodys_fault", "gpu.mig", "gpu.1.nvml.mig.mode=1\ngpu.1.nvml.mig.mode_next=1\n", CE_PASS,
     "", false}, /* one of two: nobody knows which is right */
    {"mig_unknown", "gpu.mig", "gpu.1.nvml.mig.mode=error:999\n", CE_UNKNOWN, "unknown error",
     false},
    {"mig_skip", "gpu.mig", "both.mig.mode=none\n", CE_SKIP, "no MIG", false},

    {"vbios_pass", "gpu.vbios", "", CE_PASS, "96.00.89.00.01", false},
    {"vbios_warn", "gpu.vbios", "gpu.1.nvml.vbios=96.00.74.00.01\n", CE_WARN, "several others",
     false},
    {"vbios_unknown", "gpu.vbios", "gpu.1.nvml.vbios\n", CE_UNKNOWN, "does not tell", false},
    {"vbios_skip", "gpu.vbios", LONE, CE_SKIP, "no other GPU", false},

    {"remap_failure_pass", "gpu.remap.failure", "", CE_PASS, "", false},
    {"an_rma_grade_remap_failure_without_pending_drains", "gpu.remap.failure",
     "gpu.1.nvml.remap.failure=1\ngpu.1.nvml.remap.pending=0\n", CE_FAIL, "a row remap failed",
     true},
    {"remap_failure_unknown", "gpu.remap.failure", "gpu.1.nvml.remap.failure=error:999\n",
     CE_UNKNOWN, "unknown error", false},
    {"remap_failure_unknown_of_a_lost_gpu", "gpu.remap.failure", LOST "gpu.1.nvml.remap.failure\n",
     CE_UNKNOWN, "GPU is lost", false},
    {"remap_failure_skip", "gpu.remap.failure", "both.remap.failure=none\n", CE_SKIP,
     "no row remapping", false},
    {"remap_pending_pass", "gpu.remap.pending", "gpu.1.nvml.remap.uncorrected=3\n", CE_PASS, "",
     false},
    {"remap_pending_fail", "gpu.remap.pending", "gpu.1.nvml.remap.pending=1\n", CE_FAIL, "pending",
     true},
    {"remap_pending_unknown", "gpu.remap.pending", "gpu.1.nvml.remap.pending\n", CE_UNKNOWN,
     "did not tell", false},
    {"remap_pending_skip", "gpu.remap.pending", "both.remap.pending=none\n", CE_SKIP,
     "no row remapping", false},
    {"remap_total_pass", "gpu.remap.total", "gpu.1.nvml.remap.uncorrected=511\n", CE_PASS, "511",
     false},
    {"remap_total_of_512_is_not_dead_code", "gpu.remap.total",
     "gpu.1.nvml.remap.uncorrected=512\n", CE_FAIL, "512 rows", true},
    {"remap_total_unknown", "gpu.remap.total", "gpu.1.nvml.remap.uncorrected=error:10\n",
     CE_UNKNOWN, "too slowly", false},
    {"remap_total_skip", "gpu.remap.total", "both.remap.uncorrected=none\n", CE_SKIP,
     "no row remapping", false},

    {"retired_pending_pass", "gpu.retired.pending", "", CE_PASS, "", false},
    /* A script compared nvidia-smi's "Yes" by -gt, as if it were 0. */
    {"retired_pending_yes_is_more_than_0", "gpu.retired.pending", "gpu.1.nvml.retired.pending=1\n",
     CE_FAIL, "pending", true},
    {"retired_pending_unknown", "gpu.retired.pending", "gpu.1.nvml.retired.pending=error:999\n",
     CE_UNKNOWN, "unknown error", false},
    {"retired_pending_skip", "gpu.retired.pending", "both.retired.pending=none\n", CE_SKIP,
     "no page retirement", false},
    {"retired_total_pass", "gpu.retired.total", "gpu.1.nvml.retired.single=14\n", CE_PASS, "14",
     false},
    {"retired_total_warn", "gpu.retired.total", "gpu.1.nvml.retired.single=15\n", CE_WARN, "15",
     false},
    {"retired_total_fail", "gpu.retired.total",
     "gpu.1.nvml.retired.single=60\ngpu.1.nvml.retired.double=3\n", CE_FAIL, "63 pages", true},
    {"retired_total_unknown", "gpu.retired.total", "gpu.1.nvml.retired.single\n", CE_UNKNOWN, "",
     false},
    {"retired_total_skip", "gpu.retired.total", "both.retired.single=none\n", CE_SKIP,
     "no page retirement", false},

    {"sram_pass", "gpu.sram.threshold", "", CE_PASS, "below", false},
    {"sram_fail", "gpu.sram.threshold", "gpu.1.nvml.sram.exceeded=1\n", CE_FAIL, "past", true},
    {"sram_unknown", "gpu.sram.threshold", "gpu.1.nvml.sram.exceeded=error:999\n", CE_UNKNOWN, "",
     false},
    {"sram_skip_missing_symbol", "gpu.sram.threshold", "gpu.1.nvml.sram.exceeded=old\n", CE_SKIP,
     "too old", false},
    {"ecc_uncorrected_pass", "gpu.ecc.uncorrected", "", CE_PASS, "", false},
    {"ecc_uncorrected_fail", "gpu.ecc.uncorrected",
     "gpu.1.nvml.ecc.volatile.uncorrected=2\ngpu.1.nvml.dram.volatile.uncorrected=2\n", CE_FAIL,
     "2 uncorrected memory errors (DRAM 2, SRAM 0)", true},
    {"an_aggregate_ue_of_long_ago_is_no_fault", "gpu.ecc.uncorrected",
     "gpu.1.nvml.ecc.aggregate.uncorrected=7\ngpu.1.nvml.dram.aggregate.uncorrected=7\n", CE_PASS,
     "", false},
    {"ecc_uncorrected_unknown", "gpu.ecc.uncorrected",
     "gpu.1.nvml.ecc.volatile.uncorrected=error:999\n", CE_UNKNOWN, "", false},
    {"ecc_uncorrected_skip", "gpu.ecc.uncorrected", "both.ecc.volatile.uncorrected=none\n", CE_SKIP,
     "no ECC", false},
    {"ecc_aggregate_pass_dram_of_long_ago", "gpu.ecc.aggregate",
     "gpu.1.nvml.dram.aggregate.uncorrected=7\ngpu.1.nvml.sram.aggregate.uncorrected=4\n", CE_PASS,
     "", false},
    {"ecc_aggregate_fail_only_warns", "gpu.ecc.aggregate",
     "gpu.1.nvml.sram.aggregate.uncorrected=5\n", CE_FAIL, "5 uncorrected SRAM", false},
    {"ecc_aggregate_unknown", "gpu.ecc.aggregate", "gpu.1.nvml.sram.aggregate.uncorrected\n",
     CE_UNKNOWN, "", false},
    {"ecc_aggregate_skip", "gpu.ecc.aggregate", "both.sram.aggregate.uncorrected=none\n", CE_SKIP,
     "not counted", false},
    {"ecc_corrected_pass", "gpu.ecc.corrected", "gpu.1.nvml.dram.volatile.corrected=20000000\n",
     CE_PASS, "", false},
    {"ecc_corrected_fail_only_warns", "gpu.ecc.corrected",
     "gpu.1.nvml.sram.volatile.corrected=10001\n", CE_FAIL, "10001 in SRAM", false},
    {"ecc_corrected_unknown", "gpu.ecc.corrected", "gpu.1.nvml.ecc.volatile.corrected=error:999\n",
     CE_UNKNOWN, "", false},
    {"ecc_corrected_skip", "gpu.ecc.corrected", "both.ecc.volatile.corrected=none\n", CE_SKIP,
     "no ECC", false},
    {"ecc_mode_pass", "gpu.ecc.mode", "", CE_PASS, "on", false},
    {"ecc_mode_fail_only_warns", "gpu.ecc.mode",
     "gpu.1.nvml.ecc.mode=0\ngpu.1.nvml.ecc.mode_next=0\n", CE_FAIL, "off", false},
    {"ecc_mode_pending", "gpu.ecc.mode", "gpu.1.nvml.ecc.mode_next=0\n", CE_WARN, "next reset",
     false},
    {"ecc_mode_unknown", "gpu.ecc.mode", "gpu.1.nvml.ecc.mode=error:999\n", CE_UNKNOWN, "", false},
    {"ecc_mode_skip", "gpu.ecc.mode", "both.ecc.mode=none\n", CE_SKIP, "no ECC", false},
    {"inforom_pass", "gpu.inforom", "", CE_PASS, "valid", false},
    {"inforom_fail_only_warns", "gpu.inforom", "gpu.1.nvml.inforom=0\n", CE_FAIL, "corrupted",
     false},
    {"inforom_unknown", "gpu.inforom", "gpu.1.nvml.inforom=error:999\n", CE_UNKNOWN, "", false},
    {"inforom_skip", "gpu.inforom", "both.inforom=none\n", CE_SKIP, "no InfoROM", false},

    {"nvlink_pass", "gpu.nvlink.state", "", CE_PASS, "3 NVLinks active", false},
    {"nvlink_fail_names_the_links", "gpu.nvlink.state", "gpu.1.nvml.link.active=1 0 0\n", CE_FAIL,
     "NVLink links 1, 2 inactive", true},
    {"nvlink_fail_none_is_active", "gpu.nvlink.state", "gpu.1.nvml.link.active=0 0 0\n", CE_FAIL,
     "none of its 3", true},
    {"nvlink_the_same_links_of_all_gpus_warn", "gpu.nvlink.state", "both.link.active=1 1 0\n",
     CE_WARN, "as of all GPUs", false},
    {"nvlink_unknown", "gpu.nvlink.state", "gpu.1.nvml.link.active=1 error:999 1\n", CE_UNKNOWN,
     "1 of its 3", false},
    {"nvlink_of_a_lost_gpu_is_unknown", "gpu.nvlink.state", LOST "gpu.1.nvml.links\n", CE_UNKNOWN, "GPU is lost",
     false},
    {"a_gpu_without_nvlink_skips", "gpu.nvlink.state", "both.links\n", CE_SKIP, "no NVLink", false},
    {"a_card_without_a_bridge_skips", "gpu.nvlink.state",
     "both.name=NVIDIA H100 PCIe\nboth.fabric.state=none\nboth.link.active=0 0 0\n", CE_SKIP,
     "no NVLink bridge", false},
    {"nvlink_of_a_gpu_with_mig_skips", "gpu.nvlink.state",
     "both.mig.mode=1\nboth.link.active=0 0 0\n", CE_SKIP, "MIG is on", false},
    {"nvlink_speed_pass", "gpu.nvlink.speed", "", CE_PASS, "26.562 GB/s", false},
    {"nvlink_speed_warn", "gpu.nvlink.speed", "gpu.1.nvml.link.speed_mbytes=26562 13281 26562\n",
     CE_WARN, "NVLink link 1: 13.281 GB/s, others have 26.562", false},
    {"nvlink_speed_unknown", "gpu.nvlink.speed",
     "gpu.1.nvml.link.speed_mbytes=error:999 error:999 error:999\n", CE_UNKNOWN, "", false},
    {"nvlink_speed_skip", "gpu.nvlink.speed", "both.links\n", CE_SKIP, "no NVLink", false},
    {"nvlink_speed_skip_none_is_active", "gpu.nvlink.speed", "both.link.active=0 0 0\n", CE_SKIP,
     "no NVLink is active", false},
    {"nvlink_errors_skip_none_is_active", "gpu.nvlink.errors", "both.link.active=0 0 0\n", CE_SKIP,
     "no NVLink is active", false},
    {"nvlink_speed_skip_old_driver", "gpu.nvlink.speed", "both.link.speed_mbytes=old old old\n", CE_SKIP,
     "driver 570.86.15 does not tell the speed", false},
    {"nvlink_errors_pass", "gpu.nvlink.errors", "gpu.1.nvml.link.replays=0 4 0\n", CE_PASS, "",
     false},
    {"nvlink_errors_warn", "gpu.nvlink.errors", "gpu.1.nvml.link.crc_data=0 0 5\n", CE_WARN,
     "NVLink link 2: up to 5", false},
    {"nvlink_errors_unknown", "gpu.nvlink.errors",
     "gpu.1.nvml.link.replays\ngpu.1.nvml.link.recoveries\ngpu.1.nvml.link.crc_data\n", CE_UNKNOWN,
     "", false},
    {"nvlink_errors_skip", "gpu.nvlink.errors", "both.links\n", CE_SKIP, "no NVLink", false},
    {"fabric_pass", "gpu.fabric", "", CE_PASS, "", false},
    {"fabric_state_of_all_gpus_not_only_gpu_0", "gpu.fabric", "gpu.1.nvml.fabric.state=2\n", CE_FAIL,
     "in progress, expected completed", true},
    {"fabric_completed_with_an_error_fails", "gpu.fabric", "gpu.1.nvml.fabric.status=999\n",
     CE_FAIL, "failed: ", true},
    {"fabric_unhealthy_fails", "gpu.fabric", "gpu.1.nvml.fabric.health=2\n", CE_FAIL, "unhealthy",
     true},
    {"fabric_limited_warns", "gpu.fabric", "gpu.1.nvml.fabric.health=3\n", CE_WARN, "limited",
     false},
    {"fabric_unknown", "gpu.fabric", "gpu.1.nvml.fabric.state=error:999\n", CE_UNKNOWN, "", false},
    {"fabric_skip", "gpu.fabric", "both.fabric.state=none\n", CE_SKIP, "no NVLink fabric", false},
    {"pcie_width_pass", "gpu.pcie.width", "", CE_PASS, "x16", false},
    {"pcie_width_fail", "gpu.pcie.width", "gpu.1.nvml.pcie.width=8\n", CE_FAIL,
     "PCIe x8, expected x16", true},
    {"pcie_width_unknown", "gpu.pcie.width", "gpu.1.nvml.pcie.width=error:999\n", CE_UNKNOWN, "",
     false},
    {"pcie_width_skip", "gpu.pcie.width", "both.pcie.width=none\n", CE_SKIP, "no PCIe", false},
    {"an_idle_gpus_pcie_gen_1_is_no_fault", "gpu.pcie.gen", "both.pcie.gen=1\n", CE_PASS,
     "generation 5", false},
    {"pcie_gen_warn", "gpu.pcie.gen",
     "gpu.count=3\ngpu.2.pci=0000:52:00.0\ngpu.2.nvml.asked=answered\ngpu.2.nvml.pcie.gen_max=3\n",
     CE_WARN, "generation 3 at most, its siblings have 5", false},
    {"pcie_gen_unknown", "gpu.pcie.gen", "gpu.1.nvml.pcie.gen_max\n", CE_UNKNOWN, "", false},
    {"pcie_gen_skip", "gpu.pcie.gen", "both.pcie.gen_max=none\n", CE_SKIP, "no PCIe", false},

    {"temperature_pass", "gpu.temperature", "", CE_PASS, "32 C", false},
    {"temperature_fail_by_its_own_limit", "gpu.temperature", "gpu.1.nvml.temperature.now=87\n",
     CE_FAIL, "87 C, it slows down at 87", true},
    {"temperature_fail_by_its_margin", "gpu.temperature",
     "gpu.1.nvml.temperature.slowdown=none\ngpu.1.nvml.temperature.margin=0\n", CE_FAIL,
     "no margin", true},
    {"temperature_warn", "gpu.temperature", "gpu.1.nvml.temperature.now=84\n", CE_WARN, "83",
     false},
    {"temperature_unknown", "gpu.temperature", "gpu.1.nvml.temperature.now=error:999\n", CE_UNKNOWN,
     "", false},
    {"temperature_skip", "gpu.temperature",
     "both.temperature.slowdown=none\nboth.temperature.margin=none\n", CE_SKIP, "no limit", false},
    {"clocks_pass_power_cap_is_normal", "gpu.clocks", "gpu.1.nvml.clocks.reasons=4\n", CE_PASS, "",
     false},
    {"clocks_fail_only_warns", "gpu.clocks", "gpu.1.nvml.clocks.reasons=136\n", CE_FAIL,
     "power brake (reasons 0x88)", false},
    {"clocks_warn", "gpu.clocks", "gpu.1.nvml.clocks.reasons=32\n", CE_WARN, "heat (software)",
     false},
    {"clocks_unknown", "gpu.clocks", "gpu.1.nvml.clocks.reasons=error:999\n", CE_UNKNOWN, "",
     false},
    {"clocks_skip", "gpu.clocks", "both.clocks.reasons=none\n", CE_SKIP, "does not tell", false},
    {"power_pass", "gpu.power.limit", "both.power.enforced=500000\n", CE_PASS, "500 W", false},
    {"power_warn", "gpu.power.limit",
     "gpu.count=3\ngpu.2.pci=0000:52:00.0\ngpu.2.nvml.asked=answered\n"
     "gpu.2.nvml.power.enforced=350000\n",
     CE_WARN, "350 W, its siblings have 700 W", false},
    {"power_unknown", "gpu.power.limit", "gpu.1.nvml.power.enforced=error:999\n", CE_UNKNOWN, "",
     false},
    {"power_skip", "gpu.power.limit", "both.power.enforced=none\n", CE_SKIP, "no power limit",
     false},

    {"processes_pass", "gpu.processes", "", CE_PASS, "no process", false},
    {"processes_fail_only_warns", "gpu.processes",
     "gpu.1.nvml.processes=2\ngpu.1.nvml.process.0=4711 1048576\ngpu.1.nvml.process.1=4712\n",
     CE_FAIL, "2 processes: 4711, 4712", false},
    {"processes_unknown", "gpu.processes", "gpu.1.nvml.processes=error:999\n", CE_UNKNOWN, "",
     false},
    {"processes_skip", "gpu.processes", "both.processes=none\n", CE_SKIP, "does not tell", false},
    {"memory_pass", "gpu.memory.leftover", "gpu.1.nvml.memory.used=15728640\n", CE_PASS, "15 MiB",
     false},
    {"memory_fail_only_warns", "gpu.memory.leftover", "gpu.1.nvml.memory.used=1073741824\n",
     CE_FAIL, "1024 MiB in use, and no process", false},
    {"memory_of_a_process_is_not_counted_twice", "gpu.memory.leftover",
     "gpu.1.nvml.memory.used=1073741824\ngpu.1.nvml.processes=1\n", CE_SKIP, "of its processes",
     false},
    {"memory_unknown", "gpu.memory.leftover", "gpu.1.nvml.memory.used\n", CE_UNKNOWN, "", false},
    {"memory_skip", "gpu.memory.leftover", "both.memory.used=old\n", CE_SKIP, "too old", false},
};

/* ---------------------------------------------------------------- the changed machine */

enum { LINES = 400, LENGTH = 160 };
struct lines {
    char line[LINES][LENGTH];
    size_t count;
};

static size_t key_length(const char *line)
{
    return strcspn(line, "=");
}

static void put(struct lines *lines, const char *line)
{
    size_t at = 0, length = key_length(line);
    for (; at < lines->count; at++)
        if (key_length(lines->line[at]) == length && strncmp(lines->line[at], line, length) == 0)
            break;
    assert_true(at < LINES);
    if (at == lines->count)
        lines->count++;
    snprintf(lines->line[at], LENGTH, "%s", line);
}

/* The GPUs past gpu.count would be of nobody, but their lines are passed over. */
static void put_all(struct lines *lines, const char *text)
{
    char line[LENGTH], both[LENGTH + 16];
    for (; *text; text += strcspn(text, "\n") + 1) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
        if (strncmp(line, "both.", 5) != 0) {
            put(lines, line);
            continue;
        }
        for (unsigned i = 0; i < 2; i++) {
            snprintf(both, sizeof both, "gpu.%u.nvml.%s", i, line + 5);
            put(lines, both);
        }
    }
}

static struct ce_node *change(const char *changes)
{
    static struct lines lines;
    ce_autotext struct ce_text text = CE_TEXT(1 << 16);
    struct ce_error err = {""};
    lines.count = 0;
    put_all(&lines, healthy);
    put_all(&lines, changes);
    ce_text_add(&text, "format=1\n");
    for (size_t i = 0; i < lines.count; i++)
        if (strchr(lines.line[i], '='))
            ce_text_addf(&text, "%s\n", lines.line[i]);
    ce_text_add(&text, "end=1\n");
    struct ce_node *node = ce_node_parse(ce_text_string(&text), &err);
    assert_string_equal(err.text, "");
    return node;
}

static void judge(const char *changes, const char *check, struct ce_findings *findings)
{
    struct ce_error err = {""};
    struct ce_policy policy;
    ce_auto(ce_node_destroy) struct ce_node *node = change(changes);
    ce_policy_default(&policy);
    assert_int_equal(ce_health_judge(node, &policy, CE_PROLOG, check, findings, &err), 0);
}

static void finds(void **state)
{
    const struct row *row = *state;
    ce_autofindings struct ce_findings findings = {.count = 0};
    judge(row->changes, row->check, &findings);
    enum ce_verdict worst = judged_worst(&findings);
    assert_true(findings.count > 0);
    assert_string_equal(ce_verdict_name(worst), ce_verdict_name(row->worst));
    for (size_t i = findings.count; i-- > 0;)
        if (findings.items[i].verdict == worst) {
            unit_holds(findings.items[i].text, row->text);
            break;
        }
    assert_int_equal(judged_drains(&findings), row->drains);
    seen(row->check, row->worst);
}

/* ---------------------------------------------------------------- rules of all of them */

static void a_healthy_machine_passes_all(void **state)
{
    ce_autofindings struct ce_findings findings = {.count = 0};
    (void)state;
    judge("", NULL, &findings);
    for (size_t i = 0; i < findings.count; i++)
        if (findings.items[i].verdict > CE_SKIP)
            assert_string_equal(findings.items[i].check, findings.items[i].text);
}

static void a_subject_has_number_and_address(void **state)
{
    ce_autofindings struct ce_findings findings = {.count = 0};
    (void)state;
    judge("gpu.1.nvml.remap.failure=1\n", "gpu.remap.failure", &findings);
    assert_int_equal(findings.count, 2);
    assert_string_equal(findings.items[1].subject, "GPU 1 (0000:43:00.0)");
}

/* A script ran uniq on VBIOS versions without sorting them. */
static void a_vbios_between_two_others_is_found(void **state)
{
    ce_autofindings struct ce_findings findings = {.count = 0};
    (void)state;
    judge("gpu.count=3\ngpu.2.pci=0000:52:00.0\ngpu.2.nvml.asked=answered\n"
          "gpu.2.nvml.name=NVIDIA H100 80GB HBM3\ngpu.2.nvml.vbios=96.00.89.00.01\n"
          "gpu.1.nvml.vbios=96.00.74.00.01\n",
          "gpu.vbios", &findings);
    assert_int_equal(findings.count, 3);
    assert_int_equal(findings.items[0].verdict, CE_PASS);
    assert_int_equal(findings.items[1].verdict, CE_WARN);
    assert_int_equal(findings.items[2].verdict, CE_PASS);
}

static void one_gpu_with_mig_among_three_warns(void **state)
{
    ce_autofindings struct ce_findings findings = {.count = 0};
    (void)state;
    judge("gpu.count=3\ngpu.2.pci=0000:52:00.0\ngpu.2.nvml.asked=answered\n"
          "gpu.2.nvml.mig.mode=1\ngpu.2.nvml.mig.mode_next=1\n",
          "gpu.mig", &findings);
    assert_int_equal(findings.items[2].verdict, CE_WARN);
    unit_holds(findings.items[2].text, "of its siblings it is not so");
}

static void leftovers_are_looked_for_around_jobs_only(void **state)
{
    (void)state;
    assert_int_equal(ce_health_check_find("gpu.processes")->phases, CE_PROLOG | CE_EPILOG);
}

int main(void)
{
    UNIT_TABLE(rows, finds);
    UNIT_RULE(a_healthy_machine_passes_all);
    UNIT_RULE(a_subject_has_number_and_address);
    UNIT_RULE(a_vbios_between_two_others_is_found);
    UNIT_RULE(one_gpu_with_mig_among_three_warns);
    UNIT_RULE(leftovers_are_looked_for_around_jobs_only);
    return UNIT_RUN("gpu");
}

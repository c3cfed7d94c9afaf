/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded kernel logs, tests/fixtures/kernel, on recorded machines.  Each check has a row for
 * pass, fail, unknown and skip; the rest are the mistakes of other checkers. */
#include <limits.h>

#include "../kernel.h"
#include "judged.h"
#include "checks/xid.h"
#include "health/health.h"
#include "launch/rails.h"
#include "report/findings.h"

#define DGX "dgx-h100"     /* eight GPUs, rails of InfiniBand */
#define OCI "oci-h100"     /* the same, rails of Ethernet */
#define BARE "workstation" /* no RDMA */
#define AMD "mi355x-ionic" /* no NVIDIA GPU */

static const struct row {
    const char *name, *check, *machine, *log; /* log NULL: it cannot be read */
    enum ce_verdict worst;
    const char *text; /* the first finding of this verdict has it */
    uint64_t since, job_gpus;
} rows[] = {
    {"xid_pass", "gpu.xid", DGX, "clean.kmsg", CE_PASS, "no Xid since boot", 0, 0},
    {"xid_fail", "gpu.xid", DGX, "fell-off.kmsg", CE_FAIL,
     "Xid 154: the driver asks for a reboot of the node at 0000:61:00.0", 0, 0},
    {"xid_unknown", "gpu.xid", DGX, NULL, CE_UNKNOWN, "the kernel log could not be read", 0, 0},
    {"xid_skip", "gpu.xid", AMD, NULL, CE_SKIP, "there is no NVIDIA GPU", 0, 0},
    {"sxid_pass", "gpu.sxid", DGX, "clean.kmsg", CE_PASS, "no SXid since boot", 0, 0},
    {"sxid_fail", "gpu.sxid", DGX, "sxid.kmsg", CE_FAIL,
     "SXid 20034 Fatal Link 30 LTSSM Fault Up (First)", 0, 0},
    {"sxid_warn_of_a_number_that_nobody_knows", "gpu.sxid", DGX, "sxid-unknown.kmsg", CE_WARN,
     "SXid 99999 Link 12 something new", 0, 0},
    {"sxid_of_before_the_job_does_not_count", "gpu.sxid", DGX, "sxid-unknown.kmsg", CE_PASS, "no SXid since the job",
     3000, 0},
    {"sxid_unknown", "gpu.sxid", DGX, NULL, CE_UNKNOWN, "could not be read", 0, 0},
    {"sxid_skip", "gpu.sxid", AMD, "clean.kmsg", CE_SKIP, "there is no NVIDIA GPU", 0, 0},
    {"link_flap_pass", "ib.link_flap", OCI, "clean.kmsg", CE_PASS, "did not go down", 0, 0},
    {"link_flap_fail", "ib.link_flap", OCI, "mlx5.dmesg", CE_FAIL,
     "link went down 5 times in the last 6 hours", 0, 0},
    {"link_flap_warn", "ib.link_flap", OCI, "mlx5-flaps.dmesg", CE_WARN,
     "link went down 2 times in the last 6 hours", 0, 0},
    {"link_flap_unknown", "ib.link_flap", OCI, NULL, CE_UNKNOWN, "could not be read", 0, 0},
    {"link_flap_skip", "ib.link_flap", BARE, "clean.kmsg", CE_SKIP, "there are no rails", 0, 0},
    {"module_temperature_pass", "ib.module.temperature", DGX, "clean.kmsg", CE_PASS, "no alarm", 0,
     0},
    {"module_temperature_fail", "ib.module.temperature", OCI, "mlx5.dmesg", CE_FAIL, "too hot", 0,
     0},
    {"module_temperature_unknown", "ib.module.temperature", OCI, NULL, CE_UNKNOWN, "not be read", 0,
     0},
    {"module_temperature_skip", "ib.module.temperature", BARE, NULL, CE_SKIP, "no rails", 0, 0},
    {"slot_power_pass", "ib.slot_power", DGX, "clean.kmsg", CE_PASS, "no complaint", 0, 0},
    {"slot_power_fail", "ib.slot_power", OCI, "mlx5.dmesg", CE_FAIL, "too little power, 27 W", 0,
     0},
    {"slot_power_unknown", "ib.slot_power", OCI, NULL, CE_UNKNOWN, "not be read", 0, 0},
    {"slot_power_skip", "ib.slot_power", BARE, NULL, CE_SKIP, "no rails", 0, 0},

    {"xid_13_on_bus_48_is_not_xid_48", "gpu.xid", DGX, "xid-13-on-bus-48.kmsg", CE_PASS, NULL, 0,
     0},
    {"a_recovery_to_none_is_healthy", "gpu.xid", DGX, "recovered.kmsg", CE_PASS, NULL, 0, 0},
    {"an_xid_of_yesterday_is_not_this_jobs", "gpu.xid", DGX, "yesterday.kmsg", CE_PASS,
     "no Xid since the job's start", 900, 0},
    {"before_a_job_it_still_counts", "gpu.xid", DGX, "yesterday.kmsg", CE_FAIL,
     "Xid 119 (firmware does not answer) at 0000:61:00.0", 0, 0},
    {"benign_xids_never_drain", "gpu.xid", DGX, "benign.kmsg", CE_PASS, NULL, 0, 0},
    {"unknown_numbers_are_told_and_do_not_drain", "gpu.xid", DGX, "unknown-numbers.kmsg", CE_WARN,
     "Xid 999 at 0000:1b:00.0", 0, 0},
    {"placeholders_and_garbage_are_nothing", "gpu.xid", DGX, "garbage.kmsg", CE_PASS, NULL, 0, 0},
    {"garbage_is_no_sxid_either", "gpu.sxid", DGX, "garbage.kmsg", CE_PASS, NULL, 0, 0},
    {"an_old_driver_and_loaded_anew", "gpu.xid", DGX, "old-driver.kmsg", CE_PASS, NULL, 0, 0},
    {"a_fault_of_a_gpu_that_is_not_the_jobs", "gpu.xid", DGX, "fell-off.kmsg", CE_PASS, NULL, 0,
     0x07},
    {"a_fault_of_a_gpu_of_the_job", "gpu.xid", DGX, "fell-off.kmsg", CE_FAIL, "0000:61:00.0", 0,
     0x08},
    {"dmesg_says_it_too", "gpu.xid", DGX, "fell-off.dmesg", CE_FAIL,
     "Xid 79 (fell off the bus) at 0000:61:00.0", 0, 0},
    {"nvlink_5_by_its_word", "gpu.xid", DGX, "nvlink5.kmsg", CE_FAIL,
     "Xid 149 (NVLink error) at 0000:1b:00.0", 0, 0},
    {"the_word_of_an_sxid_wins", "gpu.sxid", DGX, "sxid-nonfatal.kmsg", CE_PASS, NULL, 0, 0},
    {"without_a_word_the_table_of_sxids_holds", "gpu.sxid", DGX, "sxid-wordless.kmsg", CE_FAIL,
     "SXid 23001 Link 12 ingress", 0, 0},
    {"records_that_are_gone_are_unknown", "gpu.xid", DGX, "benign.kmsg", CE_UNKNOWN,
     "1999 lines of the kernel log since the job's start are lost", 1000, 0},
    {"a_log_of_a_later_boot_is_unknown", "gpu.xid", DGX, "benign.kmsg", CE_UNKNOWN,
     "younger than the job", 9000, 0},
    {"links_that_come_up_at_boot_are_no_flap", "ib.link_flap", OCI, "mlx5-boot.dmesg", CE_PASS,
     NULL, 0, 0},
    {"one_flap_in_a_job_is_one_too_many", "ib.link_flap", OCI, "mlx5.dmesg", CE_FAIL,
     "link went down 1 time since the job's start", 10, 0},
    {"infiniband_does_not_tell", "ib.link_flap", DGX, "clean.kmsg", CE_SKIP, "does not tell", 0, 0},
};

struct scene {
    struct ce_node *node;
    struct ce_rails rails;
    struct ce_check_port ports[CE_RAILS_MAX];
    struct ce_check_view view;
    struct ce_findings findings;
};

static struct ce_node *machine_node(const char *machine, const char *log, uint64_t since)
{
    char path[128];
    struct ce_error err = {""};
    snprintf(path, sizeof path, "machines/%s/node.facts", machine);
    char *text = kernel_fixture(path);
    struct ce_node *node = ce_node_parse(text, &err);
    free(text);
    assert_string_equal(err.text, "");
    if (log)
        node->kernel = kernel_recorded(log, since);
    node->kernel.unread = !log;
    return node;
}

static void look(struct scene *scene, const struct row *row)
{
    struct ce_error err;
    *scene = (struct scene){.node = machine_node(row->machine, row->log, row->since)};
    assert_int_equal(ce_rails_choose(scene->node, &scene->rails, &err), 0);
    for (size_t i = 0; i < scene->rails.port_count; i++)
        if (scene->rails.ports[i].chosen)
            scene->ports[scene->view.rail_count++] =
                (struct ce_check_port){scene->rails.ports[i].hca, scene->rails.ports[i].port};
    scene->view.node = scene->node;
    scene->view.rails = scene->ports;
    scene->view.kernel_since = row->since;
    scene->view.job_gpus = row->job_gpus;
    scene->view.shared = row->job_gpus != 0;
    const struct ce_check *check = ce_health_check_find(row->check);
    struct ce_policy policy;
    assert_non_null(check);
    ce_policy_default(&policy);
    scene->view.limit = ce_health_limit(check, &policy);
    check->judge(&scene->view, &scene->findings);
}

static void leave(struct scene *scene)
{
    ce_findings_free(&scene->findings);
    ce_rails_free(&scene->rails);
    ce_node_destroy(scene->node);
}

static void a_log(void **state)
{
    const struct row *row = *state;
    struct scene scene;
    look(&scene, row);
    assert_true(scene.findings.count > 0);
    assert_string_equal(ce_verdict_name(judged_worst(&scene.findings)),
                        ce_verdict_name(row->worst));
    const char *first = NULL;
    for (size_t i = 0; i < scene.findings.count && !first; i++)
        if (scene.findings.items[i].verdict == row->worst)
            first = scene.findings.items[i].text;
    if (row->text)
        unit_holds(first, row->text);
    seen(row->check, row->worst);
    leave(&scene);
}

/* ---------------------------------------------------------------- reasons */

static const struct reason_row {
    const char *name, *machine, *log, *reason;
} reasons[] = {
    {"a_gpu_that_fell_off", DGX, "fell-off.dmesg",
     "GPU 3 Xid 79 (fell off the bus) at 0000:61:00.0; reboot the node, reseat "
     "or exchange the GPU if it comes back [cluster-env gpu.xid]"},
    {"contained_errors_do_not_drain", DGX, "memory.kmsg",
     "GPU 0 Xid 48 (double bit memory error) at 0000:1b:00.0, GPU 2 Xid 95 (uncontained memory "
     "error) at 0000:52:00.0, GPU 3 Xid 64 (row could not be remapped) at 0000:61:00.0; reset the GPU or "
     "reboot the node [cluster-env gpu.xid]"},
    {"an_error_that_comes_back_is_the_gpus", DGX, "came-back.kmsg",
     "GPU 3 Xid 95 (uncontained memory error) at 0000:61:00.0, 2 times; it came back after a "
     "reset: exchange the GPU [cluster-env gpu.xid]"},
    {"a_switch", DGX, "sxid.kmsg",
     "0000:05:00.0 SXid 20034 Fatal Link 30 LTSSM Fault Up (First); reboot the node, "
     "have the NVSwitch and its NVLinks looked at if it comes back [cluster-env gpu.sxid]"},
    {"a_link_that_flaps_drains_the_rest_warns", OCI, "mlx5.dmesg",
     "mlx5_0 link went down 5 times in the last 6 hours; reseat or exchange the cable, look at the "
     "switch port [cluster-env ib.link_flap]"},
    {"benign_xids_give_no_reason", DGX, "benign.kmsg", ""},
    {"unknown_xids_give_no_reason", DGX, "unknown-numbers.kmsg", ""},
};

static void a_reason(void **state)
{
    const struct reason_row *row = *state;
    struct ce_policy policy;
    struct ce_error err;
    ce_autotext struct ce_text reason = CE_TEXT(1 << 16);
    ce_autofindings struct ce_findings findings = {.count = 0};
    ce_auto(ce_node_destroy) struct ce_node *node = machine_node(row->machine, row->log, 0);
    struct ce_findings kept = {.count = 0};
    ce_policy_default(&policy);
    assert_int_equal(ce_health_judge(node, &policy, CE_PROLOG, NULL, &findings, &err), 0);
    kept.items = findings.items; /* those of other checks are not asked here */
    for (size_t i = 0; i < findings.count; i++)
        for (size_t k = 0; k < ce_kernel_check_count; k++)
            if (strcmp(findings.items[i].check, ce_kernel_checks[k].name) == 0)
                kept.items[kept.count++] = findings.items[i];
    ce_report_reason(&kept, 0, &reason);
    assert_string_equal(ce_text_string(&reason), row->reason);
}

/* ---------------------------------------------------------------- rules */

static void facts_without_a_kernel_log_skip(void **state)
{
    (void)state;
    for (size_t i = 0; i < ce_kernel_check_count; i++) {
        ce_auto(ce_node_destroy) struct ce_node *node = machine_node(DGX, NULL, 0);
        node->kernel.unread = false;
        const struct ce_check_port rail = {node->hcas, node->hcas->ports};
        const struct ce_check_view view = {.node = node, .rails = &rail, .rail_count = 1};
        judged_are(&ce_kernel_checks[i], &view, "skip the facts have no kernel log\n");
    }
}

/* Beside the recorded log, what stands in no fixture. */
static void a_log_that_could_not_be_kept_is_unknown(void **state)
{
    (void)state;
    ce_auto(ce_node_destroy) struct ce_node *node = machine_node(OCI, "mlx5-boot.dmesg", 0);
    node->kernel.lost = true;
    const struct ce_check_view view = {.node = node};
    judged_are(ce_health_check_find("gpu.sxid"), &view,
               "unknown the kernel log has more than could be kept\npass no SXid since boot\n");
}

static void lines_of_other_drivers_are_not_known(void **state)
{
    (void)state;
    ce_auto(ce_node_destroy) struct ce_node *node = machine_node(OCI, "clean.kmsg", 0);
    struct ce_hca hca = {.name = "bnxt_re0", .driver = "bnxt_en"};
    const struct ce_hca_port port = {.number = 1, .link_layer = CE_LINK_ETHERNET};
    const struct ce_check_port rail = {&hca, &port};
    const struct ce_check_view view = {.node = node, .rails = &rail, .rail_count = 1};
    judged_are(ce_health_check_find("ib.link_flap"), &view, "skip bnxt_re0 lines of bnxt_en are not known\n");
}

static const struct xid_row {
    const char *name;
    uint32_t number;
    int action;
    enum ce_kernel_severity severity;
    enum ce_verdict verdict;
    enum ce_xid_remedy remedy;
} xids[] = {
    {"the_driver_asks_for_a_reset", CE_XID_RECOVERY, CE_RECOVERY_RESET, 0, CE_FAIL, CE_REMEDY_RESET},
    {"for_a_drain_and_a_reset", CE_XID_RECOVERY, CE_RECOVERY_DRAIN_AND_RESET, 0, CE_FAIL, CE_REMEDY_RESET},
    {"to_drain_peer_to_peer_only_warns", CE_XID_RECOVERY, CE_RECOVERY_DRAIN_P2P, 0, CE_WARN, CE_REMEDY_NONE},
    {"an_nvlink_error", 74, CE_RECOVERY_UNKNOWN, 0, CE_FAIL, CE_REMEDY_RESET},
    {"one_of_nvlink_5_without_its_word_warns", 149, CE_RECOVERY_UNKNOWN, 0, CE_WARN, CE_REMEDY_NONE},
    {"a_missing_power_cable_warns", 54, CE_RECOVERY_UNKNOWN, 0, CE_WARN, CE_REMEDY_NONE},
};

static void an_xid(void **state)
{
    const struct xid_row *row = *state;
    struct ce_kernel_log log = {.read = true};
    const struct ce_kernel_event event = {.kind = CE_KERNEL_XID, .pci = "0000:1b:00.0", .number = row->number,
                                          .mig = -1, .action = row->action, .severity = row->severity, .seq = 7};
    ce_kernel_log_add(&log, &event);
    struct ce_xid_verdict verdict = ce_xid_judge(&log, "0000:1b:00.0", 0, false);
    assert_int_equal(verdict.verdict, row->verdict);
    assert_int_equal(verdict.remedy, row->remedy);
    ce_kernel_log_free(&log);
}

static void a_job_of_8000_xid_45_passes(void **state)
{
    (void)state;
    struct ce_kernel_log log = {.read = true};
    struct ce_kernel_event event = {.kind = CE_KERNEL_XID,
                                    .pci = "0000:1b:00.0",
                                    .number = 45,
                                    .mig = -1,
                                    .action = CE_RECOVERY_UNKNOWN};
    for (event.seq = 1; event.seq <= 8000; event.seq++)
        ce_kernel_log_add(&log, &event);
    struct ce_xid_verdict verdict = ce_xid_judge(&log, "0000:1b:00.0", 0, false);
    assert_int_equal(verdict.verdict, CE_PASS);
    assert_int_equal(verdict.event->count, 8000);
    ce_kernel_log_free(&log);
}

static void nvml_is_not_asked_after_79_until_all_is_well(void **state)
{
    (void)state;
    static const struct {
        const char *log;
        bool forbids;
    } logs[] = {{"clean.kmsg", false},     {"fell-off.kmsg", true},    {"yesterday.kmsg", true},
                {"recovered.kmsg", false}, {"old-driver.kmsg", false}, {"benign.kmsg", false}};
    for (size_t i = 0; i < UNIT_COUNT(logs); i++) {
        struct ce_kernel_log log = kernel_recorded(logs[i].log, 0);
        assert_int_equal(ce_xid_forbids_nvml(&log), logs[i].forbids);
        ce_kernel_log_free(&log);
    }
}

static void only_an_a100_is_rebooted_for_an_uncontained_error(void **state)
{
    (void)state;
    struct ce_kernel_log log = kernel_recorded("memory.kmsg", 0);
    assert_int_equal(ce_xid_judge(&log, "0000:52:00.0", 0, false).remedy, CE_REMEDY_RESET);
    assert_int_equal(ce_xid_judge(&log, "0000:52:00.0", 0, true).remedy, CE_REMEDY_REBOOT);
    ce_kernel_log_free(&log);
}

static const struct class_row {
    const char *name;
    uint32_t number;
    enum ce_xid_class class;
} classes[] = {
    {"xid_13", 13, CE_XID_APPLICATION},
    {"xid_31", 31, CE_XID_APPLICATION},
    {"xid_43", 43, CE_XID_INFORMATIONAL},
    {"xid_45", 45, CE_XID_WORKFLOW},
    {"xid_48", 48, CE_XID_WORKFLOW},
    {"xid_54", 54, CE_XID_POWER},
    {"xid_63", 63, CE_XID_INFORMATIONAL},
    {"xid_64", 64, CE_XID_RESET},
    {"xid_74", 74, CE_XID_WORKFLOW},
    {"xid_79", 79, CE_XID_REBOOT},
    {"xid_92", 92, CE_XID_INFORMATIONAL},
    {"xid_94", 94, CE_XID_APPLICATION},
    {"xid_95", 95, CE_XID_RESET},
    {"xid_109", 109, CE_XID_RESET},
    {"xid_119", 119, CE_XID_RESET},
    {"xid_120", 120, CE_XID_RESET},
    {"xid_140", 140, CE_XID_RESET},
    {"xid_142", 142, CE_XID_CONTACT},
    {"xid_143", 143, CE_XID_RESET},
    {"xid_149", 149, CE_XID_WORKFLOW},
    {"xid_151", 151, CE_XID_REBOOT},
    {"xid_168", 168, CE_XID_REBOOT},
    {"xid_0_is_unknown", 0, CE_XID_UNKNOWN},
    {"xid_999_is_unknown", 999, CE_XID_UNKNOWN},
};

static void a_class(void **state)
{
    const struct class_row *row = *state;
    assert_int_equal(ce_xid_class(row->number), row->class);
}

int main(void)
{
    UNIT_TABLE(rows, a_log);
    UNIT_TABLE(reasons, a_reason);
    UNIT_TABLE(classes, a_class);
    UNIT_TABLE(xids, an_xid);
    UNIT_RULE(a_log_that_could_not_be_kept_is_unknown);
    UNIT_RULE(lines_of_other_drivers_are_not_known);
    UNIT_RULE(a_job_of_8000_xid_45_passes);
    UNIT_RULE(facts_without_a_kernel_log_skip);
    UNIT_RULE(nvml_is_not_asked_after_79_until_all_is_well);
    UNIT_RULE(only_an_a100_is_rebooted_for_an_uncontained_error);
    return UNIT_RUN("kernel log checks");
}

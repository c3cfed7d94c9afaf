/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel log says of GPUs, NVSwitches and HCAs. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checks/check.h"
#include "checks/xid.h"

enum { FLAPS_WARN = 2 };

static const uint64_t WINDOW_US = 6 * 3600ull * 1000 * 1000; /* before a job */
static const uint64_t BOOT_US = 1800ull * 1000 * 1000; /* links come up and go down meanwhile */

/* True, with the finding, where the log cannot be judged at all; with one more where it can, but
 * some of it is missing. */
static bool is_unread(const struct ce_check_view *view, struct ce_findings *out)
{
    const struct ce_kernel_log *log = &view->node->kernel;
    if (!log->read && log->unread)
        ce_findings_add(out, CE_UNKNOWN, "", "the kernel log could not be read");
    else if (!log->read)
        ce_findings_add(out, CE_SKIP, "", "the facts have no kernel log");
    if (!log->read)
        return true;
    if (view->kernel_since > log->seq)
        ce_findings_add(out, CE_UNKNOWN, "", "the kernel log is younger than the job");
    else if (view->kernel_since && log->first_seq > view->kernel_since + 1)
        ce_findings_add(out, CE_UNKNOWN, "",
                        "%" PRIu64 " lines of the kernel log since the job's start are lost",
                        log->first_seq - view->kernel_since - 1);
    else if (log->lost)
        ce_findings_add(out, CE_UNKNOWN, "", "the kernel log has more than could be kept");
    return false;
}

static const char *span(const struct ce_check_view *view)
{
    return view->kernel_since ? "since the job's start" : "since boot";
}

/* ---------------------------------------------------------------- GPUs */

/* A100 and its kin: after an uncontained error with MIG off the node has to be rebooted. */
static bool resets_by_reboot(const struct ce_pci *gpu)
{
    return gpu->vendor == CE_PCI_NVIDIA && ((gpu->device >= 0x20b0 && gpu->device <= 0x20bf) ||
                                     (gpu->device >= 0x20f0 && gpu->device <= 0x20ff));
}

static const char *recovery_name(int action)
{
    static const char *const names[] = {
        [CE_RECOVERY_NONE] = "nothing",
        [CE_RECOVERY_RESET] = "a GPU reset",
        [CE_RECOVERY_REBOOT] = "a reboot of the node",
        [CE_RECOVERY_DRAIN_P2P] = "no more peer-to-peer jobs",
        [CE_RECOVERY_DRAIN_AND_RESET] = "draining and a GPU reset",
    };
    return action >= 0 && action <= CE_RECOVERY_DRAIN_AND_RESET ? names[action]
                                                                : "what we do not know";
}

static const char *const remedies[] = {
    [CE_REMEDY_NONE] = "",
    [CE_REMEDY_RESET] = "reset the GPU or reboot the node",
    [CE_REMEDY_REBOOT] = "reboot the node, reseat or exchange the GPU if it comes back",
    [CE_REMEDY_EXCHANGE] = "it came back after a reset: exchange the GPU",
};

static void add_xid(const struct ce_check_view *view, const char *subject, const char *address,
                    const struct ce_xid_verdict *verdict, struct ce_findings *out)
{
    const struct ce_kernel_event *event = verdict->event;
    char times[24] = "", instance[32] = "";
    size_t before = out->count;
    if (!event) {
        ce_findings_add(out, CE_PASS, subject, "no Xid %s", span(view));
        return;
    }
    if (event->count > 1)
        snprintf(times, sizeof times, ", %" PRIu32 " times", event->count);
    if (event->mig >= 0)
        snprintf(instance, sizeof instance, " GPU instance %d", event->mig);
    const char *meaning = ce_xid_meaning(event->number);
    if (event->number == CE_XID_RECOVERY)
        ce_findings_add(out, verdict->verdict, subject, "Xid 154: the driver asks for %s at %s",
                        recovery_name(event->action), address);
    else
        ce_findings_add(out, verdict->verdict, subject, "Xid %" PRIu32 "%s%s%s at %s%s%s",
                        event->number, *meaning ? " (" : "", meaning, *meaning ? ")" : "", address,
                        instance, times);
    if (out->count > before)
        out->items[before].remedy = remedies[verdict->remedy];
}

static void judge_gpu(const struct ce_check_view *view, unsigned index, enum ce_xid_remedy remedy,
                      struct ce_findings *out)
{
    const struct ce_pci *gpu = &view->node->gpus[index];
    char subject[CE_SUBJECT];
    struct ce_xid_verdict verdict =
        ce_xid_judge(&view->node->kernel, gpu->address, view->kernel_since, resets_by_reboot(gpu));
    snprintf(subject, sizeof subject, "GPU %u", index);
    if (verdict.remedy == remedy && ce_pci_may_be_nvidia(gpu) && ce_check_has_gpu(view, index))
        add_xid(view, subject, gpu->address, &verdict, out);
}

static bool is_listed(const struct ce_node *node, const char *address)
{
    for (unsigned i = 0; i < node->gpu_count; i++)
        if (strcmp(node->gpus[i].address, address) == 0)
            return true;
    return false;
}

/* Is it the first of its kind and device? */
static bool is_first(const struct ce_kernel_log *log, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (log->events[i].kind == log->events[index].kind &&
            strcmp(log->events[i].pci, log->events[index].pci) == 0)
            return false;
    return true;
}

/* GPUs that are on the bus no more. */
static void judge_gone(const struct ce_check_view *view, enum ce_xid_remedy remedy,
                       struct ce_findings *out)
{
    const struct ce_kernel_log *log = &view->node->kernel;
    bool others = view->shared && !view->job_gpus_unsure;
    for (size_t i = 0; i < log->count && !others; i++) {
        const struct ce_kernel_event *event = &log->events[i];
        if (event->kind != CE_KERNEL_XID || !is_first(log, i) || is_listed(view->node, event->pci))
            continue;
        struct ce_xid_verdict verdict = ce_xid_judge(log, event->pci, view->kernel_since, false);
        if (verdict.remedy == remedy)
            add_xid(view, "GPU", event->pci, &verdict, out);
    }
}

static bool has_kind(const struct ce_kernel_log *log, enum ce_kernel_kind kind)
{
    for (size_t i = 0; i < log->count; i++)
        if (log->events[i].kind == kind)
            return true;
    return false;
}

/* There is no NVIDIA GPU, and never was one since boot. */
static bool has_no_gpu(const struct ce_check_view *view, struct ce_findings *out)
{
    const struct ce_node *node = view->node;
    if (view->shared && !view->job_gpus) {
        ce_findings_add(out, CE_SKIP, "", "the job has no GPU");
        return true;
    }
    if (!node->gpu_count_known || has_kind(&node->kernel, CE_KERNEL_XID) ||
        has_kind(&node->kernel, CE_KERNEL_SXID))
        return false;
    for (unsigned i = 0; i < node->gpu_count; i++)
        if (ce_pci_may_be_nvidia(&node->gpus[i]))
            return false;
    ce_findings_add(out, CE_SKIP, "", "there is no NVIDIA GPU");
    return true;
}

/* What needs the most first: its remedy is the one that the reason has. */
static void judge_xid(const struct ce_check_view *view, struct ce_findings *out)
{
    if (has_no_gpu(view, out) || is_unread(view, out))
        return;
    for (int remedy = CE_REMEDY_EXCHANGE; remedy >= CE_REMEDY_NONE; remedy--) {
        for (unsigned i = 0; i < view->node->gpu_count; i++)
            judge_gpu(view, i, (enum ce_xid_remedy)remedy, out);
        judge_gone(view, (enum ce_xid_remedy)remedy, out);
    }
}

static void judge_sxid(const struct ce_check_view *view, struct ce_findings *out)
{
    const struct ce_kernel_log *log = &view->node->kernel;
    if (has_no_gpu(view, out) || is_unread(view, out))
        return;
    if (!has_kind(log, CE_KERNEL_SXID))
        ce_findings_add(out, CE_PASS, "", "no SXid %s", span(view));
    for (size_t i = 0; i < log->count; i++) {
        const char *pci = log->events[i].pci;
        if (log->events[i].kind != CE_KERNEL_SXID || !is_first(log, i))
            continue;
        struct ce_xid_verdict verdict = ce_sxid_judge(log, pci, view->kernel_since);
        if (!verdict.event)
            ce_findings_add(out, CE_PASS, pci, "no SXid that counts");
        else
            ce_findings_add(out, verdict.verdict, pci, "SXid %" PRIu32 "%s %.60s",
                            verdict.event->number,
                            verdict.event->severity == CE_SEVERITY_FATAL      ? " Fatal"
                            : verdict.event->severity == CE_SEVERITY_NONFATAL ? " Non-fatal"
                                                                              : "",
                            verdict.event->text);
    }
}

/* ---------------------------------------------------------------- HCAs */

/* The rail's HCA, the first time that it is one; else NULL. */
static const struct ce_hca *hca_of(const struct ce_check_view *view, size_t rail)
{
    for (size_t i = 0; i < rail; i++)
        if (view->rails[i].hca == view->rails[rail].hca)
            return NULL;
    return view->rails[rail].hca;
}

/* Lines of one kind about this HCA that count: those of the job, or of the last hours. */
static unsigned count_lines(const struct ce_check_view *view, const struct ce_hca *hca,
                            enum ce_kernel_kind kind)
{
    const struct ce_kernel_log *log = &view->node->kernel;
    uint64_t from = log->time_us > WINDOW_US ? log->time_us - WINDOW_US : 0, lines = 0;
    for (size_t i = 0; i < log->count; i++) {
        const struct ce_kernel_event *event = &log->events[i];
        bool counts = view->kernel_since ? event->seq > view->kernel_since
                                         : event->time_us >= from && event->time_us >= BOOT_US;
        if (event->kind == kind && counts && strcmp(event->pci, hca->pci.address) == 0)
            lines += event->count;
    }
    return lines > 1000000 ? 1000000 : (unsigned)lines;
}

static void add_flaps(const struct ce_check_view *view, const struct ce_check_port *rail,
                      struct ce_findings *out)
{
    unsigned downs = count_lines(view, rail->hca, CE_KERNEL_LINK_DOWN);
    unsigned pulled = count_lines(view, rail->hca, CE_KERNEL_MODULE_UNPLUGGED);
    unsigned flaps = downs > pulled ? downs : pulled;
    bool job = view->kernel_since > 0;
    unsigned most = job ? 0 : view->limit;
    const char *when = job ? "since the job's start" : "in the last 6 hours";
    if (flaps == 0 && rail->port->link_layer == CE_LINK_INFINIBAND)
        ce_findings_add(out, CE_SKIP, rail->hca->name,
                        "the kernel does not tell of InfiniBand links, its counters do");
    else if (flaps == 0)
        ce_findings_add(out, CE_PASS, rail->hca->name, "the link did not go down %s", when);
    else
        ce_findings_add(out,
                        flaps > most          ? CE_FAIL
                        : flaps >= FLAPS_WARN ? CE_WARN
                                              : CE_PASS,
                        rail->hca->name, "link went down %u time%s %s", flaps,
                        flaps == 1 ? "" : "s", when);
}

/* True where there is nothing to look at. */
static bool has_no_rail(const struct ce_check_view *view, struct ce_findings *out)
{
    if (view->rail_count == 0)
        ce_findings_add(out, CE_SKIP, "", "there are no rails");
    return view->rail_count == 0;
}

static void judge_flap(const struct ce_check_view *view, struct ce_findings *out)
{
    if (has_no_rail(view, out) || is_unread(view, out))
        return;
    for (size_t i = 0; i < view->rail_count; i++) {
        const struct ce_hca *hca = hca_of(view, i);
        if (hca && hca->driver[0] && strcmp(hca->driver, "mlx5_core") != 0)
            ce_findings_add(out, CE_SKIP, hca->name, "lines of %s are not known", hca->driver);
        else if (hca)
            add_flaps(view, &view->rails[i], out);
    }
}

static void judge_temperature(const struct ce_check_view *view, struct ce_findings *out)
{
    if (has_no_rail(view, out) || is_unread(view, out))
        return;
    for (size_t i = 0; i < view->rail_count; i++) {
        const struct ce_hca *hca = hca_of(view, i);
        unsigned lines = hca ? count_lines(view, hca, CE_KERNEL_MODULE_HOT) : 0;
        if (lines > 0)
            ce_findings_add(out, CE_FAIL, hca->name, "cable or transceiver too hot, %u time%s",
                            lines, lines == 1 ? "" : "s");
        else if (hca)
            ce_findings_add(out, CE_PASS, hca->name, "no alarm of temperature");
    }
}

/* It is said at boot, so all lines since then count; the last one is true. */
static void judge_slot_power(const struct ce_check_view *view, struct ce_findings *out)
{
    const struct ce_kernel_log *log = &view->node->kernel;
    if (has_no_rail(view, out) || is_unread(view, out))
        return;
    for (size_t i = 0; i < view->rail_count; i++) {
        const struct ce_hca *hca = hca_of(view, i);
        const struct ce_kernel_event *last = NULL;
        for (size_t k = 0; hca && k < log->count; k++)
            if (log->events[k].kind == CE_KERNEL_SLOT_POWER &&
                log->events[k].seq > view->kernel_since &&
                strcmp(log->events[k].pci, hca->pci.address) == 0)
                last = &log->events[k];
        if (last)
            ce_findings_add(out, CE_FAIL, hca->name,
                            "PCIe slot gives too little power, %" PRIu32 " W", last->number);
        else if (hca)
            ce_findings_add(out, CE_PASS, hca->name, "no complaint about the PCIe slot's power");
    }
}

const struct ce_check ce_kernel_checks[] = {
    {"gpu.xid", CE_EVERY_PHASE, CE_DRAIN, CE_TELL, 0, "GPU", "reset the GPU or reboot the node",
     "the driver reported nothing of a GPU that needs a reset or a reboot", judge_xid},
    {"gpu.sxid", CE_EVERY_PHASE, CE_DRAIN, CE_IGNORE, 0, "NVSwitch",
     "reboot the node, have the NVSwitch and its NVLinks looked at if it comes back",
     "the driver reported nothing fatal of an NVSwitch", judge_sxid},
    {"ib.link_flap", CE_EVERY_PHASE, CE_DRAIN, CE_IGNORE, 0, "HCA",
     "reseat or exchange the cable, look at the switch port", "no rail's link went down and up",
     judge_flap},
    {"ib.module.temperature", CE_EVERY_PHASE, CE_TELL, CE_IGNORE, 0, "HCA",
     "look for blocked air and fans, exchange the transceiver",
     "no cable or transceiver was too hot", judge_temperature},
    {"ib.slot_power", CE_EVERY_PHASE, CE_TELL, CE_IGNORE, 0, "HCA",
     "look at the slot's power limit in the BIOS and at the riser",
     "every HCA gets the power that it needs", judge_slot_power},
};
const size_t ce_kernel_check_count = sizeof ce_kernel_checks / sizeof *ce_kernel_checks;

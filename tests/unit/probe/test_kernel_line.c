/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/kernel_line.h"

#include "../unit.h"

/* ---------------------------------------------------------------- frames */

static const struct frame_row {
    const char *name, *line;
    int rc;
    bool numbered, by_kernel;
    uint64_t seq, time_us;
    const char *text;
} frames[] = {
    {"a_record", "6,339,5140900,-;text", 0, true, true, 339, 5140900, "text"},
    {"a_record_with_a_caller", "4,1,2,-,caller=T12;a;b", 0, true, true, 1, 2, "a;b"},
    {"what_a_program_wrote_is_told_apart", "12,1,2,-;NVRM: Xid", 0, true, false, 1, 2, "NVRM: Xid"},
    {"dmesg", "[    5.140900] text", 0, false, true, 0, 5140900, "text"},
    {"dmesg_of_a_long_uptime", "[12345678.000001] x", 0, false, true, 0, 12345678000001, "x"},
    {"dmesg_with_a_caller", "[    5.140900][    T1] text", 0, false, true, 0, 5140900, "text"},
    {"dmesg_of_a_cpu", "[    5.140900][  C112] text", 0, false, true, 0, 5140900, "text"},
    {"a_text_that_begins_with_a_bracket", "[    5.140900] [T1] x", 0, false, true, 0, 5140900,
     "[T1] x"},
    {"an_empty_text", "6,339,5140900,-;", 0, true, true, 339, 5140900, ""},
    {"fields_of_a_record_are_none", " SUBSYSTEM=pci", -1, false, false, 0, 0, NULL},
    {"nothing", "", -1, false, false, 0, 0, NULL},
    {"half_a_record", "6,339", -1, false, false, 0, 0, NULL},
    {"no_semicolon", "6,339,5140900,-text", -1, false, false, 0, 0, NULL},
    {"a_sequence_past_all", "6,99999999999999999999,5,-;x", -1, false, false, 0, 0, NULL},
    {"a_negative_sequence", "6,-1,5,-;x", -1, false, false, 0, 0, NULL},
    {"a_time_of_the_day", "[Sun Dec  1 14:54:40 2024] x", -1, false, false, 0, 0, NULL},
    {"too_few_microseconds", "[1.5] x", -1, false, false, 0, 0, NULL},
    {"a_bracket_alone", "[", -1, false, false, 0, 0, NULL},
    {"no_text_behind_the_bracket", "[    5.140900]", -1, false, false, 0, 0, NULL},
};

static void a_frame(void **state)
{
    const struct frame_row *row = *state;
    struct ce_kernel_frame frame;
    assert_int_equal(ce_kernel_frame_parse(row->line, &frame), row->rc);
    if (row->rc < 0)
        return;
    assert_int_equal(frame.numbered, row->numbered);
    assert_int_equal(frame.by_kernel, row->by_kernel);
    assert_int_equal(frame.seq, row->seq);
    assert_int_equal(frame.time_us, row->time_us);
    assert_string_equal(frame.text, row->text);
}

/* ---------------------------------------------------------------- events */

#define NONE CE_KERNEL_OTHER /* the line is no event */
#define XID CE_KERNEL_XID
#define SXID CE_KERNEL_SXID
#define GPU "NVRM: Xid (PCI:0000:9b:00): "
#define HCA "mlx5_core 0000:5c:00.0: "

static const struct event_row {
    const char *name, *line;
    enum ce_kernel_kind kind;
    const char *pci;
    uint32_t number;
    int mig, action;
    enum ce_kernel_severity severity;
    uint32_t pid;
    const char *text;
} events[] = {
    {"an_xid_with_a_process", GPU "119, pid=1234, name=python, Timeout after 6s", XID,
     "0000:9b:00.0", 119, -1, -1, 0, 1234, "Timeout after 6s"},
    {"an_xid_of_no_process", GPU "79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
     XID, "0000:9b:00.0", 79, -1, -1, 0, 0, "GPU has fallen off the bus."},
    {"an_xid_with_unknown_without_quotes", GPU "13, pid=<unknown>, name=<unknown>, x", XID,
     "0000:9b:00.0", 13, -1, -1, 0, 0, "x"},
    {"an_xid_without_a_process", GPU "79, GPU has fallen off the bus.", XID, "0000:9b:00.0", 79, -1,
     -1, 0, 0, "GPU has fallen off the bus."},
    {"an_xid_and_no_more", GPU "79", XID, "0000:9b:00.0", 79, -1, -1, 0, 0, ""},
    {"an_xid_and_a_comma", GPU "79,", XID, "0000:9b:00.0", 79, -1, -1, 0, 0, ""},
    {"an_xid_of_a_mig_instance", "NVRM: Xid (PCI:0000:01:00 GPU-I:05): 31, pid=7, name=x, Ch 1",
     XID, "0000:01:00.0", 31, 5, -1, 0, 7, "Ch 1"},
    {"an_xid_of_a_compute_instance", "NVRM: Xid (PCI:0000:01:00 GPU-I:05 GPU-CI:01): 31, x", XID,
     "0000:01:00.0", 31, 5, -1, 0, 0, "x"},
    {"an_xid_of_an_old_driver", "NVRM: Xid (0000:03:00): 14, Ch 00000001", XID, "0000:03:00.0", 14,
     -1, -1, 0, 0, "Ch 00000001"},
    {"an_xid_with_a_function", "NVRM: Xid (PCI:0009:01:00.0): 43, x", XID, "0009:01:00.0", 43, -1,
     -1, 0, 0, "x"},
    {"a_long_domain_in_capitals", "NVRM: Xid (PCI:0001ABCD:9B:00): 43, x", XID, "1abcd:9b:00.0", 43,
     -1, -1, 0, 0, "x"},
    {"bus_48_is_no_xid_48", "NVRM: Xid (PCI:0000:48:00): 13, x", XID, "0000:48:00.0", 13, -1, -1, 0,
     0, "x"},
    {"the_driver_asks_for_a_reset",
     GPU "154, GPU recovery action changed from 0x0 (None) to 0x4 (Drain and Reset)", XID,
     "0000:9b:00.0", 154, -1, 4, 0, 0,
     "GPU recovery action changed from 0x0 (None) to 0x4 (Drain and Reset)"},
    {"what_it_was_before_does_not_count",
     GPU "154, GPU recovery action changed from 0x2 (Node Reboot Required) to 0x0 (None)", XID,
     "0000:9b:00.0", 154, -1, 0, 0, 0,
     "GPU recovery action changed from 0x2 (Node Reboot Required) to 0x0 (None)"},
    {"another_driver_has_another_name",
     GPU "154, GPU recovery action changed from 0x0 (None) to 0x1 (PF FLR)", XID, "0000:9b:00.0",
     154, -1, 1, 0, 0, "GPU recovery action changed from 0x0 (None) to 0x1 (PF FLR)"},
    {"half_a_recovery_is_unknown", GPU "154, GPU recovery action changed from 0x0 (None)", XID,
     "0000:9b:00.0", 154, -1, -1, 0, 0, "GPU recovery action changed from 0x0 (None)"},
    {"a_recovery_past_all_is_unknown",
     GPU "154, GPU recovery action changed from 0x0 (None) to 0x1000 (x)", XID, "0000:9b:00.0", 154,
     -1, -1, 0, 0, "GPU recovery action changed from 0x0 (None) to 0x1000 (x)"},
    {"a_process_name_is_no_verdict",
     GPU "154, pid=7, name=a, GPU recovery action changed from 0x2 (x) to 0x0 (None)", XID,
     "0000:9b:00.0", 154, -1, -1, 0, 7, "GPU recovery action changed from 0x2 (x) to 0x0 (None)"},
    {"a_process_name_is_no_number", GPU "13, pid=7, name=a): 79, x", XID, "0000:9b:00.0", 13, -1,
     -1, 0, 7, "x"},
    {"nvlink_5_fatal", GPU "149, NETIR_LINK_EVT  Fatal   XC0 i0 Link 08 (0x004a6146)", XID,
     "0000:9b:00.0", 149, -1, -1, CE_SEVERITY_FATAL, 0,
     "NETIR_LINK_EVT  Fatal   XC0 i0 Link 08 (0x004a6146)"},
    {"nvlink_5_not_fatal", GPU "145, RLW_REMAP Nonfatal XC1 i0 Link -1 (0x4)", XID, "0000:9b:00.0",
     145, -1, -1, CE_SEVERITY_NONFATAL, 0, "RLW_REMAP Nonfatal XC1 i0 Link -1 (0x4)"},
    {"escapes_do_not_reach_a_terminal", GPU "13, \x1b[2J\xc2\x9b", XID, "0000:9b:00.0", 13, -1, -1,
     0, 0, "?[2J??"},
    {"a_word_is_no_number", GPU "abc, pid=1", NONE, NULL, 0, 0, 0, 0, 0, NULL},
    {"a_placeholder_is_no_address", "NVRM: Xid (PCI:<unknown>): 79, x", NONE, NULL, 0, 0, 0, 0, 0,
     NULL},
    {"no_colon_behind_the_place", "NVRM: Xid (PCI:0000:9b:00) 79, x", NONE, NULL, 0, 0, 0, 0, 0,
     NULL},
    {"a_number_past_all", GPU "99999999999999999999, x", NONE, NULL, 0, 0, 0, 0, 0, NULL},
    {"a_number_with_letters", GPU "79x, x", NONE, NULL, 0, 0, 0, 0, 0, NULL},
    {"an_instance_past_all", "NVRM: Xid (PCI:0000:9b:00 GPU-I:999): 79, x", NONE, NULL, 0, 0, 0, 0,
     0, NULL},
    {"a_device_past_all", "NVRM: Xid (PCI:0000:9b:ff): 79, x", NONE, NULL, 0, 0, 0, 0, 0, NULL},
    {"a_crash_of_a_program_of_that_name", "NVRM: Xid (PCI:[7]: segfault at 48 ip 0", NONE, NULL, 0,
     0, 0, 0, 0, NULL},
    {"a_quotation", "python[7]: NVRM: Xid (PCI:0000:9b:00): 79, x", NONE, NULL, 0, 0, 0, 0, 0,
     NULL},
    {"nothing", "", NONE, NULL, 0, 0, 0, 0, 0, NULL},

    {"an_sxid_that_is_fatal",
     "nvidia-nvswitch2: SXid (PCI:0000:05:00.0): 20034, Fatal, Link 30 LTSSM Fault Up (First)",
     SXID, "0000:05:00.0", 20034, -1, -1, CE_SEVERITY_FATAL, 0, "Link 30 LTSSM Fault Up (First)"},
    {"an_sxid_that_is_not", "nvidia-nvswitch0: SXid (PCI:0000:c3:00.0): 20009, Non-fatal, Link 28",
     SXID, "0000:c3:00.0", 20009, -1, -1, CE_SEVERITY_NONFATAL, 0, "Link 28"},
    {"an_sxid_without_the_word", "nvidia-nvswitch0: SXid (PCI:0000:c3:00.0): 11012, Link 12", SXID,
     "0000:c3:00.0", 11012, -1, -1, 0, 0, "Link 12"},
    {"an_sxid_with_zeros", "nvidia-nvswitch0: SXid (PCI:0000:c3:00.0): 011012, Link 12", SXID,
     "0000:c3:00.0", 11012, -1, -1, 0, 0, "Link 12"},
    {"details_of_an_sxid_are_not_another",
     "nvidia-nvswitch2: SXid (PCI:0000:05:00.0): 20034, Severity 1 Engine instance 30", NONE, NULL,
     0, 0, 0, 0, 0, NULL},
    {"its_data_neither", "nvidia-nvswitch2: SXid (PCI:0000:05:00.0): 20034, Data {0x50610002}",
     NONE, NULL, 0, 0, 0, 0, 0, NULL},
    {"a_garbled_sxid", "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): garbled, Fatal", NONE, NULL, 0,
     0, 0, 0, 0, NULL},
    {"a_switch_without_a_number", "nvidia-nvswitch: SXid (PCI:0000:c1:00.0): 1, Fatal", NONE, NULL,
     0, 0, 0, 0, 0, NULL},
    {"the_driver_does_not_say_sxid", "NVRM: Sxid (PCI:0000:c1:00.0): 20034, Fatal", NONE, NULL, 0,
     0, 0, 0, 0, NULL},

    {"the_driver_is_loaded", "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.129.03",
     CE_KERNEL_DRIVER_LOADED, "", 0, -1, -1, 0, 0,
     "loading NVIDIA UNIX x86_64 Kernel Module  535.129.03"},
    {"a_link_is_down", "mlx5_core 0000:5c:00.0 eth2: Link down", CE_KERNEL_LINK_DOWN,
     "0000:5c:00.0", 0, -1, -1, 0, 0, ""},
    {"a_link_is_up", "mlx5_core 0000:5c:00.1 enp92s0f1np1: Link up", CE_KERNEL_LINK_UP,
     "0000:5c:00.1", 0, -1, -1, 0, 0, ""},
    {"a_link_without_an_interface", HCA "Link down", CE_KERNEL_LINK_DOWN, "0000:5c:00.0", 0, -1, -1,
     0, 0, ""},
    {"a_module_is_plugged", HCA "Port module event: module 1, Cable plugged",
     CE_KERNEL_MODULE_PLUGGED, "0000:5c:00.0", 1, -1, -1, 0, 0, "Cable plugged"},
    {"a_module_is_pulled", HCA "Port module event: module 0, Cable unplugged",
     CE_KERNEL_MODULE_UNPLUGGED, "0000:5c:00.0", 0, -1, -1, 0, 0, "Cable unplugged"},
    {"a_module_is_hot", HCA "Port module event[error]: module 0, Cable error, High Temperature",
     CE_KERNEL_MODULE_HOT, "0000:5c:00.0", 0, -1, -1, 0, 0, "Cable error, High Temperature"},
    {"a_module_is_hot_said_by_a_function",
     HCA
     "mlx5_port_module_event:1131:(pid 0): Port module event[error]: module 0, Cable error, High "
     "Temperature",
     CE_KERNEL_MODULE_HOT, "0000:5c:00.0", 0, -1, -1, 0, 0, "Cable error, High Temperature"},
    {"a_module_is_wrong",
     HCA "Port module event[error]: module 0, Cable error, Bad or shorted cable",
     CE_KERNEL_MODULE_ERROR, "0000:5c:00.0", 0, -1, -1, 0, 0, "Cable error, Bad or shorted cable"},
    {"a_slot_is_weak",
     HCA "mlx5_pcie_event:299:(pid 268269): Detected insufficient power on the PCIe slot (27W).",
     CE_KERNEL_SLOT_POWER, "0000:5c:00.0", 27, -1, -1, 0, 0, ""},
    {"a_bandwidth_is_limited",
     HCA "63.008 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x8 link at 0000:5b:00.0",
     CE_KERNEL_BANDWIDTH, "0000:5c:00.0", 0, -1, -1, 0, 0,
     "63.008 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x8 link at 0000:5b:00.0"},
    {"a_bandwidth_that_is_whole",
     HCA "63.008 Gb/s available PCIe bandwidth (8.0 GT/s PCIe x8 link)", NONE, NULL, 0, 0, 0, 0, 0,
     NULL},
    {"a_command_failed", HCA "mlx5_cmd_out_err:838:(pid 1441871): ACCESS_REG(0x805) failed",
     CE_KERNEL_COMMAND_ERROR, "0000:5c:00.0", 0, -1, -1, 0, 0, "ACCESS_REG(0x805) failed"},
    {"a_link_of_another_driver", "ib0: Link down", NONE, NULL, 0, 0, 0, 0, 0, NULL},
    {"enough_power_is_well",
     HCA "mlx5_pcie_event:294:(pid 542): PCIe slot advertised sufficient power (75W).", NONE, NULL,
     0, 0, 0, 0, 0, NULL},
};

static void an_event(void **state)
{
    const struct event_row *row = *state;
    struct ce_kernel_event event;
    int rc = ce_kernel_event_parse(row->line, &event);
    assert_int_equal(rc, row->kind == NONE ? -1 : 0);
    if (rc < 0)
        return;
    assert_string_equal(ce_kernel_kind_name(event.kind), ce_kernel_kind_name(row->kind));
    assert_string_equal(event.pci, row->pci);
    assert_int_equal(event.number, row->number);
    assert_int_equal(event.mig, row->mig);
    assert_int_equal(event.action, row->action);
    assert_int_equal(event.severity, row->severity);
    assert_int_equal(event.pid, row->pid);
    assert_string_equal(event.text, row->text);
}

static void a_long_text_is_cut(void **state)
{
    char line[4096] = GPU "13, ";
    struct ce_kernel_event event;
    (void)state;
    memset(line + strlen(line), 'x', sizeof line - strlen(line) - 1);
    assert_int_equal(ce_kernel_event_parse(line, &event), 0);
    assert_int_equal(strlen(event.text), CE_KERNEL_TEXT - 1);
}

int main(void)
{
    UNIT_TABLE(frames, a_frame);
    UNIT_TABLE(events, an_event);
    UNIT_RULE(a_long_text_is_cut);
    return UNIT_RUN("kernel lines");
}

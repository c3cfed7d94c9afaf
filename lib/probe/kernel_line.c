/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/kernel_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/parse.h"

enum { XID_MAX = 999999, MODULE_MAX = 255, WATTS_MAX = 9999, CALLER_MAX = 16, NETDEV_MAX = 15 };

/* What follows `start` in text, NULL where text does not begin with it; NULL of NULL. */
static const char *after(const char *text, const char *start)
{
    size_t length = strlen(start);
    return text && strncmp(text, start, length) == 0 ? text + length : NULL;
}

/* What follows the decimal number at the start of text. */
static const char *after_number(const char *text, uint64_t max, uint64_t *ret)
{
    const char *end;
    return text && ce_parse_digits(text, max, ret, &end) == 0 ? end : NULL;
}

/* ---------------------------------------------------------------- frames */

/* "PRIORITY,SEQUENCE,MICROSECONDS,FLAGS[,...];".  What a program writes into /dev/kmsg has a
 * facility, which the kernel's own lines have not. */
static int parse_record(const char *line, struct ce_kernel_frame *ret)
{
    uint64_t priority = 0, seq = 0, us = 0;
    const char *at = after_number(line, UINT32_MAX, &priority);
    at = after_number(after(at, ","), UINT64_MAX, &seq);
    at = after_number(after(at, ","), UINT64_MAX, &us);
    if (!(at = after(at, ",")))
        return -1;
    at += strcspn(at, ";");
    if (!(at = after(at, ";")))
        return -1;
    *ret = (struct ce_kernel_frame){true, seq, us, priority < 8, at};
    return 0;
}

/* "[T1] " or "[    C12] ", of kernels that tell the caller. */
static const char *skip_caller(const char *text)
{
    const char *at = after(text, "[");
    if (!at)
        return text;
    at += strspn(at, " ");
    if (*at != 'T' && *at != 'C')
        return text;
    size_t digits = strspn(at + 1, "0123456789");
    const char *end = digits > 0 && digits < CALLER_MAX ? after(at + 1 + digits, "] ") : NULL;
    return end ? end : text;
}

/* "[SECONDS.MICROSECONDS] ". */
static int parse_dmesg(const char *line, struct ce_kernel_frame *ret)
{
    uint64_t seconds = 0, us = 0;
    const char *at = after(line, "[");
    if (!at)
        return -1;
    at = after(after_number(at + strspn(at, " "), UINT32_MAX, &seconds), ".");
    const char *end = after_number(at, 999999, &us);
    if (!end || end - at != 6)
        return -1;
    const char *caller = after(end, "]");
    const char *text =
        caller && skip_caller(caller) != caller ? skip_caller(caller) : after(end, "] ");
    if (!text)
        return -1;
    *ret = (struct ce_kernel_frame){false, 0, seconds * 1000000 + us, true, text};
    return 0;
}

int ce_kernel_frame_parse(const char *line, struct ce_kernel_frame *ret)
{
    return *line == '[' ? parse_dmesg(line, ret) : parse_record(line, ret);
}

/* ---------------------------------------------------------------- texts */

/* As much as there is room for, on a terminal too. */
static void keep_text(const char *text, struct ce_kernel_event *event)
{
    text += strspn(text, " ");
    size_t length = strlen(text), n = 0;
    while (length > 0 && text[length - 1] == ' ')
        length--;
    for (; n < length && n < sizeof event->text - 1; n++)
        event->text[n] = text[n] < ' ' || text[n] > '~' ? '?' : text[n];
    event->text[n] = '\0';
}

/* "pid=1234, name=python, " before what the driver says; NULL where there is none of it.  A name is
 * the user's: it may hold anything, and whatever stands behind it is not trusted. */
static const char *skip_process(const char *text, struct ce_kernel_event *event)
{
    uint64_t pid = 0;
    const char *at = after(text, "pid=");
    if (!at)
        return NULL;
    if (after_number(at, UINT32_MAX, &pid))
        event->pid = (uint32_t)pid;
    at += strcspn(at, ",");
    const char *name = after(at, ", name=");
    if (name)
        at = name + strcspn(name, ",");
    return after(at, ", ") ? after(at, ", ") : at;
}

/* "GPU recovery action changed from 0x0 (None) to 0x4 (Drain and Reset)": the last one counts. */
static void read_recovery(const char *text, struct ce_kernel_event *event)
{
    static const char hex[] = "0123456789abcdefABCDEF";
    const char *at = after(text, "GPU recovery action changed from 0x");
    if (!at)
        return;
    size_t digits = strspn(at, hex);
    at = digits ? after(at + digits, " (") : NULL;
    if (!at)
        return;
    at = after(at + strcspn(at, ")"), ") to 0x");
    digits = at ? strspn(at, hex) : 0;
    if (digits < 1 || digits > 2 || (at[digits] && at[digits] != ' '))
        return;
    event->action = (int)strtoul(at, NULL, 16);
}

/* The word and whether it ends there. */
static bool starts_with_word(const char *text, const char *word)
{
    const char *end = after(text, word);
    return end && (!*end || strchr(" ,", *end));
}

/* NVLink 5: "NETIR_LINK_EVT  Fatal   XC0 i0 Link 08 (0x004a6146 ...". */
static void read_unit(const char *text, struct ce_kernel_event *event)
{
    size_t unit = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    const char *word = text + unit + strspn(text + unit, " ");
    if (unit == 0 || word == text + unit)
        return;
    if (starts_with_word(word, "Fatal"))
        event->severity = CE_SEVERITY_FATAL;
    else if (starts_with_word(word, "Nonfatal") || starts_with_word(word, "Non-fatal"))
        event->severity = CE_SEVERITY_NONFATAL;
}

/* " GPU-I:05", " GPU-CI:01": the instance, and what follows. */
static const char *skip_instance(const char *at, struct ce_kernel_event *event)
{
    uint64_t mig = 0;
    const char *instance = after(at, " GPU-I:");
    if (instance) {
        if (!(at = after_number(instance, CE_KERNEL_MIG_MAX, &mig)))
            return NULL;
        event->mig = (int)mig;
    }
    instance = after(at, " GPU-CI:");
    return instance ? after_number(instance, CE_KERNEL_MIG_MAX, &mig) : at;
}

/* "(PCI:0000:9b:00 GPU-I:05): 119, REST" and the old "(0000:03:00): 14, REST": the REST. */
static const char *read_place(const char *at, struct ce_kernel_event *event)
{
    uint64_t number = 0;
    if (!(at = after(at, "(")))
        return NULL;
    if (after(at, "PCI:"))
        at = after(at, "PCI:");
    if (ce_kernel_address(at, event->pci, &at) < 0 || !(at = skip_instance(at, event)))
        return NULL;
    at = after_number(after(at, "): "), XID_MAX, &number);
    if (!at || (*at && *at != ','))
        return NULL;
    event->number = (uint32_t)number;
    return *at ? at + 1 + strspn(at + 1, " ") : at;
}

static int parse_xid(const char *at, struct ce_kernel_event *event)
{
    const char *rest = read_place(at, event);
    if (!rest)
        return -1;
    event->kind = CE_KERNEL_XID;
    const char *behind = skip_process(rest, event);
    bool trusted = !behind || after(rest, "pid=<unknown>, name=<unknown>, ") ||
                   after(rest, "pid='<unknown>', name=<unknown>, ");
    if (!behind)
        behind = rest;
    if (event->number == CE_XID_RECOVERY && trusted)
        read_recovery(behind, event);
    else if (event->number >= 144 && event->number <= 150 && trusted)
        read_unit(behind, event);
    keep_text(behind, event);
    return 0;
}

/* "nvidia-nvswitch2: SXid (PCI:0000:05:00.0): 20034, Fatal, Link 30 ...".  The lines that follow
 * with "Severity" and "Data" are of the same event. */
static int parse_sxid(const char *at, struct ce_kernel_event *event)
{
    uint64_t index;
    at = after(after_number(at, 255, &index), ": SXid ");
    const char *rest = at ? read_place(at, event) : NULL;
    if (!rest || starts_with_word(rest, "Severity") || starts_with_word(rest, "Data"))
        return -1;
    event->kind = CE_KERNEL_SXID;
    if (starts_with_word(rest, "Fatal"))
        event->severity = CE_SEVERITY_FATAL;
    else if (starts_with_word(rest, "Non-fatal") || starts_with_word(rest, "Nonfatal"))
        event->severity = CE_SEVERITY_NONFATAL;
    if (event->severity)
        rest += strcspn(rest, ",");
    keep_text(*rest == ',' ? rest + 1 : rest, event);
    return 0;
}

static int parse_nvrm(const char *at, struct ce_kernel_event *event)
{
    if (after(at, "Xid "))
        return parse_xid(after(at, "Xid "), event);
    if (!after(at, "loading NVIDIA UNIX "))
        return -1;
    event->kind = CE_KERNEL_DRIVER_LOADED;
    keep_text(at, event);
    return 0;
}

/* "Port module event: module 0, Cable plugged", "Port module event[error]: module 0, Cable error,
 * High Temperature". */
static int parse_module(const char *at, struct ce_kernel_event *event)
{
    uint64_t module = 0;
    bool error = after(at, "[error]") != NULL;
    at = after(after(error ? after(at, "[error]") : at, ": "), "module ");
    at = after(after_number(at, MODULE_MAX, &module), ", ");
    if (!at)
        return -1;
    event->number = (uint32_t)module;
    if (error)
        event->kind = strcmp(at, "Cable error, High Temperature") == 0 ? CE_KERNEL_MODULE_HOT
                                                                       : CE_KERNEL_MODULE_ERROR;
    else if (strcmp(at, "Cable plugged") == 0)
        event->kind = CE_KERNEL_MODULE_PLUGGED;
    else if (strcmp(at, "Cable unplugged") == 0)
        event->kind = CE_KERNEL_MODULE_UNPLUGGED;
    else
        return -1;
    keep_text(at, event);
    return 0;
}

/* "126.016 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x8 link at ...". */
static int parse_bandwidth(const char *at, struct ce_kernel_event *event)
{
    const char *rest = at + strspn(at, "0123456789.");
    if (rest == at || !after(rest, " Gb/s available PCIe bandwidth, limited by "))
        return -1;
    event->kind = CE_KERNEL_BANDWIDTH;
    keep_text(at, event);
    return 0;
}

static int parse_power(const char *at, struct ce_kernel_event *event)
{
    uint64_t watts = 0;
    if (!(at = after(at, "Detected insufficient power on the PCIe slot (")) ||
        !(at = after_number(at, WATTS_MAX, &watts)) || !after(at, "W)"))
        return -1;
    event->kind = CE_KERNEL_SLOT_POWER;
    event->number = (uint32_t)watts;
    return 0;
}

/* "mlx5_pcie_event:299:(pid 268269): " before warnings and errors; what follows, or the text. */
static const char *skip_function(const char *text)
{
    uint64_t number;
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
    const char *at = length ? after(text + length, ":") : NULL;
    at = after(after_number(at, UINT32_MAX, &number), ":(pid ");
    at = after(after_number(at, UINT32_MAX, &number), "): ");
    return at ? at : text;
}

static int parse_link(const char *at, struct ce_kernel_event *event)
{
    if (strcmp(at, "Link down") != 0 && strcmp(at, "Link up") != 0)
        return -1;
    event->kind = strcmp(at, "Link down") == 0 ? CE_KERNEL_LINK_DOWN : CE_KERNEL_LINK_UP;
    return 0;
}

/* Behind "mlx5_core ": "0000:5c:00.0: TEXT", or, of its interface, "0000:5c:00.0 eth2: TEXT". */
static int parse_mlx5(const char *at, struct ce_kernel_event *event)
{
    if (ce_kernel_address(at, event->pci, &at) < 0)
        return -1;
    if (*at == ' ') {
        size_t name = strcspn(at + 1, ": ");
        const char *text = name && name <= NETDEV_MAX ? after(at + 1 + name, ": ") : NULL;
        return text ? parse_link(text, event) : -1;
    }
    if (!(at = after(at, ": ")))
        return -1;
    const char *text = skip_function(at);
    if (after(text, "Port module event"))
        return parse_module(after(text, "Port module event"), event);
    if (after(at, "mlx5_cmd_out_err:")) {
        event->kind = CE_KERNEL_COMMAND_ERROR;
        keep_text(text, event);
        return 0;
    }
    return parse_link(text, event) == 0 || parse_power(text, event) == 0 ||
                   parse_bandwidth(text, event) == 0
               ? 0
               : -1;
}

int ce_kernel_event_parse(const char *text, struct ce_kernel_event *ret)
{
    static const struct {
        const char *start;
        int (*parse)(const char *rest, struct ce_kernel_event *event);
    } forms[] = {
        {"NVRM: ", parse_nvrm}, {"nvidia-nvswitch", parse_sxid}, {"mlx5_core ", parse_mlx5}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct ce_kernel_event event = {.mig = -1, .action = CE_RECOVERY_UNKNOWN, .count = 1};
        const char *rest = after(text, forms[i].start);
        if (rest && forms[i].parse(rest, &event) == 0) {
            *ret = event;
            return 0;
        }
    }
    return -1;
}

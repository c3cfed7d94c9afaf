/* SPDX-License-Identifier: Apache-2.0 */
#include "model/kernel_event.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

static const uint64_t HOUR_US = 3600ull * 1000 * 1000;

static const char *const kind_names[] = {
    [CE_KERNEL_OTHER] = "other",
    [CE_KERNEL_XID] = "xid",
    [CE_KERNEL_SXID] = "sxid",
    [CE_KERNEL_DRIVER_LOADED] = "driver_loaded",
    [CE_KERNEL_LINK_DOWN] = "link_down",
    [CE_KERNEL_LINK_UP] = "link_up",
    [CE_KERNEL_MODULE_PLUGGED] = "module_plugged",
    [CE_KERNEL_MODULE_UNPLUGGED] = "module_unplugged",
    [CE_KERNEL_MODULE_ERROR] = "module_error",
    [CE_KERNEL_MODULE_HOT] = "module_hot",
    [CE_KERNEL_SLOT_POWER] = "slot_power",
    [CE_KERNEL_BANDWIDTH] = "bandwidth",
    [CE_KERNEL_COMMAND_ERROR] = "command_error",
};
enum { KINDS = sizeof kind_names / sizeof *kind_names };

static const char *const severity_names[] = {
    [CE_SEVERITY_NONE] = "", [CE_SEVERITY_NONFATAL] = "nonfatal", [CE_SEVERITY_FATAL] = "fatal"};
enum { SEVERITIES = sizeof severity_names / sizeof *severity_names };

const char *ce_kernel_kind_name(enum ce_kernel_kind kind)
{
    return kind_names[kind];
}

static enum ce_kernel_kind parse_kind(const char *name)
{
    for (unsigned i = 0; i < KINDS; i++)
        if (strcmp(kind_names[i], name) == 0)
            return (enum ce_kernel_kind)i;
    return CE_KERNEL_OTHER;
}

/* ---------------------------------------------------------------- addresses */

/* Hexadecimal digits, min to max of them, at the start of text; what follows them, or NULL. */
static const char *take_hex(const char *text, size_t min, size_t max, unsigned *ret)
{
    size_t length = strspn(text, "0123456789abcdefABCDEF");
    if (length < min || length > max)
        return NULL;
    *ret = (unsigned)strtoul(text, NULL, 16);
    return text + length;
}

static const char *take(const char *text, char c)
{
    return text && *text == c ? text + 1 : NULL;
}

int ce_kernel_address(const char *text, char address[CE_PCI_ADDRESS], const char **end)
{
    unsigned domain = 0, bus, device, function = 0;
    const char *at = take_hex(text, 4, 8, &domain);
    if (!at)
        at = text;
    else if (!(at = take(at, ':')))
        return -1;
    if (!(at = take_hex(at, 2, 2, &bus)) || !(at = take(at, ':')) ||
        !(at = take_hex(at, 2, 2, &device)) || device > 0x1f)
        return -1;
    if (*at == '.' && (!(at = take_hex(at + 1, 1, 1, &function)) || function > 7))
        return -1;
    snprintf(address, CE_PCI_ADDRESS, "%04x:%02x:%02x.%x", domain, bus & 0xff, device & 0x1f,
             function & 7);
    *end = at;
    return 0;
}

/* ---------------------------------------------------------------- the log */

void ce_kernel_log_free(struct ce_kernel_log *log)
{
    free(log->events);
    *log = (struct ce_kernel_log){.read = false};
}

/* How often a link went down within some hours is asked: its lines are one event within an hour. */
static bool is_counted_by_hour(enum ce_kernel_kind kind)
{
    return kind == CE_KERNEL_LINK_DOWN || kind == CE_KERNEL_LINK_UP;
}

static bool is_same(const struct ce_kernel_event *old, const struct ce_kernel_event *event)
{
    return old->kind == event->kind && old->number == event->number && old->mig == event->mig &&
           old->action == event->action && old->severity == event->severity &&
           strcmp(old->pci, event->pci) == 0 &&
           !(is_counted_by_hour(event->kind) && event->time_us - old->first_us > HOUR_US);
}

static void remove_at(struct ce_kernel_log *log, size_t index)
{
    memmove(&log->events[index], &log->events[index + 1],
            (log->count - index - 1) * sizeof *log->events);
    log->count--;
}

/* Take the earlier lines of the same into *event. */
static void take_earlier(struct ce_kernel_log *log, struct ce_kernel_event *event)
{
    for (size_t i = log->count; i-- > 0;) {
        const struct ce_kernel_event *old = &log->events[i];
        if (!is_same(old, event))
            continue;
        event->first_seq = old->first_seq;
        event->first_us = old->first_us;
        event->count = old->count == UINT32_MAX ? UINT32_MAX : old->count + 1;
        remove_at(log, i);
        return;
    }
}

void ce_kernel_log_add(struct ce_kernel_log *log, const struct ce_kernel_event *event)
{
    struct ce_kernel_event added = *event;
    added.first_seq = added.seq;
    added.first_us = added.time_us;
    added.count = 1;
    if (!log->events)
        log->events = calloc(CE_KERNEL_EVENTS_MAX, sizeof *log->events);
    if (!log->events) {
        log->lost = true;
        return;
    }
    take_earlier(log, &added);
    if (log->count == CE_KERNEL_EVENTS_MAX) {
        remove_at(log, 0);
        log->lost = true;
    }
    log->events[log->count++] = added;
}

/* ---------------------------------------------------------------- text */

static void write_event(const struct ce_kernel_event *event, const char *prefix,
                        struct ce_text *out)
{
    ce_record_add(out, kind_names[event->kind], "%s.kind", prefix);
    if (event->pci[0])
        ce_record_add(out, event->pci, "%s.pci", prefix);
    ce_record_add_number(out, event->number, "%s.number", prefix);
    if (event->mig >= 0)
        ce_record_add_number(out, (uint64_t)event->mig, "%s.mig", prefix);
    if (event->action >= 0)
        ce_record_add_number(out, (uint64_t)event->action, "%s.action", prefix);
    if (event->severity)
        ce_record_add(out, severity_names[event->severity], "%s.severity", prefix);
    if (event->pid)
        ce_record_add_number(out, event->pid, "%s.pid", prefix);
    ce_record_add_number(out, event->first_seq, "%s.first_seq", prefix);
    ce_record_add_number(out, event->seq, "%s.seq", prefix);
    ce_record_add_number(out, event->first_us, "%s.first_us", prefix);
    ce_record_add_number(out, event->time_us, "%s.time_us", prefix);
    ce_record_add_number(out, event->count, "%s.count", prefix);
    if (event->text[0])
        ce_record_add(out, event->text, "%s.text", prefix);
}

void ce_kernel_log_write(const struct ce_kernel_log *log, struct ce_text *out)
{
    char prefix[32];
    if (log->unread)
        ce_record_add_number(out, 1, "kernel.unread");
    if (!log->read)
        return;
    ce_record_add_number(out, log->first_seq, "kernel.first_seq");
    ce_record_add_number(out, log->seq, "kernel.seq");
    ce_record_add_number(out, log->time_us, "kernel.time_us");
    if (log->lost)
        ce_record_add_number(out, 1, "kernel.lost");
    for (size_t i = 0; i < log->count; i++) {
        snprintf(prefix, sizeof prefix, "kernel.%zu", i);
        write_event(&log->events[i], prefix, out);
    }
}

static int read_words(const struct ce_record *record, const char *prefix,
                      struct ce_kernel_event *event, struct ce_error *err)
{
    const char *address = ce_record_get(record, "%s.pci", prefix), *end = "";
    const char *severity = ce_record_get(record, "%s.severity", prefix);
    const char *text = ce_record_get(record, "%s.text", prefix);
    if (address && (ce_kernel_address(address, event->pci, &end) < 0 || *end))
        return ce_fail(err, "%s.pci=%.40s: not a PCI address", prefix, address);
    for (unsigned i = 0; severity && i < SEVERITIES; i++)
        if (strcmp(severity, severity_names[i]) == 0)
            event->severity = (enum ce_kernel_severity)i;
    if (text && (ce_copy(event->text, sizeof event->text, text) < 0 || !ce_is_printable(text)))
        return ce_fail(err, "%s.text=%.40s...: too long, or not printable", prefix, text);
    return 0;
}

static int read_number(const struct ce_record *record, const char *prefix, const char *key,
                       uint64_t max, uint64_t absent, uint64_t *ret, struct ce_error *err)
{
    *ret = absent;
    return ce_record_number(record, 0, max, ret, err, "%s.%s", prefix, key) < 0 ? -1 : 0;
}

static int read_numbers(const struct ce_record *record, const char *prefix,
                        struct ce_kernel_event *event, struct ce_error *err)
{
    uint64_t number, mig, action, pid, count;
    if (read_number(record, prefix, "number", UINT32_MAX, 0, &number, err) < 0 ||
        read_number(record, prefix, "mig", CE_KERNEL_MIG_MAX, UINT64_MAX, &mig, err) < 0 ||
        read_number(record, prefix, "action", CE_KERNEL_ACTION_MAX, UINT64_MAX, &action, err) < 0 ||
        read_number(record, prefix, "pid", UINT32_MAX, 0, &pid, err) < 0 ||
        read_number(record, prefix, "count", UINT32_MAX, 1, &count, err) < 0 ||
        read_number(record, prefix, "first_seq", UINT64_MAX, 0, &event->first_seq, err) < 0 ||
        read_number(record, prefix, "seq", UINT64_MAX, 0, &event->seq, err) < 0 ||
        read_number(record, prefix, "first_us", UINT64_MAX, 0, &event->first_us, err) < 0 ||
        read_number(record, prefix, "time_us", UINT64_MAX, 0, &event->time_us, err) < 0)
        return -1;
    event->number = (uint32_t)number;
    event->mig = mig == UINT64_MAX ? -1 : (int)mig;
    event->action = action == UINT64_MAX ? CE_RECOVERY_UNKNOWN : (int)action;
    event->pid = (uint32_t)pid;
    event->count = count ? (uint32_t)count : 1;
    return 0;
}

static int read_events(const struct ce_record *record, struct ce_kernel_log *log,
                       struct ce_error *err)
{
    char prefix[32];
    for (unsigned i = 0; i < CE_KERNEL_EVENTS_MAX; i++) {
        snprintf(prefix, sizeof prefix, "kernel.%u", i);
        const char *kind = ce_record_get(record, "%s.kind", prefix);
        if (!kind)
            break;
        struct ce_kernel_event event = {.kind = parse_kind(kind)};
        if (read_words(record, prefix, &event, err) < 0 ||
            read_numbers(record, prefix, &event, err) < 0)
            return -1;
        log->events[log->count++] = event;
    }
    return 0;
}

int ce_kernel_log_read(const struct ce_record *record, struct ce_kernel_log *ret,
                       struct ce_error *err)
{
    struct ce_kernel_log log = {.read = false};
    uint64_t lost = 0, unread = 0;
    if (ce_record_number(record, 0, 1, &unread, err, "kernel.unread") < 0)
        return -1;
    *ret = (struct ce_kernel_log){.read = false, .unread = unread};
    int known = ce_record_number(record, 0, UINT64_MAX, &log.seq, err, "kernel.seq");
    if (known == 0)
        return 0;
    if (known < 0 ||
        ce_record_number(record, 0, UINT64_MAX, &log.first_seq, err, "kernel.first_seq") < 0 ||
        ce_record_number(record, 0, UINT64_MAX, &log.time_us, err, "kernel.time_us") < 0 ||
        ce_record_number(record, 0, 1, &lost, err, "kernel.lost") < 0)
        return -1;
    log.read = true;
    log.lost = lost;
    log.events = calloc(CE_KERNEL_EVENTS_MAX, sizeof *log.events);
    if (!log.events)
        return ce_fail(err, "no memory");
    if (read_events(record, &log, err) < 0) {
        ce_kernel_log_free(&log);
        return -1;
    }
    *ret = log;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "checks/xid.h"

#include <stddef.h>
#include <string.h>

struct range {
    uint32_t first, last;
    unsigned class;
};

/* docs/checks.md says where this is from. */
static const struct range xids[] = {
    {8, 8, CE_XID_APPLICATION},       {11, 11, CE_XID_APPLICATION},
    {13, 13, CE_XID_APPLICATION},     {14, 14, CE_XID_INFORMATIONAL},
    {25, 25, CE_XID_APPLICATION},     {31, 32, CE_XID_APPLICATION},
    {37, 38, CE_XID_INFORMATIONAL},   {39, 41, CE_XID_APPLICATION},
    {43, 44, CE_XID_INFORMATIONAL},   {45, 45, CE_XID_WORKFLOW},
    {46, 46, CE_XID_RESET},           {48, 48, CE_XID_WORKFLOW},
    {54, 54, CE_XID_POWER},           {60, 60, CE_XID_APPLICATION},
    {62, 62, CE_XID_RESET},           {63, 63, CE_XID_INFORMATIONAL},
    {64, 64, CE_XID_RESET},           {66, 67, CE_XID_INFORMATIONAL},
    {68, 72, CE_XID_APPLICATION},     {74, 74, CE_XID_WORKFLOW},
    {75, 77, CE_XID_APPLICATION},     {78, 78, CE_XID_CONTACT},
    {79, 79, CE_XID_REBOOT},          {80, 80, CE_XID_APPLICATION},
    {82, 86, CE_XID_APPLICATION},     {88, 89, CE_XID_APPLICATION},
    {92, 93, CE_XID_INFORMATIONAL},   {94, 94, CE_XID_APPLICATION},
    {95, 95, CE_XID_RESET},           {96, 105, CE_XID_APPLICATION},
    {106, 108, CE_XID_INFORMATIONAL}, {109, 110, CE_XID_RESET},
    {119, 120, CE_XID_RESET},         {121, 121, CE_XID_INFORMATIONAL},
    {126, 135, CE_XID_APPLICATION},   {136, 136, CE_XID_RESET},
    {137, 137, CE_XID_INFORMATIONAL}, {139, 139, CE_XID_APPLICATION},
    {140, 140, CE_XID_RESET},         {141, 141, CE_XID_INFORMATIONAL},
    {142, 142, CE_XID_CONTACT},       {143, 143, CE_XID_RESET},
    {144, 150, CE_XID_WORKFLOW},      {151, 151, CE_XID_REBOOT},
    {152, 153, CE_XID_INFORMATIONAL}, {154, 154, CE_XID_WORKFLOW},
    {155, 156, CE_XID_RESET},         {157, 157, CE_XID_INFORMATIONAL},
    {158, 158, CE_XID_RESET},         {159, 159, CE_XID_WORKFLOW},
    {160, 161, CE_XID_INFORMATIONAL}, {168, 168, CE_XID_REBOOT},
    {171, 172, CE_XID_INFORMATIONAL},
};

/* Only what is the same in every source; all else is as fatal as its line says. */
static const struct range sxids[] = {
    {10001, 10002, CE_SXID_MAYBE_FATAL}, {10003, 10003, CE_SXID_FATAL},
    {10004, 10005, CE_SXID_MAYBE_FATAL}, {11004, 11004, CE_SXID_NONFATAL},
    {11012, 11012, CE_SXID_NONFATAL},    {11021, 11023, CE_SXID_NONFATAL},
    {12020, 12020, CE_SXID_FATAL},       {12021, 12021, CE_SXID_NONFATAL},
    {12023, 12023, CE_SXID_NONFATAL},    {12028, 12028, CE_SXID_NONFATAL},
    {14017, 14017, CE_SXID_MAYBE_FATAL}, {15008, 15008, CE_SXID_NONFATAL},
    {15011, 15011, CE_SXID_NONFATAL},    {19047, 19047, CE_SXID_MAYBE_FATAL},
    {19049, 19049, CE_SXID_NONFATAL},    {19055, 19055, CE_SXID_NONFATAL},
    {19057, 19057, CE_SXID_NONFATAL},    {19059, 19059, CE_SXID_NONFATAL},
    {19062, 19062, CE_SXID_NONFATAL},    {19065, 19065, CE_SXID_NONFATAL},
    {19068, 19068, CE_SXID_NONFATAL},    {19071, 19071, CE_SXID_NONFATAL},
    {19084, 19084, CE_SXID_NONFATAL},    {20001, 20001, CE_SXID_NONFATAL},
    {20009, 20009, CE_SXID_NONFATAL},    {20012, 20012, CE_SXID_NONFATAL},
    {20034, 20034, CE_SXID_MAYBE_FATAL}, {22003, 22003, CE_SXID_FATAL},
    {22011, 22011, CE_SXID_FATAL},       {22012, 22012, CE_SXID_MAYBE_FATAL},
    {22013, 22013, CE_SXID_NONFATAL},    {23001, 23017, CE_SXID_FATAL},
    {24001, 24003, CE_SXID_NONFATAL},    {24004, 24007, CE_SXID_MAYBE_FATAL},
};

static unsigned find_class(const struct range *table, size_t count, uint32_t number)
{
    for (size_t i = 0; i < count; i++)
        if (number >= table[i].first && number <= table[i].last)
            return table[i].class;
    return 0;
}

enum ce_xid_class ce_xid_class(uint32_t number)
{
    return (enum ce_xid_class)find_class(xids, sizeof xids / sizeof *xids, number);
}

enum ce_sxid_class ce_sxid_class(uint32_t number)
{
    return (enum ce_sxid_class)find_class(sxids, sizeof sxids / sizeof *sxids, number);
}

const char *ce_xid_meaning(uint32_t number)
{
    static const struct {
        uint32_t number;
        const char *meaning;
    } meanings[] = {
        {13, "graphics engine exception"},
        {31, "page fault of a program"},
        {43, "a program's channel ended"},
        {45, "a program was ended"},
        {46, "GPU stopped processing"},
        {48, "double bit memory error"},
        {54, "power cable"},
        {62, "firmware halted"},
        {63, "row remapped"},
        {64, "row could not be remapped"},
        {74, "NVLink error"},
        {78, "vGPU start"},
        {79, "fell off the bus"},
        {92, "many corrected memory errors"},
        {94, "contained memory error"},
        {95, "uncontained memory error"},
        {109, "context switch timeout"},
        {110, "security fault"},
        {119, "firmware does not answer"},
        {120, "firmware failed"},
        {136, "link training failed"},
        {140, "memory error"},
        {143, "GPU did not start"},
        {151, "key rotation failed"},
        {168, "error in protected memory"},
    };
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (meanings[i].number == number)
            return meanings[i].meaning;
    return number >= 144 && number <= 150 ? "NVLink error" : "";
}

/* ---------------------------------------------------------------- what counts */

static bool is_of(const struct ce_kernel_event *event, enum ce_kernel_kind kind, const char *pci)
{
    return event->kind == kind && strcmp(event->pci, pci) == 0;
}

/* Loading the driver anew starts everything again. */
static uint64_t since_driver(const struct ce_kernel_log *log, uint64_t since)
{
    for (size_t i = 0; i < log->count; i++)
        if (log->events[i].kind == CE_KERNEL_DRIVER_LOADED && log->events[i].seq > since)
            since = log->events[i].seq;
    return since;
}

/* The driver's last verdict on this GPU; NULL: none. */
static const struct ce_kernel_event *last_recovery(const struct ce_kernel_log *log, const char *pci,
                                                   uint64_t from)
{
    const struct ce_kernel_event *last = NULL;
    for (size_t i = 0; i < log->count; i++) {
        const struct ce_kernel_event *event = &log->events[i];
        if (is_of(event, CE_KERNEL_XID, pci) && event->number == CE_XID_RECOVERY &&
            event->action != CE_RECOVERY_UNKNOWN && event->seq > from &&
            (!last || event->seq > last->seq))
            last = event;
    }
    return last;
}

static bool has(const struct ce_kernel_log *log, const char *pci, uint64_t from, uint32_t number)
{
    for (size_t i = 0; i < log->count; i++)
        if (is_of(&log->events[i], CE_KERNEL_XID, pci) && log->events[i].seq > from &&
            log->events[i].number == number)
            return true;
    return false;
}

/* Of two keep the worse, of equal ones the later. */
static void keep_worse(struct ce_xid_verdict *kept, struct ce_xid_verdict found)
{
    bool worse = found.verdict != kept->verdict ? found.verdict > kept->verdict
                                                : found.remedy >= kept->remedy;
    if (worse || !kept->event)
        *kept = found;
}

/* ---------------------------------------------------------------- Xids */

static struct ce_xid_verdict judge_recovery(const struct ce_kernel_event *event)
{
    switch (event->action) {
    case CE_RECOVERY_NONE:
        return (struct ce_xid_verdict){CE_PASS, CE_REMEDY_NONE, event};
    case CE_RECOVERY_REBOOT:
        return (struct ce_xid_verdict){CE_FAIL, CE_REMEDY_REBOOT, event};
    case CE_RECOVERY_RESET:
    case CE_RECOVERY_DRAIN_AND_RESET:
        return (struct ce_xid_verdict){CE_FAIL, CE_REMEDY_RESET, event};
    default: /* drain P2P, and what we do not know */
        return (struct ce_xid_verdict){CE_WARN, CE_REMEDY_NONE, event};
    }
}

/* 45 alone is a program that was ended; 48 is mended where 94 says that it was contained; NVLink
 * 5's lines have a word. */
static enum ce_verdict judge_workflow(const struct ce_kernel_event *event, bool contained)
{
    if (event->number == 45)
        return CE_PASS;
    if (event->number == 48)
        return contained ? CE_WARN : CE_FAIL;
    if (event->number == 74)
        return CE_FAIL;
    if (event->number >= 144 && event->number <= 150)
        return event->severity == CE_SEVERITY_FATAL ? CE_FAIL : CE_WARN;
    return CE_WARN;
}

static enum ce_verdict judge_number(const struct ce_kernel_event *event, bool contained)
{
    switch (ce_xid_class(event->number)) {
    case CE_XID_APPLICATION:
        return event->number == 94 ? CE_WARN : CE_PASS;
    case CE_XID_INFORMATIONAL:
        return CE_PASS;
    case CE_XID_RESET:
    case CE_XID_REBOOT:
        return CE_FAIL;
    case CE_XID_WORKFLOW:
        return judge_workflow(event, contained);
    case CE_XID_POWER:
    case CE_XID_CONTACT:
    case CE_XID_UNKNOWN:
        break;
    }
    return CE_WARN;
}

/* An uncontained error that comes back after the GPU was well again is the GPU's. */
static enum ce_xid_remedy find_remedy(const struct ce_kernel_event *event, uint64_t well_at,
                                      bool resets_by_reboot)
{
    bool memory = event->number == 48 || event->number == 64 || event->number == 95;
    if (memory && event->number != 64 && well_at && event->first_seq <= well_at)
        return CE_REMEDY_EXCHANGE;
    if (ce_xid_class(event->number) == CE_XID_REBOOT || (memory && resets_by_reboot))
        return CE_REMEDY_REBOOT;
    return CE_REMEDY_RESET;
}

struct ce_xid_verdict ce_xid_judge(const struct ce_kernel_log *log, const char *pci, uint64_t since,
                                   bool resets_by_reboot)
{
    struct ce_xid_verdict verdict = {CE_PASS, CE_REMEDY_NONE, NULL};
    uint64_t from = since_driver(log, since), well_at = 0;
    const struct ce_kernel_event *recovery = last_recovery(log, pci, from);
    if (recovery) {
        verdict = judge_recovery(recovery);
        from = recovery->seq;
        well_at = recovery->action == CE_RECOVERY_NONE ? recovery->seq : 0;
    }
    bool contained = has(log, pci, from, 94) && !has(log, pci, from, 95);
    for (size_t i = 0; i < log->count; i++) {
        const struct ce_kernel_event *event = &log->events[i];
        if (!is_of(event, CE_KERNEL_XID, pci) || event->seq <= from)
            continue;
        struct ce_xid_verdict found = {judge_number(event, contained), CE_REMEDY_NONE, event};
        if (found.verdict == CE_FAIL)
            found.remedy = find_remedy(event, well_at, resets_by_reboot && event->mig < 0);
        keep_worse(&verdict, found);
    }
    return verdict;
}

bool ce_xid_forbids_nvml(const struct ce_kernel_log *log)
{
    uint64_t loaded = since_driver(log, 0);
    for (size_t i = 0; i < log->count; i++) {
        const struct ce_kernel_event *event = &log->events[i];
        bool silent = event->number == 79 || event->number == 119 || event->number == 120;
        if (event->kind != CE_KERNEL_XID || !silent || event->seq <= loaded)
            continue;
        const struct ce_kernel_event *recovery = last_recovery(log, event->pci, event->seq);
        if (!recovery || recovery->action != CE_RECOVERY_NONE)
            return true;
    }
    return false;
}

/* ---------------------------------------------------------------- SXids */

static enum ce_verdict judge_switch(const struct ce_kernel_event *event)
{
    enum ce_sxid_class class = ce_sxid_class(event->number);
    if (event->severity)
        return event->severity == CE_SEVERITY_FATAL ? CE_FAIL : CE_PASS;
    if (class == CE_SXID_FATAL)
        return CE_FAIL;
    return class == CE_SXID_NONFATAL ? CE_PASS : CE_WARN;
}

struct ce_xid_verdict ce_sxid_judge(const struct ce_kernel_log *log, const char *pci,
                                    uint64_t since)
{
    struct ce_xid_verdict verdict = {CE_PASS, CE_REMEDY_NONE, NULL};
    uint64_t from = since_driver(log, since);
    for (size_t i = 0; i < log->count; i++) {
        const struct ce_kernel_event *event = &log->events[i];
        if (!is_of(event, CE_KERNEL_SXID, pci) || event->seq <= from)
            continue;
        enum ce_verdict found = judge_switch(event);
        keep_worse(&verdict,
                   (struct ce_xid_verdict){
                       found, found == CE_FAIL ? CE_REMEDY_RESET : CE_REMEDY_NONE, event});
    }
    return verdict;
}

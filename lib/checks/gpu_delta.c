/* SPDX-License-Identifier: Apache-2.0 */
/* What happened to the job's GPUs between its prolog and its epilog.  A counter that went back was
 * reset meanwhile: it says nothing.  Where a threshold is from stands in docs/checks.md. */
#include <inttypes.h>

#include "checks/gpu_each.h"

/* A shorter job makes a rate of a few errors look great. */
enum { RATE_MIN_SECONDS = 60, HARDWARE_MOST_MS = 1000, CRC_FAIL_PER_SECOND = 100 };
static const double thermal_share = 0.01;

/* Where there is none, out has why nothing can be said. */
static const struct ce_gpu_state *need_before(const struct ce_gpu_look *look,
                                              struct ce_findings *out)
{
    const struct ce_gpu_state *before = ce_gpu_before(look);
    if (!before)
        ce_findings_add(out, CE_UNKNOWN, look->subject, "it did not answer before the job");
    return before;
}

/* What a counter grew by.  False: not known, or it went back. */
static bool grew(const struct ce_gpu_value *before, const struct ce_gpu_value *now, uint64_t *ret)
{
    if (before->answer != CE_GPU_KNOWN || now->answer != CE_GPU_KNOWN ||
        now->number < before->number)
        return false;
    *ret = now->number - before->number;
    return true;
}

/* A counter of the fact that is looked at: true with its growth; else out has why not. */
static bool need_growth(const struct ce_gpu_look *look, enum ce_gpu_fact fact, uint64_t *ret,
                        struct ce_findings *out)
{
    const struct ce_gpu_state *before = need_before(look, out);
    if (!before)
        return false;
    if (grew(&before->facts[fact], &look->state->facts[fact], ret))
        return true;
    if (before->facts[fact].answer != CE_GPU_KNOWN)
        ce_findings_add(out, CE_UNKNOWN, look->subject, "it did not tell before the job");
    else
        ce_findings_add(out, CE_UNKNOWN, look->subject,
                        "%" PRIu64 ", was %" PRIu64 ": reset during the job", look->number,
                        before->facts[fact].number);
    return false;
}

/* Nothing to compare with; out has why. */
static bool has_no_before(const struct ce_check_view *view, struct ce_findings *out)
{
    if (view->before || !ce_gpu_any(view, out))
        return !view->before;
    ce_findings_add(out, CE_UNKNOWN, "", "there is no baseline of before the job");
    return true;
}

static void each(const struct ce_check_view *view, enum ce_gpu_fact fact, const char *none,
                 ce_gpu_judge *judge, struct ce_findings *out)
{
    if (!has_no_before(view, out))
        ce_gpu_each(view, fact, none, judge, out);
}

/* ---------------------------------------------------------------- memory */

static void one_uncorrected(const struct ce_gpu_look *look, struct ce_findings *out)
{
    uint64_t errors;
    if (!need_growth(look, CE_GPU_ECC_VOLATILE_UNCORRECTED, &errors, out))
        return;
    ce_findings_add(out, errors ? CE_FAIL : CE_PASS, look->subject,
                    errors ? "+%" PRIu64 " uncorrected memory errors during the job"
                           : "+%" PRIu64,
                    errors);
}

static void judge_uncorrected(const struct ce_check_view *view, struct ce_findings *out)
{
    each(view, CE_GPU_ECC_VOLATILE_UNCORRECTED, "no ECC", one_uncorrected, out);
}

static void one_remap(const struct ce_gpu_look *look, struct ce_findings *out)
{
    const struct ce_gpu_state *before = need_before(look, out);
    uint64_t rows;
    if (!before)
        return;
    if (ce_gpu_came(look, CE_GPU_REMAP_FAILURE)) {
        ce_findings_add(out, CE_FAIL, look->subject, "a row remap failed during the job");
        ce_findings_remedy(out, "exchange the GPU (RMA)");
    } else if (ce_gpu_came(look, CE_GPU_REMAP_PENDING)) {
        ce_findings_add(out, CE_FAIL, look->subject, "a row remap became pending during the job");
    } else if (!grew(&before->facts[CE_GPU_REMAP_UNCORRECTED],
                     &look->state->facts[CE_GPU_REMAP_UNCORRECTED], &rows)) {
        ce_findings_add(out, CE_UNKNOWN, look->subject, "its remapped rows cannot be compared");
    } else {
        ce_findings_add(out, rows ? CE_WARN : CE_PASS, look->subject,
                        rows ? "+%" PRIu64 " rows remapped during the job" : "+%" PRIu64, rows);
    }
}

static void judge_remap(const struct ce_check_view *view, struct ce_findings *out)
{
    each(view, CE_GPU_REMAP_PENDING, "no row remapping", one_remap, out);
}

static void one_retired(const struct ce_gpu_look *look, struct ce_findings *out)
{
    const struct ce_gpu_state *before = ce_gpu_before(look);
    uint64_t pages, twice = 0;
    if (!need_growth(look, CE_GPU_RETIRED_SINGLE, &pages, out))
        return;
    grew(&before->facts[CE_GPU_RETIRED_DOUBLE], &look->state->facts[CE_GPU_RETIRED_DOUBLE], &twice);
    ce_findings_add(out, pages + twice ? CE_WARN : CE_PASS, look->subject,
                    pages + twice ? "+%" PRIu64 " pages retired during the job" : "+%" PRIu64,
                    pages + twice);
}

static void judge_retired(const struct ce_check_view *view, struct ce_findings *out)
{
    each(view, CE_GPU_RETIRED_SINGLE, "no page retirement: it remaps rows", one_retired, out);
}

/* ---------------------------------------------------------------- links */

/* Replays that a good link has in a minute at most, by its generation; 0: not known. */
static unsigned replays_most(const struct ce_gpu_state *state)
{
    static const unsigned per_100_lanes[] = {0, 15, 30, 48, 96, 192, 384};
    uint64_t gen = 0, width = 0;
    if (!ce_gpu_know(state, CE_GPU_PCIE_GEN_MAX, &gen))
        ce_gpu_know(state, CE_GPU_PCIE_GEN, &gen);
    ce_gpu_know(state, CE_GPU_PCIE_WIDTH, &width);
    if (gen >= sizeof per_100_lanes / sizeof *per_100_lanes || width > 32)
        return 0;
    return (unsigned)((per_100_lanes[gen] * width + 99) / 100);
}

static void one_replays(const struct ce_gpu_look *look, struct ce_findings *out)
{
    uint64_t replays;
    unsigned most = replays_most(look->state);
    if (!need_growth(look, CE_GPU_PCIE_REPLAYS, &replays, out))
        return;
    double rate = look->view->seconds > 0 ? (double)replays * 60 / look->view->seconds : 0;
    if (!replays)
        ce_findings_add(out, CE_PASS, look->subject, "+0");
    else if (look->view->seconds < RATE_MIN_SECONDS)
        ce_findings_add(out, CE_SKIP, look->subject,
                        "+%" PRIu64 " in %.0f s: too short for a rate", replays,
                        look->view->seconds);
    else if (!most)
        ce_findings_add(out, CE_UNKNOWN, look->subject,
                        "+%" PRIu64 ", and its PCIe generation is not known", replays);
    else if (rate > most)
        ce_findings_add(out, CE_WARN, look->subject,
                        "+%" PRIu64 " PCIe replays during the job, %.3g/min, expected at most %u",
                        replays, rate, most);
    else
        ce_findings_add(out, CE_PASS, look->subject, "+%" PRIu64 ", %.3g/min", replays, rate);
}

static void judge_replays(const struct ce_check_view *view, struct ce_findings *out)
{
    each(view, CE_GPU_PCIE_REPLAYS, "it does not count PCIe replays", one_replays, out);
}

/* What all of its NVLinks gained; *link: the one with most of it. */
struct link_errors {
    uint64_t errors, crc;
    unsigned link, compared;
    bool reset;
};

/* CRC errors of flits come with every training of a link: only many in a second mean something. */
static const struct {
    enum ce_gpu_link_fact fact;
    bool counts, crc;
} link_facts[] = {
    {CE_GPU_LINK_REPLAYS, true, false},        {CE_GPU_LINK_RECOVERIES, true, false},
    {CE_GPU_LINK_CRC_DATA, true, true},        {CE_GPU_LINK_CRC_FLIT, false, true},
    {CE_GPU_LINK_RECEIVE_ERRORS, true, false}, {CE_GPU_LINK_OVERRUNS, true, false},
    {CE_GPU_LINK_INTEGRITY, true, false},      {CE_GPU_LINK_RECOVERIES_FAILED, true, false},
};

static void compare_link(const struct ce_gpu_state *before, const struct ce_gpu_state *now,
                         unsigned link, struct link_errors *ret)
{
    uint64_t most = 0, crc = 0;
    for (size_t i = 0; i < sizeof link_facts / sizeof *link_facts; i++) {
        const struct ce_gpu_value *old = &before->links[link_facts[i].fact][link];
        const struct ce_gpu_value *new = &now->links[link_facts[i].fact][link];
        uint64_t delta;
        if (grew(old, new, &delta)) {
            ret->compared++;
            crc += link_facts[i].crc ? delta : 0;
            most = link_facts[i].counts && delta > most ? delta : most;
        } else if (old->answer == CE_GPU_KNOWN && new->answer == CE_GPU_KNOWN) {
            ret->reset = true;
        }
    }
    if (most > ret->errors || crc > ret->crc)
        ret->link = link;
    ret->errors = most > ret->errors ? most : ret->errors;
    ret->crc = crc > ret->crc ? crc : ret->crc;
}

static void one_nvlink(const struct ce_gpu_look *look, struct ce_findings *out)
{
    const struct ce_gpu_state *now = look->state, *before;
    struct link_errors found = {.errors = 0};
    double seconds = look->view->seconds;
    if (!now->link_count && !now->error) {
        ce_findings_add(out, CE_SKIP, look->subject, "no NVLink");
        return;
    }
    if (!(before = need_before(look, out)))
        return;
    for (unsigned i = 0; i < now->link_count && i < before->link_count; i++)
        compare_link(before, now, i, &found);
    if (seconds >= RATE_MIN_SECONDS && (double)found.crc / seconds >= CRC_FAIL_PER_SECOND)
        ce_findings_add(out, CE_FAIL, look->subject,
                        "NVLink %u +%" PRIu64 " CRC errors during the job, %.3g/s, expected below %d",
                        found.link, found.crc, (double)found.crc / seconds, CRC_FAIL_PER_SECOND);
    else if (found.errors)
        ce_findings_add(out, CE_WARN, look->subject, "NVLink %u +%" PRIu64 " errors during the job",
                        found.link, found.errors);
    else if (!found.compared)
        ce_findings_add(out, CE_UNKNOWN, look->subject,
                        found.reset ? "the counters of its NVLinks were reset during the job"
                                    : "the counters of its NVLinks are not known");
    else
        ce_findings_add(out, CE_PASS, look->subject, "+0");
}

static void judge_nvlink(const struct ce_check_view *view, struct ce_findings *out)
{
    if (!has_no_before(view, out))
        ce_gpu_each_answered(view, one_nvlink, out);
}

/* ---------------------------------------------------------------- clocks */

/* Counters are in nanoseconds. */
static bool slowed_ms(const struct ce_gpu_state *before, const struct ce_gpu_state *now,
                      enum ce_gpu_fact fact, uint64_t *ms)
{
    uint64_t ns;
    if (!grew(&before->facts[fact], &now->facts[fact], &ns))
        return false;
    *ms = ns / 1000000;
    return true;
}

static void one_slowed(const struct ce_gpu_look *look, struct ce_findings *out)
{
    static const struct {
        enum ce_gpu_fact fact;
        bool hardware;
        const char *by;
    } causes[] = {
        {CE_GPU_SLOWED_POWER_BRAKE, true, "the power brake"},
        {CE_GPU_SLOWED_HW_THERMAL, true, "heat (hardware)"},
        {CE_GPU_SLOWED_THERMAL, false, "heat (software)"},
    };
    const struct ce_gpu_state *before = need_before(look, out);
    double job_ms = look->view->seconds * 1000;
    unsigned known = 0;
    for (size_t i = 0; before && i < sizeof causes / sizeof *causes; i++) {
        uint64_t ms;
        if (!slowed_ms(before, look->state, causes[i].fact, &ms))
            continue;
        known++;
        if (causes[i].hardware ? ms <= HARDWARE_MOST_MS : (double)ms <= job_ms * thermal_share)
            continue;
        ce_findings_add(out, causes[i].hardware ? CE_FAIL : CE_WARN, look->subject,
                        "clocks were held down by %s for %.1f s of the job's %.0f s", causes[i].by,
                        (double)ms / 1000, look->view->seconds);
        return;
    }
    if (before)
        ce_findings_add(out, known ? CE_PASS : CE_UNKNOWN, look->subject,
                        known ? "nothing held its clocks down for long"
                              : "what held its clocks down cannot be compared");
}

static void judge_slowed(const struct ce_check_view *view, struct ce_findings *out)
{
    each(view, CE_GPU_SLOWED_THERMAL, "it does not count what holds its clocks down", one_slowed,
         out);
}

#define RESET "reset the GPU, or reboot the node"

/* What was reset or was not there before is told by nobody but `check`: the prolog told already. */
#define ROW(name, fault, remedy, doc, judge)                                                       \
    {                                                                                              \
        "gpu.job." name, CE_EPILOG, fault, CE_IGNORE, 0, "GPU", remedy, doc, judge                 \
    }

const struct ce_check ce_gpu_delta_checks[] = {
    ROW("ecc", CE_DRAIN, RESET, "no uncorrected memory error came during the job",
        judge_uncorrected),
    ROW("remap", CE_DRAIN, RESET, "no row remap became pending or failed during the job",
        judge_remap),
    ROW("retired", CE_TELL, "watch it, run NVIDIA's field diagnosis if more follow",
        "no page of GPU memory was retired during the job", judge_retired),
    ROW("nvlink.errors", CE_DRAIN, "reset the GPU, if it stays reseat GPU and NVLink board",
        "NVLinks had no errors during the job", judge_nvlink),
    ROW("pcie.replays", CE_TELL, "reseat the GPU, then check riser and slot",
        "PCIe replays stayed rare during the job", judge_replays),
    ROW("slowed", CE_TELL, "check power supplies and cooling",
        "neither heat nor power held the clocks down during the job", judge_slowed),
};
const size_t ce_gpu_delta_check_count = sizeof ce_gpu_delta_checks / sizeof *ce_gpu_delta_checks;

/* SPDX-License-Identifier: Apache-2.0 */
/* Heat and power of GPUs: limits are the GPU's own. */
#include <inttypes.h>

#include "checks/gpu_each.h"

static void one_temperature(const struct ce_gpu_look *look, struct ce_findings *out)
{
    uint64_t slowdown = UINT64_MAX, most = UINT64_MAX, margin = UINT64_MAX, now = look->number;
    bool told = ce_gpu_know(look->state, CE_GPU_TEMPERATURE_SLOWDOWN, &slowdown);
    told = ce_gpu_know(look->state, CE_GPU_TEMPERATURE_MARGIN, &margin) || told;
    ce_gpu_know(look->state, CE_GPU_TEMPERATURE_MAX, &most);
    if (!told)
        ce_findings_add(out, CE_SKIP, look->subject, "%" PRIu64 " C; it tells no limit", now);
    else if (slowdown != UINT64_MAX && now >= slowdown)
        ce_findings_add(out, CE_FAIL, look->subject, "%" PRIu64 " C, it slows down at %" PRIu64,
                        now, slowdown);
    else if (margin == 0)
        ce_findings_add(out, CE_FAIL, look->subject, "%" PRIu64 " C, no margin to its slowdown",
                        now);
    else if (now >= most)
        ce_findings_add(out, CE_WARN, look->subject, "%" PRIu64 " C, most while running is %" PRIu64,
                        now, most);
    else
        ce_findings_add(out, CE_PASS, look->subject, "%" PRIu64 " C", now);
}

static void judge_temperature(const struct ce_check_view *view, struct ce_findings *out)
{
    ce_gpu_each(view, CE_GPU_TEMPERATURE, "no temperature sensor", one_temperature, out);
}

/* Idle, set clocks and the power cap are how GPUs are meant to run; the rest is a fault of cooling
 * or power. */
static void one_clocks(const struct ce_gpu_look *look, struct ce_findings *out)
{
    static const struct {
        unsigned bit;
        enum ce_verdict verdict;
        const char *text;
    } reasons[] = {
        {0x80, CE_FAIL, "clocks are held down by the power brake"},
        {0x40, CE_FAIL, "clocks are held down by heat (hardware)"},
        {0x08, CE_FAIL, "clocks are held down by the hardware (heat or power)"},
        {0x20, CE_WARN, "clocks are held down by heat (software)"},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (look->number & reasons[i].bit) {
            ce_findings_add(out, reasons[i].verdict, look->subject, "%s (reasons 0x%" PRIx64 ")",
                            reasons[i].text, look->number);
            return;
        }
    ce_findings_add(out, CE_PASS, look->subject, "nothing holds its clocks down");
}

static void judge_clocks(const struct ce_check_view *view, struct ce_findings *out)
{
    ce_gpu_each(view, CE_GPU_CLOCK_REASONS, "it does not tell what holds its clocks down",
                one_clocks, out);
}

/* A site may cap its power, all of them alike; one alone is a fault, or was forgotten. */
static void one_power(const struct ce_gpu_look *look, struct ce_findings *out)
{
    uint64_t usual = look->number;
    ce_gpu_usual(look->view, CE_GPU_POWER_ENFORCED, &usual);
    if (look->view->power_watts)
        ce_findings_add(out, look->number / 1000 == look->view->power_watts ? CE_PASS : CE_FAIL,
                        look->subject, "power limit %g W, expected %u", look->number / 1000.0,
                        look->view->power_watts);
    else if (look->number < usual)
        ce_findings_add(out, CE_WARN, look->subject, "power limit %g W, its siblings have %g W",
                        look->number / 1000.0, usual / 1000.0);
    else
        ce_findings_add(out, CE_PASS, look->subject, "power limit %g W", look->number / 1000.0);
}

static void judge_power(const struct ce_check_view *view, struct ce_findings *out)
{
    ce_gpu_each(view, CE_GPU_POWER_ENFORCED, "no power limit", one_power, out);
}

/* None is recoverable: without load a GPU cools down, whatever its cooling is like. */
const struct ce_check ce_gpu_heat_checks[] = {
    {"gpu.temperature", CE_EVERY_PHASE, CE_DRAIN, CE_TELL, 0, "GPU",
     "check fans, air flow or coolant", "GPUs are cooler than where they slow down",
     judge_temperature},
    {"gpu.clocks", CE_EVERY_PHASE, CE_TELL, CE_TELL, 0, "GPU",
     "check power supplies and cooling", "neither heat nor power holds the clocks down",
     judge_clocks},
    {"gpu.power.limit", CE_EVERY_PHASE, CE_TELL, CE_TELL, 0, "GPU",
     "nvidia-smi -pl, and check its power cables", "no GPU has less power than its siblings",
     judge_power},
};
const size_t ce_gpu_heat_check_count = sizeof ce_gpu_heat_checks / sizeof *ce_gpu_heat_checks;

/* SPDX-License-Identifier: Apache-2.0 */
/* Links of GPUs: NVLink, the fabric behind it, PCIe. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checks/gpu_each.h"

enum { FABRIC_COMPLETED = 3 };

/* ---------------------------------------------------------------- NVLink */

static bool is_inactive(const struct ce_gpu_state *state, unsigned link)
{
    const struct ce_gpu_value *value = &state->links[CE_GPU_LINK_ACTIVE][link];
    return value->answer == CE_GPU_KNOWN && value->number == 0;
}

static unsigned count_inactive(const struct ce_gpu_state *state)
{
    unsigned count = 0;
    for (unsigned i = 0; i < state->link_count; i++)
        count += is_inactive(state, i);
    return count;
}

/* Is NVLink soldered to it (SXM, or a fabric)?  A card may be without a bridge. */
static bool needs_links(const struct ce_gpu_state *state)
{
    uint64_t fabric;
    return strstr(state->name, "SXM") || ce_gpu_know(state, CE_GPU_FABRIC_STATE, &fabric);
}

/* Have all GPUs of the node, two at least, the same links inactive?  Then the board has no more. */
static bool is_design(const struct ce_check_view *view, const struct ce_gpu_state *state)
{
    const struct ce_gpu_states *states = &view->node->gpu_states;
    unsigned alike = 0;
    for (unsigned i = 0; i < states->count; i++) {
        const struct ce_gpu_state *other = &states->items[i];
        if (other->asked != CE_GPU_ANSWERED || other->link_count != state->link_count)
            return false;
        for (unsigned link = 0; link < state->link_count; link++)
            if (is_inactive(other, link) != is_inactive(state, link))
                return false;
        alike++;
    }
    return alike > 1;
}

/* Which of its links have it, as "link 3" or "links 3, 4". */
static void name_links(const bool *links, unsigned count, char *text, size_t size)
{
    size_t at = 0, named = 0, all = 0;
    for (unsigned i = 0; i < count; i++)
        all += links[i];
    at += (size_t)snprintf(text, size, all > 1 ? "links" : "link");
    for (unsigned i = 0; i < count && at + 8 < size; i++)
        if (links[i])
            at += (size_t)snprintf(text + at, size - at, "%s %u", named++ ? "," : "", i);
}

/* What cannot be judged by the state of links; out has why. */
static bool has_links(const struct ce_gpu_look *look, struct ce_findings *out)
{
    uint64_t mig = 0;
    ce_gpu_know(look->state, CE_GPU_MIG, &mig);
    if (!look->state->link_count && look->state->error)
        ce_findings_add(out, CE_UNKNOWN, look->subject, "%s", ce_nvml_word(look->state->error));
    else if (!look->state->link_count)
        ce_findings_add(out, CE_SKIP, look->subject, "no NVLink");
    else if (mig)
        ce_findings_add(out, CE_SKIP, look->subject, "MIG is on: it does not use NVLink");
    else
        return true;
    return false;
}

static unsigned count_unknown(const struct ce_gpu_state *state, enum ce_gpu_link_fact fact)
{
    unsigned count = 0;
    for (unsigned i = 0; i < state->link_count; i++)
        count += state->links[fact][i].answer == CE_GPU_UNKNOWN ||
                 state->links[fact][i].answer == CE_GPU_FAILED;
    return count;
}

static void one_state(const struct ce_gpu_look *look, struct ce_findings *out)
{
    const struct ce_gpu_state *state = look->state;
    bool inactive[CE_GPU_LINKS_MAX] = {false};
    char text[96];
    if (!has_links(look, out))
        return;
    unsigned count = count_inactive(state), unknown = count_unknown(state, CE_GPU_LINK_ACTIVE);
    for (unsigned i = 0; i < state->link_count; i++)
        inactive[i] = is_inactive(state, i);
    name_links(inactive, state->link_count, text, sizeof text);
    if (count == state->link_count && !needs_links(state))
        ce_findings_add(out, CE_SKIP, look->subject, "no NVLink bridge");
    else if (count == state->link_count)
        ce_findings_add(out, CE_FAIL, look->subject, "none of its %u NVLinks is active", count);
    else if (count && is_design(look->view, state))
        ce_findings_add(out, CE_WARN, look->subject, "NVLink %s inactive, as of all GPUs here",
                        text);
    else if (count)
        ce_findings_add(out, CE_FAIL, look->subject, "NVLink %s inactive", text);
    else if (unknown)
        ce_findings_add(out, CE_UNKNOWN, look->subject, "%u of its %u NVLinks do not tell", unknown,
                        state->link_count);
    else
        ce_findings_add(out, CE_PASS, look->subject, "%u NVLinks active", state->link_count);
}

static void judge_nvlink_state(const struct ce_check_view *view, struct ce_findings *out)
{
    ce_gpu_each_answered(view, one_state, out);
}

/* The fastest link of the node: all links of one machine are of one kind. */
static uint64_t best_speed(const struct ce_check_view *view)
{
    const struct ce_gpu_states *states = &view->node->gpu_states;
    uint64_t best = 0;
    for (unsigned i = 0; i < states->count; i++)
        for (unsigned link = 0; link < states->items[i].link_count; link++) {
            const struct ce_gpu_value *speed = &states->items[i].links[CE_GPU_LINK_SPEED][link];
            if (speed->answer == CE_GPU_KNOWN && speed->number > best)
                best = speed->number;
        }
    return best;
}

static void one_speed(const struct ce_gpu_look *look, struct ce_findings *out)
{
    const struct ce_gpu_state *state = look->state;
    uint64_t best = best_speed(look->view), lowest = best;
    bool slow[CE_GPU_LINKS_MAX] = {false}, any = false, known = false;
    char text[96];
    if (!has_links(look, out))
        return;
    for (unsigned i = 0; i < state->link_count; i++) {
        const struct ce_gpu_value *speed = &state->links[CE_GPU_LINK_SPEED][i];
        known = known || speed->answer == CE_GPU_KNOWN;
        slow[i] = !is_inactive(state, i) && speed->answer == CE_GPU_KNOWN && speed->number < best;
        any = any || slow[i];
        if (slow[i] && speed->number < lowest)
            lowest = speed->number;
    }
    name_links(slow, state->link_count, text, sizeof text);
    if (count_inactive(state) == state->link_count)
        ce_findings_add(out, CE_SKIP, look->subject, "no NVLink is active");
    else if (any)
        ce_findings_add(out, CE_WARN, look->subject, "NVLink %s: %g GB/s, others have %g", text,
                        lowest / 1000.0, best / 1000.0);
    else if (known)
        ce_findings_add(out, CE_PASS, look->subject, "NVLinks of %g GB/s", best / 1000.0);
    else if (count_unknown(state, CE_GPU_LINK_SPEED) > count_inactive(state))
        ce_findings_add(out, CE_UNKNOWN, look->subject, "its NVLinks do not tell their speed");
    else
        ce_findings_add(out, CE_SKIP, look->subject, "driver %s does not tell the speed",
                        look->view->node->gpu_states.driver);
}

static void judge_nvlink_speed(const struct ce_check_view *view, struct ce_findings *out)
{
    ce_gpu_each_answered(view, one_speed, out);
}

/* Errors that a link repairs by itself but seldom has; control CRC errors come with every training
 * and are left out. */
static uint64_t count_errors(const struct ce_gpu_state *state, unsigned link, bool *known)
{
    static const enum ce_gpu_link_fact facts[] = {
        CE_GPU_LINK_REPLAYS,        CE_GPU_LINK_RECOVERIES, CE_GPU_LINK_CRC_DATA,
        CE_GPU_LINK_RECEIVE_ERRORS, CE_GPU_LINK_OVERRUNS,   CE_GPU_LINK_INTEGRITY,
        CE_GPU_LINK_RECOVERIES_FAILED};
    uint64_t most = 0;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        const struct ce_gpu_value *value = &state->links[facts[i]][link];
        *known = *known || value->answer == CE_GPU_KNOWN;
        if (value->answer == CE_GPU_KNOWN && value->number > most)
            most = value->number;
    }
    return most;
}

static void one_errors(const struct ce_gpu_look *look, struct ce_findings *out)
{
    const struct ce_gpu_state *state = look->state;
    bool bad[CE_GPU_LINKS_MAX] = {false}, known = false;
    uint64_t most = 0;
    char text[96];
    if (!has_links(look, out))
        return;
    for (unsigned i = 0; i < state->link_count; i++) {
        uint64_t errors = count_errors(state, i, &known);
        bad[i] = errors > look->view->limit;
        if (errors > most)
            most = errors;
    }
    name_links(bad, state->link_count, text, sizeof text);
    if (count_inactive(state) == state->link_count)
        ce_findings_add(out, CE_SKIP, look->subject, "no NVLink is active");
    else if (!known)
        ce_findings_add(out, CE_UNKNOWN, look->subject, "its NVLinks do not tell their errors");
    else if (most > look->view->limit)
        ce_findings_add(out, CE_WARN, look->subject, "NVLink %s: up to %" PRIu64 " errors", text,
                        most);
    else
        ce_findings_add(out, CE_PASS, look->subject, "%" PRIu64 " errors of NVLink at most", most);
}

static void judge_nvlink_errors(const struct ce_check_view *view, struct ce_findings *out)
{
    ce_gpu_each_answered(view, one_errors, out);
}

/* ---------------------------------------------------------------- the fabric */

static void one_fabric(const struct ce_gpu_look *look, struct ce_findings *out)
{
    static const char *const states[] = {"not supported", "not started", "in progress"};
    uint64_t status = 0, health = 0;
    ce_gpu_know(look->state, CE_GPU_FABRIC_STATUS, &status);
    ce_gpu_know(look->state, CE_GPU_FABRIC_HEALTH, &health);
    if (look->number < FABRIC_COMPLETED)
        ce_findings_add(out, CE_FAIL, look->subject, "fabric registration %s, expected completed",
                        states[look->number]);
    else if (status)
        ce_findings_add(out, CE_FAIL, look->subject, "fabric registration failed: %s",
                        ce_nvml_word((unsigned)status));
    else if (health == 2)
        ce_findings_add(out, CE_FAIL, look->subject, "its fabric is unhealthy");
    else if (health == 3)
        ce_findings_add(out, CE_WARN, look->subject, "its fabric has limited capacity");
    else
        ce_findings_add(out, CE_PASS, look->subject, "registered with the fabric");
}

static void judge_fabric(const struct ce_check_view *view, struct ce_findings *out)
{
    ce_gpu_each(view, CE_GPU_FABRIC_STATE, "no NVLink fabric", one_fabric, out);
}

/* ---------------------------------------------------------------- PCIe */

static void one_width(const struct ce_gpu_look *look, struct ce_findings *out)
{
    uint64_t most = look->number;
    ce_gpu_know(look->state, CE_GPU_PCIE_WIDTH_MAX, &most);
    if (look->number < most)
        ce_findings_add(out, CE_FAIL, look->subject, "PCIe x%" PRIu64 ", expected x%" PRIu64,
                        look->number, most);
    else
        ce_findings_add(out, CE_PASS, look->subject, "PCIe x%" PRIu64, look->number);
}

static void judge_pcie_width(const struct ce_check_view *view, struct ce_findings *out)
{
    ce_gpu_each(view, CE_GPU_PCIE_WIDTH, "no PCIe link", one_width, out);
}

/* What GPU and slot can do together, not what the link does now: an idle GPU slows its link down. */
static void one_gen(const struct ce_gpu_look *look, struct ce_findings *out)
{
    uint64_t usual = look->number;
    ce_gpu_usual(look->view, CE_GPU_PCIE_GEN_MAX, &usual);
    if (look->number < usual)
        ce_findings_add(out, CE_WARN, look->subject,
                        "PCIe generation %" PRIu64 " at most, its siblings have %" PRIu64,
                        look->number, usual);
    else
        ce_findings_add(out, CE_PASS, look->subject, "PCIe generation %" PRIu64, look->number);
}

static void judge_pcie_gen(const struct ce_check_view *view, struct ce_findings *out)
{
    ce_gpu_each(view, CE_GPU_PCIE_GEN_MAX, "no PCIe link", one_gen, out);
}

const struct ce_check ce_gpu_link_checks[] = {
    {"gpu.nvlink.state", CE_EVERY_PHASE, CE_DRAIN, CE_TELL, 0, "GPU",
     "reset the GPU, if it stays reseat GPU and NVLink board", "every NVLink is active",
     judge_nvlink_state},
    {"gpu.fabric", CE_EVERY_PHASE, CE_DRAIN, CE_TELL, CE_RECOVERABLE, "GPU",
     "check nvidia-fabricmanager and its log", "every GPU is registered with the NVLink fabric",
     judge_fabric},
    {"gpu.nvlink.speed", CE_EVERY_PHASE, CE_TELL, CE_TELL, 0, "GPU",
     "reset the GPU, if it stays reseat GPU and NVLink board",
     "every NVLink is as fast as the others", judge_nvlink_speed},
    {"gpu.nvlink.errors", CE_EVERY_PHASE, CE_TELL, CE_TELL, 0, "GPU",
     "watch it, if it grows reseat GPU and NVLink board", "NVLinks have few errors",
     judge_nvlink_errors},
    {"gpu.pcie.width", CE_EVERY_PHASE, CE_DRAIN, CE_TELL, 0, "GPU",
     "power-cycle the node, if it stays reseat the GPU", "no lane of PCIe is missing",
     judge_pcie_width},
    {"gpu.pcie.gen", CE_EVERY_PHASE, CE_TELL, CE_TELL, 0, "GPU",
     "check the slot's speed in the BIOS, then reseat the GPU",
     "GPU and slot can do the PCIe generation that the siblings can", judge_pcie_gen},
};
const size_t ce_gpu_link_check_count = sizeof ce_gpu_link_checks / sizeof *ce_gpu_link_checks;

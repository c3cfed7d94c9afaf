/* SPDX-License-Identifier: Apache-2.0 */
/* Whether GPUs answer, what the driver wants done, and how they are set up. */
#include <inttypes.h>
#include <string.h>

#include "checks/gpu_each.h"

/* ---------------------------------------------------------------- answers */

/* NVML's errors that say something of the GPU; others say only that it could not be found out. */
static enum ce_verdict verdict_of(const struct ce_check_view *view, unsigned code)
{
    switch (code) {
    case CE_NVML_LOST:
    case CE_NVML_RESET_REQUIRED:
    case CE_NVML_NOT_LOADED:
    case CE_NVML_MISMATCH:
    case 8:  /* a power cable is missing */
    case 11: /* interrupts */
        return CE_FAIL;
    case CE_NVML_NOT_FOUND: /* perhaps given to a virtual machine */
        return view->gpus_expected ? CE_FAIL : CE_WARN;
    }
    return CE_UNKNOWN;
}

static void judge_answer(const struct ce_check_view *view, unsigned index, struct ce_findings *out)
{
    const struct ce_gpu_states *states = &view->node->gpu_states;
    const struct ce_gpu_state *state = &states->items[index];
    char subject[CE_SUBJECT];
    ce_gpu_name(view, index, subject);
    if (state->error)
        ce_findings_add(out, verdict_of(view, state->error), subject, "%s",
                        ce_nvml_word(state->error));
    else if (state->asked == CE_GPU_ANSWERED)
        ce_findings_add(out, CE_PASS, subject, "NVML answers");
    else if (state->asked == CE_GPU_SKIPPED)
        ce_findings_add(out, CE_SKIP, subject, "not asked: by the kernel log it would hang");
    else if (state->asked == CE_GPU_LATE)
        ce_findings_add(out, CE_UNKNOWN, subject, "the driver hangs: %s", states->error);
    else
        ce_findings_add(out, CE_UNKNOWN, subject, "%s",
                        states->error[0] ? states->error : "NVML did not tell");
}

static void judge_nvml(const struct ce_check_view *view, struct ce_findings *out)
{
    const struct ce_gpu_states *states = &view->node->gpu_states;
    if (states->code && verdict_of(view, states->code) == CE_FAIL) {
        ce_findings_add(out, CE_FAIL, "", "%s", states->error);
        return;
    }
    if (!ce_gpu_any(view, out))
        return;
    for (unsigned i = 0; i < states->count; i++)
        if (ce_gpu_is_nvidia(view, i) && ce_check_has_gpu(view, i))
            judge_answer(view, i, out);
}

static void one_recovery(const struct ce_gpu_look *look, struct ce_findings *out)
{
    static const struct {
        enum ce_verdict verdict;
        const char *text;
    } actions[] = {
        {CE_PASS, "the driver wants nothing done"},
        {CE_FAIL, "the driver wants the GPU reset"},
        {CE_FAIL, "the driver wants the node rebooted"},
        {CE_WARN, "the driver wants peer-to-peer work drained"},
        {CE_FAIL, "the driver wants it drained and reset"},
        {CE_WARN, "the driver wants the IMEX domain recovered"},
        {CE_FAIL, "the driver wants the GPU's bus reset"},
        {CE_FAIL, "the driver wants the node rebooted"},
    };
    if (look->number < sizeof actions / sizeof *actions)
        ce_findings_add(out, actions[look->number].verdict, look->subject, "%s",
                        actions[look->number].text);
    else
        ce_findings_add(out, CE_UNKNOWN, look->subject,
                        "the driver wants action %" PRIu64 ", which is not known here",
                        look->number);
}

static void judge_recovery(const struct ce_check_view *view, struct ce_findings *out)
{
    ce_gpu_each(view, CE_GPU_RECOVERY, "its driver has no such word", one_recovery, out);
}

/* ---------------------------------------------------------------- settings */

static void one_persistence(const struct ce_gpu_look *look, struct ce_findings *out)
{
    ce_findings_add(out, look->number ? CE_PASS : CE_FAIL, look->subject, "persistence mode is %s",
                    look->number ? "on" : "off");
}

static void judge_persistence(const struct ce_check_view *view, struct ce_findings *out)
{
    ce_gpu_each(view, CE_GPU_PERSISTENCE, "no persistence mode", one_persistence, out);
}

static void one_mig(const struct ce_gpu_look *look, struct ce_findings *out)
{
    uint64_t next = look->number, usual = look->number;
    ce_gpu_know(look->state, CE_GPU_MIG_NEXT, &next);
    ce_gpu_usual(look->view, CE_GPU_MIG, &usual);
    if (next != look->number)
        ce_findings_add(out, CE_WARN, look->subject, "MIG is %s until the next reset, then %s",
                        look->number ? "on" : "off", next ? "on" : "off");
    else if (look->view->mig)
        ce_findings_add(out, look->number == (look->view->mig == CE_ANSWER_YES) ? CE_PASS : CE_FAIL,
                        look->subject, "MIG is %s", look->number ? "on" : "off");
    else
        ce_findings_add(out, look->number == usual ? CE_PASS : CE_WARN, look->subject,
                        "MIG is %s%s", look->number ? "on" : "off",
                        look->number == usual ? "" : ", of its siblings it is not so");
}

static void judge_mig(const struct ce_check_view *view, struct ce_findings *out)
{
    ce_gpu_each(view, CE_GPU_MIG, "no MIG", one_mig, out);
}

/* The VBIOS that most GPUs of the same name have, wherever they stand among others. */
static const char *usual_vbios(const struct ce_check_view *view, const struct ce_gpu_state *of)
{
    const struct ce_gpu_states *states = &view->node->gpu_states;
    const char *best = NULL;
    unsigned most = 0, named = 0;
    for (unsigned i = 0; i < states->count; i++) {
        const struct ce_gpu_state *one = &states->items[i];
        unsigned equal = 0;
        if (!one->vbios[0] || strcmp(one->name, of->name) != 0)
            continue;
        named++;
        for (unsigned k = 0; k < states->count; k++)
            equal += strcmp(states->items[k].vbios, one->vbios) == 0 &&
                     strcmp(states->items[k].name, of->name) == 0;
        if (equal > most) {
            most = equal;
            best = one->vbios;
        }
    }
    return 2 * most > named ? best : NULL;
}

static void judge_expected(const struct ce_gpu_look *look, struct ce_findings *out)
{
    const struct ce_check_view *view = look->view;
    const char *vbios = look->state->vbios;
    for (size_t i = 0; i < view->vbios_count; i++)
        if (strcmp(view->vbios[i], vbios) == 0) {
            ce_findings_add(out, CE_PASS, look->subject, "VBIOS %s", vbios);
            return;
        }
    ce_findings_add(out, CE_FAIL, look->subject, "VBIOS %.32s, expected %.32s%s", vbios,
                    view->vbios[0], view->vbios_count > 1 ? " or others" : "");
}

static void one_vbios(const struct ce_gpu_look *look, struct ce_findings *out)
{
    const struct ce_gpu_state *state = look->state;
    const char *usual = usual_vbios(look->view, state);
    if (!state->vbios[0])
        ce_findings_add(out, CE_UNKNOWN, look->subject, "it does not tell its VBIOS");
    else if (look->view->vbios_count)
        judge_expected(look, out);
    else if (look->view->node->gpu_states.count < 2)
        ce_findings_add(out, CE_SKIP, look->subject, "VBIOS %s; there is no other GPU",
                        state->vbios);
    else if (usual && strcmp(usual, state->vbios) == 0)
        ce_findings_add(out, CE_PASS, look->subject, "VBIOS %s", state->vbios);
    else
        ce_findings_add(out, CE_WARN, look->subject, "VBIOS %.32s, its siblings have %.32s",
                        state->vbios, usual ? usual : "several others");
}

static void judge_vbios(const struct ce_check_view *view, struct ce_findings *out)
{
    ce_gpu_each_answered(view, one_vbios, out);
}

static void judge_driver(const struct ce_check_view *view, struct ce_findings *out)
{
    const char *found = view->node->gpu_states.driver, *expected = view->driver;
    if (!expected)
        ce_findings_add(out, CE_SKIP, "", "no driver is expected (driver in cluster-env.conf)");
    else if (!found[0] && !ce_gpu_any(view, out))
        return;
    else if (!found[0])
        ce_findings_add(out, CE_UNKNOWN, "", "the driver does not tell its version");
    else
        ce_findings_add(out, strcmp(found, expected) == 0 ? CE_PASS : CE_FAIL, "",
                        strcmp(found, expected) == 0 ? "driver %s" : "driver %s, expected %.64s",
                        found, expected);
}

const struct ce_check ce_gpu_setup_checks[] = {
    {"gpu.nvml", CE_EVERY_PHASE, CE_DRAIN, CE_TELL, 0, "GPU",
     "reset the GPU or reboot the node, exchange the GPU if it comes back",
     "the driver is loaded and every GPU answers", judge_nvml},
    {"gpu.recovery_action", CE_EVERY_PHASE, CE_DRAIN, CE_TELL, 0, "GPU",
     "do what the driver wants", "the driver wants no GPU reset and no reboot", judge_recovery},
    {"gpu.driver", CE_EVERY_PHASE, CE_TELL, CE_TELL, 0, "node",
     "install the driver that is expected", "NVIDIA's driver is the one that is expected",
     judge_driver},
    {"gpu.persistence", CE_EVERY_PHASE, CE_TELL, CE_TELL, 0, "GPU",
     "start nvidia-persistenced", "persistence mode is on", judge_persistence},
    {"gpu.mig", CE_EVERY_PHASE, CE_TELL, CE_TELL, 0, "GPU",
     "nvidia-smi -mig, then reset the GPU", "MIG is on or off on all GPUs alike", judge_mig},
    {"gpu.vbios", CE_EVERY_PHASE, CE_TELL, CE_TELL, 0, "GPU",
     "bring all GPUs to the same VBIOS", "GPUs have the VBIOS that is expected, or one kind the same", judge_vbios},
};
const size_t ce_gpu_setup_check_count = sizeof ce_gpu_setup_checks / sizeof *ce_gpu_setup_checks;

/* SPDX-License-Identifier: Apache-2.0 */
#include "checks/gpu_each.h"

#include <stdio.h>
#include <string.h>

bool ce_gpu_is_nvidia(const struct ce_check_view *view, unsigned index)
{
    const struct ce_pci *gpu = &view->node->gpus[index];
    const struct ce_gpu_states *states = &view->node->gpu_states;
    bool told = index < states->count && states->items[index].asked != CE_GPU_NOT_ASKED;
    return told || ce_pci_may_be_nvidia(gpu);
}

void ce_gpu_name(const struct ce_check_view *view, unsigned index, char subject[CE_SUBJECT])
{
    const char *address = view->node->gpus[index].address;
    snprintf(subject, CE_SUBJECT, "GPU %u%s%s%s", index, address[0] ? " (" : "", address,
             address[0] ? ")" : "");
}

bool ce_gpu_any(const struct ce_check_view *view, struct ce_findings *out)
{
    const struct ce_gpu_states *states = &view->node->gpu_states;
    unsigned count = 0;
    for (unsigned i = 0; i < view->node->gpu_count; i++)
        count += ce_gpu_is_nvidia(view, i);
    if (!count)
        ce_findings_add(out, CE_SKIP, "", "no NVIDIA GPU");
    else if (view->shared && !view->job_gpus)
        ce_findings_add(out, CE_SKIP, "", "the job has no GPU");
    else if (!states->items && !states->error[0])
        ce_findings_add(out, CE_SKIP, "", "NVML was not asked");
    else if (!states->items || states->code)
        ce_findings_add(out, CE_UNKNOWN, "", "%s", states->error);
    else
        return true;
    return false;
}

bool ce_gpu_know(const struct ce_gpu_state *state, enum ce_gpu_fact fact, uint64_t *ret)
{
    if (state->facts[fact].answer != CE_GPU_KNOWN)
        return false;
    *ret = state->facts[fact].number;
    return true;
}

const struct ce_gpu_state *ce_gpu_before(const struct ce_gpu_look *look)
{
    const struct ce_node *before = look->view->before;
    const char *address = look->view->node->gpus[look->index].address;
    for (unsigned i = 0; before && i < before->gpu_states.count; i++) {
        const struct ce_gpu_state *state = &before->gpu_states.items[i];
        bool other = state->uuid[0] && look->state->uuid[0] &&
                     strcmp(state->uuid, look->state->uuid) != 0;
        if (strcmp(before->gpus[i].address, address) == 0)
            return state->asked == CE_GPU_ANSWERED && !other ? state : NULL;
    }
    return NULL;
}

bool ce_gpu_came(const struct ce_gpu_look *look, enum ce_gpu_fact fact)
{
    const struct ce_gpu_state *before = ce_gpu_before(look);
    uint64_t was, is;
    return before && ce_gpu_know(before, fact, &was) && ce_gpu_know(look->state, fact, &is) &&
           was < is;
}

bool ce_gpu_usual(const struct ce_check_view *view, enum ce_gpu_fact fact, uint64_t *ret)
{
    const struct ce_gpu_states *states = &view->node->gpu_states;
    uint64_t mine, other;
    for (unsigned i = 0; i < states->count; i++) {
        unsigned known = 0, equal = 0;
        if (!ce_gpu_know(&states->items[i], fact, &mine))
            continue;
        for (unsigned k = 0; k < states->count; k++)
            if (ce_gpu_know(&states->items[k], fact, &other)) {
                known++;
                equal += mine == other;
            }
        if (2 * equal > known) {
            *ret = mine;
            return true;
        }
    }
    return false;
}

/* Why this GPU told nothing, or no more. */
static const char *why_silent(const struct ce_gpu_states *states, const struct ce_gpu_state *state)
{
    if (state->error)
        return ce_nvml_word(state->error);
    return states->error[0] ? states->error : "NVML did not tell";
}

/* Whether it has an answer; if not, out has why not. */
static bool has_answer(const struct ce_gpu_look *look, struct ce_findings *out)
{
    const struct ce_gpu_state *state = look->state;
    if (state->asked == CE_GPU_SKIPPED)
        ce_findings_add(out, CE_SKIP, look->subject, "not asked: by the kernel log it would hang");
    else if (state->asked == CE_GPU_LATE) /* in gpu.nvml's words */
        ce_findings_add(out, CE_UNKNOWN, look->subject, "the driver hangs: %s",
                        look->view->node->gpu_states.error);
    else if (state->asked != CE_GPU_ANSWERED)
        ce_findings_add(out, CE_UNKNOWN, look->subject, "%s",
                        why_silent(&look->view->node->gpu_states, state));
    return state->asked == CE_GPU_ANSWERED;
}

static void judge_fact(struct ce_gpu_look *look, const struct ce_gpu_value *value, const char *none,
                       ce_gpu_judge *judge, struct ce_findings *out)
{
    const struct ce_gpu_states *states = &look->view->node->gpu_states;
    switch (value->answer) {
    case CE_GPU_KNOWN:
        look->number = value->number;
        judge(look, out);
        return;
    case CE_GPU_NONE:
        ce_findings_add(out, CE_SKIP, look->subject, "%s", none);
        return;
    case CE_GPU_OLD:
        ce_findings_add(out, CE_SKIP, look->subject, "driver %s is too old to say", states->driver);
        return;
    case CE_GPU_FAILED:
        ce_findings_add(out, CE_UNKNOWN, look->subject, "%s", ce_nvml_word((unsigned)value->number));
        return;
    case CE_GPU_UNKNOWN:
        break;
    }
    ce_findings_add(out, CE_UNKNOWN, look->subject, "%s", why_silent(states, look->state));
}

static void go_through(const struct ce_check_view *view, int fact, const char *none,
                       ce_gpu_judge *judge, struct ce_findings *out)
{
    const struct ce_gpu_states *states = &view->node->gpu_states;
    if (!ce_gpu_any(view, out))
        return;
    for (unsigned i = 0; i < states->count; i++) {
        struct ce_gpu_look look = {.view = view, .state = &states->items[i], .index = i};
        if (!ce_gpu_is_nvidia(view, i) || !ce_check_has_gpu(view, i))
            continue;
        ce_gpu_name(view, i, look.subject);
        if (!has_answer(&look, out))
            continue;
        if (fact < 0)
            judge(&look, out);
        else
            judge_fact(&look, &look.state->facts[fact], none, judge, out);
    }
}

void ce_gpu_each(const struct ce_check_view *view, enum ce_gpu_fact fact, const char *none,
                 ce_gpu_judge *judge, struct ce_findings *out)
{
    go_through(view, (int)fact, none, judge, out);
}

void ce_gpu_each_answered(const struct ce_check_view *view, ce_gpu_judge *judge,
                          struct ce_findings *out)
{
    go_through(view, -1, NULL, judge, out);
}

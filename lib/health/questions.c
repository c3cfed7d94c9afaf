/* SPDX-License-Identifier: Apache-2.0 */
#include "health/questions.h"

#include <stdlib.h>

#include "base/child.h"
#include "base/clock.h"
#include "checks/xid.h"
#include "launch/rails.h"
#include "probe/gpu_helper.h"
#include "probe/helpers.h"
#include "probe/kernel_log.h"

/* With patience. */
enum { KERNEL_MS = 3000, RAILS_MS = 2000, IB_MS = 5000, HELPER_MS = 10000 };

enum { AT_ONCE = -1 };

struct asking {
    const struct ce_machine *machine;
    const struct ce_root *root;
    const struct ce_node *old;
    struct ce_node *node, **rails;
    struct ce_notes *notes;
    struct ce_child children[CE_QUESTIONS];
    bool answered[CE_QUESTIONS];
    uint64_t began_ns;
    unsigned begun_ms[CE_QUESTIONS]; /* after that */
    struct ce_times times;
    struct ce_kernel_question kernel;
    struct ce_gpu_question gpus;
    struct ce_helper_question verbs, topology;
    struct ce_rails_question places;
};

/* From when the first was asked; 0: there is no such limit. */
static unsigned limit_ms(const struct ce_machine *machine, enum ce_question question)
{
    unsigned all = machine->deadline_ms;
    unsigned less = machine->patience ? machine->patience->ms[question] : 0;
    return less && (!all || less < all) ? less : all;
}

/* For how long it is waited from then on, where `enough` is patience enough; 0: its time is over. */
static unsigned left_ms(const struct asking *asking, enum ce_question question, unsigned gone,
                        unsigned enough)
{
    unsigned limit = limit_ms(asking->machine, question);
    if (!limit)
        return enough;
    unsigned left = gone < limit ? limit - gone : 0;
    return asking->machine->deadline_ms || left < enough ? left : enough;
}

/* ---------------------------------------------------------------- the kernel log, then NVML */

/* NVML waits for it: half of the time is for the GPUs. */
static void ask_kernel(struct asking *asking, unsigned ms, struct ce_child *child)
{
    unsigned gpus_ms = left_ms(asking, CE_ASK_GPUS, 0, HELPER_MS);
    asking->kernel =
        (struct ce_kernel_question){asking->root, asking->machine->kernel_since};
    if (asking->machine->health)
        ce_kernel_log_ask(&asking->kernel, (ms > gpus_ms ? ms : gpus_ms) / 2, child);
}

static void take_kernel(struct asking *asking, const struct ce_child *child)
{
    ce_kernel_log_answer(&asking->kernel, child, asking->node, asking->notes);
}

/* A GPU that does not answer holds the driver's lock for seconds at each call, whichever GPU that
 * one is of. */
static void ask_driver(const struct ce_machine *machine, unsigned deadline_ms,
                       const struct ce_node *node, struct ce_gpu_question *question,
                       struct ce_child *child)
{
    bool skip[CE_GPUS_MAX], forbidden = ce_xid_forbids_nvml(&node->kernel);
    const struct ce_gpu_helper helper = {machine->helpers, deadline_ms, skip};
    for (size_t i = 0; i < CE_GPUS_MAX; i++)
        skip[i] = forbidden;
    ce_gpus_ask(question, &helper, node, child);
}

static void ask_gpus(struct asking *asking, unsigned ms, struct ce_child *child)
{
    if (asking->machine->health && asking->machine->helpers)
        ask_driver(asking->machine, ms, asking->node, &asking->gpus, child);
}

static void take_gpus(struct asking *asking, const struct ce_child *child)
{
    ce_gpus_answer(child, asking->node);
}

void ce_questions_ask_gpus(const struct ce_machine *machine, struct ce_node *node)
{
    struct ce_gpu_question question;
    struct ce_child child = {.argv = NULL};
    unsigned limit = limit_ms(machine, CE_ASK_GPUS);
    ask_driver(machine, limit ? limit : HELPER_MS, node, &question, &child);
    if (!child.argv && !child.body)
        return;
    ce_children_run(&child, 1, &(struct ce_children_plan){.at_once = 1});
    ce_gpus_answer(&child, node);
    ce_child_free(&child);
}

/* ---------------------------------------------------------------- RDMA devices */

static void ask_ib(struct asking *asking, unsigned ms, struct ce_child *child)
{
    ce_ib_ask(asking->root, ms, child);
}

static void take_ib(struct asking *asking, const struct ce_child *child)
{
    ce_ib_answer(child, asking->node, asking->notes);
}

static bool has_devices(const struct ce_root *root)
{
    ce_autofree char **names = NULL;
    return ce_root_list(root, &names, "sys/class/infiniband") > 0;
}

static void ask_verbs(struct asking *asking, unsigned ms, struct ce_child *child)
{
    if (asking->machine->helpers && has_devices(asking->root))
        ce_helper_ask(&asking->verbs, CE_HELPER_VERBS, asking->machine->helpers,
                      ms, child);
}

static void take_verbs(struct asking *asking, const struct ce_child *child)
{
    ce_helper_answer(CE_HELPER_VERBS, child, asking->node, asking->notes);
}

/* hwloc reads all of the machine: only where the last facts do not have what it says. */
static void ask_topology(struct asking *asking, unsigned ms, struct ce_child *child)
{
    struct ce_node *node = asking->node;
    if (!asking->machine->helpers || node->hca_count == 0 || node->gpu_count == 0 ||
        (asking->old && ce_probe_keep_distances(asking->old, node)))
        return;
    ce_helper_ask(&asking->topology, CE_HELPER_TOPOLOGY, asking->machine->helpers,
                  ms, child);
}

static void take_topology(struct asking *asking, const struct ce_child *child)
{
    ce_helper_answer(CE_HELPER_TOPOLOGY, child, asking->node, asking->notes);
}

/* ---------------------------------------------------------------- rails */

static struct ce_rail_place place_of(const struct ce_node *node, const struct ce_rail *rail)
{
    return (struct ce_rail_place){(size_t)(rail->hca - node->hcas),
                                  (size_t)(rail->port - rail->hca->ports)};
}

static int list_places(const struct ce_node *node, struct ce_rails_question *places)
{
    struct ce_rails rails;
    struct ce_error err;
    int failed = ce_rails_choose(node, &rails, &err);
    if (!failed)
        places->places = calloc(rails.count + 1, sizeof *places->places);
    for (size_t i = 0; places->places && i < rails.port_count; i++)
        if (rails.ports[i].chosen)
            places->places[places->count++] = place_of(node, &rails.ports[i]);
    ce_rails_free(&rails);
    return places->places ? 0 : -1;
}

static void ask_rails(struct asking *asking, unsigned ms, struct ce_child *child)
{
    asking->places = (struct ce_rails_question){.root = asking->root, .node = asking->node};
    if (!asking->rails)
        return;
    if (list_places(asking->node, &asking->places) < 0)
        ce_note(asking->notes, "the counters of the rails stay unknown: %s", "no memory");
    ce_rails_ask(&asking->places, ms, child);
}

static void take_rails(struct asking *asking, const struct ce_child *child)
{
    *asking->rails = ce_rails_answer(child, asking->notes);
}

/* ---------------------------------------------------------------- all of them */

static const struct {
    int after;
    unsigned enough_ms; /* patience */
    void (*ask)(struct asking *asking, unsigned ms, struct ce_child *child);
    void (*take)(struct asking *asking, const struct ce_child *child);
} rows[CE_QUESTIONS] = {
    [CE_ASK_KERNEL] = {AT_ONCE, 2 * KERNEL_MS, ask_kernel, take_kernel},
    [CE_ASK_IB] = {AT_ONCE, IB_MS, ask_ib, take_ib},
    [CE_ASK_VERBS] = {AT_ONCE, HELPER_MS, ask_verbs, take_verbs},
    [CE_ASK_GPUS] = {CE_ASK_KERNEL, HELPER_MS, ask_gpus, take_gpus},
    [CE_ASK_TOPOLOGY] = {CE_ASK_IB, HELPER_MS, ask_topology, take_topology},
    [CE_ASK_RAILS] = {CE_ASK_IB, RAILS_MS, ask_rails, take_rails},
};

static bool has_question(const struct ce_child *child)
{
    return child->argv || child->body;
}

/* What nobody waits for any more is not asked. */
static void begin(struct asking *asking, size_t question)
{
    struct ce_child *child = &asking->children[question];
    unsigned gone = ce_clock_ms_since(asking->began_ns);
    unsigned ms = left_ms(asking, question, gone, rows[question].enough_ms);
    asking->begun_ms[question] = gone;
    rows[question].ask(asking, ms, child);
    if (ms || !has_question(child))
        return;
    *child = (struct ce_child){.argv = NULL};
    asking->times.ms[question] = gone + 1;
}

/* One that was ended had the time that was its, and no more. */
static void keep_time(struct asking *asking, size_t question)
{
    const struct ce_child *child = &asking->children[question];
    bool ended = child->end == CE_CHILD_LATE || child->end == CE_CHILD_ABANDONED;
    if (has_question(child))
        asking->times.ms[question] =
            asking->begun_ms[question] + (ended ? child->deadline_ms : child->took_ms);
}

static bool is_waited_for(size_t question)
{
    for (size_t i = 0; i < CE_QUESTIONS; i++)
        if (rows[i].after == (int)question)
            return true;
    return false;
}

static void take(struct asking *asking, size_t question)
{
    const struct ce_child *child = &asking->children[question];
    if (!asking->answered[question] && has_question(child))
        rows[question].take(asking, child);
    asking->answered[question] = true;
}

/* Those that add to the facts of another wait for the end. */
static void has_ended(void *ctx, const struct ce_child *child)
{
    struct asking *asking = ctx;
    size_t question = (size_t)(child - asking->children);
    if (!is_waited_for(question))
        return;
    take(asking, question);
    for (size_t i = 0; i < CE_QUESTIONS; i++)
        if (rows[i].after == (int)question)
            begin(asking, i);
}

void ce_questions_ask(const struct ce_machine *machine, const struct ce_root *root,
                      const struct ce_node *old, struct ce_node *node, struct ce_node **rails,
                      struct ce_notes *notes)
{
    struct asking asking = {
        .machine = machine, .root = root, .old = old, .node = node, .rails = rails, .notes = notes,
        .began_ns = ce_clock_ns()};
    const struct ce_children_plan plan = {
        .at_once = CE_QUESTIONS, .total_ms = machine->deadline_ms, .ended = has_ended, .ctx = &asking};
    for (size_t i = 0; i < CE_QUESTIONS; i++)
        if (rows[i].after == AT_ONCE)
            begin(&asking, i);
        else
            asking.children[i].after = &asking.children[rows[i].after];
    ce_children_run(asking.children, CE_QUESTIONS, &plan);
    for (size_t i = 0; i < CE_QUESTIONS; i++) {
        take(&asking, i);
        keep_time(&asking, i);
        ce_child_free(&asking.children[i]);
    }
    free(asking.places.places);
    if (machine->times)
        *machine->times = asking.times;
}

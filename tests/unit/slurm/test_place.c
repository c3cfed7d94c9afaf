/* SPDX-License-Identifier: Apache-2.0 */
/* The truth is what the generator did: it distributes tasks over nodes in some true order, as Slurm
 * does, and shows each node the list in Slurm's order.  All nodes pass if the orders are the same; if
 * not, at least one refuses. */
#include "slurm/place.h"

#include "../unit_env.h"

enum { NODES = 6, TASKS_MAX = 5, TASKS = NODES * TASKS_MAX };

/* ---------------------------------------------------------------- one node */

enum { ENTRIES = 3 };
static const struct place_row {
    const char *name;
    enum ce_node_order order;
    const char *env[ENTRIES];
    struct ce_task task;       /* of a step with 2, 3, 1, 2 tasks on its nodes */
    struct ce_step_part part; /* node_count 0: the whole step */
    const char *refusal;       /* NULL: none */
} places[] = {
    {"the_first_node_begins_with_task_0", CE_ORDER_NODEID, {NULL}, {"n1", 0, 1, 1, 2, 0, 0, 0}, {0},
     NULL},
    {"block_counts_the_tasks_before", CE_ORDER_NODEID, {NULL}, {"n3", 2, 5, 0, 1, 0, 0, 5}, {0}, NULL},
    {"without_a_name_the_nodes_before_do_not_count", CE_ORDER_NODEID, {NULL},
     {"n3", 2, 2, 0, 1, 0, 0, 2}, {0}, "1, from task 5 on"},
    {"with_block_the_nodes_before_do_not_count", CE_ORDER_NODEID, {"SLURM_DISTRIBUTION=block:cyclic"},
     {"n3", 2, 2, 0, 1, 0, 0, 2}, {0},
     "tasks on n3: 1, from task 2 on; expected of node 2 in the step's list: 1, from task 5 on"},
    {"cyclic_counts_the_nodes_before", CE_ORDER_NODEID, {"SLURM_DISTRIBUTION=cyclic:block"},
     {"n4", 3, 7, 1, 2, 0, 0, 3}, {0}, NULL},
    {"cyclic_does_not_count_the_tasks_before", CE_ORDER_NODEID, {"SLURM_DISTRIBUTION=cyclic"}, {"n4", 3, 6, 0, 2, 0, 0, 6},
     {0}, "from task 6 on; expected of node 3 in the step's list: 2, from task 3 on"},
    {"plane_counts_what_its_first_turn_gives", CE_ORDER_NODEID,
     {"SLURM_DISTRIBUTION=plane", "SLURM_DIST_PLANESIZE=2"}, {"n3", 2, 4, 0, 1, 0, 0, 4}, {0}, NULL},
    {"a_rank_too_high_is_refused", CE_ORDER_NODEID, {NULL}, {"n2", 1, 3, 0, 3, 0, 0, 3}, {0},
     "tasks on n2: 3, from task 3 on; expected of node 1 in the step's list: 3, from task 2 on"},
    {"a_first_node_without_task_0_is_refused", CE_ORDER_NODEID, {NULL}, {"n1", 0, 4, 0, 2, 0, 0, 4},
     {0}, "2, from task 0 on; start the step with -m cyclic, or use --cluster-env=off"},
    {"another_number_of_tasks_is_refused", CE_ORDER_NODEID, {NULL}, {"n2", 1, 2, 0, 2, 0, 0, 2}, {0},
     "tasks on n2: 2, from"},
    {"ranks_that_are_not_known_are_refused", CE_ORDER_NODEID, {NULL},
     {"n2", 1, 2, 0, 3, 0, 0, UINT32_MAX}, {0}, "SLURM_GTIDS does not list task 2"},
    {"the_ranks_of_a_layout_are_accepted", CE_ORDER_LAYOUT, {NULL}, {"n2", 1, 9, 0, 3, 0, 0, 8}, {0}, NULL},
    {"other_ranks_than_those_of_a_layout_are_refused", CE_ORDER_LAYOUT, {NULL}, {"n2", 1, 2, 0, 3, 0, 0, 2}, {0},
     "expected of node 1 in the layout that srun got: 3, from task 8 on; start the step again"},
    {"a_component_begins_with_its_own_tasks", CE_ORDER_COMPONENTS, {NULL}, {"n4", 3, 7, 0, 2, 0, 0, 6},
     {2, 5, 2}, NULL},
    {"block_is_accepted_if_another_component_has_plane", CE_ORDER_COMPONENTS, {"SLURM_DISTRIBUTION=plane", "SLURM_DIST_PLANESIZE=1"},
     {"n2", 1, 2, 0, 3, 0, 0, 2}, {0, 0, 2}, NULL},
    {"a_component_with_too_few_tasks_before_it_is_refused", CE_ORDER_COMPONENTS, {NULL},
     {"n3", 2, 4, 0, 1, 0, 0, 4}, {2, 4, 2}, "tasks on n3: 1, from task 4 on"},
};

static void place(void **state)
{
    const struct place_row *row = *state;
    uint32_t counts[] = {2, 3, 1, 2}, first[] = {0, 8, 11, 12};
    bool asked = row->order == CE_ORDER_LAYOUT, known = row->part.node_count > 0;
    struct ce_step_part whole = {0, 0, 4};
    struct unit_env array = {.count = 0};
    struct ce_error err = {""};
    struct ce_allocation allocation = {.id = {CE_STEP_TASKS, 12, 0},
                                       .nodes = ce_hostlist_parse("n[1-4]", NULL),
                                       .order = row->order,
                                       .tasks = counts,
                                       .first = asked ? first : NULL};
    unit_env_fill(&array, row->env);
    const struct ce_environ env = unit_environ(&array);
    int rc = ce_slurm_check_place(&env, &allocation, &row->task,
known ? &row->part : &whole, &err);
    assert_int_equal(rc, row->refusal ? -1 : 0);
    if (row->refusal)
        unit_holds(err.text, row->refusal);
    ce_hostlist_destroy(allocation.nodes);
    unit_env_free(&array);
}

/* ---------------------------------------------------------------- all nodes of a step */

static uint32_t random_state;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)random_state * below) >> 32);
}

/* order[i]: the place in Slurm's list of the node whose ranks come i-th */
struct truth {
    uint32_t nodes, order[NODES], counts[NODES], turn, lowest[NODES];
    const char *distribution;
};

static void shuffle(uint32_t *order, uint32_t count)
{
    for (uint32_t i = count; i > 1; i--) {
        uint32_t k = draw(i), was = order[k];
        order[k] = order[i - 1];
        order[i - 1] = was;
    }
}

/* Each node in turn gets as many as a turn gives, until all have theirs. */
static void distribute(struct truth *truth)
{
    uint32_t given[NODES] = {0}, rank = 0, total = 0;
    for (uint32_t i = 0; i < truth->nodes; i++)
        total += truth->counts[i];
    while (rank < total)
        for (uint32_t i = 0; i < truth->nodes; i++) {
            uint32_t node = truth->order[i];
            for (uint32_t k = 0; k < truth->turn && given[node] < truth->counts[node]; k++, rank++)
                if (given[node]++ == 0)
                    truth->lowest[node] = rank;
        }
}

static struct truth make_truth(bool in_order)
{
    static const char *const names[] = {"block", "cyclic", "plane"};
    uint32_t way = draw(3);
    struct truth truth = {.nodes = 1 + draw(NODES), .distribution = names[way]};
    truth.turn = way == 0 ? TASKS : way == 1 ? 1 : 1 + draw(TASKS_MAX);
    for (uint32_t i = 0; i < truth.nodes; i++) {
        truth.order[i] = i;
        truth.counts[i] = 1 + draw(draw(2) ? 1 : TASKS_MAX);
    }
    if (!in_order)
        shuffle(truth.order, truth.nodes);
    distribute(&truth);
    return truth;
}

/* `before` nodes with two tasks each are another component, whose distribution the environment names. */
static uint32_t count_refusals(const struct truth *truth, uint32_t before)
{
    static const char *const others[] = {"block", "cyclic", "plane"};
    uint32_t counts[2 * NODES], refusals = 0, all = before + truth->nodes;
    struct unit_env array = {.count = 0};
    char turn[16], list[32];
    snprintf(list, sizeof list, "n[1-%u]", all);
    snprintf(turn, sizeof turn, "%u", truth->turn);
    for (uint32_t i = 0; i < all; i++)
        counts[i] = i < before ? 2 : truth->counts[i - before];
    struct ce_allocation allocation = {.id = {CE_STEP_TASKS, 12, 0},
                                       .nodes = ce_hostlist_parse(list, NULL),
                                       .tasks = counts};
    bool plane = strcmp(truth->distribution, "plane") == 0;
    if (before || plane || truth->turn == 1 || draw(2)) /* block is the default */
        unit_env_set(&array, "SLURM_DISTRIBUTION", before ? others[draw(3)] : truth->distribution);
    if (plane)
        unit_env_set(&array, "SLURM_DIST_PLANESIZE", turn);
    const struct ce_environ env = unit_environ(&array);
    const struct ce_step_part part = {before, 2 * before, truth->nodes};
    for (uint32_t i = 0; i < truth->nodes; i++) {
        const struct ce_task task = {.node_rank = before + i, .rank = 2 * before + truth->lowest[i],
                                     .local_tasks = truth->counts[i],
                                     .node_first = 2 * before + truth->lowest[i]};
        refusals += ce_slurm_check_place(&env, &allocation, &task, &part, NULL) < 0;
    }
    ce_hostlist_destroy(allocation.nodes);
    unit_env_free(&array);
    return refusals;
}

static bool is_in_order(const struct truth *truth)
{
    for (uint32_t i = 0; i < truth->nodes; i++)
        if (truth->order[i] != i)
            return false;
    return true;
}

static void steps_in_the_order_of_their_list_pass_on_every_node(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 20000; seed++) {
        random_state = seed;
        const struct truth truth = make_truth(true);
        assert_int_equal(count_refusals(&truth, 0), 0);
        assert_int_equal(count_refusals(&truth, 1 + draw(NODES)), 0);
    }
}

static void steps_in_any_other_order_are_refused_on_a_node(void **state)
{
    uint32_t others = 0;
    (void)state;
    for (uint32_t seed = 1; seed <= 20000; seed++) {
        random_state = seed;
        const struct truth truth = make_truth(false);
        if (is_in_order(&truth))
            continue;
        others++;
        assert_true(count_refusals(&truth, 0) > 0);
        /* a component that is laid out by plane passes by other ways, too */
        if (truth.turn == 1 || truth.turn == TASKS)
            assert_true(count_refusals(&truth, 1 + draw(NODES)) > 0);
    }
    assert_true(others > 10000);
}

int main(void)
{
    UNIT_TABLE(places, place);
    UNIT_RULE(steps_in_the_order_of_their_list_pass_on_every_node);
    UNIT_RULE(steps_in_any_other_order_are_refused_on_a_node);
    return UNIT_RUN("slurm/place");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Which GPUs are the job's, and that checks look at them only. */
#include "health/share.h"

#include "../checks/view.h"

#define GPU(n, pci, lines)                                                                         \
    "gpu." n ".pci=" pci "\ngpu." n ".pci_id=10de:2330\ngpu." n ".nvml.asked=answered\n"           \
    "gpu." n ".nvml.processes=1\ngpu." n ".nvml.remap.pending=1\n" lines
#define MINOR(n, minor) "gpu." n ".nvml.minor=" minor "\n"
#define NODE(zero, one, two)                                                                       \
    FRAMED("gpu.count=3\n" GPU("0", "0000:1b:00.0", zero) GPU("1", "0000:43:00.0", one)            \
               GPU("2", "0000:52:00.0", two))
#define USUAL NODE(MINOR("0", "0"), MINOR("1", "1"), MINOR("2", "2"))
#define ALL UINT64_MAX

static const struct row {
    const char *name, *node;
    struct ce_slurm_job job;
    struct ce_share share;
    const char *note;
} rows[] = {
    {"by_hand_all_are_looked_at", USUAL, {.id = 0}, {false, 0, false}, NULL},
    {"some", USUAL, {.id = 1, .told = CE_GPUS_TOLD, .gpus = 6}, {true, 6, false}, NULL},
    {"all_of_them_are_the_whole_node", USUAL, {.id = 1, .told = CE_GPUS_TOLD, .gpus = 7},
     {false, 0, false}, NULL},
    {"exclusive", USUAL, {.id = 1, .share = CE_SHARE_NODE}, {false, 0, false}, NULL},
    {"shared_and_without_gpus", USUAL, {.id = 1, .share = CE_SHARE_OTHERS}, {true, 0, false}, NULL},
    {"nothing_is_told", USUAL, {.id = 1}, {true, ALL, true}, NULL},
    {"device_files_in_another_order_than_the_bus",
     NODE(MINOR("0", "2"), MINOR("1", "0"), MINOR("2", "1")),
     {.id = 1, .told = CE_GPUS_TOLD, .gpus = 3}, {true, 6, false}, NULL},
    {"a_sick_gpu_among_those_that_follow_the_bus", NODE(MINOR("0", "0"), "", MINOR("2", "2")),
     {.id = 1, .told = CE_GPUS_TOLD, .gpus = 2}, {true, 2, false}, NULL},
    {"a_sick_gpu_among_those_that_do_not", NODE(MINOR("0", "2"), "", MINOR("2", "1")),
     {.id = 1, .told = CE_GPUS_TOLD, .gpus = 1}, {true, ALL, true},
     "NVML does not tell which have these numbers"},
    {"nobody_tells", NODE("", "", ""), {.id = 1, .told = CE_GPUS_TOLD, .gpus = 1},
     {true, ALL, true}, "NVML does not tell which have these numbers"},
    {"a_number_that_no_gpu_has", USUAL, {.id = 1, .told = CE_GPUS_TOLD, .gpus = 8},
     {true, ALL, true}, "NVML does not tell"},
    {"garbage", USUAL, {.id = 1, .told = CE_GPUS_GARBLED}, {true, ALL, true},
     "SLURM_JOB_GPUS is no list of numbers"},
    {"mig", NODE(MINOR("0", "0") "gpu.0.nvml.mig.mode=1\n", MINOR("1", "1"), MINOR("2", "2")),
     {.id = 1, .told = CE_GPUS_TOLD, .gpus = 1}, {true, ALL, true}, "MIG divides them"},
    {"two_kinds",
     NODE(MINOR("0", "0") "gpu.0.nvml.name=A100\n", MINOR("1", "1"),
          MINOR("2", "2") "gpu.2.nvml.name=T4\n"),
     {.id = 1, .told = CE_GPUS_TOLD, .gpus = 1}, {true, ALL, true}, "of several kinds"},
    {"no_gpu", FRAMED("gpu.count=0\n"), {.id = 1, .told = CE_GPUS_TOLD, .gpus = 1},
     {false, 0, false}, NULL},
};

static void finds(void **state)
{
    const struct row *row = *state;
    struct ce_notes notes = {.count = 0};
    struct ce_share share;
    ce_auto(ce_node_destroy) struct ce_node *node = view_node(row->node);
    ce_share_find(&row->job, node, NULL, &share, &notes);
    assert_int_equal(share.shared, row->share.shared);
    assert_int_equal(share.unsure, row->share.unsure);
    assert_true(share.gpus == row->share.gpus);
    assert_int_equal(notes.count, row->note != NULL);
    if (row->note)
        unit_holds(notes.line[0].text, row->note);
}

/* How many findings of a verdict there are: all three GPUs have a process and a pending remap. */
static size_t count(const char *check, struct ce_share share, enum ce_verdict verdict)
{
    struct ce_policy policy;
    struct ce_error err = {""};
    size_t found = 0;
    ce_autofindings struct ce_findings findings = {.items = NULL};
    ce_auto(ce_node_destroy) struct ce_node *node = view_node(USUAL);
    node->detailed = true;
    ce_policy_default(&policy);
    policy.gpus = 4;
    assert_int_equal(ce_health_judge_job(node, NULL, &share, NULL, &policy, CE_EPILOG, check, &findings,
                                         &err),
                     0);
    for (size_t i = 0; i < findings.count; i++)
        found += findings.items[i].verdict == verdict;
    return found;
}

static void a_job_is_judged_by_its_own_gpus(void **state)
{
    (void)state;
    assert_int_equal(count("gpu.remap.pending", (struct ce_share){false, 0, false}, CE_FAIL), 3);
    assert_int_equal(count("gpu.remap.pending", (struct ce_share){true, 6, false}, CE_FAIL), 2);
    assert_int_equal(count("gpu.remap.pending", (struct ce_share){true, ALL, true}, CE_FAIL), 3);
    assert_int_equal(count("gpu.remap.pending", (struct ce_share){true, 0, false}, CE_FAIL), 0);
    assert_int_equal(count("gpu.remap.pending", (struct ce_share){true, 0, false}, CE_SKIP), 1);
    assert_int_equal(count("gpu.nvml", (struct ce_share){true, 4, false}, CE_PASS), 1);
}

static void processes_of_others_are_no_leftovers(void **state)
{
    (void)state;
    assert_int_equal(count("gpu.processes", (struct ce_share){false, 0, false}, CE_FAIL), 3);
    assert_int_equal(count("gpu.processes", (struct ce_share){true, 1, false}, CE_FAIL), 1);
    assert_int_equal(count("gpu.processes", (struct ce_share){true, ALL, true}, CE_FAIL), 0);
    assert_int_equal(count("gpu.processes", (struct ce_share){true, ALL, true}, CE_SKIP), 1);
    assert_int_equal(count("gpu.memory.leftover", (struct ce_share){true, ALL, true}, CE_SKIP), 1);
    assert_int_equal(count("host.stuck", (struct ce_share){true, 1, false}, CE_SKIP), 1);
    assert_int_equal(count("host.stuck", (struct ce_share){false, 0, false}, CE_SKIP), 0);
}

static void one_that_died_meanwhile_told_before(void **state)
{
    const struct ce_slurm_job job = {.id = 1, .told = CE_GPUS_TOLD, .gpus = 1};
    struct ce_notes notes = {.count = 0};
    struct ce_share share;
    (void)state;
    ce_auto(ce_node_destroy) struct ce_node *before =
        view_node(NODE(MINOR("0", "2"), MINOR("1", "0"), MINOR("2", "1")));
    ce_auto(ce_node_destroy) struct ce_node *node =
        view_node(NODE(MINOR("0", "2"), "", MINOR("2", "1")));
    ce_share_find(&job, node, before, &share, &notes);
    assert_true(share.shared && !share.unsure && share.gpus == 2);
    assert_int_equal(notes.count, 0);
}

static void a_gpu_that_is_gone_concerns_who_has_gpus(void **state)
{
    (void)state;
    assert_int_equal(count("gpu.count", (struct ce_share){true, 1, false}, CE_FAIL), 1);
    assert_int_equal(count("gpu.count", (struct ce_share){true, 0, false}, CE_SKIP), 1);
}

int main(void)
{
    UNIT_TABLE(rows, finds);
    UNIT_RULE(a_job_is_judged_by_its_own_gpus);
    UNIT_RULE(processes_of_others_are_no_leftovers);
    UNIT_RULE(one_that_died_meanwhile_told_before);
    UNIT_RULE(a_gpu_that_is_gone_concerns_who_has_gpus);
    return UNIT_RUN("health/share");
}

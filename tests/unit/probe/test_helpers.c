/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/helpers.h"

#include "asked.h"
#include "tree.h"

#define FRAMED(lines) "format=1\n" lines "end=1\n"
#define SAYS(lines)                                                                                \
    "#!/bin/sh\nprintf '"                                                                          \
    "format=1\\n" lines "end=1\\n'\n"

static struct ce_node *parse(const char *text)
{
    struct ce_error err = {""};
    struct ce_node *node = ce_node_parse(text, &err);
    assert_string_equal(err.text, "");
    assert_non_null(node);
    return node;
}

/* Two HCAs and two GPUs, as sysfs tells. */
static const char machine[] =
    FRAMED("boot.id=one\nib.mlx5_0.firmware=28.1\nib.mlx5_0.pci=0000:18:00.0\n"
           "ib.mlx5_1.pci=0000:40:00.0\n"
           "gpu.count=2\ngpu.0.pci=0000:1b:00.0\ngpu.1.pci=0000:43:00.0\n");

#define OPENS                                                                                      \
    "ib.mlx5_0.opens=1\\nib.mlx5_0.firmware=99.9\\nib.mlx5_1.opens=0\\n"                           \
    "ib.mlx5_1.firmware=28.2\\nib.mlx5_7.opens=1\\n"
#define NEAR                                                                                       \
    "ib.mlx5_0.pci=0000:18:00.0\\nib.mlx5_0.gpu.0=PIX\\nib.mlx5_0.gpu.1=NODE\\n"                   \
    "gpu.count=2\\ngpu.0.pci=0000:1b:00.0\\ngpu.1.pci=0000:43:00.0\\n"
#define TOLD_OPENS "opens: 1 0, firmware: 28.1 28.2"
#define TOLD_NOTHING "opens: ? ?, firmware: 28.1 "

static const struct helper_row {
    const char *name;
    const char *verbs, *topology; /* scripts; NULL: there is none */
    const char *told, *near;      /* what is known after it */
    const char *note, *second;    /* parts of notes; NULL: there is none */
} helpers[] = {
    {"what_both_say_is_merged", SAYS(OPENS), SAYS(NEAR), TOLD_OPENS, "PIX NODE", NULL, NULL},
    {"gpus_are_found_by_address", SAYS(OPENS),
     SAYS("ib.mlx5_0.pci=0000:18:00.0\\nib.mlx5_0.gpu.0=SYS\\nib.mlx5_0.gpu.1=PIX\\n"
          "gpu.count=2\\ngpu.0.pci=0000:01:00.0\\ngpu.1.pci=0000:1b:00.0\\n"),
     TOLD_OPENS, "PIX unknown", NULL, NULL},
    {"an_hca_at_another_address_is_another_one", SAYS(OPENS),
     SAYS("ib.mlx5_0.pci=0000:99:00.0\\nib.mlx5_0.gpu.0=PIX\\ngpu.count=1\\n"
          "gpu.0.pci=0000:1b:00.0\\n"),
     TOLD_OPENS, "unknown unknown", NULL, NULL},
    {"a_gpu_without_an_address_is_none", SAYS(OPENS),
     SAYS("ib.mlx5_0.pci=0000:18:00.0\\nib.mlx5_0.gpu.0=PIX\\ngpu.count=1\\n"), TOLD_OPENS,
     "unknown unknown", NULL, NULL},
    {"a_helper_that_is_not_there_has_a_note", NULL, SAYS(NEAR), TOLD_NOTHING, "PIX NODE",
     "what probe-verbs knows stays unknown: cannot run ", NULL},
    {"two_that_are_not_there_have_two", NULL, NULL, TOLD_NOTHING, "unknown unknown",
     "what probe-verbs knows stays unknown: cannot run ",
     "what probe-topology knows stays unknown: cannot run "},
    {"a_helper_that_hangs_has_a_note", "#!/bin/sh\nsleep 60\n", SAYS(NEAR), TOLD_NOTHING,
     "PIX NODE", "what probe-verbs knows stays unknown: no answer in 0.5 s", NULL},
    {"a_helper_that_crashes_has_a_note", SAYS(OPENS), "#!/bin/sh\nkill -SEGV $$\n", TOLD_OPENS,
     "unknown unknown", "what probe-topology knows stays unknown: ended by signal 11", NULL},
    {"a_helper_that_fails_has_its_last_words", "#!/bin/sh\necho no modules >&2; exit 1\n",
     SAYS(NEAR), TOLD_NOTHING, "PIX NODE",
     "what probe-verbs knows stays unknown: exit status 1: no modules", NULL},
    {"a_text_cut_short_is_not_taken", "#!/bin/sh\nprintf 'format=1\\nib.mlx5_0.opens=1\\n'\n",
     SAYS(NEAR), TOLD_NOTHING, "PIX NODE", "what probe-verbs knows stays unknown: cut short", NULL},
    {"no_text_at_all_is_not_taken", "#!/bin/sh\ntrue\n", SAYS(NEAR), TOLD_NOTHING, "PIX NODE",
     "what probe-verbs knows stays unknown: ", NULL},
    {"a_word_that_is_none_is_not_taken", SAYS(OPENS),
     SAYS("ib.mlx5_0.pci=0000:18:00.0\\nib.mlx5_0.gpu.0=NEAR\\n"), TOLD_OPENS, "unknown unknown",
     "what probe-topology knows stays unknown: ib.mlx5_0.gpu.0=NEAR: expected PIX", NULL},
    {"a_flood_is_not_taken", "#!/bin/sh\nyes\n", SAYS(NEAR), TOLD_NOTHING, "PIX NODE",
     "what probe-verbs knows stays unknown: printed more than ", NULL},
};

static void put_script(const struct unit_dir *dir, const char *name, const char *text)
{
    if (text)
        unit_dir_writen(dir, name, text, strlen(text), 0755);
}

static struct ce_notes ask(const struct unit_dir *dir, struct ce_node *node)
{
    struct ce_notes notes = {.count = 0};
    struct ce_helper_question questions[2];
    struct ce_child children[2];
    for (int i = 0; i < 2; i++)
        ce_helper_ask(&questions[i], (enum ce_helper)i, dir->path, 500, &children[i]);
    ce_children_run(children, 2, &(struct ce_children_plan){.at_once = 2});
    for (int i = 0; i < 2; i++) {
        ce_helper_answer((enum ce_helper)i, &children[i], node, &notes);
        ce_child_free(&children[i]);
    }
    return notes;
}

static const char *word(enum ce_answer answer)
{
    static const char *const words[] = {"?", "0", "1"};
    return words[answer];
}

static void tells(void **state)
{
    const struct helper_row *row = *state;
    struct unit_dir dir = unit_dir_make();
    char told[256], near[64];
    put_script(&dir, "probe-verbs", row->verbs);
    put_script(&dir, "probe-topology", row->topology);
    ce_auto(ce_node_destroy) struct ce_node *node = parse(machine);
    struct ce_notes notes = ask(&dir, node);
    unit_dir_remove(&dir);
    const struct ce_hca *a = &node->hcas[0], *b = &node->hcas[1];
    snprintf(told, sizeof told, "opens: %s %s, firmware: %s %s", word(a->opens), word(b->opens),
             a->firmware, b->firmware);
    snprintf(near, sizeof near, "%s %s", ce_distance_name(a->gpus[0]),
             ce_distance_name(a->gpus[1]));
    assert_string_equal(told, row->told);
    assert_string_equal(near, row->near);
    assert_int_equal(notes.count, (row->note != NULL) + (row->second != NULL));
    if (row->note)
        unit_holds(notes.line[0].text, row->note);
    if (row->second)
        unit_holds(notes.line[1].text, row->second);
}

#define OLD(boot, pci, gpu, distance)                                                              \
    FRAMED("boot.id=" boot "\nib.mlx5_0.pci=" pci "\n" distance "ib.mlx5_1.pci=0000:40:00.0\n"     \
           "ib.mlx5_1.gpu.1=SYS\ngpu.count=2\ngpu.0.pci=" gpu "\ngpu.1.pci=0000:43:00.0\n")

static const struct keep_row {
    const char *name, *old;
    bool kept;
} keeps[] = {
    {"since_the_same_boot_distances_hold",
     OLD("one", "0000:18:00.0", "0000:1b:00.0", "ib.mlx5_0.gpu.0=PIX\n"), true},
    {"after_another_boot_they_do_not",
     OLD("two", "0000:18:00.0", "0000:1b:00.0", "ib.mlx5_0.gpu.0=PIX\n"), false},
    {"of_another_place_they_do_not",
     OLD("one", "0000:19:00.0", "0000:1b:00.0", "ib.mlx5_0.gpu.0=PIX\n"), false},
    {"to_another_gpu_they_do_not",
     OLD("one", "0000:18:00.0", "0000:1c:00.0", "ib.mlx5_0.gpu.0=PIX\n"), false},
    {"facts_without_distances_have_none_to_keep",
     FRAMED("boot.id=one\nib.mlx5_0.pci=0000:18:00.0\nib.mlx5_1.pci=0000:40:00.0\n"
            "gpu.count=2\ngpu.0.pci=0000:1b:00.0\ngpu.1.pci=0000:43:00.0\n"),
     false},
    {"a_new_hca_has_none",
     FRAMED("boot.id=one\nib.mlx5_0.pci=0000:18:00.0\nib.mlx5_0.gpu.0=PIX\n"
            "gpu.count=2\ngpu.0.pci=0000:1b:00.0\ngpu.1.pci=0000:43:00.0\n"),
     false},
    {"a_new_gpu_has_none",
     FRAMED("boot.id=one\nib.mlx5_0.pci=0000:18:00.0\nib.mlx5_0.gpu.0=PIX\n"
            "ib.mlx5_1.pci=0000:40:00.0\ngpu.count=1\ngpu.0.pci=0000:1b:00.0\n"),
     false},
    {"a_boot_that_is_not_known_is_no_same_one", FRAMED("ib.mlx5_0.gpu.0=PIX\n"), false},
};

static void is_kept(void **state)
{
    const struct keep_row *row = *state;
    ce_auto(ce_node_destroy) struct ce_node *node = parse(machine);
    ce_auto(ce_node_destroy) struct ce_node *old = parse(row->old);
    assert_int_equal(ce_probe_keep_distances(old, node), row->kept);
    assert_int_equal(node->hcas[0].gpus[0], row->kept ? CE_PIX : CE_DISTANCE_UNKNOWN);
    assert_int_equal(node->hcas[1].gpus[1], row->kept ? CE_SYS : CE_DISTANCE_UNKNOWN);
}

/* ---------------------------------------------------------------- sysfs */

static void ask_ib(const struct tree *tree, unsigned deadline_ms, struct ce_node *node,
                   struct ce_notes *notes)
{
    struct ce_child child;
    ce_ib_ask(&tree->root, deadline_ms, &child);
    run_alone(&child);
    ce_ib_answer(&child, node, notes);
    ce_child_free(&child);
}

static void devices_come_through_a_child(void **state)
{
    struct tree tree = tree_make();
    struct ce_notes notes = {.count = 0};
    (void)state;
    tree_put(&tree, "sys/class/infiniband/mlx5_0/ports/1", "state", "4: ACTIVE\n");
    tree_put(&tree, "sys/class/infiniband/mlx5_1/ports/1", "state", "1: DOWN\n");
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    assert_non_null(node);
    ask_ib(&tree, 5000, node, &notes);
    tree_remove(&tree);
    assert_int_equal(notes.count, 0);
    assert_int_equal(node->hca_count, 2);
    assert_int_equal(node->hcas[0].ports[0].state, CE_PORT_ACTIVE);
}

static void many_devices(struct tree *tree, unsigned count)
{
    char folder[64];
    for (unsigned i = 0; i < count; i++) {
        snprintf(folder, sizeof folder, "sys/class/infiniband/mlx5_%u/", i);
        tree_folders(tree, folder);
    }
}

/* A driver would hold it; here there is much to read, and hardly any time. */
/* On a busy machine the child may have ended before this process sees that it is late: then once more. */
static void a_child_that_does_not_answer_leaves_a_note(void **state)
{
    struct tree tree = tree_make();
    struct ce_notes notes = {.count = 0};
    size_t found = CE_HCA_MAX;
    (void)state;
    many_devices(&tree, CE_HCA_MAX);
    for (int i = 0; i < 200 && notes.count == 0; i++) {
        ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
        assert_non_null(node);
        ask_ib(&tree, 1, node, &notes);
        found = node->hca_count;
    }
    tree_remove(&tree);
    assert_int_equal(found, 0);
    assert_int_equal(notes.count, 1);
    unit_holds(notes.line[0].text, "the RDMA devices stay unknown: no answer in 0.001 s");
}

static void too_many_devices_leave_a_note(void **state)
{
    struct tree tree = tree_make();
    struct ce_notes notes = {.count = 0};
    (void)state;
    many_devices(&tree, CE_HCA_MAX + 1);
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    assert_non_null(node);
    ask_ib(&tree, 20000, node, &notes);
    tree_remove(&tree);
    assert_int_equal(node->hca_count, 0);
    assert_int_equal(notes.count, 1);
    unit_holds(notes.line[0].text, "more than 1024 devices");
}

int main(void)
{
    UNIT_RULE(devices_come_through_a_child);
    UNIT_RULE(a_child_that_does_not_answer_leaves_a_note);
    UNIT_RULE(too_many_devices_leave_a_note);
    UNIT_TABLE(helpers, tells);
    UNIT_TABLE(keeps, is_kept);
    return UNIT_RUN("probe/helpers");
}

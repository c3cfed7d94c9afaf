/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/gpu_helper.h"

#include "asked.h"
#include "tree.h"

#define HEAD                                                                                       \
    "#!/bin/sh\nprintf "                                                                           \
    "'format=1\\ngpu.count=2\\ngpu.0.pci=0000:1b:00.0\\ngpu.1.pci=0000:43:00.0\\n"                 \
    "nvml.driver=570.86\\n"
#define FIRST "gpu.0.nvml.asked=answered\\ngpu.0.nvml.remap.failure=1\\n"
#define SECOND "gpu.1.nvml.asked=answered\\ngpu.1.nvml.remap.failure=0\\n"

static const struct row {
    const char *name, *script; /* NULL: there is none */
    const char *told;          /* of each GPU: a answered, l late, s skipped, - not asked; then the
                                * error */
} rows[] = {
    {"what_it_says_is_merged", HEAD FIRST SECOND "end=1\\n'\n", "aa "},
    {"what_was_said_before_a_hang_is_kept_and_the_gpu_is_named", HEAD FIRST "'\nsleep 60\n",
     "al probe-gpu: no answer in 2 s"},
    {"half_a_line_before_a_hang_is_not_taken", HEAD FIRST "gpu.1.nvml.as'\nsleep 60\n",
     "al probe-gpu: no answer in 2 s"},
    {"a_crash_has_its_signal", HEAD FIRST "'\nkill -SEGV $$\n",
     "a- probe-gpu: asking 0000:43:00.0: ended by signal 11, Segmentation fault"},
    {"a_hang_before_the_first_word", "#!/bin/sh\nsleep 60\n", "- probe-gpu: no answer in 2 s"},
    {"a_helper_that_is_not_there", NULL, "- probe-gpu: cannot run "},
    {"a_text_that_is_none", "#!/bin/sh\necho hello\n", "- probe-gpu: "},
    {"a_value_that_is_none", HEAD FIRST SECOND "gpu.1.nvml.recovery=soon\\nend=1\\n'\n",
     "- probe-gpu: gpu.1.nvml.recovery=soon"},
    {"no_nvml", "#!/bin/sh\nprintf 'format=1\\nnvml.error=not loaded\\nnvml.code=9\\nend=1\\n'\n",
     "-- not loaded"},
};

static struct ce_node *parse(const char *text)
{
    struct ce_error err = {""};
    struct ce_node *node = ce_node_parse(text, &err);
    assert_string_equal(err.text, "");
    return node;
}

static struct ce_node *machine(const char *id)
{
    char text[256];
    snprintf(text, sizeof text,
             "format=1\ngpu.count=2\ngpu.0.pci=0000:1b:00.0\ngpu.0.pci_id=%s\n"
             "gpu.1.pci=0000:43:00.0\ngpu.1.pci_id=%s\nend=1\n",
             id, id);
    return parse(text);
}

static void ask(const char *dir, const bool *skip, struct ce_node *node)
{
    struct ce_gpu_question question;
    struct ce_child child;
    ce_gpus_ask(&question, &(struct ce_gpu_helper){dir, 2000, skip}, node, &child);
    run_alone(&child);
    if (child.argv)
        ce_gpus_answer(&child, node);
    ce_child_free(&child);
}

static void tells(void **state)
{
    const struct row *row = *state;
    struct unit_dir dir = unit_dir_make();
    char told[320], *at = told;
    if (row->script)
        unit_dir_writen(&dir, "probe-gpu", row->script, strlen(row->script), 0755);
    ce_auto(ce_node_destroy) struct ce_node *node = machine("10de:2330");
    ask(dir.path, NULL, node);
    unit_dir_remove(&dir);
    for (unsigned i = 0; i < node->gpu_states.count; i++)
        *at++ = "-asl"[node->gpu_states.items[i].asked];
    if (!node->gpu_states.count)
        *at++ = '-';
    snprintf(at, sizeof told - 8, " %s", node->gpu_states.error);
    if (strncmp(told, row->told, strlen(row->told)) != 0)
        assert_string_equal(told, row->told);
}

/* It says how it was called. */
static void skipped_gpus_are_told_to_it(void **state)
{
    static const char script[] = "#!/bin/sh\necho \"$*\" >\"${0%/*}/words\"\n";
    struct unit_dir dir = unit_dir_make();
    const bool skip[2] = {false, true};
    char path[4200], line[128] = "";
    (void)state;
    unit_dir_writen(&dir, "probe-gpu", script, strlen(script), 0755);
    ce_auto(ce_node_destroy) struct ce_node *node = machine("10de:2330");
    ask(dir.path, skip, node);
    snprintf(path, sizeof path, "%s/words", dir.path);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    unit_dir_remove(&dir);
    assert_string_equal(line, "--gpu=0000:1b:00.0 --skip=0000:43:00.0\n");
}

static void gpus_of_others_are_not_asked(void **state)
{
    (void)state;
    ce_auto(ce_node_destroy) struct ce_node *node = machine("1002:75a0");
    ask("/nowhere", NULL, node);
    assert_string_equal(node->gpu_states.error, "");
}

int main(void)
{
    UNIT_TABLE(rows, tells);
    UNIT_RULE(skipped_gpus_are_told_to_it);
    UNIT_RULE(gpus_of_others_are_not_asked);
    return UNIT_RUN("gpu_helper");
}

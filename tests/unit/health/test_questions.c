/* SPDX-License-Identifier: Apache-2.0 */
#include "health/questions.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "../probe/tree.h"
#include "probe/host.h"
#include "probe/netif.h"

enum { DEADLINE_MS = 1000, LATE_MS = 900 };

#define KMSG "4,%d,%d00000,-;NVRM: Xid (PCI:0000:1b:00): %d, pid=7, name=x, GPU\n"
#define HCA "sys/class/infiniband/mlx5_0"
#define GPU "sys/bus/pci/devices/0000:1b:00.0"
#define TELLS(name) "#!/bin/sh\n: >\"${0%/*}/" name "\"; printf 'format=1\\nend=1\\n'\n"
#define HANGS "#!/bin/sh\nexec sleep 60\n"

/* A machine of an HCA and a GPU; the scripts of the helpers are the tree's, too. */
static struct tree machine(bool hca, bool gpu, const char *kmsg)
{
    struct tree tree = tree_make();
    tree_folders(&tree, "sys/class/net/");
    tree_folders(&tree, "sys/bus/pci/devices/");
    if (hca) {
        tree_put(&tree, HCA, "hca_type", "MT4129\n");
        tree_put(&tree, HCA "/ports/1", "state", "4: ACTIVE\n");
        tree_put(&tree, HCA "/ports/1", "link_layer", "InfiniBand\n");
        tree_put(&tree, HCA "/ports/1/counters", "link_downed", "3\n");
    }
    if (gpu) {
        tree_put(&tree, GPU, "class", "0x030200\n");
        tree_put(&tree, GPU, "vendor", "0x10de\n");
        tree_put(&tree, GPU, "device", "0x2330\n");
    }
    tree_put(&tree, "dev", "kmsg", kmsg);
    return tree;
}

static void put_script(const struct tree *tree, const char *name, const char *text)
{
    unit_dir_writen(&tree->dir, name, text, strlen(text), 0755);
}

struct answer {
    struct ce_node *node, *rails;
    struct ce_notes notes;
    unsigned took_ms;
};

static unsigned now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (unsigned)(now.tv_sec * 1000 + now.tv_nsec / 1000000);
}

static struct answer ask_how(const struct ce_machine *how, struct tree *tree, const struct ce_node *old)
{
    struct answer answer = {.node = ce_node_create()};
    struct ce_error err;
    assert_non_null(answer.node);
    ce_probe_host(&tree->root, answer.node);
    assert_int_equal(ce_probe_netifs(&tree->root, answer.node, &err), 0);
    unsigned start = now_ms();
    ce_questions_ask(how, &tree->root, old, answer.node, &answer.rails, &answer.notes);
    answer.took_ms = now_ms() - start;
    return answer;
}

static struct answer ask(struct tree *tree, const struct ce_node *old)
{
    const struct ce_machine how = {
        .helpers = tree->dir.path, .deadline_ms = DEADLINE_MS, .health = true};
    return ask_how(&how, tree, old);
}

static void forget(struct answer *answer)
{
    ce_node_destroy(answer->node);
    ce_node_destroy(answer->rails);
}

/* ---------------------------------------------------------------- who is asked */

static const struct asked_row {
    const char *name;
    bool hca, gpu, kept;
    const char *asked;
} askeds[] = {
    {"without_an_hca_and_a_gpu_nobody_is_asked", false, false, false, ""},
    {"without_an_hca_only_the_gpus", false, true, false, "g"},
    {"without_a_gpu_there_is_no_distance", true, false, false, "v"},
    {"who_knows_the_distances_does_not_ask", true, true, true, "vg"},
    {"else_all_are_asked", true, true, false, "vtg"},
};

static void is_asked(void **state)
{
    static const char old[] = "format=1\nboot.id=one\nib.mlx5_0.gpu.0=PIX\ngpu.count=1\n"
                              "gpu.0.pci=0000:1b:00.0\nend=1\n";
    static const char *const helpers[] = {"probe-verbs", "probe-topology", "probe-gpu"};
    const struct asked_row *row = *state;
    struct tree tree = machine(row->hca, row->gpu, "");
    tree_put(&tree, "proc/sys/kernel/random", "boot_id", "one\n");
    put_script(&tree, "probe-verbs", TELLS("v"));
    put_script(&tree, "probe-topology", TELLS("t"));
    put_script(&tree, "probe-gpu", TELLS("g"));
    ce_auto(ce_node_destroy) struct ce_node *before = ce_node_parse(old, NULL);
    struct answer answer = ask(&tree, row->kept ? before : NULL);
    for (size_t i = 0; i < 3; i++) {
        char letter[2] = {"vtg"[i], '\0'};
        if ((faccessat(tree.dir.fd, letter, F_OK, 0) == 0) != (strchr(row->asked, *letter) != NULL))
            fail_msg("%s", helpers[i]);
    }
    forget(&answer);
    tree_remove(&tree);
}

static void counters_are_apart_from_what_jobs_read(void **state)
{
    struct tree tree = machine(true, false, "");
    (void)state;
    struct answer answer = ask(&tree, NULL);
    assert_non_null(answer.rails);
    assert_true(ce_counter_known(&answer.rails->hcas[0].ports[0].counters, CE_COUNTER_LINK_DOWNED));
    assert_false(ce_counter_known(&answer.node->hcas[0].ports[0].counters, CE_COUNTER_LINK_DOWNED));
    forget(&answer);
    tree_remove(&tree);
}

/* ---------------------------------------------------------------- the kernel log comes first */

static const struct xid_row {
    const char *name;
    int number;
    const char *words;
} xids[] = {
    {"a_lost_gpu_forbids_nvml", 79, "--skip=0000:1b:00.0\n"},
    {"a_silent_firmware_forbids_it", 119, "--skip=0000:1b:00.0\n"},
    {"a_failed_firmware_forbids_it", 120, "--skip=0000:1b:00.0\n"},
    {"a_program_s_fault_does_not", 13, "--gpu=0000:1b:00.0\n"},
};

static void forbids(void **state)
{
    const struct xid_row *row = *state;
    char kmsg[256], line[64] = "", path[4200];
    snprintf(kmsg, sizeof kmsg, KMSG, 1, 1, row->number);
    struct tree tree = machine(false, true, kmsg);
    put_script(&tree, "probe-gpu", "#!/bin/sh\necho \"$*\" >\"${0%/*}/words\"\n");
    struct answer answer = ask(&tree, NULL);
    snprintf(path, sizeof path, "%s/words", tree.dir.path);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    assert_string_equal(line, row->words);
    forget(&answer);
    tree_remove(&tree);
}

/* ---------------------------------------------------------------- all hang */

static void those_that_hang_cost_one_deadline(void **state)
{
    struct tree tree = machine(true, true, "");
    (void)state;
    put_script(&tree, "probe-verbs", HANGS);
    put_script(&tree, "probe-topology", HANGS);
    put_script(&tree, "probe-gpu", HANGS);
    struct answer answer = ask(&tree, NULL);
    assert_in_range(answer.took_ms, DEADLINE_MS, 2 * DEADLINE_MS);
    assert_int_equal(answer.notes.count, 2);
    unit_holds(answer.notes.line[0].text, "what probe-verbs knows stays unknown: no answer in ");
    unit_holds(answer.notes.line[1].text,
               "what probe-topology knows stays unknown: no answer in ");
    unit_holds(answer.node->gpu_states.error, "probe-gpu: no answer in ");
    assert_int_equal(answer.node->hca_count, 1);
    assert_non_null(answer.rails);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* none is left */
    forget(&answer);
    tree_remove(&tree);
}

/* ---------------------------------------------------------------- some are waited for less long */

static const struct hang_row {
    const char *name;
    struct ce_patience patience;
    unsigned least_ms;     /* it takes; the most is LATE_MS more */
    struct ce_times times; /* so are those that are not 0 */
} hangs[] = {
    {"as_long_as_its_checks_are_patient", {{[CE_ASK_VERBS] = 200, [CE_ASK_GPUS] = 300}}, 300,
     {{[CE_ASK_VERBS] = 200, [CE_ASK_GPUS] = 300}}},
    {"never_longer_than_the_run", {{[CE_ASK_VERBS] = 200, [CE_ASK_GPUS] = 5000}}, 1000,
     {{[CE_ASK_VERBS] = 200, [CE_ASK_GPUS] = 1000}}},
    {"one_of_which_nobody_says_anything_has_the_run_s", {{[CE_ASK_GPUS] = 200}}, 1000,
     {{[CE_ASK_VERBS] = 1000, [CE_ASK_GPUS] = 200}}},
};

static void waits_as_long_as_it_is_told(void **state)
{
    const struct hang_row *row = *state;
    struct tree tree = machine(true, true, "");
    struct ce_times times = {{0}};
    const struct ce_machine how = {.helpers = tree.dir.path, .deadline_ms = DEADLINE_MS, .health = true,
                                   .patience = &row->patience, .times = &times};
    put_script(&tree, "probe-gpu", HANGS);
    put_script(&tree, "probe-verbs", HANGS);
    put_script(&tree, "probe-topology", TELLS("t"));
    struct answer answer = ask_how(&how, &tree, NULL);
    assert_in_range(answer.took_ms, row->least_ms, row->least_ms + LATE_MS);
    for (unsigned k = 0; k < CE_QUESTIONS; k++)
        if (row->times.ms[k])
            assert_in_range(times.ms[k], row->times.ms[k], row->times.ms[k] + LATE_MS);
        else
            assert_true(times.ms[k] < row->least_ms);
    unit_holds(answer.node->gpu_states.error, "probe-gpu: no answer in ");
    forget(&answer);
    tree_remove(&tree);
}

int main(void)
{
    UNIT_TABLE(askeds, is_asked);
    UNIT_RULE(counters_are_apart_from_what_jobs_read);
    UNIT_TABLE(xids, forbids);
    UNIT_RULE(those_that_hang_cost_one_deadline);
    UNIT_TABLE(hangs, waits_as_long_as_it_is_told);
    return UNIT_RUN("health/questions");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "health/questions.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "../probe/tree.h"
#include "probe/host.h"
#include "probe/netif.h"

/* The deadline of a question that is answered is never reached. A question that hangs is tried with HANG_MS, and
 * with twice that again as long as only the machine may have been late: the limits are proportions of the deadline. */
enum { ANSWERED_MS = 60000, HANG_MS = 1000, HANG_MOST_MS = 32000 };

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
        .helpers = tree->dir.path, .deadline_ms = ANSWERED_MS, .health = true};
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

/* A child that a busy machine does not let end within a second is given up, and ends later. */
static bool none_is_left(void)
{
    bool none = waitpid(-1, NULL, WNOHANG) == -1;
    while (waitpid(-1, NULL, 0) > 0)
        ;
    return none;
}

static bool hang_all(unsigned deadline_ms, bool last)
{
    struct tree tree = machine(true, true, "");
    const struct ce_machine how = {.helpers = tree.dir.path, .deadline_ms = deadline_ms, .health = true};
    put_script(&tree, "probe-verbs", HANGS);
    put_script(&tree, "probe-topology", HANGS);
    put_script(&tree, "probe-gpu", HANGS);
    struct answer answer = ask_how(&how, &tree, NULL);
    bool in_time = none_is_left() && answer.took_ms <= 2 * deadline_ms && answer.notes.count == 2 && answer.rails;
    assert_true(answer.took_ms >= deadline_ms); /* on any machine */
    if (in_time) {
        unit_holds(answer.notes.line[0].text, "what probe-verbs knows stays unknown: no answer in ");
        unit_holds(answer.notes.line[1].text, "what probe-topology knows stays unknown: no answer in ");
        unit_holds(answer.node->gpu_states.error, "probe-gpu: no answer in ");
        assert_int_equal(answer.node->hca_count, 1);
    } else if (last) {
        fail_msg("%u ms with a deadline of %u ms, %zu notes", answer.took_ms, deadline_ms, (size_t)answer.notes.count);
    }
    forget(&answer);
    tree_remove(&tree);
    return in_time;
}

static void those_that_hang_cost_one_deadline(void **state)
{
    (void)state;
    for (unsigned ms = HANG_MS; !hang_all(ms, ms >= HANG_MOST_MS); ms *= 2)
        ;
}

/* ---------------------------------------------------------------- some are waited for less long */

/* Percent of the deadline. */
static const struct hang_row {
    const char *name;
    unsigned verbs, gpus; /* patience; 0: none is set */
    unsigned least;       /* it takes, at most LATE more */
    unsigned verbs_takes, gpus_takes;
} hangs[] = {
    {"as_long_as_its_checks_are_patient", 20, 30, 30, 20, 30},
    {"never_longer_than_the_run", 20, 500, 100, 20, 100},
    {"one_without_a_timeout_has_that_of_the_run", 0, 20, 100, 100, 20},
};
enum { LATE = 90 };

static bool is_within(unsigned ms, unsigned percent, unsigned deadline_ms)
{
    unsigned least = percent * (deadline_ms / 100);
    return ms >= least && ms <= least + LATE * (deadline_ms / 100);
}

static bool hang_some(const struct hang_row *row, unsigned deadline_ms)
{
    struct tree tree = machine(true, true, "");
    const unsigned part = deadline_ms / 100;
    const struct ce_patience patience = {{[CE_ASK_VERBS] = row->verbs * part, [CE_ASK_GPUS] = row->gpus * part}};
    struct ce_times times = {{0}};
    const struct ce_machine how = {.helpers = tree.dir.path, .deadline_ms = deadline_ms, .health = true,
                                   .patience = &patience, .times = &times};
    put_script(&tree, "probe-gpu", HANGS);
    put_script(&tree, "probe-verbs", HANGS);
    put_script(&tree, "probe-topology", TELLS("t"));
    struct answer answer = ask_how(&how, &tree, NULL);
    bool in_time = none_is_left() && is_within(answer.took_ms, row->least, deadline_ms);
    assert_true(answer.took_ms >= row->least * part); /* on any machine */
    in_time &= is_within(times.ms[CE_ASK_VERBS], row->verbs_takes, deadline_ms);
    in_time &= is_within(times.ms[CE_ASK_GPUS], row->gpus_takes, deadline_ms);
    for (unsigned k = 0; k < CE_QUESTIONS; k++)
        in_time &= k == CE_ASK_VERBS || k == CE_ASK_GPUS || times.ms[k] < row->least * part;
    /* a kernel log that is read too late: NVML is not asked at all */
    in_time &= strstr(answer.node->gpu_states.error, "probe-gpu: no answer in ") != NULL;
    forget(&answer);
    tree_remove(&tree);
    return in_time;
}

static void waits_as_long_as_it_is_told(void **state)
{
    for (unsigned ms = HANG_MS; !hang_some(*state, ms); ms *= 2)
        if (ms >= HANG_MOST_MS)
            fail_msg("not so with a deadline of %u ms either", ms);
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

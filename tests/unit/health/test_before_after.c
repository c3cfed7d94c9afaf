/* SPDX-License-Identifier: Apache-2.0 */
/* A job's prolog and epilog on a machine whose link goes down in between. */
#include "health/phase.h"

#include "../probe/tree.h"
#include "health/health.h"

#define PORT "sys/class/infiniband/mlx5_0/ports/1"
#define BOOT "proc/sys/kernel/random"

struct scene {
    struct tree tree;
    struct unit_dir run;
    char config[256];
};

static struct scene scene_make(void)
{
    struct scene scene = {.tree = tree_make(), .run = unit_dir_make()};
    const struct tree *tree = &scene.tree;
    tree_folders(tree, "sys/class/net/");
    tree_put(tree, "proc/sys/kernel", "hostname", "gpu1\n");
    tree_put(tree, BOOT, "boot_id", "11111111-2222-3333-4444-555555555555\n");
    tree_put(tree, "proc", "uptime", "1000.00 0.00\n");
    tree_put(tree, "sys/class/infiniband/mlx5_0", "hca_type", "MT4129\n");
    tree_put(tree, PORT, "state", "4: ACTIVE\n");
    tree_put(tree, PORT, "phys_state", "5: LinkUp\n");
    tree_put(tree, PORT, "link_layer", "InfiniBand\n");
    tree_put(tree, PORT, "rate", "400 Gb/sec (4X NDR)\n");
    tree_put(tree, PORT "/counters", "link_downed", "2\n");
    tree_put(tree, PORT "/counters", "symbol_error", "0\n");
    unit_dir_write(&scene.run, "conf", "mode = \"drain\";\n");
    snprintf(scene.config, sizeof scene.config, "%s/conf", scene.run.path);
    return scene;
}

static void scene_remove(struct scene *scene)
{
    tree_remove(&scene->tree);
    unit_dir_remove(&scene->run);
}

static void run(const struct scene *scene, unsigned phase, uint32_t job,
                struct ce_phase_result *ret)
{
    struct ce_error err = {""};
    const struct ce_phase what = {
        .phase = phase,
        .machine = {.root = scene->tree.dir.path, .run_dir = scene->run.path},
        .config = scene->config,
        .job = job,
        .keep = true,
    };
    assert_int_equal(ce_phase_run(&what, ret, &err), 0);
    assert_string_equal(err.text, "");
}

/* The epilog of job 7, after what became of the machine. */
static void epilog_says(struct scene *scene, const char *reason, const char *note)
{
    ce_autophase struct ce_phase_result result = {.node_name = ""};
    run(scene, CE_EPILOG, 7, &result);
    unit_holds(result.reason.text, reason);
    assert_int_equal(result.reason.text[0] == '\0', reason[0] == '\0');
    assert_int_equal(result.notes.count, note ? 1 : 0);
    unit_holds(result.notes.line[0].text, note ? note : "");
    scene_remove(scene);
}

static struct scene after_prolog(void)
{
    struct scene scene = scene_make();
    ce_autophase struct ce_phase_result result = {.node_name = ""};
    run(&scene, CE_PROLOG, 7, &result);
    assert_string_equal(result.reason.text, "");
    assert_int_equal(result.notes.count, 0);
    tree_put(&scene.tree, "proc", "uptime", "4600.00 0.00\n");
    return scene;
}

static void a_healthy_job_leaves_nothing(void **state)
{
    (void)state;
    struct scene scene = after_prolog();
    char *kept = unit_dir_read(&scene.run, "jobs/7.facts");
    unit_holds(kept, "\nib.mlx5_0.1.counter.link_downed=2\n");
    unit_holds(kept, "\nboot.uptime_ms=1000000\n");
    free(kept);
    ce_autophase struct ce_phase_result result = {.node_name = ""};
    run(&scene, CE_EPILOG, 7, &result);
    assert_string_equal(result.reason.text, "");
    assert_int_equal(result.notes.count, 0);
    assert_null(unit_dir_read(&scene.run, "jobs/7.facts"));
    scene_remove(&scene);
}

/* What jobs read at their launch is as short as it was. */
static void the_plugins_text_has_no_counters(void **state)
{
    (void)state;
    struct scene scene = after_prolog();
    char *facts = unit_dir_read(&scene.run, "node.facts");
    unit_holds(facts, "ib.mlx5_0.1.rate_mbps=400000\n");
    assert_null(strstr(facts, "counter"));
    assert_null(strstr(facts, "uptime"));
    free(facts);
    scene_remove(&scene);
}

static void a_link_that_went_down_drains_with_its_reason(void **state)
{
    (void)state;
    struct scene scene = after_prolog();
    tree_put(&scene.tree, PORT "/counters", "link_downed", "3\n");
    epilog_says(&scene,
                "mlx5_0/1 link_downed +1 during the job, found after job 7; the link went down: check cable and "
                "switch port [cluster-env ib.counter.link_downed]",
                NULL);
}

static void many_symbol_errors_only_warn(void **state)
{
    (void)state;
    struct scene scene = after_prolog();
    tree_put(&scene.tree, PORT "/counters", "symbol_error", "60000\n");
    ce_autophase struct ce_phase_result result = {.node_name = ""};
    run(&scene, CE_EPILOG, 7, &result);
    assert_true(ce_health_has(&result.findings, CE_WARN));
    assert_false(ce_health_has(&result.findings, CE_FAIL));
    assert_string_equal(result.reason.text, "");
    scene_remove(&scene);
}

static void another_jobs_baseline_is_not_this_ones(void **state)
{
    (void)state;
    struct scene scene = after_prolog();
    tree_put(&scene.tree, PORT "/counters", "link_downed", "3\n");
    ce_autophase struct ce_phase_result second = {.node_name = ""};
    run(&scene, CE_PROLOG, 8, &second);
    ce_autophase struct ce_phase_result result = {.node_name = ""};
    run(&scene, CE_EPILOG, 8, &result);
    assert_string_equal(result.reason.text, "");
    epilog_says(&scene, "link_downed +1 during the job, found after job 7; ", NULL);
}

static void a_missing_baseline_is_one_note_and_no_fault(void **state)
{
    (void)state;
    struct scene scene = after_prolog();
    assert_int_equal(unlinkat(scene.run.fd, "jobs/7.facts", 0), 0);
    tree_put(&scene.tree, PORT "/counters", "link_downed", "3\n");
    epilog_says(&scene, "",
                "what changed during the job stays unknown: 7.facts: cannot open: "
                "No such file or directory");
}

static void after_a_reboot_it_says_nothing(void **state)
{
    (void)state;
    struct scene scene = after_prolog();
    tree_put(&scene.tree, BOOT, "boot_id", "99999999-2222-3333-4444-555555555555\n");
    tree_put(&scene.tree, PORT "/counters", "link_downed", "3\n");
    epilog_says(&scene, "", "what changed during the job stays unknown: 7.facts: of another boot");
}

static void a_malformed_one_is_one_note_and_no_fault(void **state)
{
    (void)state;
    struct scene scene = after_prolog();
    unit_dir_writen(&scene.run, "jobs/7.facts", "format=1\n", 9, 0600);
    epilog_says(&scene, "", "what changed during the job stays unknown: 7.facts: cut short");
}

/* A check by hand, and the job id that no Slurm gave, keep nothing. */
static void without_a_job_nothing_is_kept(void **state)
{
    (void)state;
    struct scene scene = scene_make();
    struct stat st;
    ce_autophase struct ce_phase_result result = {.node_name = ""};
    ce_autophase struct ce_phase_result by_hand = {.node_name = ""};
    run(&scene, CE_PROLOG, 0, &result);
    run(&scene, CE_MANUAL, 9, &by_hand);
    assert_int_equal(fstatat(scene.run.fd, "jobs", &st, 0), -1);
    scene_remove(&scene);
}

int main(void)
{
    UNIT_RULE(a_healthy_job_leaves_nothing);
    UNIT_RULE(the_plugins_text_has_no_counters);
    UNIT_RULE(a_link_that_went_down_drains_with_its_reason);
    UNIT_RULE(many_symbol_errors_only_warn);
    UNIT_RULE(another_jobs_baseline_is_not_this_ones);
    UNIT_RULE(a_missing_baseline_is_one_note_and_no_fault);
    UNIT_RULE(after_a_reboot_it_says_nothing);
    UNIT_RULE(a_malformed_one_is_one_note_and_no_fault);
    UNIT_RULE(without_a_job_nothing_is_kept);
    return UNIT_RUN("health/before_after");
}

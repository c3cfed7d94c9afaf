/* SPDX-License-Identifier: Apache-2.0 */
/* Two jobs on one machine, and an Xid of one's GPU: whose epilog drains, and whose does not. */
#include "health/phase.h"

#include <sys/stat.h>

#include "../probe/tree.h"
#include "checks/check.h"

#define GPUS "sys/bus/pci/devices"
#define BOOT "6,1,1000,-;usb 1-1: new device\n"
#define XID "4,2,900000000,-;NVRM: Xid (PCI:0000:43:00): 79, pid=1, GPU has fallen off the bus.\n"
/* What the helper says, before and after: the bus has them the other way round than /dev. */
#define SAID(second)                                                                               \
    "#!/bin/sh\ncat <<END\nformat=1\ngpu.count=2\ngpu.0.pci=0000:1b:00.0\ngpu.1.pci=0000:43:00.0\n" \
    "gpu.0.nvml.asked=answered\ngpu.0.nvml.minor=1\n" second "end=1\nEND\n"
#define WELL SAID("gpu.1.nvml.asked=answered\ngpu.1.nvml.minor=0\n")
#define LOST SAID("gpu.1.nvml.asked=answered\ngpu.1.nvml.error=15\n")

static void put_gpu(const struct tree *tree, const char *address)
{
    char folder[96];
    snprintf(folder, sizeof folder, GPUS "/%s", address);
    tree_put(tree, folder, "class", "0x030200\n");
    tree_put(tree, folder, "vendor", "0x10de\n");
    tree_put(tree, folder, "device", "0x2330\n");
}

static void put_helper(const struct tree *tree, const char *script)
{
    tree_put(tree, "helpers", "probe-gpu", script);
    assert_int_equal(fchmodat(tree->dir.fd, "helpers/probe-gpu", 0755, 0), 0);
}

static struct tree make_machine(void)
{
    struct tree tree = tree_make();
    tree_folders(&tree, "sys/class/net/");
    tree_folders(&tree, "run/");
    tree_put(&tree, "proc/sys/kernel/random", "boot_id", "11111111-2222-3333-4444-555555555555\n");
    tree_put(&tree, "proc", "uptime", "100.00 0.00\n");
    tree_put(&tree, "dev", "kmsg", BOOT);
    put_gpu(&tree, "0000:1b:00.0");
    put_gpu(&tree, "0000:43:00.0");
    put_helper(&tree, WELL);
    unit_dir_write(&tree.dir, "conf", "mode = \"drain\";\n");
    return tree;
}

static void run(const struct tree *tree, unsigned phase, const struct ce_slurm_job *job,
                struct ce_phase_result *ret)
{
    char helpers[PATH_MAX], config[PATH_MAX], run_dir[PATH_MAX];
    struct ce_error err = {""};
    snprintf(helpers, sizeof helpers, "%s/helpers", tree->dir.path);
    snprintf(config, sizeof config, "%s/conf", tree->dir.path);
    snprintf(run_dir, sizeof run_dir, "%s/run", tree->dir.path);
    const struct ce_phase what = {
        .phase = phase,
        .only = "gpu.xid",
        .machine = {.root = tree->dir.path, .helpers = helpers, .run_dir = run_dir,
                    .deadline_ms = 5000},
        .config = config,
        .job = job->id,
        .slurm = *job,
    };
    assert_int_equal(ce_phase_run(&what, ret, &err), 0);
}

/* The reason of that job's epilog, after an Xid of the GPU at 0000:43:00.0, which is /dev/nvidia0. */
static void epilog_says(struct ce_slurm_job job, const char *reason)
{
    struct tree tree = make_machine();
    ce_autophase struct ce_phase_result before = {.node_name = ""}, after = {.node_name = ""};
    run(&tree, CE_PROLOG, &job, &before);
    assert_string_equal(before.reason.text, "");
    tree_put(&tree, "proc", "uptime", "1000.00 0.00\n");
    tree_put(&tree, "dev", "kmsg", BOOT XID);
    put_helper(&tree, LOST);
    run(&tree, CE_EPILOG, &job, &after);
    unit_holds(after.reason.text, reason);
    assert_int_equal(after.reason.text[0] == '\0', reason[0] == '\0');
    tree_remove(&tree);
}

static void the_job_of_that_gpu_is_named(void **state)
{
    (void)state;
    epilog_says((struct ce_slurm_job){.id = 7, .told = CE_GPUS_TOLD, .gpus = 1},
                "GPU 1 Xid 79 (fell off the bus) at 0000:43:00.0, found after job 7;");
    epilog_says((struct ce_slurm_job){.id = 7, .told = CE_GPUS_TOLD, .gpus = 1}, "found after job 7; ");
}

static void another_job_is_not(void **state)
{
    (void)state;
    epilog_says((struct ce_slurm_job){.id = 8, .told = CE_GPUS_TOLD, .gpus = 2}, "");
    epilog_says((struct ce_slurm_job){.id = 8, .share = CE_SHARE_OTHERS}, "");
}

static void who_has_the_node_or_may_have_it_is(void **state)
{
    (void)state;
    epilog_says((struct ce_slurm_job){.id = 9, .share = CE_SHARE_NODE}, "found after job 9; ");
    epilog_says((struct ce_slurm_job){.id = 9, .told = CE_GPUS_TOLD, .gpus = 3}, "found after job 9; ");
    epilog_says((struct ce_slurm_job){.id = 9}, "found after job 9; ");
}

int main(void)
{
    UNIT_RULE(the_job_of_that_gpu_is_named);
    UNIT_RULE(another_job_is_not);
    UNIT_RULE(who_has_the_node_or_may_have_it_is);
    return UNIT_RUN("health/job_xid");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "open_job.h"

#include "base/child.h"
#include "command.h"
#include "model/slurm_conf.h"

enum { DEADLINE_MS = 2000, OUTPUT_MAX = 1 << 20 };

/* Reads slurm.conf; asks a daemon only if the cluster is configless. */
static bool orders_by_topology(void)
{
    char *const argv[] = {CE_HELPER_DIR "/slurm-node", "config", "file", NULL};
    struct ce_child child = {.argv = argv, .deadline_ms = DEADLINE_MS, .output_max = OUTPUT_MAX};
    struct ce_slurm_conf conf = {.orders_by_topology = false};
    struct ce_error err;
    ce_children_run(&child, 1, &(struct ce_children_plan){.at_once = 1});
    bool known = ce_child_check(&child, &err) == 0 &&
                 ce_slurm_conf_parse(ce_text_string(&child.output), &conf, &err) == 0;
    ce_child_free(&child);
    return known && conf.orders_by_topology;
}

int ce_open_job(const char *run_dir, const char *option, struct ce_job *ret, struct ce_error *err)
{
    const struct ce_environ env = ce_process_environ();
    if (ce_job_open(run_dir, option, ret, err) < 0)
        return -1;
    struct ce_allocation *allocation = &ret->session->allocation;
    bool on_a_node = ce_environ_get(&env, "SLURMD_NODENAME");
    if (!ret->told && !on_a_node && allocation->id.kind != CE_STEP_TASKS &&
        ce_allocation_node_count(allocation) > 1 && orders_by_topology())
        allocation->order = CE_ORDER_JOB;
    return 0;
}

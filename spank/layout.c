/* SPDX-License-Identifier: Apache-2.0 */
#include "layout.h"

#include <errno.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "launch/variables.h"
#include "slurm/layout.h"
#include "slurm/nodes.h"

/* ---------------------------------------------------------------- is it needed? */

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
_Static_assert((unsigned)SELECT_NO_DIST_TOPO_BLOCK == CE_SLURM_NO_DIST_TOPO_BLOCK, "as in slurm.h");
#endif

/* What the process around the plugin, srun or slurmstepd, has read from slurm.conf.  Slurm declares it
 * for its own plugins only and may remove it: because it is weak, this plugin then loads nevertheless. */
extern slurm_conf_t slurm_conf __attribute__((weak));

/* slurmstepd does not know the file's path, but slurmd sets SLURM_CONF. */
static bool orders_by_topology(void)
{
    const slurm_conf_t *conf = &slurm_conf;
    return conf && ce_slurm_orders_by_topology(
                       SLURM_VERSION_NUMBER, conf->slurm_conf ? conf->slurm_conf : getenv("SLURM_CONF"),
                       conf->topology_plugin, conf->select_type_param);
}

bool ce_layout_is_needed(uint32_t nodes)
{
    const char *distribution = getenv("SLURM_DISTRIBUTION");
    bool arbitrary = distribution && strncmp(distribution, "arbitrary", 9) == 0;
    return nodes > 1 && (arbitrary || orders_by_topology());
}

/* ---------------------------------------------------------------- asking */

static uint32_t lowest(const uint32_t *ranks, uint32_t count)
{
    uint32_t low = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++)
        low = ranks[i] < low ? ranks[i] : low;
    return low;
}

/* false: ranks begin anew in each component of a heterogeneous step. */
static bool find_first(const slurm_step_layout_t *layout, uint32_t *first)
{
    uint32_t starts = 0;
    for (uint32_t i = 0; i < layout->node_cnt; i++) {
        first[i] = lowest(layout->tids[i], layout->tasks[i]);
        starts += first[i] == 0;
    }
    return starts == 1;
}

static int write_layout(const struct ce_step_id *id, const slurm_step_layout_t *layout,
                        struct ce_text *out, struct ce_error *err)
{
    ce_auto(ce_hostlist_destroy) struct ce_hostlist *nodes =
        ce_hostlist_parse(layout->node_list, err);
    if (!nodes)
        return -1;
    if (ce_hostlist_count(nodes) != layout->node_cnt)
        return ce_fail(err, "Slurm's layout names %zu nodes and counts %u",
                       ce_hostlist_count(nodes), layout->node_cnt);
    ce_autofree uint32_t *first = calloc(layout->node_cnt, sizeof *first);
    if (!first)
        return ce_fail(err, "no memory");
    if (!find_first(layout, first))
        return 0;
    ce_slurm_layout_write(id, nodes, first, out);
    return ce_text_ok(out) ? 0
                           : ce_fail(err, "the order of %u nodes is longer than the %d bytes of a "
                                          "variable; use -m cyclic, or fewer nodes",
                                     layout->node_cnt, CE_VALUE_MAX);
}

int ce_layout_pass_on(const struct ce_step_id *id, struct ce_error *err)
{
    slurm_step_id_t step;
    ce_autotext struct ce_text value = CE_TEXT(CE_VALUE_MAX);
    memset(&step, 0, sizeof step); /* 24.11 has a member more */
    step.job_id = id->job_id;
    step.step_id = id->step_id;
    step.step_het_comp = NO_VAL;
    slurm_step_layout_t *layout = slurm_job_step_layout_get(&step);
    if (!layout)
        return ce_fail(err, "cannot get the layout of the step: %s", slurm_strerror(errno));
    int failed = write_layout(id, layout, &value, err);
    slurm_job_step_layout_free(layout);
    if (!failed && value.length && setenv(CE_LAYOUT_VARIABLE, ce_text_string(&value), 1) < 0)
        failed = ce_fail(err, "cannot set " CE_LAYOUT_VARIABLE);
    return failed;
}

/* ---------------------------------------------------------------- batch scripts */

void ce_layout_mark_job(const struct ce_environ *env, const struct ce_step_id *id)
{
    struct ce_allocation allocation = {.id = *id};
    ce_autotext struct ce_text value = CE_TEXT(CE_VALUE_MAX);
    if (!orders_by_topology() || ce_slurm_nodes(env, &allocation, NULL) < 0)
        return;
    uint32_t nodes = ce_allocation_node_count(&allocation);
    if (nodes > 1)
        ce_slurm_layout_write_job(id, allocation.nodes, &value);
    ce_allocation_free(&allocation);
    char none[CE_STEP_ID_TEXT + 2]; /* without the nodes if they are too long for a variable */
    snprintf(none, sizeof none, "%s:", ce_step_id_format(id, (char[CE_STEP_ID_TEXT]){""}));
    if (nodes > 1)
        env->set(env->ctx, CE_LAYOUT_VARIABLE, ce_text_ok(&value) ? ce_text_string(&value) : none);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "layout.h"

#include <errno.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <stdlib.h>
#include <string.h>

#include "launch/variables.h"
#include "slurm/nodes.h"

bool ce_layout_is_needed(void)
{
    const char *distribution = getenv("SLURM_DISTRIBUTION");
    return distribution && strncmp(distribution, "arbitrary", 9) == 0;
}

static uint32_t lowest(const uint32_t *ranks, uint32_t count)
{
    uint32_t low = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++)
        low = ranks[i] < low ? ranks[i] : low;
    return low;
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
    for (uint32_t i = 0; i < layout->node_cnt; i++)
        first[i] = lowest(layout->tids[i], layout->tasks[i]);
    ce_slurm_write_layout(id, nodes, first, out);
    return ce_text_ok(out) ? 0 : ce_fail(err, "too many nodes for -m arbitrary");
}

int ce_layout_hand_on(const struct ce_step_id *id, struct ce_error *err)
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
    if (!failed && setenv(CE_LAYOUT_VARIABLE, ce_text_string(&value), 1) < 0)
        failed = ce_fail(err, "cannot set " CE_LAYOUT_VARIABLE);
    return failed;
}

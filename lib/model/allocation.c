/* SPDX-License-Identifier: Apache-2.0 */
#include "model/allocation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

static const char *const special_steps[] = {
    [CE_STEP_BATCH] = "batch",
    [CE_STEP_INTERACTIVE] = "interactive",
};

const char *ce_step_id_format(const struct ce_step_id *id, char buf[CE_STEP_ID_TEXT])
{
    if (id->kind == CE_STEP_TASKS)
        snprintf(buf, CE_STEP_ID_TEXT, "%u.%u", id->job_id, id->step_id);
    else
        snprintf(buf, CE_STEP_ID_TEXT, "%u.%s", id->job_id, special_steps[id->kind]);
    return buf;
}

int ce_step_id_parse(const char *text, struct ce_step_id *ret)
{
    struct ce_step_id id = {.kind = CE_STEP_TASKS};
    uint64_t job;
    const char *step;
    if (ce_parse_digits(text, UINT32_MAX, &job, &step) < 0 || *step++ != '.')
        return -1;
    id.job_id = (uint32_t)job;
    if (strcmp(step, special_steps[CE_STEP_BATCH]) == 0)
        id.kind = CE_STEP_BATCH;
    else if (strcmp(step, special_steps[CE_STEP_INTERACTIVE]) == 0)
        id.kind = CE_STEP_INTERACTIVE;
    else if (ce_parse_u32(step, 0, UINT32_MAX, &id.step_id) < 0)
        return -1;
    *ret = id;
    return 0;
}

void ce_allocation_free(struct ce_allocation *allocation)
{
    ce_hostlist_destroy(allocation->nodes);
    free(allocation->tasks);
    free(allocation->first);
    allocation->nodes = NULL;
    allocation->tasks = allocation->first = NULL;
}

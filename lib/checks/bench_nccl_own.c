/* SPDX-License-Identifier: Apache-2.0 */
#include "checks/bench_nccl_own.h"

#include <string.h>

bool ce_nccl_run_has(const struct ce_nccl_run *run, const char *node_name)
{
    for (uint32_t i = 0; i < run->nodes; i++)
        if (strcmp(run->parts[i].name, node_name) == 0)
            return true;
    return false;
}

static void append(struct ce_findings *own, const struct ce_finding *finding)
{
    size_t before = own->count;
    ce_findings_add(own, finding->verdict, finding->subject, "%s", finding->text);
    if (own->count > before)
        own->items[before] = *finding;
}

void ce_bench_nccl_own(const struct ce_nccl_run *run, const char *node_name,
                       struct ce_finding *findings, size_t count, struct ce_findings *own)
{
    bool here = ce_nccl_run_has(run, node_name);
    for (size_t i = 0; i < count; i++) {
        struct ce_finding *finding = &findings[i];
        bool together = !ce_nccl_run_has(run, finding->subject);
        if (together && finding->response == CE_DRAIN)
            finding->response = CE_TELL;
        if (here && (together || strcmp(finding->subject, node_name) == 0))
            append(own, finding);
    }
}

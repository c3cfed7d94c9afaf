/* SPDX-License-Identifier: Apache-2.0 */
#include "health/health.h"

#include <stdlib.h>
#include <string.h>

#include "checks/limit.h"
#include "launch/rails.h"

static const struct {
    const struct ce_check *checks;
    const size_t *count;
} tables[] = {
    {ce_ib_checks, &ce_ib_check_count},
    {ce_ib_roce_checks, &ce_ib_roce_check_count},
    {ce_ib_pkey_checks, &ce_ib_pkey_check_count},
    {ce_ib_card_checks, &ce_ib_card_check_count},
    {ce_ib_counter_checks, &ce_ib_counter_check_count},
    {ce_gpu_checks, &ce_gpu_check_count},
    {ce_kernel_checks, &ce_kernel_check_count},
    {ce_gpu_delta_checks, &ce_gpu_delta_check_count},
    {ce_gpu_setup_checks, &ce_gpu_setup_check_count},
    {ce_gpu_memory_checks, &ce_gpu_memory_check_count},
    {ce_gpu_link_checks, &ce_gpu_link_check_count},
    {ce_gpu_heat_checks, &ce_gpu_heat_check_count},
    {ce_gpu_leftover_checks, &ce_gpu_leftover_check_count},
    {ce_host_checks, &ce_host_check_count},
    {ce_gang_checks, &ce_gang_check_count},
    {ce_gang_nccl_checks, &ce_gang_nccl_check_count},
};

const struct ce_check *ce_health_check_at(size_t index)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (index < *tables[i].count)
            return &tables[i].checks[index];
        index -= *tables[i].count;
    }
    return NULL;
}

const struct ce_check *ce_health_check_find(const char *name)
{
    const struct ce_check *check;
    for (size_t i = 0; (check = ce_health_check_at(i)) != NULL; i++)
        if (strcmp(check->name, name) == 0)
            return check;
    return NULL;
}

/* The rails as the launch would choose them: checks look at what jobs will use. */
static int list_rails(const struct ce_rails *rails, struct ce_check_view *view,
                      struct ce_error *err)
{
    struct ce_check_port *ports = calloc(rails->count + 1, sizeof *ports);
    if (!ports)
        return ce_fail(err, "no memory");
    for (size_t i = 0; i < rails->port_count; i++)
        if (rails->ports[i].chosen)
            ports[view->rail_count++] =
                (struct ce_check_port){rails->ports[i].hca, rails->ports[i].port};
    view->rails = ports;
    view->rails_unsure = rails->verdict == CE_RAILS_UNSURE ? rails->reason : NULL;
    return 0;
}

void ce_health_responses(const struct ce_check *check, const struct ce_policy *policy,
                         enum ce_response *fault, enum ce_response *unknown)
{
    *fault = check->fault;
    *unknown = check->unknown;
    ce_check_rules_lay(&policy->checks, check->name, fault, unknown);
}

uint32_t ce_health_limit(const struct ce_check *check, const struct ce_policy *policy)
{
    const struct ce_check_limit *limit = ce_check_limit_find(check->name);
    return limit ? ce_check_rules_limit(&policy->checks, check->name, limit->most) : 0;
}

/* The facts of a fault are the check's; what is done about it is the policy's. */
static void respond(const struct ce_check *check, const struct ce_policy *policy,
                    struct ce_finding *finding)
{
    enum ce_response fault, unknown;
    ce_health_responses(check, policy, &fault, &unknown);
    finding->check = check->name;
    finding->what = check->what;
    if (!finding->remedy[0])
        finding->remedy = check->remedy;
    finding->response = CE_IGNORE;
    if (finding->verdict == CE_FAIL)
        finding->response = fault;
    else if (finding->verdict == CE_WARN)
        finding->response = fault == CE_IGNORE ? CE_IGNORE : CE_TELL;
    else if (finding->verdict == CE_UNKNOWN)
        finding->response = unknown;
}

static void run_checks(struct ce_check_view *view, const struct ce_times *times,
                       const struct ce_policy *policy,
                       unsigned phase, const char *only, struct ce_findings *findings)
{
    const struct ce_check *check;
    for (size_t i = 0; (check = ce_health_check_at(i)) != NULL; i++) {
        size_t before = findings->count;
        if (!(check->phases & phase) || (only && strcmp(only, check->name) != 0))
            continue;
        view->limit = ce_health_limit(check, policy);
        if (check->traits & CE_DETAILED && !view->node->detailed)
            ce_findings_add(findings, CE_SKIP, "", "the facts do not have what it looks at");
        else if (check->traits & CE_WHOLE_NODE && view->shared)
            ce_findings_add(findings, CE_SKIP, "", "other jobs may be on the node");
        else if (!ce_patience_is_over(check->name, policy, times, findings))
            check->judge(view, findings);
        for (size_t k = before; k < findings->count; k++)
            respond(check, policy, &findings->items[k]);
    }
}

int ce_health_judge(const struct ce_node *node, const struct ce_policy *policy, unsigned phase,
                    const char *only, struct ce_findings *findings, struct ce_error *err)
{
    return ce_health_judge_since(node, NULL, policy, phase, only, findings, err);
}

int ce_health_judge_since(const struct ce_node *node, const struct ce_node *before,
                          const struct ce_policy *policy, unsigned phase, const char *only,
                          struct ce_findings *findings, struct ce_error *err)
{
    return ce_health_judge_job(node, before, NULL, NULL, policy, phase, only, findings, err);
}

int ce_health_judge_job(const struct ce_node *node, const struct ce_node *before,
                        const struct ce_share *share, const struct ce_times *times,
                        const struct ce_policy *policy,
                        unsigned phase, const char *only, struct ce_findings *findings,
                        struct ce_error *err)
{
    struct ce_check_view view = {
        .node = node,
        .expected = policy->rails,
        .gpus_expected = policy->gpus,
        .driver = policy->driver[0] ? policy->driver : NULL,
        .vbios = policy->vbios,
        .vbios_count = policy->vbios_count,
        .mig = policy->mig,
        .ecc = policy->ecc,
        .power_watts = policy->power_watts,
        .firmware = policy->firmware,
        .firmware_count = policy->firmware_count,
        .memory_gb = policy->memory_gb,
        .hugepages = policy->hugepages,
        .before = before,
        .shared = share && share->shared,
        .job_gpus = share ? share->gpus : 0,
        .job_gpus_unsure = share && share->unsure,
    };
    if (before && before->kernel.read)
        view.kernel_since = before->kernel.seq;
    if (before)
        view.seconds = ((double)node->uptime_ms - (double)before->uptime_ms) / 1000;
    struct ce_rails rails;
    int failed = ce_rails_choose(node, &rails, err) < 0 || list_rails(&rails, &view, err) < 0;
    if (!failed)
        run_checks(&view, times, policy, phase, only, findings);
    free((void *)view.rails);
    ce_rails_free(&rails);
    return failed || findings->lost ? ce_fail(err, "no memory") : 0;
}

int ce_health_judge_gang(const struct ce_gang *gang, const struct ce_hostlist *nodes,
                         const char *unknown, const struct ce_policy *policy,
                         struct ce_findings *findings, struct ce_error *err)
{
    struct ce_check_view view = {.gang = gang,
                                 .gang_nodes = nodes,
                                 .gang_unknown = unknown,
                                 .gang_nccl = policy->preflight.mode == CE_PREFLIGHT_NCCL,
                                 .gang_gbytes = policy->bench.nccl_gang_gbytes};
    run_checks(&view, NULL, policy, CE_PREFLIGHT, NULL, findings);
    return findings->lost ? ce_fail(err, "no memory") : 0;
}

bool ce_health_has(const struct ce_findings *findings, enum ce_verdict verdict)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].verdict == verdict)
            return true;
    return false;
}

bool ce_health_matters(const struct ce_findings *findings, enum ce_verdict verdict)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].verdict == verdict && findings->items[i].response != CE_IGNORE)
            return true;
    return false;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "health/phase.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "config/site.h"
#include "health/baseline.h"
#include "health/details.h"
#include "health/health.h"
#include "local/texts_write.h"
#include "report/findings.h"

enum { REASON_MAX = 64 << 10 };

/* A text that cannot be written leaves the old one: bad for the next job's variables, no fault.
 * Facts without the RDMA devices would be worse than old ones. */
static void keep_texts(const struct ce_phase *phase, const struct ce_node *node,
                       const struct ce_site *site, struct ce_phase_result *ret)
{
    struct ce_config config;
    struct ce_error err;
    const char *path;
    if (node->hcas_unread)
        return;
    ce_site_config(site, ret->node_name, &config);
    ce_auto(ce_rules_destroy) struct ce_rules *rules = ce_site_rules(site, ret->node_name, &err);
    ce_auto(ce_book_destroy) struct ce_book *book =
        rules ? ce_site_book(&config, &path, &err) : NULL;
    if (!book || ce_texts_write(phase->machine.run_dir, node, &ret->policy, rules, book, &err) < 0)
        ce_note(&ret->notes, "%s", err.text);
}

/* The prolog keeps what it sees, the epilog gets what the prolog saw.  NULL: nothing before. */
static struct ce_node *compare(const struct ce_phase *phase, const struct ce_node *node,
                               struct ce_phase_result *ret)
{
    struct ce_error err;
    struct ce_node *before = NULL;
    bool prolog = phase->phase == CE_PROLOG, epilog = phase->phase == CE_EPILOG;
    if (!phase->job || !phase->machine.run_dir || (!prolog && !epilog))
        return NULL;
    ce_autoclose int dir = ce_baseline_open(phase->machine.run_dir, &err);
    if (dir >= 0 && epilog)
        before = ce_baseline_take(dir, phase->job, node, &err);
    int failed = dir < 0 || (prolog && ce_baseline_store(dir, phase->job, node, &err) < 0);
    if (failed || (epilog && !before))
        ce_note(&ret->notes, "what changed during the job stays unknown: %.300s", err.text);
    if (dir >= 0 && prolog)
        ce_baseline_sweep(dir, node);
    return before;
}

static int judge(const struct ce_phase *phase, const struct ce_node *node,
                 struct ce_phase_result *ret, struct ce_error *err)
{
    ce_auto(ce_node_destroy) struct ce_node *before = compare(phase, node, ret);
    ce_autotext struct ce_text reason = CE_TEXT(REASON_MAX), within = CE_TEXT(REASON_MAX);
    char after[32] = "";
    if (ce_health_judge_since(node, before, &ret->policy, phase->phase, phase->only, &ret->findings, err) < 0)
        return -1;
    ce_report_reason(&ret->findings, &reason);
    if (!reason.length)
        return 0;
    if (phase->phase == CE_EPILOG && phase->job)
        snprintf(after, sizeof after, " after job %u", phase->job);
    ce_report_reason_cut(&ret->findings, ce_text_string(&reason),
                         sizeof ret->reason.text - strlen(after), &within);
    ce_fail(&ret->reason, "%s%s", ce_text_string(&within), after);
    return 0;
}

int ce_phase_run(const struct ce_phase *phase, struct ce_phase_result *ret, struct ce_error *err)
{
    ce_autosite struct ce_site site = {.file = NULL};
    struct ce_config config;
    struct ce_machine machine = phase->machine;
    machine.health = true;
    *ret = (struct ce_phase_result){.node_name = "", .misconfigured = true};
    if (phase->only && !ce_health_check_find(phase->only))
        return ce_fail(err, "'%.60s' is not a check; 'cluster-env check --list' lists them",
                       phase->only);
    if (ce_site_open(phase->config, &site, err) < 0)
        return -1;
    ret->misconfigured = false;
    ce_auto(ce_node_destroy) struct ce_node *node =
        ce_machine_facts(&machine, &ret->notes, err);
    if (!node)
        return -1;
    ce_machine_name(node, phase->node_name, ret->node_name, sizeof ret->node_name);
    ce_site_config(&site, ret->node_name, &config);
    ret->policy = config.policy;
    if (phase->keep)
        keep_texts(phase, node, &site, ret);
    ce_details_read(&phase->machine, &ret->policy, phase->phase, node, &ret->notes);
    snprintf(ret->boot_id, sizeof ret->boot_id, "%s", node->boot_id ? node->boot_id : "");
    ret->uptime_ms = node->uptime_ms;
    return judge(phase, node, ret, err);
}

void ce_phase_result_free(struct ce_phase_result *result)
{
    ce_findings_free(&result->findings);
}

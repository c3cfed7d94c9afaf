/* SPDX-License-Identifier: Apache-2.0 */
#include "health/phase.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "config/site.h"
#include "health/baseline.h"
#include "health/check_names.h"
#include "health/details.h"
#include "health/equipment.h"
#include "health/health.h"
#include "health/leftover_end.h"
#include "health/questions.h"
#include "health/share.h"
#include "health/site_book.h"
#include "local/texts_write.h"
#include "report/findings.h"

enum { REASON_MAX = 64 << 10, TERM_MS = 2000, KILL_MS = 1000, BOOK_MS = 2000 };

/* A text that cannot be written leaves the old one: bad for the next job's variables, no fault.
 * Facts without the RDMA devices would be worse than old ones. */
static void keep_texts(const struct ce_phase *phase, const struct ce_node *node,
                       const struct ce_site *site, struct ce_phase_result *ret)
{
    struct ce_config config;
    struct ce_error err;
    const char *path;
    bool hung;
    if (node->hcas_unread)
        return;
    ce_site_config(site, ret->node_name, &config);
    ce_auto(ce_rules_destroy) struct ce_rules *rules = ce_site_rules(site, ret->node_name, &err);
    ce_auto(ce_book_destroy) struct ce_book *book =
        rules ? ce_site_book_within(&config, BOOK_MS, &path, &hung, &err) : NULL;
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

static void ask_again(void *ctx, struct ce_node *node)
{
    ce_questions_ask_gpus(ctx, node);
}

/* Is no other job known to be on the node?  Asked only where it decides something: it reads the records
 * of all jobs. */
static bool is_alone(const struct ce_phase *phase, const struct ce_policy *policy,
                     const struct ce_node *node)
{
    if (policy->leftovers == CE_LEFTOVERS_WARN)
        return false;
    ce_autoclose int dir = ce_baseline_open(phase->machine.run_dir, NULL);
    return dir >= 0 && !ce_baseline_others(dir, phase->job, node);
}

static void clear_leftovers(const struct ce_phase *phase, const struct ce_share *share,
                            struct ce_node *node, struct ce_phase_result *ret)
{
    struct ce_patience patience;
    struct ce_machine machine = phase->machine;
    ce_patience_find(&ret->policy, phase->phase, phase->only, &patience);
    machine.patience = &patience;
    if (phase->phase != CE_EPILOG || !phase->job || !machine.helpers || !machine.run_dir)
        return;
    const struct ce_leftover_task task = {
        .owner = {.job = phase->job,
                  .uid_known = phase->slurm.uid_known,
                  .uid = phase->slurm.uid,
                  .shared = share->shared,
                  .alone = is_alone(phase, &ret->policy, node),
                  .action = ret->policy.leftovers},
        .share = share,
        .wait_ms = ret->policy.leftovers_wait * 1000,
        .term_ms = TERM_MS,
        .kill_ms = KILL_MS,
        .ask = ask_again,
        .ctx = &machine,
    };
    ce_leftover_end(&task, node, &ret->notes);
}

/* What the node would be drained for; job: it was found after it; 0: none. */
static void give_reason(uint32_t job, struct ce_phase_result *ret)
{
    ce_autotext struct ce_text reason = CE_TEXT(REASON_MAX), within = CE_TEXT(REASON_MAX);
    ce_report_reason(&ret->findings, job, &reason);
    if (!reason.length)
        return;
    ce_report_reason_cut(&ret->findings, ce_text_string(&reason), sizeof ret->reason.text, &within);
    ce_fail(&ret->reason, "%s", ce_text_string(&within));
}

static int judge(const struct ce_phase *phase, struct ce_node *node, const struct ce_times *times,
                 struct ce_phase_result *ret, struct ce_error *err)
{
    struct ce_share share;
    ce_auto(ce_node_destroy) struct ce_node *before = compare(phase, node, ret);
    ce_share_find(&phase->slurm, node, before, &share, &ret->notes);
    clear_leftovers(phase, &share, node, ret);
    if (ce_health_judge_job(node, before, &share, times, &ret->policy, phase->phase, phase->only,
                            &ret->findings, err) < 0)
        return -1;
    give_reason(phase->phase == CE_EPILOG ? phase->job : 0, ret);
    return 0;
}

int ce_phase_judge_gang(const struct ce_gang *gang, const struct ce_hostlist *nodes,
                        const char *unknown, struct ce_phase_result *ret, struct ce_error *err)
{
    if (ce_health_judge_gang(gang, nodes, unknown, &ret->policy, &ret->findings, err) < 0)
        return -1;
    give_reason(0, ret);
    return 0;
}

/* As this machine calls itself, before it was looked at. */
static void config_before(const struct ce_site *site, const char *node_name, struct ce_config *ret)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    host[strcspn(host, ".")] = '\0';
    ce_site_config(site, node_name ? node_name : host, ret);
}

int ce_phase_run(const struct ce_phase *phase, struct ce_phase_result *ret, struct ce_error *err)
{
    ce_autosite struct ce_site site = {.file = NULL};
    struct ce_config config;
    struct ce_machine machine = phase->machine;
    struct ce_patience patience;
    struct ce_times times = {.ms = {0}};
    machine.health = true;
    machine.patience = &patience;
    machine.times = &times;
    *ret = (struct ce_phase_result){.node_name = "", .misconfigured = true};
    if (phase->only && !ce_health_check_find(phase->only))
        return ce_fail(err, "'%.60s' is not a check; 'cluster-env check --list' lists them",
                       phase->only);
    if (ce_check_names_open(phase->config, &site, err) < 0)
        return -1;
    ret->misconfigured = false;
    config_before(&site, phase->node_name, &config);
    ce_patience_find(&config.policy, phase->phase, phase->only, &patience);
    struct ce_node *told;
    ce_auto(ce_node_destroy) struct ce_node *node =
        ce_machine_facts(&machine, &told, &ret->notes, err);
    ce_auto(ce_node_destroy) struct ce_node *rails = told;
    if (!node)
        return -1;
    ce_machine_name(node, phase->node_name, ret->node_name, sizeof ret->node_name);
    snprintf(ret->boot_id, sizeof ret->boot_id, "%s", node->boot_id ? node->boot_id : "");
    ce_site_config(&site, ret->node_name, &config);
    ret->policy = config.policy;
    if (phase->keep)
        keep_texts(phase, node, &site, ret);
    ce_details_read(&phase->machine, &ret->policy, phase->phase, rails, node,
                    &ret->notes);
    snprintf(ret->boot_id, sizeof ret->boot_id, "%s", node->boot_id ? node->boot_id : "");
    ret->uptime_ms = node->uptime_ms;
    ce_equipment_count(node, &ret->policy, &ret->equipment);
    return judge(phase, node, &times, ret, err);
}

const char *ce_phase_name(unsigned phase)
{
    static const struct {
        unsigned phase;
        const char *name;
    } names[] = {{CE_PROLOG, "prolog"},
                 {CE_EPILOG, "epilog"},
                 {CE_MANUAL, "manual"},
                 {CE_PREFLIGHT, "preflight"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].phase == phase)
            return names[i].name;
    return NULL;
}

int ce_phase_policy(const char *config, const char *node_name, struct ce_policy *ret,
                    struct ce_error *err)
{
    ce_autosite struct ce_site site = {.file = NULL};
    struct ce_config meant;
    if (ce_check_names_open(config, &site, err) < 0)
        return -1;
    config_before(&site, node_name, &meant);
    *ret = meant.policy;
    return 0;
}

void ce_phase_result_free(struct ce_phase_result *result)
{
    ce_findings_free(&result->findings);
}

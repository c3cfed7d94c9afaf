/* SPDX-License-Identifier: Apache-2.0 */
/* What slurm.conf says, and whether slurmctld and this machine agree about it. */
#include <stdio.h>
#include <string.h>

#include "doctor/doctor.h"

/* slurmctld's, which holds for the cluster; where it does not answer, that of this machine's file. */
static const struct ce_slurm_conf *conf_of(const struct ce_install *install)
{
    return install->controller.known ? &install->controller.conf
           : install->file.known     ? &install->file.conf
                                     : NULL;
}

static bool is_known(const struct ce_install *install, struct ce_findings *out)
{
    if (conf_of(install))
        return true;
    ce_findings_add(out, CE_UNKNOWN, "", "Slurm's configuration is not known: mend slurm.helper first");
    return false;
}

/* One word for a flag that is to be on. */
static void judge_flag(const struct ce_install *install, bool on, const char *word,
                       struct ce_findings *out)
{
    (void)install;
    ce_findings_add(out, on ? CE_PASS : CE_FAIL, "", "%s%s", word, on ? "" : " is missing");
}

/* ---------------------------------------------------------------- who is asked */

static void judge_helper(const struct ce_install *install, struct ce_findings *out)
{
    char own[CE_SLURM_VERSION], here[CE_SLURM_VERSION];
    const struct ce_slurm_conf *conf = conf_of(install);
    if (!conf) {
        ce_findings_add(out, CE_FAIL, "", "%s", install->file.why);
        return;
    }
    ce_slurm_series(conf->version, own);
    if (!install->slurm_version)
        ce_findings_add(out, CE_PASS, "", "slurm-node is of Slurm %s", own);
    else if (ce_slurm_same_series(conf->version, install->slurm_version))
        ce_findings_add(out, CE_PASS, "", "slurm-node is of Slurm %s, as is sinfo", own);
    else
        ce_findings_add(out, CE_FAIL, "", "slurm-node is of Slurm %s, sinfo of %s", own,
                        ce_slurm_release(install->slurm_version, here));
}

static void judge_controller(const struct ce_install *install, struct ce_findings *out)
{
    if (install->controller.known)
        ce_findings_add(out, CE_PASS, "", "slurmctld answers");
    else if (install->file.known)
        ce_findings_add(out, CE_UNKNOWN, "",
                        "slurmctld does not answer, %.90s alone is looked at",
                        install->file.conf.path);
    else
        ce_findings_add(out, CE_UNKNOWN, "", "slurmctld was not asked: mend slurm.helper first");
}

static bool is_same_list(const struct ce_slurm_programs *a, const struct ce_slurm_programs *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->path[i], b->path[i]) != 0)
            return false;
    return true;
}

/* The first thing in which they differ; NULL: none. */
static const char *difference(const struct ce_slurm_conf *a, const struct ce_slurm_conf *b)
{
    const struct {
        bool differ;
        const char *what;
    } things[] = {
        {!is_same_list(&a->prolog, &b->prolog), "Prolog"},
        {!is_same_list(&a->epilog, &b->epilog), "Epilog"},
        {a->alloc != b->alloc || a->defer_batch != b->defer_batch || a->serial != b->serial,
         "PrologFlags"},
        {a->no_hold != b->no_hold, "SchedulerParameters"},
        {a->requeue != b->requeue, "JobRequeue"},
        {a->prolog_timeout_s != b->prolog_timeout_s || a->epilog_timeout_s != b->epilog_timeout_s,
         "PrologEpilogTimeout"},
        {a->batch_start_timeout_s != b->batch_start_timeout_s, "BatchStartTimeout"},
        {a->message_timeout_s != b->message_timeout_s, "MessageTimeout"},
    };
    for (size_t i = 0; i < sizeof things / sizeof *things; i++)
        if (things[i].differ)
            return things[i].what;
    return NULL;
}

static void judge_same(const struct ce_install *install, struct ce_findings *out)
{
    if (!install->controller.known || !install->file.known) {
        ce_findings_add(out, CE_SKIP, "", "slurmctld and slurm.conf could not be compared");
        return;
    }
    const char *what = difference(&install->controller.conf, &install->file.conf);
    if (what)
        ce_findings_add(out, CE_FAIL, "", "slurmctld has another %s than %.90s", what,
                        install->file.conf.path);
    else
        ce_findings_add(out, CE_PASS, "", "slurmctld has what %.100s says",
                        install->file.conf.path);
}

/* ---------------------------------------------------------------- Prolog and Epilog */

static void judge_program(const struct ce_install_program *program, struct ce_findings *out)
{
    const char *path = program->path;
    if (program->hidden)
        ce_findings_add(out, CE_UNKNOWN, "", "%.90s: only root may look at it", path);
    else if (!program->there && strpbrk(path, "*?["))
        ce_findings_add(out, CE_FAIL, "", "%.90s fits no file: Slurm drains every node", path);
    else if (!program->there)
        ce_findings_add(out, CE_FAIL, "", "%.90s is not there: Slurm drains the node", path);
    else if (!program->regular || !program->executable)
        ce_findings_add(out, CE_FAIL, "", "%.90s cannot be run: Slurm drains the node", path);
    else if (!program->safe)
        ce_findings_add(out, CE_FAIL, "", "%.90s is run by root, and others may write it", path);
    else
        return;
    ce_findings_remedy(out, program->there && !program->hidden && program->regular
                                ? "chown root and chmod 755 it"
                                : "install it on every compute node, or mend slurm.conf");
}

static void judge_files(const struct ce_install_programs *programs, const char *ours,
                        struct ce_findings *out)
{
    size_t before = out->count, found = 0, unsure = 0;
    const char *where = "";
    for (size_t i = 0; i < programs->count; i++) {
        const struct ce_install_program *program = &programs->items[i];
        judge_program(program, out);
        found += program->runs == CE_RUNS_OURS;
        unsure += program->runs == CE_RUNS_UNKNOWN;
        where = program->runs == CE_RUNS_OURS ? program->path : where;
    }
    if (out->count > before)
        return;
    if (found)
        ce_findings_add(out, CE_PASS, "", "%.120s", where);
    else if (unsure)
        ce_findings_add(out, CE_UNKNOWN, "", "whether %s is run cannot be seen", ours);
    else
        ce_findings_add(out, CE_FAIL, "", "%.90s does not run %s", programs->items[0].path, ours);
}

/* A head node need not have the programs. */
static void judge_value(const struct ce_slurm_programs *values, const char *ours,
                        struct ce_findings *out)
{
    for (size_t i = 0; i < values->count; i++)
        if (strstr(values->path[i], ours)) {
            ce_findings_add(out, CE_PASS, "", "%.120s", values->path[i]);
            return;
        }
    ce_findings_add(out, CE_SKIP, "", "what %.90s runs is seen on a compute node", values->path[0]);
}

static void judge_programs(const struct ce_install *install, const struct ce_slurm_programs *values,
                           const struct ce_install_programs *files, const char *key,
                           const char *ours, struct ce_findings *out)
{
    if (!values->count)
        ce_findings_add(out, CE_FAIL, "", "%s is not set", key);
    else if (install->role == CE_ROLE_HEAD)
        judge_value(values, ours, out);
    else if (files->why[0])
        ce_findings_add(out, CE_UNKNOWN, "", "%s", files->why);
    else if (!files->count)
        ce_findings_add(out, CE_UNKNOWN, "", "%s could not be looked at", key);
    else
        judge_files(files, ours, out);
}

/* slurmd runs what its own file says; where that differs, slurm.conf says so above. */
static const struct ce_slurm_conf *node_conf(const struct ce_install *install)
{
    return install->role == CE_ROLE_COMPUTE && install->file.known ? &install->file.conf
                                                                   : conf_of(install);
}

static void judge_prolog(const struct ce_install *install, struct ce_findings *out)
{
    if (is_known(install, out))
        judge_programs(install, &node_conf(install)->prolog, &install->prolog, "Prolog",
                       "cluster-prolog", out);
}

static void judge_epilog(const struct ce_install *install, struct ce_findings *out)
{
    if (is_known(install, out))
        judge_programs(install, &node_conf(install)->epilog, &install->epilog, "Epilog",
                       "cluster-epilog", out);
}

/* ---------------------------------------------------------------- flags */

static void judge_alloc(const struct ce_install *install, struct ce_findings *out)
{
    if (is_known(install, out))
        judge_flag(install, conf_of(install)->alloc, "PrologFlags: Alloc", out);
}

static void judge_defer_batch(const struct ce_install *install, struct ce_findings *out)
{
    if (is_known(install, out))
        judge_flag(install, conf_of(install)->defer_batch, "PrologFlags: DeferBatch", out);
}

static void judge_serial(const struct ce_install *install, struct ce_findings *out)
{
    if (!is_known(install, out))
        return;
    if (conf_of(install)->serial)
        ce_findings_add(out, CE_FAIL, "", "PrologFlags: Serial, so jobs of one node wait for each other");
    else
        ce_findings_add(out, CE_PASS, "", "PrologFlags: not Serial");
}

enum { SLURM_23_02 = 0x170200, SLURM_24_11 = 0x180b00 };

/* slurmd requeues the job up to 22.05, slurmctld from 24.11 on; between them it is to be in both. */
static void judge_no_hold(const struct ce_install *install, struct ce_findings *out)
{
    if (!is_known(install, out))
        return;
    uint32_t version = conf_of(install)->version;
    bool by_slurmd = version < SLURM_24_11, by_slurmctld = version >= SLURM_23_02;
    bool in_file = node_conf(install)->no_hold, in_slurmctld = conf_of(install)->no_hold;
    const char *who = !by_slurmctld ? "slurmd" : !by_slurmd ? "slurmctld" : "slurmd or slurmctld";
    if ((by_slurmd && !in_file) || (by_slurmctld && !in_slurmctld))
        ce_findings_add(out, CE_FAIL, "",
                        "nohold_on_prolog_fail, which %s reads, is missing: requeued jobs are held", who);
    else
        ce_findings_add(out, CE_PASS, "", "nohold_on_prolog_fail, for %s", who);
}

static void judge_requeue(const struct ce_install *install, struct ce_findings *out)
{
    if (!is_known(install, out))
        return;
    if (conf_of(install)->requeue)
        ce_findings_add(out, CE_PASS, "", "JobRequeue=1");
    else
        ce_findings_add(out, CE_FAIL, "",
                        "JobRequeue=0: a job whose node is found sick ends, and does not start on another");
}

/* ---------------------------------------------------------------- times */

enum { CONF_S = 3 };

static void judge_limit(const char *key, uint32_t limit_s, uint32_t bound_s,
                        struct ce_findings *out)
{
    if (!limit_s)
        ce_findings_add(out, CE_PASS, "", "%s: none, the bound is %u s", key, bound_s);
    else if (limit_s > bound_s)
        ce_findings_add(out, CE_PASS, "", "%s: %u s, the bound is %u s", key, limit_s, bound_s);
    else
        ce_findings_add(out, CE_FAIL, "",
                        "%s=%u: Slurm kills it and drains the node, it may take %u s", key, limit_s,
                        bound_s);
}

/* The prolog of a job of several nodes goes on with the preflight: slurm.conf is read before it, and half a
 * deadline is for the drain that may follow. */
static uint32_t prolog_bound(const struct ce_policy *policy)
{
    if (policy->preflight.mode == CE_PREFLIGHT_OFF)
        return policy->deadline_s;
    return policy->deadline_s + policy->preflight.deadline_s + CONF_S + policy->deadline_s / 2;
}

/* Up to 24.11 both have one limit. */
static void judge_timeout(const struct ce_install *install, struct ce_findings *out)
{
    const struct ce_policy *policy = &install->config.policy;
    uint32_t prolog_s = prolog_bound(policy), epilog_s = policy->deadline_s + CE_POLICY_LEFTOVERS_S;
    if (!is_known(install, out))
        return;
    const struct ce_slurm_conf *conf = node_conf(install);
    if (conf->prolog_timeout_s == conf->epilog_timeout_s) {
        judge_limit("PrologEpilogTimeout", conf->epilog_timeout_s,
                    prolog_s > epilog_s ? prolog_s : epilog_s, out);
        return;
    }
    judge_limit("PrologTimeout", conf->prolog_timeout_s, prolog_s, out);
    judge_limit("EpilogTimeout", conf->epilog_timeout_s, epilog_s, out);
}

static void judge_start(const char *key, uint32_t limit_s, uint32_t bound_s, const char *consequence,
                        struct ce_findings *out)
{
    if (limit_s >= bound_s)
        ce_findings_add(out, CE_PASS, "", "%s: %u s", key, limit_s);
    else
        ce_findings_add(out, CE_FAIL, "", "%s=%u: %s, a prolog may take %u s", key, limit_s,
                        consequence, bound_s);
}

static void judge_batch_start(const struct ce_install *install, struct ce_findings *out)
{
    if (is_known(install, out))
        judge_start("BatchStartTimeout", conf_of(install)->batch_start_timeout_s,
                    prolog_bound(&install->config.policy), "slurmctld takes the job for lost", out);
}

static void judge_message_timeout(const struct ce_install *install, struct ce_findings *out)
{
    if (is_known(install, out))
        judge_start("MessageTimeout", conf_of(install)->message_timeout_s,
                    prolog_bound(&install->config.policy), "srun says 'Prolog hung'", out);
}

const struct ce_doctor_row ce_doctor_slurm_rows[] = {
    {"slurm.helper", true, "install the plugin's package for this Slurm, which has slurm-node",
     judge_helper},
    {"slurm.controller", true, "look at 'scontrol ping'", judge_controller},
    {"slurm.conf", true, "bring slurm.conf to every node, then 'scontrol reconfigure'", judge_same},
    {"slurm.prolog", true, "Prolog=/usr/sbin/cluster-prolog in slurm.conf", judge_prolog},
    {"slurm.epilog", true, "Epilog=/usr/sbin/cluster-epilog in slurm.conf", judge_epilog},
    {"slurm.alloc", true, "PrologFlags=Alloc,DeferBatch in slurm.conf", judge_alloc},
    {"slurm.defer_batch", true, "PrologFlags=Alloc,DeferBatch in slurm.conf", judge_defer_batch},
    {"slurm.serial", true, "take Serial out of PrologFlags in slurm.conf", judge_serial},
    {"slurm.no_hold", true, "SchedulerParameters=nohold_on_prolog_fail in slurm.conf", judge_no_hold},
    {"slurm.requeue", true, "JobRequeue=1 in slurm.conf", judge_requeue},
    {"slurm.timeout", true, "take it out of slurm.conf, or make it greater than the bound",
     judge_timeout},
    {"slurm.batch_start", true, "make it greater in slurm.conf", judge_batch_start},
    {"slurm.message_timeout", true, "make it greater in slurm.conf", judge_message_timeout},
};
const size_t ce_doctor_slurm_row_count = sizeof ce_doctor_slurm_rows / sizeof *ce_doctor_slurm_rows;

/* SPDX-License-Identifier: Apache-2.0 */
/* The rows about slurm.conf. */
#include "right.h"

#define FILE_CONF in->file.conf
#define CTL in->controller.conf
#define BOTH(member, value) (FILE_CONF.member = (value), CTL.member = (value))
#define PREFLIGHT(seconds)                                                                             \
    (in->config.policy.preflight.mode = CE_PREFLIGHT_NETWORK,                                          \
     in->config.policy.preflight.deadline_s = (seconds))
#define PROGRAM in->prolog.items[0]

static void forget(struct ce_install *in)
{
    in->file.known = in->controller.known = false;
    snprintf(in->file.why, sizeof in->file.why, "slurm-node: no such file");
}

static void forget_controller(struct ce_install *in)
{
    in->controller.known = false;
}

static void set_versions(struct ce_install *in, uint32_t version)
{
    in->slurm_version = version;
    BOTH(version, version);
}

static void add_file(struct ce_install *in, const char *path, enum ce_install_runs runs)
{
    struct ce_install_program *item = &in->prolog.items[in->prolog.count++];
    *item = in->prolog.items[0];
    item->runs = runs;
    snprintf(item->path, sizeof item->path, "%s", path);
}

#define UNKNOWN_CONF "unknown Slurm's configuration is not known: mend slurm.helper first"

#define CASES(X)                                                                                       \
    X(helper_of_this_slurm, "slurm.helper", "pass slurm-node is of Slurm 24.11, as is sinfo", )        \
    X(helper_of_another, "slurm.helper", "fail slurm-node is of Slurm 24.11, sinfo of 25.05.1",        \
      in->slurm_version = 0x190501)                                                                    \
    X(helper_without_sinfo, "slurm.helper", "pass slurm-node is of Slurm 24.11",                       \
      in->slurm_version = 0)                                                                           \
    X(helper_not_there, "slurm.helper", "fail slurm-node: no such file", forget(in))                   \
    X(controller_answers, "slurm.controller", "pass slurmctld answers", )                              \
    X(controller_down, "slurm.controller",                                                             \
      "unknown slurmctld does not answer, /etc/slurm/slurm.conf alone is looked at",                   \
      forget_controller(in))                                                                           \
    X(controller_not_asked, "slurm.controller",                                                     \
      "unknown slurmctld was not asked: mend slurm.helper first", forget(in))                          \
    X(conf_the_same, "slurm.conf", "pass slurmctld has what /etc/slurm/slurm.conf says", )             \
    X(conf_with_another_flag, "slurm.conf",                                                            \
      "fail slurmctld has another PrologFlags than /etc/slurm/slurm.conf", CTL.serial = true)          \
    X(conf_with_another_prolog, "slurm.conf",                                                          \
      "fail slurmctld has another Prolog than /etc/slurm/slurm.conf",                                  \
      set_programs(&CTL.prolog, "/bin/true"))                                                          \
    X(conf_without_a_prolog, "slurm.conf",                                                             \
      "fail slurmctld has another Epilog than /etc/slurm/slurm.conf", CTL.epilog.count = 0)            \
    X(conf_with_another_time, "slurm.conf",                                                            \
      "fail slurmctld has another MessageTimeout than /etc/slurm/slurm.conf",                          \
      CTL.message_timeout_s = 60)                                                                      \
    X(conf_not_compared, "slurm.conf", "skip slurmctld and slurm.conf could not be compared",          \
      forget_controller(in))                                                                           \
    X(prolog_is_ours, "slurm.prolog", "pass /usr/sbin/cluster-prolog", )                               \
    X(prolog_not_set, "slurm.prolog", "fail Prolog is not set", BOTH(prolog.count, 0))                 \
    X(prolog_of_others, "slurm.prolog", "fail /usr/sbin/cluster-prolog does not run cluster-prolog",   \
      PROGRAM.runs = CE_RUNS_OTHER)                                                                    \
    X(prolog_among_others, "slurm.prolog", "pass /usr/sbin/cluster-prolog",                            \
      add_file(in, "/etc/slurm/prolog.d/10-quota", CE_RUNS_OTHER))                                     \
    X(prolog_beside_one_that_is_gone, "slurm.prolog",                                                  \
      "fail /a is not there: Slurm drains the node",                                                   \
      add_file(in, "/a", CE_RUNS_UNKNOWN); in->prolog.items[1].there = false)                          \
    X(prolog_pattern_without_a_file, "slurm.prolog",                                                   \
      "fail /usr/sbin/*.sh fits no file: Slurm drains every node",                                     \
      set_files(&in->prolog, "/usr/sbin/*.sh"); PROGRAM.there = false)                                 \
    X(prolog_not_executable, "slurm.prolog",                                                           \
      "fail /usr/sbin/cluster-prolog cannot be run: Slurm drains the node", PROGRAM.executable = false) \
    X(prolog_a_folder, "slurm.prolog",                                                                 \
      "fail /usr/sbin/cluster-prolog cannot be run: Slurm drains the node", PROGRAM.regular = false)   \
    X(prolog_of_others_hands, "slurm.prolog",                                                          \
      "fail /usr/sbin/cluster-prolog is run by root, and others may write it", PROGRAM.safe = false)   \
    X(prolog_that_root_alone_sees, "slurm.prolog",                                                     \
      "unknown /usr/sbin/cluster-prolog: only root may look at it", PROGRAM.hidden = true)             \
    X(prolog_that_cannot_be_read, "slurm.prolog", "unknown whether cluster-prolog is run cannot be seen", \
      PROGRAM.runs = CE_RUNS_UNKNOWN)                                                                  \
    X(prolog_not_looked_at, "slurm.prolog", "unknown Prolog could not be looked at",                   \
      in->prolog.count = 0)                                                                            \
    X(prolog_of_a_head_node, "slurm.prolog", "pass /usr/sbin/cluster-prolog",                          \
      in->role = CE_ROLE_HEAD; PROGRAM.there = false)                                                  \
    X(prolog_folder_of_a_head_node, "slurm.prolog",                                                    \
      "skip what /etc/slurm/prolog.d/* runs is seen on a compute node",                                \
      in->role = CE_ROLE_HEAD; set_programs(&CTL.prolog, "/etc/slurm/prolog.d/*"))                     \
    X(prolog_unknown, "slurm.prolog", UNKNOWN_CONF, forget(in))                                        \
    X(prolog_as_slurmd_has_it, "slurm.prolog", "fail Prolog is not set", FILE_CONF.prolog.count = 0)   \
    X(epilog_is_ours, "slurm.epilog", "pass /usr/sbin/cluster-epilog", )                               \
    X(epilog_not_set, "slurm.epilog", "fail Epilog is not set", BOTH(epilog.count, 0))                 \
    X(epilog_unknown, "slurm.epilog", UNKNOWN_CONF, forget(in))                                        \
    X(alloc, "slurm.alloc", "pass PrologFlags: Alloc", )                                               \
    X(no_alloc, "slurm.alloc", "fail PrologFlags: Alloc is missing", CTL.alloc = false)                \
    X(no_alloc_in_the_file_alone, "slurm.alloc", "fail PrologFlags: Alloc is missing",                 \
      forget_controller(in); FILE_CONF.alloc = false)                                                  \
    X(alloc_unknown, "slurm.alloc", UNKNOWN_CONF, forget(in))                                          \
    X(defer_batch, "slurm.defer_batch", "pass PrologFlags: DeferBatch", )                              \
    X(no_defer_batch, "slurm.defer_batch", "fail PrologFlags: DeferBatch is missing",                  \
      CTL.defer_batch = false)                                                                         \
    X(defer_batch_unknown, "slurm.defer_batch", UNKNOWN_CONF, forget(in))                              \
    X(not_serial, "slurm.serial", "pass PrologFlags: not Serial", )                                    \
    X(serial, "slurm.serial",                                                                          \
      "fail PrologFlags: Serial, so jobs of one node wait for each other", CTL.serial = true)          \
    X(serial_unknown, "slurm.serial", UNKNOWN_CONF, forget(in))                                        \
    X(no_hold, "slurm.no_hold", "pass nohold_on_prolog_fail, for slurmctld", )                         \
    X(hold, "slurm.no_hold",                                                                           \
      "fail nohold_on_prolog_fail, which slurmctld reads, is missing: requeued jobs are held",         \
      CTL.no_hold = false)                                                                             \
    X(hold_where_slurmd_does_not_look, "slurm.no_hold", "pass nohold_on_prolog_fail, for slurmctld",   \
      FILE_CONF.no_hold = false)                                                                       \
    X(hold_by_slurmd, "slurm.no_hold",                                                                 \
      "fail nohold_on_prolog_fail, which slurmd reads, is missing: requeued jobs are held",            \
      set_versions(in, 0x160508); FILE_CONF.no_hold = false)                                           \
    X(hold_where_slurmctld_does_not_look, "slurm.no_hold", "pass nohold_on_prolog_fail, for slurmd",   \
      set_versions(in, 0x160508); CTL.no_hold = false)                                                 \
    X(hold_in_between, "slurm.no_hold",                                                                \
      "fail nohold_on_prolog_fail, which slurmd or slurmctld reads, is missing: requeued jobs are held", \
      set_versions(in, 0x170b00); FILE_CONF.no_hold = false)                                           \
    X(no_hold_unknown, "slurm.no_hold", UNKNOWN_CONF, forget(in))                                      \
    X(requeue, "slurm.requeue", "pass JobRequeue=1", )                                                 \
    X(no_requeue, "slurm.requeue",                                                                     \
      "fail JobRequeue=0: a job whose node is found sick ends, and does not start on another",         \
      CTL.requeue = false)                                                                             \
    X(requeue_unknown, "slurm.requeue", UNKNOWN_CONF, forget(in))                                      \
    X(no_timeout, "slurm.timeout", "pass PrologEpilogTimeout: none, the bound is 30 s", )              \
    X(timeout_above, "slurm.timeout", "pass PrologEpilogTimeout: 31 s, the bound is 30 s",             \
      BOTH(prolog_timeout_s, 31); BOTH(epilog_timeout_s, 31))                                          \
    X(timeout_at_the_bound, "slurm.timeout",                                                           \
      "fail PrologEpilogTimeout=30: Slurm kills it and drains the node, it may take 30 s",             \
      BOTH(prolog_timeout_s, 30); BOTH(epilog_timeout_s, 30))                                          \
    X(timeouts_of_their_own, "slurm.timeout",                                                          \
      "pass PrologTimeout: 11 s, the bound is 10 s\n"                                                  \
      "fail EpilogTimeout=20: Slurm kills it and drains the node, it may take 30 s",                   \
      BOTH(prolog_timeout_s, 11); BOTH(epilog_timeout_s, 20))                                          \
    X(timeout_of_a_patient_site, "slurm.timeout",                                                      \
      "fail PrologEpilogTimeout=60: Slurm kills it and drains the node, it may take 80 s",             \
      in->config.policy.deadline_s = 60; BOTH(prolog_timeout_s, 60); BOTH(epilog_timeout_s, 60))       \
    X(timeout_with_a_preflight, "slurm.timeout",                                                       \
      "fail PrologEpilogTimeout=35: Slurm kills it and drains the node, it may take 43 s",             \
      PREFLIGHT(25); BOTH(prolog_timeout_s, 35); BOTH(epilog_timeout_s, 35))                           \
    X(timeout_with_a_short_preflight, "slurm.timeout", "pass PrologEpilogTimeout: none, the bound is 30 s", \
      PREFLIGHT(4))                                                                                    \
    X(timeouts_of_their_own_with_a_preflight, "slurm.timeout",                                         \
      "fail PrologTimeout=28: Slurm kills it and drains the node, it may take 28 s\n"                  \
      "pass EpilogTimeout: 31 s, the bound is 30 s",                                                   \
      PREFLIGHT(10); BOTH(prolog_timeout_s, 28); BOTH(epilog_timeout_s, 31))                           \
    X(timeout_unknown, "slurm.timeout", UNKNOWN_CONF, forget(in))                                      \
    X(batch_start, "slurm.batch_start", "pass BatchStartTimeout: 10 s", )                              \
    X(batch_start_too_soon, "slurm.batch_start",                                                       \
      "fail BatchStartTimeout=9: slurmctld takes the job for lost, a prolog may take 10 s",            \
      CTL.batch_start_timeout_s = 9)                                                                   \
    X(batch_start_with_a_preflight, "slurm.batch_start",                                               \
      "fail BatchStartTimeout=27: slurmctld takes the job for lost, a prolog may take 28 s",           \
      PREFLIGHT(10); CTL.batch_start_timeout_s = 27)                                                   \
    X(batch_start_unknown, "slurm.batch_start", UNKNOWN_CONF, forget(in))                              \
    X(message_timeout, "slurm.message_timeout", "pass MessageTimeout: 10 s", )                         \
    X(message_timeout_too_short, "slurm.message_timeout",                                              \
      "fail MessageTimeout=5: srun says 'Prolog hung', a prolog may take 10 s",                        \
      CTL.message_timeout_s = 5)                                                                       \
    X(message_timeout_with_a_preflight, "slurm.message_timeout",                                       \
      "fail MessageTimeout=10: srun says 'Prolog hung', a prolog may take 28 s", PREFLIGHT(10))        \
    X(message_timeout_of_a_patient_site, "slurm.message_timeout", "pass MessageTimeout: 28 s",         \
      PREFLIGHT(10); CTL.message_timeout_s = 28)                                                       \
    X(message_timeout_unknown, "slurm.message_timeout", UNKNOWN_CONF, forget(in))

CASES(CASE_CHANGE)
static const struct case_row rows[] = {CASES(CASE_ROW)};

int main(void)
{
    UNIT_TABLE(rows, judge_case);
    return UNIT_RUN("slurm rows");
}

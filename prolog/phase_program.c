/* SPDX-License-Identifier: Apache-2.0 */
#include "phase_program.h"

#include <config.h>

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "checks/check.h"
#include "health/drain.h"
#include "health/journal.h"
#include "health/phase.h"
#include "health/recover.h"
#include "health/refused_jobs.h"
#include "health/told.h"
#include "local/texts.h"
#include "model/hostlist.h"
#include "preflight/preflight.h"
#include "report/findings.h"

/* For each second of the deadline: all probes side by side, then slurmctld, and something is left for
 * last words.  10 s by default: what Slurm's own defaults grant (MessageTimeout,
 * BatchStartTimeout). */
enum { PROBE_MS = 350, DRAIN_MS = 300, REQUEUE_MS = 100, ALL_MS = 900 };
/* Nobody waits for an epilog like that: it has the time that leftovers take at most, and NVML's answers
 * meanwhile. */
enum { LEFTOVERS_MS = CE_POLICY_LEFTOVERS_S * 1000 };
enum { CONF_MS = 2000, REPORT_MS = 1000, LAST_MS = 500, LAST_REPORT_MS = 250, WORDS_MAX = 64 << 10, MORE_MAX = 64 };

/* How often a job that waits for nodes that do not come is requeued: where they never do, it should start as
 * it would without us. */
enum { RESTARTS_MAX = 2 };

/* Shared with the child. */
struct run {
    const char *name;
    unsigned phase;
    const char *node_name; /* in Slurm; NULL: not told */
    uint32_t job;
    struct ce_policy policy;    /* the last one, until the configuration was read */
    uint64_t began;
    struct ce_slurm_job slurm;
    struct ce_error last_words; /* of the parent, where the child had none */
    enum ce_done done;
    bool faulty;                /* set before the node is drained: from here on the status is 1 */
    bool reported;
    struct ce_told *told; /* of a run that comes again and again; NULL: all is news */
    /* Of the preflight, which is a child of its own: the first one sets what it starts from. */
    const char *node_list; /* of the job; NULL: not told */
    bool preflight;        /* is it to be run? */
    char checked_name[256], boot_id[64];
};

/* ---------------------------------------------------------------- where it runs */

/* slurmd's own word, but it stands among others that are the user's. */
static char *node_name(void)
{
    const char *name = getenv("SLURMD_NODENAME");
    size_t length = name ? ce_hostname_span(name) : 0;
    return length > 0 && !name[length] && length < 256 ? strdup(name) : NULL;
}

static const char *get_variable(void *ctx, const char *name)
{
    (void)ctx;
    return getenv(name);
}

/* SPANK_* and much of SLURM_* is the user's text: no child of ours gets it.  slurm.conf may be
 * elsewhere than usual. */
static int forget_environment(void)
{
    const char *conf = getenv("SLURM_CONF");
    char *kept = conf ? strdup(conf) : NULL;
    return clearenv() || (conf && (!kept || setenv("SLURM_CONF", kept, 1) < 0)) ? -1 : 0;
}

/* What is opened next must not become stderr. */
static void open_standard_files(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd > STDERR_FILENO)
        close(fd);
}

/* ---------------------------------------------------------------- words */

enum { LINE = 1024 };

/* A line for syslog, and for slurmd's log, which has what we print. */
static void say(const struct run *run, int priority, const char *line)
{
    dprintf(STDOUT_FILENO, "%s: job %u: %s\n", run->name, run->job, line);
    syslog(priority, "job %u: %s", run->job, line);
}

static bool is_news(const struct run *run, const char *thing, const char *words)
{
    return !run->told || ce_told_is_news(run->told, thing, words);
}

/* How it is: said where that is news. */
__attribute__((format(printf, 3, 4))) static void
tell_syslog(const struct run *run, int priority, const char *format, ...)
{
    char line[LINE];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (is_news(run, line, ""))
        say(run, priority, line);
}

/* What happened: always said. */
__attribute__((format(printf, 3, 4))) static void
tell_event(const struct run *run, int priority, const char *format, ...)
{
    char line[LINE];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    say(run, priority, line);
}

static void tell_finding(const struct run *run, const struct ce_findings *findings, size_t index)
{
    const struct ce_finding *finding = &findings->items[index];
    ce_autotext struct ce_text more = CE_TEXT(MORE_MAX);
    char thing[LINE];
    snprintf(thing, sizeof thing, "%s: %s [%s]", ce_verdict_name(finding->verdict), finding->subject,
             finding->check);
    if (!is_news(run, thing, finding->text))
        return;
    ce_report_echoes(findings, index, &more);
    tell_event(run, LOG_WARNING, "%s: %s%s%s%s [%s]", ce_verdict_name(finding->verdict),
               finding->subject, finding->subject[0] ? " " : "", finding->text,
               ce_text_string(&more), finding->check);
}

/* Those to be drained for are in the reason. */
static void tell_findings(const struct run *run, const struct ce_phase_result *result)
{
    for (size_t i = 0; i < result->findings.count; i++) {
        if (result->findings.items[i].response == CE_TELL && !ce_report_is_echo(&result->findings, i))
            tell_finding(run, &result->findings, i);
    }
    for (size_t i = 0; i < result->notes.count; i++)
        if (is_news(run, "", result->notes.line[i].text))
            tell_event(run, LOG_NOTICE, "%s", result->notes.line[i].text);
}

/* ---------------------------------------------------------------- reports */

/* error: why the result says nothing; NULL: it does. */
static void report(struct run *run, const struct ce_phase_result *result, const char *error,
                   unsigned deadline_ms)
{
    struct ce_error err;
    const unsigned took_ms = ce_clock_ms_since(run->began);
    const struct ce_run told = {
        .phase = run->preflight ? ce_phase_name(CE_PREFLIGHT) : run->name + strlen("cluster-"),
        .node = run->node_name ? run->node_name : result->node_name,
        .boot_id = result->boot_id,
        .mode = error ? NULL : ce_mode_name(result->policy.mode),
        .job = run->job,
        .began = time(NULL) - took_ms / 1000,
        .took_ms = took_ms,
        .error = error,
        .misconfigured = error && result->misconfigured,
        .reason = result->reason.text,
        .done = run->done,
        .equipment = result->equipment,
        .findings = &result->findings,
        .notes = &result->notes,
    };
    run->reported = true;
    if (ce_journal_keep(&told, &run->policy, deadline_ms, &err) < 0)
        tell_syslog(run, LOG_NOTICE, "%s", err.text);
}

/* ---------------------------------------------------------------- in the child */

/* What became of the node, in words; `%s` is what was found. */
static void tell_change(const struct run *run, enum ce_change change, const char *reason)
{
    switch (change) {
    case CE_CHANGED:
        tell_event(run, LOG_ERR, "this node is drained: %s", reason);
        break;
    case CE_CHANGE_NOT_OURS:
        tell_syslog(run, LOG_ERR, "this node is drained already, and keeps its reason: %s", reason);
        break;
    case CE_CHANGE_HELD_BACK:
        tell_syslog(run, LOG_CRIT, "max_drained is reached, this node STAYS IN SERVICE with: %s", reason);
        break;
    case CE_CHANGE_FAILED:
        if (run->faulty)
            tell_syslog(run, LOG_ERR, "this node is drained: %s", reason);
        else
            tell_syslog(run, LOG_ERR, "this node could not be drained: %s", reason);
        break;
    }
}

/* slurmctld may be asked by all nodes of a job at once: it has what the probes left of their time, too;
 * in whole seconds, for people. */
static unsigned drain_ms(const struct run *run)
{
    const unsigned probes = PROBE_MS * run->policy.deadline_s,
                   used = (unsigned)ce_clock_ms_since(run->began),
                   left = used < probes ? probes - used : 0;
    return DRAIN_MS * run->policy.deadline_s + left - left % 1000;
}

/* A slurmctld that is slow has what is left, but for the report. */
static unsigned refuse_ms(const struct run *run)
{
    const unsigned all = (ALL_MS - REQUEUE_MS) * run->policy.deadline_s, least = REQUEUE_MS * run->policy.deadline_s,
                   used = (unsigned)ce_clock_ms_since(run->began);
    return used + least < all ? all - used : least;
}

static void refuse_job(const struct run *run, const struct ce_phase_result *result)
{
    struct ce_error words, err;
    ce_fail(&words, "%s is drained, so this job ends before it began; start it again: %s", result->node_name,
            result->reason.text);
    if (ce_refuse_job(CE_HELPER_DIR, run->job, words.text, refuse_ms(run), &err) == CE_CHANGE_FAILED)
        tell_syslog(run, LOG_NOTICE, "%s", err.text);
}

/* Slurm may start the job's tasks before it has ended the job, so the plugin has to know.  This comes first,
 * because what follows takes time and may hang. */
static void keep_from_starting(const struct run *run, struct ce_phase_result *result)
{
    struct ce_refused_job refused = {.job = run->job, .restarts = run->slurm.restarts, .reason = result->reason};
    struct ce_error err;
    if (run->phase != CE_PROLOG || !run->job || !result->reason.text[0] || result->policy.mode == CE_MODE_OBSERVE)
        return;
    memcpy(refused.boot_id, result->boot_id, sizeof refused.boot_id);
    if (ce_refused_jobs_keep(CE_RUN_DIR, &refused, &err) < 0)
        ce_note(&result->notes, "tasks of this job may start here before Slurm ends it: %.300s", err.text);
}

/* The node stays in service, so the job may run. */
static void let_start(const struct run *run)
{
    struct ce_error err;
    if (run->phase == CE_PROLOG && run->job && ce_refused_jobs_forget(CE_RUN_DIR, run->job, &err) < 0)
        tell_syslog(run, LOG_ERR, "%s", err.text);
}

/* Where slurmctld does not answer, the exit status drains the node all the same, without the
 * reason; that of a health check is nobody's. */
static void drain(struct run *run, struct ce_phase_result *result)
{
    const struct ce_guard_limit limit = {result->policy.max_drained,
                                         result->policy.max_drained_hours};
    struct ce_error err;
    run->faulty = run->phase != CE_MANUAL;
    run->done = run->faulty ? CE_DONE_DRAINED : CE_DONE_NOTHING;
    enum ce_change change = ce_drain_node(CE_HELPER_DIR, result->node_name, result->reason.text,
                                          &limit, drain_ms(run), &err);
    result->held_back = change == CE_CHANGE_HELD_BACK;
    run->faulty &= !result->held_back;
    if (result->held_back)
        let_start(run);
    if (change != CE_CHANGE_FAILED)
        run->done = result->held_back ? CE_DONE_HELD_BACK : CE_DONE_DRAINED;
    tell_change(run, change, result->reason.text);
    if (change == CE_CHANGE_FAILED) {
        ce_fail_in(&err, "the reason could not be set");
        tell_syslog(run, LOG_ERR, "%s", err.text);
    }
    if (change == CE_CHANGED && ce_recover_drained(CE_RUN_DIR, result, &err) < 0)
        tell_syslog(run, LOG_WARNING, "this node will not come back by itself: %s", err.text);
    if (run->phase == CE_PROLOG && run->job && run->faulty && change != CE_CHANGE_FAILED)
        refuse_job(run, result);
}

/* The checks of a health check found nothing to drain for, or what this node is drained for. */
static void recover(const struct run *run, const struct ce_phase_result *result)
{
    struct ce_error reason = {""}, err;
    if (run->phase != CE_MANUAL || result->policy.mode != CE_MODE_DRAIN ||
        result->policy.recover != CE_RECOVER_ON)
        return;
    switch (ce_recover_look(CE_RUN_DIR, CE_HELPER_DIR, result,
                            DRAIN_MS * run->policy.deadline_s, &reason, &err)) {
    case CE_RECOVER_NOTHING:
        break;
    case CE_RECOVER_BACK:
        tell_event(run, LOG_NOTICE, "this node is well, and in service again after: %s", reason.text);
        break;
    case CE_RECOVER_ENOUGH:
        tell_syslog(run, LOG_WARNING, "this node came back twice within a day, and stays drained for: %s", reason.text);
        break;
    case CE_RECOVER_TAKEN:
        tell_event(run, LOG_NOTICE, "this node is well, but no more drained by us for: %s", reason.text);
        break;
    case CE_RECOVER_FAILED:
        tell_syslog(run, LOG_WARNING, "this node does not come back by itself now: %s", err.text);
        break;
    }
}

static void answer(struct run *run, struct ce_phase_result *result)
{
    const char *reason = result->reason.text;
    if (reason[0] && result->policy.mode == CE_MODE_OBSERVE) {
        run->done = CE_DONE_OBSERVED;
        tell_syslog(run, LOG_WARNING, "mode = \"observe\", else this node would be drained: %s", reason);
    } else if (reason[0])
        drain(run, result);
    recover(run, result);
}

/* Also of a node with a fault: the others need not wait for it. */
static bool wants_preflight(struct run *run, const struct ce_phase_result *result)
{
    snprintf(run->checked_name, sizeof run->checked_name, "%s", result->node_name);
    snprintf(run->boot_id, sizeof run->boot_id, "%s", result->boot_id);
    return run->phase == CE_PROLOG && run->job && result->policy.preflight.mode != CE_PREFLIGHT_OFF &&
           ce_preflight_is_gang(run->node_list);
}

static void check_node(struct run *run)
{
    const struct ce_phase what = {
        .phase = run->phase,
        .machine = {.root = "/",
                    .helpers = CE_HELPER_DIR,
                    .run_dir = CE_RUN_DIR,
                    .deadline_ms = PROBE_MS * run->policy.deadline_s},
        .node_name = run->node_name,
        .job = run->job,
        .slurm = run->slurm,
        .keep = run->phase == CE_PROLOG,
    };
    ce_autophase struct ce_phase_result result;
    struct ce_error err;
    if (ce_phase_run(&what, &result, &err) < 0) {
        ce_fail_in(&err, "not checked");
        tell_syslog(run, LOG_ERR, "%s", err.text);
        report(run, &result, err.text, REPORT_MS);
        return;
    }
    run->policy = result.policy;
    keep_from_starting(run, &result);
    tell_findings(run, &result);
    answer(run, &result);
    report(run, &result, NULL, REPORT_MS);
    run->preflight = wants_preflight(run, &result);
}

/* A health check comes every few minutes. */
static int run_phase(void *ctx)
{
    struct run *run = ctx;
    struct ce_told told;
    openlog(run->name, LOG_PID, LOG_DAEMON);
    if (run->phase == CE_MANUAL) {
        ce_told_load(CE_RUN_DIR, &told);
        run->told = &told;
    }
    check_node(run);
    if (run->told)
        ce_told_store(CE_RUN_DIR, &told, NULL);
    run->told = NULL;
    return 0;
}

/* ---------------------------------------------------------------- the preflight, in a child of its own */

/* Nodes that do not come hold the job up, and nobody else tells Slurm. */
static void requeue_held_up(const struct run *run, const struct ce_gang *gang)
{
    enum ce_change change;
    struct ce_error err;
    if (!gang->requeue || run->faulty)
        return;
    if (run->policy.mode == CE_MODE_OBSERVE)
        tell_syslog(run, LOG_WARNING, "mode = \"observe\", else this job would be requeued: not all of its nodes came to the preflight");
    else if (run->slurm.restarts >= RESTARTS_MAX)
        tell_syslog(run, LOG_WARNING, "this job is not requeued once more: not all of its nodes came to the preflight");
    else if ((change = ce_requeue_job(CE_HELPER_DIR, run->job, REQUEUE_MS * run->policy.deadline_s, &err)) == CE_CHANGED)
        tell_syslog(run, LOG_WARNING, "this job is requeued: not all of its nodes came to the preflight");
    else if (change == CE_CHANGE_NOT_OURS)
        tell_syslog(run, LOG_WARNING, "this job cannot be requeued, it starts: not all of its nodes came to the preflight");
    else
        tell_syslog(run, LOG_WARNING, "%s", err.text);
}

static int run_preflight(void *ctx)
{
    struct run *run = ctx;
    const struct ce_preflight what = {
        .helpers = CE_HELPER_DIR,
        .run_dir = CE_RUN_DIR,
        .job = run->job,
        .node_list = run->node_list,
        .node_name = run->checked_name,
        .whole = run->slurm.share == CE_SHARE_NODE,
        .out = run->faulty,
        .policy = &run->policy.preflight,
    };
    ce_autophase struct ce_phase_result result = {.policy = run->policy};
    ce_autopreflight struct ce_preflight_found found;
    struct ce_error unknown = {""}, err;
    openlog(run->name, LOG_PID, LOG_DAEMON);
    snprintf(result.node_name, sizeof result.node_name, "%s", run->checked_name);
    snprintf(result.boot_id, sizeof result.boot_id, "%s", run->boot_id);
    int failed = ce_preflight_run(&what, &found, &result.notes, &unknown);
    run->reported = what.out;
    if (what.out)
        return 0;
    if (ce_phase_judge_gang(failed ? NULL : &found.gang, found.nodes, unknown.text, &result, &err) < 0) {
        tell_syslog(run, LOG_ERR, "%s", err.text);
        return 0;
    }
    keep_from_starting(run, &result);
    tell_findings(run, &result);
    answer(run, &result);
    if (!failed)
        requeue_held_up(run, &found.gang);
    report(run, &result, NULL, REPORT_MS);
    return 0;
}

/* How long it may take: who is told a fault drains itself after it. */
static unsigned preflight_ms(const struct ce_policy *policy)
{
    return policy->preflight.deadline_s * 1000 + CONF_MS + (ALL_MS - PROBE_MS) * policy->deadline_s;
}

/* ---------------------------------------------------------------- in the parent */

static int say_last_words(void *ctx)
{
    struct run *run = ctx;
    const struct ce_phase_result nothing = {.node_name = ""};
    if (!run->reported)
        report(run, &nothing, run->last_words.text, LAST_REPORT_MS);
    openlog(run->name, LOG_PID, LOG_DAEMON);
    tell_syslog(run, LOG_ERR, "%s", run->last_words.text);
    return 0;
}

static void run_child(struct run *run, int (*body)(void *), unsigned deadline_ms,
                      struct ce_error *err)
{
    struct ce_child child = {
        .body = body, .ctx = run, .deadline_ms = deadline_ms, .output_max = WORDS_MAX};
    err->text[0] = '\0';
    ce_children_run(&child, 1, &(struct ce_children_plan){.at_once = 1});
    if (ce_child_check(&child, err) < 0) {
        if (run->faulty)
            ce_fail_in(err, "the reason could not be set");
        else
            ce_fail_in(err, "not checked");
    }
    fputs(ce_text_string(&child.output), stderr);
    ce_child_free(&child);
}

/* As the last prolog, or the boot, wrote it down: the configuration itself may be on a file system
 * that hangs. */
static void read_policy(struct ce_policy *ret)
{
    ce_autotext struct ce_text text = CE_TEXT(CE_TEXT_MAX);
    ce_policy_default(ret);
    if (ce_file_read(AT_FDCWD, CE_RUN_DIR "/" CE_POLICY_FILE, CE_TRUST_OWNER, &text, NULL) == CE_READ_OK)
        ce_policy_parse(ce_text_string(&text), ret, NULL);
}

/* The child ended before it drained the node, so the job runs, whatever the child had found. */
static void keep_in_step(const struct run *run)
{
    if (run->phase == CE_PROLOG && run->job && run->last_words.text[0] && !run->faulty)
        ce_refused_jobs_forget(CE_RUN_DIR, run->job, NULL);
}

int ce_phase_program(const char *name, unsigned phase)
{
    struct ce_error err;
    const struct ce_environ env = {.get = get_variable};
    ce_autofree char *node = node_name();
    ce_autofree char *node_list = NULL;
    open_standard_files();
    signal(SIGPIPE, SIG_IGN); /* slurmd may not listen, and death would be a fault */
    struct run *run = mmap(NULL, sizeof *run, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (run == MAP_FAILED)
        return 0;
    *run = (struct run){.name = name, .phase = phase, .node_name = node};
    const char *list = ce_slurm_job_nodes(&env);
    run->node_list = node_list = list ? strdup(list) : NULL;
    ce_slurm_job_read(&env, &run->slurm);
    run->job = run->slurm.id;
    run->began = ce_clock_ns();
    read_policy(&run->policy);
    if (forget_environment() < 0)
        return 0;
    if (phase == CE_PROLOG && run->job) /* an earlier run of a requeued job was refused here */
        ce_refused_jobs_forget(CE_RUN_DIR, run->job, NULL);
    run_child(run, run_phase, ALL_MS * run->policy.deadline_s + (phase == CE_EPILOG ? LEFTOVERS_MS : 0),
              &run->last_words);
    run->told = NULL; /* it was the child's */
    keep_in_step(run);
    if (run->last_words.text[0])
        run_child(run, say_last_words, LAST_MS, &err);
    else if (run->preflight) {
        run->reported = false;
        run->began = ce_clock_ns();
        run_child(run, run_preflight, preflight_ms(&run->policy), &run->last_words);
        keep_in_step(run);
        if (run->last_words.text[0])
            run_child(run, say_last_words, LAST_MS, &err);
    }
    return run->faulty;
}

int ce_phase_arguments(int argc, char **argv, const char *name, const char *doc)
{
    if (argc < 2)
        return -1;
    if (strcmp(argv[1], "--version") == 0)
        return printf("%s %s\n", name, PACKAGE_VERSION) < 0;
    bool help = strcmp(argv[1], "--help") == 0;
    dprintf(help ? STDOUT_FILENO : STDERR_FILENO,
            "Usage: %s\n%s\nSlurm runs it as root, without arguments; 'cluster-env check' is for "
            "people.\n",
            name, doc);
    return help ? 0 : 2;
}

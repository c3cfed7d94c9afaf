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
#include <unistd.h>

#include "base/child.h"
#include "checks/check.h"
#include "health/drain.h"
#include "health/phase.h"
#include "local/texts.h"
#include "model/hostlist.h"

/* Two rounds of probes, then slurmctld: in all less than the 10 s that Slurm's own defaults grant
 * (MessageTimeout, BatchStartTimeout).  Nobody waits for an epilog like that: it has the time that
 * leftovers take at most, and NVML's answers meanwhile. */
enum { PROBE_MS = 2500, DRAIN_MS = 3000, ALL_MS = 9000, LEFTOVERS_MS = 20000, SYSLOG_MS = 500, WORDS_MAX = 64 << 10 };

/* Shared with the child. */
struct run {
    const char *name;
    unsigned phase;
    const char *node_name; /* in Slurm; NULL: not told */
    uint32_t job;
    struct ce_slurm_job slurm;
    struct ce_error last_words; /* of the parent, where the child had none */
    bool faulty;                /* set before the node is drained: from here on the status is 1 */
};

/* ---------------------------------------------------------------- where it runs */

/* slurmd's own word, but it stands among others that are the user's. */
static const char *node_name(void)
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

/* A line for syslog, and for slurmd's log, which has what we print. */
__attribute__((format(printf, 3, 4))) static void
tell_syslog(const struct run *run, int priority, const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    dprintf(STDOUT_FILENO, "%s: job %u: %s\n", run->name, run->job, line);
    syslog(priority, "job %u: %s", run->job, line);
}

/* Those to be drained for are in the reason. */
static void tell_findings(const struct run *run, const struct ce_phase_result *result)
{
    for (size_t i = 0; i < result->findings.count; i++) {
        const struct ce_finding *finding = &result->findings.items[i];
        if (finding->response == CE_TELL)
            tell_syslog(run, LOG_WARNING, "%s: %s%s%s [%s]", ce_verdict_name(finding->verdict),
                finding->subject, finding->subject[0] ? " " : "", finding->text, finding->check);
    }
    for (size_t i = 0; i < result->notes.count; i++)
        tell_syslog(run, LOG_NOTICE, "%s", result->notes.line[i].text);
}

/* ---------------------------------------------------------------- in the child */

/* Where slurmctld does not answer, the exit status drains the node all the same, without the
 * reason. */
static void answer(struct run *run, const struct ce_phase_result *result)
{
    const char *reason = result->reason.text;
    struct ce_error err;
    if (!reason[0])
        return;
    if (result->policy.mode == CE_MODE_OBSERVE) {
        tell_syslog(run, LOG_WARNING, "mode = \"observe\", else this node would be drained: %s", reason);
        return;
    }
    run->faulty = true;
    tell_syslog(run, LOG_ERR, "this node is drained: %s", reason);
    if (ce_drain_node(CE_HELPER_DIR, result->node_name, reason, DRAIN_MS, &err) == 0)
        return;
    ce_fail_in(&err, "the reason could not be set");
    tell_syslog(run, LOG_ERR, "%s", err.text);
}

static int run_phase(void *ctx)
{
    struct run *run = ctx;
    const struct ce_phase what = {
        .phase = run->phase,
        .machine = {.root = "/",
                    .helpers = CE_HELPER_DIR,
                    .run_dir = CE_RUN_DIR,
                    .deadline_ms = PROBE_MS},
        .node_name = run->node_name,
        .job = run->job,
        .slurm = run->slurm,
        .keep = run->phase == CE_PROLOG,
    };
    ce_autophase struct ce_phase_result result;
    struct ce_error err;
    openlog(run->name, LOG_PID, LOG_DAEMON);
    if (ce_phase_run(&what, &result, &err) < 0) {
        ce_fail_in(&err, "not checked");
        tell_syslog(run, LOG_ERR, "%s", err.text);
        return 0;
    }
    tell_findings(run, &result);
    answer(run, &result);
    return 0;
}

/* ---------------------------------------------------------------- in the parent */

static int say_last_words(void *ctx)
{
    const struct run *run = ctx;
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

int ce_phase_program(const char *name, unsigned phase)
{
    struct ce_error err;
    open_standard_files();
    signal(SIGPIPE, SIG_IGN); /* slurmd may not listen, and death would be a fault */
    struct run *run =
        mmap(NULL, sizeof *run, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (run == MAP_FAILED)
        return 0;
    *run = (struct run){
        .name = name, .phase = phase, .node_name = node_name()};
    ce_slurm_job_read(&(struct ce_environ){.get = get_variable}, &run->slurm);
    run->job = run->slurm.id;
    if (forget_environment() < 0)
        return 0;
    run_child(run, run_phase, ALL_MS + (phase == CE_EPILOG ? LEFTOVERS_MS : 0), &run->last_words);
    if (run->last_words.text[0])
        run_child(run, say_last_words, SYSLOG_MS, &err);
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

/* SPDX-License-Identifier: Apache-2.0 */
#include "phase_program.h"

#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "base/parse.h"
#include "health/drain.h"
#include "health/phase.h"
#include "local/texts.h"
#include "model/hostlist.h"

enum { DRAIN_MS = 5000 };

/* Slurm's own, but everything in this environment may be the user's text. */
static const char *node_name(void)
{
    const char *name = getenv("SLURMD_NODENAME");
    size_t length = name ? ce_hostname_span(name) : 0;
    return length > 0 && !name[length] && length < 256 ? name : NULL;
}

static uint32_t job_id(void)
{
    const char *text = getenv("SLURM_JOB_ID");
    uint32_t id = 0;
    return text && ce_parse_u32(text, 1, UINT32_MAX, &id) == 0 ? id : 0;
}

static void tell_findings(const struct ce_phase_result *result)
{
    for (size_t i = 0; i < result->findings.count; i++) {
        const struct ce_finding *finding = &result->findings.items[i];
        if (finding->verdict > CE_SKIP && finding->response != CE_IGNORE)
            syslog(finding->verdict == CE_FAIL ? LOG_ERR : LOG_WARNING,
                   "job %u: %s: %s%s%s; %s [%s]", job_id(), ce_verdict_name(finding->verdict),
                   finding->subject, finding->subject[0] ? " " : "", finding->text, finding->remedy,
                   finding->check);
    }
    for (size_t i = 0; i < result->notes.count; i++)
        syslog(LOG_WARNING, "job %u: %s", job_id(), result->notes.line[i].text);
}

/* Where slurmctld does not answer the exit status drains the node all the same, without the reason.
 */
static int answer(const struct ce_phase_result *result)
{
    struct ce_error err;
    if (!result->reason.text[0])
        return 0;
    if (result->policy.mode == CE_MODE_OBSERVE) {
        syslog(LOG_WARNING, "job %u: would be drained, but mode = \"observe\": %s", job_id(),
               result->reason.text);
        return 0;
    }
    syslog(LOG_ERR, "job %u: drained: %s", job_id(), result->reason.text);
    fprintf(stderr, "%s\n", result->reason.text); /* slurmd logs it */
    if (ce_drain_node(CE_HELPER_DIR, result->node_name, result->reason.text, DRAIN_MS, &err) < 0)
        syslog(LOG_ERR, "job %u: the reason could not be set: %s", job_id(), err.text);
    return 1;
}

int ce_phase_program(const char *name, unsigned phase)
{
    const struct ce_phase what = {
        .phase = phase,
        .machine = {.root = "/", .helpers = CE_HELPER_DIR, .run_dir = CE_RUN_DIR},
        .node_name = node_name(),
        .job = job_id(),
        .keep = true,
    };
    ce_autophase struct ce_phase_result result;
    struct ce_error err;
    openlog(name, LOG_PID, LOG_DAEMON);
    if (ce_phase_run(&what, &result, &err) < 0) {
        syslog(LOG_ERR, "job %u: not checked: %s", job_id(), err.text);
        fprintf(stderr, "%s: not checked: %s\n", name, err.text);
        return 0;
    }
    tell_findings(&result);
    return answer(&result);
}

int ce_phase_arguments(int argc, char **argv, const char *name, const char *doc)
{
    if (argc < 2)
        return -1;
    if (strcmp(argv[1], "--version") == 0)
        return printf("%s %s\n", name, PACKAGE_VERSION) < 0;
    FILE *out = strcmp(argv[1], "--help") == 0 ? stdout : stderr;
    fprintf(out, "Usage: %s\n%s\nSlurm runs it as root; 'cluster-env check' is for people.\n", name,
            doc);
    return out == stdout ? 0 : 2;
}

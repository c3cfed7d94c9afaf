/* SPDX-License-Identifier: Apache-2.0 */
#include "health/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/append.h"
#include "base/child.h"
#include "base/cleanup.h"
#include "base/parse.h"
#include "base/replace.h"
#include "report/run.h"

enum { TEXT_MAX = 1 << 20, WORDS_MAX = 4096, LOG_MODE = 0640, METRICS_MODE = 0644, NAME = 64 };

struct journal {
    const struct ce_run *run;
    const struct ce_policy *policy;
};

static int add_line(const struct journal *journal, struct ce_error *err)
{
    ce_autotext struct ce_text line = CE_TEXT(TEXT_MAX);
    if (!journal->policy->log[0])
        return 0;
    if (ce_report_run_line(journal->run, &line) < 0 || !ce_text_ok(&line))
        return ce_fail(err, "no memory");
    return ce_file_append(journal->policy->log, ce_text_string(&line), LOG_MODE, err);
}

static int write_metrics(const struct journal *journal, struct ce_error *err)
{
    ce_autotext struct ce_text text = CE_TEXT(TEXT_MAX);
    const char *folder = journal->policy->metrics;
    char name[NAME], phase[NAME];
    if (!folder[0])
        return 0;
    ce_autoclose int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0 && errno == ENOENT && strcmp(folder, CE_POLICY_METRICS) == 0)
        return 0;
    if (dir < 0)
        return ce_fail(err, "%s: cannot open: %s", folder, strerror(errno));
    struct ce_run run = *journal->run;
    if (run.test && ce_fits(snprintf(phase, sizeof phase, "%s_%s", run.phase, run.test), sizeof phase))
        run.phase = phase;
    ce_report_run_metrics(&run, &text);
    if (!ce_text_ok(&text) ||
        !ce_fits(snprintf(name, sizeof name, "cluster_env_%s.prom", run.phase), sizeof name))
        return ce_fail(err, "no memory");
    return ce_file_refresh(dir, name, ce_text_string(&text), METRICS_MODE, err) < 0
               ? ce_fail_in(err, "%s", folder)
               : 0;
}

static int keep(void *ctx)
{
    struct ce_error err;
    int failed = 0;
    if (add_line(ctx, &err) < 0)
        failed = dprintf(STDERR_FILENO, "%s\n", err.text);
    if (write_metrics(ctx, &err) < 0)
        failed = dprintf(STDERR_FILENO, "%s\n", err.text);
    return failed != 0;
}

int ce_journal_keep(const struct ce_run *run, const struct ce_policy *policy, unsigned deadline_ms,
                    struct ce_error *err)
{
    struct journal journal = {run, policy};
    struct ce_child child = {
        .body = keep, .ctx = &journal, .deadline_ms = deadline_ms, .output_max = WORDS_MAX};
    ce_children_run(&child, 1, &(struct ce_children_plan){.at_once = 1});
    int failed = ce_child_check(&child, err);
    if (failed && child.end == CE_CHILD_EXITED && child.last_words[0])
        ce_fail(err, "%s", child.last_words);
    ce_child_free(&child);
    return failed ? ce_fail_in(err, "not all of this run is kept") : 0;
}

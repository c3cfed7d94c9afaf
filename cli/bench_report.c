/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_report.h"

#include <stdio.h>
#include <unistd.h>

#include "command.h"
#include "report/findings.h"
#include "terminal.h"

error_t ce_bench_take_keep(int key, enum ce_bench_keep *ret)
{
    if (key != CE_BENCH_KEY_REPORT && key != CE_BENCH_KEY_NO_REPORT)
        return ARGP_ERR_UNKNOWN;
    *ret = key == CE_BENCH_KEY_REPORT ? CE_BENCH_KEEP_YES : CE_BENCH_KEEP_NO;
    return 0;
}

static void add_text(const struct ce_bench_words *words, const char *reason, struct ce_text *out)
{
    ce_report_findings_text(words->findings, true, ce_terminal_colour(), ce_terminal_columns(), out);
    if (words->tables)
        words->tables(words->ctx, out);
    if (*reason)
        ce_text_addf(out, "reason to drain this node (by hand nobody does): %s\n", reason);
}

static void keep_run(const char *command, const struct ce_bench_run *run,
                     const struct ce_policy *policy, enum ce_bench_keep keep)
{
    struct ce_error err;
    bool wanted = keep == CE_BENCH_KEEP_YES || (keep == CE_BENCH_KEEP_ROOT && geteuid() == 0);
    if (wanted && ce_bench_run_keep(run, policy, &err) < 0)
        ce_complain(command, &err, 0);
}

int ce_bench_report(const struct ce_bench_run *run, const struct ce_policy *policy,
                    enum ce_bench_keep keep, const struct ce_bench_words *words)
{
    ce_autotext struct ce_text out = CE_TEXT(16 << 20), reason = CE_TEXT(1 << 16);
    char command[32];
    snprintf(command, sizeof command, "bench %s", run->test);
    ce_bench_run_reason(run->findings, &reason);
    if (!words->json)
        add_text(words, ce_text_string(&reason), &out);
    else if (words->json(words->ctx, reason.length ? ce_text_string(&reason) : NULL, &out) < 0)
        out.failed = true;
    if (run->findings->lost || words->findings->lost)
        out.failed = true;
    keep_run(command, run, policy, keep);
    int status = ce_print(command, &out);
    return status ? status : ce_findings_exit(words->findings);
}

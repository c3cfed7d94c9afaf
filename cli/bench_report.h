/* SPDX-License-Identifier: Apache-2.0 */
/* The end of every `cluster-env bench KIND`: its words, what stays of it, its exit status. */
#ifndef CE_CLI_BENCH_REPORT_H
#define CE_CLI_BENCH_REPORT_H

#include <argp.h>

#include "health/bench_run.h"

/* Root's runs are kept where the prolog's are, others only where they ask for it. */
enum ce_bench_keep { CE_BENCH_KEEP_ROOT, CE_BENCH_KEEP_YES, CE_BENCH_KEEP_NO };

enum { CE_BENCH_KEY_REPORT = 1024, CE_BENCH_KEY_NO_REPORT };
#define CE_BENCH_REPORT_OPTIONS                                                                    \
    {"report", CE_BENCH_KEY_REPORT, NULL, 0, "keep what was found, as a run of the prolog (root's: always)", 0}, \
    {"no-report", CE_BENCH_KEY_NO_REPORT, NULL, 0, "do not, also as root", 0}

/* These two options, for a parser of arguments: 0, or ARGP_ERR_UNKNOWN for any other key. */
error_t ce_bench_take_keep(int key, enum ce_bench_keep *ret);

/* Adds the test's own document; 0, or -1 for no memory. */
typedef int ce_bench_json(const void *ctx, const char *reason, struct ce_text *out);
/* Adds what stands below the findings. */
typedef void ce_bench_tables(const void *ctx, struct ce_text *out);

/* How it is said. */
struct ce_bench_words {
    const struct ce_findings *findings; /* of all nodes, where several were tested */
    ce_bench_json *json;                /* NULL: as a table */
    ce_bench_tables *tables;            /* NULL: there are none */
    const void *ctx;
};

/* Say on stdout what was found; keep the run, which is this node's.  Findings have their responses
 * (ce_bench_run_respond()).  Returns the exit status. */
int ce_bench_report(const struct ce_bench_run *run, const struct ce_policy *policy,
                    enum ce_bench_keep keep, const struct ce_bench_words *words);

#endif

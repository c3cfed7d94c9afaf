/* SPDX-License-Identifier: Apache-2.0 */
/* One line of health.jsonl, as docs/monitoring.md has it: what one run found on one node.  Whoever
 * wrote it, it is read strictly: what is there has the type and the range that it must have. */
#ifndef CE_STATUS_HEALTH_LINE_H
#define CE_STATUS_HEALTH_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "model/finding.h"
#include "model/run.h"

/* Members that are not there or null are "" and 0.  All texts may hold anything. */
struct ce_line_finding {
    const char *check, *subject, *text, *remedy;
    enum ce_verdict verdict;
    enum ce_response response;
};

/* What an active test measured: {"what":"rdma.write","device":"mlx5_0/1","value":391.2,"unit":"Gb/s"}. */
struct ce_line_measured {
    const char *what, *device, *unit;
    double value;
};

struct ce_health_line {
    time_t time;
    const char *node, *phase, *test, *mode, *error, *reason, *done;
    uint32_t job;
    bool checked, misconfigured;
    bool counted;                      /* counts are there */
    uint32_t counts[CE_FAIL + 1];
    uint32_t left_out, took_ms;
    struct ce_equipment equipment;
    struct ce_line_finding *findings;
    size_t finding_count;
    struct ce_line_measured *measured;
    size_t measured_count;
    void *document; /* what the texts are in */
};

enum { CE_LINE_LIST_MAX = 4096 };

/* Active tests, each of which is another: "rdma", "gpu", "nccl", and all whose name is none of them. */
enum { CE_LINE_TESTS = 4 };

/* NULL with err: no JSON object of schema 1, a member of another type, a list of more than
 * CE_LINE_LIST_MAX, no memory.  Members that are not known are skipped. */
struct ce_health_line *ce_health_line_parse(const char *text, size_t length, struct ce_error *err);
void ce_health_line_destroy(struct ce_health_line *line);
CE_DEFINE_CLEANUP(struct ce_health_line, ce_health_line_destroy)

/* Which of them a line of the phase "bench" is of, 0 to CE_LINE_TESTS - 1; another phase's: -1. */
int ce_line_test(const struct ce_health_line *line);

/* A response other than to ignore it, and a verdict that somebody should look at. */
bool ce_line_finding_matters(const struct ce_line_finding *finding);

#endif

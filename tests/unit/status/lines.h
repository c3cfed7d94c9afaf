/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of health.jsonl for tests. */
#ifndef CE_TESTS_STATUS_LINES_H
#define CE_TESTS_STATUS_LINES_H

#include "../unit.h"
#include "status/board.h"

#define LINE(phase, rest)                                                                          \
    "{\"schema\":1,\"time\":\"2026-11-21T15:10:38Z\",\"node\":\"n1\",\"phase\":\"" phase "\"" rest "}"
#define CHECKED ",\"checked\":true"
#define FINDING(check, verdict, response)                                                          \
    "{\"check\":\"" check "\",\"subject\":\"mlx5_0/1\",\"verdict\":\"" verdict                       \
    "\",\"text\":\"odd\",\"remedy\":\"look\",\"response\":\"" response "\"}"
#define FOUND(verdict, response)                                                                   \
    LINE("prolog", CHECKED ",\"findings\":[" FINDING("a.b", verdict, response) "]")

static inline struct ce_health_line *line_of(const char *text)
{
    struct ce_error err = {""};
    struct ce_health_line *line = ce_health_line_parse(text, strlen(text), &err);
    if (!line)
        fail_msg("%s: %s", err.text, text);
    return line;
}

#endif

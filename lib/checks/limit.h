/* SPDX-License-Identifier: Apache-2.0 */
/* Thresholds that a site may change (`limit` in the checks of cluster-env.conf).  docs/checks.md tells
 * where each is from. */
#ifndef CE_CHECKS_LIMIT_H
#define CE_CHECKS_LIMIT_H

#include <stdint.h>

struct ce_check_limit {
    const char *check;
    uint32_t most;    /* more than this is a fault, or odd */
    const char *unit; /* "MiB": of `most`, for people */
};

enum { CE_CHECK_LIMITS = 19 }; /* how many have one */

/* NULL: the check has none that can be changed. */
const struct ce_check_limit *ce_check_limit_find(const char *check);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* May a process that is left on a job's GPU be ended?  What is known of both in, why not out. */
#ifndef CE_HEALTH_LEFTOVER_H
#define CE_HEALTH_LEFTOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/policy.h"

enum { CE_LEFTOVER_NAME = 16, CE_LEFTOVER_UID_MIN = 1000, CE_LEFTOVER_NO_JOB = 0 };

/* By /proc. */
struct ce_leftover_process {
    uint32_t pid;
    bool known;       /* the rest is */
    uint32_t uids[4]; /* real, effective, saved, of file systems */
    uint32_t job;     /* whose cgroup it is in; CE_LEFTOVER_NO_JOB: that names none; UINT32_MAX: several,
                       * or what is no number */
    char name[CE_LEFTOVER_NAME + 1]; /* printable */
};

/* The job that ended. */
struct ce_leftover_owner {
    uint32_t job;
    bool uid_known;
    uint32_t uid;
    bool shared; /* other jobs may be on the node */
    bool alone;  /* no other job's prolog left a record */
    enum ce_leftovers action;
};

/* NULL: it may be ended.  Else why not, for people: it is not the user's, or may be another job's. */
const char *ce_leftover_spare(const struct ce_leftover_process *process,
                              const struct ce_leftover_owner *owner);

/* The texts /proc/PID/cgroup -> job, and /proc/PID/status -> uids and name.  0; -1: it is none. */
uint32_t ce_leftover_cgroup(const char *text);
int ce_leftover_status(const char *text, struct ce_leftover_process *ret);

#endif

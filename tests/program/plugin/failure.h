/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that fail, and what that asks slurmctld: for the tests of gang, output=primary and retries=N. */
#ifndef CE_TESTS_FAILURE_H
#define CE_TESTS_FAILURE_H

#include "doubles/spank_host.h"

#define OPTION_VARIABLE "SLURM_SPANK__SLURM_SPANK_OPTION_cluster_env_cluster_env"

/* Commands of tasks: status 3; status 3 of rank 1 and 0 of others; signal 9. */
int task_fails(const struct recorded_hook *task);
int task_second_fails(const struct recorded_hook *task);
int task_is_killed(const struct recorded_hook *task);

/* A calm run with this option; command NULL: all end with 0; controller NULL: one that answers. */
struct host_result *run_tasks(struct recording *recording, const char *option,
                              int (*command)(const struct recorded_hook *),
                              const struct host_controller *controller);

/* What task_exit of node n asked slurmctld. */
void expect_calls(const struct host_result *result, size_t n, unsigned questions, unsigned claims,
                  unsigned kills, unsigned requeues);
/* Every node is asked the same: each runs by itself here. */
void expect_calls_of_each(const struct host_result *result, unsigned questions, unsigned claims,
                          unsigned kills);

/* One of the lines has this. */
void expect_said(const struct host_result *result, const char *text);

#endif

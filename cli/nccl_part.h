/* SPDX-License-Identifier: Apache-2.0 */
/* This node's part in `cluster-env bench nccl`: alone, or as a task of the step that tests a job's
 * nodes. */
#ifndef CE_CLI_NCCL_PART_H
#define CE_CLI_NCCL_PART_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/nccl_helper.h"

/* This node, as Slurm names it in a job; else the host name up to its dot. */
const char *ce_nccl_own_name(char *name, size_t size);

/* Test it, alone or with the other nodes of this step, whose place Slurm and the plugin tell. */
void ce_nccl_part_run(const struct ce_nccl_test *test, bool alone, struct ce_nccl_node *ret);

/* The same as a text on stdout: an exit status. */
int ce_nccl_part_print(const struct ce_nccl_test *test, bool alone);

#endif

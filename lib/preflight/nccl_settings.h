/* SPDX-License-Identifier: Apache-2.0 */
/* The environment in which NCCL finds the interfaces and rails that a job of these nodes gets. */
#ifndef CE_PREFLIGHT_NCCL_SETTINGS_H
#define CE_PREFLIGHT_NCCL_SETTINGS_H

#include "launch/cluster.h"
#include "local/texts.h"

/* This process's environment, and the NCCL_* variables of the plan that the plugin would make; of
 * what /etc/nccl.conf sets none, as there.  NULL with err: no memory.  Free with
 * ce_nccl_settings_free(). */
char **ce_nccl_settings(const struct ce_cluster *cluster, const struct ce_allocation *allocation,
                        const struct ce_texts *texts, struct ce_error *err);
void ce_nccl_settings_free(char **settings);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* slurm-node config WHOSE: what of Slurm's configuration matters to us, as model/slurm_conf.h. */
#ifndef CE_HELPERS_SLURM_CONFIG_H
#define CE_HELPERS_SLURM_CONFIG_H

#include <slurm/slurm.h>

/* What libslurm read from this machine's slurm.conf; NULL: it does not tell. */
const slurm_conf_t *ce_slurm_file_conf(void);

/* arguments: "file", this machine's slurm.conf, for which slurmctld is not asked; or "controller", what
 * slurmctld has.  0, 1 or 2, as main() returns. */
int ce_slurm_config(char **arguments);

#endif

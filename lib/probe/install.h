/* SPDX-License-Identifier: Apache-2.0 */
/* This machine, as far as the installation of this product is concerned (model/install.h). */
#ifndef CE_PROBE_INSTALL_H
#define CE_PROBE_INSTALL_H

#include "model/install.h"

/* The files that these values of Prolog= or Epilog= lead to, and whether they run `ours`
 * ("cluster-prolog"): themselves, as a link, or by a script that names it.  What does not begin with '/'
 * is beside slurm_conf. */
void ce_probe_programs(const struct ce_slurm_programs *values, const char *slurm_conf,
                       const char *ours, struct ce_install_programs *ret);

/* The slurmd that this machine's jobs are of: one in this process's mount namespace. */
void ce_probe_slurmd(struct ce_install_slurmd *ret);

/* Which ports the kernel gives out by itself, and which it does not. */
void ce_probe_ports(const char *root, struct ce_install_ports *ret);

/* The folder itself, its space, and how old the file `facts` in it is. */
void ce_probe_run_folder(const char *path, const char *facts, struct ce_install_run *ret);

/* Is this unit started at boot? */
enum ce_install_unit ce_probe_unit(const char *name);

#endif

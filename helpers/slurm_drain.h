/* SPDX-License-Identifier: Apache-2.0 */
/* slurm-node drain and resume: a node leaves service, within what the guard (lib/health/guard.h)
 * admits, and comes back.  Both return an exit status: enum ce_change. */
#ifndef CE_HELPERS_SLURM_DRAIN_H
#define CE_HELPERS_SLURM_DRAIN_H

/* NODE REASON PERCENT HOURS.  A reason that stands there, whoever gave it, stays.
 *
 * slurmctld cannot be asked to drain only where there is room, so it is: look, drain, and look again
 * when the second of the drain is over.  By then every drain of that second is told to everybody, and
 * all agree on who was first; who was not undrains its own node. */
int ce_slurm_drain(char **arguments);

/* NODE REASON: undrain it, where it is drained with exactly this reason. */
int ce_slurm_resume(char **arguments);

/* A line on stderr with what libslurm says; returns 1. */
int ce_slurm_complain(const char *what);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What cluster-prolog, cluster-epilog and cluster-healthcheck share: a phase of this node, told to syslog, and what
 * follows from it for Slurm. */
#ifndef CE_PROLOG_PHASE_PROGRAM_H
#define CE_PROLOG_PHASE_PROGRAM_H

/* Slurm drains a node for any status but 0, whatever the reason; so this returns 1 only for a fault
 * of this node whose policy is drain, after the node was drained with its own reason where
 * slurmctld answers; and not where the guard (health/guard.h) keeps it in service, nor in the phase
 * CE_MANUAL, whose status nobody reads.  A broken configuration, a machine that cannot be read, an unknown, and
 * whatever hangs or crashes meanwhile: 0 and a line.
 *
 * All of it happens in a child with a deadline: the configuration and the address book may be on a
 * file system that hangs, and so may syslog. */
int ce_phase_program(const char *name, unsigned phase);

/* "--help" and "--version", which Slurm never gives.  -1: go on; else the exit status. */
int ce_phase_arguments(int argc, char **argv, const char *name, const char *doc);

#endif

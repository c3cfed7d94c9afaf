#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# steps.sh JOBS FILE: a batch script; a step as it is, with the option, and with the option off.
trap 'echo "$SLURM_JOB_ID" >"$2.done"' EXIT
"$1/seen.sh" "$2" batch
srun "$1/seen.sh" "$2.plain"
srun --cluster-env "$1/seen.sh" "$2.on"
srun --cluster-env=off "$1/seen.sh" "$2.off"
sbatch -Q -N2 -o "$2.inner.out" "$1/small.sh" "$1" "$2.inner"
sbatch -Q -N2 --cluster-env -o "$2.inner-on.out" "$1/small.sh" "$1" "$2.inner-on"
sbatch -Q -N2 --cluster-env=off -o "$2.inner-off.out" "$1/small.sh" "$1" "$2.inner-off"

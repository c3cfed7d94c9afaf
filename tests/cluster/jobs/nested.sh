#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# nested.sh JOBS FILE: a task, of which the last starts a step and submits a job of its own.
"$1/seen.sh" "$2.outer"
[[ $((SLURM_PROCID + 1)) -eq $SLURM_NTASKS ]] || exit 0
srun --overlap --cluster-env -N1 -n1 -r1 "$1/seen.sh" "$2.inner"
sbatch -Q -N2 --cluster-env -o "$2.sbatch.out" "$1/small.sh" "$1" "$2.sbatch"

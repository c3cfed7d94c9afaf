#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# het.sh JOBS FILE: the batch script of a heterogeneous job of two components.
trap 'echo "$SLURM_JOB_ID" >"$2.done"' EXIT
"$1/told.sh" "$2" batch
srun --het-group=0,1 "$1/seen.sh" "$2.both"
srun --het-group=1 "$1/seen.sh" "$2.second"
srun "$1/seen.sh" "$2.first"
srun -n1 "$1/told.sh" "$2.part" : --het-group=1 -w n9 -N1 -n1 "$1/told.sh" "$2.part"
exports=$(cluster-env show --export)
eval "$exports"
"$1/seen.sh" "$2" evaluated
sbatch -Q -N2 -o "$2.inner.out" "$1/small.sh" "$1" "$2.inner"

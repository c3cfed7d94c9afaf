#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# directive.sh JOBS FILE: as small.sh, with the option in the script.
#SBATCH -N2
#SBATCH --cluster-env
trap 'echo "$SLURM_JOB_ID" >"$2.done"' EXIT
"$1/seen.sh" "$2" batch
srun "$1/seen.sh" "$2.step"

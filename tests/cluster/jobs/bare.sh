#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# bare.sh JOBS FILE: as small.sh, where nothing but the command gives the variables.
trap 'echo "$SLURM_JOB_ID" >"$2.done"' EXIT
exports=$(cluster-env show --export)
eval "$exports"
"$1/seen.sh" "$2" batch
srun "$1/evaluate.sh" "$1" "$2.step"

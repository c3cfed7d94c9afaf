#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# evaluated.sh JOBS FILE: the variables that a script or shell gets from the plugin and from the command, and a step's.
trap 'echo "$SLURM_JOB_ID" >"$2.done"' EXIT
"$1/seen.sh" "$2" script
srun "$1/seen.sh" "$2.step" </dev/null
(
    exports=$(cluster-env show --export) || exit
    eval "$exports"
    "$1/seen.sh" "$2" evaluated
)

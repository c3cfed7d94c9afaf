#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# array.sh JOBS FILE: one of two array tasks; both run at the same time.
trap 'echo "$SLURM_JOB_ID" >"$2.$SLURM_ARRAY_TASK_ID.done"' EXIT
"$1/meet.sh" "$2.$SLURM_ARRAY_TASK_ID.here" "$2.$((1 - SLURM_ARRAY_TASK_ID)).here"
"$1/seen.sh" "$2.$SLURM_ARRAY_TASK_ID" batch
srun "$1/seen.sh" "$2.$SLURM_ARRAY_TASK_ID.step"

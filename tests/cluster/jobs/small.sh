#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# small.sh JOBS FILE: a batch script with one step. No PATH is needed: --export=NONE has none.
trap 'echo "$SLURM_JOB_ID" >"$2.done"' EXIT
/bin/bash "$1/seen.sh" "$2" batch
/usr/bin/srun /bin/bash "$1/seen.sh" "$2.step"

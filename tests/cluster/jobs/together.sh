#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# together.sh JOBS FILE: a batch script of four nodes with three steps that run at the same time.
trap 'echo "$SLURM_JOB_ID" >"$2.done"' EXIT

# The first rank of each step waits for those of the others, so that none is over before.
# shellcheck disable=SC2016 # for the task to expand
readonly task='"$0/seen.sh" "$1"
    [[ $SLURM_PROCID != 0 ]] || "$0/meet.sh" "$1-here" "${@:2}"'

at_once() { # at_once JOBS FILE STEP SRUN_OPTION...
    srun "${@:4}" bash -c "$task" "$1" "$2.$3" "$2".{a,b,c}-here
}

at_once "$1" "$2" a --overlap -N4 -n4 &
at_once "$1" "$2" b --overlap -N4 -n8 &
at_once "$1" "$2" c --exact -N2 -n2 &
wait

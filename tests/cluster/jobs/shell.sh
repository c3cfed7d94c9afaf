#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# shell.sh JOBS FILE: what somebody types in salloc's shell.
"$1/seen.sh" "$2" shell
srun "$1/seen.sh" "$2.step" </dev/null
srun -N1 -n1 "$1/seen.sh" "$2.one" </dev/null
exports=$(cluster-env show --export)
eval "$exports"
"$1/seen.sh" "$2" evaluated
srun "$1/seen.sh" "$2.after" </dev/null

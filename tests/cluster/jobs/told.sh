#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# told.sh FILE [NAME]: as seen.sh; and what the command tells there, as FILE-told.NAME.<what>
set -e
"${0%/*}/seen.sh" "$@"
told=$1-told.${2:-$SLURM_PROCID}
cluster-env info >"$told.info"
cluster-env info --json >"$told.json"
for format in names addresses mpi mpich deepspeed horovod; do
    cluster-env hostfile --format="$format" >"$told.$format"
done

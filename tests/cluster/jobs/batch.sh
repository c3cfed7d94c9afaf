#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# batch.sh JOBS FILE: a batch script of four nodes with the steps that users start in one.
trap 'echo "$SLURM_JOB_ID" >"$2.done"' EXIT
"$1/seen.sh" "$2" batch
srun "$1/seen.sh" "$2.first"
srun "$1/seen.sh" "$2.second"
srun -N2 -n2 "$1/seen.sh" "$2.two"
srun -N1 -n1 -r2 "$1/seen.sh" "$2.third-node"
srun --cluster-env=off "$1/seen.sh" "$2.off"
srun --export=NONE "$1/seen.sh" "$2.export-none"
(
    export MASTER_PORT=34567 NCCL_SOCKET_IFNAME=eth2
    srun "$1/seen.sh" "$2.own"
)
(
    unset NUM_NODES
    export PRIMARY_ADDR=nonsense
    eval "$(cluster-env show --export)"
    "$1/seen.sh" "$2" evaluated
)
cluster-env show --json >"$2.json"

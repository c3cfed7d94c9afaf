#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# mpi.sh JOBS FILE: a batch script that starts MPI ranks as its users do: with mpirun, whose daemons
# srun starts on the other nodes.
trap 'echo "$SLURM_JOB_ID" >"$2.done"' EXIT
# shellcheck disable=SC2016 # for the rank to expand
readonly openmpi='exec "$0/seen.sh" "$1" "$OMPI_COMM_WORLD_RANK"' mpich='exec "$0/seen.sh" "$1" "$PMI_RANK"'
export OMPI_MCA_rmaps_base_oversubscribe=1
"$1/openmpi.sh" -np 6 --map-by node bash -c "$openmpi" "$1" "$2.openmpi"
mpirun.mpich -n 6 bash -c "$mpich" "$1" "$2.mpich"
cluster-env hostfile --format=mpi --slots=2 | tail -n 2 >"$2-hosts"
"$1/openmpi.sh" --hostfile "$2-hosts" bash -c "$openmpi" "$1" "$2.openmpi-hosts"
cluster-env hostfile --format=mpich --slots=2 | tail -n 2 >"$2-hosts"
mpirun.mpich -f "$2-hosts" -n 4 bash -c "$mpich" "$1" "$2.mpich-hosts"

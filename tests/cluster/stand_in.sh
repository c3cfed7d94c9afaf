#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Stands for torchrun, python3, accelerate and the other programs that the recipes of docs/user.md start, by its
# name: it fails where what they would read is not there.

no() { echo "${0##*/} $*" >&2; exit 1; }

need() {
    for name; do
        eval "value=\${$name-}"
        # shellcheck disable=SC2154 # eval sets it
        [ -n "$value" ] || no "$name is not set"
    done
}

# A variable that some shell filled in with nothing.
for word; do
    case $word in '' | *=) no "an argument is empty: $*" ;; esac
done
case "${0##*/} $*" in
    "torchrun "*--nnodes=*) ;;
    "torchrun "*) need PET_NNODES PET_NODE_RANK PET_NPROC_PER_NODE PET_MASTER_ADDR PET_MASTER_PORT ;;
    "python3 "* | "train ") need RANK WORLD_SIZE LOCAL_RANK MASTER_ADDR MASTER_PORT ;;
    "ray start --head "*) need PRIMARY_ADDR; [ "$NODE_RANK" -eq 0 ] || no "node $NODE_RANK is no head" ;;
    *) # what cluster-env run starts
        need PRIMARY_ADDR
        case "$*" in *"$PRIMARY_ADDR"*) ;; *) no "is not told where to meet: $*" ;; esac ;;
esac
echo "${0##*/} $*"

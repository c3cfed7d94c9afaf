#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_frameworks.sh SERIES: the batch scripts of docs/frameworks.md whose frameworks Debian packages, from
# exactly those files. On this machine's own Slurm, where PyTorch is: the frameworks do not see its series.
# tests/frameworks/run has those of PyPI.
set -euo pipefail

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/product.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tasks.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/steps.sh"

readonly nodes=(node1 node2) examples=$here/../../docs/examples/frameworks

job_is_over() { [[ -z $(as_user squeue -h -j "$1" 2>/dev/null) ]]; }

# batch NAME SBATCH_OPTION...: docs/examples/frameworks/NAME.sbatch; what it printed is in $printed
printed=''
batch() {
    run as_user env "${torch_env[@]}" sbatch --parsable --chdir "$home/frameworks" -o "$home/$1.out" "${@:2}" "$home/frameworks/$1.sbatch"
    [[ $status -eq 0 ]] || complain "sbatch: $err"
    wait_until 180 job_is_over "$out" || complain "the job did not end"
    printed=$(cat "$home/$1.out" 2>&1)
}

# Debian's torch 1.13 dies under Python 3.11 of its own defaults for these two; rank 9 is none of ours.
readonly torch_env=(PET_REDIRECTS=9:1 PET_TEE=9:1)

test_torch() { # test_torch NAME SBATCH_OPTION...
    batch "$@"
    [[ $printed == *"4 processes on 2 nodes have met at 10.20.0.11"* ]] || complain "it printed: $(tail -n 15 <<<"$printed")"
    verdict "$1.sbatch: the processes meet over the cluster network and agree on a sum"
}

test_mpi() { # test_mpi NAME
    batch "$1"
    [[ $(sort <<<"$printed" | xargs) == "node1 0 node1 1 node2 2 node2 3" ]] || complain "it printed: $printed"
    verdict "$1.sbatch: MPI's ranks are on the nodes of the host file"
}

main() {
    [[ $# -eq 1 ]] || { echo "usage: test_frameworks.sh SERIES" >&2; exit 2; }
    [[ $1 == bookworm ]] || skip_all "once is enough: frameworks do not see which Slurm it is"
    /usr/bin/python3 -c 'import torch' 2>/dev/null || skip_all "python3-torch is not installed"
    plan 5
    start_product "$1" --gpus 2
    is_own_slurm || { for _ in 1 2 3 4 5; do skip "frameworks" "the suite's chroot has no torch"; done; finish; exit; }
    as_user mkdir "$home/frameworks"
    install -m 644 "$examples"/* "$home/frameworks/"
    # shellcheck disable=SC2016 # for the rank to expand
    printf '#!/bin/sh\necho "$(hostname) ${OMPI_COMM_WORLD_RANK-$PMI_RANK}"\n' >"$home/frameworks/program"
    chmod 755 "$home/frameworks/program"
    test_torch torchrun --gpus-per-node=2
    test_torch torch --gpus-per-node=2 --ntasks-per-node=2
    test_mpi openmpi
    test_mpi mpich
    calm "after the frameworks"
    finish
}

main "$@"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_job_gpus.sh SERIES: jobs that share a node with a sick GPU. What Slurm tells a prolog of a job's GPUs
# is this Slurm's own; how the GPUs are says a script in place of probe-gpu.
# shellcheck disable=SC2016 # what stands in single quotes is for the nodes to expand
set -euo pipefail

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/product.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tasks.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/steps.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/health.sh"

drained_and_back() { # NODE REASON
    drained_for "$1" "$2" 20
    resume "$1"
}

# gpus LINE...: what NVML says on n9, besides: the GPUs answer, /dev/nvidiaN is the Nth from the end of the bus
gpus() {
    as_root n9 bash -c 'n=0
        { echo format=1
          cluster-env facts 2>/dev/null | grep -E "^gpu\.([0-9]+\.pci|count)="
          for ((n = 0; n < 8; n++)); do echo "gpu.$n.nvml.asked=answered"; echo "gpu.$n.nvml.minor=$((7 - n))"; done
          printf "%s\n" "$@"
          echo end=1; } >/run/gpus' gpus "$@"
}

readonly pending="a row remap is pending; reset the GPU, or reboot the node [cluster-env gpu.remap.pending]"

test_shared() {
    local address
    address=$(as_root n9 cluster-env facts 2>/dev/null | sed -n 's/^gpu.3.pci=//p')
    gpus gpu.3.nvml.remap.pending=1
    run as_user srun -N1 -w n9 --gres=gpu:4 true
    quiet
    not_drained
    verdict "a job on the four GPUs beside a sick one starts and ends, on a bus that counts the other way round"
    run as_user srun -Q -N1 -w n9 --gres=gpu:5 true
    refused n9
    drained_and_back n9 "GPU 3 ($address) $pending"
    verdict "a job that gets it does not, and the node is drained for it"
    run as_user srun -Q -N1 -w n9 --exclusive --gres=gpu:1 true
    refused n9
    drained_and_back n9 "GPU 3 ($address) $pending"
    verdict "nor does one that has the node for itself, whatever it asked for"
}

# 22.05 does not tell who shares the node.
test_without_gpus() {
    local address
    address=$(as_root n9 cluster-env facts 2>/dev/null | sed -n 's/^gpu.3.pci=//p')
    gpus gpu.3.nvml.remap.pending=1
    run as_user srun -Q -N1 -w n9 true
    if [[ $1 == bookworm ]]; then
        drained_and_back n9 "GPU 3 ($address) $pending"
        verdict "a job without GPUs does not start beside a sick one: this Slurm does not tell that it shares the node"
    else
        quiet
        not_drained
        verdict "a job without GPUs starts beside a sick one"
    fi
}

test_during() {
    local address
    address=$(as_root n9 cluster-env facts 2>/dev/null | sed -n 's/^gpu.7.pci=//p')
    gpus gpu.7.nvml.ecc.volatile.uncorrected=0
    submit during "$home/during.out" -N1 -w n9 --gres=gpu:1 --wrap "touch $home/during.begun
        while test ! -e $home/during.end; do sleep 0.1; done; touch $home/during.done"
    local id=$out
    wait_until 20 test -e "$home/during.begun" || complain "the job did not start"
    gpus gpu.7.nvml.ecc.volatile.uncorrected=2 gpu.3.nvml.remap.pending=1
    as_user touch "$home/during.end"
    ended during
    drained_and_back n9 "GPU 7 ($address) +2 uncorrected memory errors during the job, found after job $id; reset the GPU, or reboot the node [cluster-env gpu.job.ecc]"
    verdict "errors that come during the job: drained after it, for its own GPU alone"
}

main() {
    [[ $# -eq 1 ]] || { echo "usage: test_job_gpus.sh SERIES" >&2; exit 2; }
    local groups=(shared without_gpus during) node helper
    plan $((5 + ${#groups[@]}))
    helper=$("$here/slurm_node.sh" "$1")
    scheduler=,nohold_on_prolog_fail,sched_interval=2
    start_product "$1" --hardware <("$here/hgx_tree") --cred-expire 5 \
        --slurm-conf "Prolog=$programs/cluster-prolog" --slurm-conf "Epilog=$programs/cluster-epilog" \
        --slurm-conf PrologFlags=Alloc,DeferBatch --slurm-conf SlurmdDebug=debug2 --slurm-conf MinJobAge=10
    for node in "${nodes[@]}"; do
        as_root "$node" install -D -t "$programs" "$state"/tools/bin/cluster-{prolog,epilog}
        as_root "$node" install -d "$helpers"
    done
    install -D "$helper" "$state/tools/libexec/slurm-node"
    as_root n9 install -D -t "$helpers" "$state/tools/libexec/slurm-node"
    as_root n9 bash -c 'printf "#!/bin/sh\ncat /run/gpus\n" >"$0/probe-gpu"; chmod 755 "$0/probe-gpu"' "$helpers"
    configure 'mode = "drain";'
    run_groups "$1" "${groups[@]}"
    finish
}

main "$@"

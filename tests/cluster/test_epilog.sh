#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_epilog.sh SERIES: what happens to a node while a job runs there, and what cluster-epilog then says
# and does, with cluster-prolog before it; on nodes of a 1-Click Cluster with GPUs that NVML tells of.
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

# during [COMMAND...]: a job on alpha and n9 with all of their GPUs, in the middle of which that happens.
# It ends as it would; its id is in $job. The epilogs are through.
job=0
during() {
    rm -f "$home"/during.*
    mark_log n9
    submit during "$home/during.out" -N2 -w n9,alpha --gpus-per-node=8 --wrap "touch $home/during.begun
        while test ! -e $home/during.end; do sleep 0.1; done; touch $home/during.done"
    job=$out
    wait_until 20 test -e "$home/during.begun" || complain "the job did not start"
    [[ $# -eq 0 ]] || "$@"
    as_user touch "$home/during.end"
    ended during
    completed "$job"
    wait_until 20 epilogs_are_through || complain "n9 is $(state_of n9), alpha $(state_of alpha)"
}
epilogs_are_through() { [[ $(state_of n9) =~ ^(idle|drained)$ && $(state_of alpha) == idle ]]; }

# found REASON: n9 alone is drained, and the reason names the job before its first remedy.
found() {
    local reason=${1/;/, found after job $job;}
    drained_for n9 "$reason"
    only_drained n9
    has_logged n9 "cluster-epilog: job $job: this node is drained: $reason"
}

again() { # the node is well, and takes a job
    resume n9
    during
    not_drained
}

# ---------------------------------------------------------------- links

test_healthy() {
    local noise
    during small_things
    not_drained
    noise=$(log_of n9 | grep -aoE "cluster-(prolog|epilog): job $job: .*" | sed 's/.* job [0-9]*: //' |
        grep -vE 'what probe-(verbs|topology) knows|\[(host.memlock|ib.gpudirect)\]$' | sort -u) || true # this machine's
    [[ -z $noise ]] || complain "said: $noise"
    [[ -z $(as_root n9 ls -A /run/cluster-env/jobs) ]] || complain "left: $(as_root n9 ls -A /run/cluster-env/jobs)"
    verdict "a job on healthy nodes, and what is no fault of theirs: nothing is drained, nothing said, nothing left"
}
small_things() {
    count n9 mlx5_1 symbol_error 1
    kernel n9 "NVRM: Xid (PCI:0000:1b:00): 13, pid=4711, name=python, Graphics Exception: ESR 0x48" \
        "usb 1-1: NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus." "mlx5_core: nothing"
}

test_link() {
    during link DOWN n9
    found "$down"
    link UP n9
    verdict "a link that goes down during the job: the job ends as it would, its node is drained with the reason"
    again
    verdict "the link up again and the node resumed: it takes jobs"

    during count n9 mlx5_2 link_downed 3
    found "mlx5_2/1 link_downed +1 during the job; the link went down: check cable and switch port [cluster-env ib.counter.link_downed]"
    verdict "a link that goes down and comes back during the job: drained with the reason"
    again
    verdict "which the next job is not blamed for"
}

# ---------------------------------------------------------------- GPUs

test_xid() {
    during kernel n9 "NVRM: Xid (PCI:0000:61:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
    found "GPU 3 Xid 79 (fell off the bus) at 0000:61:00.0; reboot the node, reseat or exchange the GPU if it comes back [cluster-env gpu.xid]"
    verdict "an Xid 79 during the job: drained, with GPU, number and what to do"

    as_root head scontrol update nodename=n9 state=resume
    run as_user srun -Q -N1 -w n9 --gpus-per-node=8 true
    refused n9
    drained_for n9 "GPU 3 Xid 79 (fell off the bus) at 0000:61:00.0; reboot the node, reseat or exchange the GPU if it comes back [cluster-env gpu.xid]"
    kernel n9 "NVRM: Xid (PCI:0000:61:00): 154, GPU recovery action changed from 0x2 (Node Reboot Required) to 0x0 (None)"
    verdict "a node that is resumed with that GPU: its prolog finds it, the job does not start"
    again
    verdict "the driver says that the GPU is well: the node takes jobs"
}

test_gpu() {
    during nvml n9 gpu.5.remap.pending=1 gpu.5.remap.uncorrected=1
    found "GPU 5 (0000:c3:00.0) a row remap became pending during the job; reset the GPU, or reboot the node [cluster-env gpu.job.remap]"
    nvml n9
    verdict "a row remap that comes up during the job: drained with the reason"
    again
    verdict "after a reset of that GPU the node takes jobs"

    during nvml n9 gpu.2.processes=1 gpu.2.memory.used=4000000000
    has_logged n9 "cluster-epilog: job $job: fail: GPU 2 (0000:52:00.0) 1 process: 4000 [gpu.processes]"
    not_drained
    nvml n9
    verdict "a GPU process that the job left behind: told with GPU, pid and job, not drained for"

    configure 'mode = "drain"; checks = ( { name = "gpu.processes"; fault = "drain"; } );' "$expect"
    during nvml n9 gpu.2.processes=1 gpu.2.memory.used=4000000000
    found "GPU 2 (0000:52:00.0) 1 process: 4000; end the processes that the job left [cluster-env gpu.processes]"
    nvml n9
    configure_mode drain
    resume n9
    verdict "where the configuration says so: drained for it"
}

test_several() {
    during several_things
    found "$down + mlx5_2/1 link_downed +1 during the job; the link went down: check cable and switch port \
[cluster-env ib.counter.link_downed] + GPU 5 (0000:c3:00.0) a row remap failed during the job; exchange the GPU (RMA) [cluster-env gpu.job.remap]"
    link UP n9
    nvml n9
    resume n9
    verdict "several faults during one job: one line has them all"
}
several_things() {
    link DOWN n9
    count n9 mlx5_2 link_downed 4
    nvml n9 gpu.5.remap.failure=1
}

main() {
    [[ $# -eq 1 ]] || { echo "usage: test_epilog.sh SERIES" >&2; exit 2; }
    local groups=(healthy link xid gpu several)
    plan $((13 + ${#groups[@]}))
    start_health "$1"
    run_groups "$1" "${groups[@]}"
    finish
}

main "$@"

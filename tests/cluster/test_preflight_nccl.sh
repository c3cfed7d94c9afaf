#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_preflight_nccl.sh SERIES: the all-reduce that a job's nodes make in their prologs. GPUs, CUDA and NCCL are
# doubles (../doubles/nccl), which truly add up over TCP, at the interface that NCCL is told.
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
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/preflight.sh"

readonly deadline=8
preflight() { configure 'mode = "drain";' "$expect" "preflight = { mode = \"nccl\"; deadline = $deadline; };" "$@"; }

# No namespace has verbs: what the rails carry stays unknown.
readonly ours='[.findings[] | select(.check != "gang.rail.bandwidth")]'
readonly findings_of_ours="$ours"' | [.[] | "\(.verdict) \(.check) \(.subject)"] | unique | join(",")'
skips() { # skips NODE JOB WHY: told, and no finding
    wants "$1" "$2" "[.checked, .done, ($ours | length), .notes]" "[true,\"nothing\",0,[\"preflight: no all-reduce, for $3\"]]"
}
adds_up() { wants "$1" "$2" "[.checked, .done, ($ours | length), (.notes | length)]" '[true,"nothing",0,0]'; }

# scene NODE [LINE...]: its doubles say so
scene() {
    as_root "$1" bash -c 'cat "$0" - >/run/nccl.scenario <<<"$1"' "$state/doubles/scenario" \
        "$(printf '%s\n' "nccl.ended=/run/nccl.ended" "${@:2}")"
}
as_usual() { scene "$1"; }

lay_nccl() {
    local double node
    for double in nvml cuda nccl; do sh "$here/../doubles/$double/build" "$state/doubles"; done
    install -m 644 "$here/../doubles/nccl/two-gpus.scenario" "$state/doubles/scenario"
    chmod -R a+rX "$state/doubles"
    for node in "${nodes[@]}"; do
        with_libraries "$node" "$state/doubles"
        as_usual "$node"
    done
}
with_libraries() { # with_libraries NODE FOLDER
    helper "$1" bench-nccl "export NVML_DOUBLE=/run/nccl.scenario CUDA_DOUBLE=/run/nccl.scenario \\
        NCCL_DOUBLE=/run/nccl.scenario LD_LIBRARY_PATH=$2
        exec $state/tools/libexec/bench-nccl \"\$@\""
}
# Was an all-reduce made there since the last time?
added_up() { as_root "$1" rm /run/nccl.ended 2>/dev/null; }
nobody_added_up() {
    local node
    for node in "${nodes[@]}"; do ! added_up "$node" || complain "$node made an all-reduce"; done
}
nccl_is_left() { ! as_root head pgrep -f 'libexec/bench-nccl --name' >/dev/null; }
nothing_is_left() {
    wait_until 10 nothing_runs || complain "left: $(as_root head pgrep -af preflight)"
    wait_until 10 nccl_is_left || complain "left: $(as_root head pgrep -af bench-nccl)"
}

test_clean() {
    local node
    gang clean --exclusive
    quiet
    not_drained
    for node in "${nodes[@]}"; do
        adds_up "$node" "$id"
        added_up "$node" || complain "$node made no all-reduce"
    done
    diag "milliseconds: $(for node in "${nodes[@]}"; do told "$node" "$id" .took_ms; done | tr '\n' ' ')"
    nothing_is_left
    verdict "four nodes without a fault: they add up, the job runs, nothing is said"

    gang shared
    quiet
    for node in "${nodes[@]}"; do adds_up "$node" "$id"; done
    nobody_added_up
    verdict "where other jobs may be on the nodes no GPU is touched"
}

test_wrong() {
    scene n10 nccl.addend=3
    batch wrong --exclusive
    drained_for n10 "6 wrong sums, also without the other nodes: 6; test memory and computing of the GPUs with 'cluster-env bench gpu', and exchange the one that is wrong [cluster-env gang.nccl.sum]" 30
    only_drained n10
    wants n9 "$id" "$findings_of_ours" "unknown gang.nccl.sum "
    as_usual n10
    resume n10
    ended wrong
    not_drained
    nothing_is_left
    verdict "a node that adds wrong numbers, so that all sums are wrong: it alone is drained, the job is requeued and runs"

    scene n9 nccl.wrong.gang=2
    gang path --exclusive
    quiet
    not_drained
    wants n9 "$id" "$ours"' | .[0].text' "4 wrong sums, right ones without the other nodes: a rail, or another node"
    for node in alpha n10 zeta1; do adds_up "$node" "$id"; done
    as_usual n9
    verdict "sums that are wrong with the others alone: unknown, nobody is drained"
}

forget() { # what was added up before
    local node
    for node in "${nodes[@]}"; do added_up "$node" || true; done
}

test_cannot() {
    forget
    as_root n9 mkdir -p /run/few
    as_root n9 cp "$state/doubles/libcuda.so.1" "$state/doubles/libnvidia-ml.so.1" /run/few
    with_libraries n9 /run/few
    gang without --exclusive
    quiet
    not_drained
    for node in "${nodes[@]}"; do
        skips "$node" "$id" "n9: libnccl.so.2: cannot open shared object file: No such file or directory"
        wants "$node" "$id" '.took_ms < 7000' true
    done
    nobody_added_up
    with_libraries n9 "$state/doubles"
    verdict "a node without libnccl: none adds up, and none waits"

    scene n9 gpu.1.processes=1
    gang used --exclusive
    quiet
    not_drained
    for node in "${nodes[@]}"; do skips "$node" "$id" "n9: GPU 00000000:43:00.0: in use by 1 process: 4000"; done
    nobody_added_up
    as_usual n9
    nothing_is_left
    verdict "a GPU that somebody computes on is left alone, and none adds up"
}

test_hangs() {
    local place node
    for place in init reduce; do
        scene n10 "nccl.$place=hang"
        gang "$place" --exclusive
        quiet
        not_drained
        for node in "${nodes[@]}"; do
            wants "$node" "$id" "$findings_of_ours" "unknown gang.nccl.start "
            wants "$node" "$id" ".took_ms < $deadline * 1000 + 2000" true
        done
        nothing_is_left
    done
    as_usual n10
    verdict "NCCL that hangs on one node, connecting or adding up: over in time, unknown, nobody is drained"

    scene n10 nccl.get_version=hang
    gang driver --exclusive
    quiet
    not_drained
    for node in "${nodes[@]}"; do wants "$node" "$id" "$findings_of_ours" "unknown gang.nccl.start n10"; done
    as_usual n10
    nothing_is_left
    verdict "a library that hangs before: that node is named, nobody adds up, nobody is drained"
}

# Whatever becomes of the preflight, what it began ends.
test_killed() {
    scene n10 nccl.init=hang
    batch killed --exclusive
    wait_until 10 began_on n10 || complain "no bench-nccl on n10"
    as_root head kill -KILL "$(the_helper 2)" || complain "no helper"
    ended killed
    as_usual n10
    not_drained
    wants n10 "$id" '.findings[0].text' "ended by signal 9, Killed"
    wants n9 "$id" ".took_ms < $deadline * 1000 + 2000" true
    nothing_is_left
    verdict "a preflight that is killed takes its all-reduce along, the others end in time, nobody is drained"
}
began_on() { as_root head pgrep -f "libexec/bench-nccl --name=$1 " >/dev/null; }

test_transport() {
    scene n10 nccl.network=Socket
    gang sockets --exclusive
    quiet
    not_drained
    as_usual n10
    wants n10 "$id" "$ours"' | .[0].text' "NCCL fell back to sockets, expected its 8 rails"
    for node in alpha n9 zeta1; do adds_up "$node" "$id"; done
    preflight 'bench = { nccl_gang = 100; };'
    gang slow --exclusive
    quiet
    not_drained
    for node in "${nodes[@]}"; do wants "$node" "$id" "$findings_of_ours" "warn gang.nccl.bandwidth 4 nodes"; done
    preflight
    verdict "sockets instead of rails, less than the floor: told, nobody is drained"
}

main() {
    [[ $# -eq 1 ]] || { echo "usage: test_preflight_nccl.sh SERIES" >&2; exit 2; }
    # the nodes talk with each other, not with Slurm: one series is enough
    [[ $1 == forky || -n ${CASES:-} ]] || skip_all "the preflight is tried with forky's Slurm"
    local groups=(clean wrong cannot hangs killed transport) node
    plan $((10 + ${#groups[@]}))
    start_health "$1"
    for node in "${nodes[@]}"; do as_root "$node" install -D -t "$helpers" "$state/tools/libexec/preflight"; done
    lay_nccl
    preflight
    run_groups "$1" "${groups[@]}"
    finish
}

main "$@"

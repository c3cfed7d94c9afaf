#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_bench_nccl.sh SERIES: cluster-env bench nccl in jobs: the steps it starts, who is named, and that
# nothing is left of it. GPUs, CUDA and NCCL are doubles (../doubles/nccl), which truly add up over TCP.
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

readonly helpers=/run/libexec/cluster-env # of each node

# scene NODE [LINE...]: its doubles say so
scene() {
    as_root "$1" bash -c 'cat "$0" - >/run/nccl.scenario <<<"$1"' "$state/doubles/scenario" \
        "$(printf '%s\n' "${@:2}")"
}
as_usual() { scene "$1"; }

lay_doubles() {
    local double node
    for double in nvml cuda nccl; do sh "$here/../doubles/$double/build" "$state/doubles"; done
    install -m 644 "$here/../doubles/nccl/two-gpus.scenario" "$state/doubles/scenario"
    chmod -R a+rX "$state/doubles"
    for node in "${nodes[@]}"; do
        as_root "$node" bash -c 'mkdir -p "$0" && printf "#!/bin/sh\n%s\n" "export NVML_DOUBLE=/run/nccl.scenario \\
            CUDA_DOUBLE=/run/nccl.scenario NCCL_DOUBLE=/run/nccl.scenario LD_LIBRARY_PATH=$1/doubles
            exec $1/tools/libexec/bench-nccl \"\$@\"" >"$0/bench-nccl" && chmod 755 "$0/bench-nccl"' "$helpers" "$state"
        as_usual "$node"
    done
}

# bench STATUS ARGUMENT...: in an allocation of all nodes
bench() {
    run as_user salloc -Q -N4 cluster-env bench nccl --size=1M "${@:2}"
    [[ $status -eq $1 ]] || complain "exit status $status, expected $1" "$out" "$err"
}
says() { # TEXT...: each begins a line
    local line
    for line; do
        awk -v line="$line" 'index($0, line) == 1 { found = 1 } END { exit !found }' <<<"$out" ||
            complain "missing: $line" "$out" "$err"
    done
}

test_table() {
    bench 0 -N 1,2,4
    [[ -z $err ]] || complain "stderr: $err"
    says "pass     bench.nccl.sum        alpha all sums are right, of 2 GPUs" \
        "pass     bench.nccl.bandwidth  zeta1 0." \
        "pass     bench.nccl.sum        2 nodes all sums are right, of 4 GPUs" \
        "pass     bench.nccl.sum        4 nodes all sums are right, of 8 GPUs" \
        "pass     bench.nccl.transport  4 nodes IB: P2P/CUMEM,NET/IB,GDRDMA" \
        "   message      1 node       2 nodes      4 nodes" "   nodes    GPUs          GB/s  of one node  by"
    [[ $(grep -cE '^ +(1 +2|2 +4|4 +8) +0\.[0-9]{2} +[0-9]+ %' <<<"$out") -eq 3 ]] || complain "the table: $out"
    verdict "-N 1,2,4: every node alone, then gangs that add up over the network, as a table"
    bench 0 --json
    python3 -c '
import json, sys
d = json.loads(sys.argv[1])
assert [(r["nodes"], r["gpus"], r["alone"]) for r in d["runs"]] == [(1, 2, True), (4, 8, False)], d
assert [p["node"] for p in d["runs"][1]["parts"]] == ["alpha", "n9", "n10", "zeta1"], d
assert all(p["network"] == "IB" and p["rails"] == 8 for p in d["runs"][1]["parts"]), d
assert all(s["wrong"] == 0 and s["bus_mbytes"] > 0 for r in d["runs"] for p in r["parts"] for s in p["sizes"]), d
' "$out" 2>"$state/python" || complain "$(tail -n 1 "$state/python")"
    verdict "without -N all nodes, as JSON"
}

test_faults() {
    scene n10 nccl.init.gang=hang nccl.wrong=2
    bench 1 -N 2,4 --timeout=12
    says "fail     bench.nccl.sum        n10 4 wrong sums in 1 MiB" "pass     bench.nccl.sum        2 nodes" \
        "unknown  bench.nccl.start      4 nodes they hang: NCCL does not get its ranks connected"
    [[ $out != *"fail "*n9* && $out != *"fail "*alpha* ]] || complain "others are named: $out"
    verdict "a node with wrong sums is named; one that hangs when NCCL connects ends in time, and the smaller gang is measured"
    scene n10 nccl.reduce=hang
    bench 3 -N 2,4 --timeout=10
    says "unknown  bench.nccl.start      n10 it hangs when it adds up: an all-reduce does not end" \
        "unknown  bench.nccl.start      4 nodes not run: n10 could not be measured alone" "pass     bench.nccl.sum        2 nodes"
    verdict "a node that hangs alone is named, and no gang waits for it"
    scene n10 nccl.network=Socket
    bench 1
    says "fail     bench.nccl.transport  n10 NCCL fell back to sockets, expected its 8 rails; check the rails"
    verdict "sockets instead of rails are a fault of the node that has them"
    scene n10 gpu.1.processes=1
    bench 3
    says "skip     bench.nccl.start      n10 GPU 00000000:43:00.0: in use by 1 process: 4000"
    verdict "a GPU that somebody computes on is left alone"
    as_usual n10
}

test_refused() {
    run as_user salloc -Q -N2 cluster-env bench nccl -N 4
    [[ $status -eq 2 && $err == *"-N asks for 4 nodes, the job has 2"* ]] || complain "status $status: $err"
    run as_user srun -N1 cluster-env bench nccl
    [[ $status -ne 0 && $err == *"not by srun"* ]] || complain "status $status: $err"
    verdict "more nodes than the job has, and a call by srun: one line says so"
    run as_user env SLURM_JOB_ID=4711 SLURM_JOB_NODELIST=alpha,n9 SLURM_NNODES=2 cluster-env bench nccl
    [[ $status -eq 3 ]] || complain "exit status $status"
    says "unknown  bench.nccl.start  alpha exit status 1: " "unknown  bench.nccl.start  n9 exit status 1: " \
        "unknown  bench.nccl.start  2 nodes not run: alpha could not be measured alone"
    [[ $out == *"srun: error: Unable to confirm allocation for job 4711: Invalid job id specified"* ]] || complain "$out"
    verdict "a step that Slurm refuses: unknown, with srun's words"
}

nothing_runs() {
    local left
    left=$(users_processes) && [[ -z $left ]]
}
users_processes() { as_root head find /proc -maxdepth 1 -user demo -printf '%f '; }

# As a terminal and Slurm end it, and as nobody should. salloc does not tell of a command that was killed.
test_interrupted() {
    local signal
    for signal in INT TERM KILL; do
        scene n10 nccl.reduce=hang
        run as_user salloc -Q -N4 timeout -s "$signal" 3 cluster-env bench nccl --size=1M
        [[ -z $out ]] || complain "$signal: it ended by itself: $out"
        wait_until 10 nothing_runs || complain "$signal: left: $(users_processes)"
    done
    as_usual n10
    verdict "interrupted, ended, killed: the step ends, and no process is left on any node"
}

main() {
    [[ $# -eq 1 ]] || { echo "usage: test_bench_nccl.sh SERIES" >&2; exit 2; }
    [[ $1 == forky || -v CASES ]] || skip_all "the same on all series: it runs on forky"
    local groups=(table faults refused interrupted)
    plan $((9 + ${#groups[@]}))
    patience=300 # three steps, of up to 99 s each
    start_product "$1" --hardware <("$here/hgx_tree")
    lay_doubles
    configure 'bench = { below_median = 0; };' # the doubles add up as fast as a busy machine lets them
    run_groups "$1" "${groups[@]}"
    finish
}

main "$@"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cluster-env bench nccl and its helper against a libnccl.so.2, a libcuda.so.1 and a libnvidia-ml.so.1 of ours, by
# scenario; tests/cluster/test_bench_nccl.sh has what Slurm does. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
[ "${CLUSTER_ENV_TEST_BENCHES-}" != no ] || skip_all "it measures for seconds at a time, and CLUSTER_ENV_TEST_BENCHES=no"
work=$(mktemp -d)
started=
trap 'for pid in $started; do kill "$pid" 2>/dev/null || true; done; rm -rf "$work"' EXIT
unset CUDA_VISIBLE_DEVICES NCCL_SOCKET_IFNAME NCCL_IB_DISABLE NCCL_NET SLURM_JOB_ID
echo 'reports = { log = ""; metrics = ""; };' >"$work/empty.conf" # not this machine's

build() { # DOUBLE DIR [SYMBOL...]
    double=$top/tests/doubles/$1
    shift
    sh "$double/build" "$@" 2>"$work/err" || skip_all "the double cannot be built: $(head -n 1 "$work/err")"
}
for double in nvml cuda nccl; do build "$double" "$work/lib"; done
lib=$work/lib

# A helper that finds the doubles; node I of a gang has scenario.I where there is one.
mkdir "$work/helpers"
cat >"$work/helpers/bench-nccl" <<END
#!/bin/sh
echo \$\$ >>"$work/pids"
scenario=$work/scenario
for word; do case \$word in --node=*) [ ! -e "\$scenario.\${word#*=}" ] || scenario=\$scenario.\${word#*=} ;; esac; done
export NVML_DOUBLE=\$scenario CUDA_DOUBLE=\$scenario NCCL_DOUBLE=\$scenario LD_LIBRARY_PATH=\$(cat "$work/where")
exec "$PWD/helpers/bench-nccl" "\$@"
END
chmod 755 "$work/helpers/bench-nccl"

write_scene() { # FILE [LINE...]
    file=$1
    shift
    {
        cat "$top/tests/doubles/nccl/two-gpus.scenario"
        echo "cuda.log=$work/log"
        for line; do printf '%s\n' "$line"; done
    } >"$file"
}
scene() { # [LINE...]
    rm -f "$work"/log "$work"/pids "$work"/scenario.*
    write_scene "$work/scenario" "$@"
    echo "$lib" >"$work/where"
}
# run ARGUMENT...: the text in $work/text, the exit status in $status.
run() {
    status=0
    timeout 120 ./cli/cluster-env bench nccl --config="$work/empty.conf" --helpers="$work/helpers" --size=1M "$@" \
        >"$work/text" 2>"$work/err" || status=$?
}
# says NAME STATUS PATTERN...: run ended so, and for each of these a line matches, where one is this node's name.
says() {
    name=$1 wanted=$2 missing=
    shift 2
    [ "$status" -eq "$wanted" ] || missing="exit status $status, expected $wanted
"
    for line; do
        grep -Eq -- "$line" "$work/text" || missing="$missing missing: $line
"
    done
    empty "$name" "${missing:+$missing$(cat "$work/text" "$work/err")}"
}
left() { # what still runs of the helpers
    while read -r pid; do
        grep -qs bench-nccl "/proc/$pid/cmdline" && echo "$pid"
    done <"$work/pids" || true
}

# ---------------------------------------------------------------- one node

check_good() {
    scene "nccl.ended=$work/ended" nccl.log=INFO\ NVLS\ comm\ 0x1
    run
    says "sums and bandwidth, by message size" 0 "^pass +bench.nccl.sum +[^ ]+ all sums are right, of 2 GPUs$" \
        "^pass +bench.nccl.bandwidth +[^ ]+ 0\.[0-9]{2} GB/s with 1 MiB over 2 GPUs$" "^ +1 MiB +0\.[0-9]{2}$" \
        "^pass +bench.nccl.transport +[^ ]+ P2P/CUMEM,NVLS$" \
        "0 failed, 0 warned, 0 unknown, 3 passed, 0 skipped"
    is "all that was taken is released" "$(cat "$work/log" "$work/ended")" "0 things are left
ended"
    is "in a pipe nothing else is said" "$(cat "$work/err")" ""
    scene gpu.*.cuda.free=22000000
    run --size=9M --json
    is "JSON has every size, and how NCCL went" "$(python3 -c '
import json, sys
document = json.load(sys.stdin)
part = document["runs"][0]["parts"][0]
print(document["schema"], document["runs"][0]["alone"], part["outcome"], part["stage"], part["gpu"], part["gpus"], part["nccl"],
      part["network"], part["via"], [size["bytes"] >> 10 for size in part["sizes"]], [size["wrong"] for size in part["sizes"]])
' <"$work/text" 2>&1)" "1 True done measure NVIDIA H100 80GB HBM3 2 2.28.9 IB P2P/CUMEM [2304, 9216] [0, 0]"
    scene count=1
    run
    says "one GPU: its sums are looked at, there is no bandwidth" 0 "^pass .* of 1 GPUs$" "^skip +bench.nccl.bandwidth "
}

check_faults() {
    scene nccl.wrong=3
    run
    says "wrong sums" 1 "^fail +bench.nccl.sum +[^ ]+ 6 wrong sums in 1 MiB; test memory and computing"
    scene
    { cat "$work/empty.conf"; echo 'bench = { nccl_node = 10; };'; } >"$work/floor.conf"
    run --config="$work/floor.conf"
    says "below the site's floor" 1 "^fail +bench.nccl.bandwidth +.*, expected at least 10; check the GPUs' links"
    scene nccl.init=error:2 "nccl.log=WARN no"
    run
    says "NCCL that does not connect is a fault" 1 "^fail +bench.nccl.start +.* ncclCommInitRank: unhandled system error \(2\): as the scenario"
    scene nccl.reduce=error:3
    run
    says "so is one that fails later" 1 "^fail +bench.nccl.start +.* an all-reduce: internal error \(3\)"
    is "and releases all" "$(cat "$work/log")" "0 things are left"
    scene nccl.version=30001
    run
    says "another major version" 3 "^unknown +bench.nccl.start +.* NCCL 3.0.1 \(30001\): expected version 2"
    scene nccl.version=2708
    run
    says "one that counts as before 2.9" 0 "^pass "
    scene nccl.get_version=error:3
    run
    says "one that does not say" 3 "^unknown .* ncclGetVersion: internal error"
}

check_taken() {
    mkdir "$work/mps"
    : >"$work/mps/control"
    scene "cuda.mps=$work/mps"
    CUDA_MPS_PIPE_DIRECTORY=$work/mps run
    says "whoever waits at MPS's pipes is not talked to" 0 "^pass +bench.nccl.sum "
    scene gpu.1.processes=2 gpu.*.context=crash
    run
    says "a GPU in use: nothing is touched" 0 "^skip +bench.nccl.start +.* GPU 00000000:43:00.0: in use by 2 processes: 4000, 4001"
    scene gpu.0.processes=error:999 gpu.*.context=crash
    run
    says "nor where nobody can tell" 3 "^unknown .* GPU 00000000:1B:00.0: cannot tell whether it is in use: NVML: "
    scene gpu.0.mig.mode=1 gpu.*.context=crash
    run
    says "MIG mode" 0 "^skip .* GPU 00000000:1B:00.0: MIG mode is on"
}

check_trouble() {
    scene cuda.init=error:100
    run
    says "no GPU" 0 "^skip .* CUDA shows no GPU"
    scene gpu.*.cuda.free=1000000
    run
    says "no free memory" 3 "^unknown .* no free memory: 0 of 81559 MiB are free"
    scene nccl.init=hang
    begun=$(date +%s)
    run --timeout=1
    says "NCCL hangs when it connects" 3 "^unknown .* it hangs when NCCL connects: NCCL does not get its ranks connected"
    scene nccl.reduce=hang
    run --timeout=1
    says "an all-reduce that does not end" 3 "^unknown .* it hangs when it adds up: an all-reduce does not end"
    scene cuda.init=hang
    run --timeout=1
    says "a driver that hangs" 3 "^unknown .* it hangs when it takes its GPUs: no answer in "
    is "each within its bound" "$(($(date +%s) - begun < 60))" 1
    is "and nothing is left running" "$(left)" ""
    scene nccl.init=crash
    run
    says "a crash has its signal" 3 "^unknown .* ended by signal 6"
    status=0
    ./cli/cluster-env bench nccl --config="$work/empty.conf" --helpers="$work/none" >"$work/text" 2>"$work/err" || status=$?
    says "no helper" 3 "^unknown .* cannot run $work/none/bench-nccl: No such file or directory"
}

# Wherever it ends, what it took is released.
check_released() {
    for fault in gpu.1.stream=error:1 gpu.1.context=error:2 gpu.1.alloc=error:2 gpu.0.write=error:1 gpu.0.read=error:1 \
        gpu.0.query=error:700 gpu.*.alloc_host=error:2 nccl.unique_id=error:2 nccl.init=error:1 nccl.reduce=error:1; do
        scene "$fault"
        "$work/helpers/bench-nccl" >"$work/text" 2>&1 || true
        is "$fault fails and releases all" "$(grep -c '^nccl.outcome=failed$' "$work/text") $(cat "$work/log")" \
            "1 0 things are left"
    done
}

check_interrupt() {
    scene nccl.reduce=hang
    ./cli/cluster-env bench nccl --config="$work/empty.conf" --helpers="$work/helpers" --size=1M >/dev/null 2>&1 &
    started=$!
    until [ -s "$work/pids" ]; do sleep 0.1; done
    sleep 0.5
    kill -INT "$started" 2>/dev/null
    kill "$started"
    wait "$started" 2>/dev/null || true
    started=
    tries=0
    while [ -n "$(left)" ] && [ $tries -lt 50 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    is "interrupted, no helper is left" "$(left)" ""
}

check_libraries() {
    for double in nvml cuda; do build "$double" "$work/old"; done
    build nccl "$work/old" ncclGetLastError
    lib=$work/old
    scene nccl.init=error:2
    run
    says "a function that only tells more may be missing" 1 "^fail .* ncclCommInitRank: unhandled system error \(2\); look"
    build nccl "$work/old" ncclCommAbort
    run
    says "one that is needed may not" 3 "^unknown .* libnccl.so.2 does not have ncclCommAbort"
    rm "$work/old/libnccl.so.2"
    scene gpu.*.context=crash
    if ! ldconfig -p 2>/dev/null | grep -q libnccl.so.2; then
        run
        says "without NCCL: skipped, with the reason" 0 "^skip .* libnccl.so.2: cannot open shared object file"
    fi
    scene
    run --library="$work/lib/libnccl.so.2"
    says "--library says where it is" 0 "^pass +bench.nccl.sum "
    rm "$work/old/libcuda.so.1"
    if ! ldconfig -p 2>/dev/null | grep -q libcuda.so.1; then
        run
        says "without a driver: skipped" 0 "^skip .* libcuda.so.1: cannot open shared object file"
    fi
    build cuda "$work/old"
    rm "$work/old/libnvidia-ml.so.1"
    scene gpu.*.context=crash
    if ! ldconfig -p 2>/dev/null | grep -q libnvidia-ml.so.1; then
        run --library="$work/lib/libnccl.so.2"
        says "without NVML nothing is touched" 3 "^unknown .* cannot tell whether GPUs are in use: libnvidia-ml.so.1"
    fi
    lib=$work/lib
}

# ---------------------------------------------------------------- several nodes

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')

begin_node() { # NODES NODE [ARGUMENT...]: its text is $work/node.NODE
    nodes=$1 node=$2
    shift 2
    CLUSTER_ENV_BENCH_TOKEN=${token:-secret} timeout 60 "$work/helpers/bench-nccl" --name="n$node" --nodes="$nodes" \
        --node="$node" --address=127.0.0.1 --port="$port" --meet="${meet_ms:-4000}" --limit="${limit_ms:-7000}" "$@" >"$work/node.$node" 2>&1 &
    started="$started $!"
}
end_nodes() {
    for pid in $started; do wait "$pid" || true; done
    started=
}
gang() { # NODES
    for i in $(seq 0 $(($1 - 1))); do begin_node "$1" "$i"; done
    end_nodes
}
words() { # KEY: of all nodes
    sed -n "s/^nccl\.$1=//p" "$work"/node.? | paste -sd'|'
}

check_gang() {
    scene
    gang 3
    is "three nodes add up" "$(words outcome) $(words ranks) $(words size.0.wrong)" "done|done|done 6|6|6 0|0|0"
    write_scene "$work/scenario.1" nccl.wrong=2
    gang 3
    is "wrong sums are those of the node that has them" "$(words size.0.wrong)" "0|4|0"
    write_scene "$work/scenario.1" nccl.addend=1
    gang 3
    is "of what one adds wrong all have them" "$(words size.0.wrong)" "2|2|2"
    write_scene "$work/scenario.1" nccl.version=22105
    gang 3
    is "versions that differ are named" "$(words reason)" \
        "n1 has NCCL 2.21.5, n0 has 2.28.9|n1 has NCCL 2.21.5, n0 has 2.28.9|n1 has NCCL 2.21.5, n0 has 2.28.9"
    write_scene "$work/scenario.2" gpu.0.processes=1
    write_scene "$work/scenario.1"
    gang 3
    is "one that can take no part says so to all" "$(words outcome) $(sed -n 's/^nccl.reason=//p' "$work/node.1")" \
        "others|others|skipped n2: GPU 00000000:1B:00.0: in use by 1 process: 4000"
    begun=$(date +%s)
    write_scene "$work/scenario.2" nccl.init=error:2
    gang 3
    is "NCCL that fails on one node ends the test of all" "$(words outcome)" "others|others|failed"
    is "at once" "$(($(date +%s) - begun < 8))" 1
    scene
    begin_node 3 0
    begin_node 3 1
    end_nodes
    is "a node that never comes" "$(words reason | cut -d'|' -f1-2)" \
        "2 of 3 nodes came to 127.0.0.1, port $port, node 2 did not|2 of 3 nodes came to 127.0.0.1, port $port, node 2 did not"
}

# As the preflight does it: each says whether it could, and begins when all can.
begin_waiting() { # NODE
    timeout 60 "$work/helpers/bench-nccl" --name="n$1" --nodes=2 --node="$1" --address=127.0.0.1 --wait \
        --bytes=1048576 --least=1048576 <"$work/in.$1" >"$work/node.$1" 2>&1 &
    started="$started $!"
}
both_are_ready() {
    tries=0
    until [ "$(cat "$work"/node.[01] | grep -c '^nccl.ready=')" -eq 2 ]; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || return 1
        sleep 0.1
    done
}
check_wait() {
    scene
    rm -f "$work"/node.?
    mkfifo "$work/in.0" "$work/in.1"
    begin_waiting 0
    begin_waiting 1
    exec 7>"$work/in.0" 8>"$work/in.1"
    both_are_ready || true
    meet=$(sed -n 's/^nccl.ready=//p' "$work/node.0")
    is "who waits says where it is met, and nothing is used of NCCL yet" "$((${meet:-0} > 0)) $(words ready | cut -d'|' -f2) $(words began.init)" "1 0 "
    echo "$meet token 8000 20000" >&7
    echo "$meet token 8000 20000" >&8
    exec 7>&- 8>&-
    end_nodes
    is "told to, they add up, in one size" "$(words outcome) $(words size.0.bytes) $(words size.1.bytes)" "done|done 1048576|1048576 "
    status=0
    timeout 60 "$work/helpers/bench-nccl" --nodes=2 --node=1 --address=127.0.0.1 --wait </dev/null >"$work/node.0" 2>&1 || status=$?
    is "whose starter is gone gives all back" "$status $(sed -n 's/^nccl.reason=//p' "$work/node.0") $(tail -n 1 "$work/log")" \
        "0 no word to begin came 0 things are left"
    scene gpu.1.processes=1
    timeout 60 "$work/helpers/bench-nccl" --nodes=2 --node=1 --address=127.0.0.1 --wait </dev/null >"$work/node.0" 2>&1 || true
    is "who cannot does not wait" "$(grep -cE '^nccl.(ready|began.meet)=' "$work/node.0") $(sed -n 's/^nccl.outcome=//p' "$work/node.0")" "0 skipped"
    status=0
    ./helpers/bench-nccl --wait >"$work/text" 2>&1 || status=$?
    is "alone nobody waits" "$status" 2
}

# What the driver says of the hardware is told from all else that fails: 714, a hardware stack error, may be a stack
# that is too small.
check_hardware() {
    for code in 214 714 700 2; do
        scene "gpu.1.query=error:$code"
        "$work/helpers/bench-nccl" >"$work/text" 2>&1 || true
        is "CUDA's error $code" "$(sed -n 's/^nccl.outcome=//p' "$work/text") $(sed -n 's/^nccl.hardware=//p' "$work/text")" \
            "failed $([ $code != 214 ] || echo 1)"
    done
    scene nccl.reduce=error:1
    "$work/helpers/bench-nccl" >"$work/text" 2>&1 || true
    is "NCCL's unhandled CUDA error may be a driver too old" "$(grep -c '^nccl.hardware=' "$work/text")" 0
}

# Whoever else comes to the port takes no part, and holds nobody up.
check_strangers() {
    scene
    rm -f "$work"/node.?
    meet_ms=20000 limit_ms=30000 # for both, and the strangers take their time
    begin_node 2 0
    python3 - "$port" "$work/stranger" <<'END' &
import socket, sys, time
def dial():
    for _ in range(100):
        try:
            return socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        except OSError:
            time.sleep(0.05)
silent = [dial() for _ in range(70)]
garbage = dial()
garbage.sendall(b"GET / HTTP/1.0\r\n\r\n" * 100)
guess = dial()
guess.sendall(b"ce-bench-nccl 1\0".ljust(16, b"\0") + b"guess".ljust(40, b"\0") + b"\1" + b"\0" * 600)
guess.settimeout(2)
try:
    told = guess.recv(1000)
except OSError:
    told = b""
open(sys.argv[2], "w").write("%d bytes" % len(told))
END
    stranger=$!
    started="$started $stranger"
    until [ -s "$work/stranger" ]; do
        kill -0 "$stranger" 2>/dev/null || break
        sleep 0.1
    done
    begin_node 2 1
    end_nodes
    unset meet_ms limit_ms
    is "strangers are told nothing" "$(cat "$work/stranger")" "0 bytes"
    is "and the nodes meet all the same" "$(words outcome)" "done|done"
    begin_node 2 0
    token=other begin_node 2 1
    end_nodes
    is "another gang's token does not fit" "$(words outcome)" "others|others"
    status=0
    CLUSTER_ENV_BENCH_TOKEN='' ./helpers/bench-nccl --nodes=2 --node=0 --address=127.0.0.1 --port="$port" >"$work/text" 2>&1 || status=$?
    is "without a token there is no gang" "$status $(cat "$work/text")" "2 bench-nccl: CLUSTER_ENV_BENCH_TOKEN is not set"
}

# Far more nodes than strangers have places: all of them have said who they are before node 0 listens to them.
check_many() {
    scene
    rm -f "$work"/node.?
    mkfifo "$work/in.many"
    timeout 60 "$work/helpers/bench-nccl" --name=n0 --nodes=101 --node=0 --address=127.0.0.1 --wait <"$work/in.many" >"$work/node.0" 2>&1 &
    started="$started $!"
    exec 7>"$work/in.many"
    tries=0
    until grep -q '^nccl.ready=' "$work/node.0" || [ $tries -eq 300 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    python3 - "$(sed -n 's/^nccl.ready=//p' "$work/node.0")" <<'END' >"$work/text" 2>&1 || true
import os, socket, struct, sys
word = struct.Struct("=16s40s6I2Q128s64s160s")
def say(node):
    link = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=30)
    link.sendall(word.pack(b"ce-bench-nccl 1", b"secret", node, 2, 22809, 0, 0, 0, 0, 0, b"", b"n%d" % node, b""))
    return link
def hear(link):
    said = b""
    while len(said) < word.size:
        part = link.recv(word.size - len(said))
        if not part:
            return "nothing"
        said += part
    fields = word.unpack(said)
    return "%d ranks%s" % (fields[5], fields[-1].rstrip(b"\0").decode())
links = [say(node) for node in range(1, 101)]
os.write(7, b"%s secret 20000 20000\n" % sys.argv[1].encode())
print(sorted({hear(link) for link in links}))
END
    exec 7>&-
    end_nodes
    is "a hundred nodes that come at once are all let in" "$(cat "$work/text")" "['202 ranks']"
}

# ---------------------------------------------------------------- a job

# srun that starts the tasks here.
fake_srun() { # LINE...
    mkdir -p "$work/bin"
    { echo '#!/bin/bash'; printf '%s\n' "$@"; } >"$work/bin/srun"
    chmod 755 "$work/bin/srun"
}
srun_starts() {
    # shellcheck disable=SC2016 # for srun to expand
    fake_srun "echo \"\$*\" >>'$work/lines'; env >'$work/environment'" \
        'while [[ $1 == -* ]]; do [[ $1 != --ntasks=* ]] || n=${1#*=}; shift; done' \
        'for ((i = 0; i < n; i++)); do
            SLURMD_NODENAME=n$((i + 1)) SLURM_PROCID=$i SLURM_STEP_NUM_TASKS=$n PRIMARY_IP=127.0.0.1 PRIMARY_PORT='"$port"' \
                "$@" | sed "s/^/$i: /" &
         done; echo "0: a TaskProlog prints"; wait'
}
in_job() {
    status=0
    SLURM_JOB_ID=7 SLURM_JOB_NODELIST='n[1-2]' SLURM_NNODES=2 SLURM_NTASKS=2 SLURM_JOB_NUM_NODES=2 \
        SLURM_GPUS_PER_TASK=1 PATH=$work/bin:$PATH timeout 100 ./cli/cluster-env bench nccl --config="$work/empty.conf" \
        --helpers="$work/helpers" --size=1M "$@" >"$work/text" 2>"$work/err" || status=$?
}

check_job() {
    scene
    srun_starts
    in_job -N 1,2
    says "in a job: each node alone, then together" 0 "^pass +bench.nccl.sum +n1 .* of 2 GPUs$" "^pass +bench.nccl.sum +n2 " \
        "^pass +bench.nccl.sum +2 nodes all sums are right, of 4 GPUs$" "^pass +bench.nccl.transport +2 nodes IB: P2P/CUMEM,NET/IB,GDRDMA$" \
        "^ +message +1 node +2 nodes$" "^ +1 +2 +0\.[0-9]+ +100 % +P2P/CUMEM$" "^ +2 +4 +0\.[0-9]+ +[0-9]+ % +P2P/CUMEM,NET/IB,GDRDMA$"
    is "two steps, with the plugin, of all GPUs" "$(grep -c -- '--ntasks-per-node=1 --relative=0 .* --cluster-env ' "$work/lines") $(
        grep -c SLURM_GPUS_PER_TASK "$work/environment")" "2 0"
    is "the token is on no command line" "$(grep -c "$(sed -n 's/^CLUSTER_ENV_BENCH_TOKEN=//p' "$work/environment")" "$work/lines")" 0
    fake_srun 'echo "srun: error: Unable to confirm allocation for job 7: Invalid job id specified" >&2; exit 1'
    in_job
    says "srun refuses: each node is unknown, with its words" 3 \
        "^unknown +bench.nccl.start +n1 exit status 1: srun: error: Unable to confirm allocation for job 7" "^unknown +bench.nccl.start +n2 " \
        "^unknown +bench.nccl.start +2 nodes not run: n1 could not be measured alone"
    fake_srun 'echo "1: format=1"; echo "1: nccl.outcome=well"; echo "1: end=1"; echo "x"'
    in_job
    says "what tasks say that makes no sense" 3 "^unknown .* n1 no word came of it" "^unknown .* n2 what it says was not understood: nccl.outcome=well"
    fake_srun 'exit 0'
    in_job -N 4
    is "more nodes than the job has" "$status $(cat "$work/err")" "2 cluster-env bench nccl: -N asks for 4 nodes, the job has 2"
    status=0
    SLURM_JOB_ID=7 SLURM_PROCID=0 SLURM_STEP_ID=0 SLURM_STEP_NODELIST='n[1-2]' SLURM_JOB_NODELIST='n[1-2]' \
        ./cli/cluster-env bench nccl --config="$work/empty.conf" >"$work/text" 2>"$work/err" || status=$?
    is "as a task of a step" "$status $(grep -c 'not by srun' "$work/err")" "2 1"
}

# ---------------------------------------------------------------- what stays

keep_here() { # LINE...: a configuration that keeps runs in $work/kept
    rm -rf "$work/kept"
    mkdir "$work/kept"
    { echo "reports = { log = \"$work/kept/health.jsonl\"; metrics = \"$work/kept\"; };"; printf '%s\n' "$@"; } >"$work/keep.conf"
}
# kept PYTHON: of the last line kept
kept() { python3 -c "import json, sys; line = json.loads(open(sys.argv[1]).readlines()[-1]); print($1)" "$work/kept/health.jsonl" 2>&1; }

check_kept() {
    own=$(uname -n | sed 's/[.].*//')
    keep_here 'bench = { nccl_node = 10; };'
    scene
    SLURMD_NODENAME=n9 run --config="$work/keep.conf" --report --json
    is "--report: the line of the log, as of the other tests" \
        "$(kept '[line[k] for k in ("node", "phase", "test", "done")], line["counts"]["fail"], line["findings"][0]["response"], bool(line["boot_id"])')" \
        "['n9', 'bench', 'nccl', 'observed'] 1 drain True"
    is "with what was measured" "$(kept '[(m["what"], m["device"], m["unit"], 0 < m["value"] < 10) for m in line["measured"]]')" \
        "[('nccl.allreduce', '', 'GB/s', True)]"
    is "and JSON has the node and the reason" "$(python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(d["node"], d["reason"])' "$work/text")" \
        "n9 $(kept 'line["reason"]')"
    metrics=$work/kept/cluster_env_bench_nccl.prom
    is "and metrics" "$(grep -c -e '^cluster_env_measured{phase="bench_nccl",what="nccl.allreduce",device="",unit="GB/s"} 0[.]' \
        -e '^cluster_env_check_findings{phase="bench_nccl",check="bench.nccl.bandwidth",verdict="fail",response="drain"} 1$' "$metrics")" 2
    if command -v promtool >/dev/null; then
        empty "promtool finds nothing to say of them" "$(promtool check metrics <"$metrics" 2>&1)"
    else
        skip "promtool finds nothing to say of them" "prometheus is not installed"
    fi
    keep_here 'bench = { nccl_node = 10; };' 'checks = ( { name = "bench.nccl.*"; fault = "warn"; } );'
    run --config="$work/keep.conf" --report
    says "a fault that the site only wants to hear of" 1 "^fail +bench.nccl.bandwidth "
    is "drains nobody" "$(grep -c 'reason to drain' "$work/text") $(kept 'line["done"], line["node"]')" "0 nothing $own"
    run --config="$work/keep.conf" --no-report
    is "--no-report" "$(wc -l <"$work/kept/health.jsonl")" 1
}

# Of a job's nodes the one that calls keeps what is said of it, and of the gangs that it is in.
check_kept_in_job() {
    srun_starts
    keep_here 'bench = { nccl_node = 10; nccl_gang = 10; };'
    scene
    SLURMD_NODENAME=n2 in_job --config="$work/keep.conf" --report -N 1,2
    is "in a job: of this node, alone and in the gang" \
        "$(kept 'line["node"], sorted({f["subject"] for f in line["findings"]}), [(m["what"], m["device"]) for m in line["measured"]]')" \
        "n2 ['2 nodes', 'n2'] [('nccl.allreduce', ''), ('nccl.allreduce.gang', '2 nodes')]"
    is "nobody is drained for what they did together" \
        "$(kept '[(f["subject"], f["response"]) for f in line["findings"]], line["reason"].split()[0]')" "[('n2', 'drain'), ('2 nodes', 'warn')] n2"
    is "no line of the metrics stands twice" "$(grep -v '^#' "$work/kept/cluster_env_bench_nccl.prom" | sed 's/ [^ ]*$//' | sort | uniq -d)" ""
    rm "$work/kept/health.jsonl"
    SLURMD_NODENAME=login in_job --config="$work/keep.conf" --report
    is "a node that took no part keeps nothing, and says so" "$(ls "$work/kept") $(cat "$work/err")" \
        "cluster_env_bench_nccl.prom cluster-env bench nccl: nothing is kept: login is none of the nodes that were tested"
}

# ---------------------------------------------------------------- usage

usage() { # TEXT ARGUMENT...
    text=$1 status=0
    shift
    ./cli/cluster-env bench nccl --config="$work/empty.conf" "$@" >"$work/text" 2>"$work/err" || status=$?
    is "bench nccl $*" "$status $(grep -cF -- "$text" "$work/err")" "2 1"
}

check_usage() {
    usage "not inside a Slurm job" -N 2
    usage "--nodes='4,2': expected numbers of nodes that grow" -N 4,2
    usage "--nodes='2,,4': expected numbers" -N 2,,4
    usage "--nodes='0': expected numbers" -N 0
    usage "--here and --nodes exclude one another" --here -N 2
    usage "--size=4: expected as in 512M or 4G" --size=4
    usage "--size=2T: expected as in 512M or 4G" --size=2T
    usage "--seconds=0: expected a number from 1 to 600" --seconds=0
    usage "--part=all: expected alone or gang" --part=all
    for word in --nodes=2 --node=1 --bytes=1 --gpus=2 x; do
        status=0
        ./helpers/bench-nccl "$word" >/dev/null 2>&1 || status=$?
        is "the helper with $word" "$status" 2
    done
}

check_good
check_faults
check_taken
check_trouble
check_released
check_interrupt
check_libraries
check_gang
check_wait
check_hardware
check_strangers
check_many
check_kept
check_job
check_kept_in_job
check_usage
finish

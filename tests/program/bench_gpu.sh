#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cluster-env bench gpu against a libcuda.so.1 and a libnvidia-ml.so.1 of ours, by scenario. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
[ "${CLUSTER_ENV_TEST_BENCHES-}" != no ] || skip_all "it measures for seconds at a time, and CLUSTER_ENV_TEST_BENCHES=no"
work=$(mktemp -d)
bench=
trap '[ -z "$bench" ] || kill "$bench" 2>/dev/null || true; rm -rf "$work"' EXIT
unset CUDA_VISIBLE_DEVICES

build() { # DOUBLE DIR [SYMBOL...]
    double=$top/tests/doubles/$1
    shift
    sh "$double/build" "$@" 2>"$work/err" || skip_all "the double cannot be built: $(head -n 1 "$work/err")"
}
build nvml "$work/lib"
build cuda "$work/lib"
lib=$work/lib

cat >"$work/machine" <<'END'
proc/sys/kernel: hostname=gpu007
sys/class/net/lo: ifindex=1 type=772 flags=0x9
sys/bus/pci/devices/0000:1b:00.0: vendor=0x10de device=0x2330 class=0x030200
sys/bus/pci/devices/0000:43:00.0: vendor=0x10de device=0x2330 class=0x030200
sys/bus/pci/devices/0000:52:00.0: vendor=0x10de device=0x2330 class=0x030200
sys/bus/pci/devices/0000:60:00.0: vendor=0x1a03 device=0x2000 class=0x030000
END
sh "$top/tests/fixtures/unpack" "$work/machine" "$work/tree"

# A helper that finds the doubles.
mkdir "$work/helpers"
cat >"$work/helpers/bench-gpu" <<END
#!/bin/sh
echo \$\$ >>"$work/pids"
NVML_DOUBLE=$work/scenario CUDA_DOUBLE=$work/scenario LD_LIBRARY_PATH=\$(cat "$work/where") exec "$PWD/helpers/bench-gpu" "\$@"
END
chmod 755 "$work/helpers/bench-gpu"

scene() { # [LINE...]
    {
        cat "$top/tests/doubles/cuda/hgx-h100.scenario"
        echo "cuda.log=$work/log"
        for line; do printf '%s\n' "$line"; done
    } >"$work/scenario"
    rm -f "$work/log" "$work/pids"
    echo "$lib" >"$work/where"
}
# run ARGUMENT...: the text in $work/text, the exit status in $status.
run() {
    status=0
    timeout 120 ./cli/cluster-env bench gpu --helpers="$work/helpers" --root="$work/tree" --seconds=1 "$@" \
        >"$work/text" 2>"$work/err" || status=$?
}
# says NAME STATUS LINE...: run ended so, and each of these is the beginning of a line of its text.
says() {
    name=$1 wanted=$2 missing=
    shift 2
    [ "$status" -eq "$wanted" ] || missing="exit status $status, expected $wanted
"
    for line; do
        awk -v line="$line" 'index($0, line) == 1 { found = 1 } END { exit !found }' "$work/text" ||
            missing="$missing missing: $line
"
    done
    empty "$name" "${missing:+$missing$(cat "$work/text" "$work/err")}"
}
one="GPU 0 (0000:1b:00.0)" two="GPU 1 (0000:43:00.0)" three="GPU 2 (0000:52:00.0)"

# ---------------------------------------------------------------- a good machine

check_good() {
    scene
    run
    says "every test of every GPU of NVIDIA's is told" 0 \
        "pass     bench.gpu.h2d     $one 55.3 GB/s, at least 48" \
        "pass     bench.gpu.d2h     $two 54.1 GB/s, at least 48" \
        "pass     bench.gpu.d2d     $three 1290.0 GB/s" \
        "pass     bench.gpu.p2p     $one to 2 peers: 381.2 to 381.2 GB/s" \
        "pass     bench.gpu.memory  $one 5 MiB, " \
        "pass     bench.gpu.load    $three " \
        "pass     bench.gpu.ecc     $two no memory error during the tests" \
        "0 failed, 0 warned, 0 unknown, 21 passed, 0 skipped"
    is "clock and power that the load reached" "$(grep -c 'bench.gpu.load .* TFLOPS at 1980 MHz and 650 W$' "$work/text")" 3
    is "all that was taken is released" "$(sort -u "$work/log")" "0 things are left"
    run --json --tests=h2d,memory
    is "JSON has the numbers" "$(python3 -c '
import json, sys
document = json.load(sys.stdin)
gpu = document["gpus"][2]
print(document["schema"], document["node"], gpu["address"], gpu["name"], gpu["measured"]["h2d.mbytes"] // 100,
      gpu["measured"]["d2h.mbytes"], gpu["measured"]["memory.wrong"], len(document["findings"]),
      document["findings"][0]["verdict"])' <"$work/text" 2>&1)" "1 gpu007 0000:52:00.0 NVIDIA H100 80GB HBM3 552 None 0 9 pass"
}

# ---------------------------------------------------------------- slow, wrong

check_faults() {
    scene gpu.1.h2d=31000
    run --tests=h2d
    says "below the floor of the model" 1 "fail     bench.gpu.h2d  $two 31.0 GB/s, expected at least 48; check width" \
        "pass     bench.gpu.h2d  $one"
    run --tests=h2d --floor=h2d=30
    says "a floor that is given counts instead" 0 "pass     bench.gpu.h2d  $one 55.3 GB/s, at least 30" \
        "warn     bench.gpu.h2d  $two 31.0 GB/s, 44 % below the median of 55.3"
    scene gpu.2.d2d=1200000
    run --tests=d2d
    says "below the median of the others" 0 "warn     bench.gpu.d2d  $three 1200.0 GB/s, 7 % below the median of 1290.0"
    run --tests=d2d --below=8
    says "not by so much" 0 "pass     bench.gpu.d2d  $three 1200.0 GB/s"
    scene gpu.0.peer.2=201000
    run --tests=p2p
    says "a slow way from GPU to GPU is named, the others are good" 1 \
        "fail     bench.gpu.p2p  $one to 0000:52:00.0 201.0 GB/s, expected at least 335" \
        "pass     bench.gpu.p2p  $one to 1 peer: " "pass     bench.gpu.p2p  $three to 2 peers"
    scene "gpu.*.name=Tesla T4" gpu.*.peer.*=0
    run --tests=h2d,p2p
    says "another model: no floor, and no way to peers" 0 "pass     bench.gpu.h2d  $one 55.3 GB/s" \
        "skip     bench.gpu.p2p  $one to 0000:43:00.0 no access to it"
    scene gpu.1.stuck=300000:17
    run --tests=memory --seconds=4 # time for all patterns, also on a busy machine
    says "a wrong bit in memory: where, what, instead of what" 1 \
        "fail     bench.gpu.memory  $two 1 wrong word, first at 0x20000300000: 0x0000000100020000, expected 0x0000000100000000; exchange the GPU (RMA)" \
        "pass     bench.gpu.memory  $one"
    run --tests=memory --json
    is "and all its wrong bits" "$(sed -n 's/^ *"wrong_bits": "\(.*\)".*/\1/p' "$work/text" | sort | tail -n 1)" 0x0000000000020000
    scene gpu.0.fma.ms=15
    run --tests=load
    says "a GPU that computes slower than the others" 0 "warn     bench.gpu.load  $one 0.3 TFLOPS at 1980 MHz and 650 W, 33 % below the median of 0.4"
    scene gpu.2.miscount=3
    run --tests=load
    says "threads that compute wrong" 1 "fail     bench.gpu.load  $three "
    is "are counted" "$(grep -c '^fail .* threads computed a wrong result at 1980 MHz' "$work/text")" 1
    scene gpu.1.ecc.total.1.0=then:0:2 gpu.2.ecc.total.0.0=then:5:9
    run --tests=d2h
    says "memory errors that NVML counts meanwhile" 1 \
        "fail     bench.gpu.ecc  $two 2 uncorrected memory errors during the tests" \
        "warn     bench.gpu.ecc  $three 4 corrected memory errors during the tests"
    scene gpu.1.check=error:214
    run --tests=memory,load
    says "one that CUDA tells ends the GPU's tests" 1 \
        "fail     bench.gpu.memory  $two reading a pattern: CUDA_ERROR_ECC_UNCORRECTABLE (214)" \
        "skip     bench.gpu.load    $two not run: memory failed" "pass     bench.gpu.load    $one"
    scene gpu.1.h2d=error:700
    run --tests=h2d,memory
    says "and the GPU is left alone" 3 "unknown  bench.gpu.h2d     $two copying: CUDA_ERROR_ILLEGAL_ADDRESS (700)" \
        "pass     bench.gpu.memory  $three"
    is "with the reason" "$(grep -c "^skip .*memory  $two not run: h2d failed$" "$work/text")" 1
}

# ---------------------------------------------------------------- what stays

check_kept() {
    mkdir -p "$work/metrics"
    {
        echo "reports = { log = \"$work/kept/health.jsonl\"; metrics = \"$work/metrics\"; };"
        echo 'bench = { below_median = 20; };'
    } >"$work/keep.conf"
    scene gpu.1.h2d=31000 gpu.2.d2d=1200000
    run --tests=h2d,d2d,p2p,load --config="$work/keep.conf"
    says "what the node would be drained for is said" 1 \
        "reason to drain this node (by hand nobody does): $two 31.0 GB/s, expected at least 48; check width and generation of its PCIe link, and its slot [cluster-env bench.gpu.h2d]" \
        "pass     bench.gpu.d2d   $three 1200.0 GB/s"
    is "a recorded tree is kept only where that is asked for" "$(find "$work/kept" "$work/metrics" -type f 2>/dev/null)" ""
    run --tests=h2d,d2d,p2p,load --config="$work/keep.conf" --report --node=n7 --json
    is "--report: the same line as the prolog's, and the document has the reason too" "$(python3 -c '
import json, sys
line, document = (json.load(open(name)) for name in sys.argv[1:])
print(line["schema"], line["node"], line["phase"], line["test"], line["job"], line["done"], line["mode"], line["checked"],
      line["reason"] == document["reason"], line["reason"].split(" GB/s")[0],
      [f["response"] for f in line["findings"]], line["counts"]["fail"])' "$work/kept/health.jsonl" "$work/text" 2>&1)" \
        "1 n7 bench gpu None observed observe True True $two 31.0 ['drain'] 1"
    is "with what was measured" "$(python3 -c '
import json, sys
got = {(m["device"], m["what"]): (m["value"], m["unit"]) for m in json.load(open(sys.argv[1]))["measured"]}
for device, what in (1, "h2d"), (2, "d2d"), (0, "p2p"), (0, "power"):
    value, unit = got["GPU %d" % device, "gpu." + what]
    print(round(value, 1), unit, end=" ")
print(got["GPU 0", "gpu.load"][1], len(got))' "$work/kept/health.jsonl" 2>&1)" \
        "31.0 GB/s 1200.0 GB/s 381.2 GB/s 650.0 W TFLOPS 18"
    metrics=$work/metrics/cluster_env_bench_gpu.prom
    is "and as metrics" "$(grep -c -e '^cluster_env_measured{phase="bench_gpu",what="gpu.d2d",device="GPU 2",unit="GB/s"} 1\(200\|199\.99.*\)$' \
        -e '^cluster_env_check_findings{phase="bench_gpu",check="bench.gpu.h2d",verdict="fail",response="drain"} 1$' "$metrics")" 2
    is "no line of them stands twice" "$(grep -v '^#' "$metrics" | sed 's/ [^ ]*$//' | sort | uniq -d)" ""
    if command -v promtool >/dev/null; then
        empty "promtool finds nothing to say of them" "$(promtool check metrics <"$metrics" 2>&1)"
    else
        skip "promtool finds nothing to say of them" "prometheus is not installed"
    fi
    echo 'checks = ( { name = "bench.gpu.*"; fault = "warn"; } );' >>"$work/keep.conf"
    run --tests=h2d --config="$work/keep.conf" --report
    says "a fault that the site only wants to hear of" 1 "fail     bench.gpu.h2d  $two"
    is "drains nobody" "$(grep -c 'reason to drain' "$work/text") $(tail -n 1 "$work/kept/health.jsonl" | grep -c '"done":"nothing"')" "0 1"
    run --tests=h2d --config="$work/keep.conf" --no-report
    is "--no-report" "$(wc -l <"$work/kept/health.jsonl")" 2
    run --tests=h2d --config="$work/missing.conf"
    is "a configuration that is not there: status 2" "$status" 2
    : >"$work/metrics/file"
    echo "reports = { log = \"$work/metrics/file/x\"; metrics = \"\"; };" >"$work/bad.conf"
    run --tests=h2d --config="$work/bad.conf" --report
    is "what cannot be kept is said, and changes nothing else" "$status $(grep -c 'not all of this run is kept' "$work/err")" "1 1"
}

# Who sits before a terminal sees that something is done; nobody else is told.
check_progress() {
    scene
    run --tests=h2d
    empty "no progress where stderr is no terminal" "$(cat "$work/err")"
    said=$(python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' ./cli/cluster-env bench gpu --helpers="$work/helpers" \
        --root="$work/tree" --seconds=1 --tests=h2d </dev/null 2>&1) || true
    is "on a terminal there is a line, which goes" "$(printf '%s' "$said" | tr '\033\r' '#<' | grep -c '<#\[Ktesting 3 GPUs<#\[K')" 1
}

# ---------------------------------------------------------------- not to be touched

check_taken() {
    mkdir "$work/mps"
    : >"$work/mps/control"
    scene "cuda.mps=$work/mps"
    CUDA_MPS_PIPE_DIRECTORY=$work/mps run --tests=h2d
    says "whoever waits at MPS's pipes is not talked to" 0 "pass     bench.gpu.h2d  $two"
    scene gpu.1.processes=2 gpu.1.context=crash
    run --tests=h2d,p2p,memory
    says "a GPU in use is never touched, not as a peer either" 0 \
        "skip     bench.gpu.start   $two in use by 2 processes: 4000, 4001" \
        "skip     bench.gpu.p2p     $one to 0000:43:00.0 in use by 2 processes: 4000, 4001" \
        "pass     bench.gpu.p2p     $one to 1 peer: "
    scene gpu.1.processes=then:0:2
    run --tests=h2d,d2h
    says "somebody who comes meanwhile has it" 0 "skip     bench.gpu.h2d  $two meanwhile in use by 2 processes: 4000, 4001" \
        "skip     bench.gpu.d2h  $two meanwhile"
    scene gpu.*.processes=error:999 gpu.*.context=crash
    run --tests=h2d
    says "where nobody can tell it is not touched" 3 "unknown  bench.gpu.start  $one cannot tell whether it is in use: NVML: "
    scene gpu.0.mig.mode=1 gpu.0.context=crash
    run --tests=h2d
    says "MIG mode" 0 "skip     bench.gpu.start  $one MIG mode is on" "pass     bench.gpu.h2d    $two"
    scene gpu.0.visible=error:101
    CUDA_VISIBLE_DEVICES=1,2 run --tests=h2d
    says "one that CUDA_VISIBLE_DEVICES hides" 0 "skip     bench.gpu.start  $one CUDA_VISIBLE_DEVICES=1,2 hides it"
}

# ---------------------------------------------------------------- trouble

check_trouble() {
    scene gpu.*.cuda.free=67000000
    run --tests=memory
    says "no free memory" 3 "unknown  bench.gpu.memory  $one no free memory: 63 of 81559 MiB are free"
    scene gpu.0.alloc_host=error:2 gpu.*.check=slow:1100
    run --tests=h2d,memory
    says "memory that is short ends one test, not all" 3 "unknown  bench.gpu.h2d     $one taking host memory: CUDA_ERROR_OUT_OF_MEMORY (2)"
    is "time for too few patterns is no pass" "$(grep -c 'unknown .* time for 1 of 4 patterns only' "$work/text")" 3
    scene cuda.init=error:802
    run --tests=h2d
    says "CUDA that does not start" 3 "unknown  bench.gpu.start  $one finding it: CUDA_ERROR_SYSTEM_NOT_READY (802)"
    scene gpu.0.module=error:221
    run --tests=memory
    says "a driver without its compiler" 3 "unknown  bench.gpu.memory  $one compiling the kernels: CUDA_ERROR_JIT_COMPILER_NOT_FOUND (221)"
    scene gpu.2.all=error:15
    run --tests=h2d
    says "a GPU that is lost is never touched" 3 "unknown  bench.gpu.start  $three "
    start=$(date +%s)
    scene gpu.1.check=hang
    run --tests=h2d,memory,load --timeout=3
    says "a test that hangs is named" 3 "unknown  bench.gpu.memory  $two the driver hangs: no answer in 5 s" \
        "skip     bench.gpu.load    $two not run: memory failed" "pass     bench.gpu.h2d     $two" "pass     bench.gpu.load    $three"
    is "and ends within its bound" "$(($(date +%s) - start < 15))" 1
    scene gpu.1.d2h=crash
    run --tests=h2d,d2h,load
    says "a crash has its signal, and nothing comes after it" 3 "pass     bench.gpu.h2d   $two" \
        "unknown  bench.gpu.d2h   $two ended by signal 6" "skip     bench.gpu.load  $two not run: d2h failed"
    start=$(date +%s)
    scene cuda.init=hang
    run --tests=h2d --timeout=1
    says "nor does a driver that hangs at once hold us" 3 "unknown  bench.gpu.start  $one the driver hangs: no answer in 2 s"
    is "for long" "$(($(date +%s) - start < 15))" 1
    is "and nothing is left running" "$(while read -r pid; do
        grep -qs bench-gpu "/proc/$pid/cmdline" && echo "$pid"; done <"$work/pids")" ""
}

# Wherever a test ends, what it took is released.
check_released() {
    for fault in alloc_host=error:2:h2d event=error:1:d2d alloc=error:2:d2h peer.1=error:700:p2p module=error:221:memory \
        check=error:214:memory read=error:1:load fma=error:719:load; do
        scene "gpu.0.${fault%:*}"
        "$work/helpers/bench-gpu" --gpu=0000:1b:00.0 --peer=0000:43:00.0 --seconds=1 --tests="${fault##*:}" >"$work/text" 2>&1 && status=0 || status=$?
        is "${fault##*:} with ${fault%:*} fails and releases all" \
            "$status $(grep -c "^${fault##*:}=failed" "$work/text") $(cat "$work/log")" "0 1 0 things are left"
    done
    scene gpu.1.alloc=error:2
    "$work/helpers/bench-gpu" --gpu=0000:1b:00.0 --peer=0000:43:00.0 --seconds=1 --tests=p2p >"$work/text" 2>&1 && status=0 || status=$?
    is "so does a peer without memory" "$status $(grep -c '^p2p=failed' "$work/text") $(cat "$work/log")" "0 1 0 things are left"
}

# The helper goes with who started it.
check_interrupt() {
    scene gpu.0.h2d=hang
    ./cli/cluster-env bench gpu --helpers="$work/helpers" --root="$work/tree" --tests=h2d >/dev/null 2>&1 &
    bench=$!
    until [ -s "$work/pids" ]; do sleep 0.1; done
    sleep 0.5
    kill "$bench"
    wait "$bench" 2>/dev/null || true
    bench=
    pid=$(cat "$work/pids")
    tries=0
    while grep -qs bench-gpu "/proc/$pid/cmdline" && [ $tries -lt 50 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    is "interrupted, no helper is left" "$(grep -s bench-gpu "/proc/$pid/cmdline")" ""
}

check_libraries() {
    build cuda "$work/old" cuEventElapsedTime_v2
    build nvml "$work/old"
    lib=$work/old
    scene
    run --tests=h2d
    says "a function's older name is taken" 0 "pass     bench.gpu.h2d  $one 55.3"
    build cuda "$work/older" cuMemsetD8_v2
    build nvml "$work/older"
    lib=$work/older
    scene
    run --tests=h2d
    says "without a function that is needed" 3 "unknown  bench.gpu.start  $one libcuda.so.1 does not have cuMemsetD8_v2"
    build nvml "$work/nvml"
    lib=$work/nvml
    scene
    if ! ldconfig -p 2>/dev/null | grep -q libcuda.so.1; then
        run --tests=h2d
        says "without CUDA: skipped, with the reason" 0 "skip     bench.gpu.start  $one libcuda.so.1: cannot open shared object file"
    fi
    build cuda "$work/cuda"
    lib=$work/cuda
    scene gpu.*.context=crash
    if ! ldconfig -p 2>/dev/null | grep -q libnvidia-ml.so.1; then
        run --tests=h2d
        says "without NVML nothing is touched" 3 "unknown  bench.gpu.start  $one cannot tell whether it is in use: libnvidia-ml.so.1"
    fi
    lib=$work/lib
    scene
    status=0
    ./cli/cluster-env bench gpu --root="$work/tree" --helpers="$work/none" >"$work/text" 2>"$work/err" || status=$?
    says "no helper" 3 "unknown  bench.gpu.start  $one cannot run $work/none/bench-gpu: No such file or directory"
    grep -v 0x10de "$work/machine" >"$work/other"
    sh "$top/tests/fixtures/unpack" "$work/other" "$work/empty"
    status=0
    ./cli/cluster-env bench gpu --root="$work/empty" >"$work/text" 2>"$work/err" || status=$?
    says "no GPU" 0 "skip     bench.gpu.start  no NVIDIA GPU"
}

# ---------------------------------------------------------------- usage

usage() { # TEXT ARGUMENT...
    text=$1 status=0
    shift
    ./cli/cluster-env bench "$@" >"$work/text" 2>"$work/err" || status=$?
    is "bench $*" "$status $(grep -cF -- "$text" "$work/err")" "2 1"
}

check_usage() {
    usage "Usage: cluster-env bench KIND"
    usage "'tpu' is not a kind of test" tpu
    usage "'h3d' is no test of a GPU; expected some of h2d,d2h,d2d,p2p,memory,load" gpu --tests=h2d,h3d
    usage "--floor=memory=4: expected h2d=GBPS" gpu --floor=memory=4
    usage "--floor=0: expected a number from 1 to 100000" gpu --floor=h2d=0
    usage "--seconds=0: expected a number from 1 to 3600" gpu --seconds=0
    status=0
    ./helpers/bench-gpu >/dev/null 2>&1 || status=$?
    is "the helper without a GPU" "$status" 2
}

check_good
check_faults
check_kept
check_progress
check_taken
check_trouble
check_released
check_interrupt
check_libraries
check_usage
finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# probe-gpu against a libnvidia-ml.so.1 of ours, by scenario; and what the checks make of what it says.
# TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
double=$top/tests/doubles/nvml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What sanitizers preload does not go with a library that is built without them.
sh "$double/build" "$work/lib" 2>"$work/err" || skip_all "the double cannot be built: $(head -n 1 "$work/err")"
mkdir "$work/none"
: >"$work/conf"

# probe SCENARIO [LINE...] -- [ARGUMENT...]: the helper's text; $lib is where the library is.
lib=$work/lib
scene() { # SCENARIO LINE...
    cp "$double/$1.scenario" "$work/scenario"
    chmod u+w "$work/scenario"
    shift
    for line; do printf '%s\n' "$line" >>"$work/scenario"; done
}
probe() {
    NVML_DOUBLE=$work/scenario LD_LIBRARY_PATH=$lib timeout 60 ./helpers/probe-gpu "$@" 2>"$work/err" ||
        echo "exit status $?"
}
value() { # KEY: of $work/text
    sed -n "s/^$1=//p" "$work/text"
}
# judge ARGUMENT...: the checks, of the text.
judge() {
    ./cli/cluster-env check --config="$work/conf" --facts="$work/text" --phase=prolog "$@"
}

# ---------------------------------------------------------------- machines

check_machine() { # SCENARIO GPUS
    scene "$1"
    probe >"$work/text"
    is "$1: $2 GPUs answer" "$(grep -c 'nvml.asked=answered' "$work/text")" "$2"
    ./cli/cluster-env facts --facts="$work/text" >"$work/again"
    is "$1: facts reads the text and prints it again" "$(sort "$work/again")" "$(sort "$work/text")"
    is "$1: nothing is wrong" "$(judge | sed 's/, [0-9]* passed.*//')" "0 failed, 0 warned, 0 unknown"
}

check_machines() {
    for machine in hgx-h100:8 a100:8 b200:8 t4:1 no-gpu:0; do
        check_machine "${machine%:*}" "${machine#*:}"
    done
    scene t4
    probe >"$work/text"
    is "a T4 has no NVLink, no row remapping, no MIG: skipped, with reasons" \
        "$(judge --all | grep -cE '^skip .*(no NVLink|no row remapping|no MIG)')" 8
    is "and its idle PCIe generation 1 is no fault" "$(judge --all --only=gpu.pcie.gen | head -n 1 | cut -c 1-4)" pass
    scene a100
    probe >"$work/text"
    is "an older driver: what it is too old to say is skipped" \
        "$(judge --all --only=gpu.recovery_action | grep -c 'driver 525.147.05 is too old to say')" 8
}

# ---------------------------------------------------------------- faults

# fault LINE CHECK TEXT: what this line of the scenario leads to.
fault() {
    scene hgx-h100 "$1"
    probe >"$work/text"
    is "$1: $2" "$(judge --only="$2" | grep -cF "$3")" 1
}

check_faults() {
    fault gpu.3.remap.failure=1 gpu.remap.failure "GPU 3 (0000:61:00.0) a row remap failed; exchange the GPU (RMA) (drain)"
    fault gpu.3.remap.pending=1 gpu.remap.pending "GPU 3 (0000:61:00.0) a row remap is pending"
    fault gpu.7.fabric.state=2 gpu.fabric "GPU 7 (0000:df:00.0) fabric registration in progress"
    fault gpu.2.link.5.active=0 gpu.nvlink.state "GPU 2 (0000:52:00.0) NVLink link 5 inactive"
    fault gpu.2.field.164.5=13281 gpu.nvlink.speed "13.281 GB/s"
    fault gpu.1.field.230.0=2 gpu.recovery_action "GPU 1 (0000:43:00.0) the driver wants the node rebooted"
    fault gpu.1.inforom=error:14 gpu.inforom "its InfoROM is corrupted"
    fault gpu.1.processes=2 gpu.processes "2 processes: 4000, 4001"
    fault gpu.1.memory.used=2147483648 gpu.memory.leftover "2048 MiB in use"
    fault gpu.1.pcie.width=4 gpu.pcie.width "PCIe x4, expected x16"
    fault gpu.1.ecc.total.1.0=1 gpu.ecc.uncorrected "1 uncorrected memory errors"
    fault gpu.1.sram.exceeded=1 gpu.sram.threshold "past NVIDIA's threshold"
    fault gpu.1.temperature=90 gpu.temperature "90 C, it slows down at 87"
    fault gpu.1.all=error:15 gpu.nvml "GPU 1 (0000:43:00.0) GPU is lost"
    fault gpu.1.handle=error:15 gpu.nvml "GPU 1 (0000:43:00.0) GPU is lost"
    is "a lost GPU: the other seven answer all the same" \
        "$(grep -c 'nvml.recovery=0' "$work/text")" 7
    scene hgx-h100 gpu.1.all=error:15
    probe >"$work/text"
    is "and nothing more is asked of it" "$(grep -c '^gpu.1.nvml' "$work/text")" 3
    scene hgx-h100 gpu.1.mig.mode=slow:2100:error:999
    probe >"$work/text"
    is "one that fails after seconds is not asked on" "$(value gpu.1.nvml.error) $(value gpu.1.nvml.remap.pending)" "10 "
    scene hgx-h100 gpu.*.fabric.version=2
    probe >"$work/text"
    is "a driver with an older form of the fabric is understood" \
        "$(value gpu.7.nvml.fabric.state) $(value gpu.7.nvml.fabric.health)" "3 old"
}

# ---------------------------------------------------------------- NVML itself

check_nvml() {
    scene hgx-h100 init=error:9
    probe --gpu=0000:1b:00.0 >"$work/text"
    is "no driver: its error and code" "$(value nvml.error), $(value nvml.code)" "the NVIDIA driver is not loaded, 9"
    is "is a fault of the node" "$(judge --only=gpu.nvml | grep -c '^fail .*the NVIDIA driver is not loaded')" 1
    scene hgx-h100 init=error:18
    probe --gpu=0000:1b:00.0 >"$work/text"
    is "driver and library of different versions: the same" "$(judge --only=gpu.nvml | grep -c '^fail .*different versions')" 1
    lib=$work/none
    probe --gpu=0000:1b:00.0 >"$work/text"
    is "no library: unknown, not a fault" "$(judge --only=gpu.nvml | grep -c '^unknown .*libnvidia-ml.so.1')" 1
    lib=$work/lib
    scene hgx-h100
    is "GPUs by address, in their order" "$(probe --gpu=0000:43:00.0 --skip=0000:1b:00.0 | grep -E 'pci=|asked')" \
        "gpu.0.pci=0000:1b:00.0
gpu.1.pci=0000:43:00.0
gpu.0.nvml.asked=skipped
gpu.1.nvml.asked=answered"
    scene hgx-h100 gpu.0.handle=hang gpu.0.all=hang
    is "one that is skipped is never asked" "$(probe --gpu=0000:43:00.0 --skip=0000:1b:00.0 | tail -n 1)" end=1
    is "a GPU that NVML does not have" "$(probe --gpu=0000:99:00.0 | grep nvml.error)" gpu.0.nvml.error=6
    is "a word too many: status 2" "$(probe all)" "exit status 2"
    is "an address that is none: status 2" "$(probe --gpu=1b)" "exit status 2"
}

# moved DRIVER ANSWERS: two fields have other numbers in some drivers, and there theirs are other fields.
moved() {
    scene hgx-h100 "driver=$1" gpu.0.field.252.0=7 gpu.0.field.253.0=8 gpu.0.field.270.0=40 gpu.0.field.271.0=50
    probe --gpu=0000:1b:00.0 >"$work/text"
    is "driver $1: the time slowed down by heat and by the power brake" \
        "$(value gpu.0.nvml.slowed.hw_thermal) $(value gpu.0.nvml.slowed.power_brake)" "$2"
}

check_moved() {
    moved 570.133.20 "old old"
    moved 575.51.03 "7 8"
    moved 580.65.06 "7 8"
    moved 580.76.05 "old old"
    moved 580.82.07 "40 50"
    moved 590.44.01 "40 50"
    moved error:999 "old old"
    moved 580 "old old"
}

check_symbols() {
    sh "$double/build" "$work/old" nvmlDeviceGetSramEccErrorStatus nvmlDeviceGetGpuFabricInfoV \
        nvmlDeviceGetMarginTemperature nvmlDeviceGetMemoryInfo_v2 nvmlDeviceGetCurrentClocksEventReasons \
        nvmlDeviceGetComputeRunningProcesses_v3
    scene hgx-h100
    lib=$work/old
    probe >"$work/text"
    is "an old library: what it lacks it cannot say" "$(value gpu.0.nvml.sram.exceeded) $(value gpu.0.nvml.memory.used)" "old old"
    is "functions of older names are taken" "$(value gpu.0.nvml.clocks.reasons) $(value gpu.0.nvml.processes)" "1 0"
    is "and the fabric's older form" "$(value gpu.0.nvml.fabric.state)" 3
    is "nothing is wrong with it" "$(judge | sed 's/, [0-9]* passed.*//')" "0 failed, 0 warned, 0 unknown"
    sh "$double/build" "$work/bad" nvmlDeviceGetHandleByPciBusId_v2
    lib=$work/bad
    is "without what is needed there is no answer" "$(probe | grep nvml.error)" \
        "nvml.error=libnvidia-ml.so.1 does not have nvmlDeviceGetHandleByPciBusId_v2"
    lib=$work/lib
}

# ---------------------------------------------------------------- as the prolog asks

# A helper that finds the double, without a deadline of its own.
check_merged() {
    sh "$top/tests/fixtures/unpack" "$top/tests/fixtures/machines/oneclick.tree" "$work/tree"
    address=$(sed -n 's/^gpu.0.pci=//p' "$top/tests/fixtures/machines/oneclick.facts")
    mkdir "$work/helpers"
    printf '#!/bin/sh\nNVML_DOUBLE=%s LD_LIBRARY_PATH=%s exec %s "$@"\n' "$work/scenario" "$lib" \
        "$PWD/helpers/probe-gpu" >"$work/helpers/probe-gpu"
    chmod 755 "$work/helpers/probe-gpu"
    scene t4 "gpu.0.bus=0000$address"
    ./cli/cluster-env facts --root="$work/tree" --helpers="$work/helpers" >"$work/text" 2>/dev/null
    is "facts asks for the GPUs of the bus and takes what NVML says" \
        "$(value gpu.0.pci) $(value gpu.0.nvml.name)" "$address Tesla T4"
    scene t4 "gpu.0.bus=0000$address" gpu.0.ecc.mode=hang
    start=$(date +%s)
    ./cli/cluster-env facts --root="$work/tree" --helpers="$work/helpers" >"$work/text" 2>/dev/null
    is "a GPU that hangs is named, within the deadline" \
        "$(value gpu.0.nvml.asked), $(value nvml.error), $(($(date +%s) - start < 20))" "late, probe-gpu: no answer in 10 s, 1"
    is "and unknown: nothing drains" "$(judge --only=gpu.nvml | grep -c '^unknown .*the driver hangs')" 1
    scene t4 "gpu.0.bus=0000$address" gpu.0.ecc.mode=crash
    ./cli/cluster-env facts --root="$work/tree" --helpers="$work/helpers" >"$work/text" 2>/dev/null
    is "a crash inside NVML has its signal" "$(value nvml.error)" "probe-gpu: asking $address: ended by signal 6, Aborted"
}

check_machines
check_faults
check_nvml
check_moved
check_symbols
check_merged
finish

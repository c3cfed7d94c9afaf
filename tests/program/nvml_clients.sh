#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The double of NVML is read by NVIDIA's own client, nvidia-ml-py, of several ages, beside our probe-gpu: both
# say the same. And our declarations are held against NVIDIA's headers, of several ages too. All of it from PyPI,
# kept in the cache of ./check; where pip reaches nothing it is skipped. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
double=$top/tests/doubles/nvml
[ -z "$(setting CE_SANITIZE)" ] || skip_all "the builds without a sanitizer ask the same"
python3 -m pip --version >/dev/null 2>&1 || skip_all "pip is missing (build-aux/needs check installs it)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# ---------------------------------------------------------------- from PyPI

cache=${CLUSTER_ENV_CACHE:-/var/cache/cluster-env-check}/python
mkdir -p "$cache" 2>/dev/null && [ -w "$cache" ] || cache=$work/python

# wheel NAME VERSION: $wheel is the folder that it is in.
wheel() {
    wheel=$cache/$1-$2
    [ ! -d "$wheel" ] || return 0
    mkdir -p "$cache"
    making=$(mktemp -d "$cache/.making.XXXXXX")
    if ! timeout 60 python3 -m pip install -q --no-deps --no-compile --retries 0 --timeout 10 --root-user-action=ignore \
        --disable-pip-version-check --target "$making" "$1==$2" >"$work/err" 2>&1 </dev/null; then
        rm -rf "$making"
        return 1
    fi
    chmod 755 "$making"
    mv -T "$making" "$wheel" 2>/dev/null || rm -rf "$making" # another run was here first
}
wheel nvidia-ml-py 13.615.71 || skip_all "pip cannot fetch nvidia-ml-py: $(tail -n 1 "$work/err")"

# ---------------------------------------------------------------- clients

sh "$double/build" "$work/lib" 2>"$work/err" || skip_all "the double cannot be built: $(head -n 1 "$work/err")"
sh "$double/build" "$work/old" nvmlDeviceGetRemappedRows nvmlDeviceGetSramEccErrorStatus \
    nvmlDeviceGetMarginTemperature nvmlDeviceGetGpuMaxPcieLinkGeneration nvmlDeviceValidateInforom

# scene SCENARIO DRIVER [LINE...]
scene() {
    cp "$double/$1.scenario" "$work/scenario"
    chmod u+w "$work/scenario"
    printf 'driver=%s\n' "$2" >>"$work/scenario"
    shift 2
    for line; do printf '%s\n' "$line" >>"$work/scenario"; done
}

# agree NAME LIBRARY CLIENT LINES: this client and probe-gpu say the same; at least so many lines.
agree() {
    if ! wheel nvidia-ml-py "$3"; then
        skip "$1" "pip cannot fetch nvidia-ml-py $3"
        return
    fi
    ask "$2" ./helpers/probe-gpu >"$work/ours"
    ask "$2" python3 "$top/tests/program/nvml_client.py" >"$work/theirs"
    grep -vxFf "$work/ours" "$work/theirs" >"$work/other" || true
    [ "$(wc -l <"$work/theirs")" -ge "$4" ] || echo "too few lines" >>"$work/other"
    empty "$1" "$(cat "$work/other")"
}
# ask LIBRARY PROGRAM...
ask() {
    library=$work/$1
    shift
    NVML_DOUBLE=$work/scenario LD_LIBRARY_PATH=$library PYTHONPATH=$wheel PYTHONDONTWRITEBYTECODE=1 \
        timeout 60 "$@" 2>"$work/err" || echo "$1: $(tail -n 1 "$work/err")"
}

# Every number another one, so that none can stand for its neighbour.
set -- gpu.0.temperature=41 gpu.1.temperature=42 'gpu.*.threshold.0=101' 'gpu.*.threshold.1=102' 'gpu.*.threshold.3=103' \
    'gpu.*.margin=43' 'gpu.*.clocks=0x24' 'gpu.*.violation.0=1001' 'gpu.*.violation.1=1002' 'gpu.*.violation.3=1003' \
    'gpu.*.violation.5=10000000000005' 'gpu.*.ecc.mode=1' 'gpu.*.ecc.next=0' 'gpu.*.ecc.total.0.0=11' 'gpu.*.ecc.total.0.1=12' \
    'gpu.*.ecc.total.1.0=13' 'gpu.*.ecc.total.1.1=14' 'gpu.*.ecc.2.0.0=15' 'gpu.*.ecc.2.0.1=16' 'gpu.*.ecc.2.1.0=17' \
    'gpu.*.ecc.2.1.1=18' 'gpu.*.ecc.7.0.0=19' 'gpu.*.ecc.7.0.1=20' 'gpu.*.ecc.7.1.0=21' 'gpu.*.ecc.7.1.1=22' \
    'gpu.*.sram.exceeded=1' 'gpu.*.remap.corrected=23' 'gpu.*.remap.uncorrected=24' 'gpu.*.remap.pending=1' \
    'gpu.*.remap.failure=0' 'gpu.*.field.29.0=25' 'gpu.*.field.30.0=26' 'gpu.*.field.31.0=27' 'gpu.*.field.230.0=2' \
    'gpu.1.inforom=error:14' 'gpu.*.fabric.state=2' 'gpu.*.fabric.status=5' 'gpu.*.fabric.health=3' 'gpu.*.pcie.gen=1' \
    'gpu.*.pcie.gen_max=4' 'gpu.*.pcie.gen_own=5' 'gpu.*.pcie.width=8' 'gpu.*.pcie.width_max=16' 'gpu.*.pcie.replays=28' \
    'gpu.*.power.limit=600000' 'gpu.*.power.default=700000' 'gpu.*.power.enforced=650000' 'gpu.*.persistence=0' \
    'gpu.*.minor=9' 'gpu.*.mig.mode=0' 'gpu.*.mig.next=1' 'gpu.*.memory.used=123456789012' 'gpu.*.processes=2' \
    'gpu.*.link.3.active=0' 'gpu.*.link.4.errors.0=31' 'gpu.*.link.4.errors.2=32' 'gpu.*.link.4.errors.3=33' \
    'gpu.*.field.164.4=34' 'gpu.*.field.207.4=35' 'gpu.*.field.208.4=36' 'gpu.*.field.211.4=37' 'gpu.*.field.214.4=38' \
    'gpu.*.field.252.0=51' 'gpu.*.field.253.0=52' 'gpu.*.field.270.0=53' 'gpu.*.field.271.0=54' \
    'gpu.2.temperature=error:999' 'gpu.3.mig.mode=error:4' 'gpu.4.ecc.total.*.*=error:999' 'gpu.5.power.limit=error:4'

check_clients() {
    for machine in hgx-h100:540 a100:540 b200:540 t4:60; do
        scene "${machine%:*}" 615.71.05
        agree "${machine%:*}: nvidia-ml-py and probe-gpu say the same" lib 13.615.71 "${machine#*:}"
    done
    # Each client is of the age of its driver: where fields have other numbers it knows.
    for pair in 11.525.150:525.147.05:450 12.570.172:570.172.08:540 12.575.51:575.51.03:540 13.580.65:580.65.06:540 \
        13.580.82:580.82.07:540 13.615.71:615.71.05:540; do
        driver=${pair#*:}
        scene hgx-h100 "${driver%:*}" "$@"
        agree "every number another one, driver ${driver%:*}: nvidia-ml-py ${pair%%:*} says the same" lib "${pair%%:*}" "${pair##*:}"
    done
    agree "nor is it otherwise where the library lacks functions" old 13.615.71 540
}

# ---------------------------------------------------------------- headers

check_headers() {
    for pair in nvidia-nvml-dev-cu11:11.8.86 nvidia-nvml-dev-cu12:12.9.79 nvidia-nvml-dev:13.5.37; do
        name="our declarations are those of nvml.h ${pair#*:}"
        if ! wheel "${pair%:*}" "${pair#*:}"; then
            skip "$name" "pip cannot fetch ${pair%:*}"
            continue
        fi
        NVML_HEADER=$(find "$wheel" -name nvml.h) sh "$top/tests/build/nvml_header.sh" >"$work/held" 2>&1 || true
        [ "$(grep -c '^ok' "$work/held")" -ge 75 ] || echo "not ok: too few" >>"$work/held"
        empty "$name" "$(grep -A 5 '^not ok' "$work/held" || true)"
    done
}

check_clients "$@"
check_headers
finish

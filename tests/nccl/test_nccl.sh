#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_nccl.sh BUILD_DIR: the real NCCL reads the lists that cluster-env writes, and those that it
# judges. NCCL's bootstrap needs no GPU. TAP; everything happens in a network namespace of its own.
set -euo pipefail

top=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd -P)
readonly top
readonly cache=${CLUSTER_ENV_CACHE:-/var/cache/cluster-env-check}
build=$(cd "${1:-$top/build}" && pwd -P)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"

# ---------------------------------------------------------------- the library

# Where a toolkit or a framework has put it; else NVIDIA's package for Python, unpacked once.
find_nccl() {
    {
        ldconfig -p | awk '$1 == "libnccl.so.2" { print $NF }'
        find "$cache/nccl" -name libnccl.so.2 2>/dev/null || true
    } | sed -n 1p
}

# By rename, under a lock: a killed run leaves no half library.
fetch_nccl() {
    mkdir -p "$cache"
    exec 9>"$cache/.nccl.lock"
    flock 9
    [[ -z $(find_nccl) ]] || return 0
    rm -rf "$cache/nccl.new"
    timeout 300 python3 -m pip download -q --no-deps -d "$cache/nccl.new" nvidia-nccl-cu12 9>&- || return
    (cd "$cache/nccl.new" && python3 -m zipfile -e ./*.whl . && rm ./*.whl) || return
    mv "$cache/nccl.new" "$cache/nccl"
}

# ---------------------------------------------------------------- the namespace

# veth: a dummy device is not in every kernel. Pairs, so that each interface has a carrier.
make_interfaces() {
    local name n=0
    ip link set lo up
    for name in "$@"; do
        n=$((n + 1))
        ip link add "$name" type veth peer name "peer$n"
        ip link set "peer$n" up
        ip link set "$name" up
        ip address add "10.$n.0.1/24" dev "$name"
    done
    ip route add default via 10.1.0.254 dev "$1"
}

# ---------------------------------------------------------------- what NCCL says

# The interface that NCCL takes with this list, "-" where it finds none.
nccl_takes() {
    NCCL_SOCKET_IFNAME=$1 NCCL_DEBUG=INFO NCCL_CONF_FILE=/dev/null HOME=/nonexistent \
        timeout 60 "$build/tests/nccl/bootstrap" "$library" >"$work/log" 2>&1 || true
    sed -n 's/.*Bootstrap: Using \([^:]*\):.*/\1/p' "$work/log" | head -n 1 >"$work/used"
    [[ -s $work/used ]] || echo - >"$work/used"
}

ours() { sed -n 's/^ours //p' "$work/log"; }

# list LIST INTERFACE WHAT: NCCL takes this one, and so does our reading of the list.
list() {
    nccl_takes "$1"
    is "NCCL_SOCKET_IFNAME='$1': $3" "$(cat "$work/used") and $(ours)" "$2 and $2"
}

# The variable that cluster-env writes on this machine, with what a batch script has.
written() {
    SLURM_JOB_ID=1 SLURM_JOB_NODELIST=n1 SLURM_NNODES=1 SLURMD_NODENAME=n1 \
        "$build/cli/cluster-env" show --run "$work/run" --json |
        jq -r '.variables[] | select(.name == "NCCL_SOCKET_IFNAME") | .value'
}

inside() {
    mount -t sysfs sysfs /sys # that of this namespace
    make_interfaces eth0 eth1 eth10 ens1
    plan 12
    list '=eth1' eth1 "exactly that name"
    list '=eth10,eth1' eth1 "the kernel's order, not the list's"
    list eth1 eth1 "a prefix"
    list '=eth10' eth10 "a longer name is another one"
    list '^=eth0,lo' eth1 "all but these names"
    list ^eth,lo ens1 "all but these prefixes"
    list '=eth7' - "a name that is not there"
    list '=eth7,ens1' ens1 "one that is there among others"
    list '=ens1,' ens1 "an empty entry is passed over"
    list "= ens1" - "a space is part of a name"
    "$build/cli/cluster-env" facts --write --run "$work/run" --node n1
    value=$(written)
    nccl_takes "$value"
    is "what cluster-env writes is an interface off the default route" "$value" "=eth1"
    is "and the one that NCCL takes" "=$(cat "$work/used")" "$value"
    finish
}

work=${2:-}
if [[ -n $work ]]; then # in the namespace
    library=$3
    inside
fi
[[ $EUID -eq 0 ]] || skip_all "NCCL's choice needs root, for a network namespace"
fetch_nccl || skip_all "there is no libnccl.so.2 here, and it cannot be fetched"
library=$(find_nccl)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unshare --net --mount -- "$0" "$build" "$work" "$library"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_preflight.sh BUILD_DIR: the preflight of three VMs that two hubs join, each with two RDMA devices of its
# kernel (rdma_rxe): all well; a rail behind a shaper; a rail that is down; a node that never comes. TAP.
set -euo pipefail

here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd -P)
top=$(cd "$here/../.." && pwd -P)
readonly here top
readonly kinds=(well slow down silent)
vms=()
# shellcheck source-path=SCRIPTDIR source=../cluster/tap.sh
. "$top/tests/cluster/tap.sh"
# shellcheck source-path=SCRIPTDIR source=devices.sh
. "$here/devices.sh"

# ---------------------------------------------------------------- in each VM

lay_out() { # lay_out NUMBER
    local k card
    modprobe -a virtio_net rdma_rxe sch_tbf
    for card in /sys/class/net/*; do
        [[ ${card##*/} != lo ]] || continue
        k=$(cut -d: -f5 "$card/address") # of the hub
        ip link set "${card##*/}" name "card$((10#$k + 1))"
    done
    for k in 1 2; do ip link set "card$k" name "eth$k"; done
    for k in 1 2; do
        ip address add "10.7.$k.$1/24" dev "eth$k"
        ip link set "eth$k" up
        device "mlx5_$k" "eth$k"
        wait_until 20 has_gids "mlx5_$k" 2
    done
    mkdir -p /usr/libexec/cluster-env /etc/slurm /run/munge /var/log/munge /var/lib/munge
    install -t /usr/libexec/cluster-env "$build"/helpers/{preflight,preflight-rails,probe-verbs}
    printf '10.7.1.%s n%s\n' 1 1 2 2 3 3 >/etc/slurm/cluster-env.hosts
    echo 'preflight = { mode = "rails"; deadline = 40; }; deadline = 60;' >/etc/slurm/cluster-env.conf
    head -c 1024 /dev/zero | tr '\0' k >/run/munge.key
    chown munge: /run/munge /var/log/munge /var/lib/munge /run/munge.key && chmod 400 /run/munge.key
    setpriv --reuid munge --regid munge --clear-groups munged --key-file=/run/munge.key --num-threads=2
}

# prolog NUMBER JOB KIND: what it says of the preflight stands in the log
prolog() {
    local status=0
    SLURMD_NODENAME=n$1 SLURM_JOB_ID=$2 SLURM_JOB_NODELIST='n[1-3]' SLURM_JOB_OVERSUBSCRIBE=NO \
        within 110 "$build/prolog/cluster-prolog" >/run/said 2>&1 || status=$?
    sed "s/^/$3.said: /" /run/said
    echo "$3.status: $status"
    grep -s '"phase":"preflight"' /var/log/cluster-env/health.jsonl | tail -n 1 | sed "s/^/$3: /" || true
}

in_a_vm() { # in_a_vm NUMBER
    lay_out "$1"
    prolog "$1" 1 well
    [[ $1 -ne 2 ]] || tc qdisc add dev eth2 root tbf rate 2mbit burst 16kb latency 400ms
    prolog "$1" 2 slow
    if [[ $1 -eq 2 ]]; then tc qdisc del dev eth2 root; ip link set eth2 down; fi
    prolog "$1" 3 down
    if [[ $1 -eq 2 ]]; then ip link set eth2 up; else prolog "$1" 4 silent; fi
}

# ---------------------------------------------------------------- here

told() { sed -nE "s/\r$//; s/^$2: //p" "$work/$1"; } # NODE KIND
findings() { jq -r 'if .checked then "told" else "not told" end, (.findings[] | select(.check | startswith("gang.")) | "\(.verdict) \(.check) \(.subject)")' | sort -u; }

# shellcheck disable=SC2317 # at_end calls it
clean_up() {
    [[ ${#vms[@]} -eq 0 ]] || kill "${vms[@]}" 2>/dev/null || true
    wait || true
    rm -rf "$work"
}

test_gang() {
    local i kind status=0 port=$((20000 + RANDOM % 20000))
    for i in 1 2 3; do
        "$here/vm" -t 500 -m 512 -n "hub:$port:$i" "$here/test_preflight.sh" "$build" --in-vm "$i" >"$work/$i" 2>"$work/$i.err" &
        vms+=($!)
    done
    for i in "${vms[@]}"; do wait "$i" || status=$?; done
    vms=()
    if [[ $status -eq 77 ]]; then skip_all "$(tail -n 1 "$work/1.err")"; fi
    plan 13
    is "$status" 0 "three VMs"
    for i in 1 2 3; do is "$(told "$i" well | findings)" told "all is well: node $i finds nothing"; done
    for kind in "${kinds[@]}"; do diag "$kind: $(for i in 1 2 3; do told "$i" "$kind" | jq -c '[.node, .took_ms, (.findings[] | .subject + " " + .text)]'; done)"; done
    like "$(told 2 slow | findings)" 'gang.rail.bandwidth mlx5_2' "a rail behind a shaper: its node is told"
    for i in 1 3; do is "$(told "$i" slow | findings)" told "and node $i is not"; done
    like "$(told 2 down | findings)" 'fail gang.rail.bandwidth mlx5_2' "a rail that is down: its node is told"
    for i in 1 3; do is "$(told "$i" down | findings)" told "and node $i is not"; done
    for i in 1 3; do is "$(told "$i" silent | findings)" $'told\nunknown gang.reach n2' "a node that never comes: node $i names it"; done
    is "$(for i in 1 2 3; do for kind in "${kinds[@]}"; do told "$i" "$kind.status"; done; done | sort -u)" 0 "nobody is drained"
    [[ $tap_failed -eq 0 && -z ${VERBOSE:-} ]] || diag "$(cat "$work"/[123] "$work"/*.err)"
    finish
}

main() {
    local program
    [[ $# -ge 1 ]] || { echo "usage: test_preflight.sh BUILD_DIR" >&2; exit 2; }
    build=$(cd "$1" && pwd -P)
    if [[ ${2:-} == --in-vm ]]; then in_a_vm "$3"; return; fi
    [[ -x $build/helpers/preflight && -x $build/helpers/preflight-rails ]] || skip_all "vm: built without libibverbs or libmunge"
    for program in rdma jq munged; do
        PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || skip_all "vm: $program is missing (build-aux/needs vm check installs it)"
    done
    work=$(mktemp -d)
    at_end clean_up
    test_gang
}

main "$@"

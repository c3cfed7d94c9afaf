#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_preflight.sh BUILD_DIR: the preflight of three VMs that two hubs join, each with two RDMA devices of its
# kernel (rdma_rxe): all well; a rail behind a shaper; a rail that is down; a node that never comes. TAP.
set -euo pipefail

here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd -P)
top=$(cd "$here/../.." && pwd -P)
readonly here top
vms=()
# shellcheck source-path=SCRIPTDIR source=../cluster/tap.sh
. "$top/tests/cluster/tap.sh"
# shellcheck source-path=SCRIPTDIR source=devices.sh
. "$here/devices.sh"

# ---------------------------------------------------------------- in each VM

# Where the build's programs look for their helpers.
helpers() {
    local folder
    folder=$(sed -n 's/^libexecdir = //p' "$build/Makefile")/cluster-env
    # shellcheck disable=SC2016 # as make writes it
    echo "${folder/'${exec_prefix}'/$(sed -n 's/^prefix = //p' "$build/Makefile")}"
}

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
        ip link set "eth$k" mtu 9000 up
        device "mlx5_$k" "eth$k"
        wait_until 20 has_gids "mlx5_$k" 2
    done
    mkdir -p "$(helpers)" /etc/slurm /run/munge /var/log/munge /var/lib/munge
    install -t "$(helpers)" "$build"/helpers/{preflight,preflight-rails,probe-verbs}
    printf '10.7.1.%s n%s\n' 1 1 2 2 3 3 >/etc/slurm/cluster-env.hosts
    wait_at_most 40 # for the other machines to be there
    head -c 1024 /dev/zero | tr '\0' k >/run/munge.key
    chown munge: /run/munge /var/log/munge /var/lib/munge /run/munge.key && chmod 400 /run/munge.key
    setpriv --reuid munge --regid munge --clear-groups munged --key-file=/run/munge.key --num-threads=2
}

# An emulated processor without a CPU of its own carries now this, now a third of it: a tenth is another matter.
wait_at_most() {
    echo "preflight = { mode = \"rails\"; deadline = $1; below_median = 90; }; deadline = 60;" >/etc/slurm/cluster-env.conf
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

# try_thrice NUMBER KIND: a machine that waits for its CPU in the wrong moment is slow indeed.
try_thrice() {
    local try
    for try in 1 2 3; do
        job=$((job + 1))
        prolog "$1" "$job" "$2.$try"
    done
}

in_a_vm() { # in_a_vm NUMBER
    local job=0
    lay_out "$1"
    try_thrice "$1" well
    [[ $1 -ne 2 ]] || tc qdisc add dev eth2 root tbf rate 1mbit burst 16kb latency 400ms
    try_thrice "$1" slow
    if [[ $1 -eq 2 ]]; then tc qdisc del dev eth2 root; ip link set eth2 down; fi
    try_thrice "$1" down
    wait_at_most 15
    [[ $1 -eq 2 ]] || prolog "$1" 99 silent.1
}

# ---------------------------------------------------------------- here

told() { sed -nE "s/\r$//; s/^$2: //p" "$work/$1"; } # NODE KIND.TRY
findings() {
    jq -r 'if .checked then [.findings[] | select(.check | startswith("gang.")) | "\(.verdict) \(.check) \(.subject)"] | unique |
        if . == [] then "nothing" else join(", ") end else "not told" end'
}

# What each node found in a try: "NODE: findings".
found() { # KIND.TRY
    local node
    for node in 1 2 3; do echo "n$node: $(told "$node" "$1" | findings)"; done
}

# expect KIND PATTERN WORDS: what a try of that kind found matches, of up to three.
expect() {
    local try seen
    for try in 1 2 3; do
        seen=$(found "$1.$try")
        diag "$1.$try: $(for i in 1 2 3; do told "$i" "$1.$try" | jq -c '[.node, .took_ms, (.findings[] | .subject + " " + .text)]'; done)"
        if [[ $seen =~ ^$2$ ]]; then break; fi
    done
    like "$seen" "^$2$" "$3"
}

# The first VM has the hubs, or there can be none.
sockets_or_end() { [[ -S $work/1-3 ]] || ! kill -0 "${vms[0]}" 2>/dev/null; }

# shellcheck disable=SC2317 # at_end calls it
clean_up() {
    [[ ${#vms[@]} -eq 0 ]] || kill "${vms[@]}" 2>/dev/null || true
    wait || true
    rm -rf "$work"
}

test_gang() {
    local i status=0
    for i in 1 2 3; do
        "$here/vm" -t 500 -m 512 -c 1 -n "star:$work:$i:3" "$here/test_preflight.sh" "$build" --in-vm "$i" >"$work/$i" 2>"$work/$i.err" &
        vms+=($!)
        [[ $i -ne 1 ]] || wait_until 60 sockets_or_end
    done
    for i in "${vms[@]}"; do wait "$i" || status=$?; done
    vms=()
    if [[ $status -eq 77 ]]; then skip_all "$(tail -n 1 "$work/1.err")"; fi
    plan 6
    is "$status" 0 "three VMs"
    expect well $'n1: nothing\nn2: nothing\nn3: nothing' "all is well: nobody finds anything"
    expect slow $'n1: nothing\nn2: (fail|warn) gang.rail.bandwidth mlx5_2\nn3: nothing' "a rail behind a shaper: its node is told, and nobody else"
    expect down $'n1: nothing\nn2: fail gang.rail.bandwidth mlx5_2\nn3: nothing' "a rail that is down: its node is told, and nobody else"
    expect silent $'n1: unknown gang.reach n2\nn2: \nn3: unknown gang.reach n2' "a node that never comes: the others name it"
    is "$(for i in 1 2 3; do sed -nE "s/\r$//; s/^[a-z]+\.[1-3]\.status: //p" "$work/$i"; done | sort -u)" 0 "nobody is drained"
    [[ -z ${VERBOSE:-} ]] || diag "$(cat "$work"/[123] "$work"/*.err)"
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

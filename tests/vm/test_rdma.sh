#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_rdma.sh BUILD_DIR: cluster-env beside ibv_devinfo and ibstat on real RDMA devices of a kernel
# (rdma_rxe, Soft-RoCE), in a VM. TAP. What stands below "in the VM" runs there, all in one boot.
set -euo pipefail

here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd -P)
top=$(cd "$here/../.." && pwd -P)
readonly here top
# shellcheck source-path=SCRIPTDIR source=../cluster/tap.sh
. "$top/tests/cluster/tap.sh"
# shellcheck source-path=SCRIPTDIR source=cases.sh
. "$here/cases.sh"
# shellcheck source-path=SCRIPTDIR source=tables.sh
. "$here/tables.sh"
# shellcheck source-path=SCRIPTDIR source=devices.sh
. "$here/devices.sh"

# ---------------------------------------------------------------- in the VM: devices

four_devices() {
    local i
    for i in 0 1 2; do cable "eth$i" "10.2$i.0.1/24"; done
    ip link add eth10 type dummy # without a speed: another rate
    ip address add 10.30.0.1/24 dev eth10
    ip link set eth10 up
    ip route add default via 10.20.0.254 dev eth0
    for i in 0 1 2 10; do device "mlx5_$i" "eth$i"; done
    for i in 0 1 2 10; do wait_until 10 has_gids "mlx5_$i" 2; done
}

# All at once, quicker than one by one.
no_devices() {
    rmmod rdma_rxe
    modprobe rdma_rxe
}

# ---------------------------------------------------------------- in the VM: side by side

facts() { within 60 "$cluster_env" facts "$@" 2>"$work/err" | tee "$work/facts"; }
# "chosen ^=mlx5_0, 2 of 3 up: mlx5_1 mlx5_2 mlx5_3": the verdict, NCCL_IB_HCA, the rails in order.
decision() {
    within 60 "$cluster_env" topology --helpers="$helpers" --json 2>"$work/err" >"$work/topology" || true
    jq -r '"\(.decision.verdict) \(.variables[] | select(.name == "NCCL_IB_HCA") | .value // "-"), " +
        "\(.decision.active) of \(.decision.rails) up:" +
        ([.hcas[] | select(.rail != null)] | sort_by(.rail) | map(" " + .name) | add // "")' "$work/topology"
}

look() {
    facts >/dev/null
    within 60 ibv_devinfo -v >"$work/verbs"
    within 60 ibstat >"$work/ibstat"
    devices_of_facts <"$work/facts" >"$work/facts.devices"
    ports_of_facts <"$work/facts" >"$work/facts.ports"
    gids_of_facts <"$work/facts" >"$work/facts.gids"
    devices_of_verbs <"$work/verbs" >"$work/verbs.devices"
    ports_of_verbs <"$work/verbs" >"$work/verbs.ports"
    gids_of_verbs <"$work/verbs" >"$work/verbs.gids"
    ports_of_ibstat <"$work/ibstat" >"$work/ibstat.ports"
}

# The kernel takes a moment to have its GIDs, and the programs do not look at the same one.
side_by_side() { # WHEN DEVICES GIDS
    local devices gids
    for _ in 1 2 3 4 5; do
        look
        mapfile -t devices <"$work/facts.devices"
        mapfile -t gids <"$work/facts.gids"
        [[ ${#devices[@]} -ne $2 || ${#gids[@]} -ne $3 || $(<"$work/facts.ports") != "$(<"$work/verbs.ports")" ||
            $(<"$work/facts.gids") != "$(<"$work/verbs.gids")" ]] || break
        sleep 0.2
    done
    is "$(<"$work/facts.devices")" "$(<"$work/verbs.devices")" "$1: facts has the devices that libibverbs lists, in order"
    is "$(<"$work/facts.ports")" "$(<"$work/verbs.ports")" "$1: state, link layer and rate are those of ibv_devinfo"
    is "$(<"$work/facts.ports")" "$(<"$work/ibstat.ports")" "$1: and those of ibstat"
    is "$(<"$work/facts.gids")" "$(<"$work/verbs.gids")" "$1: the GIDs are those of ibv_devinfo"
    is "${#devices[@]} ${#gids[@]}" "$2 $3" "$1: $2 devices, $3 GIDs"
}

# ---------------------------------------------------------------- in the VM: the cases

# The modules are not even loaded.
test_nothing() {
    is "$(facts --helpers="$helpers" | grep -c '^ib\.') $(wc -c <"$work/err")" "0 0" \
        "without a kernel module there is no RDMA device, and no noise"
    is "$(within 60 "$helpers/probe-verbs" 2>&1)" $'format=1\nend=1' "nor for probe-verbs"
    modprobe -a rdma_rxe ib_umad veth dummy 8021q bonding
}

test_devices() {
    four_devices
    side_by_side "four devices" 4 8
    is "$(facts | grep -cE '^ib\..*\.(type|board_id|driver|role|pci|numa|path)=')" 0 "what rdma_rxe does not tell is unknown"
    is "$(cat "$work/err")" "" "without a word on stderr"
    is "$(sed -n 's/^ib\.\(.*\)\.netdev\.0=\(.*\)/\1 \2/p' "$work/facts")" \
        "$(rdma link | awk '{ sub(/\/.*/, "", $2); print $2, $NF }' | sort -V)" "each interface is the one that rdma(8) names"
    is "$("$cluster_env" facts --facts="$work/facts")" "$(<"$work/facts")" "the text reads as it was written"
}

as_nobody() { within 60 setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
opens() { sed -n 's/^ib\.\([^.]*\)\.opens=/\1 /p' | tr '\n' ' '; }
uverbs_of() { basename "$(dirname "$(grep -lx "$1" /sys/class/infiniband_verbs/uverbs*/ibdev)")"; }

test_helper() {
    local file firmware
    is "$(facts --helpers="$helpers" | opens)$(cat "$work/err")" "mlx5_0 1 mlx5_1 1 mlx5_2 1 mlx5_10 1 " \
        "libibverbs opens each device"
    firmware=$(awk '$1 == "hca_id:" { name = $2 } $1 == "fw_ver:" { print name, $2 }' "$work/verbs" | sort -V)
    is "$(sed -n 's/^ib\.\(.*\)\.firmware=\(.*\)/\1 \2/p' "$work/facts")" "$firmware" "and tells the firmware that ibv_devinfo tells"
    grep -v '^kernel\.' "$work/facts" >"$work/root" # which goes on, and only root may read
    is "$(as_nobody "$cluster_env" facts --helpers="$helpers" 2>&1 | grep -v '^kernel\.')" "$(<"$work/root")" \
        "an unprivileged user gets the same facts, word for word, but for the kernel log"
    file=/dev/infiniband/$(uverbs_of mlx5_1)
    chmod 600 "$file"
    is "$(as_nobody "$cluster_env" facts --helpers="$helpers" 2>&1 | opens)" "mlx5_0 1 mlx5_1 0 mlx5_2 1 mlx5_10 1 " \
        "a device that may not be opened says so, and the others do not"
    chmod 666 "$file"
    is "$(facts --helpers="$work/none" | grep -vE '^(ib.*opens|kernel\.)') $(wc -l <"$work/err")" \
        "$(grep -vE '^ib.*(opens|firmware)' "$work/root") 1" "without helpers the rest is the same, with one line on stderr"
}

test_decision() {
    is "$(decision)" "chosen ^=mlx5_0, 3 of 3 up: mlx5_1 mlx5_2 mlx5_10" "the device of the default route is kept out, the others are rails"
    ip link set eth1 down
    wait_until 10 port_is mlx5_1 DOWN || true
    side_by_side "eth1 down" 4 8
    like "$(<"$work/facts")" 'mlx5_1.1.state=1'$'\n''ib.mlx5_1.1.phys_state=3' "eth1 down: DOWN, Disabled"
    is "$(decision)" "chosen ^=mlx5_0, 2 of 3 up: mlx5_1 mlx5_2 mlx5_10" "eth1 down: the decision is the same"
    like "$(within 60 "$cluster_env" topology 2>&1)" 'DEGRADED: 1 of 3 rails down:'$'\n'' *mlx5_1' "eth1 down: topology names the rail that is"
    ip link set eth2p down
    wait_until 10 port_is mlx5_2 DOWN || true
    side_by_side "the other end of eth2 down" 4 8
    like "$(<"$work/facts")" 'mlx5_2.1.state=1'$'\n''ib.mlx5_2.1.phys_state=2' "the other end of eth2 down: DOWN, Polling"
    ip link set eth1 up
    ip link set eth2p up
    wait_until 10 port_is mlx5_1 ACTIVE || true
    wait_until 10 port_is mlx5_2 ACTIVE || true
    is "$(decision)" "chosen ^=mlx5_0, 3 of 3 up: mlx5_1 mlx5_2 mlx5_10" "up again: the same decision, and all are up"
}

# A job's own view, through the texts in the run directory.
test_job() {
    local step=(SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_STEP_NODELIST=vm SLURM_JOB_NODELIST=vm SLURM_STEP_NUM_NODES=1
        SLURM_STEP_NUM_TASKS=1 SLURM_NTASKS=1 SLURM_STEP_TASKS_PER_NODE=1 SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NODEID=0)
    within 60 "$cluster_env" facts --write --run="$work/run" 2>/dev/null
    is "$(env "${step[@]}" "$cluster_env" show --run="$work/run" --export 2>/dev/null | grep '^export NCCL_IB_HCA')" \
        "export NCCL_IB_HCA='^=mlx5_0'" "a task gets it from the text of this machine"
    is "$(sed -n '/^ib\./p' "$work/run/node.facts")" "$(facts | sed -n '/^ib\./p')" "which has the same devices"
}

test_gids() {
    local i
    ip address add 10.21.0.2/24 dev eth1
    ip address add fd00:21::1/64 dev eth1 nodad
    wait_until 10 has_gids mlx5_1 4 || true
    ip address del 10.21.0.2/24 dev eth1
    side_by_side "addresses that come and go" 4 9
    ip link add link eth2 name eth2.5 type vlan id 5
    ip address add 10.25.0.1/24 dev eth2.5
    ip link set eth2.5 up
    wait_until 10 has_gids mlx5_2 4 || true
    side_by_side "a VLAN" 4 11
    is "$(sed -n 's/^ib\.mlx5_2\.netdev\..=//p' "$work/facts" | tr '\n' ' ')" "eth2 eth2.5 " "a VLAN's interface is the device's, behind the card's own"
    ip link del eth2.5
    for i in {1..20}; do ip address add "10.31.0.$i/24" dev eth10; done
    wait_until 10 has_gids mlx5_10 10 || true
    look
    is "$(grep -c '^mlx5_10' "$work/facts.gids")" 16 "of more than 16 GIDs the first 16 are kept"
    is "$(grep '^mlx5_10' "$work/facts.gids")" "$(grep '^mlx5_10' "$work/verbs.gids" | sort -V | head -n 16 | sort)" "those of ibv_devinfo"
}

test_ip6() {
    local name
    for name in eth0 eth1 eth2 eth10; do
        ip address flush dev "$name" scope global
        ip address add "fd00:${name#eth}::1/64" dev "$name" nodad
    done
    ip -6 route add default via fd00:0::fe dev eth0
    wait_until 10 has_gids mlx5_10 2 || true
    side_by_side "IPv6 alone" 4 8
    is "$(decision)" "chosen ^=mlx5_0, 3 of 3 up: mlx5_1 mlx5_2 mlx5_10" "IPv6 alone: the rails are the same"
    is "$(jq -r '.variables[] | select(.name == "NCCL_IB_ADDR_FAMILY").value' "$work/topology")" AF_INET6 "IPv6 alone: NCCL is told so"
}

test_removal() {
    rdma link del mlx5_2
    side_by_side "rdma link del mlx5_2" 3 6
    is "$(decision)" "chosen ^=mlx5_0, 2 of 2 up: mlx5_1 mlx5_10" "a device that is gone is no rail"
    ip link del eth10
    side_by_side "the interface of mlx5_10 deleted" 2 4
    rdma link del mlx5_1
    is "$(decision)" "all -, 1 of 1 up: mlx5_0" "one device is no choice"
    no_devices
    is "$(facts --helpers="$helpers" | grep -c '^ib\.') $(wc -c <"$work/err")" "0 0" "none left: none, and no noise"
    is "$(decision)" "none -, 0 of 0 up:" "and none to name"
}

test_bond() {
    ip link add bond0 type bond mode active-backup
    ip link set eth1 down
    ip link set eth1 master bond0
    ip link set bond0 up
    ip link set eth1 up
    device mlx5_bond_0 bond0
    device mlx5_0 eth2
    side_by_side "a bond" 2 3
    is "$(facts | grep -E '^(ib.mlx5_bond_0.netdev.0|netdev.eth1.master|netif.eth1.master)=' | tr '\n' ' ')" \
        "netif.eth1.master=bond0 ib.mlx5_bond_0.netdev.0=bond0 " "a bond's device has the bond as its interface"
    is "$(decision)" "chosen ^=mlx5_bond_0, 1 of 1 up: mlx5_0" "and is kept out"
    no_devices
    ip link del bond0
}

# Namespaces share devices, unless told otherwise while there is none.
test_namespaces() {
    local inside=(ip netns exec other)
    ip netns add other
    ip link add eth5 type dummy
    ip link set eth5 netns other
    "${inside[@]}" ip address add 10.50.0.1/24 dev eth5
    "${inside[@]}" ip link set eth5 up
    device mlx5_1 eth1
    "${inside[@]}" rdma link add mlx5_5 type rxe netdev eth5
    wait_until 10 has_gids mlx5_5 2 || true
    side_by_side "a device in another namespace" 2 3
    is "$(grep netdev "$work/facts")" "ib.mlx5_1.netdev.0=eth1" "a device in another namespace: its interface is none of ours"
    is "$(grep -c '^ib.mlx5_5.*eth5' "$work/facts")" 0 "a device in another namespace: nor is it named by a GID"
    is "$("${inside[@]}" "$cluster_env" facts 2>&1 | grep netdev)" "ib.mlx5_5.netdev.0=eth5" "seen from there, it is the other way round"
    no_devices
    ip netns del other
    if wait_until 10 rdma system set netns exclusive; then
        ip netns add other
        device mlx5_0 eth1
        is "$("${inside[@]}" "$cluster_env" facts --helpers="$helpers" 2>&1 | grep -cE '^ib\.|cluster-env')" 0 "a namespace without devices of its own: none, and no noise"
        is "$("${inside[@]}" ibv_devices | awk 'NR > 2' | wc -l)" 0 "nor does libibverbs see one there"
        no_devices
        ip netns del other
    else
        skip "a namespace without devices of its own: none, and no noise" "this kernel always shares them"
        skip "nor does libibverbs see one there" "this kernel always shares them"
    fi
    wait_until 10 rdma system set netns shared || true
}

test_many() {
    local i start
    no_devices
    for i in {0..63}; do printf 'link add r%s type dummy\nlink set r%s up\n' "$i" "$i"; done | ip -batch -
    for i in {0..63}; do echo "link add mlx5_$i type rxe netdev r$i"; done | rdma -b /dev/stdin >/dev/null
    wait_until 20 has_gids mlx5_63 1 || true
    side_by_side "64 devices" 64 64
    start=${EPOCHREALTIME/./}
    facts --helpers="$helpers" >/dev/null
    diag "64 devices: facts with its helpers in $(((${EPOCHREALTIME/./} - start) / 1000)) ms"
    is "$(opens <"$work/facts" | wc -w) $(cat "$work/err")" "128 " "64 devices: all can be opened"
    is "$(decision | cut -d, -f1)" "unsure -" "64 devices: more than NCCL keeps, so nothing is written"
    no_devices
    rmmod dummy
}

# ibstat wants more of each device than was recorded: as the real ones have it.
complete_for_ibstat() {
    local name file line
    for name in /sys/class/infiniband/*; do
        mkdir -p "$work/machine$name/ports/1"/{gids,pkeys}
        for file in node_guid sys_image_guid ports/1/{lid,lid_mask_count,sm_lid,sm_sl,cap_mask,gids/0,pkeys/0}; do
            [[ -e $work/machine$name/$file ]] || { read -r line <"$name/$file" && echo "$line" >"$work/machine$name/$file"; }
        done
    done
}

# A recorded machine laid over /sys: its HCAs have PCI places, types and InfiniBand, and behind each
# name there is a device that opens.
test_overlay() {
    local name rails names=(eth0 ibs1 ibs2 ibs3 ibs4 ibs5 ibs6 ibs7 ibs8) n=0 machine=$top/tests/fixtures/machines/oneclick.facts
    no_devices
    ip link del eth0
    for name in "${names[@]}"; do printf 'link add %s type dummy\nlink set %s up\n' "$name" "$name"; done | ip -batch -
    for name in "${names[@]}"; do echo "link add mlx5_$((n++)) type rxe netdev $name"; done | rdma -b /dev/stdin
    ip address add 10.20.0.1/24 dev eth0
    ip route add default via 10.20.0.254 dev eth0
    "$top/tests/fixtures/unpack" "${machine%.facts}.tree" "$work/machine"
    complete_for_ibstat
    mount -t overlay -o "lowerdir=$work/machine/sys:/sys" overlay /sys
    is "$(facts --helpers="$helpers" | grep -E '^(ib|gpu)\.' | grep -vE 'opens|\.gpu\.')$(cat "$work/err")" \
        "$(grep -E '^(ib|gpu)\.' "$machine" | grep -vE 'opens|\.gpu\.')" "a 1-Click node over real devices: its facts are those recorded"
    is "$(opens <"$work/facts" | wc -w)" 18 "a 1-Click node: each device opens"
    is "$(ports_of_facts <"$work/facts")" "$(within 60 ibstat | ports_of_ibstat)" "a 1-Click node: ports as ibstat has them"
    rails=$(printf ' mlx5_%d' {1..8})
    is "$(decision)" "chosen ^=mlx5_0, 7 of 8 up:$rails" "a 1-Click node: NCCL_IB_HCA=^=mlx5_0, one rail is down"
    echo "1: DOWN" >"$(readlink -f "$work/machine/sys/class/infiniband/mlx5_7")/ports/1/state"
    is "$(decision)" "chosen ^=mlx5_0, 6 of 8 up:$rails" "a 1-Click node: another cable pulled is seen at once, and changes nothing else"
    umount /sys
    no_devices
}

in_the_vm() {
    local groups=(nothing devices helper decision job gids ip6 removal bond namespaces many overlay)
    work=/run/test
    mkdir -p "$work"/{run,helpers}
    # a copy: the build may stand where only root may go
    cluster_env=$work/cluster-env helpers=$work/helpers
    cp "$build/cli/cluster-env" "$work/"
    cp "$build"/helpers/probe-{verbs,topology} "$helpers/"
    plan 97
    run_cases "${groups[@]}"
}

# ---------------------------------------------------------------- here

main() {
    [[ $# -ge 1 ]] || { echo "usage: test_rdma.sh BUILD_DIR" >&2; exit 2; }
    build=$(cd "$1" && pwd -P)
    if [[ ${2:-} == --in-the-vm ]]; then in_the_vm; return; fi
    need_built cli/cluster-env
    [[ -x $build/helpers/probe-verbs && -x $build/helpers/probe-topology ]] || skip_all "vm: built without libibverbs or hwloc"
    need_programs ibv_devinfo ibstat rdma jq
    exec "$here/vm" -s -t 400 env "CASES=${CASES:-}" "$here/test_rdma.sh" "$build" --in-the-vm
}

main "$@"

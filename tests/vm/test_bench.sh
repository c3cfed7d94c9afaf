#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_bench.sh BUILD_DIR: cluster-env bench rdma on real RDMA devices of a kernel (rdma_rxe,
# Soft-RoCE), in a VM, beside perftest's ib_write_bw. TAP. What stands below "in the VM" runs there,
# all in one boot. The figures of both are printed; nothing judges them.
set -euo pipefail

here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd -P)
top=$(cd "$here/../.." && pwd -P)
readonly here top
# shellcheck source-path=SCRIPTDIR source=../cluster/tap.sh
. "$top/tests/cluster/tap.sh"
# shellcheck source-path=SCRIPTDIR source=cases.sh
. "$here/cases.sh"
# shellcheck source-path=SCRIPTDIR source=devices.sh
. "$here/devices.sh"

# ---------------------------------------------------------------- in the VM: machinery

# bench OPTION...: what it prints, then its exit status.
bench() {
    local status=0
    within 100 "$cluster_env" bench rdma --helpers="$helpers" "$@" 2>&1 || status=$?
    echo "status $status"
}
# The verdicts alone: "pass bench.rdma.write mlx5_0/1", and the status.
verdicts() { sed -nE 's/^(pass|fail|warn|unknown|skip) +(bench[^ ]*) +([^ ]*).*/\1 \2 \3/p; /^status/p'; }
readonly journal=/var/log/cluster-env/health.jsonl
both() { printf 'pass bench.rdma.write %s\npass bench.rdma.latency %s\n' "$1" "$1"; }

# Two ends of one cable in one network namespace, with packets on the cable between them.
ends_of_a_cable() {
    local i
    ip link add eth3 type veth peer name eth4
    for i in 3 4; do
        ip address add "10.40.0.$i/24" dev "eth$i"
        ip link set "eth$i" up
        sysctl -qw "net.ipv4.conf.eth$i.accept_local=1" "net.ipv4.conf.eth$i.rp_filter=0"
    done
    sysctl -qw net.ipv4.conf.all.rp_filter=0
    ip rule add pref 100 lookup local
    ip rule del pref 0
    ip rule add pref 10 iif lo from 10.40.0.3 to 10.40.0.4 lookup 101
    ip rule add pref 10 iif lo from 10.40.0.4 to 10.40.0.3 lookup 102
    ip route add 10.40.0.4/32 dev eth3 table 101
    ip route add 10.40.0.3/32 dev eth4 table 102
    device mlx5_3 eth3
    device mlx5_4 eth4
    wait_until 10 has_gids mlx5_3 2
    wait_until 10 has_gids mlx5_4 2
}

# What a test leaves behind: processes, and queue pairs that are nobody's but a program's.
left() {
    local file
    for file in /proc/[0-9]*/comm; do grep -sx bench-rdma "$file" || true; done
    rdma resource show qp | grep 'type RC' || true
}
nothing_is_left() { is "$(left)" "" "$1: nothing is left running, and no queue pair"; }

# ---------------------------------------------------------------- in the VM: the cases

test_nothing() {
    is "$(bench | verdicts)" "skip bench.rdma.write no"$'\n'"status 0" "no device: nothing to measure, which is no fault"
    modprobe -a rdma_rxe veth
}

test_itself() {
    local i
    for i in 0 1; do
        cable "eth$i" "10.2$i.0.1/24"
        device "mlx5_$i" "eth$i"
        wait_until 10 has_gids "mlx5_$i" 2
    done
    bench --config="$work/quarter.conf" >"$work/out"
    is "$(verdicts <"$work/out")" "$(both mlx5_0/1; both mlx5_1/1; echo status 0)" "each rail to itself: both are well"
    bench --json --rail=mlx5_1 >"$work/json"
    is "$(head -n -1 "$work/json" | jq -r '.rails[] | [.rail, .outcome, .write_gbps > 0, .latency_us > 0, .mtu] | join(" ")')" \
        "mlx5_1/1 done true true 1024" "--json --rail: the figures of this one"
    is "$(bench --rail=mlx5_7 | tail -n 1)" "status 2" "--rail with a name that is none: status 2"
    printf 'bench = { rdma_write = 5000; rdma_latency = 1; };\n' >"$work/floor.conf"
    is "$(bench --config="$work/floor.conf" --rail=mlx5_0/1 | verdicts)" \
        "fail bench.rdma.write mlx5_0/1"$'\n'"warn bench.rdma.latency mlx5_0/1"$'\n'"status 1" "a floor of the site that it does not reach: status 1"
    is "$(tail -n 1 "$journal" | jq -c '[.phase, .test, .done, (.reason | contains("[cluster-env bench.rdma.write]")), (.measured | map(.what + " " + .device + " " + .unit))]')" \
        '["bench","rdma","observed",true,["rdma.write mlx5_0/1 Gb/s","rdma.latency mlx5_0/1 us"]]' "root's run is kept, with what was measured"
    nothing_is_left "rails to themselves"
}

# The same device, the same size of messages; figures to look at, and one pair says little: `make bench-rdma`.
test_perftest() {
    local own theirs server
    command -v ib_write_bw >/dev/null || { skip "beside ib_write_bw" "perftest is not installed"; return; }
    within 60 ib_write_bw -d mlx5_0 -x 1 -F -n 400 >/dev/null 2>&1 &
    server=$!
    wait_until 20 server_listens || true
    theirs=$(within 60 ib_write_bw -d mlx5_0 -x 1 -F -n 400 --report_gbits 127.0.0.1 2>/dev/null | awk '$1 == 65536 { print $4 }') || true
    wait "$server" || true
    own=$(bench --rail=mlx5_0 --json | head -n -1 | jq '.rails[0].write_gbps')
    diag "bench rdma $own Gb/s, ib_write_bw $theirs Gb/s, ratio $(awk -v a="$own" -v b="$theirs" 'BEGIN { printf "%.2f", b ? a / b : 0 }')"
    like "$own $theirs" '^[0-9.]+ [0-9.]+$' "both measure the same device"
}

server_listens() { [[ -n $(ss -Htln sport = :18515) ]]; } # perftest's port

# Only these two: there is no way from the others.
test_ring() {
    local i
    for i in 0 1; do rdma link del "mlx5_$i"; done
    ends_of_a_cable
    bench --ring --config="$work/quarter.conf" >"$work/out"
    is "$(verdicts <"$work/out")" "$(both mlx5_3/1; both mlx5_4/1; echo status 0)" "--ring: each rail to the next one"
    like "$(<"$work/out")" 'mlx5_3/1 to mlx5_4/1 .*mlx5_4/1 to mlx5_3/1 ' "and says which"
    for i in 0 1; do
        device "mlx5_$i" "eth$i"
        wait_until 10 has_gids "mlx5_$i" 2
    done
}

# pair PEER_OPTION...: both nodes at once; their output in $work/a and $work/b.
pair() {
    local a
    bench --rail=mlx5_3 --listen=127.0.0.1 --wait=30 >"$work/a" &
    a=$!
    bench --rail=mlx5_4 --peer=127.0.0.1 --wait=30 "$@" >"$work/b"
    wait "$a"
}

test_pair() {
    local before after
    before=$(<"/sys/class/net/eth3/statistics/tx_packets")
    pair
    after=$(<"/sys/class/net/eth3/statistics/tx_packets")
    is "$(verdicts <"$work/a")" "$(both mlx5_3/1; echo status 0)" "two nodes: the one that listens measures its own writes"
    is "$(verdicts <"$work/b")" "$(both mlx5_4/1; echo status 0)" "and so does its peer"
    ok "with packets on the cable" test $((after - before)) -gt 100
    nothing_is_left "two nodes"
}

# visit WORDS: says this to whoever listens, until it is thrown out.
visit() { bash -c 'exec 3<>/dev/tcp/127.0.0.1/28515 || exit; echo "$0" >&3; cat <&3 || true' "$1"; }
# beside FILE: bench beside somebody else who says FILE there.
beside() {
    local other
    busybox nc -l -p 28515 <"$1" >/dev/null 2>&1 &
    other=$!
    bench --rail=mlx5_4 --peer=127.0.0.1 --wait=20
    kill "$other" 2>/dev/null || true
}

test_strangers() {
    local a silent
    bench --rail=mlx5_3 --listen=127.0.0.1 --wait=40 >"$work/a" &
    a=$!
    wait_until 10 visit "GET / HTTP/1.0"
    sleep 30 3<>/dev/tcp/127.0.0.1/28515 & # says nothing
    silent=$!
    bench --rail=mlx5_4 --peer=127.0.0.1 --wait=30 >"$work/b"
    wait "$a"
    kill "$silent" || true
    is "$(verdicts <"$work/a"; verdicts <"$work/b")" "$(both mlx5_3/1; echo status 0; both mlx5_4/1; echo status 0)" \
        "garbage on the port, and who says nothing, do not keep the nodes apart"
    like "$(beside /dev/zero)" 'unknown .*what came is not of cluster-env.*status 3' "a peer that talks nonsense is unknown"
    mkfifo "$work/silence"
    sleep 100 >"$work/silence" &
    silent=$!
    like "$(beside "$work/silence")" 'unknown .*said nothing in time.*status 3' "and so is one that says nothing"
    kill "$silent" || true
    like "$(bench --rail=mlx5_4 --peer=127.0.0.1 --wait=1)" 'unknown .*no answer in 1 s: .*refused.*status 3' "nobody there: unknown, after --wait"
    like "$(bench --rail=mlx5_4 --listen=127.0.0.1 --wait=1)" 'unknown .*no answer in 1 s: no node came.*status 3' "nobody came: unknown, after --wait"
    like "$(bench --rail=mlx5_4 --listen=10.99.0.1 --wait=1)" 'unknown .*cannot listen on 10.99.0.1.*status 3' "an address that is not this node's"
    is "$(bench --listen=0.0.0.0 | tail -n 1)" "status 2" "every address at once is refused"
    nothing_is_left "strangers"
}

# greeting: what the other node would say of its end, up to a point.
greeting() {
    printf 'format=1\nrail=0\nrails=1\ngid=00000000000000000000ffff0a280003\nlink_layer=ethernet\naddress=4096\n'
    printf 'lid=0\nqueue_pair=4711\npacket=5\nmtu=3\nkey=9\nroom=1048576\nend=1\n'
}
# after COMMAND...: bench beside somebody who says what the command does; how long it took in $work/took.
after() {
    local start=$SECONDS
    beside <("$@")
    echo $((SECONDS - start)) >"$work/took"
}
greet_and() { # COMMAND...
    greeting
    "$@"
}

# Another version, and one that knows how to begin, and then does not go on.
test_halfway() {
    like "$(after printf 'format=2\nrail=0\nend=1\n')" 'unknown .*the other side is of another version of cluster-env.*status 3' "a peer of another version"
    like "$(after printf 'format=1\nrail=0\nrails=1\nplace=elsewhere\nend=1\n')" 'unknown .*the other side is not understood, is it of this version\?: link_layer=: not a link layer.*status 3' "a peer of a version that has other words"
    like "$(after greet_and sleep 60)" 'unknown .*the other side said nothing in time.*status 3' "a peer that says who it is, and then nothing"
    ok "within its bound" test "$(<"$work/took")" -le 25
    like "$(after greet_and echo hello)" 'unknown .*what came is not of cluster-env.*status 3' "a peer that goes on with garbage"
    like "$(after greet_and printf 'format=1\nstep=7\nend=1\n')" 'unknown .*the other node is out of step.*status 3' "a peer that is somewhere else"
    like "$(after greet_and printf 'format=1\nstep=0\nend=1\n')" '(unknown|fail) .*mlx5_4/1 .*status [13]' "a peer that answers no write"
    ok "within its bound, too" test "$(<"$work/took")" -le 25
    nothing_is_left "peers that stop halfway"
}

# scene LINE...: a GPU as the doubles of libcuda and NVML tell of it.
scene() {
    printf '%s\n' count=1 gpu.0.bus=00000000:1B:00.0 "gpu.0.name=NVIDIA H100 80GB HBM3" gpu.0.mig.mode=0 gpu.0.processes=0 \
        gpu.0.memory.total=85520809984 gpu.0.cuda.free=73400320 "cuda.log=$work/log" "$@" >"$work/scenario"
    rm -f "$work/log"
}
from_gpu() { bench --helpers="$work/gpu" --rail=mlx5_1 --gpu=0000:1b:00.0 "$@"; }

test_gpu() {
    local whole
    like "$(bench --rail=mlx5_1 --memory=gpu)" 'skip .*bench.rdma.gpu +mlx5_1/1 no GPU of NVIDIA.s is known to be near it.*status 0' "no GPU: skipped"
    like "$(bench --rail=mlx5_1 --gpu=0000:1b:00.0)" 'skip .*mlx5_1/1 libcuda.so.1: cannot open.*status 0' "no CUDA: skipped, with the reason"
    if [[ -z ${doubles:-} ]]; then
        for _ in {1..11}; do skip "from a GPU's memory" "there is no compiler for the doubles of CUDA and NVML"; done
        return
    fi
    mkdir -p "$work/gpu"
    printf '#!/bin/sh\nNVML_DOUBLE=%s CUDA_DOUBLE=%s LD_LIBRARY_PATH=%s exec %s/bench-rdma "$@"\n' \
        "$work/scenario" "$work/scenario" "$doubles" "$helpers" >"$work/gpu/bench-rdma"
    chmod 755 "$work/gpu/bench-rdma"
    scene gpu.0.mapped=1
    whole=$(from_gpu)
    like "$whole" 'pass +bench.rdma.gpu +mlx5_1/1 [0-9.]+ Gb/s from GPU 0000:1b:00.0 \(peermem\), no floor is known' "memory of a GPU, by peermem: the device reads and writes it"
    like "$whole" 'pass +bench.rdma.latency +mlx5_1/1 .*status 0' "with the latency of the rail"
    is "$(sort -u "$work/log")" "0 things are left" "all that was taken is released"
    scene gpu.0.mapped=1 gpu.0.dma_buf=1
    is "$(from_gpu --json | head -n -1 | jq -r '.rails[0].gpu | [.address, .name, .way] | join(" ")')" \
        "0000:1b:00.0 NVIDIA H100 80GB HBM3 peermem" "a device that takes no dma-buf is given the address"
    scene gpu.0.dma_buf=1
    like "$(from_gpu)" 'unknown .*mlx5_1 cannot use GPU memory \(dma-buf: .*, peermem: Bad address\): load nvidia-peermem.*status 3' "neither way: unknown, with the remedy"
    scene gpu.0.mapped=1 gpu.0.processes=2 gpu.0.context=crash
    like "$(from_gpu)" 'skip .*GPU 0000:1b:00.0: in use by 2 processes.*status 0' "a GPU in use is not touched"
    scene gpu.0.mapped=1 gpu.0.alloc=error:2
    like "$(from_gpu)" 'unknown .*taking GPU memory: CUDA_ERROR_OUT_OF_MEMORY \(2\).*status 3' "no free GPU memory"
    scene gpu.0.mapped=1 gpu.0.context=error:214
    like "$(from_gpu)" 'unknown .*making a context: CUDA_ERROR_ECC_UNCORRECTABLE \(214\).*status 3' "an error of its memory"
    scene gpu.0.mapped=1
    bench --helpers="$work/gpu" --gpu=0000:1b:00.0 --rail=mlx5_3 --listen=127.0.0.1 --wait=30 >"$work/a" &
    bench --rail=mlx5_4 --peer=127.0.0.1 --wait=30 >"$work/b"
    wait
    like "$(<"$work/a")" 'pass +bench.rdma.gpu +mlx5_3/1 .*status 0' "two nodes, one from GPU memory"
    like "$(<"$work/b")" 'pass +bench.rdma.write +mlx5_4/1 .*status 0' "and one from its own"
    nothing_is_left "GPU memory"
}

measures() { grep -q 'type RC' <<<"$(rdma resource show qp 2>/dev/null)"; }

# The end of a cable is down where the other one is: the side that has it down blames itself.
test_down() {
    ip link set eth1 down
    wait_until 10 port_is mlx5_1 DOWN || true
    bench --config="$work/quarter.conf" >"$work/out"
    like "$(<"$work/out")" 'fail .*mlx5_1/1 DOWN \(Disabled\), expected ACTIVE; check cable' "a link that is down: the words of ib.port.state"
    is "$(grep -c '^pass .*mlx5_0/1' "$work/out") $(tail -n 1 "$work/out")" "2 status 1" "the other rail is measured, and the status is 1"
    ip link set eth1 up
    (wait_until 20 measures; sleep 1; ip link set eth0 down) &
    like "$(bench --rail=mlx5_0 --seconds=5)" 'fail .*mlx5_0/1 DOWN \(Disabled\) during the test, expected ACTIVE.*status 1' "a link that goes down during the test"
    wait
    ip link set eth0 up
    (wait_until 20 measures; sleep 2; ip link set eth3 down) &
    pair --seconds=8
    like "$(<"$work/a")" 'fail .*mlx5_3/1 DOWN \(Disabled\) during the test.*status 1' "two nodes: the one whose link went down fails"
    like "$(<"$work/b")" 'fail .*mlx5_4/1 DOWN \(Polling\) during the test.*status 1' "and the other end of its cable with it"
    wait
    pair
    like "$(<"$work/a")" 'fail .*mlx5_3/1 DOWN \(Disabled\), expected ACTIVE.*status 1' "a rail that is down already"
    ip link set eth3 up
    wait_until 10 port_is mlx5_4 ACTIVE || true
    rdma link del mlx5_3
    ip link set eth0 down
    wait_until 10 port_is mlx5_0 DOWN || true
    bench --rail=mlx5_0 --listen=127.0.0.1 --wait=30 >"$work/a" &
    bench --rail=mlx5_4 --peer=127.0.0.1 --wait=30 >"$work/b"
    wait
    like "$(<"$work/b")" 'unknown .*mlx5_4/1 the other node: DOWN \(Disabled\).*status 3' "the other node's rail that is down is not this one's fault"
    ip link set eth0 up
    nothing_is_left "links that go down"
}

test_limits() {
    like "$(ulimit -l 64; bench_as_nobody)" 'unknown .*only 64 KiB of memory may be locked, expected unlimited: LimitMEMLOCK=infinity.*status 3' \
        "too little memory may be locked: the limit, and the remedy"
    is "$(tail -n 1 "$journal" | grep -c 'only 64 KiB')" 0 "nothing is kept of a user's run"
    mv /dev/infiniband /dev/hidden
    like "$(bench --rail=mlx5_1)" 'unknown .*there is no /dev/infiniband here.*status 3' "no /dev/infiniband"
    mv /dev/hidden /dev/infiniband
    mkdir "$work/hangs"
    printf '#!/bin/sh\nexec sleep 60\n' >"$work/hangs/bench-rdma"
    chmod 755 "$work/hangs/bench-rdma"
    like "$(bench --rail=mlx5_1 --helpers="$work/hangs")" 'unknown .*no answer in 18 s.*status 3' "a helper that hangs is ended, in its time"
    like "$(bench --rail=mlx5_1 --helpers="$work/none")" 'unknown .*cannot run .*none/bench-rdma.*status 3' "no helper"
    nothing_is_left "limits"
}
bench_as_nobody() {
    local status=0
    within 60 setpriv --reuid 65534 --regid 65534 --clear-groups "$cluster_env" bench rdma \
        --helpers="$helpers" --rail=mlx5_1 2>&1 || status=$?
    echo "status $status"
}

in_the_vm() {
    local groups=(nothing itself perftest ring pair strangers halfway gpu down limits)
    work=/run/test
    mkdir -p "$work/helpers"
    # a copy: the build may stand where only root may go
    cluster_env=$work/cluster-env helpers=$work/helpers
    cp "$build/cli/cluster-env" "$work/"
    cp "$build/helpers/bench-rdma" "$helpers/"
    # an emulated machine is uneven: only a quarter less than the others is worth a word here
    echo 'bench = { below_median = 75; };' >"$work/quarter.conf"
    ip link set lo up
    plan 58
    run_cases "${groups[@]}"
}

# ---------------------------------------------------------------- here

# A GPU that no machine here has; in the VM a compiler would take long.
build_doubles() {
    local name
    doubles=''
    command -v "${CC:-cc}" >/dev/null || return 0
    for name in cuda nvml; do sh "$top/tests/doubles/$name/build" "$work/doubles"; done
    doubles=$work/doubles
}

main() {
    [[ $# -ge 1 ]] || { echo "usage: test_bench.sh BUILD_DIR" >&2; exit 2; }
    build=$(cd "$1" && pwd -P)
    if [[ ${2:-} == --in-the-vm ]]; then in_the_vm; return; fi
    need_built cli/cluster-env
    [[ -x $build/helpers/bench-rdma ]] || skip_all "vm: built without libibverbs"
    need_programs rdma jq busybox
    work=$(mktemp -d)
    at_end rm -rf "$work"
    build_doubles
    "$here/vm" -s -t 600 env "CASES=${CASES:-}" "doubles=$doubles" "$here/test_bench.sh" "$build" --in-the-vm
}

main "$@"

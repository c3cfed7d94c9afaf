#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_ip6.sh SERIES: cluster networks with IPv6 only, and with both.
set -euo pipefail

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/product.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tasks.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/steps.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/commands.sh"

readonly ip4=10.20.0.0/16 ip6=fd00:20::/64

# step_on NETWORK NAME SRUN_OPTION...: its addresses are the truth to compare with
step_on() { run as_user env SEEN_NETWORK="$1" srun "${@:3}" --cluster-env "$jobs/told.sh" "$home/$2"; }

# check_ip6 FILE TASKS NODES: all variables, in IPv6
check_ip6() {
    local rank
    check_step "$1" "$2" "$3"
    check_told "$1" 0
    for ((rank = 0; rank < $2; rank++)); do
        want "$rank" NCCL_SOCKET_FAMILY AF_INET6
        want "$rank" PRIMARY_ADDR fd00:20::e
        want "$rank" HOST_NODE_ADDR "[fd00:20::e]:$(value "$rank" PRIMARY_PORT)"
    done
    [[ $(value 0 CLUSTER_IPS) != *.* ]] || complain "CLUSTER_IPS=$(value 0 CLUSTER_IPS)"
}

check_ip4() { # check_ip4 FILE TASKS NODES
    local rank
    check_step "$1" "$2" "$3"
    check_told "$1" 0
    for ((rank = 0; rank < $2; rank++)); do want_unset "$rank" NCCL_SOCKET_FAMILY; done
    [[ $(value 0 CLUSTER_IPS) != *:* ]] || complain "CLUSTER_IPS=$(value 0 CLUSTER_IPS)"
}

# ---------------------------------------------------------------- IPv6 only

test_only() {
    step_on "$ip6" only -N4
    quiet
    check_ip6 "$home/only" 4 4
    verdict "IPv6 only: addresses without brackets, HOST_NODE_ADDR and JAX_COORDINATOR_ADDRESS with, NCCL_SOCKET_FAMILY=AF_INET6"

    step_on "$ip6" only-many -N2 -n5
    quiet
    check_ip6 "$home/only-many" 5 2
    verdict "IPv6 only: several tasks a node"

    run as_user env SEEN_NETWORK="$ip6" sbatch --parsable -o "$home/only-batch.out" -N4 --cluster-env \
        "$jobs/small.sh" "$jobs" "$home/only-batch"
    ended only-batch
    check_ip6_batch only-batch
    verdict "IPv6 only: batch script and its step"
}

check_ip6_batch() { # check_ip6_batch NAME
    check_step "$home/$1.step" 4 4
    check_job "$home/$1" batch "${in_order[@]}"
    want batch NCCL_SOCKET_FAMILY AF_INET6
}

test_only_trouble() {
    as_root alpha perl "$jobs/listen.pl" fd00:20::e 45454 "$state/listening" &
    wait_until 10 test -s "$state/listening" || complain "nobody listens"
    step_on "$ip6" taken -N2
    quiet
    run as_user srun -N2 --cluster-env=port=45454 true
    one_line "cluster-env: alpha: port 45454 on fd00:20::e is taken already"
    as_root alpha kill "$(<"$state/listening")" || complain "the listener was gone"
    wait
    verdict "IPv6 only: the port is taken on the primary: one line says so"

    on_all_nodes sed -i 's/^fd00:20::e /fd00:20::99 /' /run/cluster-env/hosts
    run as_user srun -N2 --cluster-env sleep 30
    [[ $status -ne 0 && $err == *"the address book is stale: it gives fd00:20::99 for alpha"* ]] ||
        complain "status $status: $err"
    on_all_nodes cluster-env facts --write
    verdict "IPv6 only: a primary that does not own its address in the book is refused"
}

# Debian's torch 1.13 dies under Python 3.11 of its own defaults for these two; rank 9 is none of ours.
readonly torch_env=(PET_REDIRECTS=9:1 PET_TEE=9:1)

# sums NAME RANKS: every rank has the sum of 1 ... RANKS
sums() {
    local rank expected="$(($2 * ($2 + 1) / 2)) of $2"
    [[ $status -eq 0 ]] || complain "exit status $status: $(tail -n 15 <<<"$err")"
    for ((rank = 0; rank < $2; rank++)); do
        [[ $(cat "$home/$1.$rank" 2>&1) == "$expected,"* ]] || complain "rank $rank: $(cat "$home/$1.$rank" 2>&1)"
    done
}

test_only_gloo() {
    local reason=''
    local line="IPv6 only: gloo all_reduce with a rank in each task"
    local torchrun_line="IPv6 only: gloo all_reduce under torchrun"
    is_own_slurm || reason="the suite's chroot has no torch"
    [[ -n $reason ]] || [[ -x /usr/bin/torchrun ]] || reason="python3-torch is not installed"
    if [[ -n $reason ]]; then
        skip "$line" "$reason"
        skip "$torchrun_line" "$reason"
        return
    fi
    patience=360
    run as_user srun -N2 --ntasks-per-node=2 --cluster-env python3 "$jobs/all_reduce.py" "$home/ranks"
    sums ranks 4
    verdict "$line"
    run as_user env "${torch_env[@]}" srun -N2 --gpus-per-node=1 --cluster-env torchrun "$jobs/all_reduce.py" "$home/torchrun"
    sums torchrun 2
    verdict "$torchrun_line"
    patience=180
}

# ---------------------------------------------------------------- both

# configure TEXT: every node's configuration, as after its next boot
configure() {
    # shellcheck disable=SC2016 # for the node to expand
    on_all_nodes bash -c 'echo "$0" >/etc/slurm/cluster-env.conf && cluster-env facts --write' "$1"
}

test_dual() {
    step_on "$ip4" dual -N4
    quiet
    check_ip4 "$home/dual" 4 4
    verdict "IPv4 and IPv6: IPv4 as the book has it first, CLUSTER_IPS of that family, no NCCL_SOCKET_FAMILY"

    configure 'network = { family = "ipv6"; };'
    step_on "$ip6" dual-six -N4
    quiet
    check_ip6 "$home/dual-six" 4 4
    verdict "IPv4 and IPv6, family = \"ipv6\" in the configuration: everything in IPv6"

    on_all_nodes sed -i '1!G; h; $!d' /etc/slurm/cluster-env.hosts
    configure 'network = { family = "auto"; };'
    step_on "$ip6" dual-book -N4
    quiet
    check_ip6 "$home/dual-book" 4 4
    verdict "IPv4 and IPv6, the book has IPv6 first: everything in IPv6"

    configure 'network = { family = "ipv4"; };'
    step_on "$ip4" dual-four -N4
    quiet
    check_ip4 "$home/dual-four" 4 4
    verdict "IPv4 and IPv6, the book has IPv6 first, family = \"ipv4\": everything in IPv4"
}

main() {
    [[ $# -eq 1 ]] || { echo "usage: test_ip6.sh SERIES" >&2; exit 2; }
    plan 15
    start_product "$1" --ip6
    run_groups "$1" only only_trouble only_gloo
    end_product
    state=''
    start_product "$1" --dual
    run_groups "$1" dual
    finish
}

main "$@"

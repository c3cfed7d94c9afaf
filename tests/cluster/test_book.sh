#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_book.sh SERIES: address books as people write them: with entries of other networks, twice the
# same, out of date, incomplete, or none at all.
set -euo pipefail

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/product.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tasks.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/steps.sh"

readonly book="10.20.0.11 zeta1
10.20.0.12 n10
10.20.0.13 n9
10.20.0.14 alpha"

# use_book TEXT [CONFIGURATION]: all nodes read it, as after their next boot
use_book() {
    printf '%s\n' "$1" >"$state/new-book"
    printf '%s\n' "${2-}" >"$state/new-conf"
    # shellcheck disable=SC2016 # for the node to expand
    on_all_nodes bash -c 'cp "$0/new-book" /etc/slurm/cluster-env.hosts
        cp "$0/new-conf" /etc/slurm/cluster-env.conf
        cluster-env facts --write' "$state"
}

# good_book NAME TEXT [CONFIGURATION]: with this book everything is as with the plain one
good_book() {
    use_book "${@:2}"
    step "$1" -N4 --cluster-env
    quiet
    check_step "$home/$1" 4 4
}

# ---------------------------------------------------------------- what is passed over

test_passed_over() {
    good_book outside "10.10.0.11 zeta1
10.10.0.14 alpha alpha-mgmt
192.0.2.9 n9
$book"
    verdict "entries outside the cluster networks come first: they are passed over"

    good_book loopback "127.0.0.1 localhost
127.0.1.1 alpha
127.0.1.1 n9 n9.example
::1 localhost ip6-localhost
fe80::1 n10
fe80::2%eth1 zeta1
$book"
    verdict "127.0.1.1 and link-local entries come first: they are passed over"

    good_book twice "$book
$book
10.20.0.14 alpha alpha alpha.example   # thrice
10.30.0.13 n9
10.20.0.99 zeta1"
    verdict "names, addresses and lines that stand there twice: the first in the cluster network counts"

    good_book letters "$(tr '[:lower:]' '[:upper:]' <<<"$book")"
    verdict "names in capital letters: host names know no case"

    good_book ip6 "fd00:20::b zeta1
fd00:20::e alpha
$book"
    verdict "IPv6 entries on a network without IPv6: they are passed over"
}

test_other_network() {
    use_book "${book//10.20./10.30.}"
    run as_user env SEEN_NETWORK=10.30.0.0/16 srun -N4 --cluster-env "$jobs/seen.sh" "$home/other"
    quiet
    check_step "$home/other" 4 4
    want 0 GLOO_SOCKET_IFNAME eth2
    verdict "the book has the addresses of the second cluster network: that one is used"

    use_book "$book"$'\n'"$(sed 's/^10\.20\./10.10./; s/$/-m/' <<<"$book")" \
        'network = { prefixes = [ "10.10.0.0/16" ]; suffix = "-m"; };'
    run as_user env SEEN_NETWORK=10.10.0.0/16 srun -N4 --cluster-env "$jobs/seen.sh" "$home/management"
    quiet
    check_step "$home/management" 4 4
    want 0 GLOO_SOCKET_IFNAME eth0
    verdict "the configuration says that the management network is the cluster network: so it is"
}

test_suffix() {
    local suffixed=${book//$'\n'/$'-hsn\n'}-hsn
    good_book suffix "${book//10.20./10.30.}"$'\n'"$suffixed" 'network = { suffix = "-hsn"; interface = "eth1"; };'
    verdict "suffix = \"-hsn\": the addresses of alpha-hsn … are used, not those of alpha …"
}

# ---------------------------------------------------------------- what is wrong

# Without some addresses: names stand in for them. Every task knows the same primary.
check_with_names() { # check_with_names FILE PRIMARY
    local rank tasks=4
    load "$1" 4
    find_hosts
    for ((rank = 0; rank < 4; rank++)); do
        check_task "$rank" 0 1 "$rank"
        check_cluster_names "$rank" "$2"
        want "$rank" CLUSTER_NODES "$(IFS=,; echo "${in_order[*]}")"
        want_unset "$rank" CLUSTER_IPS SKYPILOT_NODE_IPS
    done
}

check_cluster_names() { # check_cluster_names RANK PRIMARY
    local name
    for name in PRIMARY_ADDR MASTER_ADDR PET_MASTER_ADDR; do want "$1" "$name" "$2"; done
    want "$1" HOST_NODE_ADDR "$2:$(value 0 PRIMARY_PORT)"
}

readonly incomplete="are not in the address book on the cluster network; their names are handed on"

test_missing() {
    use_book "$(grep -v n10 <<<"$book")"
    step missing -N4 --cluster-env
    one_line "cluster-env: alpha: 1 of 4 nodes, the first of them n10, $incomplete; complete it with 'cluster-env addresses --write'"
    check_with_names "$home/missing" 10.20.0.14
    want 0 PRIMARY_IP 10.20.0.14
    verdict "a node is missing in the book: one line from rank 0 names it; the others' addresses are used"

    use_book "$(grep -v alpha <<<"$book")"
    step no-primary -N4 --cluster-env
    one_line "cluster-env: alpha: 1 of 4 nodes, the first of them alpha, $incomplete"
    check_with_names "$home/no-primary" alpha
    for ((rank = 0; rank < 4; rank++)); do want_unset "$rank" PRIMARY_IP; done
    verdict "the primary is missing in the book: one line from rank 0 names it; its name is handed on"
}

test_none() {
    local rank
    on_all_nodes rm -f /etc/slurm/cluster-env.hosts /etc/slurm/cluster-env.conf
    on_all_nodes cluster-env facts --write
    step none -N4 --cluster-env
    quiet
    check_with_names "$home/none" alpha
    for ((rank = 0; rank < 4; rank++)); do
        want_unset "$rank" PRIMARY_IP CLUSTER_IP
        want "$rank" NODE_ADDR "${in_order[rank]}"
        want "$rank" GLOO_SOCKET_IFNAME eth1
    done
    verdict "no book on the site: silence; names are handed on, no variable for addresses is set"

    run as_user srun -N4 --cluster-env cluster-env hostfile --format=addresses
    [[ $status -ne 0 && -z $out && $err == *"the address book has no address of alpha"* ]] ||
        complain "status $status: $out $err"
    verdict "no book on the site: hostfile --format=addresses says so"
}

test_stale() {
    use_book "${book/10.20.0.14/10.20.0.99}"
    run as_user srun -N4 --cluster-env "$jobs/hold.sh" "$home/stale"
    [[ $status -ne 0 && $(grep -c 'cluster-env: ' <<<"$err") -eq 1 ]] || complain "status $status: $err"
    [[ $err == *"cluster-env: alpha: the address book is stale: it gives 10.20.0.99 for alpha, but no interface of this node has it"* ]] ||
        complain "$err"
    verdict "an address of the primary that it does not own: the step is refused, one line names the book"

    stale_elsewhere 10.20.0.99
    verdict "an address of another node that it does not own: one line from that node; the step runs"
    stale_elsewhere 10.20.0.13
    verdict "two nodes with one address: one line from the one that does not own it; the step runs"
}

# stale_elsewhere ADDRESS: that of n10 in the book
stale_elsewhere() {
    use_book "${book/10.20.0.12/$1}"
    step stale-other -N4 --cluster-env
    one_line "cluster-env: n10: the address book is stale: it gives $1 for n10, but no interface of this node has it"
    load "$home/stale-other" 4
    want 2 CLUSTER_IPS "10.20.0.14,10.20.0.13,$1,10.20.0.11"
    want 2 CLUSTER_IP 10.20.0.12
    want 3 MASTER_ADDR 10.20.0.14
}

test_nonsense() {
    local line
    for line in 10.20.0.14 "10.20.0.14 al/pha" "10.20.0.300 alpha" "alpha 10.20.0.14"; do
        echo "$line" >"$state/new-book"
        as_root alpha cp "$state/new-book" /etc/slurm/cluster-env.hosts
        run as_root alpha cluster-env facts --write
        [[ $status -eq 2 && $err == *"/etc/slurm/cluster-env.hosts: line 1: "* && $(wc -l <"$state/err") -eq 1 ]] ||
            complain "'$line': status $status: $err"
    done
    verdict "lines that are no hosts(5): facts --write names file and line, status 2"
}

# ---------------------------------------------------------------- many nodes

readonly many=16384

# A step of many nodes, made up; this is its task on the sixth.
readonly many_environment=(SLURM_JOB_ID=7 SLURM_STEP_ID=0 "SLURM_STEP_NODELIST=gpu[00001-$many]"
    "SLURM_STEP_NUM_TASKS=$many" "SLURM_STEP_TASKS_PER_NODE=1(x$many)" SLURM_PROCID=5 SLURM_NODEID=5
    SLURM_LOCALID=0 SLURM_GTIDS=5 SLURMD_NODENAME=gpu00006)

in_many() { run as_user env "${many_environment[@]}" "$1" "$2" --run /run/many "${@:3}"; }

many_addresses() { # of the nodes in their order; the sixth is the login node itself
    awk -v many="$many" 'BEGIN { for (i = 1; i <= many; i++)
        print i == 6 ? "10.20.0.1" : sprintf("10.20.%d.%d", 64 + i / 256, i % 256) }'
}

test_many() {
    many_addresses | awk '{ printf "%s gpu%05d\n", $1, NR }' >"$state/many-book"
    # shellcheck disable=SC2016 # for the node to expand
    as_root head bash -c 'mkdir -p /run/many && cp "$0" /etc/slurm/cluster-env.hosts &&
        cluster-env facts --write --run /run/many' "$state/many-book"

    in_many cluster-env show
    one_line "cluster-env show: left out, because a variable holds 128000 bytes at most: CLUSTER_IPS, CLUSTER_NODES, SKYPILOT_NODE_IPS$"
    grep -Eq "^NUM_NODES +$many " <<<"$out" || complain "no NUM_NODES: $out"
    grep -Eq '^RANK +5 ' <<<"$out" || complain "no RANK: $out"
    grep -Eq '^PRIMARY_ADDR +10.20.64.1 ' <<<"$out" || complain "no PRIMARY_ADDR: $out"
    ! grep -Eq '^CLUSTER_(IPS|NODES) ' <<<"$out" || complain "CLUSTER_IPS or CLUSTER_NODES is there"
    verdict "$many nodes, lists too long for a variable: left out with one line, the other variables are there"

    in_many cluster-env info
    [[ $status -eq 0 && -z $err ]] || complain "status $status: $err"
    grep -Eqx "rank +5 of $many" <<<"$out" || complain "$(head -n 5 <<<"$out")"
    [[ $(awk '$2 ~ /^gpu/ { print $3 }' <<<"$out") == "$(many_addresses)" ]] || complain "$(head -n 8 <<<"$out")"
    verdict "$many nodes: cluster-env info has all names and addresses in rank order"

    in_many cluster-env hostfile --format=addresses
    [[ $status -eq 0 && -z $err && $out == "$(many_addresses)" ]] || complain "status $status: $err"
    verdict "$many nodes: cluster-env hostfile has all of them"
}

main() {
    [[ $# -eq 1 ]] || { echo "usage: test_book.sh SERIES" >&2; exit 2; }
    local groups=(passed_over other_network suffix missing none stale nonsense many)
    plan $((19 + ${#groups[@]}))
    start_product "$1"
    run_groups "$1" "${groups[@]}"
    finish
}

main "$@"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_rails.sh SERIES: nodes of a 1-Click Cluster, one of which numbers its HCAs otherwise: what NCCL
# and others are told of the rails, who wins, and what becomes of a step whose nodes differ.
# shellcheck disable=SC2016 # what stands in single quotes is for the nodes to expand
set -euo pipefail

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/product.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tasks.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/steps.sh"

# What each node should say, and its rails: n9 has its Ethernet HCA in another place.
declare -rA own=([alpha]=^=mlx5_0 [n9]=^=mlx5_3 [n10]=^=mlx5_0 [zeta1]=^=mlx5_0)
readonly first_four=mlx5_1,mlx5_2,mlx5_3,mlx5_4

# want_each NAME VALUE: in all tasks of the loaded step; VALUE "own" is that of the node in `own`.
want_each() {
    local rank value
    for ((rank = 0; rank < tasks; rank++)); do
        value=$2
        [[ $value != own ]] || value=${own[${seen["$rank is_host"]-alpha}]}
        want "$rank" "$1" "$value"
    done
}

# rails_of TEXT NAME SRUN_OPTION...: a step of four tasks with all variables, and the nodes' own rails
rails_of() {
    local tasks=4
    step "${@:2}"
    quiet
    check_step "$home/$2" 4 4
    want_each NCCL_IB_HCA own
    want_each NCCL_IB_DISABLE "(unset)"
    verdict "$1"
}

# shown NAME: the line of cluster-env show in each task of the last command, without the value's blanks
shown() { sed -n "s/^\([0-9]*\): $1  *\([^ ]*\)  */\1 \2 /p" <<<"$out" | sort; }

# ---------------------------------------------------------------- hardware that changes

readonly hcas=/sys/class/infiniband

# link UP|DOWN NODE HCA...: as sysfs shows it when a cable is out; facts --write sees it.
link() {
    local text=('4: ACTIVE' '5: LinkUp' '400 Gb/sec (4X NDR)')
    [[ $1 == UP ]] || text=('1: DOWN' '2: Polling' '40 Gb/sec (4X QDR)')
    as_root "$2" bash -c 'cd "$0" && for hca in "${@:4}"; do
        echo "$1" >"$hca/ports/1/state" && echo "$2" >"$hca/ports/1/phys_state" && echo "$3" >"$hca/ports/1/rate"
    done && '"$write_facts" "$hcas" "${text[@]}" "${@:3}"
}

rails() { as_root "$1" bash -c 'cd "$0" && grep -l InfiniBand */ports/1/link_layer | sed "s|/.*||"' "$hcas"; }

# pull NODE HCA...: these are not there any more.
pull() { as_root "$1" bash -c 'cd "$0" && cp -an . /run/hcas && rm "$@" && '"$write_facts" "$hcas" "${@:2}"; }

put_back() { as_root "$1" bash -c 'cp -an /run/hcas/. "$0"/ && '"$write_facts" "$hcas"; }

# ---------------------------------------------------------------- the lists

test_lists() {
    rails_of "srun -N4: each node keeps its Ethernet HCA from NCCL, mlx5_0 or mlx5_3; nothing is printed" \
        plain -N4 --cluster-env

    local tasks=16
    step many -N4 --ntasks-per-node=4 --cluster-env
    quiet
    check_step "$home/many" 16 4
    want_each NCCL_IB_HCA own
    verdict "srun -N4 --ntasks-per-node=4: the same in all tasks"

    run as_user srun -N2 -w n9,zeta1 --cluster-env bash -c '[[ $RANK -ne 0 ]] ||
        srun -N1 -n1 -w zeta1 --overlap --cluster-env "$0" "$1"' "$jobs/seen.sh" "$home/inner"
    quiet
    load "$home/inner" 1
    want 0 is_host zeta1
    want 0 NCCL_IB_HCA ^=mlx5_0
    verdict "an srun in a task: the list of its own node, not of the outer task's"

    run as_user srun -w n9 cluster-env topology
    [[ $status -eq 0 && -z $err ]] || complain "status $status, stderr '$err'"
    [[ $out =~ mlx5_3\ +Ethernet\ [^$'\n']*kept\ out && $out == *$'\n'"  NCCL_IB_HCA=^=mlx5_3"* ]] || complain "$out"
    verdict "cluster-env topology on that node: its Ethernet HCA is kept out"
}

test_batch() {
    job batch small.sh -N4 --cluster-env
    local tasks=4
    check_step "$home/batch.step" 4 4
    want_each NCCL_IB_HCA own
    check_job "$home/batch" batch "${in_order[@]}"
    want batch NCCL_IB_HCA ^=mlx5_0
    verdict "sbatch: the script has its node's list, the tasks of an srun in it each their node's"

    job other small.sh -N2 -w n9,zeta1 --cluster-env
    tasks=2
    check_step "$home/other.step" 2 2
    want_each NCCL_IB_HCA own
    load_one "$home/other" batch
    want batch NCCL_IB_HCA ^=mlx5_3
    verdict "sbatch where the script runs on the other kind of node: the same"

    run as_user salloc -Q -N4 --cluster-env "$jobs/shell.sh" "$jobs" "$home/salloc"
    quiet
    tasks=4
    check_step "$home/salloc.after" 4 4
    want_each NCCL_IB_HCA own
    verdict "salloc: an srun in its shell has each node's list"

    run shell_on_first_node inside
    quiet
    check_step "$home/inside.after" 4 4
    want_each NCCL_IB_HCA own
    load_one "$home/inside" shell
    load_one "$home/inside" evaluated
    want shell NCCL_IB_HCA ^=mlx5_0
    want evaluated NCCL_IB_HCA ^=mlx5_0
    verdict "salloc with use_interactive_step: the shell has its node's list, and so says cluster-env show"
}

test_all() {
    local tasks=4 rest=mlx5_4:1,mlx5_5:1,mlx5_6:1,mlx5_7:1,mlx5_8:1 rank list
    configure 'tuning = "all";'
    step all -N4 --cluster-env
    quiet
    check_step "$home/all" 4 4
    for ((rank = 0; rank < 4; rank++)); do
        list=mlx5_1:1,mlx5_2:1,mlx5_3:1,$rest
        [[ ${seen["$rank is_host"]} != n9 ]] || list=mlx5_0:1,mlx5_1:1,mlx5_2:1,$rest
        want "$rank" UCX_NET_DEVICES "$list"
        want "$rank" NVSHMEM_HCA_LIST "$list"
        want "$rank" OMPI_MCA_btl_tcp_if_include eth1
        want "$rank" OMPI_MCA_oob_tcp_if_include eth1
    done
    verdict 'tuning = "all": the rails for UCX and NVSHMEM, the cluster interface for Open MPI'
    run as_user env OMPI_MCA_btl_tcp_if_exclude=lo UCX_TLS=tcp srun -N4 --cluster-env "$jobs/seen.sh" "$home/own-mpi"
    quiet
    check_step "$home/own-mpi" 4 4
    want_each OMPI_MCA_btl_tcp_if_include "(unset)"
    want_each UCX_NET_DEVICES "(unset)"
    want_each OMPI_MCA_oob_tcp_if_include eth1
    verdict 'tuning = "all": an exclude or UCX_TLS of the user is not contradicted'
    step sockets -N4 --cluster-env=rdma=off
    quiet
    check_step "$home/sockets" 4 4
    want_each UCX_NET_DEVICES eth1
    want_each NVSHMEM_HCA_LIST "(unset)"
    verdict 'tuning = "all" and rdma=off: UCX gets the cluster interface'
    configure 'tuning = "off";'
    step off -N4 --cluster-env
    quiet
    load "$home/off" 4
    want_each NCCL_IB_HCA "(unset)"
    configure
    verdict 'tuning = "off": no list'
}

test_mpi() {
    local name='tuning = "all": mpirun of Open MPI starts its ranks on all nodes'
    if ! as_root head test -x /usr/bin/mpirun.openmpi; then skip "$name" "openmpi-bin is not installed"; return; fi
    configure 'tuning = "all";'
    submit mpi "$home/mpi.out" -N3 --cluster-env --wrap "trap 'touch $home/mpi.done' EXIT
        $jobs/openmpi.sh -np 3 --map-by node hostname >$home/mpi.ranks"
    ended mpi
    [[ $(sort "$home/mpi.ranks") == $'alpha\nn10\nn9' ]] || complain "ranks on $(cat "$home/mpi.ranks")"
    configure
    verdict "$name"
}

# ---------------------------------------------------------------- who wins

# give NODE FILE LINE: FILE, which all nodes share, holds that line on this one, until FILE is removed.
# The chroots have no mount(8), so it is this machine's.
give() {
    local holder root=$state/private/root
    if is_own_slurm; then root=''; fi
    read -r holder _ <"$state/hold/$1"
    echo "$3" >"$state/given"
    nsenter -t "$holder" -m -- mount --bind "$state/given" "$root$2"
}

test_user() {
    local tasks=4
    run as_user env NCCL_IB_HCA==mlx5_5 srun -N4 --cluster-env "$jobs/seen.sh" "$home/user"
    quiet
    check_step "$home/user" 4 4
    want_each NCCL_IB_HCA =mlx5_5
    verdict "NCCL_IB_HCA in the user's environment stays; the interfaces are ours"

    as_user bash -c 'echo NCCL_IB_HCA=mlx5_1 >.nccl.conf'
    step conf -N4 --cluster-env
    quiet
    check_step "$home/conf" 4 4
    want_each NCCL_IB_HCA "(unset)"
    as_user rm .nccl.conf
    verdict "NCCL_IB_HCA in ~/.nccl.conf wins: the variable is not set"

    as_root head bash -c ': >/etc/nccl.conf'
    give n10 /etc/nccl.conf NCCL_IB_HCA=mlx5_1
    step conf -N4 --cluster-env
    quiet
    check_step "$home/conf" 4 4
    want 0 NCCL_IB_HCA ^=mlx5_0
    want 1 NCCL_IB_HCA ^=mlx5_3
    want 2 NCCL_IB_HCA "(unset)"
    want 3 NCCL_IB_HCA ^=mlx5_0
    verdict "NCCL_IB_HCA in one node's /etc/nccl.conf: the variable is not set there"
    run as_user srun -N4 -l --cluster-env cluster-env show --all
    is "$(shown NCCL_IB_HCA)" "0 ^=mlx5_0 node.facts
1 ^=mlx5_3 node.facts
2 - NCCL_IB_HCA is set in /etc/nccl.conf
3 ^=mlx5_0 node.facts" "and cluster-env show --all says so on that node"
    as_root head rm /etc/nccl.conf
}

test_site() {
    local tasks=4
    configure 'variables = { NCCL_IB_SL = 3; };' 'nodes = (
        { names = "n[9-10]"; variables = { NCCL_IB_TC = "106"; SITE_WORD = "two words"; }; },
        { names = "n10"; variables = { NCCL_IB_HCA = "=mlx5_1"; NCCL_IB_SL = 4; }; } );'
    step site -N4 --cluster-env
    quiet
    check_step "$home/site" 4 4
    for rank in 0 3; do
        want "$rank" NCCL_IB_TC "(unset)"
        want "$rank" SITE_WORD "(unset)"
        want "$rank" NCCL_IB_SL 3
        want "$rank" NCCL_IB_HCA ^=mlx5_0
    done
    for rank in 1 2; do
        want "$rank" NCCL_IB_TC 106
        want "$rank" SITE_WORD "two words"
    done
    want 1 NCCL_IB_SL 3
    want 1 NCCL_IB_HCA ^=mlx5_3
    want 2 NCCL_IB_SL 4
    want 2 NCCL_IB_HCA =mlx5_1
    verdict "variables in cluster-env.conf: for all nodes, and for those of a nodes section, a later one counts more"

    job site small.sh -N2 -w n9,zeta1 --cluster-env
    tasks=2
    check_step "$home/site.step" 2 2
    want 0 NCCL_IB_TC 106
    want 1 NCCL_IB_TC "(unset)"
    load_one "$home/site" batch
    want batch NCCL_IB_TC 106
    verdict "sbatch: a site's variable of the script's node does not reach other nodes"

    as_root head bash -c 'echo NCCL_IB_SL=7 >/etc/nccl.conf'
    run as_user env NCCL_IB_TC=5 srun -N4 --cluster-env "$jobs/seen.sh" "$home/site-user"
    tasks=4
    quiet
    check_step "$home/site-user" 4 4
    want_each NCCL_IB_TC 5
    want_each NCCL_IB_SL "(unset)"
    as_root head rm /etc/nccl.conf
    verdict "the user's environment and /etc/nccl.conf win over the site's variables"
    run as_user srun -N4 -l --cluster-env cluster-env show
    is "$(shown NCCL_IB_TC)" "1 106 variables in cluster-env.conf
2 106 variables in cluster-env.conf" "cluster-env show says where a site's variable comes from"
    configure
}

test_unknown() {
    local node line
    run as_user env NCCL_IB_HCA=^m1x5_0 srun -N4 --ntasks-per-node=2 --cluster-env true
    [[ $status -eq 0 && -z $out ]] || complain "status $status, stdout '$out'"
    line="NCCL_IB_HCA=^m1x5_0: no HCA of this node is called so or begins with m1x5_0; 'cluster-env topology' lists them"
    for node in "${in_order[@]}"; do
        [[ $(grep -c "cluster-env: $node: $line" <<<"$err") -eq 1 ]] || complain "not once from $node: $err"
    done
    [[ $(wc -l <<<"$err") -eq 4 ]] || complain "$err"
    verdict "NCCL_IB_HCA=^m1x5_0: each node where it matches nothing says so once; the step runs"

    pull n10 mlx5_8
    run as_user env NCCL_IB_HCA==mlx5_7,mlx5_8 srun -N4 --cluster-env "$jobs/seen.sh" "$home/eight"
    one_line "cluster-env: n10: NCCL_IB_HCA==mlx5_7,mlx5_8: no HCA of this node is called mlx5_8"
    put_back n10
    verdict "an HCA that one node does not have: that node says so"
}

# ---------------------------------------------------------------- the state of the moment

test_down() {
    local facts
    link DOWN alpha mlx5_4
    facts=$(as_root alpha grep '^ib.mlx5_4.1.state=' /run/cluster-env/node.facts)
    [[ $facts == ib.mlx5_4.1.state=1 ]] || complain "facts: $facts"
    run as_user srun -N1 -w alpha cat "$hcas/mlx5_4/ports/1/state"
    [[ $out == "1: DOWN" ]] || complain "sysfs: $out"
    rails_of "a rail that is down when the facts are taken: the list is the same, nothing is printed" down -N4 --cluster-env
    link UP alpha mlx5_4
    link DOWN n9 mlx5_3
    rails_of "the Ethernet HCA down: the same" down -N4 --cluster-env
    link UP n9 mlx5_3
}

test_require() {
    local all
    rails_of "rdma=require where all nodes have rails: the step runs, nothing is printed" require -N4 --cluster-env=rdma=require

    mapfile -t all < <(rails n9)
    link DOWN n9 "${all[@]}"
    ended_by_refusal "n9: rdma=require, but this node has no usable rail: .*none of them up" --cluster-env=rdma=require
    verdict "rdma=require, all rails of n9 down: the step ends on all nodes within 2 s, one line names n9"
    ended_by_refusal "n9: rdma=require" --ntasks-per-node=4 --cluster-env=rdma=require
    verdict "the same with four tasks a node: still one line"
    submit refused "$home/refused.out" -N4 --cluster-env=rdma=require "$jobs/small.sh" "$jobs" "$home/refused"
    ended refused "n9: rdma=require"
    [[ $(grep -c "cluster-env: " "$home/refused.out") -eq 1 ]] || complain "$(<"$home/refused.out")"
    verdict "the same in a batch job: its script runs on, its step is refused"
    SECONDS=0
    run as_user srun -Q -w zeta1 --cluster-env=rdma=require sleep 60 : -w n9,n10 sleep 60
    [[ $status -ne 0 && $SECONDS -lt 40 && $(grep -ac 'cluster-env: .*; the step ends here' <<<"$err") -eq 1 && $err == *"n9: rdma=require"* ]] ||
        complain "status $status after $SECONDS s: $err"
    verdict "the same in the second component of a heterogeneous job: the step ends in the first one, too"
    rails_of "rdma=auto there: the step runs with each node's list" auto -N4 --cluster-env
    run as_user srun -N3 -x n9 --cluster-env=rdma=require true
    quiet
    verdict "rdma=require on the other nodes: the step runs"
    link UP n9 "${all[@]}"

    mapfile -t all < <(rails alpha)
    link DOWN alpha "${all[@]:1}"
    rails_of "rdma=require, one rail of eight up: the step runs" one -N4 --cluster-env=rdma=require
    link DOWN alpha "${all[0]}"
    ended_by_refusal "alpha: rdma=require" --cluster-env=rdma=require
    link UP alpha "${all[@]}"
    verdict "rdma=require, all rails of the first node down: one line names it"

    mapfile -t all < <(rails zeta1)
    pull zeta1 mlx5_0 "${all[@]}"
    ended_by_refusal "zeta1: rdma=require, but this node has no usable rail: no RDMA device" --cluster-env=rdma=require
    verdict "rdma=require, no HCA in zeta1: one line says so"
    run as_user srun -N4 -l --cluster-env cluster-env show --all
    is "$(shown NCCL_IB_HCA | tail -n 1)" "3 - no RDMA device" "rdma=auto there: the step runs, cluster-env show --all names the reason"
    put_back zeta1
}

test_off() {
    local tasks=4
    step disabled -N4 --cluster-env=rdma=off
    quiet
    check_step "$home/disabled" 4 4
    want_each NCCL_IB_DISABLE 1
    want_each NCCL_IB_HCA "(unset)"
    verdict "rdma=off: NCCL_IB_DISABLE=1, and no list"

    submit off "$home/off.out" -N4 --cluster-env=rdma=off --wrap "$jobs/seen.sh $home/off batch
        srun $jobs/seen.sh $home/off.inherited
        srun --cluster-env=on $jobs/seen.sh $home/off.on
        touch $home/off.done"
    ended off
    check_step "$home/off.inherited" 4 4
    want_each NCCL_IB_DISABLE 1
    check_step "$home/off.on" 4 4
    want_each NCCL_IB_DISABLE "(unset)"
    want_each NCCL_IB_HCA own
    load_one "$home/off" batch
    want batch NCCL_IB_DISABLE 1
    verdict "sbatch --cluster-env=rdma=off: the script and its sruns have it, srun --cluster-env=on in it not"
}

# ---------------------------------------------------------------- nodes that differ

readonly expect_eight='rails = { count = 8; link_layer = "infiniband"; rate = 400; };'
readonly expect_four='nodes = ( { names = "n10"; rails = { count = 4; }; } );'
readonly differ="the nodes have different rails: alpha 8 InfiniBand rails of 400 Gb/s, n10 4 InfiniBand rails of 400 Gb/s"

expect() { configure "${expect_eight/rate/differ = \"$1\"; rate}" "${@:2}"; }

test_expected() {
    expect refuse
    rails_of "eight rails expected of all, and there: the step runs, nothing is printed" equal -N4 --cluster-env
    pull n10 mlx5_5 mlx5_6 mlx5_7 mlx5_8
    expect warn
    run as_user srun -N4 --ntasks-per-node=2 --cluster-env true
    one_line "cluster-env: n10: this node has 4 InfiniBand rails of 400 Gb/s, expected 8 InfiniBand rails of 400 Gb/s; "
    verdict "four of eight expected rails, differ = \"warn\": the step runs, the node says so once"
    expect common
    ended_by_refusal "n10: this node has 4 InfiniBand rails" --cluster-env
    verdict "differ = \"common\": a node that falls short of what is expected ends the step within 2 s"
    expect refuse
    ended_by_refusal "n10: this node has 4 InfiniBand rails" --cluster-env
    verdict "differ = \"refuse\": the same"
    run as_user srun -N3 -x n10 --cluster-env true
    quiet
    verdict "and without that node the step runs, nothing is printed"
    put_back n10
}

test_differ() {
    local tasks=4
    pull n10 mlx5_5 mlx5_6 mlx5_7 mlx5_8
    expect warn "$expect_four"
    step warn -N4 --ntasks-per-node=1 --cluster-env
    one_line "cluster-env: alpha: $differ; NCCL may hang: choose equal nodes, or rdma=off"
    check_step "$home/warn" 4 4
    want_each NCCL_IB_HCA own
    verdict "a node expected to have four rails among nodes of eight, differ = \"warn\": one line, the lists are the nodes' own"

    expect common "$expect_four"
    step common -N4 --cluster-env
    one_line "cluster-env: alpha: $differ; NCCL is given the first 4 of each"
    check_step "$home/common" 4 4
    want 0 NCCL_IB_HCA "=$first_four"
    want 1 NCCL_IB_HCA =mlx5_0,mlx5_1,mlx5_2,mlx5_4
    want 2 NCCL_IB_HCA ^=mlx5_0
    want 3 NCCL_IB_HCA "=$first_four"
    verdict "differ = \"common\": one line, and four rails of each node"
    run as_user srun -N3 -x n10 --cluster-env "$jobs/seen.sh" "$home/eights"
    quiet
    check_step "$home/eights" 3 3
    tasks=3
    want_each NCCL_IB_HCA own
    verdict "differ = \"common\": nodes of eight alone keep all of them"

    expect refuse "$expect_four"
    ended_by_refusal "alpha: $differ; choose equal nodes, or rdma=off" --cluster-env
    verdict "differ = \"refuse\": the step ends within 2 s with one line"
    run as_user srun -N4 --cluster-env=rdma=off true
    quiet
    verdict "differ = \"refuse\": with rdma=off it runs"
    run as_user srun -N1 -w n10 --cluster-env "$jobs/seen.sh" "$home/alone"
    quiet
    load "$home/alone" 1
    want 0 NCCL_IB_HCA ^=mlx5_0
    verdict "differ = \"refuse\": on that node alone it runs"
    put_back n10
    configure
}

main() {
    [[ $# -eq 1 ]] || { echo "usage: test_rails.sh SERIES" >&2; exit 2; }
    local groups=(lists batch all mpi user site unknown down require off expected differ)
    plan $((49 + ${#groups[@]}))
    start_product "$1" "${shell_on_node[@]}" --hardware <("$here/hgx_tree") \
        --hardware n9=<("$here/hgx_tree" ethernet=3) --hardware n10=<("$here/hgx_tree" buses=b)
    as_root head cluster-env facts --write
    run_groups "$1" "${groups[@]}"
    finish
}

main "$@"

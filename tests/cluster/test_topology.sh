#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_topology.sh SERIES: ranks, primary and lists agree with hostname and SLURM_PROCID of all tasks, however
# Slurm places them: without a topology on all series; on 26.05 with tree, block, ring and topology.yaml, which
# place tasks in another order than that of the list of nodes.  MIX=N random steps for each (20), from SEED.
# shellcheck disable=SC2016 # what is in single quotes is for the nodes to expand
set -euo pipefail

nodes=(n2 zeta1 n10 beta n9 alpha n33 n1)
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

readonly mix=${MIX:-20} seed=${SEED:-$(date +%s)}
readonly in_list=(alpha beta n1 n2 n9 n10 n33 zeta1) # SLURM_STEP_NODELIST's order
topology='' slurm_node=''

# Names take turns over blocks, and switches are listed in another order than names.
topology_file() {
    case $1 in
        tree) printf '%s\n' 'SwitchName=west Nodes=n9,zeta1,beta,n33' 'SwitchName=east Nodes=alpha,n10,n2,n1' \
            'SwitchName=top Switches=west,east' ;;
        block) printf '%s\n' 'BlockName=west Nodes=n9,zeta1,beta,n33' 'BlockName=east Nodes=alpha,n10,n2,n1' \
            'BlockSizes=4' ;;
        ring) echo 'RingName=all Nodes=n9,alpha,zeta1,n10,beta,n2,n33,n1' ;;
        yaml) printf '%s\n' '---' '- topology: pods' '  cluster_default: true' '  block:' '    block_sizes:' '      - 4' \
            '    blocks:' '      - block: west' '        nodes: n9,zeta1,beta,n33' \
            '      - block: east' '        nodes: alpha,n10,n2,n1' ;;
    esac
}

# start TOPOLOGY SERIES: tree, block, ring, yaml, none, or off (a tree with CR_NO_DIST_TOPO_BLOCK)
start() {
    local files options=() plugin=$1
    [[ $1 != off ]] || plugin=tree
    files=$(mktemp -d)
    topology=$1
    case $plugin in
        none) ;;
        yaml) topology_file yaml >"$files/topology.yaml"; options=(--slurm-file "$files/topology.yaml") ;;
        *) topology_file "$plugin" >"$files/topology.conf"
            options=(--slurm-file "$files/topology.conf" --slurm-conf "TopologyPlugin=topology/$plugin") ;;
    esac
    [[ $1 != off ]] || options+=(--slurm-conf "SelectTypeParameters=CR_Core,CR_NO_DIST_TOPO_BLOCK")
    [[ ${TORCH:-no} == no ]] || options+=(--package python3-torch)
    start_product "$2" "${options[@]}"
    rm -r "$files"
    # the shell of a login node asks it
    as_root head mkdir -p /run/libexec/cluster-env
    as_root head cp "$slurm_node" /run/libexec/cluster-env/
}

# Only these place tasks in another order, on 26.05.
reorders() { [[ $topology == @(tree|block|ring|yaml) ]]; }

# A block's jobs must fit blocks, so all but the first steps are steps of a job of all nodes.
all_nodes=(salloc -Q -N8 --exclusive)

# ---------------------------------------------------------------- placements

# step NAME SRUN_OPTION...: in a job of all nodes
step_of_all() { run as_user "${all_nodes[@]}" srun "${@:2}" --cluster-env "$jobs/told.sh" "$home/$1"; }

# Slurm's own node ids go by its list, ours by the ranks.
slurm_node_ids=no

check_placement() { # check_placement NAME TASKS NODES WHAT
    quiet
    check_step "$home/$1" "$2" "$3"
    check_told "$home/$1" 0
    check_told "$home/$1" $(($2 - 1))
    verdict "$topology: $4"
}

test_placements() {
    run as_user srun -N8 --cluster-env "$jobs/told.sh" "$home/plain"
    quiet
    check_step "$home/plain" 8 8
    if reorders; then
        [[ ${hosts[*]} != "${in_list[*]}" ]] || complain "Slurm did not reorder: ${hosts[*]}"
    else
        want_hosts "${in_list[@]}"
    fi
    check_placement plain 8 8 "srun -N8"
    step_of_all cyclic -N8 -n12 -m cyclic; check_placement cyclic 12 8 "srun -m cyclic"
    step_of_all plane -N5 -n11 -m plane=2; check_placement plane 11 5 "srun -m plane=2"
    step_of_all unequal -N4 -n11 -w zeta1,n9,alpha,n2; check_placement unequal 11 4 "unequal numbers of tasks"
    step_of_all part -N3 -n3 -r4; check_placement part 3 3 "srun -r: a step smaller than the job"
    run as_user "${all_nodes[@]}" srun -N6 -n6 --export=NONE --cluster-env "$jobs/seen.sh" "$home/bare"
    quiet
    check_step "$home/bare" 6 6
    verdict "$topology: srun --export=NONE"
    printf '%s\n' zeta1 n10 zeta1 alpha beta >"$home/hosts"
    run as_user "${all_nodes[@]}" env SLURM_HOSTFILE="$home/hosts" \
        srun -n5 -m arbitrary --cluster-env "$jobs/told.sh" "$home/arbitrary"
    check_placement arbitrary 5 4 "srun -m arbitrary"
    want_hosts zeta1 n10 alpha beta
    verdict "$topology: -m arbitrary keeps the host file's order"
}

test_array() {
    local k
    submit array "$home/array.out.%a" --array=0-1 -N4 -n8 --cluster-env "$jobs/array.sh" "$jobs" "$home/array"
    for k in 0 1; do
        mv "$home/array.out.$k" "$home/array.$k.out" 2>/dev/null || wait_until 10 mv "$home/array.out.$k" "$home/array.$k.out"
        ended "array.$k"
        check_step "$home/array.$k.step" 8 4
    done
    verdict "$topology: the steps of a job array"
}

runs() { [[ $(as_user squeue -h -j "$1" -o %T) == RUNNING ]]; }

# From outside of a job that runs already.
test_outside() {
    local job
    job=$(as_user sbatch --parsable -N8 --exclusive -o /dev/null --wrap "sleep 300")
    wait_until 10 runs "$job" || complain "$job does not run: $(as_user squeue)"
    run as_user srun -Q --jobid "$job" --overlap -N4 -n6 --cluster-env "$jobs/told.sh" "$home/jobid"
    check_placement jobid 6 4 "srun --jobid"
    as_user scancel "$job"
}

# A heterogeneous step is right, or refused with the remedy; with the remedy it is right. Four nodes are a whole block.
test_het() {
    run as_user srun -Q --cluster-env -N4 -n6 "$jobs/seen.sh" "$home/het" : -N4 -n5 "$jobs/seen.sh" "$home/het"
    if reorders && [[ $status -ne 0 ]]; then
        [[ $err == *"node order does not check: "*"start the step with -m cyclic"* ]] || complain "$status: $err"
    else
        quiet
        check_step "$home/het" 11 8
    fi
    verdict "$topology: a heterogeneous step is right, or refused"
    run as_user srun -Q --cluster-env -m cyclic -N4 -n6 "$jobs/seen.sh" "$home/het-cyclic" : \
        -m cyclic -N4 -n5 "$jobs/seen.sh" "$home/het-cyclic"
    quiet
    check_step "$home/het-cyclic" 11 8
    verdict "$topology: a heterogeneous step with -m cyclic is right"
}

# A step for which srun did not ask for the layout, as of an srun without the plugin or of Slurm's C interface.
test_unasked() {
    sed -E 's|^(PlugStackConfig=).*|\1/dev/null|' "$state/etc/slurm.conf" >"$home/slurm.conf"
    [[ $topology == none ]] || cp "$state"/etc/topology.* "$home/"
    plugstack_arguments default=on
    run as_user env SLURM_CONF="$home/slurm.conf" srun -Q -N8 "$jobs/seen.sh" "$home/unasked"
    if reorders; then
        [[ $status -ne 0 && $err == *"node order does not check: tasks on "*", from task "*"; expected of node "* ]] || complain "$status: $err"
    else
        quiet
        check_step "$home/unasked" 8 8
    fi
    verdict "$topology: a step for which srun did not ask is right, or refused with both views"
    run as_user env SLURM_CONF="$home/slurm.conf" srun -Q -N8 -m cyclic "$jobs/seen.sh" "$home/unasked-cyclic"
    quiet
    check_step "$home/unasked-cyclic" 8 8
    verdict "$topology: the remedy helps: -m cyclic"
    plugstack_arguments
}

# mpirun's daemons are steps too; its ranks on all nodes get what the batch script gets.
test_mpirun() {
    local rank
    submit mpirun "$home/mpirun.out" -N4 --ntasks-per-node=2 --exclusive --cluster-env "$jobs/mpi.sh" "$jobs" "$home/mpirun"
    ended mpirun $'^(srun: Warning: can\'t honor --ntasks-per-node [^\n]*\n?)*$'
    load "$home/mpirun.openmpi" 6
    for rank in 0 1 2 3 4 5; do
        want "$rank" NUM_NODES 4
        want_unset "$rank" "${task_names[@]}" "${torchrun_names[@]}"
        if reorders; then want_unset "$rank" "${of_order[@]}"; fi
        want "$rank" CLUSTER_NODES "$(value 0 CLUSTER_NODES)"
    done
    verdict "$topology: the ranks of mpirun get the same variables on all nodes, and no order that steps contradict"
}

# ---------------------------------------------------------------- what scripts and shells get

# What depends on which node comes first.
readonly of_order=(PRIMARY_ADDR MASTER_ADDR PRIMARY_IP HOST_NODE_ADDR CLUSTER_IPS CLUSTER_NODES)

test_scripts() {
    local name
    submit script "$home/script.out" -N8 --exclusive --cluster-env "$jobs/evaluated.sh" "$jobs" "$home/script"
    ended script
    for name in script evaluated; do
        seen=()
        load_one "$home/script" "$name"
        want "$name" NUM_NODES 8
        if reorders; then want_unset "$name" "${of_order[@]}"; else want "$name" CLUSTER_NODES "$(IFS=,; echo "${in_list[*]}")"; fi
    done
    verdict "$topology: a batch script, and show --export in it, have no order that a step contradicts"
    check_step "$home/script.step" 8 8
    verdict "$topology: its steps have their own order"
    run as_user salloc -Q -N8 "$jobs/evaluated.sh" "$jobs" "$home/shell"
    [[ $status -eq 0 ]] || complain "status $status: $err"
    seen=()
    load_one "$home/shell" evaluated
    want evaluated NUM_NODES 8
    if reorders; then want_unset evaluated "${of_order[@]}"; else want evaluated CLUSTER_NODES "$(IFS=,; echo "${in_list[*]}")"; fi
    verdict "$topology: show --export in salloc's shell on a login node has no such order either"
}

# ---------------------------------------------------------------- messages, the mix, torch

layout_requests() { as_root head sdiag | awk '/REQUEST_STEP_LAYOUT/ { sub(/.*count:/, ""); print $1 }'; }

test_requests() {
    local before after wanted=0
    ! reorders || wanted=5
    before=$(layout_requests)
    run as_user "${all_nodes[@]}" bash -c 'for k in 1 2 3 4 5; do srun -N4 --cluster-env true; srun -N4 true; srun -N1 --cluster-env true; done'
    quiet
    after=$(layout_requests)
    [[ $((${after:-0} - ${before:-0})) -eq $wanted ]] || complain "layout requests: ${before:-0}, then ${after:-0}"
    verdict "$topology: five steps of four nodes ask for $wanted layouts, those of one node or without the option for none"
}

random_steps() { # random_steps WHERE SEED COUNT COMMAND...
    local dir=$home/mix.$1 may=never
    ! reorders || may="may-refuse"
    mkdir -p "$dir"
    "$here/mix.py" make "$dir" "$2" "$3" "$1" "$jobs/order.sh" "${nodes[@]}"
    chown -R --reference="$home" "$dir"
    patience=1800
    run as_user "${@:4}" bash "$dir/steps.sh"
    patience=180
    out=$("$here/mix.py" judge "$dir" "$may" "${nodes[@]}") || complain "seed $2:" "$out"
    diag "$topology, $1 a job, seed $2: $(tail -n1 <<<"$out")"
}

test_mix() {
    random_steps inside "$seed" "$mix" "${all_nodes[@]}"
    # a job of a block or ring has neighbours only
    [[ $topology == @(block|ring|yaml) ]] || random_steps outside "$seed" "$((mix / 2))" env
    verdict "$topology: a mix of random steps is right"
}

test_torch() {
    local line="$topology: a torch all-reduce over env://" rank
    if ! as_root "${nodes[0]}" python3 -c 'import torch' 2>/dev/null; then
        skip "$line" "the nodes have no torch (TORCH=yes installs it)"
        return
    fi
    patience=360
    # Debian builds its torch without libuv
    run as_user env USE_LIBUV=0 srun -N8 --cluster-env python3 "$jobs/all_reduce.py" "$home/torch"
    patience=180
    [[ $status -eq 0 ]] || complain "status $status: $(tail -n 15 <<<"$err")"
    for ((rank = 0; rank < 8; rank++)); do
        [[ $(cat "$home/torch.$rank" 2>&1) == "36 of 8, local 0" ]] || complain "rank $rank: $(cat "$home/torch.$rank" 2>&1)"
    done
    verdict "$line"
}

groups=(placements array outside het unasked mpirun scripts requests mix torch)

main() {
    local topologies=(none)
    [[ $# -eq 1 ]] || { echo "usage: test_topology.sh SERIES" >&2; exit 2; }
    [[ $1 != forky ]] || topologies=(none tree block ring yaml off)
    [[ ! -v TOPOLOGIES ]] || read -ra topologies <<<"$TOPOLOGIES"
    slurm_node=$("$here/slurm_node.sh" "$1")
    plan $((${#topologies[@]} * (21 + ${#groups[@]})))
    for topology in "${topologies[@]}"; do
        start "$topology" "$1"
        run_groups "$1" "${groups[@]}"
        end_product
        state=''
    done
    finish
}

main "$@"

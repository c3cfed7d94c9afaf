#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_placement.sh SERIES: every way in which Slurm places the tasks of a step or starts a job, held
# against what hostname, ip and Slurm say in the tasks.
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

# ---------------------------------------------------------------- srun

test_shapes() {
    step unequal -N3 -n7 --cluster-env
    quiet
    check_step "$home/unequal" 7 3
    [[ ${tasks_on[alpha]} -ne ${tasks_on[n10]} ]] || complain "${tasks_on[*]} tasks on the nodes"
    verdict "srun -N3 -n7: unequal numbers of tasks on the nodes, each node's own LOCAL_WORLD_SIZE"

    step cyclic -N4 -n10 -m cyclic --cluster-env
    quiet
    check_step "$home/cyclic" 10 4
    want 4 is_host alpha
    verdict "srun -m cyclic: ranks go round the nodes, local ranks count on each"

    step plane -N3 -n8 -m plane=2 --cluster-env
    quiet
    check_step "$home/plane" 8 3
    want 6 is_host alpha
    verdict "srun -m plane=2: ranks go round the nodes in pairs"

    run as_user env WANTED=yes UNWANTED=yes srun -N2 --export=WANTED --cluster-env "$jobs/seen.sh" "$home/export"
    quiet
    check_step "$home/export" 2 2
    want 1 WANTED yes
    want_unset 1 UNWANTED
    verdict "srun --export=VAR: that variable and ours, nothing is missing"

    job export small.sh -N2 --export=WANTED=yes --cluster-env
    check_step "$home/export.step" 2 2
    check_job "$home/export" batch "${hosts[@]}"
    want batch WANTED yes
    verdict "sbatch --export=VAR=value: the script and its step get all"
}

# ---------------------------------------------------------------- GPUs

# hidden_gpus NAME SRUN_OPTION...: 8 tasks on two nodes that see one GPU each
hidden_gpus() {
    local rank
    step "$1" -N2 --ntasks-per-node=4 "${@:2}" --cluster-env
    one_line "cluster-env: alpha: each task sees 1 of the [48] GPUs of its node.*use GPU 0.*--gpu-bind=none"
    check_step "$home/$1" 8 2
    for ((rank = 0; rank < 8; rank++)); do
        [[ $(value "$rank" CUDA_VISIBLE_DEVICES) =~ ^[0-7]$ ]] ||
            complain "task $rank: CUDA_VISIBLE_DEVICES=$(value "$rank" CUDA_VISIBLE_DEVICES)"
    done
    verdict "srun ${*:2}: LOCAL_RANK stays, one line from rank 0 names the remedy"
}

test_gpus() {
    hidden_gpus per-task --gpus-per-task=1
    hidden_gpus single --gpus-per-node=4 --gpu-bind=single:1
    hidden_gpus map --gpus-per-node=8 --gpu-bind=map_gpu:4,5,6,7

    step all-gpus -N2 --ntasks-per-node=4 --gpus-per-node=4 --cluster-env
    quiet
    check_step "$home/all-gpus" 8 2
    want 7 NUM_TRAINERS 4
    want 7 CUDA_VISIBLE_DEVICES 0,1,2,3
    verdict "srun --gpus-per-node=4 with 4 tasks a node: every task sees all, nothing is printed"
}

# ---------------------------------------------------------------- -m arbitrary

# arbitrary NAME: check_step, where the tasks are on zeta1, alpha, zeta1 and n9. SLURM_NODEID is
# Slurm's own: it goes by name.
arbitrary() {
    local line others=()
    quiet
    check_step "$home/$1" 4 3
    want_hosts zeta1 alpha n9
    want 2 is_host zeta1
    for line in "${wrong[@]}"; do [[ $line == *" SLURM_NODEID="* ]] || others+=("$line"); done
    wrong=("${others[@]}")
    want 0 SLURM_NODEID 2
}

# shellcheck disable=SC2016 # for the task to expand
readonly inner_arbitrary='[[ $SLURM_PROCID != 3 ]] ||
    SLURM_HOSTFILE=$0 exec srun --overlap -n4 -m arbitrary --cluster-env "$@"'

test_arbitrary() {
    local by_file=(env SLURM_HOSTFILE="$home/hostfile") other=(env SLURM_HOSTFILE="$home/other-hostfile")
    printf '%s\n' zeta1 alpha zeta1 n9 >"$home/hostfile"
    printf '%s\n' n9 zeta1 alpha alpha >"$home/other-hostfile"
    run as_user "${by_file[@]}" srun -n4 -m arbitrary --cluster-env "$jobs/told.sh" "$home/arbitrary"
    arbitrary arbitrary
    check_told "$home/arbitrary" 0
    check_told "$home/arbitrary" 3
    verdict "srun -m arbitrary with SLURM_HOSTFILE: node rank 0 and primary are rank 0's, as are the host files"

    run as_user "${by_file[@]}" srun -n4 -m arbitrary --export=NONE --cluster-env "$jobs/seen.sh" "$home/arbitrary-none"
    arbitrary arbitrary-none
    verdict "srun -m arbitrary --export=NONE: the same"

    run as_user "${other[@]}" srun -n4 -m arbitrary --cluster-env bash -c "$inner_arbitrary" "$home/hostfile" \
        "$jobs/seen.sh" "$home/arbitrary-inner"
    arbitrary arbitrary-inner
    verdict "srun -m arbitrary inside a task of another such step: its own order"
}

# ---------------------------------------------------------------- jobs from outside, steps at once

test_array() {
    local k
    submit array "$home/array.out.%a" --array=0-1 -N2 -n4 --cluster-env "$jobs/array.sh" "$jobs" "$home/array"
    for k in 0 1; do
        mv "$home/array.out.$k" "$home/array.$k.out" 2>/dev/null || wait_until 10 mv "$home/array.out.$k" "$home/array.$k.out"
        ended "array.$k"
        check_step "$home/array.$k.step" 4 2
        check_job "$home/array.$k" batch "${hosts[@]}"
        want batch SLURM_ARRAY_TASK_ID "$k"
    done
    different_ports "$home/array.0.step" "$home/array.1.step"
    [[ $(port_of "$home/array.0" batch) != "$(port_of "$home/array.1" batch)" ]] || complain "the scripts have one port"
    verdict "sbatch --array=0-1: two array tasks at the same time on the same nodes, different ports"
}

test_outside() {
    local id
    run as_user salloc --no-shell -N3 -n6 --cluster-env
    id=$(sed -n 's/^salloc: Granted job allocation \([0-9]*\)$/\1/p' <<<"$err")
    [[ $status -eq 0 && -n $id ]] || complain "salloc: $status $err"

    step outside-unasked --jobid="$id" -n6
    quiet
    load "$home/outside-unasked" 6
    want_nothing 5
    verdict "srun --jobid from outside without the option: nothing of ours"
    step outside --jobid="$id" -n6 --cluster-env
    quiet
    check_step "$home/outside" 6 3
    step outside-two --jobid="$id" -N2 -n2 --cluster-env
    quiet
    check_step "$home/outside-two" 2 2
    different_ports "$home/outside" "$home/outside-two"
    verdict "srun --jobid from outside with the option: ranks, size and primary of the step"

    as_user srun --jobid="$id" -n6 --cluster-env "$jobs/hold.sh" "$home/outside-busy" >"$state/held" 2>&1 &
    wait_until 15 test -e "$home/outside-busy.5" || complain "the first step does not run: $(<"$state/held")"
    step outside-overlap --jobid="$id" --overlap -n6 --cluster-env
    quiet
    check_step "$home/outside-overlap" 6 3
    different_ports "$home/outside" "$home/outside-overlap"
    verdict "srun --jobid --overlap from outside while a step has the whole job: the same"

    run as_user scancel "$id"
    wait "$!" || true
    quiet
}

test_together() {
    job together together.sh -N4 -n16 --cluster-env
    check_step "$home/together.a" 4 4
    check_step "$home/together.b" 8 4
    check_step "$home/together.c" 2 2
    different_ports "$home"/together.{a,b,c}
    verdict "three steps of a job at the same time, with --overlap and --exact: ranks of their own, different ports"
}

# ---------------------------------------------------------------- heterogeneous

test_het() {
    run as_user srun -Q --cluster-env -w n9 -n2 "$jobs/told.sh" "$home/het" : -w alpha -n1 "$jobs/told.sh" "$home/het"
    quiet
    check_step "$home/het" 3 2
    want_hosts n9 alpha
    check_told "$home/het" 0
    check_told "$home/het" 2
    verdict "srun -w n9 -n2 : -w alpha -n1: rank 0 and the primary are on n9; the host files say so too"

    run as_user srun -Q -w zeta1 "$jobs/seen.sh" "$home/het-one" : -w n10 "$jobs/seen.sh" "$home/het-one" : \
        --cluster-env -w alpha,n9 "$jobs/seen.sh" "$home/het-one"
    quiet
    check_step "$home/het-one" 4 4
    want_hosts zeta1 n10 alpha n9
    verdict "srun of three components, one task a node, the option in one of them: all get all, PET_* too"

    # such steps of an ordinary job say nothing of their components: Slurm's own order is right, others refuse
    run as_user salloc -Q -N4 --ntasks-per-node=4 --cluster-env \
        srun -w alpha -n1 "$jobs/told.sh" "$home/het-step" : -w zeta1,n9 -N2 -n3 "$jobs/told.sh" "$home/het-step"
    quiet
    check_step "$home/het-step" 4 3
    want_hosts alpha n9 zeta1
    check_told "$home/het-step" 3
    verdict "a heterogeneous step in an ordinary job, components in Slurm's order: ranks are right"
    run as_user salloc -Q -N4 --ntasks-per-node=4 --cluster-env \
        srun -w n9 -n2 "$jobs/seen.sh" "$home/het-refused" : -w alpha -n1 "$jobs/seen.sh" "$home/het-refused"
    [[ $status -ne 0 && $err == *"cluster-env: "*"node order does not check: node "*"--cluster-env=off"* ]] ||
        complain "status $status: $err"
    verdict "a heterogeneous step in an ordinary job, components in another order: refused, with the way out"
}

test_het_batch() {
    submit het-batch "$home/het-batch.out" --cluster-env -w zeta1 -n2 : -w alpha,n9 -n4 \
        "$jobs/het.sh" "$jobs" "$home/het-batch"
    ended het-batch
    check_step "$home/het-batch.both" 6 3
    want_hosts zeta1 alpha n9
    verdict "a heterogeneous job, srun --het-group=0,1: components one after the other"
    check_step "$home/het-batch.second" 4 2
    want_hosts alpha n9
    check_step "$home/het-batch.first" 2 1
    want_hosts zeta1
    different_ports "$home"/het-batch.{both,second,first}
    verdict "a heterogeneous job, srun --het-group=1 and plain srun in it: that component"
    check_step "$home/het-batch.part" 2 2
    want_hosts zeta1 n9
    check_told "$home/het-batch.part" 1
    verdict "a heterogeneous job, a step on some of a component's nodes: those in the same order"
    check_step "$home/het-batch.both" 6 3
    check_hostfiles "$home/het-batch" batch
    check_job "$home/het-batch" batch zeta1 alpha n9
    check_job "$home/het-batch" evaluated zeta1 alpha n9
    verdict "a heterogeneous job: its batch script describes the whole job, as do cluster-env show and hostfile"
    # srun there believes to be in the heterogeneous job
    ended het-batch.inner "No directives to start application"
    check_job "$home/het-batch.inner" batch alpha n9
    verdict "an ordinary job submitted from inside a heterogeneous one: its script describes that job"
}

# ---------------------------------------------------------------- terminals

in_shell() { # the lines are typed in the shell that salloc opens on the job's first node
    echo "$1" | within 60 "$cluster" on "$state" head --user demo --cwd "$home" -- salloc -Q -N3 --cluster-env
}

# srun refuses --pty where it has no terminal. The chroots lack script(1), so it is this machine's.
in_terminal() {
    local words
    printf -v words '%q ' "$cluster" on "$state" head --user demo --cwd "$home" -- "$@"
    within 60 script -qec "$words" /dev/null
}

test_terminals() {
    run in_shell "srun '$jobs/seen.sh' '$home/shell.step' </dev/null; exec '$jobs/seen.sh' '$home/shell' shell"
    quiet
    check_step "$home/shell.step" 3 3
    check_job "$home/shell" shell "${hosts[@]}"
    want shell is_host alpha
    verdict "salloc with use_interactive_step: its shell has NUM_NODES and primary of the job, and no rank"

    run in_terminal srun --pty -N2 -n2 --cluster-env "$jobs/seen.sh" "$home/pty"
    [[ $status -eq 0 ]] || complain "status $status: $out $err"
    check_step "$home/pty" 2 2
    want 0 is_terminal yes
    verdict "srun --pty: all variables, in a task with a terminal"
}

# ---------------------------------------------------------------- jobs in jobs

check_inner() { # check_inner NAME
    ended "$1"
    check_step "$home/$1.step" 2 2
    check_job "$home/$1" batch "${hosts[@]}"
}

test_inner() {
    job asked steps.sh -N3 --cluster-env
    check_step "$home/asked.plain" 3 3
    check_step "$home/asked.on" 3 3
    load "$home/asked.off" 3
    want_unset 2 "${task_names[@]}" "${torchrun_names[@]}" "${node_names[@]}"
    verdict "sbatch --cluster-env: a step has all, one with --cluster-env=off has no rank"
    check_inner asked.inner
    check_inner asked.inner-on
    verdict "sbatch inside sbatch --cluster-env: the inner job is asked as well, and knows its own nodes"
    ended asked.inner-off
    load "$home/asked.inner-off.step" 2
    want_unset 1 "${task_names[@]}" "${torchrun_names[@]}" "${node_names[@]}"
    verdict "sbatch --cluster-env=off inside sbatch --cluster-env: no rank"

    job unasked steps.sh -N3
    load "$home/unasked.plain" 3
    want_nothing 0
    load_one "$home/unasked" batch
    want_nothing batch
    check_step "$home/unasked.on" 3 3
    verdict "sbatch without the option: only the step that asks gets variables"
    ended unasked.inner
    load "$home/unasked.inner.step" 2
    want_nothing 0
    check_inner unasked.inner-on
    verdict "sbatch --cluster-env inside a job without: that job is asked"
}

# ---------------------------------------------------------------- MPI

# check_mpi FILE RANKS NODES PREFIX: the MPI's own ranks are right, and none of ours disturbs them
check_mpi() {
    local rank tasks=$2
    load "$1" "$2"
    [[ ${#wrong[@]} -eq 0 ]] || return 0
    find_hosts
    [[ ${#hosts[@]} -eq $3 ]] || complain "expected $3 nodes, seen: ${hosts[*]}"
    for ((rank = 0; rank < $2; rank++)); do
        want "$rank" "$4_RANK" "$rank"
        want "$rank" "$4_SIZE" "$2"
        want_unset "$rank" "${task_names[@]}" "${torchrun_names[@]}"
        check_cluster "$rank" 3 10.20.0.14 "$(value 0 PRIMARY_PORT)"
        want "$rank" CLUSTER_NODES alpha,n9,n10
    done
}

test_mpi() {
    local text reason='' texts=(
        "mpirun of Open MPI in a job: its own ranks on all nodes, and no RANK, WORLD_SIZE, LOCAL_RANK of ours"
        "mpirun of MPICH in a job: the same"
        "mpirun of Open MPI takes hostfile --format=mpi: ranks on those nodes"
        "mpirun of MPICH takes hostfile --format=mpich: ranks on those nodes")
    as_root head test -x /usr/bin/mpirun.openmpi -a -x /usr/bin/mpirun.mpich ||
        reason="openmpi-bin and mpich are not installed"
    if [[ -n $reason ]]; then
        for text in "${texts[@]}"; do skip "$text" "$reason"; done
        return
    fi
    submit mpi "$home/mpi.out" -N3 --ntasks-per-node=2 --cluster-env "$jobs/mpi.sh" "$jobs" "$home/mpi"
    # mpirun's srun is told too many tasks per node
    ended mpi $'^(srun: Warning: can\'t honor --ntasks-per-node [^\n]*\n?)*$'
    check_mpi "$home/mpi.openmpi" 6 3 OMPI_COMM_WORLD
    verdict "${texts[0]}"
    check_mpi "$home/mpi.mpich" 6 3 PMI
    verdict "${texts[1]}"
    check_mpi "$home/mpi.openmpi-hosts" 4 2 OMPI_COMM_WORLD
    verdict "${texts[2]}"
    check_mpi "$home/mpi.mpich-hosts" 4 2 PMI
    verdict "${texts[3]}"
}

# ---------------------------------------------------------------- many tasks

# The time grows with the square of the number: 2,000 take 10 s on two idle cores.
readonly crowd=${CROWD:-2000}

# shellcheck disable=SC2016 # for the task to expand; read is its hostname(1), without a process
readonly crowd_task='read -r host </proc/sys/kernel/hostname
    echo "$RANK $LOCAL_RANK $SLURM_PROCID $SLURM_LOCALID $WORLD_SIZE $LOCAL_WORLD_SIZE $NODE_RANK $PRIMARY_ADDR $host"'

test_crowd() {
    local expected
    patience=360
    run as_user srun -N1 -w n9 -n"$crowd" --overcommit --cluster-env sh -c "$crowd_task"
    patience=180
    expected=$(seq 0 $((crowd - 1)) | sed "s/.*/& & & & $crowd $crowd 0 10.20.0.13 n9/")
    [[ $status -eq 0 && -z $err ]] || complain "status $status: $(head -c 1000 <<<"$err")"
    [[ $(sort -n <<<"$out") == "$expected" ]] || complain "$(diff <(sort -n <<<"$out") <(echo "$expected") | head -n 6)"
    verdict "$crowd tasks on one node: every one has its rank, all have the same size"
}

# ---------------------------------------------------------------- ports

port_range() { # port_range NODE RANGE: its ephemeral ports; the sysctl belongs to the node's network
    # shellcheck disable=SC2016 # for the node to expand
    as_root "$1" bash -c 'echo "$0" >/proc/sys/net/ipv4/ip_local_port_range' "$2"
}

test_ports() {
    local ranges=("1024 4999" "32768 60999" "61000 65535" "20000 20999") k
    for k in 0 1 2 3; do port_range "${nodes[k]}" "${ranges[k]}"; done
    step sysctl -N4 --cluster-env
    quiet
    check_step "$home/sysctl" 4 4
    [[ $(value 0 MASTER_PORT) -ge 61000 ]] || complain "MASTER_PORT=$(value 0 MASTER_PORT)"
    verdict "nodes with different ip_local_port_range: the same MASTER_PORT on all"
    for k in 0 1 2 3; do port_range "${nodes[k]}" "${ranges[1]}"; done

    echo MpiParams=ports=50000-50099 >>"$state/etc/slurm.conf"
    "$cluster" restart "$state" slurmctld
    daemons=$(daemon_pids)
    wait_until 15 is_calm || complain "$(look_around)"
    step reserved -N2 --resv-ports=2 --cluster-env
    quiet
    check_step "$home/reserved" 2 2
    [[ $(value 1 SLURM_STEP_RESV_PORTS) =~ ^(500[0-9][0-9])-500[0-9][0-9]$ ]] ||
        complain "SLURM_STEP_RESV_PORTS=$(value 1 SLURM_STEP_RESV_PORTS)"
    want 1 MASTER_PORT "${BASH_REMATCH[1]-no range}"
    verdict "srun --resv-ports: MASTER_PORT is the first port that Slurm reserved"
}

# ---------------------------------------------------------------- the command

# shellcheck disable=SC2054 # the commas are the lists'
readonly lists=(n1 a,b n1,n1 n3,n1,n2 'n[3,1,2]' 'n[1-3]' 'n[01-03]' 'n[9-11]' 'n[009-011]' 'n[1,3,5-7]' 'n[0-0]' n00
    'a[1-2],b[3-4]' 'rack[1-2]node[1-3]' 'gpu-a[1-2]-b[03-04]' 'n[1,1]' 'n[1-2,2-3]' 'n[98-102]' 'n[098-102]'
    node-1.cluster.example 'n[1-4096]' 'n[00001-16384]' 'alpha,n[9-10],zeta1' 'n[8-9,10-11]' n9,n10 N1,n1 'a_b[1-2]'
    'n[1-65536]' 'n[0-65535]' 'a[01-10,12],b,c[7-8],d-0[1-2]' 'n[1-3],n2')

test_hostlists() {
    run as_user "$jobs/hostlists.sh" "${lists[@]}"
    [[ $status -eq 0 && $(grep -c ^same <<<"$out") -eq ${#lists[@]} ]] ||
        complain "status $status" "$(grep -v ^same <<<"$out")" "$err"
    verdict "${#lists[@]} host lists: our names are those of scontrol show hostnames, in its order"
}

test_told() {
    local name="cluster-env info --json in a task: the same, as JSON"
    run as_user srun -N3 -n5 --cluster-env "$jobs/told.sh" "$home/told"
    quiet
    check_step "$home/told" 5 3
    check_told "$home/told" 0
    check_told "$home/told" 4
    verdict "cluster-env info and all forms of hostfile in a task: rank, names, addresses, tasks of each node"
    if command -v jq >/dev/null; then
        check_json "$home/told" 0
        check_json "$home/told" 4
        verdict "$name"
    else
        skip "$name" "jq is not installed"
    fi
    run as_user srun -N2 --gpus-per-node=4 --cluster-env "$jobs/told.sh" "$home/told-gpus"
    quiet
    check_step "$home/told-gpus" 2 2
    tasks_on=([alpha]=4 [n9]=4)
    check_told "$home/told-gpus" 1
    verdict "hostfile on nodes with GPUs: as many processes as GPUs"
    run as_user srun -N3 -n5 "$jobs/told.sh" "$home/untold"
    quiet
    load "$home/untold" 5
    want_nothing 1
    verdict "the same commands work in a step that was not asked for"
}

main() {
    [[ $# -eq 1 ]] || { echo "usage: test_placement.sh SERIES" >&2; exit 2; }
    local groups=(shapes gpus arbitrary array outside together het het_batch terminals inner mpi crowd hostlists told ports)
    plan $((45 + ${#groups[@]}))
    # shellcheck disable=SC2016 # Slurm expands it
    start_product "$1" --slurm-conf LaunchParameters=use_interactive_step \
        --slurm-conf 'InteractiveStepOptions="--interactive --preserve-env $SHELL"' \
        --slurm-conf "MaxTasksPerNode=$crowd"
    # a login node has its texts as well
    as_root head cluster-env facts --write
    run_groups "$1" "${groups[@]}"
    finish
}

main "$@"

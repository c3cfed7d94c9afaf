#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_steps.sh SERIES: what tasks, batch scripts and salloc shells get on a real Slurm, held
# against what hostname, ip and Slurm say there.
set -euo pipefail

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/product.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tasks.sh"

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/steps.sh"

# ---------------------------------------------------------------- srun

test_srun() {
    step plain -N4 --cluster-env
    quiet
    check_step "$home/plain" 4 4
    want_hosts "${in_order[@]}"
    verdict "srun -N4: rank, primary, addresses, interfaces agree with hostname and ip in every task; nothing is printed"

    step many -N4 --ntasks-per-node=8 --cluster-env
    quiet
    check_step "$home/many" 32 4
    verdict "srun -N4 --ntasks-per-node=8: 32 ranks and local ranks, and no PET_*"

    step none -N2 --export=NONE --cluster-env
    quiet
    check_step "$home/none" 2 2
    verdict "srun --export=NONE: nothing is missing"

    torchrun=off
    step items -N2 --cluster-env=port=4242,torchrun=off,verbose
    check_step "$home/items" 2 2
    torchrun=on
    want 0 PRIMARY_PORT 4242
    [[ $status -eq 0 && -z $out ]] || complain "exit status $status, on stdout: $out"
    [[ $(grep -c 'cluster-env: .*interface eth1' <<<"$err") -eq 2 ]] || complain "verbose: $err"
    verdict "srun --cluster-env=port=4242,torchrun=off,verbose: that port, no PET_*, one line from each node"

    step gpus -N4 --gpus-per-node=8 --cluster-env
    quiet
    check_step "$home/gpus" 4 4
    want 3 CUDA_VISIBLE_DEVICES 0,1,2,3,4,5,6,7
    for ((rank = 0; rank < 4; rank++)); do want "$rank" NUM_TRAINERS 8; done
    verdict "srun --gpus-per-node=8: NUM_TRAINERS is 8, as many as CUDA_VISIBLE_DEVICES has"
}

# ---------------------------------------------------------------- not asked for

# environment NAME SRUN_OPTION...: what two tasks have, but for what differs between any two steps; always on the
# same nodes, which nobody has to wait for
environment() {
    wait_until 20 is_calm || complain "not all nodes are idle"
    as_user srun -N2 -w alpha,n9 -l "${@:2}" /usr/bin/env 2>&1 | sort |
        sed -E 's/^([0-9]+: SLURM_(JOB_?ID|JOB_(START|END)_TIME|STEP_ID|STEPID|TASK_PID|SRUN_COMM_PORT|STEP_LAUNCHER_PORT|JOB_SLUID|SLUID|STEP_SLUID))=.*/\1/' >"$state/env.$1"
}

test_not_asked() {
    cp "$state/etc/plugstack.conf" "$state/etc/plugstack.saved"
    : >"$state/etc/plugstack.conf"
    environment absent
    cp "$state/etc/plugstack.saved" "$state/etc/plugstack.conf"
    environment unasked
    environment off --cluster-env=off
    is "$(<"$state/env.unasked")" "$(<"$state/env.absent")" \
        "srun without the option: the environment and all that is printed are those without the plugin"
    is "$(<"$state/env.off")" "$(<"$state/env.absent")" \
        "srun --cluster-env=off: the same"
}

# ---------------------------------------------------------------- batch jobs

test_batch() {
    job batch batch.sh -N4 --cluster-env
    check_step "$home/batch.first" 4 4
    verdict "sbatch: an srun in it gets its ranks"
    check_job "$home/batch" batch "${in_order[@]}"
    verdict "sbatch: the script's environment describes the job, without rank, NODE_RANK and PET_*"
    check_step "$home/batch.second" 4 4
    different_ports "$home/batch.first" "$home/batch.second"
    verdict "sbatch: a second srun too, and another port"
    check_step "$home/batch.two" 2 2
    check_step "$home/batch.third-node" 1 1
    want 0 is_host n10
    verdict "sbatch -N4: srun -N2 and srun -N1 -r2 in it have ranks, size and primary of their own"
    check_step "$home/batch.export-none" 4 4
    verdict "sbatch: srun --export=NONE in it gets its ranks"

    check_inner_off "$home/batch"
    check_own "$home/batch"
    check_evaluated "$home/batch" batch
    verdict "batch script: cluster-env show --export gives what the plugin set"
    check_json "$home/batch.json" PRIMARY_ADDR "$(value batch PRIMARY_ADDR)"
}

# With the option off an inner step has what its script has, not more.
check_inner_off() {
    local name
    load "$1.off" 4
    want_unset 1 "${task_names[@]}" "${torchrun_names[@]}" "${node_names[@]}"
    load_one "$1" batch
    want 1 PRIMARY_PORT "$(value batch PRIMARY_PORT)"
    want 1 CLUSTER_ENV_STEP "$(value batch CLUSTER_ENV_STEP)"
    verdict "sbatch: srun --cluster-env=off in it sets nothing"
}

check_own() {
    interfaces=no
    check_step "$1.own" 4 4
    interfaces=yes
    for ((rank = 0; rank < 4; rank++)); do
        want "$rank" MASTER_PORT 34567
        want "$rank" NCCL_SOCKET_IFNAME eth2
        want "$rank" GLOO_SOCKET_IFNAME eth1
    done
    verdict "sbatch: MASTER_PORT and NCCL_SOCKET_IFNAME exported by the user in the script win in its steps"
}

# check_evaluated FILE NAME: FILE.evaluated is FILE.NAME
check_evaluated() {
    local key
    seen=()
    load_one "$1" "$2"
    load_one "$1" evaluated
    for key in "${!seen[@]}"; do
        [[ $key != "$2 "* || $key =~ \ (_|SHLVL|OLDPWD|BASH_.*)$ ]] ||
            want evaluated "${key#* }" "${seen[$key]}"
        [[ $key != "evaluated "* || -v seen["$2 ${key#* }"] ]] || complain "only evaluated: $key"
    done
}

check_json() { # check_json FILE VARIABLE VALUE
    local text="cluster-env show --json is JSON with the same values"
    if ! command -v jq >/dev/null; then skip "$text" "jq is not installed"; return; fi
    is "$(jq -r --arg name "$2" '.variables[] | select(.name == $name).value' "$1" 2>&1)" "$3" "$text"
}

test_more_batch() {
    job none small.sh -N4 --export=NONE --cluster-env
    check_step "$home/none.step" 4 4
    check_job "$home/none" batch "${hosts[@]}"
    verdict "sbatch --export=NONE: the script and its srun get all"

    job directive directive.sh
    check_step "$home/directive.step" 2 2
    check_job "$home/directive" batch "${hosts[@]}"
    verdict "#SBATCH --cluster-env: the script and its srun get all"

    job one small.sh -N1 --cluster-env
    check_step "$home/one.step" 1 1
    check_job "$home/one" batch "${hosts[@]}"
    verdict "sbatch -N1: the script has NODE_RANK=0 and the node's address, but no rank"
}

test_nested() {
    run as_user srun -N2 --cluster-env "$jobs/nested.sh" "$jobs" "$home/nested"
    quiet
    ended nested.sbatch
    check_step "$home/nested.outer" 2 2
    check_step "$home/nested.inner" 1 1
    want 0 is_host "${in_order[1]}"
    verdict "srun inside a task of rank 1: rank, primary and port are its own, not the outer step's"
    check_step "$home/nested.sbatch.step" 2 2
    check_job "$home/nested.sbatch" batch "${hosts[@]}"
    verdict "sbatch inside a task of rank 1: its script has no rank, its step has its own"
}

# ---------------------------------------------------------------- salloc

test_salloc() {
    run as_user salloc -Q -N4 --cluster-env "$jobs/shell.sh" "$jobs" "$home/salloc"
    quiet
    check_step "$home/salloc.step" 4 4
    check_step "$home/salloc.after" 4 4
    check_step "$home/salloc.one" 1 1
    verdict "salloc: sruns in its shell get their ranks, also after eval"
    check_job "$home/salloc" evaluated "${in_order[@]}"
    verdict "salloc: cluster-env show --export in its shell describes the job"

    run shell_on_first_node inside
    quiet
    check_step "$home/inside.step" 4 4
    check_step "$home/inside.after" 4 4
    verdict "salloc with use_interactive_step: sruns in its shell get their ranks"
    check_job "$home/inside" shell "${in_order[@]}"
    want shell is_host "${in_order[0]}"
    verdict "salloc with use_interactive_step: the shell itself has the job's variables, and no rank"
    check_evaluated "$home/inside" shell
    verdict "salloc with use_interactive_step: cluster-env show --export gives what the plugin set"
}

# ---------------------------------------------------------------- cluster-env show

test_show() {
    run as_user srun -N4 "$jobs/evaluate.sh" "$jobs" "$home/command"
    quiet
    check_step "$home/command" 4 4
    verdict "cluster-env show --export in a task gives all of it where the plugin was not asked"

    torchrun=off
    run as_user srun -N2 --cluster-env=port=4243,torchrun=off "$jobs/evaluate.sh" "$jobs" "$home/both"
    quiet
    check_step "$home/both" 2 2
    torchrun=on
    want 1 PRIMARY_PORT 4243
    verdict "cluster-env show --export knows the items of --cluster-env"

    cp "$state/etc/plugstack.conf" "$state/etc/plugstack.saved"
    : >"$state/etc/plugstack.conf"
    run as_user srun -N1 --cluster-env true
    [[ $status -ne 0 && $err == *"unrecognized option"* ]] || complain "the plugin is there: $status $err"
    step absent -N2
    load "$home/absent" 2
    want_nothing 1
    job bare bare.sh -N3 -n5
    check_step "$home/bare.step" 5 3
    check_job "$home/bare" batch "${hosts[@]}"
    cp "$state/etc/plugstack.saved" "$state/etc/plugstack.conf"
    verdict "where the plugin is not installed, cluster-env show --export gives a batch script and its step all of it"

    run as_user srun -N2 -l --cluster-env cluster-env show
    [[ $status -eq 0 && -z $err ]] || complain "exit status $status, on stderr: $err"
    grep -Eq '^1: RANK +1 +SLURM_PROCID$' <<<"$out" || complain "no rank 1 in: $out"
    verdict "cluster-env show in a task: a line says RANK, its value, where it came from"
}

# ---------------------------------------------------------------- what others set

# kept TEXT EXPECTED SRUN...: NCCL_SOCKET_IFNAME is as expected, the other library's is ours
kept() {
    local file
    file=$home/kept.$RANDOM
    run as_user "${@:3}" srun -N2 --cluster-env "$jobs/seen.sh" "$file"
    quiet
    interfaces=no
    check_step "$file" 2 2
    interfaces=yes
    for ((rank = 0; rank < 2; rank++)); do
        want "$rank" NCCL_SOCKET_IFNAME "$2"
        want "$rank" GLOO_SOCKET_IFNAME eth1
    done
    verdict "$1"
}

test_others() {
    kept "NCCL_SOCKET_IFNAME in the user's environment stays, Gloo's is ours" eth2 \
        env NCCL_SOCKET_IFNAME=eth2
    as_user bash -c 'echo NCCL_SOCKET_IFNAME=eth2 >.nccl.conf'
    kept "NCCL_SOCKET_IFNAME in ~/.nccl.conf wins: the variable is not set" "(unset)"
    as_user rm .nccl.conf
    as_root head bash -c 'echo NCCL_SOCKET_IFNAME=eth2 >/etc/nccl.conf'
    kept "NCCL_SOCKET_IFNAME in /etc/nccl.conf wins: the variable is not set" "(unset)"
    as_root head rm /etc/nccl.conf
}

# ---------------------------------------------------------------- plugstack.conf

test_plugstack() {
    plugstack_arguments default=on
    step default -N2
    quiet
    check_step "$home/default" 2 2
    verdict "plugstack.conf default=on: srun without the option gets all"
    step default-off -N2 --cluster-env=off
    quiet
    load "$home/default-off" 2
    want_unset 0 "${task_names[@]}" "${node_names[@]}" NUM_NODES PRIMARY_ADDR
    verdict "plugstack.conf default=on: --cluster-env=off wins"

    on_all_nodes bash -c 'cp -a /run/cluster-env /run/other &&
        sed -i "s/^port.first=.*/port.first=5000/; s/^port.last=.*/port.last=5009/" /run/other/node.policy'
    plugstack_arguments run=/run/other
    step other -N2 --cluster-env
    quiet
    check_step "$home/other" 2 2
    [[ $(value 0 PRIMARY_PORT) == 500? ]] || complain "port $(value 0 PRIMARY_PORT)"
    verdict "plugstack.conf run=DIR: facts, policy and book are read there"
    plugstack_arguments
}

# ---------------------------------------------------------------- torch

# What RunPod's users type, expanded in the task.
# shellcheck disable=SC2016
readonly runpod_line='torchrun --nproc_per_node=$NUM_TRAINERS --nnodes=$NUM_NODES
    --node_rank=$NODE_RANK --master_addr=$MASTER_ADDR --master_port=$MASTER_PORT'

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

test_torch() {
    local reason=''
    local line="torchrun as RunPod documents it, in tasks: gloo all_reduce over the cluster network"
    local bare="torchrun without a flag, in tasks: gloo all_reduce over the cluster network"
    is_own_slurm || reason="the suite's chroot has no torch"
    [[ -n $reason ]] || [[ -x /usr/bin/torchrun ]] || reason="python3-torch is not installed"
    if [[ -n $reason ]]; then
        skip "$line" "$reason"
        skip "$bare" "$reason"
        return
    fi
    patience=480 # four machines' work on two cores
    run as_user env "${torch_env[@]}" srun -N2 --gpus-per-node=2 --cluster-env bash -c "${runpod_line//$'\n'/ } '$jobs/all_reduce.py' '$home/line'"
    sums line 4
    verdict "$line"
    run as_user env "${torch_env[@]}" srun -N3 --gpus-per-node=1 --cluster-env torchrun "$jobs/all_reduce.py" "$home/bare"
    sums bare 3
    verdict "$bare"
    patience=180
}

# ---------------------------------------------------------------- slurmctld

test_messages() {
    run as_user salloc -Q -N4 "$jobs/count.sh"
    [[ $status -eq 0 && -z $err ]] || complain "exit status $status, on stderr: $err"
    [[ $out == *"plain REQUEST_JOB_STEP_CREATE 5"* ]] || complain "no steps counted: $out"
    [[ $(sed -n 's/^plain //p' <<<"$out") == "$(sed -n 's/^asked //p' <<<"$out")" ]] || complain "$out"
    verdict "slurmctld gets not one message more from srun --cluster-env than from srun"
}

main() {
    [[ $# -eq 1 ]] || { echo "usage: test_steps.sh SERIES" >&2; exit 2; }
    local groups=(srun not_asked batch more_batch nested salloc show others plugstack torch messages)
    plan $((39 + ${#groups[@]}))
    start_product "$1" "${shell_on_node[@]}"
    # a login node has its texts as well
    as_root head cluster-env facts --write
    run_groups "$1" "${groups[@]}"
    finish
}

main "$@"

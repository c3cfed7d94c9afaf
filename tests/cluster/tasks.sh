# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# What jobs/seen.sh wrote in tasks, held against the variables they got. The truth is what hostname,
# ip and Slurm said in the tasks. Differences gather in `wrong`; verdict makes one TAP line of them.

declare -A seen=() ips_of=() tasks_on=()
hosts=()

verdict() {
    if [[ ${#wrong[@]} -eq 0 ]]; then pass "$1"; else fail "$1" "${wrong[@]}"; fi
    wrong=()
}

complain() { wrong+=("$*"); }

# load FILE TASKS: reads FILE.0 ... into seen["rank NAME"].
load() {
    local rank line files
    seen=()
    files=("$1".*)
    [[ ${#files[@]} -eq $2 && -e ${files[0]} ]] ||
        complain "$(basename "$1"): expected $2 tasks, seen: ${files[*]##*.}"
    for ((rank = 0; rank < $2; rank++)); do load_one "$1" "$rank"; done
}

load_one() {
    local line
    [[ -r $1.$2 ]] || { complain "$(basename "$1"): nothing from $2"; return 0; }
    while IFS= read -r line; do seen["$2 ${line%%=*}"]=${line#*=}; done <"$1.$2"
    [[ ${seen["$2 is_uid"]-0} -ne 0 ]] || complain "$(basename "$1"): $2 is root"
}

value() { printf '%s' "${seen["$1 $2"]-(unset)}"; } # value RANK NAME

# want RANK NAME VALUE
want() {
    local got=${seen["$1 $2"]-(unset)}
    [[ $got == "$3" ]] || complain "task $1: $2=$got, expected $3"
}

want_unset() {
    local name
    for name in "${@:2}"; do want "$1" "$name" "(unset)"; done
}

readonly node_names=(NODE_RANK NODE_ADDR CLUSTER_IP JAX_COORDINATOR_ADDRESS SKYPILOT_NUM_NODES
    SKYPILOT_NODE_RANK SKYPILOT_NODE_IPS SKYPILOT_NUM_GPUS_PER_NODE)
readonly task_names=(RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE GROUP_RANK)
readonly torchrun_names=(PET_NNODES PET_NODE_RANK PET_NPROC_PER_NODE PET_MASTER_ADDR PET_MASTER_PORT)

# The hosts of the step in the order of its ranks, and how many tasks each has.
find_hosts() {
    local rank host
    hosts=() tasks_on=()
    for ((rank = 0; rank < tasks; rank++)); do
        host=${seen["$rank is_host"]-}
        [[ -v tasks_on["$host"] ]] || hosts+=("$host")
        tasks_on[$host]=$((${tasks_on[$host]-0} + 1))
        ips_of[$host]=${seen["$rank is_ip"]-}
    done
}

# ips HOST...: their addresses, separated by commas
ips() {
    local host list=''
    for host in "$@"; do list+=,${ips_of[$host]-no address}; done
    printf '%s' "${list#,}"
}

host_port() { # host_port ADDRESS PORT
    if [[ $1 == *:* ]]; then printf '[%s]:%s' "$1" "$2"; else printf '%s:%s' "$1" "$2"; fi
}

# Variables that every task of every step gets alike: RANK NODES PRIMARY_IP PORT
check_cluster() {
    local name
    want "$1" NUM_NODES "$2"
    for name in PRIMARY_ADDR MASTER_ADDR PRIMARY_IP; do want "$1" "$name" "$3"; done
    for name in PRIMARY_PORT MASTER_PORT; do want "$1" "$name" "$4"; done
    want "$1" HOST_NODE_ADDR "$(host_port "$3" "$4")"
}

check_node() { # RANK NODE_RANK IP NODES PRIMARY_IP PORT
    local name trainers
    trainers=$(value "$1" NUM_TRAINERS)
    for name in NODE_RANK SKYPILOT_NODE_RANK; do want "$1" "$name" "$2"; done
    for name in NODE_ADDR CLUSTER_IP; do want "$1" "$name" "$3"; done
    want "$1" SKYPILOT_NUM_NODES "$4"
    want "$1" SKYPILOT_NUM_GPUS_PER_NODE "$trainers"
    want "$1" JAX_COORDINATOR_ADDRESS "$(host_port "$5" $(($6 + 1)))"
}

check_task() { # RANK LOCAL_RANK LOCAL_TASKS NODE_RANK
    want "$1" RANK "$1"
    want "$1" SLURM_PROCID "$1"
    want "$1" SLURM_LOCALID "$2"
    [[ ${slurm_node_ids-yes} == no ]] || want "$1" SLURM_NODEID "$4"
    want "$1" WORLD_SIZE "$tasks"
    want "$1" LOCAL_RANK "$2"
    want "$1" LOCAL_WORLD_SIZE "$3"
    want "$1" GROUP_RANK "$4"
}

check_torchrun() { # RANK NODES NODE_RANK PRIMARY_IP PORT
    want "$1" PET_NNODES "$2"
    want "$1" PET_NODE_RANK "$3"
    want "$1" PET_NPROC_PER_NODE "$(value "$1" NUM_TRAINERS)"
    want "$1" PET_MASTER_ADDR "$4"
    want "$1" PET_MASTER_PORT "$5"
}

# Every rank of the loaded step. A node's index is that of its first rank, a task's local rank the
# number of tasks before it on its host.
check_ranks() {
    local rank host port primary=${ips_of[${hosts[0]}]} list
    local -A node=() before=()
    port=$(value 0 PRIMARY_PORT)
    list=$(IFS=,; echo "${hosts[*]}")
    for ((rank = 0; rank < ${#hosts[@]}; rank++)); do node[${hosts[rank]}]=$rank; done
    for ((rank = 0; rank < tasks; rank++)); do
        host=${seen["$rank is_host"]-}
        check_cluster "$rank" "${#hosts[@]}" "$primary" "$port"
        check_node "$rank" "${node[$host]}" "${ips_of[$host]}" "${#hosts[@]}" "$primary" "$port"
        check_task "$rank" "${before[$host]-0}" "${tasks_on[$host]}" "${node[$host]}"
        want "$rank" CLUSTER_NODES "$list"
        want "$rank" NUM_TRAINERS "${seen["$rank SLURM_GPUS_ON_NODE"]-${tasks_on[$host]}}"
        want "$rank" CLUSTER_IPS "$(ips "${hosts[@]}")"
        want "$rank" SKYPILOT_NODE_IPS "$(ips "${hosts[@]}" | tr , '|')"
        if [[ $torchrun == on && $tasks -eq ${#hosts[@]} ]]; then
            check_torchrun "$rank" "${#hosts[@]}" "${node[$host]}" "$primary" "$port"
        else
            want_unset "$rank" "${torchrun_names[@]}"
        fi
        before[$host]=$((${before[$host]-0} + 1))
    done
}

check_interfaces() {
    local rank interface
    for ((rank = 0; rank < tasks; rank++)); do
        interface=$(value "$rank" is_interface)
        want "$rank" NCCL_SOCKET_IFNAME "=$interface"
        want "$rank" GLOO_SOCKET_IFNAME "$interface"
        want "$rank" TP_SOCKET_IFNAME "$interface"
    done
}

# check_step FILE TASKS NODES: all variables of all tasks, with torchrun=off without PET_*.
# With `interfaces=no` the tuning variables are the caller's business.
torchrun=on interfaces=yes
check_step() {
    local tasks=$2
    load "$1" "$2"
    [[ ${#wrong[@]} -eq 0 ]] || return 0
    find_hosts
    [[ ${#hosts[@]} -eq $3 ]] || complain "expected $3 nodes, seen: ${hosts[*]}"
    check_ranks
    if [[ $interfaces == yes ]]; then check_interfaces; fi
}

# check_job FILE NAME HOST...: the environment of a batch script or shell whose job has these nodes;
# their addresses are those that a step before it showed.
check_job() {
    local file=$1 who=$2 port primary
    hosts=("${@:3}") seen=()
    primary=${ips_of[${hosts[0]:-?}]-no address}
    load_one "$file" "$who"
    port=$(value "$who" PRIMARY_PORT)
    check_cluster "$who" ${#hosts[@]} "$primary" "$port"
    want "$who" CLUSTER_NODES "$(IFS=,; echo "${hosts[*]}")"
    want "$who" CLUSTER_IPS "$(ips "${hosts[@]}")"
    want "$who" GLOO_SOCKET_IFNAME "$(value "$who" is_interface)"
    want_unset "$who" "${task_names[@]}" "${torchrun_names[@]}"
    if [[ ${#hosts[@]} -eq 1 ]]; then
        check_node "$who" 0 "$primary" 1 "$primary" "$port"
    else
        want_unset "$who" "${node_names[@]}"
    fi
}

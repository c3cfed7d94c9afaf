# shellcheck shell=bash disable=SC2154 # what it uses is set where it is sourced
# SPDX-License-Identifier: Apache-2.0
#
# What jobs/told.sh got from cluster-env info and hostfile in tasks, held against what was seen there.
# Source it after tasks.sh; check_step or check_job comes first.

told() { cat "$1-told.$2.$3" 2>&1 || true; } # told FILE RANK WHAT

# check_told FILE RANK: what the command said in this task of the loaded step is what was seen there.
check_told() {
    check_hostfiles "$1" "$2"
    check_info "$1" "$2"
}

check_hostfiles() { # check_hostfiles FILE NAME
    local host hostlist='' addresses='' slots='' colons='' list=''
    for host in "${hosts[@]}"; do
        hostlist+=$host$'\n' addresses+=${ips_of[$host]}$'\n'
        slots+="$host slots=${tasks_on[$host]}"$'\n' colons+="$host:${tasks_on[$host]}"$'\n'
        list+=,$host:${tasks_on[$host]}
    done
    same "$1" "$2" names "$hostlist"
    same "$1" "$2" addresses "$addresses"
    same "$1" "$2" mpi "$slots"
    same "$1" "$2" deepspeed "$slots"
    same "$1" "$2" mpich "$colons"
    same "$1" "$2" horovod "${list#,}"
}

same() { # same FILE RANK WHAT EXPECTED
    [[ $(told "$1" "$2" "$3") == "${4%$'\n'}" ]] || complain "hostfile $3 in $2: $(told "$1" "$2" "$3")"
}

check_info() { # check_info FILE RANK
    local k info wanted
    info=$(told "$1" "$2" info)
    for wanted in "rank +$2 of $(value "$2" WORLD_SIZE)" "node rank +$(value "$2" NODE_RANK) of ${#hosts[@]}" \
        "primary +${ips_of[${hosts[0]}]//./\\.} port $(value "$2" PRIMARY_PORT)"; do
        grep -Eqx "$wanted" <<<"$info" || complain "no '$wanted' in: $info"
    done
    for ((k = 0; k < ${#hosts[@]}; k++)); do
        grep -Eqx "$k +${hosts[k]} +${ips_of[${hosts[k]}]}" <<<"$info" || complain "no node rank $k in: $info"
    done
}

# What `cluster-env info --json` has, as the lines that json_facts makes of it.
readonly json_facts='[.schema, .step, .rank, .world_size, .node_rank, .num_nodes, .primary.name, .primary.address,
    .primary.port], (.nodes[] | [.node_rank, .name, .address]) | map(tostring) | join(" ")'

check_json() { # check_json FILE RANK
    local k expected
    expected="1 $(value "$2" CLUSTER_ENV_STEP) $2 $(value "$2" WORLD_SIZE) $(value "$2" NODE_RANK) ${#hosts[@]}"
    expected+=" ${hosts[0]} ${ips_of[${hosts[0]}]} $(value "$2" PRIMARY_PORT)"
    for ((k = 0; k < ${#hosts[@]}; k++)); do expected+=$'\n'"$k ${hosts[k]} ${ips_of[${hosts[k]}]}"; done
    [[ $(told "$1" "$2" json | jq -r "$json_facts" 2>&1) == "$expected" ]] || complain "$(told "$1" "$2" json)"
}

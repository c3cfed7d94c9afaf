#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_admin.sh FOLDER: docs/admin.md word by word, on a cluster of chroots that has Slurm and nothing else, with
# the packages that lie in FOLDER. As root.
#
# A block of the document runs where the comment before it says: on: head | first node | every node | every
# machine, as root; user, on the head. "file: /etc/slurm/slurm.conf": its lines come there. "not run: WHY".
# shellcheck disable=SC2016 # what stands in single quotes is for the machines to expand
set -euo pipefail

here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd -P)
top=$(cd "$here/../.." && pwd -P)
readonly here top cluster=$top/tests/cluster/cluster document=$top/docs/admin.md
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../cluster/tap.sh"
readonly nodes=(node1 node2) patience=120
state='' blocks=''

on() { # on NODE COMMAND...: as root
    timeout "$patience" "$cluster" on "$state" "$1" --cwd "$state/packages" -- "${@:2}"
}

# ---------------------------------------------------------------- a cluster that has Slurm

# What is not there is hardware: GPUs' driver, the limit of locked memory, a kernel log for each node.
lay_doubles() {
    local doubles=$top/tests/doubles libraries=/usr/lib/x86_64-linux-gnu
    sh "$doubles/nvml/build" "$state/nvml"
    cp "$doubles/nvml/hgx-h100.scenario" "$state/nvml/scenario"
    cc -std=c11 -D_GNU_SOURCE -O1 -shared -fPIC -o "$state/nvml/kmsg.so" "$doubles/kmsg.c"
    cc -std=gnu11 -O1 -shared -fPIC -o "$state/nvml/memlock.so" "$doubles/memlock.c"
    chmod -R a+rX "$state/nvml"
    on head sh -c 'cp "$0"/libnvidia-ml.so.1 "$1" && cp "$0/scenario" /etc/nvml.scenario &&
        printf "%s\n" "$0/kmsg.so" "$0/memlock.so" >/etc/ld.so.preload' "$state/nvml" "$libraries"
}

start() {
    state=$("$cluster" up --owner $$ --nodes "${#nodes[@]}" --suite bookworm \
        --package libconfig9 --package libjansson4 --package libibverbs1 --package libhwloc15 --package libmunge2 \
        --book off --hardware <("$top/tests/cluster/hgx_tree") \
        --slurm-conf PlugStackConfig=/etc/slurm/plugstack.conf \
        --slurm-conf SchedulerParameters=batch_sched_delay=0)
    mkdir "$state/packages"
    cp "$1"/slurm-cluster-env_*.deb "$1"/slurm-cluster-env-plugin-*_*.deb "$state/packages"
    rm -f "$state"/packages/*dbgsym*
    local node
    for node in head "${nodes[@]}"; do
        # the folder of each machine, as Debian's package makes it
        on "$node" sh -c 'rm -f /etc/slurm/plugstack.conf; mkdir -p /etc/slurm/plugstack.conf.d /var/log/cluster-env
            echo "include /etc/slurm/plugstack.conf.d/*.conf" >/etc/slurm/plugstack.conf
            echo "5,1,0,-;Linux version 6.1.0" >/run/kmsg'
    done
    lay_doubles
}

stop() { [[ -z $state ]] || "$cluster" down "$state"; }

# ---------------------------------------------------------------- the blocks of the document

# Services are not in chroots: a restart of one is that of its daemon.
restarts() { # restarts NODE TEXT: did, if that is what the text says
    case $2 in
        "systemctl restart slurmctld" | "systemctl restart slurmd") "$cluster" restart "$state" "$1" ;;
        *) return 3 ;;
    esac
}

# The machines share /usr and dpkg's database, not /etc/slurm: the machine before is forgotten first.
forget_packages() { on "$1" sh -c 'dpkg -P slurm-cluster-env $(dpkg-query -W -f "\${Package} " "slurm-cluster-env-plugin-*")'; }

root_types() { # root_types NODE TEXT
    local status=0
    restarts "$1" "$2" || status=$?
    [[ $status -eq 3 ]] || return "$status"
    if [[ $2 == "dpkg -i"* ]]; then
        [[ ! -e $state/installed ]] || forget_packages "$1" >/dev/null 2>&1
        : >"$state/installed"
    elif [[ $2 == "dpkg -P"* && $1 != head ]]; then
        return 0 # they are gone already
    fi
    # the nodes' HCAs are files in /sys, without PCI links, device files and modules: "could not check", 3
    on "$1" bash -e -o pipefail -c "${2/cluster-env check --all/cluster-env check --all || [ \$? -eq 3 ]}"
}

user_types() {
    timeout "$patience" "$cluster" on "$state" head --user demo --cwd "$state/home/demo" -- bash -e -o pipefail -c "$1"
}

into_slurm_conf() {
    local line
    while read -r line; do
        [[ -n $line ]] || continue
        sed -i "/^${line%%=*}=/d" "$state/etc/slurm.conf"
        echo "$line" >>"$state/etc/slurm.conf"
    done <<<"$1"
}

is_typed() { [[ $1 == "on: "* || $1 == "file: /"* ]]; }

follow() { # follow PLACE TEXT
    local node machines=("${nodes[@]}")
    case $1 in
        "on: head") root_types head "$2" ;;
        "on: first node") root_types "${nodes[0]}" "$2" ;;
        "on: user") user_types "$2" ;;
        "on: every node" | "on: every machine"*)
            [[ $1 == *node ]] || machines=(head "${nodes[@]}")
            for node in "${machines[@]}"; do root_types "$node" "$2" || return; done ;;
        "file: /etc/slurm/slurm.conf") into_slurm_conf "$2" ;;
        *) echo "no such place: $1"; return 1 ;;
    esac
}

# ---------------------------------------------------------------- the test

green() { # doctor's last word on a node
    on "$1" cluster-env doctor
}

job_is_right() {
    local printed
    printed=$(user_types 'srun -N2 --cluster-env sh -c "echo \$NODE_RANK \$NUM_NODES \$PRIMARY_ADDR" | sort')
    [[ $printed == $'0 2 10.20.0.11\n1 2 10.20.0.11' ]] || { echo "$printed"; return 1; }
}

# The job before has its epilog behind it: else that would find the fault.
all_idle() { [[ $(on head sinfo -h -N -o %T | sort -u) == idle ]]; }

drains_a_fault() {
    wait_until 30 all_idle || { on head sinfo; return 1; }
    local reason="mlx5_4/1 DOWN (Polling), expected ACTIVE; check cable and switch port [cluster-env ib.port.state]"
    on node2 sh -c 'cd /sys/class/infiniband/mlx5_4/ports/1 && echo "1: DOWN" >state && echo "2: Polling" >phys_state'
    user_types 'srun -N2 --cluster-env true' && { echo "the job ran"; return 1; }
    on head sinfo -h -R -o '%500E' | grep -qF "$reason" || { on head sinfo -R -o '%500E'; return 1; }
}

main() {
    [[ $# -eq 1 && -d $1 ]] || { echo "usage: test_admin.sh FOLDER" >&2; exit 2; }
    [[ $EUID -eq 0 ]] || skip_all "a cluster needs root, for its network namespaces"
    local file place text count=0
    blocks=$(mktemp -d)
    trap 'rm -rf "$blocks"; stop' EXIT
    awk -v folder="$blocks" -f "$top/tests/docs/blocks.awk" "$document"
    for file in "$blocks"/*; do
        if is_typed "$(sed -n 2p "$file")"; then count=$((count + 1)); fi
    done
    plan $((count + 5))
    start "$1"
    for file in "$blocks"/*; do
        place=$(sed -n 2p "$file")
        text=$(tail -n +3 "$file")
        is_typed "$place" || continue
        if [[ $place == *"after undo" ]]; then
            ok "doctor on the head: all is well" green head
            ok "doctor on a compute node: all is well" green node1
            ok "a job's tasks know rank, size and the primary's address on the cluster network" job_is_right
            ok "a port that goes down is found before the next job starts, and its node drained for it" drains_a_fault
            sed -i '/^\(Prolog\|Epilog\|HealthCheck[A-Za-z]*\)=/d' "$state/etc/slurm.conf"
            "$cluster" restart "$state" head "${nodes[@]}"
            on head scontrol update nodename=node2 state=resume
        fi
        ok "$place: $(head -n 1 <<<"$text")" follow "$place" "$text"
    done
    ok "srun works after it" user_types 'srun -N2 true'
    finish
}

main "$@"

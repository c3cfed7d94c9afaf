# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# RDMA devices in the VM, over interfaces of its own; needs tests/cluster/tap.sh.

# device NAME NETDEV: an RDMA device over an interface, there when it has its link-local GID.
device() {
    rdma link add "$1" type rxe netdev "$2"
    wait_until 10 has_gids "$1" 1
}
has_gids() { # NAME COUNT
    local file line n=0
    for file in "/sys/class/infiniband/$1/ports/1/gids/"{0,1,2,3,4,5,6,7,8,9}; do
        read -r line <"$file" || return
        [[ $line == 0000:0000:0000:0000:0000:0000:0000:0000 ]] || n=$((n + 1))
    done
    [[ $n -ge $2 ]]
}
port_is() { # NAME WORD
    local line
    read -r line <"/sys/class/infiniband/$1/ports/1/state" && [[ $line == *": $2" ]]
}

# A cable with two ends: NAME has a carrier while NAMEp is up.
cable() { # NAME ADDRESS
    ip link add "$1" type veth peer name "$1p"
    ip link set "$1p" up
    ip address add "$2" dev "$1"
    ip link set "$1" up
}

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A file system that hangs holds nobody: cluster-env doctor says which file it is, and a prolog whose address book is there
# checks the node all the same. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/hung"
printf 'address_book = "%s/hosts";\n' "$work/hung" >"$work/book.conf"
: >"$work/empty.conf"

# on_it COMMAND...: while nobody answers who touches $work/hung
on_it() { unshare --mount --propagation private --pid --fork --kill-child "$top/tests/program/hung_mount.py" "$work/hung" "$@"; }
doctor() { on_it timeout --signal=KILL 100 ./cli/cluster-env doctor --timeout 1 --json "$@"; }
verdict() { jq -r --arg row "$1" '.findings[] | select(.check == $row) | .verdict + " " + .text' <"$work/said"; }

if ! on_it true 2>/dev/null; then
    skip_all "no root, python3 or /dev/fuse for a file system that hangs"
fi
hangs='not read within 1 s; its file system hangs, mount it again'
status=0
doctor --config "$work/hung/cluster-env.conf" >"$work/said" 2>&1 || status=$?
is "a configuration that cannot be read is told" "$(verdict config.valid)" "unknown $work/hung/cluster-env.conf: $hangs"
is "and doctor ended by itself" "$([ "$status" -le 3 ] && echo yes)" yes
status=0
doctor --config "$work/book.conf" >"$work/said" 2>&1 || status=$?
is "so is an address book" "$(verdict book.nodes)" "unknown $work/hung/hosts: $hangs"
is "and doctor ended by itself, too" "$([ "$status" -le 3 ] && echo yes)" yes
is "the rest was looked at" "$(verdict config.valid)" "pass $work/book.conf"

# A machine of one rail, which is down; its address book is a link.
prolog() {
    rail=$work/sys/class/infiniband/mlx5_0
    mkdir -p "$rail/ports/1" "$work/sys/class/net" "$work/sys/bus/pci/devices"
    echo MT4129 >"$rail/hca_type"
    echo '1: DOWN' >"$rail/ports/1/state"
    echo '2: Polling' >"$rail/ports/1/phys_state"
    echo InfiniBand >"$rail/ports/1/link_layer"
    # shellcheck disable=SC2016 # for the shell in the namespace
    on_it sh -c 'mount -t tmpfs none /etc && mount -t tmpfs none /run && mount -t tmpfs none /var/log && mount --bind "$0/sys" /sys
        mkdir /etc/slurm && ln -s "$0/hung/hosts" /etc/slurm/cluster-env.hosts
        SLURM_JOB_ID=7 SLURMD_NODENAME=node1 timeout --signal=KILL 100 ./prolog/cluster-prolog && echo 0' "$work" 2>&1
}
prolog >"$work/said"
is "a prolog whose address book cannot be read says so" "$(grep -c '/etc/slurm/cluster-env.hosts: not read within 2 s; its file system hangs, mount it again$' "$work/said")" 1
is "and finds the rail that is down" "$(grep -c 'mlx5_0/1 DOWN' "$work/said")" 1
is "its job starts" "$(tail -n 1 "$work/said")" 0
finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cluster-prolog and cluster-epilog themselves, on a machine of one rail: in a mount namespace where /sys is a
# tree of ours, /run and /etc are empty. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
# shellcheck source-path=SCRIPTDIR source=namespace.sh
. "$top/tests/program/namespace.sh"
enter_namespace "$0"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
port=$work/sys/class/infiniband/mlx5_0/ports/1
kept=/run/cluster-env/jobs

put() { # PATH TEXT
    mkdir -p "$(dirname "$1")"
    echo "$2" >"$1"
}

make_machine() {
    mkdir -p "$work/sys/class/net" "$work/sys/bus/pci/devices"
    put "$work/sys/class/infiniband/mlx5_0/hca_type" MT4129
    put "$port/state" '4: ACTIVE'
    put "$port/phys_state" '5: LinkUp'
    put "$port/link_layer" InfiniBand
    put "$port/rate" '400 Gb/sec (4X NDR)'
    put "$port/counters/link_downed" 2
}

enter_machine() {
    { mount -t tmpfs none /etc && mount -t tmpfs none /run && mount --bind "$work/sys" /sys; } ||
        skip_all "cannot mount"
    mount -t tmpfs none /var/log
    [ ! -d /var/lib/prometheus ] || mount -t tmpfs none /var/lib/prometheus
    put /etc/slurm/cluster-env.conf 'mode = "drain"; reports = { metrics = ""; };'
    : >/etc/hosts
}

# phase NAME JOB: what it says, and its exit status.  The helpers are not installed, /dev/kmsg is not ours.
phase() {
    (
        SLURM_JOB_ID=$2 SLURMD_NODENAME=node1 "./$1/cluster-$1" >"$work/said" 2>&1 && status=0 || status=$?
        grep -vE 'what probe-.* knows stays unknown|stays unknown: .*: cannot open|the reason could not be set|\[host\.(memlock|files)\]' "$work/said" |
            sed "s/^cluster-$1: job [0-9]*: this node is drained: //"
        echo "exit $status"
    )
}

down="mlx5_0/1 link_downed +1 during the job, found after job 7; the link went down: check cable and switch port [cluster-env ib.counter.link_downed]
exit 1"

make_machine
enter_machine
is "a healthy node starts the job" "$(phase prolog 7)" "exit 0"
is "and keeps what it saw, for root only" "$(stat -c '%a %u' $kept $kept/7.facts | tr '\n' ' ')" "700 0 600 0 "
is "with counter, boot and moment" \
    "$(grep -cE '^(ib.mlx5_0.1.counter.link_downed=2|boot.id=.*|boot.uptime_ms=[1-9].*)$' $kept/7.facts)" 3
is "what jobs read has none of it" "$(grep -cE 'counter|uptime' /run/cluster-env/node.facts)" 0
is "two jobs at once have their own" "$(phase prolog 8; find $kept -type f -printf '%f\n' | sort | tr '\n' ' ')" "exit 0
7.facts 8.facts "
is "the epilog of a healthy job drains nothing" "$(phase epilog 8)" "exit 0"
put "$port/counters/link_downed" 3
is "a link that went down in between is named" "$(phase epilog 7)" "$down"
is "nothing is left behind" "$(ls $kept)" ""
is "an epilog without its prolog drains nothing" "$(phase epilog 7)" "exit 0"

phase prolog 9 >/dev/null
put "$port/counters/link_downed" 4
sed -i 's/^boot.id=.*/boot.id=of-another/' $kept/9.facts
is "nor does one whose prolog was before a reboot" "$(phase epilog 9)" \
    "cluster-epilog: job 9: what changed during the job stays unknown: 9.facts: of another boot
exit 0"
phase prolog 9 >/dev/null
put "$port/counters/link_downed" 0
is "nor a counter that was reset" "$(phase epilog 9)" "exit 0"
mkdir "$work/elsewhere"
rmdir $kept && ln -s "$work/elsewhere" $kept
is "a folder that is a link is not followed" "$(phase prolog 9; ls "$work/elsewhere")" "exit 0"
rm $kept
is "a job id that is none keeps nothing" "$(phase prolog ../../etc/x; ls /run/cluster-env)" "exit 0
hosts
node.facts
node.policy"
finish

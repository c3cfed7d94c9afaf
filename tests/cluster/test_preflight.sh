#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_preflight.sh SERIES: the preflight of a job's nodes over their cluster network, with what goes wrong
# there planted by other processes.
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
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/health.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/preflight.sh"

readonly isolated="cluster network reaches no node of the job: eth1 is down; check the cable and switch port of its cluster network [cluster-env gang.reach]"
declare -A address=([zeta1]=10.20.0.11 [n10]=10.20.0.12 [n9]=10.20.0.13 [alpha]=10.20.0.14) # in_order is the job's order

# preflight [LINE [DEADLINE]]: it is on, with that in its group
preflight() { configure 'mode = "drain";' "$expect" "preflight = { mode = \"network\"; deadline = ${2-8}; ${1-} };"; }

# A node's packets to others go to an address that nobody has.
deaf() { # deaf NODE OTHER...
    local other
    for other in "${@:2}"; do
        as_root "$1" ip neigh replace "${address[$other]}" lladdr 02:00:00:00:00:99 dev eth1 nud permanent
        as_root "$other" ip neigh replace "${address[$1]}" lladdr 02:00:00:00:00:99 dev eth1 nud permanent
    done
}
hearing() {
    local other
    for other in "${@:2}"; do
        as_root "$1" ip neigh del "${address[$other]}" dev eth1
        as_root "$other" ip neigh del "${address[$1]}" dev eth1
    done
}
nothing_is_left() { wait_until 10 nothing_runs || complain "left: $(as_root head pgrep -af preflight)"; }

# ---------------------------------------------------------------- well

test_clean() {
    local node
    preflight
    gang clean --exclusive
    quiet
    not_drained
    for node in "${nodes[@]}"; do clean "$node" "$id"; done
    diag "milliseconds: $(for node in "${nodes[@]}"; do told "$node" "$id" .took_ms; done | tr '\n' ' ')"
    verdict "four nodes without a fault: the job runs, nothing is said"
}

test_at_once() {
    local k node started=()
    for k in 1 2 3 4; do
        as_user srun -Q -N4 --mem=1 bash -c 'echo "$SLURM_JOB_ID" >"$0"' "$home/at-once.$k" >"$state/at-once.$k" 2>&1 &
        started+=($!)
    done
    for k in "${!started[@]}"; do wait "${started[k]}" || complain "job $k: $(<"$state/at-once.$((k + 1))")"; done
    not_drained
    for k in 1 2 3 4; do
        for node in "${nodes[@]}"; do clean "$node" "$(<"$home/at-once.$k")"; done
    done
    verdict "four jobs at once over the same nodes: each is as if alone"

    run as_user srun -Q -N1 true
    quiet
    nothing_is_left
    verdict "a job of one node has none"
}

# A node that comes late is waited for.
test_late() {
    slow_prolog n10 2
    gang late
    quiet
    usual_prolog n10
    not_drained
    for node in "${nodes[@]}"; do clean "$node" "$id"; done
    verdict "a node whose prolog begins two seconds later is waited for"
}

# ---------------------------------------------------------------- faults

test_cut() {
    as_root n10 ip link set eth1 down
    batch cut
    wait_until 30 is_requeued "$id" || complain "$(as_root head scontrol show job "$id")"
    drained_for n10 "$isolated"
    only_drained n10
    wants n9 "$id" "$findings" "unknown gang.reach n10"
    as_root n10 ip link set eth1 up
    resume n10
    ended cut
    not_drained
    nothing_is_left
    verdict "a node whose link is down: it alone is drained, the job is requeued and runs"
}

test_sick() {
    deaf n10 n9 zeta1
    batch sick
    drained_for n10 "cluster network fails toward n9 and zeta1, who reach others; check the cable and switch port of its cluster network [cluster-env gang.reach]" 30
    only_drained n10
    hearing n10 n9 zeta1
    resume n10
    ended sick
    nothing_is_left
    verdict "a node that fails toward both neighbours, and not toward the first node: it alone is drained"
}

test_pair() {
    deaf n9 n10
    gang pair
    quiet
    not_drained
    wants n9 "$id" "$findings" "unknown gang.reach n10"
    wants n10 "$id" "$findings" "unknown gang.reach n9"
    clean zeta1 "$id"
    hearing n9 n10
    nothing_is_left
    verdict "two nodes that fail only with each other: unknown, nobody is drained, the job runs"
}

test_silent() {
    as_root n9 kill -STOP "$(<"$state/pid/n9")"
    batch silent
    wait_until 30 is_requeued "$id" || complain "$(as_root head scontrol show job "$id")"
    wants alpha "$id" "$findings" "unknown gang.reach n9"
    wants n10 "$id" "$findings" "unknown gang.reach n9"
    as_root n9 kill -CONT "$(<"$state/pid/n9")"
    ended silent
    not_drained
    nothing_is_left
    verdict "a node whose prolog never comes: it is named, nobody is drained, the job is requeued and runs"
}

test_slow() {
    preflight 'floor = 1;'
    as_root n10 tc qdisc add dev eth1 root tbf rate 20mbit burst 32kb latency 50ms
    gang slow --exclusive
    quiet
    not_drained
    as_root n10 tc qdisc del dev eth1 root
    wants n10 "$id" "$findings" "fail gang.rail.bandwidth cluster network"
    diag "$(told n10 "$id" .findings[0].text)"
    for node in alpha n9 zeta1; do clean "$node" "$id"; done
    nothing_is_left
    verdict "a node behind a shaper: it is named, and not drained"

    as_root n10 tc qdisc add dev eth1 root tbf rate 20mbit burst 32kb latency 50ms
    gang shared
    quiet
    as_root n10 tc qdisc del dev eth1 root
    for node in "${nodes[@]}"; do clean "$node" "$id"; done
    verdict "where other jobs may be on the nodes, nothing is measured"
    preflight
}

# ---------------------------------------------------------------- other programs

# peer NODE USER KIND: dials alpha, the first node of the job
peer() {
    "$cluster" on "$state" "$1" --user "$2" --cwd / -- "$jobs/preflight_peer.sh" "$3" "${address[alpha]}" \
        $((24000 + id % 1000)) "$id" 1 0 "$state/munge/socket" 2>&1
}

test_strangers() {
    local kind user heard
    preflight '' 20
    mark_log alpha
    held_prolog n10 # until it is released the others wait
    batch strangers --mem=1
    wait_until 5 slow_prologs || complain "no prolog"
    for kind in garbage long open silent user job twice; do
        user=root
        [[ $kind != user ]] || user=demo
        heard=$(peer n9 "$user" "$kind") || true
        diag "$heard"
        [[ $heard =~ ^$kind\ after\ [0-9]{1,4}\ ms:\ $ ]] || complain "$kind: $heard"
    done
    release_prologs
    ended strangers
    usual_prolog n10
    has_logged alpha "7 connections were refused"
    for node in alpha n9 n10; do wants "$node" "$id" '.findings | length' 0; done
    not_drained
    nothing_is_left
    preflight
    verdict "garbage, another user's credential, another job's, an old one: refused, and the job runs"
}
slow_prologs() { [[ $(as_root n10 pgrep -fc '^/bin/sh /run/libexec/cluster-prolog$') -ge 1 ]]; }

test_taken() {
    local next listener
    gang before
    next=$((id + 1))
    as_root n9 "$jobs/listen.pl" "${address[n9]}" $((24000 + next % 1000)) "$state/listens" &
    listener=$!
    wait_until 5 test -s "$state/listens" || complain "nobody listens"
    gang taken
    quiet
    [[ $id -eq $next ]] || complain "job $id, not $next"
    as_root n9 kill "$(<"$state/listens")" || complain "nobody was on the port"
    wait "$listener" || true
    for node in "${nodes[@]}"; do clean "$node" "$id"; done
    diag "milliseconds: $(told n9 "$id" .took_ms)"
    nothing_is_left
    verdict "another program on the job's port, which accepts and says nothing: the next port is taken"
}

test_stopped() {
    local pid
    slow_prolog zeta1 2
    batch stopped
    pid=$(the_helper 2)
    as_root head kill -STOP "$pid" || complain "no helper"
    ended stopped
    usual_prolog zeta1
    not_drained
    wants n10 "$id" '(.findings[0].text | contains("no answer in 8")), .took_ms < 10000' $'true\ntrue'
    nothing_is_left
    verdict "a preflight that hangs: over in time, nobody is drained, nothing goes on running"
}

test_serial() {
    mark_log n9
    sed -i 's/^PrologFlags=.*/PrologFlags=Alloc,DeferBatch,Serial/' "$state/etc/slurm.conf"
    gang serial
    sed -i 's/^PrologFlags=.*/PrologFlags=Alloc,DeferBatch/' "$state/etc/slurm.conf"
    quiet
    not_drained
    has_logged n9 "slurm.conf has PrologFlags=Serial"
    verdict "with PrologFlags=Serial it is refused, with a line"
}

main() {
    [[ $# -eq 1 ]] || { echo "usage: test_preflight.sh SERIES" >&2; exit 2; }
    # the nodes talk with each other, not with Slurm: one series is enough
    [[ $1 == forky || -n ${CASES:-} ]] || skip_all "the preflight is tried with forky's Slurm"
    local groups=(clean at_once late cut sick pair silent slow strangers taken stopped serial) node
    plan $((14 + ${#groups[@]}))
    start_health "$1"
    for node in "${nodes[@]}"; do as_root "$node" install -D -t "$helpers" "$state/tools/libexec/preflight"; done
    preflight
    run_groups "$1" "${groups[@]}"
    finish
}

main "$@"

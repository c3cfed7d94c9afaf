#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_guard.sh SERIES: how many nodes are drained at most, what cluster-healthcheck does as slurm.conf's
# HealthCheckProgram, and which nodes come back by themselves. test_many.sh has 64 bad nodes at once.
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

readonly by_hand=/run/by-hand # where slurmd does not look for the health check
readonly prolog=cluster-prolog healthcheck=../${by_hand##*/}/cluster-healthcheck
readonly recovery=/run/cluster-env/recovery/drain
readonly held="max_drained is reached, this node STAYS IN SERVICE with: $down"

# ---------------------------------------------------------------- what is done to nodes

# links UP|DOWN NODE...
links() {
    local node
    for node in "${@:2}"; do link "$1" "$node"; done
}

# settings LINE...: cluster-env.conf on all nodes
settings() { configure 'mode = "drain";' 'rails = { count = 8; link_layer = "infiniband"; rate = 400; };' "$@"; }

drained() { as_user sinfo -h -N -o '%N %T' | sed -n 's/ drain.*//p' | sort -u | tr '\n' ' '; }
is_state() { [[ $(state_of "$1") == "$2" ]]; }

want_drained() { # want_drained [NODE...]: these and no others
    local list
    list=$(printf '%s\n' "$@" | sed '/^$/d' | sort | tr '\n' ' ')
    [[ $(drained) == "$list" ]] || complain "drained: $(drained), expected: $list"
}

want_reason() { # want_reason NODE REASON
    [[ $(reason_of "$1") == "$2" ]] || complain "the reason of $1: $(reason_of "$1")" "expected: $2"
}

resume_all() {
    local node
    for node in $(drained); do resume "$node"; done
}

mark_logs() {
    local node
    for node in "${nodes[@]}"; do mark_log "$node"; done
}

# ---------------------------------------------------------------- the guard

is_told() { log_holds "$1" "$held" || log_holds "$1" "this node is drained: $down"; }

# are_told NODE...: each of their prologs is done, by its log; who was held back is in $back
back=()
are_told() {
    local node
    back=()
    for node in "$@"; do
        wait_until 10 is_told "$node" || complain "$node: $(log_of "$node" | grep -a cluster-prolog)"
        if log_holds "$node" "$held"; then back+=("$node"); fi
    done
}

test_held() {
    local node first
    settings
    mark_logs
    links DOWN n9 n10 alpha
    run as_user srun -N4 true
    are_told n9 n10 alpha
    first=$(drained)
    refused "${first%% *}"
    [[ $(wc -w <<<"$first") -eq 1 && ${#back[@]} -eq 2 && " n9 n10 alpha " == *" $first"* ]] || complain "drained: $first, held back: ${back[*]}"
    want_reason "${first% }" "$down"
    for node in "${back[@]}"; do want_reason "$node" ""; done
    verdict "three of four nodes go bad at once: one is drained, two stay in service, with a loud line"

    mark_logs
    run as_user srun -N2 -w "$(IFS=,; echo "${back[*]}")" true
    quiet
    are_told "${back[@]}"
    want_drained "${first% }"
    verdict "jobs start on those that were held back"

    settings 'max_drained = 50;'
    mark_logs
    run as_user srun -N2 -w "$(IFS=,; echo "${back[*]}")" true
    are_told "${back[@]}"
    refused "$(drained | tr ' ' '\n' | grep -vx "${first% }" | head -n 1)"
    [[ $(drained | wc -w) -eq 2 && ${#back[@]} -eq 1 ]] ||
        complain "drained: $(drained), held back: ${back[*]}" "$(for node in n9 n10 alpha; do log_of "$node" | grep -a cluster-prolog; done)"
    verdict "with max_drained = 50 two of four are drained"
    links UP n9 n10 alpha
    resume_all
}

# 24.11 leaves its reason to a node that is resumed.
test_words() {
    local node word
    settings
    for node in "${nodes[@]}"; do
        as_root head scontrol update nodename="$node" state=drain reason="new switch (jane)"
        resume "$node"
    done
    word=$(as_root head scontrol show node n9 | sed -n 's/^ *Reason=\(.*\) \[.*/\1/p')
    diag "a node that was resumed has the reason '$word'"
    links DOWN n9 n10 alpha
    by_hand n9 "$prolog"
    [[ $status -eq 1 ]] || complain "n9: $status $err"
    want_reason n9 "${word:+$word; }$down"
    verdict "a node in service with a word of somebody's: it is drained with that, and ours behind it"
    for node in n10 alpha; do
        by_hand "$node" "$prolog"
        [[ $status -eq 0 && $err == *"$held"* ]] || complain "$node: $status $err"
    done
    want_drained n9
    verdict "where all nodes were drained once, and resumed, the others are held back all the same"
    links UP n9 n10 alpha
    resume_all
}

test_partitions() {
    as_root head scontrol create partitionname=small nodes=n9,alpha >"$state/out" 2>&1 || complain "$(<"$state/out")"
    settings 'max_drained = 50;'
    links DOWN n9 n10 alpha zeta1
    by_hand n9 "$prolog"
    [[ $status -eq 1 ]] || complain "n9: $status $err"
    by_hand alpha "$prolog"
    [[ $status -eq 0 && $err == *"$held"* ]] || complain "alpha: $status $err"
    want_drained n9
    by_hand n10 "$prolog"
    [[ $status -eq 1 ]] || complain "n10: $status $err"
    by_hand zeta1 "$prolog"
    [[ $status -eq 0 && $err == *"$held"* ]] || complain "zeta1: $status $err"
    want_drained n9 n10
    verdict "a node of two partitions is held back where the smaller one has no room"
    links UP n9 n10 alpha zeta1
    resume_all
    as_root head scontrol delete partitionname=small
}

test_others() {
    settings
    as_root head scontrol update nodename=n10 state=drain reason="disk 3 (jane)"
    as_root head scontrol update nodename=zeta1 state=drain reason="x [cluster-env ib.port.rate]"
    links DOWN n9 n10
    by_hand n9 "$prolog"
    [[ $status -eq 1 ]] || complain "n9: $status $err"
    want_reason n9 "$down"
    verdict "an admin's drains, and ours for other checks, take no room"
    by_hand n10 "$healthcheck"
    [[ $status -eq 0 && $err == *"this node is drained already, and keeps its reason: $down"* ]] || complain "n10: $status $err"
    want_reason n10 "disk 3 (jane)"
    want_drained n9 n10 zeta1
    verdict "an admin's reason stays"
    links UP n9 n10
    resume_all
}

# ---------------------------------------------------------------- the health check, by hand

test_by_hand() {
    settings
    by_hand n9 "$healthcheck"
    [[ $status -eq 0 && $err != *drained* ]] || complain "well: $status $err"
    links DOWN n9
    as_root head bash -c 'kill -STOP "$(<"$0")"' "$state/pid/slurmctld"
    by_hand n9 "$healthcheck"
    as_root head bash -c 'kill -CONT "$(<"$0")"' "$state/pid/slurmctld"
    [[ $status -eq 0 && $took -lt 18000 && $err == *"this node could not be drained: $down"*"no answer in "[1-9]" s"* ]] ||
        complain "status $status after $took ms: $err"
    verdict "a health check: nothing to say of a node that is well; where slurmctld does not answer, exit status 0 after $took ms"
    sleep 0.5 # what was asked may still be done
    resume_all

    configure 'mode = "observe";'
    by_hand n9 "$healthcheck"
    [[ $status -eq 0 && $err == *'mode = "observe", else this node would be drained: '* ]] || complain "status $status: $err"
    want_drained
    verdict "while observing it drains nothing"
    links UP n9
    settings
}

# ---------------------------------------------------------------- as Slurm runs it

is_idle_and_told() { [[ $(state_of "$1") == idle ]] && as_root "$1" grep -qx 'reason=' "$recovery"; }
has_passed() { as_root "$1" grep -qE '^passes=[1-9]' "$recovery"; }
has_failed() { as_root "$1" grep -qx 'passes=0' "$recovery"; }

# aged NODE [SED_COMMAND]: the first of two passes was more than 15 minutes ago. A health check reads the file and
# puts another in its place, so it is changed when one has just done so: the next comes 2 s later.
aged() {
    as_root "$1" bash -c 'before=$(stat -c %i "$0")
        for ((try = 0; try < 150; try++)); do [[ $(stat -c %i "$0") == "$before" ]] || break; sleep 0.1; done
        sed -i -e "s/^passes=.*/passes=2/; s/^first_pass_ms=.*/first_pass_ms=1/" -e "$1" "$0"' "$recovery" "${2-}"
}

# goes_down NODE: and slurmd's health check finds it; up again, it passes
goes_down() {
    links DOWN "$1"
    wait_until 15 is_state "$1" drained || complain "$1 is $(state_of "$1")"
    want_reason "$1" "$down"
    wait_until 10 has_failed "$1" || complain "$(as_root "$1" cat "$recovery" 2>&1)"
    links UP "$1"
    wait_until 10 has_passed "$1" || complain "$(as_root "$1" cat "$recovery" 2>&1)"
}

stays_drained() { # stays_drained NODE: while health checks pass
    aged "$@"
    sleep 6
    is_state "$1" drained || complain "$1 is $(state_of "$1")"
}

test_recovery() {
    local second
    if [[ $(cut -d. -f1 /proc/uptime) -lt 1000 ]]; then
        for second in 1 2 3 4 5; do pass "recovery # SKIP this machine is up for less than 15 minutes"; done
        return
    fi
    settings 'recover = "on";'
    as_root n9 install -t "$programs" "$state/tools/bin/cluster-healthcheck"
    goes_down n9
    [[ $(as_root n9 stat -c '%a %U' "$recovery") == "600 root" ]] || complain "$(as_root n9 ls -l "$recovery")"
    is_state n9 drained || complain "n9 is $(state_of n9) after a pass or two"
    verdict "HealthCheckProgram: slurmd's check drains an idle node; up again it does not come back at once"
    aged n9
    wait_until 15 is_idle_and_told n9 || complain "n9 is $(state_of n9)" "$(as_root n9 cat "$recovery")"
    want_reason n9 ""
    run as_user srun -N1 -w n9 true
    quiet
    verdict "after three passes over 15 minutes it is in service again, without a reason, and runs jobs"

    goes_down n9
    as_root head scontrol update nodename=n9 reason="$down, look at it (jane)"
    stays_drained n9
    want_reason n9 "$down, look at it (jane)"
    verdict "a reason to which an admin added a word is not lifted"
    resume_all

    goes_down n9
    stays_drained n9 's/^\(came_back_ms..\)=.*/\1=2/'
    second=$(as_root n9 sed -n 's/^came_back_ms.1=//p' "$recovery")
    [[ $second == 2 ]] || complain "$(as_root n9 cat "$recovery")"
    verdict "nor one of a node that came back twice today"
    settings 'recover = "off";'
    stays_drained n9 's/^\(came_back_ms..\)=.*/\1=0/'
    want_reason n9 "$down"
    verdict "nor one where the configuration does not say so"
    resume_all
    as_root n9 rm "$programs/cluster-healthcheck" "$recovery"
}

main() {
    [[ $# -eq 1 ]] || { echo "usage: test_guard.sh SERIES" >&2; exit 2; }
    local groups=(held words partitions others by_hand recovery) node helper
    if [[ $1 == trixie && ! -v CASES ]]; then
        groups=(words) # the rest is the same on all series
        plan 3
    else
        plan $((15 + ${#groups[@]}))
    fi
    helper=$("$here/slurm_node.sh" "$1")
    start_product "$1" --hardware <("$here/hgx_tree") --cred-expire 5 \
        --slurm-conf "Prolog=$programs/cluster-prolog" --slurm-conf PrologFlags=Alloc,DeferBatch --slurm-conf SlurmdDebug=debug2 --slurm-conf MinJobAge=10 \
        --slurm-conf "HealthCheckProgram=$programs/cluster-healthcheck" --slurm-conf HealthCheckInterval=2 --slurm-conf HealthCheckNodeState=IDLE
    install -D "$helper" "$state/tools/libexec/slurm-node"
    for node in "${nodes[@]}"; do
        as_root "$node" install -D -t "$programs" "$state/tools/bin/cluster-prolog"
        as_root "$node" install -D -t "$by_hand" "$state/tools/bin/cluster-healthcheck"
        as_root "$node" install -D -t "$helpers" "$state/tools/libexec/slurm-node"
    done
    run_groups "$1" "${groups[@]}"
    finish
}

main "$@"

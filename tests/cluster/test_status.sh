#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_status.sh SERIES: cluster-env status on a real Slurm, for an unprivileged user and for root: a node that
# cluster-prolog drained, one that an admin drained, one that is down, one that does not answer, one that is well.
set -euo pipefail

nodes=(zeta1 n10 n9 alpha beta)
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

user_status() { run as_user cluster-env status --helpers="$state/tools/libexec" --timeout=16 "$@"; }
root_status() { run as_root head cluster-env status --helpers="$state/tools/libexec" --timeout=16 "$@"; }
json() { jq -r "$1" <<<"$out"; }
of() { json ".nodes[] | select(.name == \"$1\") | $2"; } # of NODE JQ

same() { [[ $2 == "$3" ]] || complain "$1: '$2'" "expected: '$3'"; } # same WHAT GOT EXPECTED

test_idle() {
    root_status --json
    [[ $status -eq 0 && -z $err ]] || complain "exit status $status: $err"
    same "all are well" "$(json '[.nodes[] | .health, .word // empty] | unique | join(" ")')" ok
    same "their rails and GPUs" "$(json '[.nodes[] | .rails.up, .gpus.found] | unique | map(tostring) | join(" ")')" 8
    same "their last checks" "$(json '[.nodes[] | .check.phase] | unique | join(" ")')" prolog
    verdict "root, five idle nodes: each tells what its prolog has just found"
    user_status
    [[ $status -eq 0 ]] || complain "exit status $status"
    [[ $err == "cluster-env status: the last checks of 5 nodes are not known: "*": /var/log/cluster-env/health.jsonl: Permission denied" ]] ||
        complain "on stderr: $err"
    [[ $(wc -l <<<"$out") -eq 3 && $out == "5 nodes: 5 unseen (Slurm and srun, "*$'\nunseen '*" 5 "*" 8/8 "*"alpha,beta,n[9-10],zeta1"* ]] ||
        complain "$out"
    verdict "an unprivileged user: one row, with what the nodes have, and who may read the rest"
}

make_trouble() {
    wait_until 30 is_calm || complain "$(look_around)" # no epilog is under way
    link DOWN n9
    as_user srun -Q -w n9 true >/dev/null 2>&1 || true
    wait_until 20 is_drained_and_empty n9 || complain "n9 is $(state_of n9)"
    as_root head scontrol update nodename=n10 state=drain reason='new <b>switch</b>'
    as_root head scontrol update nodename=beta state=down reason='power supply'
    as_root head kill -STOP "$(<"$state/pid/zeta1")"
}

end_trouble() {
    as_root head kill -CONT "$(<"$state/pid/zeta1")"
    link UP n9
    as_root head scontrol update nodename=n9,n10,beta state=resume
    wait_until 30 is_calm || complain "$(look_around)"
}

test_trouble() {
    make_trouble
    SECONDS=0
    user_status --json
    [[ $SECONDS -le 60 ]] || complain "it took $SECONDS s"
    [[ $status -eq 1 ]] || complain "exit status $status"
    same "the worst first" "$(json '[.nodes[] | .name + " " + .health] | join(", ")')" "beta down, n9 fault, n10 out, zeta1 silent, alpha unseen"
    same "the one we drained" "$(of n9 '.state + ": " + .word')" "drained: $down"
    same "the admin's" "$(of n10 '.state + ": " + .word')" 'drained: new <b>switch</b>'
    same "the one that is down" "$(of beta '.state + ": " + .word')" 'down: power supply'
    same "since now" "$(of beta '((now - (.since | fromdate)) | . >= 0 and . < 600)')" true
    same "the silent one" "$(of zeta1 '.word')" "no answer in 16 s"
    same "which has no check" "$(of zeta1 '.check')" null
    same "the well one" "$(of alpha '.rails.up')" 8
    verdict "an unprivileged user: drained by us, by an admin, down, silent, well: each is told as it is, in time"
    user_status --states
    [[ $(wc -l <<<"$out") -le 7 && $out == *$'\nfault '*"$down"* ]] || complain "$out"
    verdict "--states asks Slurm alone"
    wait_until 20 nothing_waits || complain "$(as_root head squeue)"
    end_trouble
    verdict "nothing of it stays: no job, and the nodes come back"
}
nothing_waits() { [[ -z $(as_root head squeue -h -t pending,running) ]]; }

test_logs() { # brought together in a folder, as a site's own tools may
    local node
    mkdir "$state/logs"
    for node in "${nodes[@]}"; do as_root "$node" cat /var/log/cluster-env/health.jsonl >"$state/logs/$node.jsonl"; done
    run as_root head cluster-env status --from="$state/logs" --states --helpers="$state/tools/libexec" --html="$state/status.html"
    # n9 is idle again, but its last check, the epilog's, found the fault
    [[ $status -eq 1 && -z $out$err && $(grep -c '"name":"n9"' "$state/status.html") -eq 1 ]] || complain "exit status $status: $out $err"
    verdict "collected logs and Slurm's states: a page"
}

main() {
    [[ $# -eq 1 ]] || { echo "usage: test_status.sh SERIES" >&2; exit 2; }
    local groups=(idle trouble logs) group
    [[ $1 == forky ]] || skip_all "the same on every Slurm: forky runs it"
    plan 6
    start_health "$1"
    # what the doubles lack, and what this machine's own limits are
    configure 'mode = "drain"; checks = ( { name = "*"; unknown = "ignore"; }, { name = "host.*"; fault = "ignore"; } );' "$expect"
    for group in ${CASES:-${groups[@]}}; do
        SECONDS=0
        "test_$group"
        diag "$group: $SECONDS s"
    done
    finish
}

main "$@"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_many.sh SERIES: 64 nodes of a 1-Click Cluster start a job at once, with no fault, with one of them bad, and with
# all; and what the prolog costs a launch over all of them (printed, not judged).
# shellcheck disable=SC2016 # what stands in single quotes is for the nodes to expand
set -euo pipefail

readonly many=64 bad=node37
nodes=()
for ((k = 1; k <= many; k++)); do nodes+=("node$k"); done

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

# The milliseconds of srun over all nodes, three times.
launch_ms() { # FILE
    local k start
    : >"$1"
    for k in 1 2 3; do
        wait_until 30 all_idle || complain "not idle: $(as_user sinfo -h -o '%T %N')"
        start=${EPOCHREALTIME/./}
        run as_user srun -Q -N"$many" true
        echo $(((${EPOCHREALTIME/./} - start) / 1000)) >>"$1"
        quiet
    done
}
median_of() { sort -n "$1" | sed -n 2p; }
all_idle() { [[ $(as_user sinfo -h -o '%T') == idle ]]; }

# scontrol returns before the slurmds have read slurm.conf anew, of which they log.
reconfigure() {
    local node
    for node in "${nodes[@]}"; do mark_log "$node"; done
    as_root head scontrol reconfigure
    wait_until 5 all_have_logged || true
    sleep 3
}
all_have_logged() {
    local node
    for node in "${nodes[@]}"; do [[ -n $(log_of "$node") ]] || return 1; done
}

test_launch() {
    local with=$state/launch.with without=$state/launch.without
    launch_ms "$with"
    not_drained
    sed -i '/^\(Prolog\|Epilog\)=/d' "$state/etc/slurm.conf"
    reconfigure
    launch_ms "$without"
    printf '%s\n' "Prolog=$programs/cluster-prolog" "Epilog=$programs/cluster-epilog" >>"$state/etc/slurm.conf"
    reconfigure
    diag "srun -N$many true, median of 3 on $(nproc) cores: $(median_of "$with") ms with prolog and epilog, $(median_of "$without") ms without"
    verdict "$many healthy nodes start a job at once: nobody is drained"
}

test_one_bad() {
    link DOWN "$bad"
    submit gang "$home/gang.out" -N$((many - 2)) --requeue --wrap "srun -Q hostname >$home/gang.hosts; touch $home/gang.done"
    ended gang
    drained_for "$bad" "$down"
    only_drained "$bad"
    [[ $(sort -u "$home/gang.hosts" | wc -l) -eq $((many - 2)) ]] || complain "it ran on: $(<"$home/gang.hosts")"
    ! grep -qx "$bad" "$home/gang.hosts" || complain "it ran on $bad"
    verdict "sbatch over $((many - 2)) of $many nodes, one of them with a fault: it alone is drained, the job runs on others"
}

# preflight_of JOB: of each node's line of it, JSON
preflight_of() { # shellcheck disable=SC2016 # for the nodes to expand
    on_all_nodes bash -c 'grep "\"phase\":\"preflight\",\"job\":$0," /var/log/cluster-env/health.jsonl' "$1"; }
all_nodes_told() { [[ $(preflight_of "$1" | wc -l) -eq $2 ]]; }

# A job over all nodes; what their preflights wrote is in $told.
told=''
preflight_job() {
    local id
    run as_user srun -Q -N"$many" --exclusive bash -c "echo \$SLURM_JOB_ID >$home/preflight"
    quiet
    id=$(<"$home/preflight")
    wait_until 10 all_nodes_told "$id" "$many" || complain "$(preflight_of "$id" | wc -l) of them told"
    told=$(preflight_of "$id") || true
}

test_preflight() {
    local try
    on_all_nodes install -D -t "$helpers" "$state/tools/libexec/preflight"
    configure 'mode = "drain";' "$expect" 'preflight = { mode = "network"; };'
    # 64 of them on two cores that may be busy: a pair that was too slow is unknown, and nobody is ever blamed
    for try in 1 2 3; do
        preflight_job
        not_drained
        [[ $(jq -s 'map(select(.checked and (.findings | length) == 0)) | length' <<<"$told") -ne $many ]] || break
        wait_until 30 all_idle || true
    done
    [[ $(jq -s 'map(select(.checked and (.findings | length) == 0)) | length' <<<"$told") -eq $many ]] ||
        complain "$(jq -c 'select((.findings | length) > 0) | [.node, .findings]' <<<"$told" | head -n 5)"
    [[ $try -eq 1 ]] || diag "tries: $try"
    diag "the preflight of $many nodes: $(jq -s 'map(.took_ms) | sort | "\(.[0]) to \(.[-1]) ms, median \(.[length / 2])"' <<<"$told")"
    verdict "$many nodes look at each other before a job: all is well"

    wait_until 30 all_idle || complain "not idle: $(as_user sinfo -h -o '%T %N')"
    configure 'mode = "drain";' "$expect" 'preflight = { mode = "network"; deadline = 8; };'
    as_root "$bad" ip link set eth1 down
    submit cut "$home/cut.out" -N$((many - 2)) --requeue --wrap "srun -Q hostname >$home/cut.hosts; touch $home/cut.done"
    ended cut
    drained_for "$bad" "cluster network reaches no node of the job: eth1 is down; check the cable and switch port of its cluster network [cluster-env gang.reach]"
    only_drained "$bad"
    ! grep -qx "$bad" "$home/cut.hosts" || complain "it ran on $bad"
    verdict "one of them is cut off: it alone is drained, the job runs on others"
    as_root "$bad" ip link set eth1 up
    resume "$bad"
    test_slow_one
    test_silent_one
    configure_mode drain
}

# What the others found, each kind once.
of_others() { jq -rs --arg bad "$bad" 'map(select(.node != $bad) | .findings[] | "\(.verdict) \(.check)") | unique | join(",")' <<<"$told"; }

of_the_bad_one() { jq -r --arg bad "$bad" 'select(.node == $bad) | .findings[] | "\(.verdict) \(.check)"' <<<"$told" | sort -u; }

test_slow_one() {
    local try too_slow="fail gang.rail.bandwidth"
    wait_until 30 all_idle || complain "not idle: $(as_user sinfo -h -o '%T %N')"
    configure 'mode = "drain";' "$expect" 'preflight = { mode = "network"; deadline = 8; below_median = 90; };'
    as_root "$bad" tc qdisc add dev eth1 root tbf rate 1mbit burst 4kb latency 200ms
    for try in 1 2 3; do # as above
        preflight_job
        [[ -n $(of_others) || $(of_the_bad_one) != "$too_slow" ]] || break
        wait_until 30 all_idle || true
    done
    as_root "$bad" tc qdisc del dev eth1 root
    not_drained
    [[ -z $(of_others) ]] || complain "others: $(of_others)"
    [[ $(of_the_bad_one) == "$too_slow" ]] ||
        complain "$(jq -c --arg bad "$bad" 'select(.node == $bad) | .findings' <<<"$told")"
    diag "tries: $try; $bad: $(jq -r --arg bad "$bad" 'select(.node == $bad) | .findings[0].text' <<<"$told")"
    verdict "one of them is behind a shaper: it alone is told, nobody is drained"
}

# shellcheck disable=SC2154 # submit sets out
test_silent_one() {
    local named=''
    wait_until 30 all_idle || complain "not idle: $(as_user sinfo -h -o '%T %N')"
    as_root "$bad" kill -STOP "$(<"$state/pid/$bad")"
    submit silent "$home/silent.out" -N"$many" --requeue --wrap "srun -Q hostname >$home/silent.hosts; touch $home/silent.done"
    wait_until 30 is_requeued "$out" || complain "$(as_root head scontrol show job "$out")"
    wait_until 10 silent_are_named "$out" || complain "others: $(of_others)" "named: $named"
    [[ $'\n'$named$'\n' == *$'\n'"$bad"$'\n'* ]] || complain "$bad is not named"
    diag "named: ${named//$'\n'/ }"
    as_root "$bad" kill -CONT "$(<"$state/pid/$bad")"
    ended silent
    not_drained
    verdict "one of them never comes: it is named, nobody is drained, the job is requeued and runs"
}
# A slurmd that does not go on forwards the job to none of those behind it in Slurm's tree.
silent_are_named() {
    told=$(preflight_of "$1" || true) # nothing, of who never came
    named=$(jq -r '.findings[].subject' <<<"$told" | sort -u)
    [[ $(of_others) == "unknown gang.reach" && $named == "$(comm -23 <(printf '%s\n' "${nodes[@]}" | sort) <(jq -r .node <<<"$told" | sort))" ]]
}
is_requeued() { as_root head scontrol show job "$1" | grep -q 'Restarts=1'; }

# ---------------------------------------------------------------- all bad

drained() { as_user sinfo -h -N -o '%N %T' | sed -n 's/ drain.*//p' | sort -u; }
# What its prolog, or the epilog of a job that began, says at its end.
end_of() { log_of "$1" | grep -aoE 'max_drained is reached|this node is drained already|this node is drained|could not be drained' | head -n 1; }
all_told() {
    local node
    for node in "${nodes[@]}"; do [[ -n $(end_of "$node") ]] || return 1; done
}

# The greatest number of drained nodes while a command runs is in $most.
most=0
watch_drained() {
    local seen
    "$@" &
    while kill -0 $! 2>/dev/null; do
        seen=$(drained | wc -l)
        [[ $seen -le $most ]] || most=$seen
    done
    wait $! || true
}

test_all_bad() {
    local node ends took
    configure 'mode = "drain"; deadline = 60;' "$expect" # slurmctld is one, and has two cores with 64 nodes
    for node in "${nodes[@]}"; do
        link DOWN "$node"
        mark_log "$node"
    done
    watch_drained within 60 "$cluster" on "$state" head --user demo --cwd "$home" -- srun -Q -N"$many" true >"$state/srun" 2>&1
    wait_until 30 all_told || true
    wait_until 10 has_settled || true
    ends=$(for node in "${nodes[@]}"; do end_of "$node"; done | sort | uniq -c | tr -s ' \n' ' ')
    took=$(for node in "${nodes[@]}"; do as_root "$node" grep -a '"phase":"prolog"' /var/log/cluster-env/health.jsonl | tail -n 1 | jq .took_ms & done | sort -n | tr '\n' ' ')
    diag "$many bad nodes at once: $most drained at the height, $(drained | wc -l) in the end; milliseconds of a prolog: ${took%% *} to $(awk '{ print $NF }' <<<"$took")"
    [[ $(drained | wc -l) -eq 6 ]] || complain "drained: $(drained)"
    [[ $ends == " 58 max_drained is reached 6 this node is drained " ]] || complain "$ends"
    [[ $(as_user sinfo -h -R -o '%200E' | sed 's/ *$//' | sort -u) == "$down" ]] || complain "$(as_user sinfo -R)"
    verdict "$many bad nodes whose prologs run at once: 6 are drained, each with its reason, $((many - 6)) stay in service"
}
has_settled() { [[ $(drained | wc -l) -eq 6 ]]; }

main() {
    [[ $# -eq 1 ]] || { echo "usage: test_many.sh SERIES" >&2; exit 2; }
    plan "$([[ $1 == forky ]] && echo 7 || echo 3)"
    start_health "$1"
    test_launch
    [[ $1 != forky ]] || test_preflight
    test_one_bad
    link UP "$bad"
    resume "$bad"
    test_all_bad
    finish
}

main "$@"

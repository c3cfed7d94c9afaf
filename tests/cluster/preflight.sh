# shellcheck shell=bash disable=SC2154 # what it uses is set where it is sourced
# shellcheck disable=SC2016,SC2034 # for the nodes to expand; used where this is sourced
# SPDX-License-Identifier: Apache-2.0
#
# Jobs whose nodes look at each other, and what each node tells of it; for tests that source this after health.sh.

readonly log=/var/log/cluster-env/health.jsonl

# told NODE JOB FILTER: of the preflight's line in its log
told() {
    as_root "$1" cat $log | jq -rcs --argjson job "$2" "map(select(.phase == \"preflight\" and .job == \$job)) | last | $3"
}
wants() { # wants NODE JOB FILTER EXPECTED
    wait_until 10 has_told "$@" || complain "$1: $(told "$1" "$2" '[.checked, .done, .error, .took_ms, .notes, .findings]')"
}
has_told() { [[ $(told "$1" "$2" "$3") == "$4" ]]; }
readonly findings='[.findings[] | "\(.verdict) \(.check) \(.subject)"] | unique | join(",")'
clean() { wants "$1" "$2" '[.checked, .done, (.findings | length), (.notes | length)]' '[true,"nothing",0,0]'; }

# gang NAME OPTION...: a job over all nodes, which writes who it is; its id is in $id
id=''
gang() {
    run as_user srun -Q -N4 "${@:2}" bash -c 'echo "$SLURM_JOB_ID" >"$0"' "$home/$1"
    id=$(<"$home/$1") || id=0
}
# batch NAME OPTION...: the same as a batch job that goes on in the background; $out is its id
batch() {
    submit "$1" "$home/$1.out" -N4 --requeue "${@:2}" --wrap "srun -Q hostname >$home/$1.hosts; touch $home/$1.done"
    id=$out
}
is_requeued() { as_root head scontrol show job "$1" | grep -q 'Restarts=1'; }
nothing_runs() { [[ -z $(as_root head pgrep -f '/cluster-env/preflight --task' || true) ]]; }
# the_helper PLACE: of the node at that place of the job's list; all nodes share one process table
the_helper() { as_root head bash -c 'for ((i = 0; i < 300; i++)); do
        pid=$(pgrep -f "self=$0.port" | head -n 1); [[ -z $pid ]] || break; sleep 0.01; done; echo "$pid"' "$1"; }

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_prolog.sh SERIES: cluster-prolog and cluster-epilog as slurm.conf's Prolog and Epilog, on nodes
# of a 1-Click Cluster: what starts, what is drained and why, what becomes of the job.
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

readonly programs=/run/libexec helpers=/run/libexec/cluster-env # of each node
readonly hcas=/sys/class/infiniband
readonly down="mlx5_4/1 DOWN (Polling), expected ACTIVE; check cable and switch port [cluster-env ib.port.state]"
readonly expect='gpus = 8; rails = { count = 8; link_layer = "infiniband"; rate = 400; };'

# ---------------------------------------------------------------- what is done to nodes

# link UP|DOWN NODE [HCA...]: as sysfs shows it when a cable is out
link() {
    local text=('4: ACTIVE' '5: LinkUp' '400 Gb/sec (4X NDR)')
    [[ $1 == UP ]] || text=('1: DOWN' '2: Polling' '40 Gb/sec (4X QDR)')
    [[ $# -gt 2 ]] || set -- "$@" mlx5_4
    as_root "$2" bash -c 'cd "$0" && for hca in "${@:4}"; do
        echo "$1" >"$hca/ports/1/state" && echo "$2" >"$hca/ports/1/phys_state" && echo "$3" >"$hca/ports/1/rate"
    done' "$hcas" "${text[@]}" "${@:3}"
}

configure_mode() { configure "mode = \"$1\";" "$expect"; }

# What sinfo -R has of a node, "" where it is not drained.
reason_of() { as_user sinfo -h -R -n "$1" -o '%200E' | sed 's/ *$//'; }
state_of() { as_user sinfo -h -N -n "$1" -o '%T' | head -n 1; }

drained_for() { # drained_for NODE REASON
    wait_until 10 is_drained "$1" || complain "$1 is $(state_of "$1")"
    [[ $(reason_of "$1") == "$2" ]] || complain "the reason of $1: $(reason_of "$1")" "expected: $2"
}
is_drained() { [[ $(state_of "$1") == drain* ]]; }

not_drained() {
    local list
    list=$(as_user sinfo -h -R -o '%200E %N')
    [[ -z $list ]] || complain "drained: $list"
}

# After the epilog, which would find the fault again.
resume() {
    wait_until 20 is_drained_and_empty "$1" || complain "$1 is $(state_of "$1")"
    as_root head scontrol update "nodename=$1" state=resume || complain "$1 cannot be resumed"
    wait_until 20 is_idle "$1" || complain "$1 is $(state_of "$1")"
}
is_drained_and_empty() { [[ $(state_of "$1") == drained ]]; }
is_idle() { [[ $(state_of "$1") == idle ]]; }

# Its slurmd's log since mark_log has this.
declare -A logged=()
mark_log() { logged[$1]=$(wc -l <"$state/log/$1.log"); }
log_of() { tail -n "+$((${logged[$1]} + 1))" "$state/log/$1.log"; }
has_logged() { wait_until 5 log_holds "$1" "$2" || complain "$1.log lacks '$2':" "$(log_of "$1" | grep -a cluster- | tail -n 5)"; }
log_holds() { log_of "$1" | grep -aqF -- "$2"; }

# by_hand NODE PROGRAM [NAME=VALUE...]: as slurmd runs it; its milliseconds are in $took
took=0
by_hand() {
    local start=${EPOCHREALTIME/./}
    run as_root "$1" env -i SLURM_CONF="$state/etc/slurm.conf" SLURMD_NODENAME="$1" SLURM_JOB_ID=77 "${@:3}" "$programs/$2"
    took=$(((${EPOCHREALTIME/./} - start) / 1000))
}

# helper NODE NAME TEXT: this script is that helper, until put_back
helper() { as_root "$1" bash -c 'printf "#!/bin/sh\n%s\n" "$2" >"$0/$1" && chmod 755 "$0/$1"' "$helpers" "$2" "$3"; }
put_back() { as_root "$1" bash -c 'rm -f "$0"/* && install -m 755 "$1" "$0/"' "$helpers" "$state/tools/libexec/slurm-node"; }

# ---------------------------------------------------------------- before the job

test_healthy() {
    local node
    run as_user srun -N4 true
    quiet
    not_drained
    verdict "healthy nodes start the job, nobody sees a word"

    as_root n9 sh -c 'rm -r /run/cluster-env/*'
    run as_user srun -N4 --cluster-env "$jobs/seen.sh" "$home/fresh"
    quiet
    load "$home/fresh" 4
    for ((node = 0; node < 4; node++)); do want "$node" NCCL_IB_HCA ^=mlx5_0; done
    [[ $(as_root n9 stat -c '%n %a %U' /run/cluster-env/{hosts,node.facts,node.policy}) == "/run/cluster-env/hosts 644 root
/run/cluster-env/node.facts 644 root
/run/cluster-env/node.policy 644 root" ]] || complain "$(as_root n9 ls -l /run/cluster-env)"
    verdict "the prolog writes the node's texts, and srun --cluster-env reads them"
}

test_srun() {
    link DOWN n9
    mark_log n9
    run as_user srun -N4 "$jobs/seen.sh" "$home/refused"
    diag "srun said: ${err//$'\n'/ | }"
    [[ $status -ne 0 ]] || complain "srun's exit status is 0"
    [[ -n $err ]] || complain "srun says nothing"
    [[ ! -e $home/refused.0 && -z $(compgen -G "$home/refused.*") ]] || complain "tasks ran: $(ls "$home")"
    drained_for n9 "$down"
    has_logged n9 "this node is drained: $down"
    [[ $(as_user sinfo -h -R -o '%N') == n9 ]] || complain "drained: $(as_user sinfo -R)"
    verdict "srun -N4, one port of n9 down: no task runs, srun ends with a message, n9 alone is drained with the reason"
    run as_user srun -N3 -x n9 true
    quiet
    link UP n9
    resume n9
    run as_user srun -N4 true
    quiet
    verdict "the others run jobs; with the port up again and the node resumed, so does n9"
}

test_salloc() {
    link DOWN n9
    run as_user salloc -N2 -w n9,alpha srun touch "$home/allocated"
    diag "salloc said: ${err//$'\n'/ | }"
    [[ $status -ne 0 ]] || complain "salloc's exit status is 0"
    [[ ! -e $home/allocated ]] || complain "its command ran on the bad node"
    drained_for n9 "$down"
    link UP n9
    resume n9
    verdict "salloc: its command is ended with a message, the node is drained with the reason"
}

test_batch() {
    local id ran
    link DOWN alpha mlx5_1 mlx5_2 mlx5_3 mlx5_4 mlx5_5 mlx5_6 mlx5_7
    submit again "$home/again.out" -N2 --requeue --wrap "echo \$SLURM_JOB_NODELIST \$SLURM_RESTART_COUNT >>$home/again.ran
        srun $jobs/seen.sh $home/task; touch $home/again.done"
    id=$out
    ended again
    ran=$(cat "$home/again.ran" 2>&1) || true
    [[ $ran == "n[9-10] 1" ]] || complain "it ran on: $ran"
    load "$home/task" 2
    drained_for alpha "7 ports: mlx5_1/1, mlx5_2/1, mlx5_3/1, mlx5_4/1, mlx5_5/1, mlx5_6/1, mlx5_7/1 ${down#* }"
    diag "$(as_root head scontrol show job "$id" | grep -oE 'Restarts=[0-9]+|Requeue=[0-9]|Reason=[^ ]*' | tr '\n' ' ')"
    link UP alpha mlx5_1 mlx5_2 mlx5_3 mlx5_4 mlx5_5 mlx5_6 mlx5_7
    resume alpha
    verdict "sbatch -N2, seven ports of its first node down: the reason names all seven, the job is requeued and runs on two others, once"
}

# ---------------------------------------------------------------- after the job

test_epilog() {
    submit during "$home/during.out" -N2 -w n9,alpha --wrap "touch $home/during.begun
        while test ! -e $home/during.end; do sleep 0.1; done; touch $home/during.done"
    wait_until 20 test -e "$home/during.begun" || complain "the job did not start"
    link DOWN n9
    as_user touch "$home/during.end"
    ended during
    drained_for n9 "$down"
    [[ $(as_user sinfo -h -R -o '%N') == n9 ]] || complain "drained: $(as_user sinfo -R)"
    verdict "a link that goes down during the job: the job ends as it would, the epilog drains the node with the reason"
    link UP n9
    resume n9
}

# ---------------------------------------------------------------- what is left alone

test_observe() {
    configure_mode observe
    link DOWN n9
    mark_log n9
    run as_user srun -N4 true
    quiet
    not_drained
    has_logged n9 "cluster-prolog: job "
    has_logged n9 "mode = \"observe\", else this node would be drained: $down"
    has_logged n9 "cluster-epilog: job "
    verdict 'mode = "observe": the job runs, nothing is drained, slurmd.log has what would be'
    configure "$expect"
    run as_user srun -N4 true
    quiet
    not_drained
    verdict "without a mode: the same"
    link UP n9
    configure_mode drain
}

# admin STATE REASON: what an admin says of n9 while a job runs there, whose link goes down
admin() {
    rm -f "$home"/admin.*
    submit admin "$home/admin.out" -N1 -w n9 --wrap "touch $home/admin.begun
        while test ! -e $home/admin.end; do sleep 0.1; done; touch $home/admin.done"
    wait_until 20 test -e "$home/admin.begun" || complain "the job did not start"
    as_root head scontrol update nodename=n9 state="$1" reason="$2"
    link DOWN n9
    as_user touch "$home/admin.end"
    ended admin
    wait_until 20 is_drained_and_empty n9 || complain "$(state_of n9)"
    drained_for n9 "$2"
    link UP n9
    resume n9
}

test_admin() {
    admin drain "disk 3, do not touch (jane)"
    verdict "a node that an admin drains: the reason stays where the epilog finds a fault"
    admin fail "watch the fan (jane)"
    verdict "a node with a reason that is not drained: it is drained, and keeps the reason"
}

test_trouble() {
    configure 'mode = "drain";' || true
    as_root n9 sh -c 'echo "mode = ;" >/etc/slurm/cluster-env.conf'
    link DOWN n9
    mark_log n9
    run as_user srun -N4 true
    quiet
    not_drained
    has_logged n9 "not checked: /etc/slurm/cluster-env.conf:1: syntax error"
    verdict "a broken cluster-env.conf: the job runs, nothing is drained, slurmd.log names file and line"
    configure_mode drain

    as_root n9 rm "$helpers/slurm-node"
    run as_user srun -N1 -w n9 true
    [[ $status -ne 0 ]] || complain "srun's exit status is 0"
    drained_for n9 "Prolog error"
    has_logged n9 "the reason could not be set"
    put_back n9
    resume n9
    verdict "without slurm-node: the node is drained all the same, with Slurm's own reason"

    helper n9 slurm-node 'exec sleep 1000'
    SECONDS=0
    run as_user srun -N1 -w n9 true
    [[ $status -ne 0 && $SECONDS -lt 12 ]] || complain "srun: status $status after $SECONDS s"
    drained_for n9 "Prolog error"
    [[ -z $(as_root n9 sh -c 'grep -l "^sleep.1000" /proc/[0-9]*/cmdline' 2>/dev/null | head -n 1) ]] || complain "it still runs"
    put_back n9
    resume n9
    verdict "a slurm-node that hangs: the same, in time"

    as_root head bash -c 'kill -STOP "$(<"$0")"' "$state/pid/slurmctld"
    by_hand n9 cluster-prolog
    as_root head bash -c 'kill -CONT "$(<"$0")"' "$state/pid/slurmctld"
    [[ $status -eq 1 && $took -lt 8000 && $err == *"the reason could not be set"*"no answer in 3 s"* ]] ||
        complain "status $status after $took ms: $err"
    verdict "a slurmctld that does not answer: exit status 1 after $took ms"
    # what the helper asked may still be done when slurmctld goes on
    sleep 0.5
    ! is_drained n9 || resume n9
    link UP n9

    helper n9 probe-verbs 'exec sleep 1000'
    run as_user srun -N1 -w n9 true
    quiet
    not_drained
    verdict "a probe that hangs: the job runs"
    by_hand_stopped
    put_back n9
}

# The child that does the work hangs as a whole, as on a file system that does not answer.
by_hand_stopped() {
    as_root n9 bash -c 'for ((i = 0; i < 200; i++)); do
        pid=$(pgrep -f "^/run/libexec/cluster-prolog$" | sed -n 2p); [[ -z $pid ]] || break; sleep 0.01; done
        kill -STOP "$pid"' &
    by_hand n9 cluster-prolog
    wait $!
    [[ $status -eq 0 && $took -lt 10500 && $err == *"not checked: no answer in 9 s"* ]] ||
        complain "status $status after $took ms: $err"
    verdict "whatever hangs: exit status 0 after $took ms, and a line"
}

# ---------------------------------------------------------------- what stays of it

readonly log=/var/log/cluster-env/health.jsonl metrics=/run/metrics

# logged_run NODE PHASE JOB FILTER: of the last such line of its log
logged_run() {
    as_root "$1" cat $log | jq -rcs --arg node "$1" --arg phase "$2" --argjson job "$3" \
        "map(select(.node == \$node and .phase == \$phase and .job == \$job)) | last | $4"
}
metric() { as_root "$1" sed -n "s/^cluster_env_$3 //p" "$metrics/cluster_env_$2.prom"; }

test_reports() {
    local id
    local reports="reports = { metrics = \"$metrics\"; };"
    as_root n9 mkdir -p $metrics
    as_root n9 bash -c 'echo "$0" >>/etc/slurm/cluster-env.conf' "$reports"
    link DOWN n9
    run as_user srun -N1 -w n9 true
    drained_for n9 "$down"
    id=$(as_root n9 cat $log | jq -s 'map(select(.node == "n9" and .phase == "prolog" and .job != null)) | last | .job')
    [[ $(logged_run n9 prolog "$id" '[.schema, .checked, .mode, .done, .reason]') == "[1,true,\"drain\",\"drained\",\"$down\"]" ]] ||
        complain "$(logged_run n9 prolog "$id" .)"
    [[ $(logged_run n9 prolog "$id" '.findings[] | select(.response == "drain") | .subject') == mlx5_4/1 ]] ||
        complain "$(logged_run n9 prolog "$id" .findings)"
    [[ $(metric n9 prolog 'run_done{phase="prolog",done="drained"}') == 1 ]] || complain "$(as_root n9 cat "$metrics/cluster_env_prolog.prom" 2>&1)"
    [[ $(metric n9 prolog 'check_findings{phase="prolog",check="ib.port.state",verdict="fail",response="drain"}') == 1 ]] ||
        complain "$(as_root n9 cat "$metrics/cluster_env_prolog.prom" 2>&1)"
    diag "the run took $(logged_run n9 prolog "$id" .took_ms) ms with the drain"
    verdict "a drain stands in the node's health.jsonl and in its metrics"
    link UP n9
    resume n9

    run as_user srun -N4 true
    quiet
    wait_until 10 epilog_is_logged n9 "$id" || complain "no epilog after job $id is logged"
    [[ $(metric n9 prolog 'run_done{phase="prolog",done="nothing"}') == 1 && $(metric n9 prolog 'config_error{phase="prolog"}') == 0 ]] ||
        complain "$(as_root n9 cat "$metrics/cluster_env_prolog.prom")"
    [[ -z $(as_root n9 cat $log | jq -r 'select(.schema != 1)') ]] || complain "a line is none of ours"
    verdict "the next job's runs follow it, and replace the metrics"

    as_root n9 sh -c 'echo "mode = ;" >/etc/slurm/cluster-env.conf'
    run as_user srun -N1 -w n9 true
    quiet
    [[ $(metric n9 prolog 'config_error{phase="prolog"}') == 1 && $(metric n9 prolog 'run_checked{phase="prolog"}') == 0 ]] ||
        complain "$(as_root n9 cat "$metrics/cluster_env_prolog.prom")"
    verdict "a broken cluster-env.conf is a metric"

    link DOWN n9
    configure 'mode = "drain"; checks = ( { name = "ib.port.state"; fault = "warn"; } );' "$expect"
    mark_log n9
    run as_user srun -N1 -w n9 true
    quiet
    not_drained
    has_logged n9 "fail: ${down%%;*} [ib.port.state]"
    verdict "a check whose faults only warn: the job runs, slurmd.log has the fault"
    link UP n9
    configure_mode drain
}
epilog_is_logged() { [[ $(as_root "$1" cat $log | jq -s "map(select(.node == \"$1\" and .phase == \"epilog\" and .job > $2)) | length") -gt 0 ]]; }

# ---------------------------------------------------------------- several at once, and the user's text

test_at_once() {
    local k started=()
    for ((k = 0; k < 8; k++)); do
        as_user srun -Q -N1 -w n9 --mem=1 true >"$state/at-once.$k" 2>&1 &
        started+=($!)
    done
    for k in "${!started[@]}"; do wait "${started[k]}" || complain "job $k: $(<"$state/at-once.$k")"; done
    not_drained
    [[ $(as_root n9 ls -A /run/cluster-env | tr '\n' ' ') == "hosts node.facts node.policy " ]] ||
        complain "$(as_root n9 ls -lA /run/cluster-env)"
    run as_root n9 cluster-env facts --facts /run/cluster-env/node.facts
    [[ $status -eq 0 ]] || complain "$err"
    verdict "eight jobs start on a node at once: all run, its texts are whole, nothing is left beside them"

    link DOWN n9
    started=()
    for ((k = 0; k < 4; k++)); do
        as_root n9 env -i SLURM_CONF="$state/etc/slurm.conf" SLURMD_NODENAME=n9 "$programs/cluster-prolog" 2>"$state/at-once.$k" &
        started+=($!)
    done
    for k in "${!started[@]}"; do ! wait "${started[k]}" || complain "prolog $k: exit status 0"; done
    drained_for n9 "$down"
    link UP n9
    resume n9
    verdict "four prologs find a fault at once: one reason"
}

test_hostile() {
    local evil=$'%n%n%s $(touch /tmp/cluster-env-hostile) `id`\e[2J'
    run as_user env SLURM_SPANK_X="$evil" SLURM_SPANK_LD_PRELOAD=/nonexistent.so SLURM_SPANK_SLURMD_NODENAME=alpha \
        srun -N1 -w n9 --comment="$evil" -J "$evil" true
    [[ $status -eq 0 ]] || complain "status $status: $err"
    not_drained
    verdict "a job whose name, comment and SPANK_ variables are hostile runs"

    link DOWN n9
    helper n9 slurm-node 'env >/run/helper.env; printf "%s|" "$@" >/run/helper.words; exit 0'
    by_hand n9 cluster-prolog SPANK_LD_PRELOAD=x SLURM_JOB_COMMENT="$evil" SLURM_JOB_NAME="$evil" SPANK_PATH=/tmp LD_DEBUG_OUTPUT=/tmp/x
    [[ $status -eq 1 ]] || complain "status $status: $err"
    [[ $(as_root n9 cat /run/helper.words) == "drain|n9|$down|" ]] || complain "$(as_root n9 cat /run/helper.words)"
    run as_root n9 sh -c 'grep -vE "^(SLURM_CONF|PWD|SHLVL|_|OLDPWD)=" /run/helper.env'
    [[ -z $out ]] || complain "the helper has: $out"
    by_hand n9 cluster-prolog SLURMD_NODENAME="../$evil" SLURM_JOB_ID="$evil"
    [[ $(as_root n9 cat /run/helper.words) == "drain|n9|$down|" ]] || complain "$(as_root n9 cat /run/helper.words)"
    [[ $err == "cluster-prolog: job 0: "* && $err != *$'\e'* ]] || complain "it said: $err"
    verdict "the helper gets nothing of the user's environment, and a name that is none is not used"
    put_back n9
    link UP n9
}

main() {
    [[ $# -eq 1 ]] || { echo "usage: test_prolog.sh SERIES" >&2; exit 2; }
    local groups=(healthy srun salloc batch epilog observe admin trouble reports at_once hostile) node helper
    plan $((25 + ${#groups[@]}))
    helper=$("$here/slurm_node.sh" "$1")
    scheduler=,nohold_on_prolog_fail,sched_interval=2
    start_product "$1" --hardware <("$here/hgx_tree") --cred-expire 5 \
        --slurm-conf "Prolog=$programs/cluster-prolog" --slurm-conf "Epilog=$programs/cluster-epilog" \
        --slurm-conf PrologFlags=Alloc,DeferBatch --slurm-conf SlurmdDebug=debug2
    install -D "$helper" "$state/tools/libexec/slurm-node"
    for node in "${nodes[@]}"; do
        as_root "$node" install -D -t "$programs" "$state"/tools/bin/cluster-{prolog,epilog}
        as_root "$node" install -D -t "$helpers" "$state/tools/libexec/slurm-node"
    done
    configure_mode drain
    run_groups "$1" "${groups[@]}"
    finish
}

main "$@"

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
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/health.sh"

# ---------------------------------------------------------------- before the job

test_healthy() {
    local node
    run as_user srun -N4 true
    quiet
    not_drained
    verdict "healthy nodes start the job, nobody sees a word"

    as_root n9 sh -c 'rm -r /run/cluster-env/*'
    run as_user srun -Q -N4 --cluster-env "$jobs/seen.sh" "$home/fresh"
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
    refused n9 "$home"/refused.[0-3]
    [[ $err == *"n9 is drained, so this job ends before it began; start it again: $down"* ]] || complain "srun said: $err"
    drained_for n9 "$down"
    has_logged n9 "this node is drained: $down"
    [[ $(as_user sinfo -h -R -o '%N') == n9 ]] || complain "drained: $(as_user sinfo -R)"
    verdict "srun -N4, one port of n9 down: no task runs, srun ends with a message, n9 alone is drained with the reason"
    run as_user srun -Q -N3 -x n9 true
    quiet
    link UP n9
    resume n9
    run as_user srun -Q -N4 true
    quiet
    verdict "the others run jobs; with the port up again and the node resumed, so does n9"
}

test_salloc() {
    link DOWN n9
    run as_user salloc -N2 -w n9,alpha srun touch "$home/allocated"
    diag "salloc said: ${err//$'\n'/ | }"
    refused n9 "$home/allocated"
    [[ $err == *"n9 is drained, so this job ends before it began; start it again: $down"* ]] || complain "salloc said: $err"
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

test_array() {
    link DOWN alpha
    submit array "$home/array.out" -N1 -x zeta1 --exclusive --requeue --array=1-3 \
        --wrap "echo \$SLURM_ARRAY_TASK_ID \${SLURM_RESTART_COUNT:-0} >>$home/array.ran"
    wait_until 40 three_ran || complain "not all ran"
    drained_for alpha "$down"
    [[ $(awk '{ print $1 }' "$home/array.ran" | sort | tr '\n' ' ') == "1 2 3 " && $(grep -c ' 1$' "$home/array.ran") -eq 1 ]] ||
        complain "ran: $(<"$home/array.ran")"
    link UP alpha
    resume alpha
    verdict "an array on three nodes, one with a fault: only its task is requeued, each runs once"
}
three_ran() { [[ $(wc -l <"$home/array.ran") -ge 3 ]]; }

# The fault shows late, on the node that is not the script's: without DeferBatch the script would run.
test_defer() {
    local ran
    slow_prolog n9 2
    link DOWN n9
    submit late "$home/late.out" -N2 -x zeta1 --requeue --wrap "echo \$SLURM_JOB_NODELIST \$SLURM_RESTART_COUNT >>$home/late.ran
        [ -z \"\$SLURM_RESTART_COUNT\" ] || touch $home/late.done"
    ended late
    ran=$(cat "$home/late.ran" 2>&1) || true
    [[ $ran == "alpha,n10 1" ]] || complain "it ran on: $ran"
    drained_for n9 "$down"
    link UP n9
    resume n9
    verdict "sbatch -N2, its second node finds a fault after 2 s: the script does not start before, only on the others"

    rm "$home/slow.over"
    submit wait "$home/wait.out" -N2 -w alpha,n9 --wrap "ls $home/slow.over >$home/wait.saw 2>&1; touch $home/wait.done"
    ended wait
    [[ $(<"$home/wait.saw") == "$home/slow.over" ]] || complain "it saw: $(<"$home/wait.saw")"
    usual_prolog n9
    verdict "sbatch -N2, the prolog of its second node takes 2 s: the script starts after it"
}

# Slurm 25.11 and later. Other requeued jobs wait 1000 s, longer than this test waits for anything.
test_expedite() {
    expedite 1000
    link DOWN alpha
    submit expedite "$home/expedite.out" -N2 --requeue=expedite --wrap "echo \$SLURM_JOB_NODELIST \$SLURM_RESTART_COUNT >>$home/expedite.ran; touch $home/expedite.done"
    ended expedite
    [[ $(<"$home/expedite.ran") == "n[9-10] 1" ]] || complain "it ran on: $(<"$home/expedite.ran")"
    drained_for alpha "$down"
    link UP alpha
    resume alpha
    verdict "sbatch --requeue=expedite, a port of its first node down: requeued once, and runs on two others without a delay"
    submit fails "$home/fails.out" -N1 -x zeta1,n10 --requeue=expedite --wrap "echo \$SLURM_JOB_NODELIST \${SLURM_RESTART_COUNT-none} >>$home/fails.ran
        [ -z \"\$SLURM_RESTART_COUNT\" ] || { touch $home/fails.done; exit 0; }
        while test ! -e $home/fails.go; do sleep 0.1; done; exit 5"
    wait_until 20 test -e "$home/fails.ran" || complain "the job did not start"
    link DOWN alpha
    as_user touch "$home/fails.go"
    ended fails
    [[ $(<"$home/fails.ran") == $'alpha none\nn9 1' ]] || complain "it ran on: $(<"$home/fails.ran")"
    drained_for alpha "${down%%; *}, found after job $out; ${down#*; }"
    link UP alpha
    resume alpha
    verdict "the same, a script that fails on a node that its epilog drains: runs again on another node without a delay"
    usual_requeue
}

# ---------------------------------------------------------------- what is left alone

# Half the default: a run waits that long for what hangs.
configure_short() { configure 'mode = "drain"; deadline = 5;' "$expect"; }

test_observe() {
    configure_mode observe
    link DOWN n9
    mark_log n9
    run as_user srun -Q -N4 true
    quiet
    not_drained
    has_logged n9 "cluster-prolog: job "
    has_logged n9 "mode = \"observe\", else this node would be drained: $down"
    has_logged n9 "cluster-epilog: job "
    verdict 'mode = "observe": the job runs, nothing is drained, slurmd.log has what would be'
    configure "$expect"
    run as_user srun -Q -N4 true
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
    run as_user srun -Q -N4 true
    quiet
    not_drained
    has_logged n9 "not checked: /etc/slurm/cluster-env.conf:1: syntax error"
    verdict "a broken cluster-env.conf: the job runs, nothing is drained, slurmd.log names file and line"
    wait_until 20 is_idle n9 || complain "n9 is $(state_of n9)" # no epilog is under way
    configure_short

    as_root n9 rm "$helpers/slurm-node"
    run as_user srun -N1 -w n9 true
    refused n9
    drained_for n9 "Prolog error"
    has_logged n9 "the reason could not be set"
    put_back n9
    resume n9
    verdict "without slurm-node: the node is drained all the same, with Slurm's own reason"

    helper n9 slurm-node 'exec sleep 1000'
    SECONDS=0
    run as_user srun -N1 -w n9 true
    refused n9
    [[ $SECONDS -lt 40 ]] || complain "srun took $SECONDS s"
    drained_for n9 "Prolog error"
    [[ -z $(as_root n9 sh -c 'grep -l "^sleep.1000" /proc/[0-9]*/cmdline' 2>/dev/null | head -n 1) ]] || complain "it still runs"
    put_back n9
    resume n9
    verdict "a slurm-node that hangs: the same, in time"

    as_root head bash -c 'kill -STOP "$(<"$0")"' "$state/pid/slurmctld"
    by_hand n9 cluster-prolog
    as_root head bash -c 'kill -CONT "$(<"$0")"' "$state/pid/slurmctld"
    [[ $status -eq 1 && $took -lt 13500 && $err == *"the reason could not be set"*"no answer in "[1-9]*" s"* ]] ||
        complain "status $status after $took ms: $err"
    verdict "a slurmctld that does not answer: exit status 1 after $took ms"
    # what the helper asked may still be done when slurmctld goes on
    sleep 0.5
    ! is_drained n9 || resume n9
    link UP n9

    helper n9 probe-verbs 'exec sleep 1000'
    run as_user srun -Q -N1 -w n9 true
    quiet
    not_drained
    verdict "a probe that hangs: the job runs"
    by_hand_stopped
    put_back n9
    configure_mode drain
}

# the_prolog NTH: the pid of a prolog, 1, or of its child, 2
the_prolog() { as_root n9 bash -c 'for ((i = 0; i < 2000; i++)); do
        pid=$(pgrep -f "^/run/libexec/cluster-prolog$" | sed -n "$0p"); [[ -z $pid ]] || break; sleep 0.01; done; echo "$pid"' "$1"; }
nothing_runs() { as_root n9 bash -c '! pgrep -f "^(/run/libexec/cluster-|sleep 1000)"'; }

test_killed() {
    local started
    helper n9 probe-gpu 'exec sleep 1000'
    as_user srun -N1 -w n9 touch "$home/killed" >"$state/killed" 2>&1 &
    started=$!
    as_root n9 kill -KILL "$(the_prolog 1)" || complain "no prolog to kill"
    status=0
    wait "$started" || status=$?
    err=$(<"$state/killed")
    drained_for n9 "Prolog error"
    refused n9 "$home/killed"
    wait_until 5 nothing_runs || complain "still runs: $(as_root n9 pgrep -fa '^(/run/libexec/cluster-|sleep 1000)')"
    as_root n9 cluster-env facts --facts /run/cluster-env/node.facts >/dev/null || complain "node.facts is broken"
    put_back n9
    resume n9
    run as_user srun -Q -N1 -w n9 true
    quiet
    verdict "a prolog that is killed: Slurm drains the node, nothing of it goes on running, resumed it takes jobs"

    helper n9 probe-gpu 'exec sleep 1000'
    mark_log n9
    as_user srun -N1 -w n9 true >"$state/killed" 2>&1 &
    started=$!
    as_root n9 kill -KILL "$(the_prolog 2)" || complain "no child to kill"
    wait "$started" || complain "srun: $(<"$state/killed")"
    not_drained
    has_logged n9 "not checked: ended by signal 9"
    wait_until 5 nothing_runs || complain "still runs: $(as_root n9 pgrep -fa '^(/run/libexec/cluster-|sleep 1000)')"
    put_back n9
    verdict "its child killed: the job runs, slurmd.log has it"
}

test_driver() {
    mark_log n9
    nvml n9 gpu.3.all=hang
    SECONDS=0
    run as_user srun -Q -N1 -w n9 --gpus-per-node=8 true
    quiet
    [[ $SECONDS -lt 40 ]] || complain "srun took $SECONDS s"
    not_drained
    has_logged n9 "unknown: GPU 3 (0000:61:00.0)"
    verdict "a driver that hangs on one GPU: the GPU is named, the job runs after the deadline, nothing is drained"
    wait_until 10 is_idle n9 || complain "n9 is $(state_of n9)"
    mark_log n9
    nvml n9 gpu.3.all=crash
    run as_user srun -Q -N1 -w n9 --gpus-per-node=8 true
    quiet
    not_drained
    has_logged n9 "signal 6"
    nvml n9
    verdict "a helper that crashes: the signal is named, the job runs, nothing is drained"
}

# slurmctld is away from the moment the prolog runs until after its end.
test_away() {
    local pid
    held_prolog n9
    link DOWN n9
    mark_log n9
    mark_log slurmctld
    submit away "$home/away.out" -N1 -w n9 --no-requeue --wrap "touch $home/away.ran"
    wait_until 5 slow_prologs 1 || complain "no prolog"
    pid=$(<"$state/pid/slurmctld")
    as_root head kill "$pid"
    wait_until 20 slurmctld_is_gone "$pid" || complain "slurmctld does not end"
    release_prologs
    wait_until 20 test -e "$home/slow.over" || complain "the prolog hangs"
    has_logged n9 "the reason could not be set"
    "$cluster" restart "$state" slurmctld || complain "slurmctld does not start again"
    daemons=$(daemon_pids)
    usual_prolog n9
    drained_for n9 "Prolog error" 40
    [[ ! -e $home/away.ran ]] || complain "the job ran"
    # an epilog that comes later would drain it anew
    wait_until 20 log_holds slurmctld "epilog error on n9" || complain "no epilog: $(log_of slurmctld | tail -n 5)"
    link UP n9
    wait_until 60 no_retries n9 || complain "slurmd of n9 tells of its prolog again and again"
    # it shows a node at work for a while after its start, so resume would wait
    as_root head scontrol update nodename=n9 state=resume || complain "n9 cannot be resumed"
    run as_user srun -Q -N1 -w n9 true
    quiet
    verdict "slurmctld is away while a fault is found: the prolog ends in time, the node is drained when slurmctld is back"
}

slurmctld_is_gone() { ! as_root head kill -0 "$1"; }

# The child that does the work hangs as a whole, as on a file system that does not answer.
by_hand_stopped() {
    as_root n9 bash -c 'for ((i = 0; i < 2000; i++)); do
        pid=$(pgrep -f "^/run/libexec/cluster-prolog$" | sed -n 2p); [[ -z $pid ]] || break; sleep 0.01; done
        kill -STOP "$pid"' &
    by_hand n9 cluster-prolog
    wait $! || complain "no child to stop"
    [[ $status -eq 0 && $took -lt 13500 && $err == *"not checked: no answer in 4.5 s"* ]] ||
        complain "status $status after $took ms: $err"
    verdict "whatever hangs: exit status 0 after $took ms, and a line"
}

# ---------------------------------------------------------------- tasks that Slurm starts nevertheless

readonly tries=${TRIES:-5} # of a slow slurmctld

# Each request of n9's slurmd takes 60 ms in the first try, 600 ms in the last: between the prolog's end and the job's,
# Slurm starts tasks there.
test_slow() {
    local try ran=0 unnamed=0 succeeded=0 by_plugin=0
    slow_slurmd n9
    link DOWN n9
    for ((try = 0; try < tries; try++)); do
        slow_down n9 $((60 + (tries > 1 ? try * 540 / (tries - 1) : 540)))
        run as_user srun -N2 -w n9,alpha --cluster-env sh -c 'touch "$0.$(hostname)"' "$home/slow.$try"
        [[ $err != *"n9: the prolog found a fault on this node: $down"* ]] || by_plugin=$((by_plugin + 1))
        [[ ! -e $home/slow.$try.n9 ]] || ran=$((ran + 1))
        [[ $status -ne 0 ]] || succeeded=$((succeeded + 1))
        [[ $err == *"$down"* ]] || { unnamed=$((unnamed + 1)) && diag "try $try, status $status: ${err//$'\n'/ | }"; }
        back_in_service n9
    done
    diag "of $tries tries: in $ran tasks ran on n9, in $by_plugin the plugin refused, $unnamed without a reason, $succeeded with status 0"
    [[ $ran -eq 0 ]] || complain "tasks ran on n9 in $ran of $tries tries"
    [[ $unnamed -eq 0 ]] || complain "no reason in $unnamed of $tries tries"
    [[ $succeeded -eq 0 ]] || complain "srun ended with status 0 in $succeeded of $tries tries"
    verdict "srun --cluster-env, slurmd takes 60 to 600 ms for a request: no task runs on the node whose prolog failed, the user reads why"
    link UP n9
    usual_slurmd n9
}

slow_slurmd() {
    cc -std=c11 -D_GNU_SOURCE -O1 -shared -fPIC -o "$state/nvml/slow_connect.so" "$here/../doubles/slow_connect.c"
    chmod a+rx "$state/nvml/slow_connect.so"
    as_root head sh -c 'echo "$0" >>/etc/ld.so.preload' "$state/nvml/slow_connect.so"
    restart_slurmd "$1"
}
usual_slurmd() {
    as_root "$1" rm -f /run/slow_connect
    as_root head sed -i '/slow_connect/d' /etc/ld.so.preload
    restart_slurmd "$1"
}
slow_down() { as_root "$1" sh -c 'echo "$0" >/run/slow_connect' "$2"; }
# With SIGKILL: otherwise slurmd waits for what it reports again.
restart_slurmd() {
    as_root head bash -c 'kill -KILL "$(<"$0")" && rm "$0"' "$state/pid/$1"
    "$cluster" restart "$state" "$1" || complain "slurmd of $1 does not start again"
    wait_until 10 test -s "$state/pid/$1" || complain "slurmd of $1 does not write its pid"
    daemons=$(daemon_pids)
}

# A new slurmd does not report again how the prolog of a finished job ended.
back_in_service() {
    wait_until 20 is_drained_and_empty "$1" || complain "$1 is $(state_of "$1")"
    slow_down "$1" 0
    restart_slurmd "$1"
    as_root head scontrol update "nodename=$1" state=resume || complain "$1 cannot be resumed"
    wait_until 20 is_idle "$1" || complain "$1 is $(state_of "$1")"
}

# refuse_next NODE: as if the prolog of the next job there had failed and Slurm started its tasks nevertheless, until
# usual_prolog
refuse_next() {
    as_root "$1" bash -c 'rm -rf /run/refused.once && mv "$0" "$0.usual" && cat >"$0" && chmod 755 "$0"' "$programs/cluster-prolog" <<END
#!/bin/sh
$programs/cluster-prolog.usual || exit
mkdir /run/refused.once 2>/dev/null || exit 0
mkdir -p /run/cluster-env/refused
printf '%s\n' format=1 job=\$SLURM_JOB_ID restarts=0 boot.id=\$(cat /proc/sys/kernel/random/boot_id) "reason=$down" end=1 \
    >/run/cluster-env/refused/\$SLURM_JOB_ID
END
}

test_refused() {
    local id
    refuse_next n9
    submit refused "$home/refused.out" -N1 -w n9 --requeue --open-mode=append --cluster-env --wrap \
        "echo \$SLURM_RESTART_COUNT >>$home/refused.ran; touch $home/refused.done"
    id=$out
    ended refused "n9: the prolog found a fault on this node: mlx5_4/1 DOWN .*; the batch script does not start"
    [[ $(<"$home/refused.ran") == 1 ]] || complain "it ran with SLURM_RESTART_COUNT $(<"$home/refused.ran")"
    completed "$id"
    as_root n9 test ! -e "/run/cluster-env/refused/$id" || complain "the file of job $id is left"
    usual_prolog n9
    verdict "a batch script that Slurm starts on a node whose prolog failed: it reports why and does not run, the job is requeued and runs, on that node too"

    refuse_next n9
    submit once "$home/once.out" -N1 -w n9 --no-requeue --cluster-env --wrap "touch $home/once.ran"
    id=$out
    wait_until 20 job_is_over "$id" || complain "job $id goes on"
    [[ ! -e $home/once.ran ]] || complain "it ran"
    [[ $(as_root head scontrol show job "$id") == *"JobState=FAILED"*"ExitCode=1:0"* ]] || complain "$(as_root head scontrol show job "$id")"
    [[ $(<"$home/once.out") == *"n9: the prolog found a fault"*"Slurm does not requeue the job"* ]] || complain "it printed: $(<"$home/once.out")"
    usual_prolog n9
    verdict "the same with --no-requeue: the job fails, its output contains why"

    refuse_next n9
    run as_user srun --cluster-env -N1 -w alpha touch "$home/het.alpha" : --cluster-env -N1 -w n9 touch "$home/het.n9"
    [[ $status -ne 0 && ! -e $home/het.n9 ]] || complain "status $status, $(ls "$home"/het.*)"
    [[ $err == *"n9: the prolog found a fault on this node: $down; start the job again; the step ends here"* ]] || complain "$err"
    usual_prolog n9
    verdict "a component of a heterogeneous job is refused by its own number"

    refuse_next n9
    run as_user srun -N1 -w n9 true
    quiet
    usual_prolog n9
    verdict "without --cluster-env no job is refused"
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
    wait_until 10 is_idle n9 || complain "n9 is $(state_of n9)"
    [[ $(as_root n9 ls -A -I recovery -I refused /run/cluster-env /run/cluster-env/jobs | tr '\n' ' ') == \
        "/run/cluster-env: hosts jobs node.facts node.policy  /run/cluster-env/jobs: " ]] ||
        complain "$(as_root n9 ls -lAR /run/cluster-env)"
    run as_root n9 cluster-env facts --facts /run/cluster-env/node.facts
    [[ $status -eq 0 ]] || complain "$err"
    verdict "eight jobs start on a node at once: all run, its texts are whole, nothing is left beside them"

    wait_until 10 is_idle n9 || complain "n9 is $(state_of n9)" # no epilog is under way
    link DOWN n9
    held_prolog n9
    started=()
    for k in 0 1; do
        as_user srun -N1 -w n9 --mem=1 touch "$home/at-once.ran" >"$state/at-once.$k" 2>&1 &
        started+=($!)
    done
    wait_until 5 slow_prologs 2 || complain "not two prologs at once"
    release_prologs
    for k in 0 1; do
        status=0
        wait "${started[k]}" || status=$?
        err=$(<"$state/at-once.$k")
        refused n9 "$home/at-once.ran"
    done
    drained_for n9 "$down"
    usual_prolog n9
    link UP n9
    resume n9
    verdict "two jobs start at once on a node with a fault: neither runs, one reason"

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

slow_prologs() { [[ $(as_root n9 pgrep -fc '^/bin/sh /run/libexec/cluster-prolog$') -eq $1 ]]; }

test_hostile() {
    local plain evil=$'%n%n%s $(touch /tmp/cluster-env-hostile) `id`\e[2J'
    run as_user env SLURM_SPANK_X="$evil" SLURM_SPANK_LD_PRELOAD=/nonexistent.so SLURM_SPANK_SLURMD_NODENAME=alpha \
        srun -N1 -w n9 --comment="$evil" -J "$evil" true
    [[ $status -eq 0 ]] || complain "status $status: $err"
    if [[ -e /tmp/cluster-env-hostile ]] || as_root n9 test -e /tmp/cluster-env-hostile; then complain "it was executed"; fi
    not_drained
    verdict "a job whose name, comment and SPANK_ variables are hostile runs"

    by_hand n9 cluster-prolog
    plain="$status $err"
    by_hand n9 cluster-prolog SPANK_LD_PRELOAD=/nonexistent.so SPANK_PATH=/tmp "SPANK_X=$evil" "SPANK_LONG=$(printf '%0100000d' 0)" \
        "SLURM_JOB_COMMENT=$evil" "SLURM_JOB_NAME=$evil" "SLURM_JOB_PARTITION=$evil" "SLURM_NODELIST=n[1-" "SLURM_JOB_USER=$evil"
    [[ "$status $err" == "$plain" && $status -eq 0 ]] || complain "with hostile variables: $status $err" "else: $plain"
    verdict "variables full of hostile text change nothing of what the prolog says and does"

    wait_until 20 is_idle n9 || complain "n9 is $(state_of n9)" # no epilog is under way
    link DOWN n9
    helper n9 slurm-node 'env >/run/helper.env; [ "$1" != drain ] || printf "%s|" "$@" >/run/helper.words; exit 0'
    by_hand n9 cluster-prolog SPANK_LD_PRELOAD=x SLURM_JOB_COMMENT="$evil" SLURM_JOB_NAME="$evil" SPANK_PATH=/tmp LD_DEBUG_OUTPUT=/tmp/x
    [[ $status -eq 1 ]] || complain "status $status: $err"
    [[ $(as_root n9 cat /run/helper.words) == "drain|n9|$down|10|24|" ]] || complain "$(as_root n9 cat /run/helper.words)"
    run as_root n9 sh -c 'grep -vE "^(SLURM_CONF|PWD|SHLVL|_|OLDPWD)=" /run/helper.env'
    [[ -z $out ]] || complain "the helper has: $out"
    by_hand n9 cluster-prolog SLURMD_NODENAME="../$evil" SLURM_JOB_ID="$evil"
    [[ $(as_root n9 cat /run/helper.words) == "drain|n9|$down|10|24|" ]] || complain "$(as_root n9 cat /run/helper.words)"
    [[ $err == "cluster-prolog: job 0: "* && $err != *$'\e'* ]] || complain "it said: $err"
    verdict "the helper gets nothing of the user's environment, and a name that is none is not used"
    put_back n9
    link UP n9
}

main() {
    [[ $# -eq 1 ]] || { echo "usage: test_prolog.sh SERIES" >&2; exit 2; }
    local groups=(healthy srun salloc batch array defer observe admin trouble reports killed driver away at_once hostile slow refused)
    local tests=39
    if [[ $1 == forky ]]; then
        groups+=(expedite)
        tests=$((tests + 2))
    fi
    plan $((tests + ${#groups[@]}))
    start_health "$1"
    run_groups "$1" "${groups[@]}"
    finish
}

main "$@"

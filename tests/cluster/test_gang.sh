#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_gang.sh SERIES: --cluster-env=gang, retries=N, output=primary and `cluster-env run`: steps and
# jobs that fail in every way, and what is then ended, requeued and shown.
# shellcheck disable=SC2016 # what stands in single quotes is for the tasks to expand
set -euo pipefail

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/product.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tasks.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/steps.sh"

our_lines() { grep -ac 'cluster-env: .*' <<<"$err" || true; }

# one_says REGEX: one line of ours, whichever node it is from
one_says() {
    [[ $(our_lines) -eq 1 && $err =~ cluster-env:\ $1 ]] || complain "said: $err"
}

# ended_with STATUS: the last step, whose tasks would have run two minutes
ended_with() { [[ $status -eq $1 ]] || complain "srun: status $status, expected $1: $err"; }

# All ranks but 2 wait for two minutes, longer than anybody waits for them here.
readonly others_wait='[[ $RANK == 2 ]] || exec sleep 120; '

# ---------------------------------------------------------------- gang

test_task() {
    run as_user srun -N4 --cluster-env=gang bash -c "$others_wait sleep 0.3; exit 3"
    ended_with 137
    one_says 'n10: rank 2 ended with status 3; gang: the whole step ends'
    verdict "a task ends with status 3: the whole step ends, one line tells of whom"
    run as_user srun -N4 --cluster-env=gang bash -c "$others_wait sleep 0.3; kill -KILL \$\$"
    ended_with 137
    one_says 'n10: rank 2 was ended by signal 9; gang: the whole step ends'
    verdict "a task is killed: the same"
    run as_user srun -N4 --ntasks-per-node=2 --cluster-env=gang bash -c "$others_wait sleep 0.3; kill -SEGV \$\$"
    ended_with 139
    one_says 'n9: rank 2 was ended by signal 11; gang: the whole step ends'
    verdict "a task crashes, two tasks a node: the same"
    run as_user srun -N4 --cluster-env=gang bash -c 'sleep 0.3; exit 7'
    [[ $status -eq 7 || $status -eq 137 ]] || complain "status $status"
    [[ $(our_lines) -ge 1 && $err == *"ended with status 7; gang: the whole step ends"* ]] || complain "said: $err"
    verdict "all tasks fail at once: the step ends; of the nodes mostly one says so"
}

test_no_failure() {
    run as_user srun -N4 --cluster-env=gang bash -c '[[ $RANK != 2 ]] || exit 0; sleep 1'
    quiet
    verdict "a task that ends with 0 does not end the step"
    # proctrack/cgroup would take a watcher that is left for a process of the step, and wait a second for its end
    # (init here collects what has ended when it likes)
    run as_user bash -c 'for try in 1 2 3 4 5; do srun -Q -N4 --ntasks-per-node=4 --cluster-env=gang true
        ! ps -C cluster-env -o stat= | grep -qv Z || { sleep 0.5; ps -C cluster-env -o stat= | grep -v Z; }; done; true'
    quiet
    verdict "when srun ends, those who watch its slurmstepds are gone"
    run as_user srun -N4 --cluster-env bash -c '[[ $RANK != 2 ]] || exit 3; sleep 1; : >ran.$RANK'
    ended_with 3
    [[ $(our_lines) -eq 0 && -e $home/ran.0 && -e $home/ran.1 && -e $home/ran.3 ]] || complain "$err"
    verdict "without gang the other tasks run on, and nothing is said"
}

# Each component of a heterogeneous job is a job of its own, and its part of the step ends by itself.
test_het() {
    local rank node
    for rank in 0:zeta1 1:n10; do
        node=${rank#*:} rank=${rank%:*}
        run as_user srun -Q --cluster-env=gang -w zeta1 bash -c "[[ \$RANK == $rank ]] || exec sleep 120; sleep 0.5; exit 3" : \
            -w n10 bash -c "[[ \$RANK == $rank ]] || exec sleep 120; sleep 0.5; exit 3" : \
            -w alpha,n9 bash -c "[[ \$RANK == $rank ]] || exec sleep 120; sleep 0.5; exit 3"
        ended_with 137
        one_says "$node: a task ended with status 3; gang: the whole step ends"
    done
    verdict "three components, a task of the first or of another fails: the step ends in all of them, one line tells where it began"
    run as_user salloc -Q -w zeta1 : -w n10 : -w alpha bash -c 'srun bash -c "until [[ -e gang.over ]]; do sleep 0.1; done; echo first lives" & sleep 1
        srun --het-group=1,2 --cluster-env=gang bash -c "[[ \$RANK == 1 ]] || exec sleep 120; sleep 0.5; exit 3"
        echo "status $?"; : >gang.over; wait'
    [[ $out == $'status 137\nfirst lives' ]] || complain "$status '$out'"
    one_says "alpha: a task ended with status 3; gang: the whole step ends"
    verdict "a step of two of three components: it ends in both, and a step of the third runs on"
    run as_user salloc -Q -N3 -w zeta1,n9,alpha srun --cluster-env=gang \
        -w alpha bash -c '[[ $RANK == 2 ]] || exec sleep 120' : -w zeta1,n9 bash -c '[[ $RANK == 2 ]] || exec sleep 120; sleep 0.5; exit 3'
    ended_with 137
    # 26.05 claims nothing of such a step: the others say it, too
    [[ $err == *"cluster-env: zeta1: a task ended with status 3; gang: the whole step ends"* ]] || complain "said: $err"
    verdict "components in one ordinary job: the step ends in all of them"
}

# says_of ROW WANTED_STATUS REGEX: of the last step; REGEX "": nothing of ours; "...": on more nodes than one, maybe
says_of() {
    [[ $status -eq $2 ]] || complain "$1: status $status, expected $2: $err"
    case $3 in
        '') [[ $(our_lines) -eq 0 ]] || complain "$1: said: $err" ;;
        *...) [[ $err =~ cluster-env:\ ${3%...} ]] || complain "$1: said: $err" ;;
        *) one_says "$3" ;;
    esac
}

readonly the_step_ends='; gang: the whole step ends'

test_primary_result() {
    primary() { run as_user srun -N4 --cluster-env=gang cluster-env run --primary-result -- bash -c "$4"; says_of "${@:1:3}"; }
    primary "another rank's status" 0 '' '[[ $RANK == 2 ]] || exec sleep 1; exit 5'
    [[ $err == *"cluster-env run: rank 2 ended with status 5; the result is rank 0's"* ]] || complain "said: $err"
    primary "another rank is killed" 137 "n10: rank 2 was ended by signal 9$the_step_ends" "$others_wait sleep 0.3; kill -KILL \$\$"
    primary "another rank is told to end" 143 "n10: rank 2 was ended by signal 15$the_step_ends" "$others_wait sleep 0.3; kill -TERM \$\$"
    primary "rank 0 ends well before the others" 0 '' '[[ $RANK == 0 ]] || exec sleep 1'
    primary "rank 0 fails" 137 "alpha: rank 0 ended with status 6$the_step_ends" '[[ $RANK == 0 ]] || exec sleep 120; sleep 0.3; exit 6'
    verdict "gang and cluster-env run --primary-result: ranks that end with a status, by a signal, before the others"
}

# signalled ROW STATUS REGEX COMMAND SCANCEL_ARGUMENT...: four ranks that run COMMAND are told; JOB is their job
signalled() {
    local job rank
    rm -f "$home"/in.*
    as_user srun -N4 --cluster-env=gang bash -c ": >in.\$RANK; $4" >"$state/out" 2>"$state/err" &
    for rank in 0 1 2 3; do wait_until 10 test -e "$home/in.$rank" || complain "$1: rank $rank does not run"; done
    job=$(as_user squeue -h -t running -o %i)
    set -- "${@//JOB/$job}"
    as_user scancel "${@:5}"
    wait "$!" && status=0 || status=$?
    err=$(<"$state/err")
    says_of "${@:1:3}"
}

# docs/user.md: what Slurm takes for the end of the job is none of the gang's, all else is.
test_scancel() {
    local taken='trap "exit 0" USR1; while :; do sleep 0.1; done'
    signalled "the job" 143 '' 'exec sleep 120' JOB
    signalled "the job, by SIGKILL" 143 '' 'exec sleep 120' -s KILL JOB
    signalled "a signal that is taken" 0 '' "$taken" -s USR1 JOB
    signalled "a signal to the step that is taken" 0 '' "$taken" -s USR1 JOB.0
    verdict "scancel JOB, scancel -s of a signal that the tasks take: nothing is said of a gang"
    signalled "the step" 137 "[a-z0-9]*: rank . was ended by signal 9$the_step_ends..." 'exec sleep 120' JOB.0
    signalled "an end that the job survives" 143 "[a-z0-9]*: rank . was ended by signal 15$the_step_ends..." 'exec sleep 120' -s TERM JOB
    signalled "a signal that is not taken" 138 "[a-z0-9]*: rank . was ended by signal 10$the_step_ends..." 'exec sleep 120' -s USR1 JOB
    verdict "scancel JOB.STEP, scancel -s of a signal that the tasks die of: counts as a failure"
}

# stepd_of NODE: the process of the one step there
stepd_of() {
    as_root "$1" bash -c 'for pid in $(pgrep -x slurmstepd); do
            [[ $(nsenter -t "$pid" -u hostname 2>/dev/null) != "$0" ]] || echo "$pid"; done' "$1"
}

# A task that writes dies of the pipe that a killed slurmstepd closes before it has ended itself.
test_talker() {
    local rank
    rm -f "$home"/in.*
    # shellcheck disable=SC2016 # for the tasks to expand
    as_user srun -N4 --cluster-env=gang bash -c ': >in.$RANK
        [[ $SLURMD_NODENAME == n9 ]] || exec sleep 120
        while :; do echo busy; done' >/dev/null 2>"$state/err" &
    for rank in 0 1 2 3; do wait_until 20 test -e "$home/in.$rank" || complain "rank $rank does not run"; done
    as_root n9 kill -KILL "$(stepd_of n9)" || complain "no slurmstepd"
    wait "$!" && status=0 || status=$?
    [[ $status -eq 137 ]] || complain "status $status: $(<"$state/err")"
    verdict "the same where its rank writes all the time"
}

still_there() { # of the workers of n9, whose pids, those of the nodes' process table, are in files
    # shellcheck disable=SC2046 # a list of words
    as_root n9 bash -c 'for pid; do kill -0 "$pid" 2>/dev/null && exit 0; done; exit 1' still $(cat "$home"/worker.n9.*)
}
workers_ended() { ! still_there; }

# Ranks that talk to nobody, so that none of them sees that one is gone; nor does Slurm. Launchers, as torchrun, have
# workers in sessions of their own, which they end when they are told to: some at once, some with a word before.
test_stepd() {
    local stepd start rank
    rm -f "$home"/in.* "$home"/worker.*
    # shellcheck disable=SC2016 # for the tasks to expand
    as_user srun -N4 --ntasks-per-node=2 --cluster-env=gang bash -c 'sleep 120 & setsid sleep 120 & worker=$!
        trap "(( RANK % 2 == 0 )) || { trap \"\" TERM; sleep 1; }; kill $worker; exit 1" TERM; echo $worker >worker.$SLURMD_NODENAME.$RANK; : >in.$RANK; wait' >"$state/out" 2>"$state/err" &
    for rank in 0 1 2 3 4 5 6 7; do wait_until 20 test -e "$home/in.$rank" || complain "rank $rank does not run"; done
    stepd=$(stepd_of n9)
    start=$SECONDS
    as_root n9 kill -KILL "$stepd" || complain "slurmstepd of n9: '$stepd'"
    wait "$!" && status=0 || status=$?
    err=$(<"$state/err")
    diag "ended after $((SECONDS - start)) s with status $status"
    [[ $status -ne 0 && $err == *"rank "*" "*"$the_step_ends"* ]] || complain "status $status: $err"
    [[ $(cat "$home"/worker.n9.* | wc -l) -eq 2 ]] || complain "no workers on n9"
    wait_until 10 workers_ended || complain "workers are left on n9"
    verdict "kill -9 of a slurmstepd, ranks that do not talk: its tasks and their workers go with it, and the whole step ends"
    test_talker
    [[ $1 != forky ]] || test_only_stepd # Slurm's own doing, seen alike on all three
}

# srun would say 0 of it, so nobody ends it.
test_only_stepd() {
    local job
    rm -f "$home"/in.*
    as_user srun -N1 -w n9 -n2 --cluster-env=gang bash -c ': >in.$RANK; exec sleep 120' >"$state/out" 2>"$state/err" &
    wait_until 20 test -e "$home/in.0" -a -e "$home/in.1" || complain "the tasks do not run"
    job=$(as_user squeue -h -t running -o %i)
    as_root n9 kill -KILL "$(stepd_of n9)" || complain "no slurmstepd"
    wait_until 10 no_sleep || complain "the tasks run on"
    sleep 1
    [[ $(as_user squeue -h -s -o %i) == "$job.0" ]] || complain "the step is over: $(<"$state/err")"
    as_user scancel "$job.0"
    wait "$!" || true
    verdict "kill -9 of the only slurmstepd of a step: its tasks go with it, and srun waits for scancel JOB.STEP"
}
no_sleep() { [[ -z $(as_root head pgrep -u demo -x sleep) ]]; }

# ---------------------------------------------------------------- retries

# failing NAME SBATCH_ARGUMENT... : writes its count of restarts to $home/NAME.runs in each run
job_of() { run as_user sbatch --parsable --open-mode=append -o "$1.out" "${@:2}"; [[ $status -eq 0 && -z $err ]] || complain "sbatch $1: $err"; }

runs_of() { tr '\n' ' ' <"$home/$1.runs" 2>/dev/null || true; }

job_state() { as_user scontrol -o show job "$1" 2>&1 | sed -n 's/.*JobState=\([A-Z_]*\).* Restarts=\([0-9]*\).*/\1 \2/p'; }
is_state() { [[ $(job_state "$1") == "$2" ]]; }
wait_for_state() { wait_until 60 is_state "$1" "$2" || complain "job $1: $(job_state "$1"), expected $2"; }

readonly count_run='echo "${SLURM_RESTART_COUNT-none}" >>NAME.runs; '

test_retries() {
    local -A id=()
    script() { echo "${count_run/NAME/$1}$2"; }
    job_of twice -N2 --cluster-env=gang,retries=3 --wrap "$(script twice 'srun bash -c "[[ \$RANK == 0 ]] || (( \${SLURM_RESTART_COUNT-0} >= 2 )) || exit 3; (( \${SLURM_RESTART_COUNT-0} >= 2 )) || exec sleep 120"')"
    id[twice]=$out
    job_of always -N1 --cluster-env=retries=1 --wrap "$(script always 'exit 5')"
    id[always]=$out
    job_of outer -N1 --cluster-env=retries=2 --wrap "$(script outer 'sbatch -o inner.out --wrap "echo \$SLURM_JOB_ID >inner.id; exit 6"; srun false; exit 0')"
    id[outer]=$out
    job_of kept -N1 --no-requeue --cluster-env=retries=2 --wrap "$(script kept 'exit 5')"
    id[kept]=$out
    job_of cancelled -N1 --cluster-env=gang,retries=2 --wrap "$(script cancelled 'srun bash -c ": >cancel.me; exec sleep 120"')"
    id[cancelled]=$out
    job_of killed -N1 --cluster-env=retries=1 --wrap "$(script killed '[ -n "$SLURM_RESTART_COUNT" ] || kill -KILL $$')"
    id[killed]=$out
    job_of told -N1 --cluster-env=retries=1 --wrap "$(script told '[ -n "$SLURM_RESTART_COUNT" ] || { : >tell.me; exec sleep 120; }')"
    id[told]=$out
    wait_until 20 test -e "$home/cancel.me" -a -e "$home/tell.me" || complain "the jobs to cancel do not run"
    as_user scancel "${id[cancelled]}"
    as_user scancel -b -s TERM "${id[told]}"
    wait_for_state "${id[cancelled]}" "CANCELLED 0"
    [[ $(<"$home/cancelled.out") != *requeue* ]] || complain "$(<"$home/cancelled.out")"
    verdict "retries=2, and the user's own scancel: not requeued"
    wait_for_state "${id[kept]}" "FAILED 0"
    [[ $(<"$home/kept.out") == *"Slurm does not requeue the job: "* ]] || complain "$(<"$home/kept.out")"
    verdict "retries=2 with --no-requeue: not requeued, and the job's output says so"
    wait_for_state "${id[outer]}" "COMPLETED 0"
    wait_until 20 test -s "$home/inner.id" || complain "no job from inside"
    wait_for_state "$(<"$home/inner.id")" "FAILED 0"
    verdict "retries=2 and status 0: not requeued; nor is a job that it submits and that fails"
    wait_for_state "${id[always]}" "FAILED 1"
    [[ $(runs_of always) == "none 1 " ]] || complain "runs: $(runs_of always)"
    [[ $(<"$home/always.out") == *"retry 1 of 1"*"retries=1 are used up"* ]] || complain "$(<"$home/always.out")"
    verdict "retries=1, always failing: run twice, and the output of both runs is there"
    wait_for_state "${id[killed]}" "COMPLETED 1"
    wait_for_state "${id[told]}" "COMPLETED 1"
    [[ $(<"$home/killed.out") == *"was ended by signal 9; "*"retry 1 of 1"* && $(<"$home/told.out") == *"was ended by signal 15; "* ]] ||
        complain "$(<"$home/killed.out")" "$(<"$home/told.out")"
    verdict "retries=1, a batch script that is killed, and one that scancel -b -s TERM ends: run twice"
    wait_for_state "${id[twice]}" "COMPLETED 2"
    [[ $(runs_of twice) == "none 1 2 " ]] || complain "runs: $(runs_of twice)"
    verdict "gang,retries=3, a rank that fails twice: the job comes back twice and knows it, then it is done"
}

# The last task to start has the array's own number.
test_array() {
    job_of array -N1 --array=0-3 --cluster-env=retries=1 --wrap 'echo "$SLURM_ARRAY_TASK_ID" >>array.runs; [ $SLURM_ARRAY_TASK_ID != 3 ]'
    wait_for_state "${out}_3" "FAILED 1"
    [[ $(sort "$home/array.runs" | tr '\n' ' ') == "0 1 2 3 3 " ]] || complain "runs: $(runs_of array)"
    verdict "retries=1 of an array, of which one task fails: that one runs twice, the others once"
}

# seconds_until_start JOB: from now on, as Slurm plans it
seconds_until_start() { echo $(($(date -d "$(as_user scontrol -o show job "$1" | grep -oP ' EligibleTime=\K\S+')" +%s) - $(date +%s))); }

# docs/prolog.md, "When a requeued job starts again". Slurm 25.11 and later.
test_expedite() {
    local id
    run as_user sbatch --requeue=expedite --wrap true
    [[ $status -ne 0 && $err == *"Requested operation not supported on this system"* ]] || complain "$status: $err"
    verdict "sbatch --requeue=expedite is refused, unless slurm.conf allows it"
    expedite 1000 # longer than this test waits for anything
    job_of delayed -N1 --cluster-env=retries=1 --wrap "${count_run/NAME/delayed}exit 5"
    id=$out
    wait_for_state "$id" "PENDING 1"
    [[ $(seconds_until_start "$id") -gt 500 ]] || complain "starts in $(seconds_until_start "$id") s"
    as_user scancel "$id"
    verdict "requeue_delay=1000, cred_expire=5: a retry waits 1000 s"
    job_of used -N1 --requeue=expedite --cluster-env=retries=2 --wrap "${count_run/NAME/used}exit 5"
    id=$out
    wait_for_state "$id" "REQUEUE_HOLD 3"
    [[ $(runs_of used) == "none 1 2 " ]] || complain "runs: $(runs_of used)"
    [[ $(<"$home/used.out") == *"retry 1 of 2"*"retry 2 of 2"*"retries=2 are used up"*"cluster-env: --requeue=expedite: Slurm now holds job $id ('scontrol release $id' "* &&
        $(grep -c 'Slurm now holds' "$home/used.out") -eq 1 ]] || complain "$(<"$home/used.out")"
    verdict "retries=2 with --requeue=expedite, always failing: three runs, without a delay; then Slurm holds the job, and its output says so"
    as_user scontrol release "$id" || complain "not released"
    wait_for_state "$id" "REQUEUE_HOLD 4"
    [[ $(runs_of used) == "none 1 2 3 " ]] || complain "runs: $(runs_of used)"
    as_user scancel "$id"
    wait_for_state "$id" "CANCELLED 4"
    verdict "its user releases it: one run more, and it is held again; scancel ends it"
    job_of better -N4 --requeue=expedite --cluster-env=gang,retries=2 \
        --wrap "${count_run/NAME/better}srun bash -c '[[ \$RANK == 2 ]] || [[ -n \$SLURM_RESTART_COUNT ]] || exec sleep 120; [[ -n \$SLURM_RESTART_COUNT ]]'"
    wait_for_state "$out" "COMPLETED 1"
    [[ $(runs_of better) == "none 1 " ]] || complain "runs: $(runs_of better)"
    verdict "gang,retries=2 with --requeue=expedite, a rank that fails once: two runs, without a delay"
    job_of never -N1 --requeue=expedite --no-requeue --cluster-env=retries=2 --wrap "exit 5"
    wait_for_state "$out" "FAILED 0"
    [[ $(<"$home/never.out") == *"Slurm does not requeue the job: "* ]] || complain "$(<"$home/never.out")"
    verdict "--no-requeue after --requeue=expedite: not requeued, and the job's output says so"
    usual_requeue
}

test_submission() {
    run as_user sbatch --parsable --cluster-env=retries=1 -o s.out --wrap true
    [[ $status -eq 0 && $out =~ ^[0-9]+$ && $(our_lines) -eq 1 && $err == *"add --open-mode=append"* ]] || complain "$out / $err"
    printf '#!/bin/sh\n#SBATCH --open-mode=append --cluster-env=retries=1\n' >"$home/append.sh"
    run as_user sbatch --parsable -o s.out append.sh
    [[ $status -eq 0 && -z $err ]] || complain "$err"
    verdict "sbatch says that a retry overwrites the output, and is quiet with --open-mode=append in the script"
    run as_user sbatch --cluster-env=output=primary --wrap true
    [[ $status -ne 0 && $err == *"output=primary is for one srun"* ]] || complain "$status: $err"
    run as_user salloc --cluster-env=retries=1 true
    [[ $status -ne 0 && $err == *"retries=1 is for batch jobs"* ]] || complain "$status: $err"
    verdict "output=primary for sbatch, retries for salloc: refused, with the command where they belong"
    wait_until 20 is_calm || complain "$(look_around)"
}

# ---------------------------------------------------------------- output

test_output() {
    run as_user bash -c 'umask 027; srun -N4 --cluster-env=output=primary bash -c "echo out \$RANK; echo err \$RANK >&2"'
    [[ $status -eq 0 && $out == "out 0" && $err == "err 0" ]] || complain "$status '$out' '$err'"
    local logs rank
    logs=$(find "$home" -name 'cluster-env-*.0' -printf '%f\n')
    [[ $logs == cluster-env-*.0 && $(wc -l <<<"$logs") -eq 1 ]] || complain "folders: $logs"
    logs=$home/$logs
    for rank in 1 2 3; do
        [[ $(<"$logs/$rank.log") == $'out '$rank$'\nerr '$rank ]] || complain "$rank.log: $(<"$logs/$rank.log")"
        [[ $(stat -c %a:%u "$logs/$rank.log") == "640:$(stat -c %u "$home")" ]] || complain "$(stat "$logs/$rank.log")"
    done
    [[ ! -e $logs/0.log ]] || complain "there is a 0.log"
    verdict "output=primary: rank 0's output only; the others' in files of the user's, by the user's umask"
    run as_user srun -N4 --cluster-env=output=primary,gang bash -c "$others_wait seq 40; sleep 0.3; printf 'Traceback of %s' \$RANK >&2; exit 3"
    ended_with 137
    [[ $err == *"rank 2 ended with status 3; gang: the whole step ends; the end of cluster-env-"*"/2.log:"*"rank 2: 40"*"rank 2: Traceback of 2"* &&
        $err != *"rank 2: 31"$'\n'* && $(our_lines) -eq 11 ]] || complain "$err"
    verdict "a rank fails: the last ten lines of its file are shown, and no other's"
    as_user mkdir -m 0555 closed
    run as_user bash -c 'cd closed; srun -N2 --cluster-env=output=primary bash -c "echo \$RANK"'
    [[ $status -eq 0 && $(sort <<<"$out") == $'0\n1' ]] || complain "$status '$out'"
    one_says 'n9: rank 1: cannot make .*Permission denied; its output stays with that of rank 0'
    verdict "a directory where the user may not write: said once, and the output stays where it was"
}

# ---------------------------------------------------------------- cluster-env run

test_run() {
    run as_user srun -N2 --cluster-env cluster-env run --dry-run torchrun 'a b.py'
    [[ $(sort <<<"$out") == "$(for k in 0 1; do printf '%s\n' "torchrun --nnodes=2 --node_rank=$k --nproc_per_node=1 --master_addr=10.20.0.14 --master_port=$(sed -n 's/.*port=\([0-9]*\).*/\1/p' <<<"$out" | head -n 1) 'a b.py'"; done)" ]] ||
        complain "$out / $err"
    verdict "cluster-env run --dry-run torchrun: each node's command, as a shell would read it"
    as_user bash -c 'printf "#!/bin/sh\nfor word; do case \$word in --hostfile=*) cat \${word#*=};; esac; done\n" >deepspeed; chmod 755 deepspeed'
    run as_user srun -N2 --cluster-env cluster-env run ./deepspeed x.py
    [[ $status -eq 0 && $(sort -u <<<"$out") == $'alpha slots=1\nn9 slots=1' ]] || complain "$out / $err"
    verdict "cluster-env run deepspeed: its host file is there to be read"
    run as_user srun -N1 --cluster-env cluster-env run bash -c 'kill -TERM $$'
    ended_with 143
    run as_user srun -N2 --cluster-env cluster-env run -- bash -c 'exit $((RANK * 5))'
    ended_with 5
    verdict "cluster-env run: status and signal are the command's"
    run as_user srun -N2 --cluster-env=gang cluster-env run --primary-result -- bash -c 'exit $((RANK * 5))'
    ended_with 0
    [[ $err == *"cluster-env run: rank 1 ended with status 5; the result is rank 0's"* ]] || complain "$err"
    run as_user srun -N2 --cluster-env env --ignore-signal=CHLD cluster-env run --primary-result -- bash -c 'exit $((RANK * 5))'
    ended_with 0
    run as_user srun -N2 --cluster-env cluster-env run --primary-result -- bash -c 'exit $((RANK ? 0 : 6))'
    ended_with 6
    verdict "cluster-env run --primary-result: rank 0's status is the step's"
}

# ---------------------------------------------------------------- a node

# Slurm ends the job itself, once it counts the node as down; retries=N counts these runs too. In a cluster of its
# own, for a slurmctld that counts on short answers takes a busy node for a dead one. On forky only: it is Slurm's own
# doing, seen alike on all three.
test_node() {
    run as_user sbatch --parsable --requeue --open-mode=append -N2 -w n9,alpha -o node.out --cluster-env=gang,retries=2 \
        --wrap 'echo "run ${SLURM_RESTART_COUNT-none}" >>node.runs; [ -n "$SLURM_RESTART_COUNT" ] || srun bash -c ": >node.\$RANK; exec sleep 120"'
    local job=$out
    wait_until 20 test -e "$home/node.0" -a -e "$home/node.1" || complain "the job does not run"
    as_root n9 bash -c 'kill -KILL "$(cat "$0")"' "$state/pid/n9"
    wait_until 90 is_down n9 || complain "n9 is not down: $(as_user sinfo -N)"
    "$cluster" restart "$state" n9 >/dev/null
    daemons=$(daemon_pids)
    as_root head scontrol update nodename=n9 state=resume >/dev/null 2>&1 || true
    wait_for_state "$job" "COMPLETED 1"
    [[ $(runs_of node) == "run none run 1 " ]] || complain "runs: $(runs_of node)"
    verdict "kill -9 of a slurmd: Slurm counts the node as down, ends the job everywhere and requeues it"
}
is_down() { [[ $(as_user sinfo -h -n "$1" -o %T) == down* ]]; }

main() {
    [[ $# -eq 1 ]] || { echo "usage: test_gang.sh SERIES" >&2; exit 2; }
    local groups=(task het no_failure scancel stepd retries array submission output run) tests=30
    scheduler=,sched_interval=1,sched_min_interval=0
    if [[ $1 == forky ]]; then
        groups+=(primary_result expedite)
        tests=$((tests + 10)) # these, test_only_stepd, and test_node with its peace
    fi
    plan $((tests + ${#groups[@]}))
    if [[ ${CASES-} != node ]]; then
        start_product "$1" --cred-expire 5
        run_groups "$1" "${groups[@]}"
        end_product
        state=''
    fi
    if [[ ${CASES-} == node || ( -z ${CASES-} && $1 == forky ) ]]; then
        start_product "$1" --cred-expire 5 --slurm-conf SlurmdTimeout=15
        run_groups "$1" node
    fi
    finish
}

main "$@"

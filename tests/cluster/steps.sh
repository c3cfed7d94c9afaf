# shellcheck shell=bash disable=SC2154 # what it uses is set where it is sourced
# SPDX-License-Identifier: Apache-2.0
#
# Steps and jobs as the user starts them, for tests that source this after product.sh and tasks.sh.

# shellcheck disable=SC2034 # used where this is sourced
readonly in_order=(alpha n9 n10 zeta1) # Slurm's order of the nodes

# step NAME SRUN_OPTION...: tasks write $home/NAME.<rank>
step() { run as_user srun "${@:2}" "$jobs/seen.sh" "$home/$1"; }

# job NAME SCRIPT SBATCH_OPTION...: submits it and waits for its end (sbatch --wait looks too rarely)
job() {
    submit "$1" "$home/$1.out" "${@:3}" "$jobs/$2" "$jobs" "$home/$1"
    ended "$1"
}

# submit NAME OUTPUT SBATCH_ARGUMENT...: the job's id is in $out
submit() {
    run as_user sbatch --parsable -o "$2" "${@:3}"
    [[ $status -eq 0 && $out =~ ^[0-9]+$ && -z $err ]] || complain "sbatch $1: $status '$out' '$err'"
}

# ended NAME [PRINTED]: the job made $home/NAME.done; its output is empty, or matches PRINTED
ended() {
    local printed
    if ! wait_until 60 test -e "$home/$1.done"; then
        complain "the job $1 did not end" "$(as_user scontrol show job 2>&1)"
    fi
    # Slurm tells of steps that had to wait for the one before
    printed=$(head -c 4000 "$home/$1.out" 2>&1 | grep -avE "$waits") || true
    [[ $printed =~ ${2:-^$} ]] || complain "the job $1 printed: $printed"
}

# The last command worked, and nobody printed a word.
quiet() {
    [[ $status -eq 0 && -z $out && -z $err ]] || complain "status $status, stdout '$out', stderr '$err'"
}

# The last command worked, and standard error is one line that matches.
one_line() {
    [[ $status -eq 0 ]] || complain "exit status $status"
    [[ $(grep -c '' <<<"$err") -eq 1 && $err =~ $1 ]] || complain "expected one line '$1' on stderr: $err"
}

port_of() { load_one "$1" "${2:-0}"; value "${2:-0}" PRIMARY_PORT; }

# different_ports FILE...: of rank 0 in each
different_ports() {
    local file ports=()
    for file in "$@"; do ports+=("$(port_of "$file")"); done
    [[ $(printf '%s\n' "${ports[@]}" | sort -u | wc -l) -eq $# ]] || complain "ports ${ports[*]}"
}

# ended_by_refusal REGEX SRUN_OPTION...: tasks that would run 40 s end at once on all nodes, one
# line of ours tells why. The time counts from the command on, so the best of three tries is taken:
# this machine may be busy.
ended_by_refusal() {
    local try start took=0 least=99999
    for try in 1 2 3; do
        start=${EPOCHREALTIME/./}
        run as_user srun -N4 "${@:2}" "$jobs/hold.sh" "$home/refusal"
        took=$(((${EPOCHREALTIME/./} - start) / 1000))
        [[ $took -ge $least ]] || least=$took
        [[ $least -ge 2000 ]] || break
    done
    diag "tries: $try, ended after $least ms, status $status"
    [[ $least -lt 2000 ]] || complain "ended after $least ms"
    [[ $status -ne 0 ]] || complain "exit status 0"
    [[ $(grep -ac 'cluster-env: .*; the step ends here' <<<"$err") -eq 1 && $err =~ cluster-env:\ $1 ]] ||
        complain "said: $err"
}

# shell_on_first_node NAME: jobs/shell.sh as somebody types it in salloc's shell on the job's first node,
# where Slurm is told to put it
# shellcheck disable=SC2016 # Slurm expands it
readonly shell_on_node=(--slurm-conf LaunchParameters=use_interactive_step
    --slurm-conf 'InteractiveStepOptions="--interactive --preserve-env $SHELL"')
shell_on_first_node() {
    echo "exec '$jobs/shell.sh' '$jobs' '$home/$1'" |
        within 60 "$cluster" on "$state" head --user demo --cwd "$home" -- salloc -Q -N4 --cluster-env
}

# want_hosts HOST...: these are the nodes of the last check_step, in the order of its ranks
want_hosts() { [[ ${hosts[*]} == "$*" ]] || complain "ranks are on ${hosts[*]}, expected $*"; }

# Everything of ours is absent in the loaded task or script NAME.
want_nothing() {
    want_unset "$1" "${task_names[@]}" "${torchrun_names[@]}" "${node_names[@]}" NUM_NODES PRIMARY_ADDR MASTER_ADDR \
        MASTER_PORT NUM_TRAINERS CLUSTER_IPS CLUSTER_NODES NCCL_SOCKET_IFNAME GLOO_SOCKET_IFNAME CLUSTER_ENV_STEP
}

# run_groups SERIES GROUP...: test_GROUP for each, or for those in CASES; then peace must be again.
run_groups() {
    local group
    # shellcheck disable=SC2086 # a list of words
    for group in ${CASES:-${@:2}}; do
        SECONDS=0
        "test_$group" "$1"
        [[ ${#wrong[@]} -eq 0 ]] || verdict "the end of ${group//_/ }" # not planned, and not the next group's
        calm "after ${group//_/ }"
        diag "$group: $SECONDS s"
    done
}

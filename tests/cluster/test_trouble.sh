#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_trouble.sh SERIES: hostile input, broken texts, a stale book, what kills others; after every
# group the cluster must be as before.
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

readonly texts=/run/cluster-env
readonly remedy="run 'cluster-env facts --write' as root on this node"
readonly option_variable=SLURM_SPANK__SLURM_SPANK_OPTION_cluster_env_cluster_env

our_lines() { grep -ac 'cluster-env: ' <<<"$err" || true; }

# ---------------------------------------------------------------- the option

hostile_values=(bogus 'on,bogus' 'on,' ',' 'ON' 'port=' 'port=0' 'port=65536' 'port=-1' 'port=1e3' 'port=4242;id'
    'torchrun=maybe' 'verbose=1' '$(touch owned)' '`touch owned`' '; touch owned' '%n%n%s%s' 'n[1-[2-3]]' '../../etc/passwd'
    $'on\nRANK=1' $'\e[31mred' $'\x01\x7f' $'\xff\xfe' ' on' '=' '--')

long_value() { head -c "$1" /dev/zero | tr '\0' x; }

# refused COMMAND...: the hostile value is refused with the valid items, in one line that holds
# neither control characters nor an endless value.
refused() {
    local line
    run as_user "$@"
    [[ $status -ne 0 && -z $out ]] || complain "status $status, stdout '$out'"
    line=$(grep -a 'cluster-env: ' <<<"$err") || true
    [[ $line == *"valid are: on, off, port=N"* && $(wc -l <<<"$line") -eq 1 ]] || complain "said: $line"
    [[ ${#line} -lt 400 && ! $line =~ [[:cntrl:]] ]] || complain "line of ${#line} bytes: $(cat -v <<<"$line")"
}

test_option() {
    local value command
    hostile_values+=("$(long_value 1000)" "$(long_value 130000)")
    for command in srun sbatch salloc; do
        local arguments=("$command")
        [[ $command != sbatch ]] || arguments+=(--parsable)
        for value in "${hostile_values[@]}"; do
            refused "${arguments[@]}" -N1 "--cluster-env=$value" "$jobs/small.sh"
        done
        verdict "$command refuses ${#hostile_values[@]} hostile values of --cluster-env, each in one clean line with the valid items"
    done
    refused env "$option_variable=bogus" srun -N1 true
    verdict "a bad value inherited from a job's environment is refused as well"
    run as_user scontrol -o show jobs
    like "$out" "No jobs" "nothing of that was submitted"
    [[ ! -e $home/owned ]] || complain "a value was executed"
    verdict "nothing of that was executed"
}

# ---------------------------------------------------------------- texts

readonly restore='rm -rf /run/cluster-env/*; cp -a /run/saved/. /run/cluster-env/'

break_text() { # break_text FAULT FILE: this, and no other, is broken on all nodes
    local change
    case $1 in
        missing) change='rm "$0"' ;;
        empty) change=': >"$0"' ;;
        "cut in a line") change='truncate -s -$(($(stat -c %s "$0") / 2)) "$0"' ;;
        "cut after a line") change='sed -i \$d "$0"' ;;
        garbage) change='head -c 2000 /dev/urandom >"$0"' ;;
        "mode 0600") change='chmod 0600 "$0"' ;;
        world-writable) change='chmod 0666 "$0"' ;;
        "of another user") change='chown 1 "$0"' ;;
        "a folder") change='rm "$0"; mkdir "$0"' ;;
        "a pipe") change='rm "$0"; mkfifo "$0"' ;;
    esac
    on_all_nodes bash -c "$restore; $change" "$texts/$2"
}

restore_texts() { on_all_nodes bash -c "$restore"; }

# What does not come from a text is right in all tasks, and they agree on the primary.
check_without_texts() { # check_without_texts FILE
    local rank primary tasks=4
    load "$1" 4
    find_hosts
    primary=$(value 0 PRIMARY_ADDR)
    [[ $primary == "${hosts[0]}" || $primary == "${ips_of[${hosts[0]}]}" ]] || complain "PRIMARY_ADDR=$primary"
    for ((rank = 0; rank < 4; rank++)); do
        check_task "$rank" 0 1 "$rank"
        want "$rank" NUM_NODES 4
        want "$rank" NODE_RANK "$rank"
        want "$rank" PRIMARY_ADDR "$primary"
        want "$rank" PRIMARY_PORT "$(value 0 PRIMARY_PORT)"
        want "$rank" CLUSTER_NODES alpha,n9,n10,zeta1
    done
}

# The faults of reading are the same for all three; those of the form are each text's own.
readonly form_faults=(missing "cut in a line" "cut after a line")
readonly read_faults=("mode 0600" world-writable)
readonly more_faults=(empty garbage "of another user" "a folder" "a pipe")

broken() { # broken FILE FAULT...
    local fault out_file
    for fault in "${@:2}"; do
        out_file=$home/$1.${fault// /-}
        break_text "$fault" "$1"
        run as_user srun -N4 --cluster-env "$jobs/seen.sh" "$out_file"
        one_line "cluster-env: alpha: $texts/$1.*; $remedy"
        [[ ! $err =~ [[:cntrl:]] ]] || complain "unclean line: $(cat -v <<<"$err")"
        check_without_texts "$out_file"
        verdict "$1 $fault: one line from rank 0 names file and remedy; the job runs with what is known"
    done
}

test_texts() {
    broken node.facts "${form_faults[@]}" "${read_faults[@]}" "${more_faults[@]}"
    broken node.policy "${form_faults[@]}" "${read_faults[@]}"
    broken hosts "${form_faults[@]}" "${read_faults[@]}"
    restore_texts
    plugstack_arguments run=/run/absent
    run as_user srun -N4 --cluster-env "$jobs/seen.sh" "$home/absent"
    plugstack_arguments
    one_line "cluster-env: alpha: /run/absent: .*; $remedy"
    check_without_texts "$home/absent"
    verdict "the whole run directory missing: one line from rank 0 names it and the remedy; the job runs with what is known"
}

test_one_node() {
    as_root n10 rm "$texts/node.facts"
    run as_user srun -N4 --cluster-env "$jobs/seen.sh" "$home/one-node"
    quiet
    check_without_texts "$home/one-node"
    for ((rank = 0; rank < 4; rank++)); do want "$rank" PRIMARY_ADDR "${ips_of[alpha]}"; done
    verdict "node.facts missing on one other node: the primary is the same for all"
    run as_user srun -N4 --cluster-env=verbose true
    [[ $err == *"cluster-env: n10: $texts/node.facts: "*"$remedy"* ]] || complain "$err"
    verdict "and --cluster-env=verbose tells of it from that node"
    restore_texts
}

# ---------------------------------------------------------------- a refusal

on_book() { on_all_nodes sed -i "$1" "$texts/hosts"; }

test_stale_book() {
    local stale="alpha: the address book is stale: it gives 10.20.0.99 for alpha"
    on_book 's/^10.20.0.14 /10.20.0.99 /'
    ended_by_refusal "$stale" --cluster-env
    verdict "the primary does not own the address of the book: the step ends within 2 s, one line names the book"
    ended_by_refusal "$stale" --ntasks-per-node=4 --cluster-env
    verdict "the same with four tasks a node: still one line"
    submit stale "$home/stale.out" -N4 --cluster-env "$jobs/small.sh" "$jobs" "$home/stale"
    ended stale "$stale"
    err=$(<"$home/stale.out")
    [[ $(our_lines) -eq 1 ]] || complain "the job printed: $err"
    verdict "the same in a batch job: its script runs on, its step is refused"
    restore_texts
    on_book 's/^10.20.0.14 alpha/10.20.0.13 alpha/; s/^10.20.0.13 n9/10.20.0.14 n9/'
    ended_by_refusal "alpha: the address book is stale: it gives 10.20.0.13 for alpha" --cluster-env
    # the other node may have warned of its own entry before it was ended
    verdict "the primary has another node's address in the book: the same"
    restore_texts
}

# Slurm's kill passes over a task that is not its command yet. A plugin after ours holds all tasks
# back for a moment, so that every refusal meets such tasks.
test_slow_start() {
    local double=$state/plugins/spank_slow.so
    "${CC:-gcc}" -std=c11 -D_GNU_SOURCE -fPIC -shared -Wall -Wextra -Werror -I "$headers" \
        -o "$double" "$here/../doubles/spank_slow.c"
    echo "optional $double 200" >>"$state/etc/plugstack.conf"
    on_book 's/^10.20.0.14 /10.20.0.99 /'
    ended_by_refusal "alpha: the address book is stale" --ntasks-per-node=2 --cluster-env
    verdict "a refusal while other tasks are still being started: the step ends within 2 s all the same"
    restore_texts
    sed -i '/spank_slow/d' "$state/etc/plugstack.conf"
}

# ---------------------------------------------------------------- the port

test_port() {
    as_root alpha perl "$jobs/listen.pl" 10.20.0.14 45454 "$state/listening" &
    wait_until 10 test -s "$state/listening" || complain "nobody listens"
    run as_user srun -N4 --cluster-env=port=45454 "$jobs/seen.sh" "$home/taken"
    one_line "cluster-env: alpha: port 45454 on 10.20.0.14 is taken already"
    check_step "$home/taken" 4 4
    as_root alpha kill "$(<"$state/listening")"
    wait
    verdict "the port is taken on the primary: one line says so; the job runs"

    run as_user srun -N2 --cluster-env=port=80 "$jobs/seen.sh" "$home/root-port"
    one_line "cluster-env: alpha: port 80 is reserved for root"
    check_step "$home/root-port" 2 2
    verdict "--cluster-env=port=80: one line says that it is root's; the job runs"
}

# ---------------------------------------------------------------- an environment of others

test_environment() {
    run as_user env RANK=99 WORLD_SIZE=1000 LOCAL_RANK=5 LOCAL_WORLD_SIZE=7 GROUP_RANK=3 NODE_RANK=7 NUM_NODES=77 \
        MASTER_ADDR=evil.example PRIMARY_ADDR=evil.example PRIMARY_IP=192.0.2.1 CLUSTER_IP=192.0.2.2 NODE_ADDR=x \
        CLUSTER_IPS=192.0.2.1 CLUSTER_NODES=evil HOST_NODE_ADDR=evil:1 PRIMARY_PORT=1 PET_NNODES=9 PET_NODE_RANK=8 \
        CLUSTER_ENV_STEP=1.0 CLUSTER_ENV_OPTION=off CLUSTER_ENV_SET="RANK:,:::$(long_value 100000)%n" \
        srun -N4 --cluster-env "$jobs/seen.sh" "$home/others"
    quiet
    check_step "$home/others" 4 4
    verdict "RANK, NODE_RANK, MASTER_ADDR and others of an outer job in the environment: all recomputed"

    run as_user env MASTER_PORT=99999 srun -N2 --cluster-env "$jobs/seen.sh" "$home/bad-port"
    one_line "cluster-env: alpha: MASTER_PORT=99999 is not a port"
    check_step "$home/bad-port" 2 2
    verdict "MASTER_PORT=99999 in the environment: replaced, one line says so"

    as_user mkfifo .nccl.conf
    run as_user srun -N2 --cluster-env "$jobs/seen.sh" "$home/fifo"
    quiet
    check_step "$home/fifo" 2 2
    run as_user env NCCL_CONF_FILE=/dev/zero srun -N2 --cluster-env "$jobs/seen.sh" "$home/zero"
    quiet
    check_step "$home/zero" 2 2
    as_user rm .nccl.conf
    verdict ".nccl.conf at home is a pipe, NCCL_CONF_FILE is /dev/zero: nobody hangs"
}

test_stdout() {
    on_all_nodes rm "$texts/node.facts"
    run as_user srun -N4 --cluster-env=verbose,port=80 echo word
    [[ $status -eq 0 && $out == $'word\nword\nword\nword' && -n $err ]] || complain "$status '$out' '$err'"
    submit stdout "$home/stdout.out" -N4 --cluster-env=verbose "$jobs/small.sh" "$jobs" "$home/stdout"
    ended stdout "node.facts"
    restore_texts
    verdict "with much to say: srun's output is the tasks', sbatch --parsable prints the number only"
}

# ---------------------------------------------------------------- writing texts

checksums() { as_root zeta1 bash -c 'cd "$0" && ls -A && sha256sum hosts node.*' "$texts"; }

# not_written TEXT: facts --write fails with status 3 and one line, and nothing changed
not_written() {
    local before
    before=$(checksums)
    run as_root zeta1 cluster-env facts --write
    [[ $status -eq 3 ]] || complain "exit status $status"
    [[ -z $out && $(wc -l <"$state/err") -eq 1 && $err == *"cluster-env facts: $texts"* ]] || complain "said: $out $err"
    [[ $(checksums) == "$before" ]] || complain "before: $before" "after: $(checksums)"
    verdict "$1"
}

test_write() {
    as_root zeta1 bash -c 'dd if=/dev/zero of="$0/filler" bs=1M 2>/dev/null; dd if=/dev/zero of="$0/crumbs" bs=1 2>/dev/null; true' "$texts"
    not_written "$texts is full: facts --write keeps the old texts, status 3, one line"
    as_root zeta1 rm "$texts/filler" "$texts/crumbs"
    remount zeta1 ro
    not_written "$texts is read-only: facts --write keeps the old texts, status 3, one line"
    run as_user srun -N4 --cluster-env "$jobs/seen.sh" "$home/read-only"
    quiet
    check_step "$home/read-only" 4 4
    remount zeta1 rw
    verdict "$texts is read-only: srun --cluster-env needs no more"
    run as_user cluster-env facts --write
    [[ $status -eq 3 && $(wc -l <"$state/err") -eq 1 ]] || complain "$status: $err"
    verdict "facts --write as an ordinary user: status 3, one line"
}

# ---------------------------------------------------------------- others' faults

test_other_slurm() {
    local other=trixie words name="a plugin of another Slurm: srun works as before, its option is unknown"
    [[ $1 != trixie ]] || other=bookworm
    if ! words=$("$here/build.sh" "$other" 2>&1); then skip "$name" "no Slurm of $other here"; return; fi
    cp "$state/etc/plugstack.conf" "$state/etc/plugstack.saved"
    mkdir "$state/plugins/other"
    install -m 0755 "$(sed -n '/^--plugin$/ { n; p }' <<<"$words")" "$state/plugins/other/cluster_env.so"
    echo "optional $state/plugins/other/cluster_env.so" >"$state/etc/plugstack.conf"
    run as_user srun -N4 echo word
    [[ $status -eq 0 && $out == $'word\nword\nword\nword' ]] || complain "$status '$out' '$err'"
    run as_user srun -N4 --cluster-env echo word
    [[ $status -ne 0 && -z $out && $err == *"unrecognized option"* ]] || complain "$status '$out' '$err'"
    cp "$state/etc/plugstack.saved" "$state/etc/plugstack.conf"
    verdict "$name"
}

test_kill() {
    as_user bash -c 'echo $$ >"$0"; exec srun -N4 --cluster-env "$@"' "$home/srun" \
        "$jobs/hold.sh" "$home/kill" >"$state/out" 2>&1 &
    wait_until 10 test -e "$home/kill.3" || complain "the tasks do not run"
    as_root head kill -KILL "$(<"$home/srun")"
    wait "$!" || true
    as_user scancel --user=demo
    if wait_until 15 is_calm; then :; else complain "$(look_around)"; fi
    verdict "srun is ended by kill -9, its job by scancel: no node is drained"
}

main() {
    [[ $# -eq 1 ]] || { echo "usage: test_trouble.sh SERIES" >&2; exit 2; }
    local groups=(option texts one_node stale_book slow_start port environment stdout write other_slurm kill)
    plan $((46 + ${#groups[@]}))
    start_product "$1"
    on_all_nodes cp -a "$texts" /run/saved
    run_groups "$1" "${groups[@]}"
    finish
}

main "$@"

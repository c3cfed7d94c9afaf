# shellcheck shell=bash disable=SC2154 # what it uses is set where it is sourced
# shellcheck disable=SC2016,SC2034 # for the nodes to expand; used where this is sourced
# SPDX-License-Identifier: Apache-2.0
#
# A cluster whose slurm.conf has cluster-prolog and cluster-epilog, its nodes those of a 1-Click Cluster,
# and what can be done to a node's links, GPUs and kernel log; for tests that source this after steps.sh.

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
    # a check meanwhile sees it as it was or as it will be: what is told of a port that is not ACTIVE is there by then
    as_root "$2" bash -c 'cd "$0" && for hca in "${@:4}"; do
        cd "$hca/ports/1" && echo "$3" >rate || exit
        if [[ $1 == *ACTIVE ]]; then echo "$1" >state && echo "$2" >phys_state; else echo "$2" >phys_state && echo "$1" >state; fi
        cd "$0" || exit
    done' "$hcas" "${text[@]}" "${@:3}"
}

# count NODE HCA COUNTER NUMBER: of its port
count() {
    as_root "$1" bash -c 'mkdir -p "$0" && echo "$2" >"$0/$1"' "$hcas/$2/ports/1/counters" "$3" "$4"
}

# nvml NODE [LINE...]: its GPUs are those of an HGX H100, and these lines hold
nvml() { as_root "$1" bash -c 'cat "$0" - >/run/nvml.scenario <<<"$1"' "$state/nvml/scenario" "$(printf '%s\n' "${@:2}")"; }

# kernel NODE LINE...: the kernel says so
kernel_seq=1000
kernel() {
    local line now
    now=$(awk '{ printf "%d", $1 * 1000000 }' /proc/uptime)
    for line in "${@:2}"; do
        kernel_seq=$((kernel_seq + 1))
        as_root "$1" bash -c 'printf "4,%d,%d,-;%s\n" "$@" >>/run/kmsg' "" "$kernel_seq" "$now" "$line"
    done
}

# helper NODE NAME TEXT: this script is that helper, until put_back
helper() { as_root "$1" bash -c 'printf "#!/bin/sh\n%s\n" "$2" >"$0/$1" && chmod 755 "$0/$1"' "$helpers" "$2" "$3"; }

# The helpers that are built without a foreign library; probe-gpu finds a double of the driver's.
put_back() {
    as_root "$1" bash -c 'install -D -t "$0" "$1"/tools/libexec/slurm-node && rm -f "$0/probe-verbs" &&
        printf "#!/bin/sh\n%s\n" "NVML_DOUBLE=/run/nvml.scenario LD_LIBRARY_PATH=$1/nvml exec $1/tools/libexec/probe-gpu \"\$@\"" \
            >"$0/probe-gpu" && chmod 755 "$0/probe-gpu"' "$helpers" "$state"
}

# slow_prolog NODE SECONDS: its prolog begins so much later, and $home/slow.over is there at its end; until
# usual_prolog
slow_prolog() { prolog_after "$1" "sleep $2"; }
# held_prolog NODE: its prolog waits for release_prologs, until usual_prolog
held_prolog() {
    rm -f "$home/prolog.go"
    prolog_after "$1" "for i in \$(seq 1200); do test ! -e $home/prolog.go || break; sleep 0.05; done"
}
release_prologs() { touch "$home/prolog.go"; }
prolog_after() { # prolog_after NODE COMMAND
    rm -f "$home/slow.over"
    as_root "$1" bash -c 'mv "$0" "$0.usual" && printf "#!/bin/sh\n%s\n%s\nstatus=\$?\ntouch %s\nexit \$status\n" \
        "$1" "$0.usual" "$2/slow.over" >"$0" && chmod 755 "$0"' "$programs/cluster-prolog" "$2" "$home"
}
usual_prolog() { as_root "$1" mv "$programs/cluster-prolog.usual" "$programs/cluster-prolog"; }

configure_mode() { configure "mode = \"$1\";" "$expect"; }

# ---------------------------------------------------------------- what Slurm says

# What sinfo -R has of a node, "" where it is not drained.
reason_of() { as_user sinfo -h -R -n "$1" -o '%500E' | sed 's/ *$//'; }
# Of all nodes: asked for one alone, 22.05 answers as it last did for all.
state_of() { as_user sinfo -h -N -o '%N %T' | sed -n "s/^$1  *//p" | head -n 1; }

drained_for() { # drained_for NODE REASON
    wait_until "${3:-10}" is_drained "$1" || complain "$1 is $(state_of "$1")"
    [[ $(reason_of "$1") == "$2" ]] || complain "the reason of $1: $(reason_of "$1")" "expected: $2"
}
is_drained() { [[ $(state_of "$1") == drain* ]]; }

only_drained() { # only_drained NODE
    [[ $(as_user sinfo -h -R -o '%N') == "$1" ]] || complain "drained: $(as_user sinfo -R)"
}

not_drained() {
    local list
    list=$(as_user sinfo -h -R -o '%200E %N')
    [[ -z $list ]] || complain "drained: $list"
}

# After the epilog, which would find the fault again.
resume() {
    wait_until 20 is_drained_and_empty "$1" || complain "$1 is $(state_of "$1")"
    sleep 1 # a retry stands in slurmd's log by then
    wait_until 60 no_retries "$1" || complain "slurmd of $1 tells of its prolog again and again"
    as_root head scontrol update "nodename=$1" state=resume || complain "$1 cannot be resumed"
    wait_until 20 is_idle "$1" || complain "$1 is $(state_of "$1")"
}
is_drained_and_empty() { [[ $(state_of "$1") == drained ]]; }
is_idle() { [[ $(state_of "$1") == idle ]]; }

# ---------------------------------------------------------------- how Slurm ends a job whose prolog fails
# slurmd tells slurmctld that the prolog is over, with the next request that it failed, and then to end the job.
# Where these take their time, tasks may start meanwhile, srun may end with status 0, and a slurmd that finds the
# job over tells of the prolog anew every 15 s, while slurmctld knows the job (MinJobAge): each time it is drained.

# refused NODE [FILE...]: the job of the last command ended with an error, and made no FILE
refused() {
    local ms file
    wait_until 5 has_ended_it "$1" || true
    ms=$(told_within "$1")
    if [[ ${ms:-0} -gt 50 ]]; then
        diag "slurmd of $1 took $ms ms to have the job ended: what it did meanwhile is not looked at"
        return
    fi
    [[ $status -ne 0 ]] || complain "exit status 0, it said: $err"
    for file in "${@:2}"; do [[ ! -e $file ]] || complain "tasks ran: $file is there"; done
}

# Milliseconds from the end of NODE's last prolog to the job's end, as slurmd has it; "": it is not there.
told_within() {
    tail -n 400 "$state/log/$1.log" | awk -F '[][T:]' '
        /^\[.*prolog failed status/ { failed = $3 * 3600 + $4 * 60 + $5; ms = "" }
        /Could not launch .* cancelling job/ { ms = int(($3 * 3600 + $4 * 60 + $5 - failed) * 1000) }
        END { print ms }'
}

has_ended_it() { [[ -n $(told_within "$1") ]]; }

no_retries() {
    local last
    last=$(grep -a 'Retrying prolog complete RPC' "$state/log/$1.log" | tail -n 1)
    [[ $last =~ ^\[([^]]*)\] ]] || return 0
    (($(date +%s) > $(date -d "${BASH_REMATCH[1]}" +%s) + 22))
}

completed() { # completed JOB: the job ended as if nothing had been wrong
    wait_until 20 job_is_over "$1" || true
    [[ $(as_root head scontrol show job "$1") =~ JobState=COMPLETED.*ExitCode=0:0 ]] ||
        complain "$(as_root head scontrol show job "$1")"
}
job_is_over() { [[ ! $(as_root head scontrol show job "$1") =~ JobState=(RUNNING|COMPLETING|PENDING) ]]; }

# ---------------------------------------------------------------- what the programs say

# A slurmd's log since mark_log has this.
declare -A logged=()
mark_log() { logged[$1]=$(wc -l <"$state/log/$1.log"); }
log_of() { tail -n "+$((${logged[$1]} + 1))" "$state/log/$1.log"; }
has_logged() { wait_until 5 log_holds "$1" "$2" || complain "$1.log lacks '$2':" "$(log_of "$1" | grep -a cluster- | tail -n 5)"; }
log_holds() { grep -aqF -- "$2" <(log_of "$1"); } # in a pipe, grep's early end would be a failure

# by_hand NODE PROGRAM [NAME=VALUE...]: as slurmd runs it; its milliseconds are in $took
took=0
by_hand() {
    local start=${EPOCHREALTIME/./}
    run as_root "$1" env -i SLURM_CONF="$state/etc/slurm.conf" SLURMD_NODENAME="$1" SLURM_JOB_ID=77 "${@:3}" "$programs/$2"
    took=$(((${EPOCHREALTIME/./} - start) / 1000))
    as_root "$1" rm -f /run/cluster-env/jobs/77.facts # no epilog follows
}

# ---------------------------------------------------------------- the start

# The kernel log of each node is a file of its own: that of this machine is one for all of them.
lay_doubles() {
    sh "$here/../doubles/nvml/build" "$state/nvml"
    install -m 644 "$here/../doubles/nvml/hgx-h100.scenario" "$state/nvml/scenario"
    cc -std=c11 -D_GNU_SOURCE -O1 -shared -fPIC -o "$state/nvml/kmsg.so" "$here/../doubles/kmsg.c"
    chmod -R a+rX "$state/nvml"
    as_root head sh -c 'echo "$0" >/etc/ld.so.preload' "$state/nvml/kmsg.so"
}

prepare_node() {
    put_back "$1"
    as_root "$1" bash -c 'install -D -t "$0" "$1"/tools/bin/cluster-{prolog,epilog} &&
        cat "$1/nvml/scenario" >/run/nvml.scenario && echo "5,1,0,-;Linux version 6.1.0" >/run/kmsg &&
        for port in "$2"/mlx5_[1-8]/ports/1; do mkdir "$port/counters" && echo 2 >"$port/counters/link_downed" || exit 1; done' \
        "$programs" "$state" "$hcas"
}

# start_health SERIES [OPTION...]: options are those of `cluster up`.
start_health() {
    local node built started=()
    built=$("$here/slurm_node.sh" "$1")
    scheduler=,nohold_on_prolog_fail,sched_interval=2
    start_product "$1" --hardware <("$here/hgx_tree") --cred-expire 5 \
        --slurm-conf "Prolog=$programs/cluster-prolog" --slurm-conf "Epilog=$programs/cluster-epilog" \
        --slurm-conf PrologFlags=Alloc,DeferBatch --slurm-conf SlurmdDebug=debug2 --slurm-conf MinJobAge=10 "${@:2}"
    install -D -t "$state/tools/libexec" "$built"
    lay_doubles
    for node in "${nodes[@]}"; do prepare_node "$node" & started+=($!); done
    for node in "${started[@]}"; do wait "$node" || exit 1; done
    configure_mode drain
}
